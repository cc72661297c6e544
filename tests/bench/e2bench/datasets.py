# SPDX-License-Identifier: GPL-2.0-or-later
"""Data sets: the filesystems that are copied, filled by the kernel, built once and kept.

Measures nothing but its own products: counts of inodes, names, bytes and extents, which stand
beside each image in a .json file and which the bars (memory, bytes read) are computed from.

    kernel    a source tree, as tar unpacks it
    flat      one directory of 4-KB files, created in random order by one of two interleaved
              writers, a third of them deleted and some created again (mkflat.c, aged)
    small     one directory of fewer 4-KB files, in random order: what mke2fs -d can be asked to do
    scale-N   one directory of N empty files

An image lies on a regular file whose blocks are allocated beforehand, so that the filesystem below
adds no scatter of its own. mke2fs gets a fixed UUID and hash seed, and flat sets are mounted
nodelalloc and filled from one CPU: the layout of the images is the same in every cache.
"""

import array
import fcntl
import json
import os
import stat
import struct
from dataclasses import asdict, dataclass
from typing import Callable

from . import host

GIB = 1 << 30
VERSION = 3                     # of the recipes: raised when one changes, images are then rebuilt
UUID = "6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c001"
HASH_SEED = "6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c002"
FS_IOC_FIEMAP = 0xC020660B


@dataclass(frozen=True)
class Recipe:
    name: str
    size: int                   # of the image, bytes
    mke2fs: tuple               # arguments; the targets are made with them, too
    mount: str                  # options while it is filled
    fill: Callable              # (settings, directory)
    about: str
    of: str = ""                # what its contents depend on, for the image's name


@dataclass(frozen=True)
class Contents:
    inodes: int                 # in the tree, without lost+found
    files: int
    names: int
    name_bytes: int
    extents: int                # as the kernel reports them, directories included
    tree_bytes: int             # blocks of files and directories, and their inodes: what must move
    used_bytes: int             # blocks marked in the bitmaps, journal and tables included


@dataclass(frozen=True)
class DataSet:
    name: str
    image: str
    size: int
    mke2fs: tuple
    about: str
    contents: Contents


def unpack(settings, directory):
    host.sh("tar", "-C", directory, "-xf", settings.tarball)


def flat(count, size, how):
    def fill(settings, directory):
        target = directory / "flat"
        target.mkdir()
        host.sh(settings.built("mkflat"), target, count, size, how)
    return fill


def recipes(settings):
    flat_files, small_files = settings.flat_files, settings.small_files
    rows = [
        Recipe("kernel", 3 * GIB, (), "noatime", unpack,
               f"{settings.tarball.name.removesuffix('.tar.xz')}, unpacked by tar",
               settings.tarball.name),
        Recipe("flat", 3 * GIB, ("-i", "8192"), "noatime,nodelalloc",
               flat(flat_files, 4096, "aged"),
               f"one directory, {flat_files:,} files of 4 KB, aged", str(flat_files)),
        Recipe("small", 1 * GIB, (), "noatime,nodelalloc", flat(small_files, 4096, "random"),
               f"one directory, {small_files:,} files of 4 KB, created in random order",
               str(small_files)),
    ]
    return rows + [scale_recipe(count) for count in settings.scale_files]


def scale_recipe(count):
    inodes = count + count // 50 + 1000
    size = max(1, -(-count // 1_000_000)) * GIB
    return Recipe(f"scale-{count}", size, ("-N", str(inodes)), "noatime",
                  flat(count, 0, "random"), f"one directory, {count:,} empty files")


def wanted(settings):
    return [r for r in recipes(settings) if settings.wants(r.name.split("-")[0])]


def missing(settings, recipe):
    """Why a data set cannot be made here, or None."""
    if recipe.name == "kernel" and not settings.tarball.exists():
        return f"{settings.tarball} is not there (Debian: apt install linux-source-6.1)"
    return None


def mkfs(device, extra=()):
    """Formats as the images were, but for the UUID, which mke2fs then makes up."""
    host.sh("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", *extra, device)


def key(recipe):
    return f"{recipe.name}-{recipe.of}-v{VERSION}".replace("--", "-")


def get(settings, recipe):
    """The data set, from the cache or made now."""
    image = settings.image(key(recipe) + ".img")
    about = image.with_suffix(".json")
    if not image.exists() or not about.exists():
        build(settings, recipe, image, about)
    contents = Contents(**json.loads(about.read_text(encoding="utf-8")))
    return DataSet(recipe.name, str(image), recipe.size, recipe.mke2fs, recipe.about, contents)


def build(settings, recipe, image, about):
    directory = settings.bench_dir / "mnt-build"
    directory.mkdir(exist_ok=True)
    partial = image.with_suffix(".partial")
    host.reserve(partial, recipe.size)
    with host.loop(partial) as device:
        mkfs(device, ("-U", UUID, "-E", f"hash_seed={HASH_SEED}", *recipe.mke2fs))
        with host.mounted(device, directory, recipe.mount):
            recipe.fill(settings, directory)
        with host.mounted(device, directory, "ro,noatime,minixdf"):
            contents = survey(directory)
    about.write_text(json.dumps(asdict(contents), indent=1), encoding="utf-8")
    partial.rename(image)


def survey(top):
    """Counts what is in a filesystem, mounted minixdf so that statfs leaves nothing out."""
    seen, total = set(), dict.fromkeys(Contents.__annotations__, 0)
    count_inode(str(top), os.lstat(top), total)
    for directory, dirs, files in os.walk(top):
        if directory == str(top) and "lost+found" in dirs:
            dirs.remove("lost+found")
        for name in dirs + files:
            path = os.path.join(directory, name)
            info = os.lstat(path)
            total["names"] += 1
            total["name_bytes"] += len(os.fsencode(name))
            if info.st_ino not in seen:
                count_inode(path, info, total)
            if info.st_nlink > 1:
                seen.add(info.st_ino)
    vfs = os.statvfs(top)
    total["used_bytes"] = (vfs.f_blocks - vfs.f_bfree) * vfs.f_frsize
    return Contents(**total)


def count_inode(path, info, total):
    total["inodes"] += 1
    total["files"] += stat.S_ISREG(info.st_mode)
    total["tree_bytes"] += info.st_blocks * 512 + 256
    if info.st_blocks and not stat.S_ISLNK(info.st_mode):
        total["extents"] += extents(path)


def extents(path):
    """Number of extents of a file or directory: FIEMAP with room for none only counts."""
    request = array.array("B", struct.pack("=QQIIII", 0, (1 << 64) - 1, 0, 0, 0, 0))
    fd = os.open(path, os.O_RDONLY)
    try:
        fcntl.ioctl(fd, FS_IOC_FIEMAP, request)
    finally:
        os.close(fd)
    return struct.unpack("=QQIIII", request)[3]
