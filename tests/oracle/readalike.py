#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# readalike.py SEED A B LIST: the files of LIST (paths, ended by NUL) below the directories A and B
# are the same to who reads them at random: by read and mmap, any length from any byte, also past
# the end; and they have the same holes.
import mmap
import os
import random
import sys

seed, a, b, paths = sys.argv[1:]
dice = random.Random(int(seed))
with open(paths, "rb") as f:
    names = f.read().split(b"\0")[:-1]


def holes(fd, size):
    """where data and holes begin, in turn"""
    at, found = 0, []
    while at < size:
        for whence in (os.SEEK_DATA, os.SEEK_HOLE):
            try:
                at = os.lseek(fd, at, whence)
            except OSError as error:
                return found + [error.errno]
            found.append(at)
    return found


def place(size):
    """a byte to begin at, and a length: near block and page boundaries more often than not"""
    at = dice.randrange(size + 3)
    if dice.random() < 0.5:
        at = max(0, at // 1024 * 1024 + dice.choice((-1, 0, 1)))
    return at, dice.choice((1, 7, 512, 4095, 4096, 4097, 30000, 200000, 1500000))


reads = 0
for name in names:
    fds = [os.open(os.path.join(os.fsencode(d), name), os.O_RDONLY) for d in (a, b)]
    size = os.fstat(fds[0]).st_size
    for fd in fds:  # what was read of unwritten blocks is no hole, to a kernel
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    assert size == os.fstat(fds[1]).st_size, name
    assert holes(fds[0], size) == holes(fds[1], size), (name, "holes",
                                                        [holes(fd, size) for fd in fds])
    for _ in range(dice.randrange(1, 12)):
        at, length = place(size)
        if dice.random() < 0.2:
            for fd in fds:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        one, other = (os.pread(fd, length, at) for fd in fds)
        assert one == other, (name, at, length)
        reads += 1
    if size:
        maps = [mmap.mmap(fd, 0, prot=mmap.PROT_READ) for fd in fds]
        for _ in range(4):
            at, length = place(size)
            assert maps[0][at:at + length] == maps[1][at:at + length], (name, "mapped", at)
    for fd in fds:
        os.close(fd)
print(len(names), "files,", reads, "reads")
