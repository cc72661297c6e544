# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: the columns that docs/benchmarks.md has of a run of tests/bench/populate.

Measures nothing.
"""

from e2bench import rowsummary
from e2bench.summary import number

HEADS = ("user µs/file", "system µs/file", "MiB")


def markdown(document):
    return rowsummary.markdown(document, HEADS, row)


def row(result, files, caches):
    """
    >>> run = {"wall": 2.0, "user": 0.001, "system": 0.002, "rss": 1 << 20}
    >>> row({"warm": [run]}, 100, ["warm"])
    ['10.0', '20.0', '1']
    """
    last = result[caches[-1]]
    return [*(number(rowsummary.median(last, what, 1e6 / files), "{:.1f}")
              for what in ("user", "system")), rowsummary.memory(result, caches)]
