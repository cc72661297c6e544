# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the measurements as Markdown tables for people and as JSON for programs.

Measures nothing. Medians of all runs; requests are those of the first.
"""

import json
from dataclasses import asdict

from e2bench.report import GB, MIB, number, ratio, table

from . import contenders


def header(settings, info, shown):
    return (f"# Index of directories, {info['date']}\n\n"
            f"Linux {info['kernel']}, {info['cpu']}, {info['memory']}; loop devices on files on "
            f"{info['images on']}.\n\n"
            f"One directory, /flat, of files of {settings.bytes:,} bytes: made by the kernel in "
            "random order, then a random fifth erased and as many made anew. Cold caches; medians "
            f"of {settings.runs} runs.{shown}\n")


def us(value, files):
    return "-" if value is None else f"{value / files * 1e6:.2f}"


def make_table(sets):
    heads = ["", "files", "wall s", "user s", "sys s", "CPU µs/file", "RSS MiB",
             "CPU ÷ e2fsck -fyD", "wall ÷ e2fsck -fyD", "wall ÷ e2itree", "CPU ÷ e2itree"]
    rows = []
    for maker in contenders.MAKERS:
        for files, (_, results) in sets.items():
            if maker.key in results:
                rows.append(make_row(files, results[maker.key], results))
    return ("\n## Making and checking\n\nTime includes the sync of the device. If the µs per file "
            "stay the same, the cost is linear. The filesystem was mounted since its last check: "
            "without --trust, e2itree -p compares its bitmaps with its inodes first.\n\n" +
            table(heads, rows)) if rows else ""


def make_row(files, r, results):
    def against(key, what):
        return ratio(r.median(what), results[key].median(what)) if key in results else "-"
    return [r.label, f"{files:,}", number(r.median("wall")), number(r.median("user")),
            number(r.median("system")), us(r.median("cpu"), files),
            number(r.median("rss") / MIB, "{:.1f}"), against("fsck", "cpu"),
            against("fsck", "wall"), against("build", "wall"), against("build", "cpu")]


def list_table(results):
    heads = ["", "first line: CPU ms", "wall ms", "all: wall s", "user s", "sys s", "RSS MiB",
             "ascending steps"]
    rows = [[r.label, f"{r.median('first_cpu') * 1e3:.1f}", f"{r.median('first_wall') * 1e3:.1f}",
             number(r.median("wall")), number(r.median("user")), number(r.median("system")),
             number(r.median("rss") / MIB, "{:.1f}"), number(r.order, "{:.4f}")]
            for r in readers(results)]
    return table(heads, rows)


def request_table(results):
    """What reached the device. The model is that of e2bench/models.py: a disk of 7200 rpm."""
    heads = ["", "reads", "MiB", "non-contig.", "seek GB", "disk model s", "× fewer non-contig."]
    base = results.get("kernel-unsorted")
    base = base.requests["noncontiguous"] if base else None
    rows = []
    for r in readers(results):
        q = r.requests
        fewer = ratio(base, q["noncontiguous"]) if q["noncontiguous"] else "-"
        rows.append([r.label, f"{r.reads:,}", f"{q['bytes'] / MIB:,.1f}",
                     f"{q['noncontiguous']:,}", f"{q['seek_bytes'] / GB:,.1f}",
                     f"{q['disk']:.1f}", fewer])
    return table(heads, rows)


def readers(results):
    return [results[c.key] for c in contenders.READERS if c.key in results]


def list_section(files, results):
    if not readers(results):
        return ""
    return (f"\n## Listing {files:,} files with their attributes\n\n"
            "First line: the first output, which with most programs is a buffer of 4 KB; CPU is "
            "user and system time until then. ls -1U reads no attributes: it is the least that "
            "readdir costs.\n\n" + list_table(results) +
            "\nRequests (first run), fewer: than readdir with stat as names come, which is what "
            "the itree thesis compares with. cp, find and rsync of today sort by inode "
            "themselves, so theirs is the last row.\n\n" + request_table(results))


def markdown(settings, info, sets):
    shown = "" if not settings.rows else f" Only these rows: {', '.join(settings.rows)}."
    return (header(settings, info, shown) + make_table(sets) +
            "".join(list_section(files, results) for files, (_, results) in sets.items()))


def write_json(settings, info, sets):
    document = {
        "machine": info, "bytes": settings.bytes, "runs": settings.runs,
        "sets": {str(files): {"about": data.about, "size": data.size, **asdict(data.contents),
                              "results": {k: asdict(r) for k, r in results.items()}}
                 for files, (data, results) in sets.items()}}
    settings.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
