# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the table of a set. Measures nothing."""

from dataclasses import replace

from e2bench import rowreport
from e2bench.report import MIB, number, ratio
from e2bench.rounds import median

from . import sets
from .tables import OF_BATCHES, batches, commit_cells, knee_words

HEADS = ("", "wall s", "min–max (n)", "× ours", "user s", "system s", "RSS MiB", "reads", "writes",
         "disk s", "disk, cached s", "cloud s", "SSD s", "result")
OF_COMMITS = ("", "opening s", "ms a commit", "user ms", "system ms", "reads", "writes", "result")


def section(name, outcome, caches):
    text = ""
    results = outcome.results.values()
    if outcome.kind in sets.SPARSE:
        cells = [[r.label, *commit_cells(r.told), number(r.target_reads, "{:,}"),
                  number(r.target.get("requests"), "{:,}"), rowreport.said(r)] for r in results]
        return rowreport.section(name, outcome, OF_COMMITS, cells)
    if outcome.kind == sets.SIZES:
        rows = [batches(r.label, r.told, median(r, caches[0]), r.target.get("disk"),
                        rowreport.said(r)) for r in results]
        return rowreport.section(name, outcome, OF_BATCHES, [row.cells for row in rows]) + \
            "\n" + knee_words([row for r, row in zip(results, rows) if r.group == "ours"]) + "\n"
    if outcome.floor:
        text = f"\ndd of the data of the batch: {outcome.floor:.2f} s by the disk model.\n"
    return rowreport.section(name, replace(outcome, floor=0), HEADS,
                             [row(r, outcome, caches[0]) for r in results]) + text


def row(result, outcome, cache):
    operation = result.key.split("-", maxsplit=1)[0]
    ours = median(outcome.results.get(f"{operation}-ours"), cache)
    wall, rss = median(result, cache), result.rss()
    return [result.label, number(wall), rowreport.spread(result, cache), ratio(wall, ours),
            *(number(median(result, cache, what)) for what in ("user", "system")),
            number(rss and rss / MIB, "{:.0f}"),
            number(result.target_reads, "{:,}"),
            number(result.target.get("requests"), "{:,}"),
            *(number(result.target.get(model))
              for model in ("disk", "disk_cached", "cloud", "ssd")), rowreport.said(result)]
