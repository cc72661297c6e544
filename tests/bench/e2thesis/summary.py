# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: what docs/benchmarks.md has of a run of tests/bench/thesis.

Measures nothing. Every cell has its disk model and wall times; one, that with most operations and
files, has everything.
"""

from e2bench.summary import number, wrapped

from . import tables


def heading(cell, limit):
    memory = f", {limit >> 20} MiB of memory" if cell["memory"] == "limit" else ""
    return wrapped(f"{cell['words']}{memory} ({tables.floor(cell['floor'])}):")


def in_full(cells):
    """The key of the cell that is told in full."""
    def rank(key):
        cell = cells[key]
        return (len(cell["results"]), cell["files"], cell["bytes"], cell["state"] == "aged",
                cell["memory"] == "free")
    return max(cells, key=rank, default=None)


LARGE = 100_000


def asked_for(cell):
    """What was read, and what that took, of operations that only read large directories."""
    rows = [(f"{operation}: {result['label']}", result)
            for operation, results in cell["results"].items() for result in results.values()]
    grid = tables.kinds(rows) if cell["files"] >= LARGE else ""
    return ["What that was for:", grid] if grid else []


def kept(cells):
    """What bringing an index up to date adds to e2bfo batch: a line for each cell, operation."""
    found = []
    for cell in cells.values():
        for operation, rows in cell["results"].items():
            without, with_ = rows.get("batch"), rows.get("batch-index")
            a, b = tables.median(without, "wall"), tables.median(with_, "wall")
            c, d = tables.model(without), tables.model(with_)
            if a and b and c and d:
                found.append(wrapped(
                    f" * {cell['words']}, {operation}: {b:.2f} s instead of {a:.2f} "
                    f"({percent(b, a)}), disk {d:.1f} s instead of {c:.1f} ({percent(d, c)}).",
                    "   "))
    return found


def percent(value, base):
    """
    >>> percent(1.4, 1), percent(1, 2)
    ('+40 %', '−50 %')
    """
    return f"{(value / base - 1) * 100:+.0f} %".replace("-", "−")


def matrix(document):
    cells, limit = document["matrix"], document["limit"]
    parts = []
    for name, cell in cells.items():
        parts += [heading(cell, limit), tables.short(cell)]
        if name == in_full(cells):
            parts += ["The same in full:"]
            parts += [tables.full(operation, rows, "kernel")
                      for operation, rows in cell["results"].items()]
        parts += asked_for(cell)
        parts += ["\n".join(tables.failures(cell["results"]))]
    found = kept(cells)
    if found:
        parts += ["What keeping the index, by `e2itree -p`, adds to `e2bfo batch`:", "\n".join(found)]
    return parts


def readers(document):
    parts = []
    for one in document["readers"].values():
        rows = {reader["label"]: reader["ways"] for reader in one["results"].values()}
        grid = tables.kinds([(f"{label}: {result['label']}", result)
                             for label, ways in rows.items() for result in ways.values()])
        parts += [heading(one | {"memory": "free"}, 0), tables.readers(one), grid,
                  "\n".join(tables.failures(rows))]
    found = tables.goals(document["readers"])
    if found:
        lines = [f" * {text}: {number(value, '{:.1f}')}{verdict(value)}" for text, value in found]
        parts += ["The goal, of programs that do not sort:", "\n".join(map(wrapped, lines))]
    return parts


def verdict(value):
    """
    >>> verdict(8.1), verdict(3.0), verdict(None)
    (', met.', ', missed.', ', not measured.')
    """
    if value is None:
        return ", not measured."
    return ", met." if value >= tables.GOAL else ", missed."


def machine(document):
    info = document["machine"]
    asked = f" Asked for: {document['asked']}." if document["asked"] else ""
    took = sum(document["elapsed"].values()) / 60
    return wrapped(
        f"Commit {info['commit']}, {info['date']}: Linux {info['kernel']}, {info['cpu']}, "
        f"{info['memory']}; loop devices on files on {info['images on']}. {document['others']} "
        f"It took {took:.0f} minutes, images included.{asked}")


def markdown(document):
    notes = "\n".join(wrapped(f" * {note}.", "   ") for note in document["notes"])
    return "\n\n".join(filter(None, [*matrix(document), *readers(document), notes,
                                     machine(document)]))
