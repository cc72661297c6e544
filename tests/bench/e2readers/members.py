# SPDX-License-Identifier: GPL-2.0-or-later
"""Members: what libraries tell of an archive, as trees such as e2peers.judges has. Pure.

Two trees: what the library itself has understood (`understood`, its fields), and what somebody can
who reads the records that it hands over as e2bfo-tar(5) says (`recorded`).
"""

import json
import re
import struct
from decimal import ROUND_FLOOR, Decimal

KINDS = {"0": "f", "5": "d", "2": "l", "3": "c", "4": "b", "6": "p"}
ACL_TAGS = {"user": (1, 2), "group": (4, 8), "mask": (16, 16), "other": (32, 32)}
WORD = (1 << 64) - 1


# ---- as the manifests have it ----

def escaped(name):
    r"""
    >>> escaped(b"a b=\xff")
    'a\\x20b\\x3d\\xff'
    """
    return "".join(chr(c) if 0x20 < c < 0x7f and c not in b"\\=" else f"\\x{c:02x}" for c in name)


def path_of(name):
    """
    >>> path_of(b"./"), path_of(b"etc/"), path_of(b"etc/a b")
    ('/', '/etc', '/etc/a\\\\x20b')
    """
    name = name.rstrip(b"/")
    return "/" if name in (b".", b"") else "/" + escaped(name)


def value_of(value):
    """An attribute's value: itself or, if it is long, length and sum (judge.h).

    >>> value_of(b"ab")
    '6162'
    """
    if len(value) <= 64:
        return value.hex()
    a, b = 1, 2
    whole = len(value) // 8 * 8
    words = [w for (w,) in struct.iter_unpack("<Q", value[:whole])]
    rest = value[whole:]
    words.append(int.from_bytes(rest, "little") ^ len(rest) << 56)
    for w in words:
        a ^= w * 0x9E3779B185EBCA87 & WORD
        a = ((a << 31 | a >> 33) & WORD) * 0xC2B2AE3D27D4EB4F & WORD
        b = ((b << 23 | b >> 41) + w & WORD) * 0xD6E8FEB86659FD93 & WORD
    a = (a ^ a >> 33) * 0xFF51AFD7ED558CCD & WORD
    b = (b ^ b >> 31) * 0xC4CEB9FE1A85EC53 & WORD
    return f"{len(value)}:{a ^ a >> 29:016x}{b ^ b >> 32:016x}"


def time_of(text):
    """
    >>> time_of("-0.8"), time_of("5"), time_of("7.25")
    ('-1.200000000', '5.000000000', '7.250000000')
    """
    nsec = int((Decimal(text) * 10**9).to_integral_value(ROUND_FLOOR))
    return f"{nsec // 10**9}.{nsec % 10**9:09d}"


def acl_of(text):
    """The kernel's form of an access control list.

    >>> acl_of("user::rw-,user:7:r--:7,other::---")[:32]
    '0200000001000600ffffffff02000400'
    """
    out = [struct.pack("<I", 2)]
    for entry in text.split(","):
        tag, _, bits, *number = entry.split(":")
        who = int(number[0]) if number else 0xffffffff
        out.append(struct.pack("<HHI", ACL_TAGS[tag][bool(number)],
                               sum(4 >> i for i in range(3) if bits[i] != "-"), who))
    return value_of(b"".join(out))


def unwritten_of(text):
    """
    >>> unwritten_of("0,4096;8192,10")
    '0+4096u,8192+10u'
    """
    return ",".join("{}+{}u".format(*piece.split(",")) for piece in text.split(";"))


# ---- records ----

def attribute_name(key):
    r"""Without the prefix, and decoded.

    >>> attribute_name(b"SCHILY.xattr.user.a%3Db%25")
    b'user.a=b%'
    """
    return re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()),
                  key.removeprefix(b"SCHILY.xattr."))


def fields_of(records):
    """Fields of an inode, of {key: value}, both bytes. Keys of other meanings give none."""
    out = {}
    for key, value in records.items():
        if key.startswith(b"SCHILY.xattr."):
            out["xattr:" + escaped(attribute_name(key))] = value_of(value)
        elif key in FIELDS:
            name, convert = FIELDS[key]
            out[name] = convert(value.decode("ascii"))
    return out


