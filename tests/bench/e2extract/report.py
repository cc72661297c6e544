# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the table of a set. Measures nothing."""

from e2bench import rowreport
from e2bench.report import MIB, number, ratio
from e2bench.rounds import median

HEADS = ("", "wall s", "min–max (n)", "× dd", "user s", "system s", "RSS MiB",
         "reads of the source", "disk model, reading s", "writes of the target", "result")


def section(name, outcome, caches):
    base = median(outcome.results.get("dd"), caches[0])
    return rowreport.section(name, outcome, HEADS,
                             [row(r, base, caches[0]) for r in outcome.results.values()])


def row(result, base, cache):
    wall, rss = median(result, cache), result.rss()
    return [result.label, number(wall), rowreport.spread(result, cache), ratio(wall, base),
            *(number(median(result, cache, what)) for what in ("user", "system")),
            number(rss and rss / MIB, "{:.0f}"),
            number(result.source.get("requests"), "{:,}"),
            number(result.source.get("disk"), "{:.1f}"),
            number(result.target.get("requests"), "{:,}"), rowreport.said(result)]
