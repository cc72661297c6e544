# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: what lists a directory, and what makes, remakes or checks an index, as tables.

Measures nothing. A reader is given a device, or, if it needs a mount, a directory; all of them
list the same names, and those with `stats` every file's attributes.
"""

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Job:
    device: str                 # the filesystem
    directory: str              # the directory in it, if it is mounted
    settings: object


@dataclass(frozen=True)
class Reader:
    key: str
    label: str
    indexed: bool               # reads the image with the index, else the one without
    mounted: bool
    stats: bool
    head: int                   # lines it prints beside the names'
    command: Callable           # Job -> list


@dataclass(frozen=True)
class Maker:
    key: str
    label: str
    indexed: bool               # what it is run on
    good_status: tuple
    command: Callable


def e2bfo_ls(job):
    return [job.settings.e2bfo, "ls", "-l", job.device, "/flat"]


def inorder(order):
    return lambda job: [job.settings.built("inorder"), "list", order, job.directory]


def ls(*options):
    return lambda job: ["ls", *options, job.directory]


READERS = [
    Reader("tree", "e2bfo ls -l, fresh index", True, False, True, 0, e2bfo_ls),
    Reader("notree", "e2bfo ls -l, no index: sorted", False, False, True, 0, e2bfo_ls),
    Reader("kernel-names", "kernel: ls -1U (names only)", False, True, False, 0, ls("-1U")),
    Reader("kernel-unsorted", "kernel: readdir, stat as it comes", False, True, True, 0,
           inorder("names")),
    Reader("kernel-ls", "kernel: ls -l", False, True, True, 1, ls("-ln")),
    Reader("kernel-sorted", "kernel: readdir all, sort by inode, stat", False, True, True, 0,
           inorder("sorted")),
]

MAKERS = [
    Maker("build", "e2itree -p", False, (1,),
          lambda job: [job.settings.e2itree, "-p", job.device]),
    Maker("trust", "e2itree -p --trust", False, (1,),
          lambda job: [job.settings.e2itree, "-p", "--trust", job.device]),
    Maker("fsck", "e2fsck -fyD", False, (0, 1),
          lambda job: ["e2fsck", "-fyD", job.device]),
    Maker("check", "e2itree -n", True, (0,),
          lambda job: [job.settings.e2itree, "-n", job.device]),
]

ROWS = [c.key for c in MAKERS + READERS]


def needs(settings):
    """Paths of the programs that the rows asked for are made with, ours only."""
    wanted = {key for key in ROWS if settings.wants(key)}
    paths = [settings.built(name) for name in ("measure", "mkflat", "firstline", "inorder")]
    if wanted & {"build", "trust", "check", "tree"}:
        paths.append(settings.e2itree)
    if wanted & {"tree", "notree"}:
        paths.append(settings.e2bfo)
    return paths
