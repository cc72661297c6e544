# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows: kinds of things that a reader can keep, lose or complain of. Pure.

Which inodes have it, and whether it is the same, is said as in e2peers/rows.py. What a reader
says belongs to the row whose pattern it matches.
"""

import unicodedata
from dataclasses import dataclass

from e2peers import rows
from e2peers.rows import Row, equal, seconds

CAPABILITY = "security.capability"
KEYWORD = "unknown extended header keyword "


@dataclass(frozen=True)
class Kind(Row):
    said: str = ""              # a regular expression
    source: str = "oddities"


# ---- names ----

def is_apart(inode):
    """Sockets and the root have rows of their own."""
    return inode["type"] == "s" or inode["path"] == "/"


def unescaped(text):
    return text.encode("ascii").decode("unicode_escape").encode("latin-1")


def name_of(inode):
    """As the archive has it."""
    return unescaped(inode["path"][1:]) + b"/" * (inode["type"] == "d")


def target_of(inode):
    return unescaped(inode["target"])


def fits(name):
    """Into the ustar header.

    >>> fits(b"n" * 100), fits(b"n" * 101), fits(b"d" * 150 + b"/" + b"n" * 99)
    (True, False, True)
    """
    return len(name) <= 100 or any(
        name[at:at + 1] == b"/" and 1 <= len(name) - at - 1 <= 100 for at in range(1, 156))


def is_text(name):
    try:
        name.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def in_record(inode):
    is_sparse = inode["type"] == "f" and (rows.has_holes(inode) or bool(rows.unwritten(inode)))
    return is_sparse or not fits(name_of(inode))


def is_composed(name):
    return not is_text(name) or unicodedata.is_normalized("NFC", name.decode("utf-8"))


def names(key, label, wanted, **more):
    """Every path; those of sockets are another row's."""
    return Kind(key, label, lambda i: not is_apart(i) and wanted(name_of(i), in_record(i)),
                equal("type"), every_path=True, **more)


def letters(key, label, wanted, **more):
    """Of the source that has nothing else."""
    return names(key, label, lambda n, record: record and wanted(n), source="letters", **more)


def targets(key, label, wanted, **more):
    return Kind(key, label, lambda i: i["type"] == "l" and wanted(target_of(i)), equal("target"),
                **more)


# ---- attributes ----

def attributes(inode, wanted):
    return {k: v for k, v in inode.items()
            if k.startswith("xattr:") and wanted(k.removeprefix("xattr:"), v)}


def attribute_row(key, label, wanted, **more):
    """Those that are wanted are there, with their values."""
    def same(a, b):
        return all(b.get(k) == v for k, v in attributes(a, wanted).items())
    return Kind(key, label, lambda i: bool(attributes(i, wanted)), same, **more)


def is_odd(name):
    return "\\x3d" in name or "%" in name


def plain(prefix):
    return lambda name, value: name.startswith(prefix) and not is_odd(name) and value != ""


def has_zero(name, value):
    """A short one, which the manifests show whole."""
    return not is_acl(name) and not is_odd(name) and name != CAPABILITY and ":" not in value and (
        0 in bytes.fromhex(value))


def is_acl(name):
    return name.startswith("system.posix_acl_")


def has_large_number(value):
    """In an ACL that the manifests show whole: entries of 16 digits, the number is the last 8."""
    numbers = [int.from_bytes(bytes.fromhex(value[at + 8:at + 16]), "little")
               for at in range(8, len(value) - 15, 16)] if ":" not in value else []
    return any(1 << 31 <= n < (1 << 32) - 1 for n in numbers)


# ---- the rest ----

def is_wide(inode):
    return max(int(inode["uid"]), int(inode["gid"])) > 2097151


def is_large(inode):
    return int(inode["size"]) >= 8 << 30


def time_row(name, key, label, wanted, same, **more):
    """Those whose seconds, and having a fraction or not, are WANTED."""
    def has(i):
        return not is_apart(i) and i["type"] != "l" and wanted(
            seconds(i, name), not i[name].endswith(".000000000"))
    return Kind(key, label, has, same, **more)


def all_of(key, label, has, same, **more):
    return Kind(key, label, lambda i: not is_apart(i) and has(i), same, **more)


def of_peers(key, label, said=""):
    """A row that e2peers has, too."""
    row, = (row for row in rows.ROWS if row.key == key)
    return all_of(key, label, row.has, row.same, every_path=row.every_path, said=said)


def root_row(key, label, same):
    return Kind(key, label, lambda i: i["path"] == "/", same)


NOW = 1 << 31                   # what is later, readers may take for a mistake

NO_PATH = "Pathname can't be converted from UTF-8 to current locale"
NO_TARGET = "Linkname can't be converted from UTF-8 to current locale"

