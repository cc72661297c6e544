# SPDX-License-Identifier: GPL-2.0-or-later
"""Copy tables: what copies.py measured, as Markdown. Measures nothing."""

import statistics

from . import models, ranks
from .report import GB, MIB, number, percent, ratio, table

PAPER_KERNEL = "the BFO paper: −46.6 % against cp, on a disk, six trees"


def section(copies):
    parts = [f"\n## Copies\n\n{copies.about}\n"]
    parts += [f"\nNot taking part: {'; '.join(copies.notes)}.\n"] if copies.notes else []
    parts += [set_section(data, copies.results[name], copies.caches, copies.floors.get(name))
              for name, data in copies.data.items()]
    return "".join([*parts, kernel_table(copies), aged_table(copies)])


def set_section(data, tools, caches, floor):
    parts = [title(data)]
    parts += [time_table(data, tools, cache) for cache in caches]
    if any(r.source for r in tools.values()):
        unseen = [r.label for r in tools.values() if not r.source]
        parts += ["Without requests, as they failed or were stopped: "
                  f"{', '.join(unseen)}.\n"] if unseen else []
        parts += [f"Requests ({caches[0]}, first run):\n", request_table(tools),
                  "Models, both devices one after the other, reads of the target taken in:\n",
                  model_table(tools, floor)]
    if data.aged and "e2bfo-256M" in tools:
        parts.append(gap_table(tools, data.contents))
    return "\n".join(parts)


def title(data):
    c = data.contents
    return (f"\n### {data.name}: {data.about}\n\n{c.files:,} files, {c.inodes:,} inodes, "
            f"{c.extents:,} extents, {c.fragmented:,} files of more than one; tree "
            f"{c.tree_bytes / MIB:,.0f} MiB, in use {c.used_bytes / MIB:,.0f} of "
            f"{data.size / MIB:,.0f} MiB ({c.used_bytes / c.total_bytes:.0%}).\n")


# ---- time ----

def spread(result, cache):
    walls = [s.wall for s in result.samples(cache)]
    if not walls:
        return "-", "-"
    return f"{statistics.median(walls):.2f}", f"{min(walls):.2f}–{max(walls):.2f} ({len(walls)})"


def bases(tools, cache):
    """What wall times are held against: seconds, or None."""
    return [ranks.wall(r, cache) for r in (
        ranks.limit(tools, cache), ranks.best_equal(tools, cache), ranks.best_file(tools, cache))]


def time_row(result, tools, cache, inodes):
    wall = result.median(cache)
    rss = result.rss()
    return [result.label, *spread(result, cache),
            *(ratio(wall, base) for base in bases(tools, cache)),
            number(result.median(cache, "user")), number(result.median(cache, "system")),
            number(rss and rss / MIB, "{:.0f}"), result.words(inodes)]


def time_table(data, tools, cache):
    heads = ["tool", f"{cache} s", "min–max (n)", "× dd", "× best equal", "× best file-level",
             "user s", "sys s", "RSS MiB", "result"]
    return table(heads, [time_row(r, tools, cache, data.contents.inodes)
                         for r in tools.values()])


# ---- requests and models ----

def side(s):
    """Cells of one device: requests, MiB, non-contiguous, seek distance."""
    return [f"{s['requests']:,}", f"{s['bytes'] / MIB:,.0f}", f"{s['noncontiguous']:,}",
            f"{s['seek_bytes'] / GB:,.1f}"]


def request_table(tools):
    heads = ["tool", "source reads", "MiB", "non-contig.", "seek GB",
             "target writes", "MiB", "non-contig.", "seek GB"]
    rows = [[r.label, *side(r.source), *side(r.target)] for r in tools.values() if r.source]
    return table(heads, rows)


def model_table(tools, floor):
    heads = ["tool"]
    for model in models.NAMES:
        heads += [f"{models.WORDS[model]}: s", "× dd", "× best equal"]
    rows = [model_row(r.label, {m: ranks.model_seconds(r, m) for m in models.NAMES}, tools)
            for r in tools.values() if r.source]
    if floor:
        rows.append(model_row("floor", floor, tools))
    return table(heads, rows)