FIELDS = {
    b"uid": ("uid", str), b"gid": ("gid", str),
    b"mode": ("mode", lambda text: f"{int(text, 8) & 0o7777:04o}"),
    b"mtime": ("mtime", time_of), b"atime": ("atime", time_of), b"ctime": ("ctime", time_of),
    b"LIBARCHIVE.creationtime": ("crtime", time_of),
    b"SCHILY.acl.access": ("xattr:system.posix_acl_access", acl_of),
    b"SCHILY.acl.default": ("xattr:system.posix_acl_default", acl_of),
    b"E2BFO.generation": ("disk.gen", lambda text: f"{int(text):08x}"),
    b"E2BFO.version": ("disk.version", lambda text: f"{int(text):x}"),
    b"E2BFO.project": ("disk.projid", str),
    b"E2BFO.flags": ("iflags", str),
    b"E2BFO.unwritten": ("layout", unwritten_of),
}


def sequence(value):
    r"""Records in a value.

    >>> sequence(b"7 a=bc\n6 d=\0\n")
    {b'a': b'bc', b'd': b'\x00'}
    """
    out = {}
    while value:
        length, _, _ = value.partition(b" ")
        key, _, text = value[len(length) + 1:int(length) - 1].partition(b"=")
        out[key] = text
        value = value[int(length):]
    return out


# ---- trees ----

def members(lines):
    """Of what pytar and gotar print: names, targets, records as bytes again."""
    out = []
    for line in lines.splitlines():
        m = json.loads(line)
        m["name"], m["link"] = bytes.fromhex(m["name"]), bytes.fromhex(m["link"])
        m["records"] = {bytes.fromhex(k): bytes.fromhex(v) for k, v in m["records"].items()}
        out.append(m)
    return out


def joined(tree, links):
    """Further names: {path: path of the first}. The judges name an inode by its first path."""
    names = {}
    for path, first in links.items():
        if first in tree:
            names.setdefault(first, [first]).append(path)
    for first, paths in names.items():
        shown = min(paths, key=lambda path: path.split("/"))
        for path in paths:
            tree[path] = {**tree[first], "path": path, "link": shown, "nlink": str(len(paths))}
    return tree


def understood(told):
    """What the fields of Go's headers say. Who reads a file there gets all its bytes: no holes."""
    tree, links = {}, {}
    for m in told:
        path = path_of(m["name"])
        if m["type"] == "1":
            links[path] = path_of(m["link"])
        if m["type"] not in KINDS:
            continue
        tree[path] = {
            "path": path, "type": KINDS[m["type"]], "mode": f"{m['mode'] & 0o7777:04o}",
            "uid": str(m["uid"]), "gid": str(m["gid"]), "size": str(m["size"]),
            "rdev": f"{m['major']}:{m['minor']}", "nlink": "1",
            **{key: m[key] for key in ("mtime", "atime", "ctime", "data")},
            "crtime": "none", "layout": f"0+{m['size']}" if m["size"] else ""}
        if m["type"] == "2":
            tree[path].update(target=escaped(m["link"]), size=str(len(m["link"])))
        if m["type"] in "34":
            tree[path].pop("size")
        else:
            tree[path].pop("rdev")
        for key, value in m["xattrs"].items():
            tree[path]["xattr:" + escaped(bytes.fromhex(key))] = value_of(bytes.fromhex(value))
    return joined(tree, links)


def recorded(told):
    """What the records say; with sockets, whose records hold for all that comes next."""
    tree, links = {}, {}
    for m in told:
        socket = sequence(m["records"].get(b"E2BFO.socket", b""))
        if socket:
            path = path_of(socket[b"path"])
            if b"linkpath" in socket:
                links[path] = path_of(socket[b"linkpath"])
            else:
                tree[path] = {"path": path, "type": "s", "nlink": "1", **fields_of(socket)}
        path = path_of(m["name"])
        if m["type"] == "1":
            links[path] = path_of(m["link"])
        elif m["type"] in KINDS:
            tree[path] = {"path": path, "type": KINDS[m["type"]], "nlink": "1",
                          **fields_of(m["records"])}
    return joined(tree, links)


def both(tree, more):
    """What the records say counts, where both say something."""
    return {path: {**tree.get(path, {}), **more.get(path, {})} for path in {**tree, **more}}


# ---- lists ----

def unescaped(line):
    r"""A name as GNU tar and bsdtar escape it.

    >>> unescaped(rb"a\n\\\377\040")
    b'a\n\\\xff '
    """
    letters = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t",
               b"v": b"\v", b"\\": b"\\", b" ": b" "}
    return re.sub(rb"\\([0-7]{3}|[abfnrtv\\ ])",
                  lambda m: letters.get(m[1]) or bytes([int(m[1], 8)]), line)


def listed(out):
    """Paths in what tar -t prints."""
    return {path_of(unescaped(line)) for line in out.splitlines()}
