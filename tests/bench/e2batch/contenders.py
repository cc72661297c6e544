# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: what is done to the files of a batch, one row for each operation and program.

Measures nothing. What the clock sees begins with a volume that nobody has opened, and ends with one
that is closed: who works through the kernel mounts and unmounts it in between.

    ours        e2bfo batch, e2bfo ls, e2bfo cat; extras/wordcount
    trust       e2bfo batch --trust: bitmaps are not compared with inodes, which nobody else does
    mount       a kernel's mount, one sync at the end
    each        the same, an fsync(2) for each file
    fuse        fuse2fs, one sync at the end
    debugfs     debugfs -w, a script

A key is OPERATION-GROUP; of batches of N operations, each of which is committed, batches-N-GROUP:
batched (libe2bfo, from memory, without that comparison), and a mount with a syncfs(2) after each
N, or, where N is 1, an fsync(2).
"""

from dataclasses import dataclass, replace

from e2bench import rows

from . import sets

OPERATIONS = ("create", "update", "append", "stat", "read", "remove", "words")
JUDGED = {"create": "created", "update": "updated", "append": "appended", "remove": "removed"}
APPENDED = 1024                 # bytes
SLOW = ("each", "fuse", "debugfs")      # they go file by file
SMALL = (1, 10, 100, 1000)      # operations a commit
LARGE = tuple(1 << n for n in range(7, 18))         # 128 ... 131,072
COMMITS, OF_ONE = 16, 200       # that are measured
PER_COMMIT = 100                # in a volume with many inodes


@dataclass(frozen=True)
class Place:
    """Where one run works."""
    device: str
    directory: str              # where it can be mounted
    new: str                    # list of files to be created
    old: str                    # list of those that are there, at random
    list: str                   # those of the row: the first of one of these
    data: str                   # a file: what is written
    more: str                   # a file: what is appended
    size: int
    work: str                   # for scripts
    manyops: str
    batched: str
    wordcount: str
    e2bfo: str
    e2bfo_args: str


@dataclass(frozen=True)
class Row(rows.Row):
    operation: str = ""
    count: int = 0              # of files, at most; 0: all
    every: int = 0              # operations a commit; 0: all


def size_of(operation):
    return str(APPENDED) if operation == "append" else "{size}"


def manyops(operation, each=""):
    return f"{{manyops}} {operation} {{directory}} {{list}} {size_of(operation)}{each}\n"


def mounted(operation, each=""):
    text = WORDS if operation == "words" else manyops(operation, each)
    return f"mount -o {options(operation)} {{device}} {{directory}}\n{text}umount {{directory}}"


def options(operation):
    return "noatime" if operation in JUDGED else "noatime,ro"



# It goes on writing after umount(8) has ended.
FUSE = ("fuse2fs -f -o {} {{device}} {{directory}} &\n"
        "until mountpoint -q {{directory}}; do kill -0 $!; sleep 0.01; done\n"
        "{}umount {{directory}}\nwait $!")

# A total comes after each call of wc(1).
WORDS = ("find {directory}/batch -type f -print0 | xargs -0 wc -w |\n"
         "awk '!($2 == \"total\" && NF == 2) {{ n += $1 }} END {{ print n, \"words\" }}'\n")

BATCH = {"create": "s,.*,put {data} &,", "update": "s,.*,write {data} &,",
         "append": "s,.*,append {more} &,", "remove": "s,.*,rm &,"}

OURS = {"stat": "{e2bfo} ls -dl {e2bfo_args} --files-from {list} {device} > /dev/null",
        "read": "{e2bfo} cat --batch {e2bfo_args} --files-from {list} {device} > /dev/null",
        "words": "{wordcount} {device} /batch"}

# Names of debugfs(8) are below its own directory when they are written, paths otherwise.
DEBUGFS = {"create": r"s,\(.*\)/\([^/]*\)$,cd \1\nwrite {data} \2,",
           "stat": "s,^,stat ,", "read": "s,^,cat ,", "remove": "s,^,rm ,"}


def ours(operation, how=""):
    if operation in OURS:
        return OURS[operation]
    return (f"sed '{BATCH[operation]}' {{list}} |\n"
            f"{{e2bfo}} batch -q{how} {{e2bfo_args}} {{device}}")


def debugfs(operation):
    writes = " -w" if operation in BATCH else ""
    return (f"sed '{DEBUGFS[operation]}' {{list}} > {{work}}/script\n"
            f"debugfs{writes} -f {{work}}/script {{device}} > {{work}}/said 2>&1")


def rows_of(operation):
    def row(group, label, programs, text):
        return Row(f"{operation}-{group}", f"{operation}, {label}", group, sets.PLAIN, programs,
                   text, operation=operation)

    yield row("ours", "wordcount" if operation == "words" else "e2bfo", ("e2bfo", "sed"),
              ours(operation))
    if operation in BATCH:
        yield row("trust", "e2bfo --trust", ("e2bfo", "sed"), ours(operation, " --trust"))
    yield row("mount", "mount, one sync" if operation in BATCH else "mount", ("mount",),
              mounted(operation))
    if operation == "words":
        return
    if operation in BATCH:
        yield row("each", "mount, fsync each", ("mount",), mounted(operation, " each"))
    yield row("fuse", "fuse2fs", ("fuse2fs",),
              FUSE.format("rw" if operation in JUDGED else "ro", manyops(operation)))
    if operation in DEBUGFS:
        yield row("debugfs", "debugfs", ("debugfs",), debugfs(operation))


def batched(every):
    return f"{{batched}} create {{device}} {{list}} {{size}} {every}"


def row_of_batches(every, group, kinds, label, text):
    return Row(f"batches-{every}-{group}", label, group, kinds, ("e2bfo",), text, "create",
               OF_ONE if every == 1 else COMMITS * every, every)


def rows_of_batches():
    for every in SMALL:
        yield row_of_batches(every, "ours", (sets.SIZES,), f"e2bfo, {every:,} a commit",
                             batched(every))
        how = "an fsync each" if every == 1 else f"a syncfs after {every:,}"
        yield row_of_batches(every, "mount", (sets.SIZES,), f"mount, {how}",
                             mounted("create", " each" if every == 1 else f" {every}"))
    for every in LARGE:
        yield row_of_batches(every, "ours", (sets.SIZES,), f"e2bfo, {every:,} a commit",
                             batched(every))


ROWS = (*(row for operation in OPERATIONS for row in rows_of(operation)), *rows_of_batches(),
        Row("names-ours", "create, e2bfo, from memory", "ours", (sets.NAMES,), ("e2bfo",),
            batched(0), "create"),
        Row("inodes-ours", f"create, e2bfo, {PER_COMMIT} a commit", "ours", sets.SPARSE,
            ("e2bfo",), batched(PER_COMMIT), "create", every=PER_COMMIT))

KEYS = [row.key for row in ROWS]


def sampled(rows_, count):
    """The same rows; those that would take hours do COUNT files, and say so.

    >>> [row.label for row in sampled(ROWS[:4], 5000)][-1], sampled(ROWS, 0) == ROWS
    ('create, mount, fsync each, 5,000 files', True)
    """
    return tuple(replace(row, count=count, label=f"{row.label}, {count:,} files")
                 if count and row.group in SLOW else row for row in rows_)
