# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the speed and memory goals of e2bfo copy, each against what this run measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.

    same            on every set: e2bfo verify finds no difference; else no time of it counts
    file-level      on every set, in wall time: faster than each competitor that copies files; one
                    that was stopped is known to take longer than that
                    also where only the target counts (writing)
    e2image -ra     on every set, in wall time: never slower, nor with --mkfs
    equal           the same against the fastest that loses nothing, whichever it is
    dd              of the used bytes: <= 1.15 of it where the source is contiguous, <= 1.5 where
                    it is aged; wall time, through the page cache and past it; and each model,
                    beside the floor of the aged (floor.py), where the copy is one from a device
                    that says to be of the model's kind
    scale           time per file linear: from the largest number of files to the next smaller one,
                    <= 1.2; user CPU <= 3 s per million empty files
    requests        <= 1.1 of e2image's on the source; on aged flat sets <= 1/10 of its
                    non-contiguous writes on the target
    memory (P7)     64 bytes an inode, 24 a name and its bytes, 16 an extent, the batch buffer and
                    16 MB
    source (P1)     not one write request
"""

from dataclasses import dataclass

from . import host, models, ranks, scale, writing

MIB = 1 << 20
CONTIGUOUS, AGED = 1.15, 1.5        # times dd
LINEAR = 1.2


@dataclass
class Bar:
    text: str
    limit: str
    measured: str
    met: object             # True, False, or None: not measured


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
        for make in (same_bars, rival_bars, limit_bars, request_bars, memory_bars, source_bars):
            rows += make(parts["copies"])
    if "writing" in parts:
        rows += writing_bars(parts["writing"])
    if "scale" in parts:
        rows += scale_bars(parts["scale"])
    return rows


def by_set(copies):
    """(data set, {tool: result}, result of e2bfo) where that took part."""
    for name, tools in copies.results.items():
        if "e2bfo" in tools:
            yield copies.data[name], tools, tools["e2bfo"]


def same_bars(copies):
    for data, tools, _ in by_set(copies):
        for result in tools.values():
            if result.group == ranks.OURS:
                yield same_bar(f"{data.name}, {result.label}", data.contents, result)


def same_bar(name, contents, result):
    return Bar(f"{name}: the copy is the same", "same", result.words(contents.inodes),
               result.equal())


def good(result):
    """The result, if it is a copy that is the same: of another one nothing is measured."""
    return result if result and result.equal() else None


# ---- time ----

def timed(copies):
    for data, tools, ours in by_set(copies):
        for cache in copies.caches:
            yield data, tools, cache, ranks.wall(good(ours), cache)


def rival_bars(copies):
    for data, tools, cache, ours in timed(copies):
        text = f"{data.name}, {cache}: wall s ≤ "
        yield rival_bar(f"{text}best file-level tool", ours, ranks.best_file(tools, cache), cache,
                        ranks.stopped(tools))
        yield rival_bar(f"{text}best tool that loses nothing", ours,
                        ranks.best_equal(tools, cache), cache)
        yield image_bar(f"{text}e2image -ra", ours, tools, cache)
        if "e2bfo-mkfs" in tools:
            made = tools["e2bfo-mkfs"]
            yield image_bar(f"{data.name}, {cache}: {made.label}: wall s ≤ e2image -ra",
                            ranks.wall(good(made), cache), tools, cache)


def rival_bar(text, ours, rival, cache, stopped=None):
    """Where all were stopped, the time that they were given is the limit."""
    if rival:
        return at_most(f"{text} ({rival.label})", ours, ranks.wall(rival, cache))
    return at_most(text + (f" (stopped after {stopped:g} s)" if stopped else ""), ours, stopped)


def image_bar(text, ours, tools, cache):
    return at_most(text, ours, ranks.wall(good(tools.get("e2image")), cache))


def limit_bars(copies):
    for data, tools, ours in by_set(copies):
        factor = AGED if data.aged else CONTIGUOUS
        cache = copies.caches[0]
        for limit in ranks.limits(tools):
            yield at_most(f"{data.name}, {cache}: wall s ≤ {factor} × {limit.label}",
                          ranks.wall(good(ours), cache), times(ranks.wall(limit, cache), factor))
        for model, word in models.WORDS.items():
            floor = copies.floors.get(data.name, {}).get(model)
            made = on_device_of(model, tools)
            text = f"{data.name}, {cache}: {word} s ≤ {factor} × dd, blocks in use"
            said = [made.label] if made is not ours else []
            said += [f"floor: {floor:.2f}"] if floor else []
            yield at_most(text + (f" ({'; '.join(said)})" if said else ""),
                          ranks.model_seconds(good(made), model),
                          times(ranks.limit_model(tools, model), factor))


def on_device_of(model, tools):
    """The copy from a device that says to be of the model's kind, if there was one.

    >>> both = {"e2bfo": 1, "e2bfo-flash": 2}
    >>> on_device_of("ssd", both), on_device_of("disk", both), on_device_of("ssd", {"e2bfo": 1})
    (2, 1, 1)
    """
    return tools.get("e2bfo-flash", tools["e2bfo"]) if model in models.FLASH else tools["e2bfo"]


def writing_bars(rows):
    for row in rows:
        best = writing.best_file(row)
        yield at_most(f"writing {writing.title(row.files)}: wall s ≤ best file-level tool"
                      + (f" ({writing.label(best)})" if best else ""), row.costs["e2bfo"].wall,
                      best and row.costs[best].wall)


def scale_bars(steps):
    if not steps:
        return
    last = steps[-1]
    count = last.contents.files
    same = good(last.result)
    yield at_most(f"{count:,} empty files: user CPU s ≤ 3 per million",
                  same and same.median("cold", "user"), 3 * count / 1e6)
    if len(steps) > 1:
        before = steps[-2]
        yield at_most(f"{count:,} empty files: wall µs per file ≤ {LINEAR} × that at "
                      f"{before.contents.files:,}", same and last.per_file(),
                      times(before.per_file(), LINEAR))
    for step in steps:
        yield same_bar(f"{step.contents.files:,} empty files", step.contents, step.result)
        yield memory_bar(f"{step.contents.files:,} empty files", step.contents, step.result,
                         scale.MEMORY)


# ---- requests ----

def requests(result, side, what):
    return (getattr(result, side) or {}).get(what) if good(result) else None


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
        if good(ours) and ours.source:
            yield at_most(f"{data.name}: source write requests = 0 (P1)", ours.source_writes, 0,
                          "{:,.0f}")


# ---- memory ----

def memory_bars(copies):
    for data, tools, _ in by_set(copies):
        for key, size in (("e2bfo", host.default_memory()), ("e2bfo-256M", 256 * MIB)):
            if key in tools:
                yield memory_bar(data.name, data.contents, tools[key], size)


def memory_bar(name, contents, result, batch):
    return at_most(f"{name}, batch buffer {batch // MIB} MiB: peak RSS, MiB (P7)",
                   times(good(result) and result.rss(), 1 / MIB),
                   scale.memory_limit(contents, batch) / MIB, "{:.1f}")
