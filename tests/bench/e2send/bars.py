# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the goals of moving trees, against what was measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.

    same        e2fsck is quiet, and all is there; else no time counts
    faster      than each of the others, on every set and link
    limit       through a pipe, and at 100 Mb/s: 0.85 of what is possible: the slowest of reading
                (dd), writing (dd), the link for the bytes that the stream has, and zstd at the
                level that was asked for, in the CPU time that all but the sender leave
    one         10^6 tiny files at 100 Mb/s: 1.2 x one file of as many bytes on the link, and 5 s,
                in which the receiver plans
    memory      P7 on both sides
"""

import os
import statistics

from e2bench import host, scale
from e2bench.bars import at_most, times
from e2bench.rounds import median
from e2bench.rowbars import against, good, same_bars

from .links import BY_NAME

MIB = host.MIB
CACHE = "cold"
OTHERS = ("partclone", "e2image", "dd", "dump", "tar", "rsync", "scp", "gridftp")
LIMIT, ONE, PLAN = 0.85, 1.2, 5
ARCHIVE = 4                     # bytes an inode; the rest of 164 are in a file where they are many
STREAM, ONCE = 80 * MIB, 32 * MIB       # what comes by a stream, and once
LEVELS = {"pipe": "1", "100m": "3"}     # that are held against the limit, as a row has them


def all_bars(outcomes):
    """Of {set and link: Outcome}, in the order in which they were measured."""
    rows = []
    for name, outcome in outcomes.items():
        rows += same_bars(name, counted(outcome), "sound, and all is there")
        rows.append(against(name, outcome, CACHE, "e2bfo", 1, *OTHERS))
        rows += limit_bars(name, outcome) + one_bars(name, outcome) + memory_bars(name, outcome)
    return rows


def counted(outcome):
    """Without the row "one", which is a measure."""
    return type(outcome)(**(vars(outcome) | {
        "results": {key: r for key, r in outcome.results.items() if key != "one"}}))


def limit_bars(name, outcome):
    if outcome.link not in LEVELS:
        return []
    level = LEVELS[outcome.link]
    key = f"e2bfo-{level}"
    limit, what = slowest(outcome, key, f"zstd-{level}", os.cpu_count())
    return [at_most(f"{name}, send --compress {level}, {CACHE}: wall s ≤ {what} ÷ {LIMIT}",
                    median(good(outcome, key), CACHE), times(limit, 1 / LIMIT))]


def slowest(outcome, key, zstd, processors):
    """(seconds, of what) that no one who does the same can be faster than; (None, ...) if one of
    these was not measured.

    >>> from types import SimpleNamespace as Any
    >>> from e2bench.experiment import Sample
    >>> from e2bench.rounds import Result
    >>> def ran(key, wall, cpu=0):
    ...     return Result(key, key, "", cold=[Sample(wall, cpu, 0, 0, 0)])
    >>> rows = (ran("dd-read", 1), ran("dd-write", 2), ran("zstd-1", 3, 5), ran("e2bfo-1", 4))
    >>> outcome = Any(link="pipe", results={r.key: r for r in rows},
    ...               sides={"e2bfo-1": [Any(stream=5e7, others=2.0)]})
    >>> slowest(outcome, "e2bfo-1", "zstd-1", 2)
    (3.5, 'zstd')
    >>> outcome.link = "100m"
    >>> slowest(outcome, "e2bfo-1", "zstd-1", 2)
    (4.02, 'the link')
    >>> del outcome.results["dd-read"]
    >>> slowest(outcome, "e2bfo-1", "zstd-1", 2)
    (None, 'the limit')
    """
    cpu = [median(outcome.results.get(zstd), CACHE, what) for what in ("user", "system")]
    dd = {label: median(outcome.results.get(row), CACHE)
          for label, row in (("dd, reading", "dd-read"), ("dd, writing", "dd-write"))}
    sides = outcome.sides.get(key)
    if None in cpu or None in dd.values() or not sides:
        return None, "the limit"
    others = statistics.median(side.others for side in sides)
    walls = dd | {"zstd": (sum(cpu) + others) / processors}
    link = BY_NAME[outcome.link]
    if link.bits:
        stream = statistics.median(side.stream for side in sides)
        walls["the link"] = stream / link.bytes + link.delay / 1000
    label = max(walls, key=walls.get)
    return walls[label], label


def one_bars(name, outcome):
    """
    >>> from types import SimpleNamespace as Any
    >>> one_bars("kernel", Any(results={}))
    []
    """
    if "one" not in outcome.results:
        return []
    one = median(good(outcome, "one"), CACHE)
    return [at_most(f"{name}, {CACHE}: wall s ≤ {ONE} × one file of as many bytes + {PLAN}",
                    median(good(outcome, "e2bfo"), CACHE),
                    None if one is None else ONE * one + PLAN)]


def memory_limits(contents):
    """Bytes, {side: P7}. The sender is as who makes an archive is.

    >>> from types import SimpleNamespace as Contents
    >>> limits = memory_limits(Contents(inodes=0, names=0, name_bytes=0, extents=0))
    >>> {side: (limit - host.default_memory()) // MIB for side, limit in limits.items()}
    {'sender': 16, 'receiver': 128}
    """
    always = scale.memory_limit(contents, host.default_memory())
    return {"sender": always + ARCHIVE * contents.inodes,
            "receiver": always + STREAM + 16 * contents.extents + ONCE + 16 * contents.extents}


def memory_bars(name, outcome):
    limits = memory_limits(outcome.contents)
    sides = outcome.sides.get("e2bfo") if good(outcome, "e2bfo") else None
    return [at_most(f"{name}: peak RSS of the {side}, MiB (P7)",
                    max(getattr(s, f"{side}_rss") for s in sides) / MIB if sides else None,
                    limit / MIB, "{:.1f}")
            for side, limit in limits.items()]
