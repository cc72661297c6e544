# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: the requests as Markdown tables for people and as JSON for programs.

Measures nothing. The disk is that of e2bench/models.py: 7200 rpm, one request at a time.
"""

import json
from dataclasses import asdict

from e2bench.report import GB, MIB, table

from . import policies, readers

FEWER_NONCONTIGUOUS, LESS_DISK = 0.20, 0.27     # the goals of a replay, against readdir
METRICS = (
    ("Requests", lambda q: f"{q['requests']:,}"),
    ("Non-contiguous requests", lambda q: f"{q['noncontiguous']:,}"),
    ("Distance, GB", lambda q: f"{q['seek_bytes'] / GB:,.2f}"),
    ("Modelled disk, s", lambda q: f"{q['disk']:.2f}"),
)


def header(settings, info):
    return (f"# e2bfo copy --order, {info['date']}\n\n"
            f"Linux {info['kernel']}; e2bfo {info['versions']['e2bfo']}, tar "
            f"{info['versions']['tar']}, cp {info['versions']['cp']}, rsync "
            f"{info['versions']['rsync']}. Block requests that the stock kernel made of a "
            "filesystem mounted ro,noatime on a loop device, caches cold. Seed "
            f"{settings.seed}.\n")


def disturbed(sets):
    """A note, if somebody else's use of the machine shows in the numbers."""
    rows = [row for _, copied, replays in sets.values()
            for row in [r for c in copied for r in c.rows.values()]
            + [r for replay in replays.values() for r in replay.rows]]
    count = sum(row.disturbed for row in rows)
    return (f"\nIn {count} of {len(rows)} runs (marked ~) somebody else dropped the caches of the machine "
            "meanwhile, in each of some tries; the one with the fewest requests counts.\n"
            if count else "")


def title(data):
    c = data.contents
    return (f"\n## {data.name}: {data.about}\n\n{c.files:,} files, {c.inodes:,} inodes, "
            f"{c.extents:,} extents, {c.tree_bytes / MIB:,.0f} MiB on {data.size / MIB:,.0f} "
            "MiB.\n")


# ---- readers ----

def reader_tables(copied):
    parts = []
    labels = {r.key: r.label for r in readers.READERS}
    for name, cell in METRICS:
        heads = [name] + [c.policy for c in copied]
        rows = [[labels[key]] + ["~" * c.rows[key].disturbed + cell(c.rows[key].requests)
                                 for c in copied]
                for key in copied[0].rows]
        parts.append("\n" + table(heads, rows))
    return "".join(parts)


def steps_table(sets):
    columns = [policies.SOURCE, *[p.label for p in policies.READING]]
    rows = []
    for data, copied, _ in sets.values():
        cells = {c.policy: f"{c.steps.share:.4f} ({c.steps.sorted:,} of {c.steps.directories:,})"
                 for c in copied}
        if cells:
            rows.append([data.name, *[cells.get(column, "-") for column in columns]])
    if not rows:
        return ""
    return ("\n## Ascending steps of inode numbers as the kernel returns names\n\n"
            "Share of all steps from one name of a directory to the next, without \".\", \"..\" and "
            "names of files with other links; in brackets how many directories of more than one "
            "name have ascending steps only.\n\n" + table(["", *columns], rows))


# ---- replay ----

def less(row, base, what):
    """How much less than BASE, as a share."""
    return 1 - row.requests[what] / base.requests[what] if base.requests[what] else 0.0


def met(row, base):
    return (less(row, base, "noncontiguous") >= FEWER_NONCONTIGUOUS
            and less(row, base, "disk") >= LESS_DISK)


def replay_row(row, base):
    q = row.requests
    cells = [row.policy, "~" * row.disturbed + f"{q['requests']:,}", f"{row.tables:,}", f"{q['bytes'] / MIB:,.1f}",
             f"{q['noncontiguous']:,}", f"{q['seek_bytes'] / GB:,.2f}", f"{q['disk']:.2f}"]
    if row is base or row.policy == policies.SOURCE:
        return cells + ["-"] * 3
    return cells + [f"{less(row, base, 'noncontiguous'):.0%}", f"{less(row, base, 'disk'):.0%}",
                    "met" if met(row, base) else "**missed**"]


def replay_section(replayed):
    base = next(r for r in replayed.rows if r.policy == "readdir")
    heads = ["", "requests", "of inode tables", "MiB", "non-contig.", "GB", "disk model s",
             "fewer non-contig. than readdir", "less disk time", "goal"]
    return (f"\n### Replay: {replayed.about}\n\n"
            f"{replayed.accesses:,} accesses of the second half, which read {replayed.files:,} "
            f"files, {replayed.known:,} of them read in the first half ({replayed.learnt:,} "
            f"accesses) as well.\n\n" + table(heads, [replay_row(r, base) for r in replayed.rows]))


def markdown(settings, info, sets, notes):
    parts = [header(settings, info)]
    if notes:
        parts.append(f"\nNot taking part: {'; '.join(notes)}.\n")
    parts.append(disturbed(sets))
    if "replay" in settings.parts:
        parts.append(f"\nGoal of a replay: {FEWER_NONCONTIGUOUS:.0%} fewer non-contiguous requests "
                     f"and {LESS_DISK:.0%} less disk time than with readdir.\n")
    for data, copied, replayed in sets.values():
        parts.append(title(data))
        if copied:
            parts.append(reader_tables(copied))
        parts += [replay_section(r) for r in replayed.values()]
    return "".join(parts) + steps_table(sets)


def write_json(settings, info, sets, notes):
    document = {
        "machine": info, "seed": settings.seed, "full": settings.full, "notes": notes,
        "goal": {"fewer noncontiguous": FEWER_NONCONTIGUOUS, "less disk": LESS_DISK},
        "sets": {name: {"about": data.about, "size": data.size, **asdict(data.contents),
                        "readers": [asdict(c) for c in copied],
                        "replay": {key: asdict(r) for key, r in replayed.items()}}
                 for name, (data, copied, replayed) in sets.items()}}
    settings.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
