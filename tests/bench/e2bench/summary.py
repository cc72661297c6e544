# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: what docs/benchmarks.md has of a run: a table for each kernel tree and flat directory,
and the goals that were missed.

Measures nothing. Takes the document that tests/bench/run has written, so that a run of a quarter of
an hour prints its report, and is summed up afterwards.
"""

import statistics
import textwrap

from .report import grid

WIDTH = 100
GROUPS = ("kernel", "flat")
MIB = 1 << 20


def markdown(document):
    copies = document["parts"].get("copies")
    parts = [table_of(name, copies, copies["caches"][0]) for name, data in
             (copies["sets"] if copies else {}).items() if data["group"] in GROUPS]
    return "\n\n".join([*parts, machine(document), goals(document["bars"])])


def table_of(name, copies, cache):
    data, tools = copies["sets"][name], copies["results"][name]
    heads = [name, "s", "min–max (n)", "× dd", "disk, s", "result"]
    title = (f"{name}: {data['about']}; {data['files']:,} files, "
             f"{data['tree_bytes'] / MIB:,.0f} MiB:")
    base = limit(tools.values(), cache)
    rows = [row(r, cache, base) for r in tools.values()]
    return "\n".join([wrapped(title), "", grid(heads, rows, right=range(1, 5))])


def row(result, cache, base):
    walls = [sample["wall"] for sample in result[cache]]
    wall = statistics.median(walls) if walls else None
    return [result["label"].replace(" | ", ", "),
            number(wall), f"{min(walls):.2f}–{max(walls):.2f} ({len(walls)})" if walls else "-",
            number(wall / base if wall and base else None),
            number(disk(result), "{:.1f}"), result["words"]]


def limit(results, cache):
    """Seconds of the faster dd.

    >>> dd = lambda *walls: {"group": "limit", "cold": [{"wall": w} for w in walls]}
    >>> limit([dd(3, 9, 4), dd(5), dd(), {"group": "file", "cold": [{"wall": 1}]}], "cold")
    4
    """
    return min((statistics.median(s["wall"] for s in r[cache]) for r in results
                if r["group"] == "limit" and r[cache]), default=None)


def disk(result):
    """Seconds of the model with a write cache, both devices; None if it was not traced."""
    if not result["source"]:
        return None
    return result["source"]["disk_cached"] + result["target"]["disk_cached"]


def number(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def machine(document):
    info = document["machine"]
    asked = f" Asked for: {document['asked']}." if document["asked"] else ""
    return wrapped(f"Commit {info['commit']}, {info['date']}: Linux {info['kernel']}, {info['cpu']}, "
                   f"{info['memory']}; loop devices on files on {info['images on']}. They say that "
                   f"they are rotational, where nothing else is said.{asked}")


def goals(bars):
    """What was missed, one by one.

    >>> print(goals([dict(text="a", limit="1", measured="2", met=False),
    ...              dict(text="b", limit="1", measured="1", met=True),
    ...              dict(text="c", limit="-", measured="not measured", met=None)]))
    1 of 3 goals was missed, 1 was not measured:
    <BLANKLINE>
     * a: 2; the limit is 1.
    """
    missed = [b for b in bars if b["met"] is False]
    unknown = sum(b["met"] is None for b in bars)
    said = f"{len(missed)} of {len(bars)} goals {were(len(missed))} missed"
    said += f", {unknown} {were(unknown)} not measured" if unknown else ""
    lines = [wrapped(f" * {b['text']}: {b['measured']}; the limit is {b['limit']}.", "   ")
             for b in missed]
    return "\n".join([f"{said}:", "", *lines]) if lines else f"{said}."


def were(count):
    return "was" if count == 1 else "were"


def wrapped(text, indent=""):
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)
