# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells: directories, and the memory that there is, to which all operations are done. Measures
nothing.

    clean    files made in the order of their names
    aged     files of 4 KB: made at random by one of two interleaved writers, a third of them
             erased, some made again (mkflat aged); empty files: made at random, a fifth of them
             erased and as many made anew (mkflat churned)
    free     all memory of the machine
    limit    LIMIT_MB of it, caches included

What is done by default is DEFAULT, and READ by programs: a subset that ends within half an hour on
two cores that others use, too.  Each operation, variant, state and kind of memory is in it; larger
directories have the four variants that the question is about.
"""

from dataclasses import dataclass

from . import operations, readers, variants

SIZES_OF_FILES = (4096, 0)
SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
ALL = tuple(operations.KEYS)


@dataclass(frozen=True)
class Set:
    """A directory."""
    files: int
    bytes: int
    state: str

    @property
    def name(self):
        return f"{self.files}-{self.bytes}-{self.state}"

    @property
    def words(self):
        """
        >>> Set(10000, 0, "aged").words, Set(10000, 4096, "clean").words
        ('10,000 empty files, aged', '10,000 files of 4 KB, clean')
        """
        kind = "files of 4 KB" if self.bytes else "empty files"
        return f"{self.files:,} {kind}, {self.state}"


@dataclass(frozen=True)
class Cell:
    set: Set
    memory: str
    operations: tuple
    variants: tuple = tuple(variants.KEYS)

    @property
    def name(self):
        return f"{self.set.name}-{self.memory}"


FEW = ("kernel", "sorted", "index", "copied")

DEFAULT = (
    Cell(Set(10_000, 4096, "aged"), "free", ALL),
    Cell(Set(10_000, 4096, "clean"), "free", ("list", "copy", "tar"), FEW),
    Cell(Set(100_000, 4096, "aged"), "free", ("list", "tar"), FEW),
    Cell(Set(100_000, 4096, "aged"), "limit", ("list", "tar"), FEW),
    Cell(Set(1_000_000, 0, "aged"), "free", ("list", "tar"), FEW),
)


# Which programs read which directories.
READ = (
    (Set(100_000, 4096, "aged"), ("tar", "ls-U", "scandir", "mail", "cp", "find")),
    (Set(100_000, 4096, "clean"), ("tar", "mail")),
)


def product(asked):
    return [Cell(Set(files, size, state), memory, ALL)
            for files in asked.files or SIZES for size in asked.bytes for state in asked.states
            for memory in asked.memory]


def wanted(asked):
    """Cells, those of a set together."""
    cells = product(asked) if asked.full or asked.files else DEFAULT
    return [Cell(c.set, c.memory, tuple(o for o in c.operations if o in asked.operations),
                 tuple(v for v in c.variants if v in asked.variants))
            for c in cells if c.set.bytes in asked.bytes and c.set.state in asked.states
            and c.memory in asked.memory]


def read_sets(asked):
    """[(directory, keys of the programs that read it)]; of 10,000 files only if asked for."""
    if asked.files or asked.full:
        pairs = [(Set(files, size, state), tuple(readers.KEYS))
                 for files in asked.files or SIZES[1:]
                 for size in SIZES_OF_FILES for state in ("aged", "clean")]
    else:
        pairs = READ
    return [(one, tuple(key for key in keys if key in asked.readers)) for one, keys in pairs
            if one.bytes in asked.bytes and one.state in asked.states]
