# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the goals of operations on many files, against what was measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.
Limits are against the mount with one sync at the end; one with an fsync for each file stands beside.

    create      a quarter of its wall time; 1.5 x dd of the data by the disk model
    update      by the disk model a fiftieth, by the SSD model a half
    append      by the disk model a twentieth
    stat, read  the same
    remove      a third of its wall time
"""

from e2bench.bars import at_most, times
from e2bench.rowbars import against, good, same_bars

CACHE = "cold"


def all_bars(outcomes):
    """Of {set: Outcome}, in the order in which the sets were measured."""
    rows = []
    for name, outcome in outcomes.items():
        rows += [bar for bar in same_bars(name, outcome, "it is done") if bar.measured != "-"]
        rows += [against(f"{name}, create", outcome, CACHE, "create-ours", 1 / 4, "create-mount"),
                 at_most(f"{name}, create: disk s ≤ 1.5 × dd of the data",
                         model(outcome, "create-ours", "disk"), times(outcome.floor, 1.5)),
                 by_model(name, outcome, "update", "disk", 50),
                 by_model(name, outcome, "update", "ssd", 2),
                 by_model(name, outcome, "append", "disk", 20),
                 by_model(name, outcome, "stat", "disk", 20),
                 by_model(name, outcome, "read", "disk", 20),
                 against(f"{name}, remove", outcome, CACHE, "remove-ours", 1 / 3, "remove-mount")]
    return rows


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


def by_model(name, outcome, operation, which, factor):
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
    return at_most(f"{name}, {operation}: {which} s ≤ 1/{factor} × mount, one sync",
                   model(outcome, f"{operation}-ours", which),
                   times(model(outcome, f"{operation}-mount", which), 1 / factor))
