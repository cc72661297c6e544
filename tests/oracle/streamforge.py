# SPDX-License-Identifier: GPL-2.0-or-later
"""Streams as e2bfo-stream(5) has them, byte by byte: read, made, and made wrong.

Whatever is forged, checksums and digests are right unless they are what is wrong.
"""
import base64
import hashlib
import struct

FACTS, TREE, TREE_END, DATA, END, KEPT = range(1, 7)
CHUNK = 1 << 20
ALL = 63            # what a member tells: everything
FILE, DIR, LINK, CHAR, FIFO = 0o100644, 0o040755, 0o120777, 0o020600, 0o010644

# ---- frames ----

_table = []
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = _c >> 1 ^ (0x82f63b78 if _c & 1 else 0)
    _table.append(_c)


def crc(data):
    """crc32c that begins with all ones and is not inverted."""
    c = 0xffffffff
    for b in data:
        c = c >> 8 ^ _table[(c ^ b) & 255]
    return c


def sealed(head):
    """HEAD with its checksum behind it."""
    return head + struct.pack("<I", crc(head))


def frame(kind, number, data, at=0, stored=None, packed=0, size=None, magic=0x66623265, zero=0,
          mark=bytes(4)):
    """STORED, SIZE: other bytes, another length than those of DATA; MARK: of the tree, behind it."""
    stored = data if stored is None else stored
    size = len(data) if size is None else size
    head = struct.pack("<IBBHIIIIQ", magic, kind, packed, zero, number, size, len(stored),
                       crc(stored), at) + mark
    return sealed(head) + stored


def preamble(first=0, major=1, compat=0, warn=0, incompat=0, magic=b"\x89E2BFO\r\n\x1a\n" + bytes(6)):
    head = struct.pack("<16sHHIIII8x", magic, major, 0, compat, warn, incompat, first)
    return sealed(head)


def frames_of(data):
    """[(offset, kind, all bytes of the frame)] of a stream."""
    found, at = [], 48
    while at + 40 <= len(data):
        end = at + 40 + struct.unpack_from("<I", data, at + 16)[0]
        found.append((at, data[at + 4], data[at:end]))
        at = end
    return found


def numbered(part, number):
    """The frame PART with another number."""
    head = part[:8] + struct.pack("<I", number) + part[12:36]
    return sealed(head) + part[40:]


def token(stream, number):
    """The token that asks for DATA frame NUMBER of STREAM."""
    digest = next(f[40:72] for _, kind, f in frames_of(stream) if kind == TREE_END)
    text = digest + struct.pack("<I", number)
    return "e2bfo1:" + base64.urlsafe_b64encode(sealed(text)).decode().rstrip("=")


# ---- the tree ----

def item(kind, data, size=None):
    return struct.pack("<II", kind, len(data) if size is None else size) + data


def pair(kind, first, second):
    return item(kind, struct.pack("<QQ", first, second))


def extent(at, size):
    return pair(2, at, size)


def unwritten(at, size):
    return pair(6, at, size)


def over():
    return pair(4, 0, 0)


def xattr(name, value, index=0, name_size=None, value_size=None):
    return struct.pack("<III", len(name) if name_size is None else name_size,
                       len(value) if value_size is None else value_size, index) + name + value


def member(path, mode=FILE, size=0, target=b"", link=0, xattrs=(), secret=b"", **other):
    """OTHER: fields of e2bfo-stream(5) by name."""
    o = dict(zero=0, zero2=0, times=[(1600000000, 5)] * 4, has=15, flags=0, uid=0, gid=0, major=0,
             minor=0, version=0, generation=0, project=0, tells=ALL, encoding=0, home=0, end=size,
             hashes=(0, 0, 0), path_size=len(path), target_size=len(target), secret_size=len(secret),
             count=len(xattrs), cut=None)
    assert not set(other) - set(o), other
    o.update(other)
    body = struct.pack("<QQQ", o["zero"], o["zero2"], size)
    body += b"".join(struct.pack("<qI", *t) for t in o["times"])
    body += struct.pack("<9I", o["has"], mode, o["flags"], o["uid"], o["gid"], o["major"], o["minor"],
                        link, o["path_size"])
    body += struct.pack("<II", o["target_size"], o["count"])
    body += struct.pack("<QIIIIIQ", o["version"], o["generation"], o["project"], o["tells"],
                        o["encoding"], o["home"], o["end"])
    body += struct.pack("<I3I", o["secret_size"], *o["hashes"])
    assert len(body) == 168
    body += path + target + secret + b"".join(xattrs)
    return item(1, body[:o["cut"]])


def root(**other):
    return member(b".", DIR, **other)


# ---- all of it ----

def count(tree):
    """What FACTS says of a tree: members, parts, bytes of data."""
    members = parts = data = at = 0
    while at + 8 <= len(tree):
        kind, size = struct.unpack_from("<II", tree, at)
        members += kind == 1
        parts += kind == 2
        if kind == 2 and at + 24 <= len(tree):
            data += struct.unpack_from("<Q", tree, at + 16)[0]
        at += 8 + size
    return members, parts, data


def facts(of, **other):
    """FACTS of tree OF, but for OTHER."""
    members, parts, data = count(of)
    o = dict(members=members, tree=len(of), parts=parts, data=data, block=4096, unknown=0,
             super=0, resume=0, sb=bytes(1024))
    assert not set(other) - set(o), other
    o.update(other)
    return struct.pack("<QQQQIIII16x", o["members"], o["tree"], o["parts"], o["data"], o["block"],
                       o["unknown"], o["super"], o["resume"]) + o["sb"]


def stream(tree, data=b"", about=None, first=0, chunk=CHUNK, **other):
    """A whole stream; ABOUT: FACTS, else those of TREE.  OTHER: of the preamble."""
    about = facts(tree) if about is None else about
    out = preamble(first=first, **other) + frame(FACTS, 0, about)
    number = 1
    for at in range(0, len(tree), CHUNK):
        out += frame(TREE, number, tree[at:at + CHUNK], at)
        number += 1
    digest = hashlib.sha256(tree + about).digest()
    out += frame(TREE_END, number, digest)
    whole = digest + struct.pack("<I", first)
    for n, at in enumerate(range(0, len(data), chunk)):
        piece = data[at:at + chunk]
        out += frame(DATA, first + n, piece, first * CHUNK + at, mark=digest[:4])
        whole += hashlib.sha256(piece).digest()
    return out + frame(END, number + 1, hashlib.sha256(whole).digest(), mark=digest[:4])
