# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims: what the four papers have, mechanism by mechanism, and where it is here.

Measures nothing.  A number is looked up in docs/benchmarks.md when the page is made; Said is for
what cannot be looked up, as there is no number.
"""

from dataclasses import dataclass

from . import record

LARGE, BATCH = "batch-large", "make bench-batch"


@dataclass(frozen=True)
class Times:
    """How many times less FAST takes than SLOW."""
    mark: str
    head: str
    slow: str
    fast: str
    column: str
    what: str               # is said in front

    def text(self, tables):
        slow, fast = (record.look_up(tables, self.mark, self.head, row, self.column)
                      for row in (self.slow, self.fast))
        ratio = slow / fast
        return f"{self.what} {ratio:.{int(ratio < 10)}f} ×"


@dataclass(frozen=True)
class Less:
    """By what part FAST is less than SLOW."""
    mark: str
    head: str
    slow: str
    fast: str
    column: str
    what: str

    def text(self, tables):
        slow, fast = (record.look_up(tables, self.mark, self.head, row, self.column)
                      for row in (self.slow, self.fast))
        return f"{self.what} {100 * (fast / slow - 1):+.0f} %".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Said:
    words: str

    def text(self, _):
        return self.words


@dataclass(frozen=True)
class Claim:
    what: str
    where: str
    differs: str = ""
    paper: str = ""
    ours: tuple = ()
    by: str = ""


@dataclass(frozen=True)
class Paper:
    title: str
    about: str
    claims: tuple


def batch(operation, other="mount, one sync", head="1000x4096", column="disk, s", what="disk"):
    return Times(LARGE, head, f"{operation}, {other}", f"{operation}, e2bfo", column, what)


def both(operation, other="mount, one sync"):
    return (batch(operation, other), batch(operation, other, column="SSD, s", what="SSD"))


BFO = Paper(
    "Batch-file operations (MSST 2019)",
    "Reading and writing many files as one batch, in the order of the disk.",
    (Claim("batch read in two phases: inodes in order, then data in the order of the disk",
           "lib/gather/batch.c, lib/job/batch_read.c; `e2bfo batch`, libe2bfo",
           "a batch is what fits into memory; segments are merged over gaps (--read-gap)",
           "random 4 KB: 22.4 × on a disk, 1.8 × on an SSD", both("read", "mount"), BATCH),
     Claim("batch write: all data of a batch in as few extents as possible, inodes afterwards",
           "lib/commit/commit.c, lib/edit; `e2bfo copy`, `e2bfo batch`",
           "the stem is free space, not the blocks of an inode; one transaction makes it live",
           "create: metadata once per batch",
           (batch("create"), Times(LARGE, "1000x4096", "create, mount, one sync", "create, e2bfo",
                                   "cold, s", "clock")), BATCH),
     Claim("updates go out of place", "lib/edit/content.c; `e2bfo batch`", "",
           "random 4 KB: 111.4 ×, RAID 71.8 ×, SSD 2.9 ×", both("update"), BATCH),
     Claim("append", "lib/edit/content.c; `e2bfo batch`", "", "a case of batch write",
           both("append"), BATCH),
     Claim("copies between disks: reading and writing overlap", "lib/move/pipe.c; `e2bfo copy`", "",
           "kernel tree: −46.6 % against cp -a on one disk",
           (Less("report", "kernel", "cp -a", "e2bfo copy", "s", "clock, two devices"),
            Less("report", "kernel", "cp -a", "e2bfo copy", "disk, s", "disk")),
           "make bench-copy"),
     Claim("tar of a tree", "lib/export; `e2bfo copy DEVICE tar:FILE`",
           "the archive is in the order of the disk", "create +109 %",
           (Times("extract", "kernel", "tar -cf -, cat > /dev/null",
                  "e2bfo copy DEVICE tar:-, cat > /dev/null", "cold, s", "clock"),),
           "make bench-extract"),
     Claim("a tree of a tar", "lib/intake; `e2bfo copy FILE.tar TARGET`", "", "extract +75 %",
           (Times("populate", "archive", "mke2fs, mount, tar -x", "e2bfo copy --mkfs tree.tar",
                  "cold, s", "clock"),), "make bench-populate"),
     Claim("WordCount", "libe2bfo; tests/bench/manyops.c, wordcount",
           "files of a batch, not 7,850 files of 195 MB", "+16 %",
           (Times(LARGE, "1000x4096", "words, mount", "words, wordcount", "disk, s", "disk"),
            Times(LARGE, "1000x4096", "words, mount", "words, wordcount", "cold, s", "clock")),
           BATCH),
     Claim("transfer", "lib/export/send.c, lib/intake/stream_in.c; `e2bfo send`, `e2bfo receive`",
           "a stream that any pipe carries", "GridFTP +81 %",
           (Times("send", "flat, ssh", "globus-url-copy -r, in the clear", "e2bfo send, receive",
                  "cold, s", "clock, loopback,"),), "make bench-send"),
     ))

CLEAN, AGED = "10,000 files of 4 KB, clean", "10,000 files of 4 KB, aged"


def ordered(operation, row="by index, preload"):
    return tuple(Times("thesis", head, "kernel order", row, f"{operation}: disk", what)
                 for head, what in ((CLEAN, "clean: disk"), (AGED, "aged: disk")))


THESIS = "make bench-thesis"
ITREE = Paper(
    "itree: an auxiliary inode-ordered directory index (master's thesis, 2013)",
    "A second tree per directory, whose order is that of inode numbers.",
    (Claim("the tree: nodes, leaves, bulk load", "lib/itree; `e2itree`; itree(5)",
           "it stands in a file, /.e2itree: its place on disk and its feature bits are others' "
           "today; a leaf begins with 8 bytes, not 6", "227 entries a node", (Said("the same"),)),
     Claim("insert, delete, merged leaves", "lib/itree/insert.c, delete.c, change.c; lib/edit",
           "offline: batches and e2itree -p change the tree in their transaction",
           "create +40 % at 5,000,000",
           (Less("thesis", AGED, "e2bfo batch", "e2bfo batch, e2itree -p", "create: disk",
                 "10,000: disk"),), THESIS),
     Claim("rebuilt during a file system check", "`e2itree -p`",
           "where few names changed, in place: see docs/benchmarks.md"),
     Claim("readdir in the order of the tree: copy", "`e2itree-run`, libe2itree-readdir.so",
           "a preload, as a stock kernel has no such index", "28 minutes, not 6 h 28: 14 ×",
           ordered("copy"), THESIS),
     Claim("... tar", "the same", "aged data do not lie in the order of inode numbers",
           "8 to 14 ×", ordered("tar"), THESIS),
     Claim("... traversal", "the same",
           "today's kernel reads inode tables ahead, so that memory hides the order", "8 ×",
           (Times("thesis", "100,000 files of 4 KB, aged, 64 MiB", "kernel order",
                  "by index, preload", "list: disk", "aged, 64 MiB of memory: disk"),), THESIS),
     Claim("... delete", "the same", "", "3 × up to 1,500,000",
           (Times("thesis", AGED, "kernel order", "by index, preload", "delete: disk",
                  "aged, 10,000: disk"),), THESIS),
     Claim("sorted in user space, in buffers", "tests/bench/inorder.c; libe2itree-readdir.so",
           "what the preload does where there is no index", "1,000, 10,000, 50,000 names",
           (Times("thesis", AGED, "kernel order", "runs of 1,000", "tar: disk",
                  "aged, 1,000: disk"),), THESIS),
     Claim("inodes in the order of hashes", "lib/plan/depth_first.c; `e2bfo copy`",
           "exact, offline: numbers and data follow the order in which a kernel will list them",
           "approximated online", ordered("tar", "after e2bfo copy"), THESIS),
     ))

CFFS = Paper(
    "CFFS: composite files (FAST 2016)",
    "Small files that are used together share one inode, and their contents lie in one piece.",
    (Claim("composite files: one inode, common attributes once, a table of members",
           "lib/pack; `e2bfo pack`, `e2bfo unpack`; e2pack(5)",
           "the table stands in the file, as cp and tar drop attributes; a stock kernel sees one "
           "opaque file", "about 20 % fewer I/Os"),
     Claim("a file system that sees through", "lib/view; `e2bfo mount`",
           "read-only; ls, cat, hash, verify, send and copies see through, too; permissions are "
           "those that all members have in common, as a stock kernel has no check on open of its own"),
     Claim("membership is reconciled as files change", "`e2bfo pack --update`; `e2bfo batch`",
           "offline: in the commit that changes a member, and daily"),
     Claim("membership by directory", "`e2bfo pack`; `e2bfo copy --order dir`", "",
           "web: +15 % hits"),
     Claim("membership by references", "lib/mine/refs*.c; `--order refs` of pack and copy",
           "groups of makefiles go by target, not by binary", "web: −20 % time, 62 % hits"),
     Claim("membership by frequency mining",
           "lib/mine/mine.c, sequences.c; `--order trace`, likewise",
           "ordered sequences; support and batches as there", "development: −27 %"),
     ))


def made_durable(operation):
    return tuple(Times("batch", "1000x4096", f"{operation}, mount, fsync each",
                       f"{operation}, e2bfo", column, unit)
                 for column, unit in (("disk, s", "disk"), ("cold, s", "clock")))


PVFS = Paper(
    "Small-file access in parallel file systems (IPDPS 2009)",
    "Fewer messages, fewer flushes and fewer objects for each small file.",
    (Claim("precreate: objects made in bulk", "lib/edit/supply.c; `e2bfo batch`",
           "inodes of a batch are taken at once; nothing is made ahead of its use",
           "create +905 %", made_durable("create"), BATCH),
     Claim("commits coalesced", "lib/commit/transaction.c; `e2bfo batch --commit-every`",
           "a commit for each batch, however large", "sync is 70 % of a create",
           made_durable("update"), BATCH),
     Claim("remove in bulk", "lib/job/batch_remove.c", "", "remove +727 %",
           made_durable("remove"), BATCH),
     Claim("stat in bulk, readdirplus", "lib/job/readdir*.c; `e2bfo ls`, `e2bfo batch`", "",
           "stat +1,106 %; 12,000 files: 9.65 s to 2.72",
           (batch("stat", "mount"), batch("stat", "mount", column="cold, s", what="clock")), BATCH),
     Claim("stuffing: the first bytes lie with the metadata", "lib/plan/inline.c",
           "inline_data of ext4, kept by copies and made with --mkfs='-O inline_data'",
           "4.1 ms once, to unstuff"),
     Claim("eager I/O: small payloads travel with the request", "lib/export/send*.c; `e2bfo send`",
           "small files stand back to back in large frames, whatever their size", "+115 %, +77 %"),
     ))

PAPERS = (BFO, ITREE, CFFS, PVFS)
