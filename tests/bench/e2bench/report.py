# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the measurements as Markdown tables for people and as JSON for programs.

Measures nothing. Ratios are against dd of the tree's bytes (the limit of the devices) and against
the better of the two block copiers, e2image and partclone: the one with the lower median.
"""

import json
import os
import platform
import statistics
import time
from dataclasses import asdict
from pathlib import Path

from . import bars, contenders, host, models, scale

MIB = 1 << 20
GB = 1e9
PROGRAMS = ("e2bfo", "e2image", "partclone.ext4", "dd", "cp", "tar", "dump", "rsync", "mke2fs",
            "e2fsck")


def number(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def ratio(value, base):
    return "-" if not value or not base else f"{value / base:.2f}"


def table(heads, rows):
    """Markdown; the first column left, the others right."""
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def machine(settings):
    cpu = next((line.split(":", 1)[1].strip() for line in
                Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
                if line.startswith("model name")), platform.machine())
    below = host.sh("findmnt", "-n", "-o", "FSTYPE", "-T", settings.bench_dir).strip()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "kernel": platform.release(),
        "cpu": f"{cpu}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB",
        "images on": below,
        "versions": {name: contenders.version(settings, name) for name in PROGRAMS},
    }


def header(info, settings):
    versions = ", ".join(f"{name} {v}" for name, v in info["versions"].items())
    return (f"# e2bfo benchmark, {info['date']}\n\n"
            f"Linux {info['kernel']}, {info['cpu']}, {info['memory']}; loop devices on files on "
            f"{info['images on']}.\n{versions}.\n\n"
            "Wall time includes the sync of the target device. Medians of "
            f"{settings.runs} runs, tools in turn (file-level tools: as many as fit into "
            f"{settings.file_seconds:g} s; n says how many). The dd row copies a contiguous file "
            "as large as the tree (blocks of its files and directories, and its inodes): the "
            "limit. The first run of each tool was traced and verified. partclone runs with -f 0, "
            "as its progress thread otherwise rounds the time up to pauses of 2 s.\n")


def title(data):
    c = data.contents
    return (f"\n## {data.name}: {data.about}\n\n{c.files:,} files, {c.inodes:,} inodes, "
            f"{c.extents:,} extents, tree {c.tree_bytes / MIB:,.0f} MiB, in use "
            f"{c.used_bytes / MIB:,.0f} of {data.size / MIB:,.0f} MiB.\n")


def best_block(tools, cache):
    values = [r.median(cache) for r in tools.values() if r.group == "block"]
    return min((v for v in values if v), default=None)


def spread(result, cache):
    walls = [s.wall for s in result.samples(cache)]
    if not walls:
        return "-", "-"
    return f"{statistics.median(walls):.2f}", f"{min(walls):.2f}–{max(walls):.2f} ({len(walls)})"


def time_row(result, tools):
    limit = tools.get("dd")
    row = [result.label]
    for cache in ("cold", "warm"):
        base = limit.median(cache) if limit else None
        wall = result.median(cache)
        row += [*spread(result, cache), ratio(wall, base), ratio(wall, best_block(tools, cache))]
    row += [number(result.median("cold", "user")), number(result.median("cold", "system")),
            number(bars.times(result.rss(), 1 / MIB), "{:.0f}")]
    return row + [result.failure or result.verdict or "-"]


def time_table(tools):
    heads = ["tool", "cold s", "min–max (n)", "× dd", "× best block",
             "warm s", "min–max (n)", "× dd", "× best block",
             "user s", "sys s", "RSS MiB", "result"]
    return table(heads, [time_row(r, tools) for r in tools.values()])


def side(s):
    """Cells of one device: requests, MiB, non-contiguous, seek distance."""
    return [f"{s['requests']:,}", f"{s['bytes'] / MIB:,.0f}", f"{s['noncontiguous']:,}",
            f"{s['seek_bytes'] / GB:,.1f}"]


def request_table(tools):
    heads = ["tool", "source reads", "MiB", "non-contig.", "seek GB",
             "target writes", "MiB", "non-contig.", "seek GB"]
    rows = [[r.label, *side(r.source), *side(r.target)] for r in tools.values() if r.source]
    return table(heads, rows)


def model_table(tools):
    heads = ["tool"]
    for model in ("disk", "disk, write cache", "cloud", "SSD"):
        heads += [f"{model}: source s", "target s", "sum × dd"]
    return table(heads, [model_row(r, tools.get("dd")) for r in tools.values() if r.source])


def model_row(result, limit):
    row = [result.label]
    for model in models.NAMES:
        total = result.source[model] + result.target[model]
        base = limit.source[model] + limit.target[model] if limit and limit.source else None
        row += [f"{result.source[model]:.1f}", f"{result.target[model]:.1f}", ratio(total, base)]
    return row


def gap_table(tools, contents):
    """The aged set: what reading over gaps costs in bytes and saves in seeks."""
    heads = ["flat, aged", "source reads", "bytes read ÷ tree", "bytes read ÷ in use",
             "disk model: source s", "target s", "non-contig. writes", "wall s"]
    rows = []
    for key in ("e2bfo", "e2bfo-256M", "e2bfo-256M-gap0", "e2image", "partclone"):
        r = tools.get(key)
        if r and r.source:
            read = r.source["bytes"]
            rows.append([r.label, f"{r.source['requests']:,}", ratio(read, contents.tree_bytes),
                         ratio(read, contents.used_bytes), f"{r.source['disk']:.1f}",
                         f"{r.target['disk']:.1f}", f"{r.target['noncontiguous']:,}",
                         number(r.median("cold"))])
    return ("\n### Reading over gaps\n\nA batch smaller than the set reads over the same gaps "
            "again, from the page cache as long as the machine has memory for it: with less, more "
            "bytes are read.\n\n" + table(heads, rows))


def scale_table(results, data_sets):
    heads = ["e2bfo copy --memory 64M", "user s", "sys s", "wall s", "user µs/file", "wall µs/file",
             "RSS MiB", "P7 + 16 MiB", "result"]
    rows = []
    for name, tools in results.items():
        if name.startswith("scale-"):
            r, c = tools["e2bfo"], data_sets[name].contents
            rows.append([f"{c.files:,} empty files", number(r.median("cold", "user")),
                         number(r.median("cold", "system")), number(r.median("cold")),
                         number(bars.per_file(r, c, "user")), number(bars.per_file(r, c)),
                         number(bars.times(r.rss(), 1 / MIB), "{:.1f}"),
                         f"{bars.memory_limit(c, scale.MEMORY) / MIB:.1f}", r.failure or r.verdict])
    return "\n## Scale: one flat directory of empty files\n\n" + table(heads, rows) if rows else ""


def bar_table(rows):
    words = {True: "met", False: "**missed**", None: "-"}
    cells = [[b.text, b.limit, b.measured, words[b.met]] for b in rows]
    heads = ["bar", "limit", "measured", "met/missed"]
    return "\n## Bars\n\n" + table(heads, cells) if cells else ""


def set_section(data, tools, traced):
    parts = [title(data), time_table(tools)]
    if any(r.source for r in tools.values()):
        parts += [f"Requests ({traced}, first run; models take in target reads too):\n",
                  request_table(tools), model_table(tools)]
    if data.name == "flat":
        parts.append(gap_table(tools, data.contents))
    return "\n".join(parts)


def markdown(settings, info, results, data_sets, notes):
    rows = bars.all_bars(results, {n: d.contents for n, d in data_sets.items()}, scale.MEMORY)
    parts = [header(info, settings)]
    if settings.e2bfo_args:
        parts.append(f"\ne2bfo was run with {' '.join(settings.e2bfo_args)}.\n")
    parts += [f"\nNot taking part: {'; '.join(notes)}.\n"] if notes else []
    parts += [set_section(data_sets[name], tools, settings.caches[0])
              for name, tools in results.items() if not name.startswith("scale-")]
    return "".join(parts) + scale_table(results, data_sets) + bar_table(rows)


def write_json(settings, info, results, data_sets, notes):
    contents = {n: d.contents for n, d in data_sets.items()}
    document = {
        "machine": info,
        "notes": notes,
        "e2bfo_args": settings.e2bfo_args,
        "sets": {n: {"about": d.about, "size": d.size, **asdict(d.contents)}
                 for n, d in data_sets.items()},
        "results": {n: {k: asdict(r) for k, r in tools.items()} for n, tools in results.items()},
        "bars": [asdict(b) for b in bars.all_bars(results, contents, scale.MEMORY)],
    }
    settings.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
