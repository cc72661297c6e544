# SPDX-License-Identifier: GPL-2.0-or-later
"""Operations: what is done to all files of a directory, a table. Measures nothing.

    list      each file's attributes
    copy      each file into another directory of the same filesystem
    tar       each file into an archive, which is thrown away
    create    as many files again in the same directory, under other names, in random order
    delete    each file

What writes ends when the filesystem is unmounted and the device is synced.
"""

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Job:
    settings: object
    device: str
    top: str                    # where it is mounted
    bytes: int                  # of a file
    order: str                  # of inorder
    names: str                  # file: paths below TOP that are to be created
    script: str                 # of e2bfo batch

    @property
    def directory(self):
        return f"{self.top}/flat"


@dataclass(frozen=True)
class Operation:
    key: str
    writes: bool
    ordered: bool               # reads the directory
    command: Callable           # Job -> list
    batch: str = ""             # what e2bfo batch does


def inorder(operation, *more):
    return lambda job: [job.settings.built("inorder"), operation, job.order, job.directory,
                        *(word.format(top=job.top) for word in more)]


def manyops(job):
    return [job.settings.built("manyops"), "create", job.top, job.names, job.bytes]


# A status of 1 says that e2itree has done something.
INDEXING = ('"$0" batch -q --commit-every auto "$2" "$3" && '
            '{ "$1" -p "$2" > /dev/null; [ $? -le 1 ]; }')


def batch(job, indexed):
    """By e2bfo; its index is brought up to date then."""
    if indexed:
        return ["sh", "-c", INDEXING, job.settings.e2bfo, job.settings.e2itree, job.device,
                job.script]
    return [job.settings.e2bfo, "batch", "-q", "--commit-every", "auto", job.device, job.script]


OPERATIONS = (
    Operation("list", False, True, inorder("list")),
    Operation("copy", True, True, inorder("copy", "{top}/copy")),
    Operation("tar", False, True, inorder("tar")),
    Operation("create", True, False, manyops, "put"),
    Operation("delete", True, True, inorder("delete"), "rm"),
)

KEYS = [o.key for o in OPERATIONS]
