# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows: what can be kept. Each names the inodes of the source that have it, and says for one of
them whether the copy has the same. Pure: works on what judges.py has read.

An inode is a dictionary of the fields of tests/oracle/manifest.c, and those that dbmanifest adds
("disk.…"). Hard links count once, by their first path; but in the rows `links` and `names` each
path counts.
"""

from dataclasses import dataclass
from typing import Callable

YEAR_2038 = 1 << 31
BLOCK = 4096


@dataclass(frozen=True)
class Row:
    key: str
    label: str
    has: Callable               # (inode) -> how many things (True is one)
    same: Callable              # (inode of source, inode of target) -> how many of them are same
    every_path: bool = False


@dataclass(frozen=True)
class Count:
    kept: int
    of: int

    @property
    def verdict(self):
        return "no" if not self.kept else "yes" if self.kept == self.of else "partly"


def equal(*keys):
    return lambda a, b: all(a.get(k) == b.get(k) for k in keys)


# ---- times ----

def seconds(inode, key):
    value = inode[key].partition(".")[0]
    return int(value) if value != "none" else 0


def has_fraction(key):
    """Fractions of a second, in years that are another row's business."""
    return lambda i: 0 <= seconds(i, key) < YEAR_2038 and not i[key].endswith(".000000000")


def same_seconds(key):
    return lambda a, b: seconds(a, key) == seconds(b, key)


def years(key, label, inside):
    """Each atime and each mtime inside; the seconds of it."""
    def there(i):
        return [k for k in ("atime", "mtime") if inside(seconds(i, k))]
    return Row(key, label, lambda i: len(there(i)),
               lambda a, b: sum(same_seconds(k)(a, b) for k in there(a)))


# ---- layout ----

def pieces(inode):
    """[(start, end, is_unwritten)], or None if the manifest has cut the list."""
    if "..." in inode["layout"]:
        return None
    out = []
    for piece in filter(None, inode["layout"].split(",")):
        start, _, length = piece.rstrip("u").partition("+")
        out.append((int(start), int(start) + int(length), piece.endswith("u")))
    return out


