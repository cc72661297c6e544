# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the table of a set over a link. Measures nothing."""

import statistics

from e2bench import rowreport
from e2bench.report import MIB, number, ratio
from e2bench.rounds import median

HEADS = ("", "wall s", "min–max (n)", "× e2bfo", "CPU s", "of it not the sender's", "stream MiB",
         "RSS MiB: sender", "receiver", "reads of the source", "disk model, reading s",
         "writes of the target", "result")


def section(name, outcome, caches):
    base = median(outcome.results.get("e2bfo"), caches[0])
    return rowreport.section(name, outcome, HEADS,
                             [row(r, outcome.sides.get(r.key, []), base, caches[0])
                              for r in outcome.results.values()])


def row(result, sides, base, cache):
    wall = median(result, cache)
    cpu = [s.user + s.system for s in result.samples(cache)]
    return [result.label, number(wall), rowreport.spread(result, cache), ratio(wall, base),
            number(statistics.median(cpu) if cpu else None),
            number(middle(sides, "others")), number(of_mib(middle(sides, "stream")), "{:.1f}"),
            *(number(of_mib(middle(sides, what)), "{:.0f}")
              for what in ("sender_rss", "receiver_rss")),
            number(result.source.get("requests"), "{:,}"),
            number(result.source.get("disk"), "{:.1f}"),
            number(result.target.get("requests"), "{:,}"), rowreport.said(result)]


def middle(sides, what):
    return statistics.median(getattr(side, what) for side in sides) if sides else None


def of_mib(value):
    return None if value is None else value / MIB
