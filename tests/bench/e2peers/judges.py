# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges: what is in an image, whether it is clean, and what e2bfo verify says of two.

The verdicts come from tests/oracle: manifest (the kernel's view) and, for what the kernel does not
show, dbmanifest (libext2fs); neither shares code with e2bfo. `e2bfo verify` is heard as well, and
every inode on which it and the manifests disagree is named.
"""

import contextlib
import json
import os
import subprocess
import time
from dataclasses import dataclass

from e2bench import host
from e2peers import rows


@contextlib.contextmanager
def attached(image, read_only=False):
    """A loop device for the image; gone, and so is whoever had it, when the block ends."""
    device = host.sh("losetup", "-f", "--show", *(["-r"] if read_only else []), image).strip()
    try:
        yield device
    finally:
        host.sh("losetup", "-d", device)
        for _ in range(100):
            if not host.sh("losetup", "-j", image).strip():
                break
            time.sleep(0.1)
        else:
            raise host.Failure(f"{device} stays in use")


def lines(*argv):
    """{path: {key: value}} of a manifest. What could not be read is a value "error:…"."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          encoding="ascii", check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise host.Failure(f"{' '.join(argv)}: status {done.returncode}")
    out = {}
    for line in done.stdout.splitlines():
        path, *fields = line.split(" ")
        out[path] = {"path": path, **dict(f.split("=", 1) for f in fields)}
    return out


def seen(programs, image, directory):
    """All paths of an image, but for lost+found: the kernel's fields, with the disk's. None if
    the kernel does not mount it."""
    with attached(image, read_only=True) as device:
        if host.status_of("mount", "-t", "ext4", "-o", "ro,noatime", device, directory):
            return None
        try:
            tree = lines(f"{programs}/manifest", "-d", "-i", "-x", "/lost+found", directory)
        finally:
            host.sh("umount", directory)
    view = lines(f"{programs}/dbmanifest", "-k", "-x", "/lost+found", image)
    disk = lines(f"{programs}/dbmanifest", "-x", "/lost+found", image)
    if not tree.keys() == view.keys() == disk.keys():
        raise host.Failure(f"{image}: the judges do not see the same paths")
    for path, inode in tree.items():
        inode.update({k: v for k, v in view[path].items() if k.startswith("disk.")})
        inode["disk.gen"] = disk[path]["gen"]
    return tree


def is_clean(image):
    return host.status_of("e2fsck", "-fn", image) == 0


def block_size(image):
    """Of the filesystem; 0 if there is none, or one that is larger than its device."""
    done = subprocess.run(["dumpe2fs", "-h", image], capture_output=True, text=True,
                          errors="replace", check=False)
    fields = dict(line.split(":", 1) for line in done.stdout.splitlines() if ":" in line)
    size = int(fields.get("Block size", 0))
    return size if size * int(fields.get("Block count", 0)) <= os.path.getsize(image) else 0


# ---- the second judge ----

# What verify calls it, and the fields of the manifests
KINDS = (
    ("type", ("type",)), ("mode", ("mode",)), ("uid", ("uid",)), ("gid", ("gid",)),
    ("size", ("size",)), ("nlink", ("nlink",)), ("mtime", ("mtime",)), ("atime", ("atime",)),
    ("ctime", ("ctime",)), ("crtime", ("crtime",)), ("generation", ("disk.gen",)),
    ("version", ("disk.version",)), ("flags", ("iflags", "disk.flags")),
    ("project", ("disk.projid",)), ("device", ("rdev",)), ("symlink", ("target",)),
    ("holes", ("layout",)), ("data", ("data",)),
)
NOT_OF_DIRECTORIES = ("size", "nlink")


@dataclass(frozen=True)
class Disagreement:
    kind: str
    manifests: int              # inodes of the source that only the manifests find different
    verify: int                 # ... and only verify
    example: str                # a path


def by_manifests(source, target):
    """{kind: {inode number: path}} of what differs, where both have the path."""
    out = {kind: {} for kind, _ in KINDS}
    out["xattr"] = {}
    for path, a in source.items():
        b = target.get(path)
        if not b:
            continue
        if a["type"] != b["type"]:
            out["type"][int(a["ino"])] = path
            continue
        for kind, keys in KINDS:
            if not rows.equal(*keys)(a, b) and not (
                    a["type"] == "d" and kind in NOT_OF_DIRECTORIES):
                out[kind].setdefault(int(a["ino"]), path)
        if rows.xattrs(a, "") != rows.xattrs(b, ""):
            out["xattr"].setdefault(int(a["ino"]), path)
    return out


def by_verify(e2bfo, source, target):
    """{kind: {inode number: path}}; None if it fails."""
    done = subprocess.run([e2bfo, "verify", "--json", source, target], capture_output=True,
                          text=True, errors="surrogateescape", check=False)
    if done.returncode not in (0, 1):
        return None
    out = {}
    for found in json.loads(done.stdout)["differences"]:
        number = found.get("inode", found.get("other_inode"))
        out.setdefault(found["kind"], {}).setdefault(number, ascii(found["path"]))
    return out


def tops(some, others):
    """Paths of some that are not in the others, but whose directory is."""
    return {p for p in some if p not in others and (p.rpartition("/")[0] or "/") in others}


def disagreements(tree, copy, verified):
    """Where the two judges differ. Of files of different sizes, verify compares the data that both
    have, and the manifests all: these are no disagreement."""
    first = by_manifests(tree, copy)
    first["missing"] = {int(tree[p]["ino"]): p for p in tops(tree, copy)}
    first["extra"] = {int(copy[p]["ino"]): p for p in tops(copy, tree)}
    out = []
    for kind in sorted(first):
        mine, other = first[kind], verified.get(kind, {})
        if kind == "data":
            mine, other = ({n: p for n, p in found.items() if n not in first["size"]}
                           for found in (mine, other))
        odd = sorted(mine.keys() ^ other.keys())
        if odd:
            out.append(Disagreement(kind, len(mine.keys() - other.keys()),
                                    len(other.keys() - mine.keys()),
                                    mine.get(odd[0]) or other[odd[0]]))
    return out
