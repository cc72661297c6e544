# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the speed and memory goals of e2bfo copy, each against what this run measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.

    wall time       <= e2image -ra and <= partclone.ext4 -b, on both big sets; aim: <= 1.3 dd
    requests        <= 1.1 of e2image's on the source; on the aged set <= 1/10 of its non-contiguous
                    writes on the target
    empty files     1,000,000 in <= 3 s of user CPU, time per file <= 1.2 of that at 100,000
    memory (P7)     64 bytes an inode, 24 a name and its bytes, 16 an extent, the batch buffer and
                    16 MB
    source (P1)     not one write request
"""

import os
from dataclasses import dataclass

MIB = 1 << 20
WALL_LIMITS = (("e2image", "e2image -ra", 1), ("partclone", "partclone -b", 1),
               ("dd", "1.3 × dd (aim)", 1.3))


@dataclass
class Bar:
    text: str
    limit: str
    measured: str
    met: object             # True, False, or None: not measured


def default_memory():
    """The batch buffer e2bfo takes unasked: a quarter of the memory, at most 1 GiB."""
    return min(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4)


def memory_limit(contents, batch):
    return (64 * contents.inodes + 24 * contents.names + contents.name_bytes
            + 16 * contents.extents + batch + 16 * MIB)


def at_most(text, value, limit, form="{:.2f}"):
    if value is None or limit is None:
        return Bar(text, "-", "not measured", None)
    return Bar(text, form.format(limit), form.format(value), value <= limit)


def times(value, factor):
    return None if value is None else value * factor


def get(results, set_name, key):
    return results.get(set_name, {}).get(key)


def wall(results, set_name, key, cache):
    result = get(results, set_name, key)
    return result.median(cache) if result else None


def measured_sets(results):
    return [name for name in ("kernel", "flat") if name in results]


def wall_bars(results):
    for name in measured_sets(results):
        for cache in ("cold", "warm"):
            ours = wall(results, name, "e2bfo", cache)
            for key, label, factor in WALL_LIMITS:
                limit = times(wall(results, name, key, cache), factor)
                yield at_most(f"{name}, {cache}: wall s ≤ {label}", ours, limit)


def requests(results, set_name, key, side, what):
    result = get(results, set_name, key)
    return (getattr(result, side) or {}).get(what) if result else None


def request_bars(results):
    for name in measured_sets(results):
        limit = times(requests(results, name, "e2image", "source", "requests"), 1.1)
        yield at_most(f"{name}: source read requests ≤ 1.1 × e2image",
                      requests(results, name, "e2bfo", "source", "requests"), limit, "{:,.0f}")
    if "flat" in results:
        yield from scatter_bars(results)


def scatter_bars(results):
    for key, label in (("e2bfo", "default memory"), ("e2bfo-256M", "--memory 256M")):
        limit = times(requests(results, "flat", "e2image", "target", "noncontiguous"), 0.1)
        yield at_most(f"flat, {label}: non-contiguous target writes ≤ 1/10 e2image",
                      requests(results, "flat", key, "target", "noncontiguous"), limit, "{:,.0f}")


def source_bars(results):
    for name, tools in results.items():
        if "e2bfo" in tools and tools["e2bfo"].source:
            yield at_most(f"{name}: source write requests = 0 (P1)",
                          tools["e2bfo"].source_writes, 0, "{:,.0f}")


def memory_bars(results, contents, scale_memory):
    for name, tools in results.items():
        batch = scale_memory if name.startswith("scale") else default_memory()
        for key, size in (("e2bfo", batch), ("e2bfo-256M", 256 * MIB)):
            if key in tools:
                rss = times(tools[key].rss(), 1 / MIB)
                yield at_most(f"{name}, batch buffer {size // MIB} MiB: peak RSS, MiB (P7)", rss,
                              memory_limit(contents[name], size) / MIB, "{:.1f}")


def scale_bars(results, contents):
    names = sorted((n for n in results if n.startswith("scale-")), key=lambda n: contents[n].files)
    if not names:
        return
    biggest = results[names[-1]]["e2bfo"]
    count = contents[names[-1]].files
    yield at_most(f"{count:,} empty files: user CPU s ≤ 3 per million",
                  biggest.median("cold", "user"), 3 * count / 1e6)
    if len(names) > 1:
        small, big = (per_file(results[n]["e2bfo"], contents[n]) for n in (names[0], names[-1]))
        fewer = contents[names[0]].files
        yield at_most(f"{count:,} empty files: wall µs per file ≤ 1.2 × that at {fewer:,}",
                      big, times(small, 1.2))


def per_file(result, contents, what="wall"):
    """Microseconds."""
    value = result.median("cold", what)
    return None if value is None else value / contents.files * 1e6


def all_bars(results, contents, scale_memory):
    return [*wall_bars(results), *request_bars(results), *scale_bars(results, contents),
            *memory_bars(results, contents, scale_memory), *source_bars(results)]
