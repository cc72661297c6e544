# SPDX-License-Identifier: GPL-2.0-or-later
"""Renewal: a device becomes what another one is, in all that a filesystem on it looks at.

Measures nothing. A volume that is nearly empty takes as long as what it holds; one of which is known
what was written to it, as long as that.
"""

import mmap
import os
import re

from . import host

PART = 4 * host.MIB
NEAR = 1 * host.MIB             # what lies between two ranges is copied, too, if it is less
ALIGNED = 4096


def used(device):
    """[start, end) in bytes of what the filesystem has in use."""
    text = host.sh("dumpe2fs", device)
    size = int(re.search(r"^Block size: *(\d+)", text, re.M)[1])
    count = int(re.search(r"^Block count: *(\d+)", text, re.M)[1])
    free = [tuple(map(int, (first, last or first)))
            for line in re.findall(r"^  Free blocks: (.+)$", text, re.M)
            for first, last in re.findall(r"(\d+)(?:-(\d+))?", line)]
    return [(first * size, end * size) for first, end in between(free, count)]


def between(free, count):
    """
    >>> between([(0, 1), (4, 4), (8, 9)], 10), between([(2, 3)], 6), between([], 1)
    ([(2, 4), (5, 8)], [(0, 2), (4, 6)], [(0, 1)])
    """
    ranges, at = [], 0
    for first, last in [*sorted(free), (count, count)]:
        if first > at:
            ranges.append((at, first))
        at = last + 1
    return ranges


def common(ranges, others):
    """What is in both; each ascending, and apart.

    >>> common([(0, 4), (6, 9)], [(1, 2), (3, 7), (8, 12)])
    [(1, 2), (3, 4), (6, 7), (8, 9)]
    """
    result, a, b = [], 0, 0
    while a < len(ranges) and b < len(others):
        start = max(ranges[a][0], others[b][0])
        end = min(ranges[a][1], others[b][1])
        if start < end:
            result.append((start, end))
        if ranges[a][1] < others[b][1]:
            a += 1
        else:
            b += 1
    return result


def joined(ranges, near=NEAR):
    """Aligned, ascending, those that are near each other as one.

    >>> joined([(8192, 9000), (0, 4096)], 4096), joined([(8192, 9000), (0, 4096)], 4095)
    ([(0, 12288)], [(0, 4096), (8192, 12288)])
    """
    result = []
    for start, end in sorted(ranges):
        start, end = start // ALIGNED * ALIGNED, -(-end // ALIGNED) * ALIGNED
        if result and start <= result[-1][1] + near:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def read(path, ranges):
    """They are in the page cache of the file, if that has one."""
    with open(path, "rb", buffering=0) as file:
        for start, end in joined(ranges):
            file.seek(start)
            while start < end and (part := file.read(min(PART, end - start))):
                start += len(part)


def copy(source, target, ranges):
    """Past the page cache; what lies behind the end of SOURCE stays as it is."""
    buffer = mmap.mmap(-1, PART)
    from_, to = (os.open(device, mode | os.O_DIRECT)
                 for device, mode in ((source, os.O_RDONLY), (target, os.O_WRONLY)))
    try:
        for start, end in joined(ranges):
            for at in range(start, end, PART):
                got = os.preadv(from_, [memoryview(buffer)[:min(PART, end - at)]], at)
                os.pwritev(to, [memoryview(buffer)[:got]], at)
    finally:
        os.close(from_)
        os.close(to)
