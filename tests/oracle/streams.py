#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Streams (e2bfo-stream(5)) frame by frame, for tests that cut, damage and forge them.

    streams.py frames FILE              "BYTE KIND" of each
    streams.py flip FILE BYTE OUT       a bit of that byte is another one
    streams.py token FILE N             that of its frame N of data
    streams.py mixed FILE               frames lost, twice, exchanged, ...: a file for each
    streams.py forged FILE OUT kindN    another frame behind the first, of kind N, and all numbers right
    streams.py forged FILE OUT wordN    a feature in the word at byte N of the preamble
    streams.py forged FILE OUT digestN  zeroes for the digest in the frame of kind N
"""
import base64
import struct
import sys

PREAMBLE, HEAD = 48, 40
FACTS, TREE, TREE_END, DATA, END = range(1, 6)

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


def frames(data):
    """(byte, kind, bytes with head) of each."""
    at, found = PREAMBLE, []
    while at < len(data):
        stored = struct.unpack_from("<I", data, at + 16)[0]
        found.append((at, data[at + 4], HEAD + stored))
        at += HEAD + stored
    assert at == len(data) and found[-1][1] == END
    return found


def flipped(data, byte):
    other = bytearray(data)
    other[byte] ^= 4
    return bytes(other)


def mixed(data):
    """Names of what can happen to whole frames, and what comes of it."""
    all_ = frames(data)
    frame = [data[at:at + n] for at, _, n in all_]
    kinds = [kind for _, kind, _ in all_]
    i = kinds.index(DATA) + 1
    made = {
        "lost": frame[:i] + frame[i + 1:],
        "twice": frame[:i + 1] + frame[i:],
        "exchanged": frame[:i] + [frame[i + 1], frame[i]] + frame[i + 2:],
        "no-tree": [f for f, k in zip(frame, kinds) if k != TREE],
        "no-end": frame[:-1],
    }
    result = {name: data[:PREAMBLE] + b"".join(parts) for name, parts in made.items()}
    result["empty"] = b""
    result["other-end"] = with_digest(data, END)
    result["other-tree"] = with_digest(data, TREE_END)
    return result


def _sealed(head):
    return bytes(head) + struct.pack("<I", crc(head))


def with_kind(data, kind):
    body = b"whatever"
    parts, number = [], 0
    for at, k, n in frames(data):
        head = bytearray(data[at:at + HEAD - 4])
        if k != DATA:
            struct.pack_into("<I", head, 8, number)
            number += 1
        parts.append(_sealed(head) + data[at + HEAD:at + n])
        if k == FACTS:
            parts.append(_sealed(struct.pack("<IBBHIIIIQI", 0x66623265, kind, 0, 0, number, len(body),
                                             len(body), crc(body), 0, 0)) + body)
            number += 1
    return data[:PREAMBLE] + b"".join(parts)


def with_digest(data, kind):
    """The frame of KIND has another digest, and a checksum that is right."""
    at, _, n = next(f for f in frames(data) if f[1] == kind)
    body = bytes(32)
    head = bytearray(data[at:at + HEAD - 4])
    struct.pack_into("<I", head, 20, crc(body))
    assert n == HEAD + len(body)
    return data[:at] + _sealed(head) + body + data[at + n:]


def with_feature(data, word):
    head = bytearray(data[:PREAMBLE - 4])
    struct.pack_into("<I", head, word, 1 << 30)
    return _sealed(head) + data[PREAMBLE:]


def token(data, number):
    at = next(at for at, kind, _ in frames(data) if kind == TREE_END) + HEAD
    body = data[at:at + 32] + struct.pack("<I", number)
    letters = base64.urlsafe_b64encode(body + struct.pack("<I", crc(body)))
    return "e2bfo1:" + letters.decode().rstrip("=")


def main(what, name, *args):
    data = open(name, "rb").read()
    if what == "frames":
        for at, kind, _ in frames(data):
            print(at, kind)
    elif what == "flip":
        open(args[1], "wb").write(flipped(data, int(args[0])))
    elif what == "token":
        print(token(data, int(args[0])))
    elif what == "mixed":
        for kind, made in mixed(data).items():
            open(kind, "wb").write(made)
    else:
        word = args[1].rstrip("0123456789")
        forge = {"kind": with_kind, "word": with_feature, "digest": with_digest}[word]
        open(args[0], "wb").write(forge(data, int(args[1][len(word):])))


if __name__ == "__main__":
    main(*sys.argv[1:])
