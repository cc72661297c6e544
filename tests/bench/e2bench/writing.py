# SPDX-License-Identifier: GPL-2.0-or-later
"""Writing: what it takes to write a set of files, one by one or as one stem.

Measures, by size of file (sweep), cold: the copy of a set whose source lies in memory, so that
what is left is the target: e2bfo copy, cp -a, tar | tar, and dd of as many bytes, through the page
cache and past it. Sync included.
Afterwards e2fsck -fn must find the target clean, and drain the same contents in it as in the
source.
"""

from dataclasses import dataclass

from . import contenders, experiment, models, plot, report, sweep

TOOLS = ("e2bfo", "cp", "tar")
LIMITS = {"dd": "dd, as many bytes", "dd-direct": "dd, past the page cache"}
# BFO, MSST 2019: sets of 4 GB, files of 4 KB, updated in random order
PAPER = {"disk": 111.4, "ssd": 2.9}
MEASURES = ("wall", "disk", "disk_cached", "cloud", "ssd")
HEADS = {"wall": "wall", **models.WORDS}


@dataclass
class Row:
    files: sweep.FileSet
    costs: dict                 # key of the tool -> sweep.Cost, of the target alone


def usable(settings):
    return [t for t in contenders.TOOLS
            if t.key in TOOLS and not contenders.absent(settings, t)]


def label(key):
    return LIMITS.get(key) or next(t.label for t in contenders.TOOLS if t.key == key)


def run(settings):
    """[Row, ...]"""
    sets = [sweep.file_set(settings, size) for size in sweep.SIZES]
    size = max(files.image_bytes for files in sets)
    target = sweep.on_disk(settings, "sweep.img", size)
    rows = []
    with sweep.in_memory(settings, size) as memory, sweep.rig(settings, (memory, size),
                                                              (target, size)) as rig:
        for files in sets:
            rig.fill(files)
            rows.append(Row(files, {t.key: copy(rig, t) for t in usable(settings)}))
            rows[-1].costs["dd"] = limit(rig, files)
            rows[-1].costs["dd-direct"] = limit(rig, files, "iflag=fullblock", "oflag=direct")
            say(rows[-1])
    return rows


def say(row):
    walls = ", ".join(f"{key} {c.wall:.2f}" if c.walls else f"{key} {c.failure}"
                      for key, c in row.costs.items())
    experiment.say(f"writing {title(row.files)}: {walls}")


def of_target(cost):
    """The source lies in memory: what is read there costs nothing."""
    cost.source = cost.target
    cost.target = {}
    return cost


def copy(rig, tool):
    cost = rig.cost(tool.command(rig.job), tool.programs,
                    before=lambda: sweep.datasets.mkfs(rig.job.target), good=tool.good_status)
    if not cost.failure:
        rig.verify(tool)
    return of_target(cost)


def limit(rig, files, *flags):
    command = ["dd", f"if={rig.job.source}", f"of={rig.job.target}", "bs=1M", "status=none",
               f"count={-(-files.tree_bytes // sweep.MIB)}", "conv=fsync", *flags]
    return of_target(rig.cost(command, ("dd",)))


def fastest(row, keys):
    """The key whose wall time is least, or None."""
    return min((key for key in keys if key in row.costs and row.costs[key].walls),
               key=lambda key: row.costs[key].wall, default=None)


def best_file(row):
    """The same of the tools that copy files."""
    return fastest(row, [key for key in row.costs if key not in ("e2bfo", *LIMITS)])


def title(files):
    return f"{files.count:,} × {plot.size_text(files.size)}"


def ratio(row, key, measure, base="e2bfo"):
    return sweep.ratio(row, key, measure, base)


def cost_table(rows):
    cells = []
    for row in rows:
        for i, (key, cost) in enumerate(row.costs.items()):
            cells.append(["" if i else title(row.files), label(key), *sweep.cost_cells(cost)])
    return report.table(["files", "tool", *sweep.COST_HEADS], cells)


def ratio_table(rows):
    others = [key for key in rows[0].costs if key not in ("e2bfo", *LIMITS)]
    heads = ["files"]
    for key in others:
        heads += [f"{label(key)} ÷ e2bfo: wall", *(HEADS[m] for m in MEASURES[1:])]
    paper = [sweep.times_text(PAPER.get(m)) for m in MEASURES]
    cells = [["paper, 4 KB, 4 GB, random updates", *paper * len(others), "-"]]
    for row in rows:
        cells.append([title(row.files)]
                     + [sweep.times_text(ratio(row, key, m)) for key in others for m in MEASURES]
                     + [sweep.times_text(ratio(row, "e2bfo", "wall", fastest(row, LIMITS)))])
    return report.table(heads + ["e2bfo ÷ the faster dd: wall"], cells)


def section(rows):
    return ("\n## Writing a set of files, by size of file\n\n"
            "The source lies in memory; requests (reads, too) and models are those of the target, "
            "a loop device on a file; wall time includes its sync. Every target was clean for "
            "e2fsck -fn and had the contents of the source, by checksum.\n\n" + cost_table(rows)
            + "\nHow many times as long as e2bfo copy (paper: BFO, MSST 2019, where files that "
            "exist are updated in random order; here new ones are created, which the kernel "
            "collects and lays out in order, too):\n\n" + ratio_table(rows))


def as_json(rows):
    return {title(row.files): {key: cost.numbers() for key, cost in row.costs.items()}
            for row in rows}


def plots(rows):
    return {f"writing-{m}": one_plot(rows, m) for m in ("wall", "disk")}


def one_plot(rows, measure):
    series = [(label(key),
               [(row.files.size, sweep.per_gib(row, key, measure)) for row in rows])
              for key in rows[0].costs]
    what = {"wall": "wall time, sync included", "disk": "model of a disk"}[measure]
    return plot.lines(f"Writing a set of files: {what}", "size of a file", "seconds per GiB",
                      series, xlog=True, ylog=True, xtext=plot.size_text)
