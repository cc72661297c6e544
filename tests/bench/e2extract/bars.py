# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the goals of taking trees off volumes, against what was measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.

    same        all is there (judges.py); else no time counts
    archive     kernel: three times as fast as the best tar; aged: ten times, by the disk model;
                1.2 x dd of the blocks in use
    directory   1.5 times as fast as the best of cp -a, rsync, tar | tar
    hash        1.2 x the slower of dd and one core of sha256sum
    manifest    1.15 x the same copy without
"""

from e2bench.bars import at_most, times
from e2bench.experiment import Sample
from e2bench.rounds import Outcome, Result, median
from e2bench.rowbars import against, fastest, good, same_bars

CACHE = "cold"
TARS = ("tar", "bsdtar", "tar-inode")
FILLERS = ("cp", "rsync", "tar-tar")


def all_bars(outcomes):
    """Of {set: Outcome}, in the order in which the sets were measured."""
    rows = []
    for name, outcome in outcomes.items():
        rows += same_bars(name, outcome, "all is there")
        rows.append(disk_bar(name, outcome) if outcome.kind == "aged" else
                    against(f"{name}, to a tar", outcome, CACHE, "e2bfo-tar", 1 / 3, *TARS))
        rows += [against(f"{name}, to a tar", outcome, CACHE, "e2bfo-tar", 1.2, "dd"),
                 against(f"{name}, to a directory", outcome, CACHE, "e2bfo-dir", 1 / 1.5, *FILLERS),
                 hash_bar(name, outcome),
                 manifest_bar(name, outcome)]
    return rows


def disk_bar(name, outcome):
    """
    >>> def read(key, seconds):
    ...     return Result(key, key, "", source={"disk": seconds}, judged="same")
    >>> rows = (read("tar", 30), read("bsdtar", 20), read("e2bfo-tar", 1.5))
    >>> bar = disk_bar("aged", Outcome("", "", None, results={r.key: r for r in rows}))
    >>> bar.text, bar.limit, bar.measured, bar.met
    ('aged, to a tar, cold: disk s of reading ≤ 0.1 × bsdtar', '2.00', '1.50', True)
    """
    rivals = [(disk(r), r.label) for r in map(outcome.results.get, TARS)
              if r and r.whole() and r.source]
    limit, label = min(rivals, default=(None, "the best tar"))
    ours = good(outcome, "e2bfo-tar")
    return at_most(f"{name}, to a tar, {CACHE}: disk s of reading ≤ 0.1 × {label}",
                   disk(ours) if ours and ours.source else None, times(limit, 0.1))


def disk(result):
    return result.source["disk"]


def hash_bar(name, outcome):
    """
    >>> def ran(key, wall):
    ...     return Result(key, key, "", cold=[Sample(wall, 0, 0, 0, 0)])
    >>> rows = {r.key: r for r in (ran("dd", 3), ran("sha256sum", 5), ran("e2bfo-hash", 6.5))}
    >>> bar = hash_bar("aged", Outcome("", "", None, results=rows))
    >>> bar.text, bar.limit, bar.measured, bar.met
    ('aged, e2bfo hash, cold: wall s ≤ 1.2 × sha256sum', '6.00', '6.50', False)
    >>> del rows["dd"]
    >>> hash_bar("aged", Outcome("", "", None, results=rows)).measured
    'not measured'
    """
    floors = [fastest(outcome, CACHE, key) for key in ("dd", "sha256sum")]
    known = all(seconds is not None for seconds, _ in floors)
    limit, label = max(floors) if known else (None, "the slower of dd and sha256sum")
    return at_most(f"{name}, e2bfo hash, {CACHE}: wall s ≤ 1.2 × {label}",
                   median(good(outcome, "e2bfo-hash"), CACHE), times(limit, 1.2))


def manifest_bar(name, outcome):
    without = median(good(outcome, "mkfs"), CACHE)
    return at_most(f"{name}, --manifest-out, {CACHE}: wall s ≤ 1.15 × without",
                   median(good(outcome, "mkfs-manifest"), CACHE), times(without, 1.15))
