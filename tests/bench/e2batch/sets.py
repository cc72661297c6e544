# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the volumes, each made once and kept, and the files of the batch. Measures nothing.

A volume holds a crowd of empty files in 500 directories below /crowd, and below /batch the files that
are updated, appended to, stat'ed, read and removed: in one directory, or in a thousand. Those that
are created go into the same directories, under other names.

    1x4096 ...      directories x bytes of a file
    sizes           of batches: many files are created in a thousand directories
    names           one directory with 100,000 names gains as many
    inodes-N        a sparse image with room for N inodes, nearly empty, made anew for each run
"""

import random
from dataclasses import dataclass

from e2bench import host
from e2bench.datasets import Recipe
from e2bench.rows import Set

PLAIN = ("1x4096", "1000x4096", "1000x100", "1000x65536")
SIZES, NAMES = "sizes", "names"
INODES = (100_000, 1_000_000, 10_000_000)
SPARSE = tuple(f"inodes-{n}" for n in INODES)
KINDS = (*PLAIN, SIZES, NAMES, *SPARSE)
CROWD_DIRECTORIES = 500
ROOM = 2                        # times the data of the batch: what is written anew, too
BLOCK, INODE = 4096, 256
INODE_SHARE = 16384             # bytes of a sparse image per inode, as mke2fs takes it


@dataclass(frozen=True)
class Shape:
    directories: int
    size: int                   # bytes of a file
    old: int                    # files that are there
    new: int                    # files to be created
    crowd: int                  # files beside these


def shape(asked, kind):
    if kind == SIZES:
        return Shape(1000, 4096, 0, asked.most, asked.crowd)
    if kind == NAMES:
        return Shape(1, 100, asked.names, asked.names, 0)
    if kind in SPARSE:
        return Shape(10, 4096, 0, 1000, 0)
    directories, size = plain(kind)
    return Shape(directories, size, asked.files, asked.files, asked.crowd)


def plain(kind):
    """(directories, bytes of a file)

    >>> plain("1000x4096")
    (1000, 4096)
    """
    directories, size = kind.split("x")
    return int(directories), int(size)


def inodes_of(kind):
    """
    >>> inodes_of("inodes-1000000")
    1000000
    """
    return int(kind.removeprefix("inodes-"))


def wanted(asked):
    kinds = [kind for kind in KINDS if asked.sets or asked.base.full or kind != PLAIN[-1]]
    return [Set(kind, kind, recipe(asked, kind)) for kind in kinds if asked.wants_set(kind)]


def inode_count(of):
    return (of.old + of.new + of.crowd + of.directories + CROWD_DIRECTORIES) * 6 // 5


def image_bytes(of, inodes):
    """
    >>> image_bytes(Shape(1000, 4096, 20000, 20000, 100000), 170000) // host.MIB
    787
    """
    files = of.old + ROOM * of.new if of.old else of.new
    data = files * (-(-(of.size + 1024) // BLOCK) * BLOCK)
    return (data + inodes * (INODE + 128) + 256 * host.MIB) // host.MIB * host.MIB


def recipe(asked, kind):
    of = shape(asked, kind)
    if kind in SPARSE:
        inodes = inodes_of(kind)
        return Recipe(f"batch-{kind}", max(inodes * INODE_SHARE, 4096 * host.MIB),
                      ("-N", str(inodes), "-J", "size=64"), "noatime", filling(of),
                      f"a sparse image with room for {inodes:,} inodes, nearly empty")
    inodes = inode_count(of)
    return Recipe(f"batch-{kind}", image_bytes(of, inodes), ("-N", str(inodes)), "noatime",
                  filling(of), about(of), f"{of.old}-{of.new}-{of.crowd}")


def about(of):
    """
    >>> about(Shape(1, 100, 2000, 2000, 0))
    '2,000 files of 100 bytes in 1 directory'
    """
    what = f"{of.old:,} files of {of.size:,} bytes in {of.directories:,}" if of.old else \
        f"{of.directories:,} empty"
    return (what + (" directory" if of.directories == 1 else " directories")
            + (f", beside {of.crowd:,} empty files" if of.crowd else ""))


def filling(of):
    def fill(settings, top):
        for name, count, files, bytes_ in (("crowd", CROWD_DIRECTORIES, of.crowd, 0),
                                           ("batch", of.directories, of.old, of.size)):
            (top / name).mkdir()
            host.sh(settings.built("manyops"), "make", top / name, count, files, bytes_, "f")
    return fill


def paths(directories, files, prefix, seed=0):
    """Of the files of a batch, at random if there is a seed.

    >>> paths(2, 3, "f")
    ['/batch/d0/f0', '/batch/d1/f1', '/batch/d0/f2']
    """
    all_of_them = [f"/batch/d{i % directories}/{prefix}{i}" for i in range(files)]
    if seed:
        random.Random(seed).shuffle(all_of_them)
    return all_of_them
