# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: the columns that docs/benchmarks.md has of a run of tests/bench/send.

Measures nothing.
"""

import statistics

from e2bench import rowsummary
from e2bench.summary import number

HEADS = ("CPU s", "MiB")


def markdown(document):
    return rowsummary.markdown(document, HEADS, row)


def row(result, _, caches):
    """
    >>> run = {"user": 0.5, "system": 1, "rss": 1 << 20}
    >>> row({"cold": [run]}, 1, ["cold"]), row({"cold": []}, 1, ["cold"])
    (['1.50', '1'], ['-', '-'])
    """
    cpu = [run["user"] + run["system"] for run in result[caches[0]]]
    return [number(statistics.median(cpu) if cpu else None), rowsummary.memory(result, caches)]