def model_row(label, modelled, tools):
    row = [label]
    for model, seconds in modelled.items():
        row += [f"{seconds:.1f}", ratio(seconds, ranks.limit_model(tools, model)),
                ratio(seconds, ranks.best_equal_model(tools, model))]
    return row


def gap_table(tools, contents):
    """The aged set: what reading over gaps costs in bytes and saves in seeks."""
    heads = ["flat, aged", "source reads", "bytes read ÷ tree", "bytes read ÷ in use",
             "disk, write cache: source s", "target s", "non-contig. writes", "wall s"]
    rows = []
    for key in ("e2bfo", "e2bfo-flash", "e2bfo-256M", "e2bfo-256M-gap0", "e2image", "partclone"):
        r = tools.get(key)
        if r and r.source:
            read = r.source["bytes"]
            rows.append([r.label, f"{r.source['requests']:,}", ratio(read, contents.tree_bytes),
                         ratio(read, contents.used_bytes), f"{r.source['disk_cached']:.1f}",
                         f"{r.target['disk_cached']:.1f}", f"{r.target['noncontiguous']:,}",
                         number(r.median("cold"))])
    return ("\nReading over gaps. A batch smaller than the set reads over the same gaps again, "
            "from the page cache as long as the machine has memory for it: with less, more "
            "bytes are read.\n\n" + table(heads, rows))


# ---- kernel tree ----

def kernel_table(copies):
    """Time of e2bfo against each other tool: less is better."""
    names = [n for n, d in copies.data.items() if d.group == "kernel" and "e2bfo" in
             copies.results[n]]
    rows = [row for name in names for row in kernel_rows(name, copies.results[name])]
    if not rows:
        return ""
    heads = ["e2bfo copy against", "wall, cold", *(models.WORDS[m] for m in models.NAMES)]
    return ("\n### Kernel tree copy\n\nTime of e2bfo copy, more or less than that of "
            f"each other tool. What was measured elsewhere: {PAPER_KERNEL}.\n\n"
            + table(heads, rows))


def kernel_rows(name, tools):
    ours = ranks.wall_and_models(tools["e2bfo"], "cold")
    if not tools["e2bfo"].equal():
        return
    for result in filter(lambda r: r.whole(), ranks.competitors(tools)):
        theirs = ranks.wall_and_models(result, "cold")
        if theirs["wall"] is not None:
            yield [f"{name}: {result.label}", *(percent(ours[k], theirs[k]) for k in ours)]


# ---- aged sources ----

def aged_table(copies):
    """What age costs each tool."""
    rows = [row for data in copies.data.values() if data.fresh in copies.results
            for row in aged_rows(copies, data)]
    if not rows:
        return ""
    heads = ["tool", "in order, s", "aged, s", "aged ÷ in order"]
    for model in ("disk_cached", "ssd"):
        heads += [f"{models.WORDS[model]}: in order, s", "aged, s", "aged ÷ in order"]
    return ("\n### Aged sources\n\nAs many files of the same sizes, written in order, and by "
            "interleaved writers with deletions between them: kernel trees in a filesystem that is "
            "85 % full, in pieces; flat directories in one that is not, whose files are whole, but "
            "scattered; cold.\n\n" + table(heads, rows))


def aged_rows(copies, data):
    fresh, aged = copies.results[data.fresh], copies.results[data.name]
    for key, result in aged.items():
        if key not in fresh or not all(r.group == ranks.LIMITS or r.whole()
                                       for r in (result, fresh[key])):
            continue
        before, after = (ranks.wall_and_models(r, "cold") for r in (fresh[key], result))
        row = [f"{data.fresh}: {result.label}"]
        for what, form in (("wall", "{:.2f}"), ("disk_cached", "{:.1f}"), ("ssd", "{:.1f}")):
            row += [number(before[what], form), number(after[what], form),
                    ratio(after[what], before[what])]
        yield row
