# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the filesystems that hold a directory, and lists of its files. Measures nothing.

    ext4       made by the kernel, kept
    indexed    a copy of it with an index, by e2itree -p
    copied     what e2bfo copy makes of it
    xfs, btrfs the same directory, made by the kernel in the same way, kept

Each has room for all files once more. What writes gets a copy.
"""

import os
import random
from dataclasses import dataclass, replace

from e2bench import datasets, host

INODE, NAME = 256, 60           # bytes, of ext4
META = {"xfs": 1400, "btrfs": 2800}     # bytes that a file takes beside its data, copies included
BLOCK, OTHERS = 4096, 4400      # what the second writer has on the disk at most, per file
SLACK = 320 << 20               # journals; xfs wants 300 MB in all
NEW = "new-file-%07u.dat"


def image_bytes(one, filesystem="ext4"):
    """
    >>> from types import SimpleNamespace as Set
    >>> image_bytes(Set(files=100_000, bytes=4096, state="aged")) >> 20
    1381
    """
    data = BLOCK if one.bytes else 0
    at_once = data * 2
    if one.state == "aged" and data:
        at_once = max(at_once, data * 5 // 4 + OTHERS)
    meta = META.get(filesystem, INODE * 21 // 10 + 2 * NAME)
    size = one.files * (at_once * 11 // 10 + meta) + SLACK
    return size // host.MIB * host.MIB


def recipe(one, filesystem="ext4"):
    how = "fresh" if one.state == "clean" else "aged" if one.bytes else "churned"
    ext4 = filesystem == "ext4"
    return datasets.Recipe(
        f"thesis-{filesystem}-{one.name}", image_bytes(one, filesystem),
        ("-N", str(one.files * 21 // 10 + 1000)) if ext4 else (),
        "noatime,nodelalloc" if ext4 else "noatime",
        datasets.flat(one.files, one.bytes, how), one.words, filesystem=filesystem)


class Images:
    """Those of one set: images.get(kind), made when they are asked for."""

    def __init__(self, settings, one, say):
        self.settings, self.one, self.say = settings, one, say
        self.made = {}

    def get(self, kind):
        """A datasets.DataSet. One that could not be made says so each time."""
        if kind not in self.made:
            self.say(f"{self.one.words}: {kind}")
            try:
                self.made[kind] = self.make(kind)
            except host.Failure as error:
                self.made[kind] = error
        if isinstance(self.made[kind], host.Failure):
            raise self.made[kind]
        return self.made[kind]

    def make(self, kind):
        if kind in ("indexed", "copied"):
            return getattr(self, kind)(self.get("ext4"))
        if kind != "ext4" and not host.installed(f"mkfs.{kind}"):
            raise host.Failure(f"mkfs.{kind}: not installed")
        return datasets.get(self.settings, recipe(self.one, kind))

    def indexed(self, data):
        path = datasets.copied(self.settings, data, "thesis-indexed.img")
        with host.loop(path) as device:
            if host.status_of(self.settings.e2itree, "-p", device) != 1:
                raise host.Failure(f"e2itree -p {path}: it built nothing")
        return replace(data, image=str(path))

    def copied(self, data):
        path = self.settings.image("thesis-copied.img")
        if not path.exists() or path.stat().st_size != data.size:
            path.unlink(missing_ok=True)
            host.reserve(path, data.size)
        with host.loop(data.image) as source, host.loop(path) as device:
            host.sh(self.settings.e2bfo, "copy", "-q", "--force",
                    f"--mkfs=-q -N {self.one.files * 21 // 10 + 1000}", source, device)
        return replace(data, image=str(path))

    def scratch(self, kind):
        """A copy of it to write to."""
        data = self.get(kind)
        filesystem = kind if kind in META else "ext4"
        path = datasets.copied(self.settings, data, f"thesis-work-{filesystem}.img")
        return replace(data, image=str(path))


@dataclass(frozen=True)
class Lists:
    """Files with a line for each file."""
    names: str                  # paths that are to be created
    put: str                    # the same, as a script of e2bfo batch
    rm: str                     # a script that removes all that are there


def lists(settings, one, image, directory):
    """Of the set whose ext4 is IMAGE; DIRECTORY: where it can be mounted."""
    paths = Lists(*(str(settings.image(f"thesis-{name}")) for name in ("names", "put", "rm")))
    content = settings.image("thesis-content")
    content.write_bytes(b"b" * one.bytes)
    new = [f"flat/{NEW % number}" for number in range(one.files)]
    random.Random(1).shuffle(new)
    write(paths.names, new)
    write(paths.put, (f"put {content} /{path}" for path in new))
    with host.loop(image) as device, host.mounted(device, directory, "ro,noatime"):
        write(paths.rm, (f"rm /flat/{name}" for name in os.listdir(f"{directory}/flat")))
    return paths


def write(path, lines):
    with open(path, "w", encoding="ascii") as f:
        f.writelines(line + "\n" for line in lines)
