# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: the columns that docs/benchmarks.md has of a run of tests/bench/batch.

Measures nothing.
"""

from e2bench import rowsummary
from e2bench.summary import number

HEADS = ("user s", "system s", "disk, s", "cloud, s", "SSD, s", "MiB")


def markdown(document):
    return rowsummary.markdown(document, HEADS, row)


def row(result, _, caches):
    """
    >>> run = {"user": 0.5, "system": 1, "rss": 1 << 20}
    >>> row({"cold": [run], "target": {"disk": 7.25, "cloud": 1, "ssd": 0.5}}, 1, ["cold"])
    ['0.50', '1.00', '7.2', '1.0', '0.5', '1']
    """
    runs = result[caches[0]]
    return [*(number(rowsummary.median(runs, what)) for what in ("user", "system")),
            *(number(result["target"].get(model), "{:.1f}") for model in ("disk", "cloud", "ssd")),
            rowsummary.memory(result, caches)]
