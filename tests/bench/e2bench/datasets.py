# SPDX-License-Identifier: GPL-2.0-or-later
"""Data sets: the filesystems that are copied, filled by the kernel, built once and kept.

Measures nothing. What is in an image (survey) stands beside it in a .json file. recipes.py says
which data sets there are, here is how one is made from its recipe.

An image lies on a regular file whose blocks are allocated beforehand, so that the filesystem below
adds no scatter of its own. mke2fs gets a fixed UUID and hash seed, and sets whose layout matters
are mounted nodelalloc and filled from one CPU: the layout of the images is the same in every cache.
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from typing import Callable

from . import host
from .survey import INODE_BYTES, Contents, survey

GIB = 1 << 30
CHUNK = 4 * host.MIB
VERSION = 4                     # of the recipes: raised when one changes, images are then rebuilt
UUID = "6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c001"
HASH_SEED = "6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c002"
JOURNAL, BYTES_PER_INODE = 64 * host.MIB, 16384     # what mke2fs takes by default


@dataclass(frozen=True)
class Recipe:
    name: str
    size: int                   # of the image, bytes; 0: follows from `full`
    mke2fs: tuple               # arguments; the targets are made with them, too
    mount: str                  # options while it is filled
    fill: Callable              # (settings, directory)
    about: str
    of: str = ""                # what its contents depend on, for the image's name
    group: str = ""             # another name for it in SETS
    make: Callable = None       # (settings, path): makes the whole image instead
    base: object = None         # the recipe whose image fill reads
    times: int = 1              # so often
    full: float = 0             # the share of the blocks that is then in use
    aged: bool = False          # fragmented
    fresh: str = ""             # of an aged one: the set with the same files in order
    brief: bool = False         # by default without the slow competitors
    extra: bool = False         # by default not at all
    filesystem: str = "ext4"    # of FORMATS


@dataclass(frozen=True)
class DataSet:
    name: str
    image: str
    size: int
    mke2fs: tuple
    about: str
    contents: Contents
    group: str = ""
    aged: bool = False
    fresh: str = ""
    brief: bool = False


def flat(count, size, how):
    def fill(settings, directory):
        target = directory / "flat"
        target.mkdir()
        host.sh(settings.built("mkflat"), target, count, size, how)
    return fill


def mkfs(device, extra=()):
    """Formats as the images were, but for the UUID, which mke2fs then makes up."""
    host.sh("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", *extra, device)


def mkfs_ext4(device, extra):
    mkfs(device, ("-U", UUID, "-E", f"hash_seed={HASH_SEED}", *extra))


FORMATS = {
    "ext4": mkfs_ext4,
    "xfs": lambda device, extra: host.sh("mkfs.xfs", "-q", "-f", *extra, device),
    "btrfs": lambda device, extra: host.sh("mkfs.btrfs", "-q", "-f", *extra, device),
}


def key(recipe):
    return f"{recipe.name}-{recipe.of}-v{VERSION}".replace("--", "-")


def image_of(settings, recipe):
    return settings.image(key(recipe) + ".img")


def get(settings, recipe):
    """The data set, from the cache or made now."""
    if recipe.base:
        recipe = sized(recipe, get(settings, recipe.base).contents)
    image = image_of(settings, recipe)
    about = image.with_suffix(".json")
    if not image.exists() or not about.exists():
        build(settings, recipe, image, about)
    contents = Contents(**json.loads(about.read_text(encoding="utf-8")))
    return DataSet(recipe.name, str(image), recipe.size, recipe.mke2fs, recipe.about, contents,
                   recipe.group, recipe.aged, recipe.fresh, recipe.brief)


def give_back(settings, recipe, later=()):
    """Its image, and that of its base, go, unless images are kept or a recipe of LATER needs it."""
    needed = {key(r) for one in later for r in (one, one.base) if r}
    for done in filter(None, (recipe, recipe.base)):
        if not settings.keep and key(done) not in needed:
            image_of(settings, done).unlink(missing_ok=True)
            image_of(settings, done).with_suffix(".json").unlink(missing_ok=True)


def sized(recipe, base):
    """The recipe with the size that makes it as full as it asks for."""
    if recipe.size:
        return recipe
    data = (base.tree_bytes - base.inodes * INODE_BYTES) * recipe.times + JOURNAL
    size = data / (recipe.full - INODE_BYTES / BYTES_PER_INODE)
    return replace(recipe, size=int(size) // host.MIB * host.MIB)


def build(settings, recipe, image, about):
    directory = settings.bench_dir / "mnt-build"
    directory.mkdir(exist_ok=True)
    partial = image.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    if recipe.make:
        recipe.make(settings, partial)
    host.reserve(partial, recipe.size, keep=True)
    with host.loop(partial) as device:
        if not recipe.make:
            FORMATS[recipe.filesystem](device, recipe.mke2fs)
        with host.mounted(device, directory, recipe.mount):
            recipe.fill(settings, directory)
        everything = ",minixdf" if recipe.filesystem == "ext4" else ""
        with host.mounted(device, directory, f"ro,noatime{everything}"):
            contents = survey(directory)
    about.write_text(json.dumps(asdict(contents), indent=1), encoding="utf-8")
    partial.rename(image)


def copied(settings, data, name):
    """An unshared, allocated copy of the image, so that no run pays for the blocks below it. Only
    what was ever written to the image is copied."""
    path = settings.image(name)
    if not path.exists() or path.stat().st_size != data.size:
        host.reserve(path, data.size)
        host.fill(path, data.size)
    with open(data.image, "rb", buffering=0) as source, open(path, "r+b", buffering=0) as target:
        for start, end in written(source.fileno(), data.size):
            for at in range(start, end, CHUNK):
                os.pwrite(target.fileno(), os.pread(source.fileno(), min(CHUNK, end - at), at), at)
        os.fsync(target.fileno())
    return path


def written(fd, size):
    """(start, end) of the parts of a file that hold data."""
    end = 0
    while end < size:
        try:
            start = os.lseek(fd, end, os.SEEK_DATA)
        except OSError:             # none behind that
            return
        end = os.lseek(fd, start, os.SEEK_HOLE)
        yield start, end
