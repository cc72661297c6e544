# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the volumes, each made once and kept, and the files of the batch. Measures nothing.

A volume holds a crowd of empty files in 500 directories below /crowd, and below /batch the files that
are updated, appended to, stat'ed, read and removed: in one directory, or in a thousand. Those that
are created go into the same directories, under other names.
"""

import random

from e2bench import host
from e2bench.datasets import Recipe
from e2bench.rows import Set

KINDS = ("1x4096", "1000x4096", "1000x100", "1000x65536")
CROWD_DIRECTORIES = 500
ROOM = 2                        # times the data of the batch: what is written anew, too
BLOCK, INODE = 4096, 256


def shape(kind):
    """(directories, bytes of a file)

    >>> shape("1000x4096")
    (1000, 4096)
    """
    directories, size = kind.split("x")
    return int(directories), int(size)


def wanted(asked):
    kinds = [kind for kind in KINDS if asked.sets or asked.base.full or kind != KINDS[-1]]
    return [Set(kind, kind, recipe(asked, kind)) for kind in kinds if asked.wants_set(kind)]


def inode_count(asked, directories):
    return (2 * asked.files + asked.crowd + directories + CROWD_DIRECTORIES) * 6 // 5


def image_bytes(files, size, inodes):
    """
    >>> image_bytes(20000, 4096, 170000) // host.MIB
    787
    """
    data = (ROOM + 1) * files * (-(-(size + 1024) // BLOCK) * BLOCK)
    return (data + inodes * (INODE + 128) + 256 * host.MIB) // host.MIB * host.MIB


def recipe(asked, kind):
    directories, size = shape(kind)
    inodes = inode_count(asked, directories)
    return Recipe(f"batch-{kind}", image_bytes(asked.files, size, inodes), ("-N", str(inodes)),
                  "noatime", filling(asked, directories, size),
                  f"{asked.files:,} files of {size:,} bytes in {directories:,} "
                  f"director{'y' if directories == 1 else 'ies'}, beside {asked.crowd:,} empty files",
                  f"{asked.files}-{asked.crowd}")


def filling(asked, directories, size):
    def fill(settings, top):
        for name, count, files, bytes_ in (("crowd", CROWD_DIRECTORIES, asked.crowd, 0),
                                           ("batch", directories, asked.files, size)):
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
