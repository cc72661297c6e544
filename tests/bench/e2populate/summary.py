# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: what docs/benchmarks.md has of a run: a table for each set, and the goals that were
missed.

Measures nothing. Takes the document that tests/bench/populate has written.
"""

import statistics

from e2bench import summary
from e2bench.report import grid
from e2bench.summary import number, wrapped

MIB = 1 << 20


def markdown(document):
    parts = [table_of(name, outcome, document["caches"])
             for name, outcome in document["sets"].items()]
    return "\n\n".join([*parts, machine(document), summary.goals(document["bars"])])


def table_of(name, outcome, caches):
    contents = outcome["contents"]
    title = (f"{name}: {outcome['about']}; {contents['files']:,} files, "
             f"{contents['tree_bytes'] / MIB:,.0f} MiB:")
    heads = [name, *[f"{cache}, s" for cache in caches], "user µs/file", "system µs/file", "MiB",
             "result"]
    rows = [row(r, contents["files"], caches) for r in outcome["results"].values()]
    return "\n".join([wrapped(title), "", grid(heads, rows, right=range(1, len(heads) - 1))])


def row(result, files, caches):
    """
    >>> run = {"wall": 2.0, "user": 0.001, "system": 0.002, "rss": 1 << 20}
    >>> result = {"label": "a | b", "warm": [run], "judged": "same", "stopped": 0, "failure": ""}
    >>> row(result, 100, ["warm"])
    ['a, b', '2.00', '10.0', '20.0', '1', 'same']
    """
    last = result[caches[-1]]
    cpu = [number(median(last, what, 1e6 / files), "{:.1f}") for what in ("user", "system")]
    walls = [number(median(result[cache], "wall")) for cache in caches]
    rss = max((run["rss"] / MIB for cache in caches for run in result[cache]), default=None)
    return [result["label"].replace(" | ", ", "), *walls, *cpu, number(rss, "{:.0f}"),
            words(result)]


def words(result):
    if result["stopped"]:
        return f"stopped after {result['stopped']:g} s"
    return result["failure"] or result["judged"] or "-"


def median(runs, what, factor=1):
    return statistics.median(run[what] for run in runs) * factor if runs else None


def machine(document):
    info = document["machine"]
    asked = f" Asked for: {document['asked']}." if document["asked"] else ""
    return wrapped(f"Commit {info['commit']}, {info['date']}: Linux {info['kernel']}, "
                   f"{info['cpu']}, {info['memory']}; loop devices on files on "
                   f"{info['images on']}. {document['others']}{asked}")
