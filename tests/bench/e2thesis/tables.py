# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables: grids of the document that a run has written. Measures nothing.

A result is what experiment.Result.as_json() has.
"""

import statistics

from e2bench.report import grid
from e2bench.summary import number, wrapped

MIB = 1 << 20
HEADS = ("s", "runs", "first, ms", "MiB", "reads", "writes", "disk, s", "no cache", "cloud, s",
         "SSD, s", "up", "× less")
RIGHT = range(1, 30)
GOAL = 8                        # times less of the disk model: what the thesis has, at least


def median(result, what):
    """
    >>> median({"samples": [{"wall": 3}, {"wall": 1}, {"wall": 2}]}, "wall")
    2
    """
    values = [s[what] for s in (result or {}).get("samples", ()) if s[what] is not None]
    return statistics.median(values) if values else None


def model(result, name="disk_cached"):
    return ((result or {}).get("requests") or {}).get(name)


def scaled(value, by):
    return None if value is None else value * by


def wall(result):
    """
    >>> wall({"samples": [], "stopped": 300}), wall({"samples": [{"wall": 1.234}], "stopped": 0})
    ('> 300', '1.23')
    """
    if result and result["stopped"]:
        return f"> {result['stopped']:g}"
    return number(median(result, "wall"))


def less(base, result):
    """How many times less than BASE the disk takes.

    >>> of = lambda seconds: {"requests": {"disk_cached": seconds}}
    >>> less(of(84), of(10)), less(of(84), {"requests": {}}), less(None, of(1))
    (8.4, None, None)
    """
    a, b = model(base), model(result)
    return a / b if a and b else None


def full_row(result, base):
    return [result["label"], wall(result), str(len(result["samples"])),
            number(scaled(median(result, "first"), 1e3), "{:.0f}"),
            number(scaled(median(result, "rss"), 1 / MIB), "{:.0f}"),
            *(f"{result[what]:,}" if result["requests"] else "-" for what in ("reads", "writes")),
            *(number(model(result, name), "{:.1f}")
              for name in ("disk_cached", "disk", "cloud", "ssd")),
            number(result["order"]), number(less(base, result), "{:.1f}")]


def full(name, rows, base):
    """Everything of one operation, or of one reader. ROWS: {key: result}; BASE: the key of what
    the others are compared with."""
    return grid([name, *HEADS], [full_row(result, rows.get(base)) for result in rows.values()],
                RIGHT)


def floor(result):
    disk = number(model(result), "{:.1f}")
    return f"{result['label']}: {wall(result)} s, disk {disk} s"


def short(cell):
    """Disk model and wall time of all operations on a cell."""
    done = cell["results"]
    labels = {key: result["label"] for rows in done.values() for key, result in rows.items()}
    heads = ["", *(f"{operation}: disk" for operation in done), *(f"{o}: s" for o in done)]
    rows = [[label, *(number(model(rows.get(key)), "{:.1f}") for rows in done.values()),
             *(wall(rows.get(key)) for rows in done.values())] for key, label in labels.items()]
    return grid(heads, rows, RIGHT)


def kinds(rows):
    """What the disk's time was for. ROWS: [(label, result)]; "" if nobody knows."""
    known = [(label, result) for label, result in rows if (result or {}).get("kinds")]
    if not known:
        return ""
    names = list(known[0][1]["kinds"])
    heads = ["", *(f"reads: {name}" for name in names[:-1]),
             *(f"disk, s: {name}" for name in names)]
    return grid(heads, [[label, *(f"{result['kinds'][name][0]:,}" for name in names[:-1]),
                         *(number(result["kinds"][name][1], "{:.1f}") for name in names)]
                        for label, result in known], RIGHT)


def failures(rows_of):
    """Lines, one for each thing that went wrong. ROWS_OF: {title: {key: result}}

    >>> rows = {"a": {"label": "A", "failure": "no", "untraced": "", "told": ""},
    ...         "b": {"label": "B", "failure": "", "untraced": "", "told": "kept"}}
    >>> failures({"list": rows, "tar": rows})
    [' * A: no (list, tar).', ' * B: kept (list, tar).']
    """
    found = {}
    for title, rows in rows_of.items():
        for result in rows.values():
            for text in (result["failure"], result["untraced"], result["told"]):
                if text:
                    found.setdefault((result["label"], text), []).append(title)
    return [wrapped(f" * {label}: {text} ({', '.join(titles)}).", "   ")
            for (label, text), titles in found.items()]


def reader_row(reader):
    ways = reader["ways"]
    plain = ways["plain"]
    others = [ways[key] for key in ("preload", "spd")]
    every = [plain, *others]
    return [reader["label"],
            *(f"{r['reads'] + r['writes']:,}" if r["requests"] else "-" for r in every),
            *(number(model(r), "{:.1f}") for r in every),
            *(number(less(plain, r), "{:.1f}") for r in others)]


def reader_costs(reader):
    every = [reader["ways"][key] for key in ("plain", "preload", "spd")]
    return [reader["label"], *(wall(r) for r in every),
            *(number(scaled(median(r, "first"), 1e3), "{:.0f}") for r in every),
            *(number(scaled(median(r, "rss"), 1 / MIB), "{:.0f}") for r in every)]


def readers(one):
    """Two grids of a set: requests, and what they cost."""
    ways = ("", "+", "spd")
    requests = ["", *(f"{what} {w}".strip() for what in ("requests", "disk, s") for w in ways),
                "× less +", "× less spd"]
    costs = ["", *(f"{what} {w}".strip() for what in ("s", "first, ms", "MiB") for w in ways)]
    every = one["results"].values()
    return (grid(requests, [reader_row(r) for r in every], RIGHT) + "\n\n"
            + grid(costs, [reader_costs(r) for r in every], RIGHT))


def goals(sets):
    """Of readers that do not sort: [(text, how many times less)]"""
    return [(f"{one['words']}, {reader['label']}: disk ≥ {GOAL} × less with e2itree-run",
             less(reader["ways"]["plain"], reader["ways"]["preload"]))
            for one in sets.values() for reader in one["results"].values() if not reader["sorts"]]
