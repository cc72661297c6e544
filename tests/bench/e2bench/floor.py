# SPDX-License-Identifier: GPL-2.0-or-later
"""Floor: what a copy of a fragmented source costs at least, on each model, whoever makes it.

Measures where the kernel says that files and directories lie; the rest is computed. Any copier has
to read each of these blocks once, and their inodes, and to write as much. It can do no better than
go over the source once, from one end to the other, and at each gap do what the model finds
cheaper, pass over it or read it too; and write all in one piece. So where the floor lies above a
goal, the layout of the source has put the goal out of reach.
"""

import os

from . import host, models
from .survey import INODE_BYTES, names, places


def of(data):
    """{model: seconds} for a data set."""
    place = os.path.join(os.path.dirname(data.image), "mnt-source")
    os.makedirs(place, exist_ok=True)
    with host.loop(data.image) as device, host.mounted(device, place, "ro,noatime"):
        return seconds(sorted(everything(place)), data.contents.inodes * INODE_BYTES)


def everything(top):
    """(start, length) of every extent below TOP, bytes of the device."""
    kept = (entry.path for entry, _ in names(top) if entry
            and (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)))
    for path in (top, *kept):
        for _, start, length in places(path):
            yield start, length


def gaps(extents):
    """
    >>> gaps([(0, 10), (10, 10), (25, 5), (20, 20), (50, 1)])
    [5, 10]
    """
    found, end = [], None
    for start, length in extents:
        if end is not None and start > end:
            found.append(start - end)
        end = max(end or 0, start + length)
    return found


def seconds(extents, inode_bytes):
    """Of sorted (start, length).

    >>> floor = seconds([(0, 250_000_000), (250_004_000, 250_000_000)], 0)
    >>> floor["disk"], floor["cloud"], floor["ssd"]
    (6.250025, 8.0, 2.000008)
    """
    between = gaps(extents)
    tree = sum(length for _, length in extents) + inode_bytes
    moved = 2 * tree
    disk = moved / models.DISK_RATE + passing(between)
    return {"disk": disk, "disk_cached": disk, "cloud": cloud(between, tree),
            "ssd": (moved / models.SSD_RATE
                    + sum(min(gap / models.SSD_RATE, models.SSD_REQUEST) for gap in between))}


def passing(between):
    """Seconds that the disk takes for gaps, passed over or read, whichever takes less."""
    return sum(min(gap / models.DISK_RATE, models.seek_seconds(gap)) for gap in between)


def once(top, inodes):
    """Seconds of the disk for what is below TOP and so many inodes, each read once, in order."""
    extents = sorted(everything(top))
    moved = sum(length for _, length in extents) + inodes * INODE_BYTES
    return moved / models.DISK_RATE + passing(gaps(extents))


def cloud(between, tree):
    """The shortest gaps are read, as many as it takes for operations to last no longer than bytes.

    >>> cloud([1_000_000] * 30, 125_000_000), round(cloud([4096] * 100_000, 125_000_000), 2)
    (2.0, 4.89)
    """
    pieces, moved, best = len(between) + 1, tree, None
    for gap in [0, *sorted(between)]:
        pieces -= bool(gap)
        moved += gap
        took = volume_seconds(pieces, moved)
        best = took if best is None else min(best, took)
    return best + volume_seconds(1, tree)


def volume_seconds(pieces, moved):
    """At least: each piece is an operation, and none has more bytes than count as one."""
    return max(max(pieces, moved / models.CLOUD_UNIT) / models.CLOUD_IOPS,
               moved / models.CLOUD_RATE)
