# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the measurements as Markdown, as JSON, and as plots of blocks over time.

Measures nothing. A plot has a dot for each request: where it lies on the device, and when the disk
of the model comes to it; so pictures do not depend on the machine.
"""

import json

from e2bench import models, plot

from . import readers, tables

DRAWN = ("kernel", "sorted", "index", "copied")
WAYS_DRAWN = ("plain", "preload", "spd")


def document(settings, info, others, measured, seconds):
    """Everything, as json can write it. MEASURED: {"matrix": ..., "readers": ..., "notes": ...}"""
    return {
        "machine": info, "others": others, "asked": settings.said, "limit": settings.limit,
        "timeout": settings.timeout, "elapsed": seconds, "notes": measured["notes"],
        "matrix": {name: cell_json(outcome) for name, outcome in measured["matrix"].items()},
        "readers": {name: set_json(outcome) for name, outcome in measured["readers"].items()},
    }


def cell_json(outcome):
    one = outcome.cell.set
    return {"words": one.words, "files": one.files, "bytes": one.bytes, "state": one.state,
            "memory": outcome.cell.memory, "floor": outcome.floor.as_json(),
            "results": {operation: {key: result.as_json() for key, result in rows.items()}
                        for operation, rows in outcome.results.items()}}


def set_json(outcome):
    known = {reader.key: reader for reader in readers.READERS}
    return {"words": outcome.set.words, "files": outcome.set.files,
            "floor": outcome.floor.as_json(),
            "results": {key: {"label": known[key].label, "sorts": known[key].sorts,
                              "ways": {way: result.as_json() for way, result in rows.items()}}
                        for key, rows in outcome.results.items()}}


def write_json(settings, written):
    settings.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


# ---- plots ----

def points(requests):
    """[(seconds of the disk, MiB)]"""
    found, now = [], 0.0
    for gap, request in zip(models.gaps(requests), requests):
        now += models.seek_seconds(gap) + request.size / models.DISK_RATE
        found.append((now, request.start / tables.MIB))
    return found


def picture(title, rows, drawn):
    series = [(rows[key].label, points(rows[key].log)) for key in drawn
              if key in rows and rows[key].log]
    return plot.scatter(title, "seconds of the disk model", "MiB of the device",
                        series) if series else ""


def plots(measured):
    """{name: SVG}, of rows in which order shows: aged directories of files that have blocks."""
    found = {}
    for name, outcome in measured["matrix"].items():
        one = outcome.cell.set
        if one.state == "aged" and outcome.cell.memory == "free":
            for operation, rows in outcome.results.items():
                found[f"thesis-{operation}-{one.name}"] = picture(
                    f"{operation}: {one.words}", rows, DRAWN)
    for name, outcome in measured["readers"].items():
        for key, rows in outcome.results.items():
            found[f"thesis-reader-{key}-{name}"] = picture(
                f"{key}: {outcome.set.words}", rows, WAYS_DRAWN)
    return {name: text for name, text in found.items() if text}


def write_plots(settings, measured):
    for name, text in plots(measured).items():
        (settings.json.parent / f"{name}.svg").write_text(text, encoding="utf-8")


# ---- Markdown ----

def header(written):
    info = written["machine"]
    asked = f" Asked for: {written['asked']}." if written["asked"] else ""
    return (f"# Inode order: the thesis's tables, {info['date']}\n\n"
            f"Linux {info['kernel']}, {info['cpu']}, {info['memory']}; loop devices on files on "
            f"{info['images on']}. Commit {info['commit']}. {written['others']}{asked}\n\n"
            f"{models.ABOUT}\n\nfirst: until the first output. disk: with a write cache; no cache: "
            "without. up: share of steps from a file to the next on which the inode number grows. "
            "× less: disk, against the first row.\n")


def cell_section(cell, limit):
    memory = f", {limit >> 20} MiB of memory" if cell["memory"] == "limit" else ""
    parts = [f"\n## {cell['words']}{memory}\n\n{tables.floor(cell['floor'])}\n"]
    parts += [f"\n{tables.full(name, rows, 'kernel')}\n" for name, rows in cell["results"].items()]
    return "".join(parts) + lines(tables.failures(cell["results"]))


def set_section(one):
    parts = [f"\n## Programs: {one['words']}\n\n{tables.floor(one['floor'])}\n"]
    parts += [f"\n{tables.full(reader['label'], reader['ways'], 'plain')}\n"
              for reader in one["results"].values()]
    return "".join(parts) + lines(tables.failures(
        {reader["label"]: reader["ways"] for reader in one["results"].values()}))


def lines(found):
    return "\n" + "\n".join(found) + "\n" if found else ""


def markdown(written):
    parts = [header(written)]
    parts += [cell_section(cell, written["limit"]) for cell in written["matrix"].values()]
    parts += [set_section(one) for one in written["readers"].values()]
    said = ", ".join(f"{name} {value:.0f} s" for name, value in written["elapsed"].items())
    return "".join(parts) + lines(f" * {note}" for note in written["notes"]) + (
        f"\nTime taken, images included: {said}.\n")