def holes(inode):
    """[(start, end)] before the end of the file."""
    at, out = 0, []
    end_of_file = -(-int(inode["size"]) // BLOCK) * BLOCK
    for start, end, _ in pieces(inode) + [(end_of_file, end_of_file, False)]:
        if at < min(start, end_of_file):
            out.append((at, min(start, end_of_file)))
        at = max(at, end)
    return out


def has_holes(inode):
    return inode["type"] == "f" and (pieces(inode) is None or bool(holes(inode)))


def holes_kept(a, b):
    """All are still holes; that there are more of them is no loss. Long lists: all the same."""
    if a["size"] != b["size"] or pieces(a) is None or pieces(b) is None:
        return equal("size", "layout")(a, b)
    return all(any(s <= start and end <= e for s, e in holes(b)) for start, end in holes(a))


def unwritten(inode):
    found = pieces(inode)
    return found and [(s, e) for s, e, is_unwritten in found if is_unwritten]


# ---- the rest ----

def xattrs(inode, prefix):
    return {k: v for k, v in inode.items() if k.startswith(f"xattr:{prefix}")}


def xattr_row(key, label, prefix):
    return Row(key, label, lambda i: bool(xattrs(i, prefix)),
               lambda a, b: xattrs(a, prefix) == xattrs(b, prefix))


def flags(inode):
    return int(inode.get("iflags") or inode.get("disk.flags", "0"), 16)


def is_big_device(inode):
    return any(int(n) > 255 for n in inode.get("rdev", "0:0").split(":"))


def target_length(inode):
    return int(inode["size"]) if inode["type"] == "l" else 0


def same_content(a, b):
    """What makes it the same file, apart from attributes."""
    return equal("type", "target", "rdev", "data")(a, b) and (
        a["type"] == "d" or a["size"] == b["size"])


def anything(_inode):
    return True


ROWS = (
    Row("data", "file contents", lambda i: i["type"] == "f" and i["size"] != "0",
        equal("size", "data")),
    Row("mtime-seconds", "mtime, seconds", has_fraction("mtime"), same_seconds("mtime")),
    Row("mtime", "mtime, ns", has_fraction("mtime"), equal("mtime")),
    Row("atime-seconds", "atime, seconds", has_fraction("atime"), same_seconds("atime")),
    Row("atime", "atime, ns", has_fraction("atime"), equal("atime")),
    Row("ctime", "ctime", anything, equal("ctime")),
    Row("crtime", "crtime", anything, equal("crtime")),
    years("after-2038", "times after 2038", lambda s: s >= YEAR_2038),
    years("before-1970", "times before 1970", lambda s: s < 0),
    Row("links", "hard links", lambda i: "link" in i, equal("link", "nlink"), every_path=True),
    Row("holes", "holes", has_holes, holes_kept),
    Row("unwritten", "unwritten extents", lambda i: i["type"] == "f" and bool(unwritten(i)),
        lambda a, b: unwritten(a) == unwritten(b)),
    Row("big-devices", "big device numbers", is_big_device, equal("type", "rdev")),
    Row("pipes", "fifos and sockets", lambda i: i["type"] in "ps", equal("type")),
    Row("wide-ids", "32-bit uid, gid", lambda i: max(int(i["uid"]), int(i["gid"])) > 65535,
        equal("uid", "gid")),
    xattr_row("acl", "ACLs", "system.posix_acl_"),
    xattr_row("xattr-user", "xattrs user.*", "user."),
    xattr_row("xattr-trusted", "xattrs trusted.*", "trusted."),
    xattr_row("xattr-security", "xattrs security.*", "security."),
    Row("flags", "inode flags", lambda i: flags(i) != 0, lambda a, b: flags(a) == flags(b)),
    # what is 0, or small, comes by itself
    Row("generation", "generation", lambda i: int(i["disk.gen"], 16) != 0, equal("disk.gen")),
    Row("version", "i_version, 64 bits", lambda i: int(i["disk.version"], 16) >> 32 != 0,
        equal("disk.version")),
    Row("project", "project id", lambda i: "disk.projid" in i, equal("disk.projid")),
    Row("names", "names of any bytes", lambda i: "\\x" in i["path"].rpartition("/")[2],
        equal("type"), every_path=True),
    Row("fast-symlinks", "fast symlinks", lambda i: 0 < target_length(i) < 60, equal("target")),
    Row("slow-symlinks", "slow symlinks", lambda i: target_length(i) >= 60, equal("target")),
)


def chosen(row, source):
    """The inodes (or paths) of the source that the row is about."""
    return [i for i in source.values()
            if (row.every_path or i.get("link", i["path"]) == i["path"]) and row.has(i)]


def count(row, source, target):
    """How many of them have arrived with what the row is about."""
    there = chosen(row, source)
    if not there:
        raise ValueError(f"the source has nothing for the row {row.key}")
    pairs = [(i, target.get(i["path"])) for i in there]
    return Count(sum(int(row.same(a, b)) for a, b in pairs if b and a["type"] == b["type"]),
                 sum(int(row.has(i)) for i in there))


def arrived(source, target):
    """Paths that lead to the same content; every filesystem has a root."""
    return {p for p, i in source.items()
            if p != "/" and p in target and same_content(i, target[p])}


def xattr_bytes(inode):
    """Of names and values, with what ext4 adds, about. Long values are LENGTH:SUM."""
    values = xattrs(inode, "")
    lengths = [int(v.partition(":")[0]) if ":" in v else len(v) // 2 for v in values.values()]
    return sum(lengths) + sum(len(k) + 20 for k in values)


def fits_small_blocks(inode):
    """Can it exist with blocks of 1 KB? Symlinks have one block, so have attributes; files have
    2^32 - 1."""
    return target_length(inode) < 1024 and xattr_bytes(inode) < 1000 and (
        inode["type"] != "f" or int(inode["size"]) < 1024 * ((1 << 32) - 1))
