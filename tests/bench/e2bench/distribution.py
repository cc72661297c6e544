# SPDX-License-Identifier: GPL-2.0-or-later
"""Distribution: how large the requests are with which a tool copies a tree.

Measures nothing, but counts what was traced when the tools copied the kernel tree (models.summary):
number and bytes of the requests of each power of two, reads of the source, writes of the target.
"""

from dataclasses import dataclass

from . import plot, report

SET = "kernel"
TOOLS = ("e2bfo", "e2image", "cp", "tar")
SIDES = {"source": "reads of the source", "target": "writes of the target"}
MIB = 1 << 20


@dataclass
class Results:
    about: str                  # of the data set
    sides: dict                 # side -> {label: [[least size, number, bytes], ...]}


def of(copies):
    """Of copies.Copies; None if nothing of that set was traced."""
    results = copies.results.get(SET, {})
    done = [results[key] for key in TOOLS if key in results and results[key].source]
    sides = {side: {r.label: getattr(r, side)["sizes"] for r in done} for side in SIDES}
    return Results(copies.data[SET].about, sides) if done else None


def all_sizes(histograms):
    """Every power of two from the least to the largest that occurs."""
    sizes = [row[0] for rows in histograms.values() for row in rows]
    least, most = min(sizes, default=1), max(sizes, default=1)
    return [1 << i for i in range(least.bit_length() - 1, most.bit_length())]


def column(histogram, sizes, what):
    """Number (1) or bytes (2) for each of SIZES."""
    found = {row[0]: row[what] for row in histogram}
    return [found.get(size, 0) for size in sizes]


def average(histogram):
    return sum(row[2] for row in histogram) / max(sum(row[1] for row in histogram), 1)


def side_table(histograms):
    sizes = all_sizes(histograms)
    heads, columns = ["size from"], []
    for label, histogram in histograms.items():
        heads += [f"{label}: number", "MiB"]
        columns += [[f"{n:,}" for n in column(histogram, sizes, 1)],
                    [f"{n / MIB:,.1f}" for n in column(histogram, sizes, 2)]]
    rows = [[plot.size_text(size), *cells] for size, *cells in zip(sizes, *columns)]
    last = ["all; average"]
    for histogram in histograms.values():
        last += [f"{sum(row[1] for row in histogram):,}",
                 f"{average(histogram) / 1024:,.0f} KiB"]
    return report.table(heads, [*rows, last])


def section(results):
    if not results:
        return ""
    parts = [f"\n## Sizes of requests\n\n{results.about}; cold. A row counts the "
             "requests from its size up to the next one's, as the device got them.\n"]
    for side, text in SIDES.items():
        parts.append(f"\n{text[0].upper() + text[1:]}:\n\n{side_table(results.sides[side])}")
    return "".join(parts)


def plots(results):
    found = {}
    for side, text in SIDES.items() if results else ():
        histograms = results.sides[side]
        sizes = all_sizes(histograms)
        names = [plot.size_text(size) for size in sizes]
        for what, unit in ((1, "requests"), (2, "MiB")):
            series = [(label,
                       [n / MIB if what == 2 else n for n in column(rows, sizes, what)])
                      for label, rows in histograms.items()]
            found[f"sizes-{side}-{unit.lower()}"] = plot.bars(
                f"Sizes of requests: {text}, {unit}", unit, names, series,
                xlabel="size of a request, from", ylog=what == 1)
    return found
