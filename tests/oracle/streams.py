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
import struct
import sys

from streamforge import DATA, END, FACTS, TREE, TREE_END, frame, frames_of, numbered, sealed, token

PREAMBLE = 48


def frames(data):
    """(byte, kind, bytes with head) of each, to the end."""
    found = [(at, kind, len(part)) for at, kind, part in frames_of(data)]
    assert sum(n for _, _, n in found) + PREAMBLE == len(data) and found[-1][1] == END
    return found


def flipped(data, byte):
    other = bytearray(data)
    other[byte] ^= 4
    return bytes(other)


def mixed(data):
    """Names of what can happen to whole frames, and what comes of it."""
    all_ = frames_of(data)
    parts = [part for _, _, part in all_]
    kinds = [kind for _, kind, _ in all_]
    i = kinds.index(DATA) + 1
    made = {
        "lost": parts[:i] + parts[i + 1:],
        "twice": parts[:i + 1] + parts[i:],
        "exchanged": parts[:i] + [parts[i + 1], parts[i]] + parts[i + 2:],
        "no-tree": [p for p, k in zip(parts, kinds) if k != TREE],
        "no-end": parts[:-1],
    }
    result = {name: data[:PREAMBLE] + b"".join(some) for name, some in made.items()}
    result["empty"] = b""
    result["other-end"] = with_digest(data, END)
    result["other-tree"] = with_digest(data, TREE_END)
    return result


def with_kind(data, kind):
    parts, number = [], 0
    for _, k, part in frames_of(data):
        parts.append(part if k == DATA else numbered(part, number))
        number += k != DATA
        if k == FACTS:
            parts.append(frame(kind, number, b"whatever"))
            number += 1
    return data[:PREAMBLE] + b"".join(parts)


def with_digest(data, kind):
    """The frame of KIND has another digest, and a checksum that is right."""
    at, _, part = next(f for f in frames_of(data) if f[1] == kind)
    number, mark = struct.unpack_from("<I", part, 8)[0], part[32:36]
    return data[:at] + frame(kind, number, bytes(32), mark=mark) + data[at + len(part):]


def with_feature(data, word):
    head = bytearray(data[:PREAMBLE - 4])
    struct.pack_into("<I", head, word, 1 << 30)
    return sealed(bytes(head)) + data[PREAMBLE:]


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
