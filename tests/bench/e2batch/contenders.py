# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: what is done to the files of a batch, one row for each operation and program.

Measures nothing. What the clock sees begins with a volume that nobody has opened, and ends with one
that is closed: who works through the kernel mounts and unmounts it in between.

    ours        e2bfo batch, e2bfo ls, e2bfo cat
    mount       a kernel's mount, one sync at the end
    each        the same, an fsync(2) for each file
    fuse        fuse2fs, one sync at the end
    debugfs     debugfs -w, a script

A key is OPERATION-GROUP.
"""

from dataclasses import dataclass

from e2bench import rows

from . import sets

OPERATIONS = ("create", "update", "append", "stat", "read", "remove")
JUDGED = {"create": "created", "update": "updated", "append": "appended", "remove": "removed"}
APPENDED = 1024                 # bytes


@dataclass(frozen=True)
class Place:
    """Where one run works."""
    device: str
    directory: str              # where it can be mounted
    new: str                    # list of files to be created
    old: str                    # list of those that are there, at random
    data: str                   # a file: what is written
    more: str                   # a file: what is appended
    size: int
    work: str                   # for scripts
    manyops: str
    e2bfo: str
    e2bfo_args: str


@dataclass(frozen=True)
class Row(rows.Row):
    operation: str = ""


def files_of(operation):
    return "{new}" if operation == "create" else "{old}"


def size_of(operation):
    return str(APPENDED) if operation == "append" else "{size}"


def manyops(operation, each=""):
    return (f"{{manyops}} {operation} {{directory}} {files_of(operation)} {size_of(operation)}"
            f"{each}\n")


def mounted(operation, each=""):
    return ("mount -o noatime {device} {directory}\n" + manyops(operation, each)
            + "umount {directory}")


# It goes on writing after umount(8) has ended.
FUSE = ("fuse2fs -f -o rw {{device}} {{directory}} &\n"
        "until mountpoint -q {{directory}}; do kill -0 $!; sleep 0.01; done\n"
        "{}umount {{directory}}\nwait $!")

BATCH = {"create": "s,.*,put {data} &,", "update": "s,.*,write {data} &,",
         "append": "s,.*,append {more} &,", "remove": "s,.*,rm &,"}

OURS = {"stat": "{e2bfo} ls -dl {e2bfo_args} --files-from {old} {device} > /dev/null",
        "read": "{e2bfo} cat --batch {e2bfo_args} --files-from {old} {device} > /dev/null"}

# Names of debugfs(8) are below its own directory when they are written, paths otherwise.
DEBUGFS = {"create": r"s,\(.*\)/\([^/]*\)$,cd \1\nwrite {data} \2,",
           "stat": "s,^,stat ,", "read": "s,^,cat ,", "remove": "s,^,rm ,"}


def ours(operation):
    if operation in OURS:
        return OURS[operation]
    return (f"sed '{BATCH[operation]}' {files_of(operation)} |\n"
            "{e2bfo} batch -q {e2bfo_args} {device}")


def debugfs(operation):
    writes = " -w" if operation in BATCH else ""
    return (f"sed '{DEBUGFS[operation]}' {files_of(operation)} > {{work}}/script\n"
            f"debugfs{writes} -f {{work}}/script {{device}} > {{work}}/said 2>&1")


def rows_of(operation):
    def row(group, label, programs, text):
        return Row(f"{operation}-{group}", f"{operation}, {label}", group, sets.KINDS, programs,
                   text, operation=operation)

    yield row("ours", "e2bfo", ("e2bfo", "sed"), ours(operation))
    yield row("mount", "mount, one sync", ("mount",), mounted(operation))
    if operation in BATCH:
        yield row("each", "mount, fsync each", ("mount",), mounted(operation, " each"))
    yield row("fuse", "fuse2fs", ("fuse2fs",), FUSE.format(manyops(operation)))
    if operation in DEBUGFS:
        yield row("debugfs", "debugfs", ("debugfs",), debugfs(operation))


ROWS = tuple(row for operation in OPERATIONS for row in rows_of(operation))

KEYS = [row.key for row in ROWS]
