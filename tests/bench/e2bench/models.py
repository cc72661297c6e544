# SPDX-License-Identifier: GPL-2.0-or-later
"""Models: how long a list of requests would take on a disk, a cloud volume and an SSD.

Measures nothing, computes only: pure functions of a list of requests in issue order (anything with
.start and .size in bytes, and .write). They say how a tool's *order* of requests would fare where
order costs, whatever the machine of the benchmark is made of. They leave out zones of different
density; the drive's queue, which would help who has many scattered requests under way (block
copiers, writing an aged tree) more than who has few; and that a disk without a write cache loses a
turn even between writes that follow on.

Disk, 7200 rpm, 1 TB, 160 MB/s. A request that begins where the last one ended costs its transfer.
Any other costs the head's way and half a turn:

    way(d) = 0.8 ms + 13.3 ms * sqrt(d / 1 TB)      0.8 next track, 8.5 a third, 14.1 full stroke
    half a turn = 4.17 ms

but a reader may wait instead for a short way forward to pass under the head, at 160 MB/s, and then
pays 0.1 ms for the command alone. A writer may only if the drive has a write cache, and is trusted
to use it: so writes are computed twice, without (disk) and with (disk_cached).

Cloud volume, 3000 IOPS and 125 MB/s: a request counts once per started 256 KiB; the volume is
limited by operations or by bytes, whichever takes longer.

SSD, SATA: 80 us for every request, one at a time, and 500 MB/s.
"""

import math

NAMES = ("disk", "disk_cached", "cloud", "ssd")
WORDS = {"disk": "disk (no write cache)", "disk_cached": "disk, write cache", "cloud": "cloud",
         "ssd": "SSD"}
FLASH = ("cloud", "ssd")        # devices that say they have no moving parts
ABOUT = """\
The models turn the requests of a run into seconds, one request after the other, first the source's,
then the target's, on devices that are not here, without their queues, which would help who writes
in pieces more than who does not: a disk of 7200 rpm and 160 MB/s, without or with a write cache
that may be trusted, where what is not contiguous costs the head's way (5 to 18 ms) or, if shorter,
the wait until a gap has passed; a cloud volume of 3,000 requests (of 256 KiB) and 125 MB a second; a
SATA SSD that takes 80 us for each request, and 500 MB/s."""

DISK_BYTES = 1e12
DISK_RATE = 160e6
DISK_NEXT_TRACK = 0.8e-3
DISK_STROKE = 13.3e-3
DISK_HALF_TURN = 60 / 7200 / 2
DISK_COMMAND = 0.1e-3

CLOUD_IOPS = 3000
CLOUD_RATE = 125e6
CLOUD_UNIT = 256 * 1024

SSD_REQUEST = 80e-6
SSD_RATE = 500e6


def seek_seconds(distance, may_wait=True):
    """Cost of going on DISTANCE bytes away (negative: backwards) from where the last one ended.

    >>> seek_seconds(0)
    0.0
    >>> round(seek_seconds(16000) * 1e3, 3)             # waited for
    0.2
    >>> round(seek_seconds(-16000) * 1e3, 2), round(seek_seconds(16000, may_wait=False) * 1e3, 2)
    (4.97, 4.97)
    >>> round(seek_seconds(1e12 / 3) * 1e3, 1)
    12.6
    """
    if distance == 0:
        return 0.0
    moved = (DISK_NEXT_TRACK + DISK_STROKE * math.sqrt(abs(distance) / DISK_BYTES)
             + DISK_HALF_TURN)
    if distance < 0 or not may_wait:
        return moved
    return min(moved, DISK_COMMAND + distance / DISK_RATE)


def gaps(requests):
    """Distances between the end of each request and the start of the next.

    The first follows on from itself: where the head was before is nobody's doing.
    """
    end = None
    for r in requests:
        yield 0 if end is None else r.start - end
        end = r.start + r.size


def disk_seconds(requests, write_cache=False):
    """
    >>> from collections import namedtuple; R = namedtuple("R", "start size write")
    >>> disk_seconds([R(0, 160_000_000, False), R(160_000_000, 160_000_000, False)])
    2.0
    """
    ways = (seek_seconds(gap, write_cache or not r.write)
            for gap, r in zip(gaps(requests), requests))
    return sum(ways) + sum(r.size for r in requests) / DISK_RATE


def cloud_seconds(requests):
    """
    >>> from collections import namedtuple; R = namedtuple("R", "start size")
    >>> cloud_seconds([R(0, 4096)] * 3000), cloud_seconds([R(0, 125_000_000)])
    (1.0, 1.0)
    """
    operations = sum(-(-r.size // CLOUD_UNIT) for r in requests)
    return max(operations / CLOUD_IOPS, sum(r.size for r in requests) / CLOUD_RATE)


def ssd_seconds(requests):
    """
    >>> from collections import namedtuple; R = namedtuple("R", "start size")
    >>> ssd_seconds([R(0, 500_000_000)])
    1.00008
    """
    return len(requests) * SSD_REQUEST + sum(r.size for r in requests) / SSD_RATE


def histogram(requests):
    """How large requests are: [[least size, number, bytes], ...] for each power of two that occurs.

    >>> from collections import namedtuple; R = namedtuple("R", "start size")
    >>> histogram([R(0, 4096), R(4096, 8191), R(0, 131072)])
    [[4096, 2, 12287], [131072, 1, 131072]]
    """
    bins = {}
    for r in requests:
        row = bins.setdefault(1 << (r.size.bit_length() - 1), [0, 0])
        row[0] += 1
        row[1] += r.size
    return [[least, *bins[least]] for least in sorted(bins)]


def summary(requests):
    """All numbers of one stream of requests, as a dict (they go to the JSON as they are)."""
    distances = [abs(gap) for gap in gaps(requests) if gap]
    return {
        "requests": len(requests),
        "bytes": sum(r.size for r in requests),
        "noncontiguous": len(distances) + (1 if requests else 0),
        "seek_bytes": sum(distances),
        "disk": disk_seconds(requests),
        "disk_cached": disk_seconds(requests, write_cache=True),
        "cloud": cloud_seconds(requests),
        "ssd": ssd_seconds(requests),
        "sizes": histogram(requests),
    }
