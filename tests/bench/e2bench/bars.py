# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the speed and memory goals of e2bfo copy, each against what this run measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.

    same            on every set: e2bfo verify finds no difference; else no time of it counts
    file-level      on every set, in wall time: faster than each competitor that copies files
    e2image -ra     on every set, in wall time: never slower
    dd              of the used bytes: <= 1.15 of it where the source is contiguous, <= 1.5 where it
                    is aged; wall time, and each model, beside the floor of the aged (floor.py)
    scale           time per file linear: from the largest number of files to the next smaller one,
                    <= 1.2; user CPU <= 3 s per million empty files
    requests        <= 1.1 of e2image's on the source; on aged flat sets <= 1/10 of its
                    non-contiguous writes on the target
    memory (P7)     64 bytes an inode, 24 a name and its bytes, 16 an extent, the batch buffer and
                    16 MB
    source (P1)     not one write request
"""

import os
from dataclasses import dataclass

from . import models, ranks, scale

MIB = 1 << 20
CONTIGUOUS, AGED = 1.15, 1.5        # times dd
LINEAR = 1.2


@dataclass
class Bar:
    text: str
    limit: str
    measured: str
    met: object             # True, False, or None: not measured


def default_memory():
    """The batch buffer e2bfo takes unasked: a quarter of the memory, at most 1 GiB."""
    return min(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4)


def at_most(text, value, limit, form="{:.2f}"):
    if value is None or limit is None:
        return Bar(text, "-", "not measured", None)
    return Bar(text, form.format(limit), form.format(value), value <= limit)


def times(value, factor):
    return None if value is None else value * factor


def all_bars(parts):
    """Of {name of a part: its results}."""
    rows = []
    if "copies" in parts:
        for make in (same_bars, file_bars, image_bars, limit_bars, request_bars, memory_bars,
                     source_bars):
            rows += make(parts["copies"])
    if "scale" in parts:
        rows += scale_bars(parts["scale"])
    return rows


def by_set(copies):
    """(data set, {tool: result}, result of e2bfo) where that took part."""
    for name, tools in copies.results.items():
        if "e2bfo" in tools:
            yield copies.data[name], tools, tools["e2bfo"]


def same_bars(copies):
    for data, _, ours in by_set(copies):
        if ours.verdict or ours.failure:
            yield Bar(f"{data.name}: the copy is the same", "same",
                      ours.words(data.contents.inodes), ours.equal())


# ---- time ----

def timed(copies):
    for data, tools, ours in by_set(copies):
        for cache in copies.caches:
            yield data, tools, cache, ranks.wall(ours, cache) if ours.equal() else None

def file_bars(copies):
    for data, tools, cache, ours in timed(copies):
        best = ranks.best_file(tools, cache)
        label = f" ({best.label})" if best else ""
        yield at_most(f"{data.name}, {cache}: wall s ≤ best file-level tool{label}", ours,
                      ranks.wall(best, cache))


def image_bars(copies):
    for data, tools, cache, ours in timed(copies):
        yield at_most(f"{data.name}, {cache}: wall s ≤ e2image -ra", ours,
                      ranks.wall(tools.get("e2image"), cache))


def limit_bars(copies):
    for data, tools, ours in by_set(copies):
        factor = AGED if data.aged else CONTIGUOUS
        cache = copies.caches[0]
        mine, limit = (ranks.wall_and_models(tools.get(k), cache) for k in ("e2bfo", "dd-used"))
        for what in ("wall", *models.NAMES):
            floor = copies.floors.get(data.name, {}).get(what)
            text = f"{data.name}, {cache}: {what} s ≤ {factor} × dd of the used bytes"
            yield at_most(text + (f" (floor: {floor:.2f})" if floor else ""),
                          mine[what] if ours.equal() else None, times(limit[what], factor))


def scale_bars(steps):
    if not steps:
        return
    last = steps[-1]
    count = last.contents.files
    yield at_most(f"{count:,} empty files: user CPU s ≤ 3 per million",
                  last.result.median("cold", "user"), 3 * count / 1e6)
    if len(steps) > 1:
        before = steps[-2]
        yield at_most(f"{count:,} empty files: wall µs per file ≤ {LINEAR} × that at "
                      f"{before.contents.files:,}", last.per_file(),
                      times(before.per_file(), LINEAR))
    for step in steps:
        yield memory_bar(f"{step.contents.files:,} empty files", step.contents, step.result,
                         scale.MEMORY)


# ---- requests ----

def requests(result, side, what):
    return (getattr(result, side) or {}).get(what) if result else None


def request_bars(copies):
    for data, tools, ours in by_set(copies):
        yield at_most(f"{data.name}: source read requests ≤ 1.1 × e2image",
                      requests(ours, "source", "requests"),
                      times(requests(tools.get("e2image"), "source", "requests"), 1.1), "{:,.0f}")
        if data.group == "flat" and data.aged:
            yield from scatter_bars(data, tools)


def scatter_bars(data, tools):
    for key, label in (("e2bfo", "default memory"), ("e2bfo-256M", "--memory 256M")):
        limit = times(requests(tools.get("e2image"), "target", "noncontiguous"), 0.1)
        yield at_most(f"{data.name}, {label}: non-contiguous target writes ≤ 1/10 e2image",
                      requests(tools.get(key), "target", "noncontiguous"), limit, "{:,.0f}")


def source_bars(copies):
    for data, _, ours in by_set(copies):
        if ours.source:
            yield at_most(f"{data.name}: source write requests = 0 (P1)", ours.source_writes, 0,
                          "{:,.0f}")


# ---- memory ----

def memory_bars(copies):
    for data, tools, _ in by_set(copies):
        for key, size in (("e2bfo", default_memory()), ("e2bfo-256M", 256 * MIB)):
            if key in tools:
                yield memory_bar(data.name, data.contents, tools[key], size)


def memory_bar(name, contents, result, batch):
    return at_most(f"{name}, batch buffer {batch // MIB} MiB: peak RSS, MiB (P7)",
                   times(result.rss(), 1 / MIB), scale.memory_limit(contents, batch) / MIB,
                   "{:.1f}")
