# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables: rows that report and docs/benchmarks.md have alike: of commits, and of sizes of batches.

Measures nothing, computes only.
"""

from dataclasses import dataclass

from e2bench.report import number

OF_BATCHES = ("", "files", "wall s", "files/s", "commits/s", "disk, µs a file", "result")
NEAR = 1.1                      # times the least time of a file: behind the knee


def commit_cells(told):
    """opening s, ms a commit, user ms and system ms of it

    >>> commit_cells({"opening": 0.1, "commit": 0.002, "user": 0.02, "system": 0.01, "commits": 10})
    ['0.10', '2.0', '2.0', '1.0']
    """
    if not told:
        return ["-"] * 4
    return [number(told["opening"]), number(told["commit"] * 1e3, "{:.1f}"),
            *(number(told[what] / told["commits"] * 1e3, "{:.1f}") for what in ("user", "system"))]


@dataclass(frozen=True)
class Batches:
    cells: list
    commit: float               # files of one
    microseconds: float         # of a file, by the disk model; or None


def batches(label, told, wall, disk, said):
    """A row of many files in batches.

    >>> batches("a", {"operations": 400, "commits": 4}, 2, 1, "same").cells
    ['a', '400', '2.00', '200', '2.0', '2,500', 'same']
    >>> batches("a", {"operations": 400}, None, None, "stopped").cells
    ['a', '400', '-', '-', '-', '-', 'stopped']
    """
    files, commits = told.get("operations"), told.get("commits")
    each = disk / files * 1e6 if disk and files else None
    cells = [label, number(files, "{:,.0f}"), number(wall),
             number(wall and files / wall, "{:,.0f}"),
             number(wall and commits and commits / wall, "{:,.1f}"), number(each, "{:,.0f}"), said]
    return Batches(cells, files / commits if files and commits else 0,
                   each)


def knee_words(rows):
    """Of rows of one program: where larger batches stop to pay. The least that takes no more than 1.1 x the best.

    >>> def row(commit, each): return Batches([], commit, each)
    >>> knee_words([row(0, 1), row(128, 50), row(512, 10.5), row(1024, 10)])
    'By the disk model the knee lies at 512 files: 1.05 times the least time of a file.'
    >>> knee_words([])
    'The knee was not measured.'
    """
    known = [(row.commit, row.microseconds) for row in rows if row.commit and row.microseconds]
    if not known:
        return "The knee was not measured."
    least = min(each for _, each in known)
    commit, each = min(pair for pair in known if pair[1] <= NEAR * least)
    return (f"By the disk model the knee lies at {commit:,.0f} files: {each / least:.3g} times the "
            "least time of a file.")
