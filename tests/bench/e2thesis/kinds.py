# SPDX-License-Identifier: GPL-2.0-or-later
"""Kinds: what the reads of a run were of, on ext4: inode tables, directories and their indexes, or
data of files; how much of the disk's time each kind took; and how much the same reads of data would
take in the order of their blocks, which is what no order of inodes can be better than.

Measures nothing. A read is of the kind of its first block; the way of the head to it counts with
it. What is neither table nor directory is data: bitmaps, descriptors and superblock are few.
"""

import bisect
import os
import re

from e2bench import host, models

BLOCK = 4096
TABLES, NAMES, DATA = "inode tables", "directory, index", "data"
BY_BLOCK = "data by block"
KINDS = (TABLES, NAMES, DATA)
TABLE = re.compile(r"Inode table at (\d+)-(\d+)")
NAMED = ("/flat", "/.e2itree")          # paths whose blocks are names
known = {}                              # {(image, when it was written): Areas}


class Areas:
    """Ranges of blocks with a kind each."""

    def __init__(self, ranges):
        self.ranges = sorted(ranges)
        self.starts = [start for start, _, _ in self.ranges]

    def kind(self, block):
        """
        >>> a = Areas([(10, 19, TABLES), (30, 30, NAMES)])
        >>> [a.kind(block) for block in (9, 10, 19, 20, 30, 31)]
        ['data', 'inode tables', 'inode tables', 'data', 'directory, index', 'data']
        """
        at = bisect.bisect_right(self.starts, block) - 1
        if at >= 0 and block <= self.ranges[at][1]:
            return self.ranges[at][2]
        return DATA


def areas(image):
    key = image, os.stat(image).st_mtime_ns
    if key not in known:
        ranges = [(int(first), int(last), TABLES)
                  for first, last in TABLE.findall(host.sh("dumpe2fs", image))]
        for path in NAMED:
            blocks = host.sh("debugfs", "-R", f"blocks {path}", image).split()
            ranges += [(int(block), int(block), NAMES) for block in blocks if block.isdecimal()]
        known[key] = Areas(ranges)
    return known[key]


def split(requests, image):
    """{kind, or BY_BLOCK: [reads, seconds of the disk]}"""
    found, data = {kind: [0, 0.0] for kind in KINDS}, []
    where = areas(image)
    for gap, request in zip(models.gaps(requests), requests):
        kind = where.kind(request.start // BLOCK)
        found[kind][0] += 1
        found[kind][1] += models.seek_seconds(gap) + request.size / models.DISK_RATE
        if kind == DATA:
            data.append(request)
    data.sort(key=lambda request: request.start)
    found[BY_BLOCK] = [len(data), models.disk_seconds(data)]
    return found