ROWS = (
    names("names", "names, UTF-8", lambda n, record: is_text(n) and not record),
    names("names-bytes", "names, not UTF-8", lambda n, record: not is_text(n) and not record),
    names("letters", "names, letters not composed",
          lambda n, record: not is_composed(n) and not record, source="letters"),
    names("records", "names in records, ASCII", lambda n, record: record and n.isascii()),
    names("records-bytes", "names in records, not UTF-8",
          lambda n, record: record and not is_text(n), said=f"{KEYWORD}'hdrcharset'|{NO_PATH}"),
    letters("records-letters", "names in records, UTF-8",
            lambda n: not n.isascii() and is_composed(n), said=NO_PATH),
    letters("not-composed", "names in records, not composed", lambda n: not is_composed(n),
            said=NO_PATH),
    targets("targets", "targets of links", lambda n: len(n) <= 100),
    targets("targets-bytes", "targets in records, not UTF-8",
            lambda n: len(n) > 100 and not is_text(n), said=NO_TARGET),
    targets("targets-letters", "targets in records, UTF-8", is_composed, source="letters",
            said=NO_TARGET),
    targets("targets-not-composed", "targets in records, not composed",
            lambda n: not is_composed(n), source="letters", said=NO_TARGET),
    all_of("data", "contents", lambda i: i["type"] == "f" and 0 < int(i["size"]) <= 1 << 30,
           equal("size", "data")),
    all_of("large", "sizes of 8 GiB and more", lambda i: i["type"] == "f" and is_large(i),
           equal("size")),
    of_peers("holes", "holes"),
    all_of("modes", "permissions", rows.anything, equal("mode")),
    all_of("owners", "owners", lambda i: not is_wide(i), equal("uid", "gid")),
    all_of("wide", "owners above 2097151", is_wide, equal("uid", "gid")),
    time_row("mtime", "mtime", "mtime, seconds", lambda s, _: 0 <= s < NOW,
             rows.same_seconds("mtime")),
    time_row("mtime", "mtime-ns", "mtime, ns", lambda s, parts: 0 <= s < NOW and parts,
             equal("mtime")),
    time_row("mtime", "old", "mtime before 1970, seconds", lambda s, parts: s < 0 and not parts,
             equal("mtime"), said="implausibly old time stamp"),
    time_row("mtime", "old-ns", "mtime before 1970, ns", lambda s, parts: s < 0 and parts,
             equal("mtime"), said="implausibly old time stamp"),
    time_row("mtime", "late", "mtime after 2038, seconds", lambda s, _: s >= NOW,
             rows.same_seconds("mtime"), said="time stamp .* s in the future"),
    all_of("mtime-links", "mtime of symbolic links",
           lambda i: i["type"] == "l" and seconds(i, "mtime") >= 0, rows.same_seconds("mtime")),
    time_row("atime", "atime", "atime, seconds", lambda s, _: s >= 0, rows.same_seconds("atime")),
    time_row("atime", "atime-ns", "atime, ns", lambda s, parts: s >= 0 and parts, equal("atime")),
    all_of("ctime", "ctime", rows.anything, equal("ctime")),
    all_of("crtime", "birth time", rows.anything, equal("crtime"),
           said=f"{KEYWORD}'LIBARCHIVE.creationtime'"),
    attribute_row("user", "xattrs user.*", plain("user.")),
    attribute_row("trusted", "xattrs trusted.*", plain("trusted.")),
    attribute_row("security", "xattrs security.*",
                  lambda n, v: plain("security.")(n, v) and n != CAPABILITY),
    attribute_row("capability", "capabilities", lambda n, _: n == CAPABILITY),
    attribute_row("empty", "xattrs, empty", lambda n, v: v == "" and not is_acl(n)),
    attribute_row("binary", "xattrs with bytes 0", has_zero),
    attribute_row("odd", "xattrs, = and % in names", lambda n, _: is_odd(n)),
    attribute_row("many", "1 MiB of xattrs", lambda n, _: n.startswith("user."),
                  source="attributes", said=f"^(?!.*{KEYWORD}).+"),
    Kind("behind", "what follows these", lambda i: i["path"] == "/full/behind",
         equal("size", "data"), source="attributes"),
    attribute_row("acl", "ACLs", lambda n, v: is_acl(n) and not has_large_number(v)),
    attribute_row("acl-large", "ACLs, numbers above 2³¹", lambda n, v: is_acl(n) and
                  has_large_number(v)),
    all_of("links", "hard links", lambda i: "link" in i and i["type"] != "l",
           equal("link", "nlink"), every_path=True),
    all_of("links-links", "hard links of symbolic links", lambda i: "link" in i and
           i["type"] == "l", equal("link", "nlink"), every_path=True),
    all_of("devices", "devices", lambda i: i["type"] in "bc", equal("type", "rdev")),
    all_of("fifos", "fifos", lambda i: i["type"] == "p", equal("type")),
    Kind("sockets", "sockets", lambda i: i["type"] == "s", equal("type", "link"), every_path=True,
         said=f"{KEYWORD}'E2BFO.socket'"),
    root_row("root", "owner, mode, xattrs of the root", lambda a, b: (
        equal("mode", "uid", "gid")(a, b) and rows.xattrs(a, "") == rows.xattrs(b, ""))),
    root_row("root-mtime", "mtime of the root", equal("mtime")),
    of_peers("flags", "flags", said=f"{KEYWORD}'(SCHILY.fflags|E2BFO.flags)'|[Cc]annot set.*flags"),
    all_of("no-flags", "no flags where none were", lambda i: not rows.flags(i),
           lambda a, b: not rows.flags(b)),
    of_peers("project", "project", said=f"{KEYWORD}'E2BFO.project'"),
    of_peers("unwritten", "preallocation", said=f"{KEYWORD}'E2BFO.unwritten'"),
    of_peers("generation", "generation", said=f"{KEYWORD}'E2BFO.generation'"),
    of_peers("version", "i_version, 64 bits", said=f"{KEYWORD}'E2BFO.version'"),
)
# Of one list, which no row of the above is about
LISTED = Kind("listed", "names in a list (-t)", lambda i: i["type"] != "s", lambda a, b: True,
              every_path=True)
# What says no more than the exit status does
EMPTY = "Error exit delayed from previous errors"
# Exit status: what it is about, by source
ENDINGS = {"oddities": "exit status", "letters": "exit status, names not ASCII",
           "attributes": "exit status, 1 MiB of xattrs"}
