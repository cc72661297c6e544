# SPDX-License-Identifier: GPL-2.0-or-later
"""Rowbars: what goals of rows (rows.py) have in common. Measures nothing, computes only."""

from .bars import Bar, at_most, times
from .experiment import Sample
from .rounds import Outcome, Result, median


def good(outcome, key):
    """A result whose times count, or None."""
    result = outcome.results.get(key)
    return result if result and result.good() else None


def same_bars(name, outcome, what):
    return [Bar(f"{name}, {r.label}: {what}", "same", r.failure or r.judged or "-",
                r.judged == "same" and not r.failure)
            for r in outcome.results.values() if r.group == "ours"]


def against(name, outcome, cache, ours, factor, *theirs, what=""):
    """A bar for the wall time of row OURS: at most FACTOR x that of the fastest of THEIRS."""
    limit, label = fastest(outcome, cache, *theirs)
    return at_most(f"{name}, {cache}: wall s ≤ {factor:.3g} × {label}{what}",
                   median(good(outcome, ours), cache), times(limit, factor))


def fastest(outcome, cache, *keys):
    """(seconds, label) of those whose times count; of one that was stopped, if all were.

    >>> rows = {key: Result(key, key, "", cold=[Sample(wall, 0, 0, 0, 0)], judged=judged)
    ...         for key, wall, judged in (("a", 3, "same"), ("b", 2, "mtime: 1"),
    ...                                   ("c", 1, "not as many"))}
    >>> rows["d"] = Result("d", "d", "", failure="stopped", stopped=9)
    >>> outcome = Outcome("", "", None, results=rows)
    >>> fastest(outcome, "cold", "a", "b", "c", "d"), fastest(outcome, "cold", "c", "d")
    ((2, 'b'), (9, 'd, stopped'))
    >>> fastest(outcome, "cold", "c"), fastest(outcome, "cold", "e")
    ((None, 'c'), (None, 'e'))
    """
    there = [outcome.results[key] for key in keys if key in outcome.results]
    walls = [(median(r, cache), r.label) for r in there
             if r.whole() and median(r, cache) is not None]
    stopped = [(r.stopped, f"{r.label}, stopped") for r in there if r.stopped]
    return min(walls or stopped, default=(None, there[0].label if there else keys[0]))
