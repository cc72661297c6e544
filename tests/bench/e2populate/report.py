# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the table of a set. Measures nothing."""

from e2bench import rowreport
from e2bench.report import MIB, number, ratio
from e2bench.rounds import median


def row(result, outcome, caches):
    files, rss = outcome.contents.files, result.rss()
    floor = outcome.results.get("tar-read") or outcome.results.get("dd-tar")
    cells = [result.label]
    for cache in caches:
        wall = median(result, cache)
        cells += [number(wall), rowreport.spread(result, cache), ratio(wall, median(floor, cache))]
    cells += [number(max(result.reread, default=None), "{:,.0f}")]
    cells += [us(median(result, caches[-1], what), files) for what in ("user", "system")]
    cells += [number(rss and rss / MIB, "{:.0f}"),
              number(result.source.get("requests"), "{:,}"),
              number(result.source.get("disk"), "{:.1f}"),
              number(result.target.get("requests"), "{:,}"), rowreport.said(result)]
    return cells


def us(value, files):
    return "-" if value is None else f"{value / files * 1e6:.1f}"


def section(name, outcome, caches):
    floor = outcome.results.get("tar-read") or outcome.results.get("dd-tar")
    heads = [""]
    for cache in caches:
        heads += [f"{cache}: wall s", "min–max (n)", f"× {floor.label if floor else 'floor'}"]
    heads += ["MiB read, warm", f"{caches[-1]}: user µs/file", "system µs/file", "RSS MiB",
              "reads of the source", "disk model, reading s", "writes of the target", "result"]
    return rowreport.section(name, outcome, heads,
                             [row(r, outcome, caches) for r in outcome.results.values()])
