# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the goals of operations on many files, against what was measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.
Limits are against the mount with one sync at the end; one with an fsync for each file stands beside.

    create      a quarter of its wall time; 1.5 x dd of the data by the disk model
    update      by the disk model a fiftieth, by the SSD model a half
    append      by the disk model a twentieth
    stat, read  the same
    remove      a third of its wall time

No mount compares bitmaps with inodes: the same goals stand for --trust, which does not, either.

    memory      P7 of HACKING
    names       user CPU: 5 us a create of 100 bytes, from memory, the commit included
    inodes      what a commit writes, and its CPU time, do not depend on how many inodes there are
"""

from e2bench.bars import at_most, times
from e2bench.rowbars import against, good, same_bars

from . import sets
from .contenders import BATCH

CACHE = "cold"
MIB = 1 << 20
CREATE_MICROSECONDS = 5
SAME_WRITES, SAME_CPU = 1.1, 1.5        # times that of the smallest volume
# P7, in bytes: of an inode, a name, what changes of these, an extent; contents, what is read; and
# what the program needs without any of that
PER_FILE = 140 + 256 + 28 + 40 + 16
BUFFERS = (64 + 96 + 16) * MIB


def all_bars(outcomes):
    """Of {set: Outcome}, in the order in which the sets were measured."""
    rows = []
    for name, outcome in outcomes.items():
        rows += [bar for bar in same_bars(name, outcome, "it is done") if bar.measured != "-"]
        if outcome.kind in sets.PLAIN:
            rows += [*plain_bars(name, outcome), *memory_bars(name, outcome)]
        if outcome.kind == sets.NAMES:
            rows.append(at_most(f"{name}: user µs a create of 100 bytes",
                                user_microseconds(outcome.results.get("names-ours")),
                                CREATE_MICROSECONDS))
    return rows + inode_bars([outcomes[kind] for kind in sets.SPARSE if kind in outcomes])


def plain_bars(name, outcome):
    for group, said in (("ours", ""), ("trust", " --trust")):
        yield against(f"{name}, create{said}", outcome, CACHE, f"create-{group}", 1 / 4,
                      "create-mount")
        yield at_most(f"{name}, create{said}: disk s ≤ 1.5 × dd of the data",
                      model(outcome, f"create-{group}", "disk"), times(outcome.floor, 1.5))
        yield by_model(name, outcome, "update", "disk", 50, group, said)
        yield by_model(name, outcome, "update", "ssd", 2, group, said)
        yield by_model(name, outcome, "append", "disk", 20, group, said)
        yield against(f"{name}, remove{said}", outcome, CACHE, f"remove-{group}", 1 / 3,
                      "remove-mount")
    for operation in ("stat", "read"):
        yield by_model(name, outcome, operation, "disk", 20)


def memory_bars(name, outcome):
    for operation in BATCH:
        result = good(outcome, f"{operation}-ours")
        count = result.told.get("operations", 0) if result else 0
        name_bytes = len("n") + len(str(count))
        yield at_most(f"{name}, {operation}: peak RSS, MiB (P7)",
                      times(result and result.rss(), 1 / MIB),
                      (count * (PER_FILE + name_bytes) + BUFFERS) / MIB, "{:.0f}")


def user_microseconds(result):
    """
    >>> from e2bench.rounds import Result
    >>> user_microseconds(Result("", "", "", told={"operations": 1e5, "user": 0.4}))
    4.0
    """
    told = result.told if result and not result.failure else {}
    return told["user"] / told["operations"] * 1e6 if told else None


def inode_bars(outcomes):
    """Of the same commits in volumes for more and more inodes."""
    rows = [good(outcome, "inodes-ours") for outcome in outcomes]
    if len(rows) < 2 or not rows[0] or not rows[-1]:
        return []
    least, most = rows[0], rows[-1]
    most_name = outcomes[-1].kind
    return [at_most(f"{most_name}: MiB written ≤ {SAME_WRITES} × those of {outcomes[0].kind}",
                    most.target["bytes"] / MIB, least.target["bytes"] / MIB * SAME_WRITES),
            at_most(f"{most_name}: requests that write ≤ {SAME_WRITES} × those",
                    most.target["requests"], least.target["requests"] * SAME_WRITES, "{:,.0f}"),
            at_most(f"{most_name}: ms of CPU a commit ≤ {SAME_CPU} × those",
                    commit_cpu(most), commit_cpu(least) * SAME_CPU)]


def commit_cpu(result):
    """
    >>> from e2bench.rounds import Result
    >>> commit_cpu(Result("", "", "", told={"commits": 10, "user": 0.01, "system": 0.02}))
    3.0
    """
    return (result.told["user"] + result.told["system"]) / result.told["commits"] * 1e3


def model(outcome, key, which):
    """
    >>> from types import SimpleNamespace as Of
    >>> from e2bench.rounds import Result
    >>> row = Result("a", "a", "", target={"disk": 3}, judged="same")
    >>> model(Of(results={"a": row}), "a", "disk"), model(Of(results={}), "a", "disk")
    (3, None)
    """
    result = good(outcome, key)
    return result.target.get(which) if result else None


def by_model(name, outcome, operation, which, factor, group="ours", said=""):
    """
    >>> from types import SimpleNamespace as Of
    >>> from e2bench.rounds import Result
    >>> def row(key, disk):
    ...     return Result(key, key, "", target={"disk": disk}, judged="same")
    >>> rows = {key: row(key, disk) for key, disk in (("stat-ours", 2), ("stat-mount", 50))}
    >>> bar = by_model("set", Of(results=rows), "stat", "disk", 20)
    >>> bar.text, bar.limit, bar.measured, bar.met
    ('set, stat: disk s ≤ 1/20 × mount, one sync', '2.50', '2.00', True)
    """
    return at_most(f"{name}, {operation}{said}: {which} s ≤ 1/{factor} × mount, one sync",
                   model(outcome, f"{operation}-{group}", which),
                   times(model(outcome, f"{operation}-mount", which), 1 / factor))
