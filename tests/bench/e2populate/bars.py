# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars: the goals of making filesystems of directories and archives, against what was measured.

Measures nothing, computes only. Nothing is asserted: a bar is met, missed, or was not measured.

    same        e2fsck is quiet, and e2bfo verify finds no difference; else no time counts
    kernel      cold: no slower than tar that reads the tree and writes nothing, the aim half of
                that; warm: 1.3 x that, and 0.35 x mke2fs -d
    aged        by the disk model: 1.3 x its blocks read in order once
    many        time per file linear: 1.2 x that of the smaller directory
    archive     a plain tar: 1.2 x dd of it to the device, from a pipe, too; a compressed one:
                1.15 x the slower of zstd -dc and dd
    CPU         of directories, warm: 8 us a file in user mode; in the kernel 1.5 x what tar takes
                to read, and what dd takes to write as much
    memory      P7, and of a directory 160 bytes an inode on the shelf and what lib/intake/dir.h has
"""

from e2bench import host, scale
from e2bench.bars import at_most, times
from e2bench.rounds import median
from e2bench.rowbars import against, fastest, good, same_bars

MIB = host.MIB
USER_US = 8
SHELF, WALKED = 160, 40 + 8 + 16 + 24     # bytes an inode, an inode or its name


def all_bars(outcomes):
    """Of {set: Outcome}, in the order in which the sets were measured."""
    rows = []
    for name, outcome in outcomes.items():
        rows += same_bars(name, outcome, "sound, and all is there")
        rows += MAKERS[outcome.kind](name, outcome)
        if outcome.kind != "archive":
            rows += cpu_bars(name, outcome)
            rows += memory_bars(name, outcome)
    return rows + linear_bars([o for o in outcomes.values() if o.kind == "many"])


def kernel_bars(name, outcome):
    return [against(name, outcome, "cold", "e2bfo", 1, "tar-read"),
            against(name, outcome, "cold", "e2bfo", 0.5, "tar-read", what=" (the aim)"),
            against(name, outcome, "warm", "e2bfo", 1.3, "tar-read"),
            against(name, outcome, "warm", "e2bfo", 0.35, "mke2fs")]


def aged_bars(name, outcome):
    ours = good(outcome, "e2bfo")
    modelled = ours.source["disk"] if ours and ours.source else None
    text = f"{name}, cold: disk s of reading ≤ 1.3 × blocks in order once ({outcome.floor:.2f})"
    return [at_most(text, modelled, times(outcome.floor or None, 1.3))]


def archive_bars(name, outcome):
    rows = []
    for cache in ("cold", "warm"):
        zstd = median(good(outcome, "zstd"), cache)
        dd, _ = fastest(outcome, cache, "dd-tar", "dd-tar-direct")
        for key in ("e2bfo-tar", "e2bfo-stdin"):
            ours = good(outcome, key)
            text = f"{name}, {cache}: {ours.label if ours else key}: wall s ≤ 1.2 × dd of the tar"
            rows.append(at_most(text, median(ours, cache), times(dd, 1.2)))
        slower = max(zstd, dd) if zstd and dd else None
        text = f"{name}, {cache}: tar.zst: wall s ≤ 1.15 × the slower of zstd -dc and dd"
        rows.append(at_most(text, median(good(outcome, "e2bfo-zst"), cache), times(slower, 1.15)))
    return rows


def many_bars(name, outcome):
    return []


MAKERS = {"kernel": kernel_bars, "aged": aged_bars, "archive": archive_bars, "many": many_bars}


def linear_bars(steps):
    """Of the larger directories, each to the one before."""
    rows = []
    for before, step in zip(steps, steps[1:]):
        for cache in ("cold", "warm"):
            text = (f"{step.contents.files:,} files in one directory, {cache}: wall µs per file ≤ "
                    f"1.2 × that at {before.contents.files:,}")
            rows.append(at_most(text, per_file(step, cache), times(per_file(before, cache), 1.2)))
    return rows


def per_file(outcome, cache, what="wall", key="e2bfo"):
    """Microseconds."""
    value = median(good(outcome, key), cache, what)
    return None if value is None else value / outcome.contents.files * 1e6


def cpu_bars(name, outcome):
    cache = "warm"
    read = median(outcome.results.get("tar-read"), cache, "system")
    wrote = median(outcome.results.get("dd-write"), cache, "system")
    limit = None if read is None or wrote is None else 1.5 * read + wrote
    return [at_most(f"{name}, {cache}: user µs per file", per_file(outcome, cache, "user"),
                    USER_US),
            at_most(f"{name}, {cache}: system s ≤ 1.5 × tar's, and dd's of as much",
                    median(good(outcome, "e2bfo"), cache, "system"), limit)]


def memory_limit(contents):
    """
    >>> from types import SimpleNamespace as Contents
    >>> nothing = Contents(inodes=0, names=0, name_bytes=0, extents=0)
    >>> memory_limit(nothing) - host.default_memory() == 16 * MIB
    True
    """
    return (scale.memory_limit(contents, host.default_memory())
            + (SHELF + WALKED) * contents.inodes + contents.name_bytes)


def memory_bars(name, outcome):
    ours = good(outcome, "e2bfo")
    return [at_most(f"{name}: peak RSS, MiB (P7)", times(ours and ours.rss(), 1 / MIB),
                    memory_limit(outcome.contents) / MIB, "{:.1f}")]
