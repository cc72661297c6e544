# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the measurements as Markdown for people and as JSON for programs.

Measures nothing. Medians of all runs; requests are those of the first, cold one.
"""

import json
from dataclasses import asdict

from e2bench.report import MIB, number, ratio, table

from . import bars
from .experiment import median

WORDS = {True: "met", False: "**missed**", None: "-"}


def spread(result, cache):
    walls = [sample.wall for sample in result.samples(cache)]
    return f"{min(walls):.2f}–{max(walls):.2f} ({len(walls)})" if walls else "-"


def said(result):
    if result.stopped:
        return f"stopped after {result.stopped:g} s"
    return "; ".join(filter(None, (result.judged, result.failure, result.untraced))) or "-"


def row(result, outcome, caches):
    files, rss = outcome.contents.files, result.rss()
    floor = outcome.results.get("tar-read") or outcome.results.get("dd-tar")
    cells = [result.label]
    for cache in caches:
        wall = median(result, cache)
        cells += [number(wall), spread(result, cache), ratio(wall, median(floor, cache))]
    cells += [number(max(result.reread, default=None), "{:,.0f}")]
    cells += [us(median(result, caches[-1], what), files) for what in ("user", "system")]
    cells += [number(rss and rss / MIB, "{:.0f}"),
              number(result.source.get("requests"), "{:,}"),
              number(result.source.get("disk"), "{:.1f}"),
              number(result.target.get("requests"), "{:,}"), said(result)]
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
    notes = "".join(f"\nNot measured: {note}.\n" for note in outcome.notes)
    once = (f" Its blocks, read in order once: {outcome.floor:.2f} s by the disk model."
            if outcome.floor else "")
    return (f"\n## {name}\n\n{outcome.about}; {outcome.contents.files:,} files, "
            f"{outcome.contents.tree_bytes / MIB:,.0f} MiB.{once}\n\n"
            + table(heads, [row(r, outcome, caches) for r in outcome.results.values()]) + notes)


def header(asked, info, others):
    shown = f" Asked for: {asked.said}." if asked.said else ""
    return (f"# Filesystems of directories and archives, {info['date']}\n\n"
            f"Commit {info['commit']}. Linux {info['kernel']}, {info['cpu']}, {info['memory']}; "
            f"loop devices on files on {info['images on']}.{shown} {others}\n")


def goals(outcomes):
    rows = bars.all_bars(outcomes)
    cells = [[b.text, b.limit, b.measured, WORDS[b.met]] for b in rows]
    return "\n## Goals\n\n" + table(["goal", "limit", "measured", "met/missed"], cells)


def markdown(asked, info, others, outcomes, seconds):
    parts = [section(name, outcome, asked.base.caches) for name, outcome in outcomes.items()]
    took = ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items())
    minutes = sum(seconds.values()) / 60
    return "".join([header(asked, info, others), *parts, goals(outcomes),
                    f"\nTime taken, images included: {took}; together {minutes:.1f} min.\n"])


def write_json(asked, info, others, outcomes, seconds):
    document = {
        "machine": info, "others": others, "asked": asked.said, "caches": list(asked.base.caches),
        "elapsed": seconds, "sets": {name: asdict(outcome) for name, outcome in outcomes.items()},
        "bars": [asdict(b) for b in bars.all_bars(outcomes)]}
    asked.base.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
