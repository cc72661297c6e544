# SPDX-License-Identifier: GPL-2.0-or-later
"""Rowreport: what benchmarks of rows (rows.py) say, as Markdown for people and as JSON for
programs.

Measures nothing. Medians of all runs; requests are those of the first, cold one.
"""

import json
from dataclasses import asdict

from . import report

WORDS = {True: "met", False: "**missed**", None: "-"}


def spread(result, cache):
    walls = [sample.wall for sample in result.samples(cache)]
    return f"{min(walls):.2f}–{max(walls):.2f} ({len(walls)})" if walls else "-"


def said(result):
    if result.stopped:
        return f"stopped after {result.stopped:g} s"
    return "; ".join(filter(None, (result.judged, result.failure, result.untraced))) or "-"


def section(name, outcome, heads, cells):
    """Of a set: what it is, a table, who did not take part."""
    notes = "".join(f"\nNot measured: {note}.\n" for note in outcome.notes)
    once = (f" Its blocks, read in order once: {outcome.floor:.2f} s by the disk model."
            if outcome.floor else "")
    return (f"\n## {name}\n\n{outcome.about}; {outcome.contents.files:,} files, "
            f"{outcome.contents.tree_bytes / report.MIB:,.0f} MiB.{once}\n\n"
            + report.table(heads, cells) + notes)


def header(title, asked, info, others):
    shown = f" Asked for: {asked.said}." if asked.said else ""
    return (f"# {title}, {info['date']}\n\n"
            f"Commit {info['commit']}. Linux {info['kernel']}, {info['cpu']}, {info['memory']}; "
            f"loop devices on files on {info['images on']}.{shown} {others}\n")


def goals(bars):
    cells = [[b.text, b.limit, b.measured, WORDS[b.met]] for b in bars]
    return "\n## Goals\n\n" + report.table(["goal", "limit", "measured", "met/missed"], cells)


def write_json(asked, info, others, outcomes, seconds, bars):
    document = {
        "machine": info, "others": others, "asked": asked.said, "caches": list(asked.base.caches),
        "elapsed": seconds, "sets": {name: asdict(outcome) for name, outcome in outcomes.items()},
        "bars": [asdict(b) for b in bars]}
    asked.base.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
