# SPDX-License-Identifier: GPL-2.0-or-later
"""Rowsummary: what docs/benchmarks.md has of a run of rows: a table for each set, and the goals
that were missed.

Measures nothing. Takes the document that rowreport has written.
"""

import statistics

from . import summary
from .report import MIB, grid


def markdown(document, heads, row):
    """ROW(result, files, caches) gives the cells beside the label and before the result."""
    parts = [table_of(name, outcome, document["caches"], heads, row)
             for name, outcome in document["sets"].items()]
    return "\n\n".join([*parts, machine(document), summary.goals(document["bars"])])


def table_of(name, outcome, caches, heads, row):
    contents = outcome["contents"]
    title = (f"{name}: {outcome['about']}; {contents['files']:,} files, "
             f"{contents['tree_bytes'] / MIB:,.0f} MiB:")
    heads = [name, *[f"{cache}, s" for cache in caches], *heads, "result"]
    rows = [[r["label"].replace(" | ", ", "),
             *[summary.number(median(r[cache], "wall")) for cache in caches],
             *row(r, contents["files"], caches), words(r)] for r in outcome["results"].values()]
    return "\n".join([summary.wrapped(title), "",
                      grid(heads, rows, right=range(1, len(heads) - 1))])


def words(result):
    """
    >>> words({"stopped": 3}), words({"stopped": 0, "failure": "", "judged": "same"})
    ('stopped after 3 s', 'same')
    """
    if result["stopped"]:
        return f"stopped after {result['stopped']:g} s"
    return result["failure"] or result["judged"] or "-"


def median(runs, what, factor=1):
    return statistics.median(run[what] for run in runs) * factor if runs else None


def memory(result, caches):
    """MiB, the most of all runs."""
    most = max((run["rss"] / MIB for cache in caches for run in result[cache]), default=None)
    return summary.number(most, "{:.0f}")


def machine(document):
    info = document["machine"]
    asked = f" Asked for: {document['asked']}." if document["asked"] else ""
    return summary.wrapped(f"Commit {info['commit']}, {info['date']}: Linux {info['kernel']}, "
                           f"{info['cpu']}, {info['memory']}; loop devices on files on "
                           f"{info['images on']}. {document['others']}{asked}")
