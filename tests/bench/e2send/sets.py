# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the volumes that are sent, each made once and kept, and over which links each goes.

Measures nothing.

    kernel       a source tree, as tar unpacks it
    flat         one directory of files of 4 KB, written in the order of their names
    aged         the same after interleaved writes and deletions
    big          8 large files
    many         one directory of files of 100 bytes, created in random order
"""

from dataclasses import dataclass

from e2bench import recipes
from e2bench.datasets import GIB, Recipe, flat
from e2bench.rows import Set

from . import links

KINDS = ("kernel", "flat", "aged", "big", "many")
MIB = 1 << 20
TINY = 100                      # bytes


@dataclass(frozen=True)
class Crossing(Set):
    """A set and a link; its kind is the link's name."""
    data: str = ""              # of KINDS

    @property
    def link(self):
        return links.BY_NAME[self.kind]


def many(count):
    return Recipe(f"tiny-{count}", GIB + count // 200 * MIB, recipes.inodes_for(count),
                  "noatime,nodelalloc", flat(count, TINY, "random"),
                  f"one directory, {count:,} files of {TINY} bytes, created in random order",
                  group="many")


def all_recipes(asked):
    count = asked.aged_files
    return {"kernel": recipes.kernels(asked.base)[0], "flat": recipes.fresh_flat(count),
            "aged": recipes.aged_flat(count), "big": recipes.big(asked.base),
            "many": many(asked.many_files)}


def crosses(data, link):
    """Whether this set goes over that link.

    >>> [name for name in links.NAMES if crosses("kernel", name)]
    ['pipe', 'ssh', '1g', '100m']
    >>> [name for name in links.NAMES if crosses("big", name)]
    ['pipe', 'ssh', '1g']
    >>> [name for name in links.NAMES if crosses("many", name)]
    ['100m']
    """
    return data == "kernel" or (data == "many") == (link == links.SLOW)


def wanted(asked):
    return [Crossing(f"{data}, {link}", link, recipe, data)
            for data, recipe in all_recipes(asked).items() if asked.wants_set(data)
            for link in asked.links if crosses(data, link)]
