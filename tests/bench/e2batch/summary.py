# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: the columns that docs/benchmarks.md has of a run of tests/bench/batch.

Measures nothing.
"""

from e2bench import rowsummary, summary
from e2bench.report import grid
from e2bench.summary import number

from . import sets
from .tables import OF_BATCHES, batches, commit_cells, knee_words

HEADS = ("user s", "system s", "disk, s", "cloud, s", "SSD, s", "MiB")
OF_COMMITS = ("opening, s", "ms a commit", "user ms", "system ms", "reads", "writes", "result")


def markdown(document):
    sets_of = document["sets"]
    plain = {name: one for name, one in sets_of.items() if one["kind"] in (*sets.PLAIN, sets.NAMES)}
    caches = document["caches"]
    parts = [rowsummary.table_of(name, one, caches, HEADS, row) for name, one in plain.items()]
    parts += [of_sizes(name, one, caches) for name, one in sets_of.items()
              if one["kind"] == sets.SIZES]
    sparse = {name: one for name, one in sets_of.items() if one["kind"] in sets.SPARSE}
    if sparse:
        parts.append(of_inodes(sparse))
    return "\n\n".join([*parts, rowsummary.machine(document), summary.goals(document["bars"])])


def of_sizes(name, one, caches):
    results = one["results"].values()
    rows = [batches(r["label"], r["told"], rowsummary.median(r[caches[0]], "wall"),
                    r["target"].get("disk"), rowsummary.words(r)) for r in results]
    ours = [row for r, row in zip(results, rows) if r["group"] == "ours"]
    return "\n".join([summary.wrapped(f"{name}: {one['about']}:"), "",
                      grid((name, *OF_BATCHES[1:]), [row.cells for row in rows], right=range(1, 6)),
                      "", summary.wrapped(knee_words(ours))])


def of_inodes(sparse):
    cells = [[name, *commit_cells(r["told"]), number(r["target_reads"], "{:,}"),
              number(r["target"].get("requests"), "{:,}"), rowsummary.words(r)]
             for name, one in sparse.items() for r in one["results"].values()]
    return "\n".join([summary.wrapped("1,000 files of 4 KB in commits of 100, in sparse images with "
                                      "room for so many inodes:"), "",
                      grid(("inodes", *OF_COMMITS), cells, right=range(1, 7))])


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
