# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading: what it takes to read all files of a set, one by one or by the batch reader.

Measures, by size of file (sweep), cold: read(2) of each file (readall) in random order, in that of
the names, and in that of the inodes, which sorting by d_ino gives; drain, which gets the
random list and makes its own order; dd of as many bytes. All must have read the same (content.h).

    fresh     created in the order of the names, so that reading by name is sequential
    random    created in random order: by name is random, by inode sequential
"""

from dataclasses import dataclass

from . import experiment, host, mixed, plot, report, sweep

RANDOM_SIZES = (4 * sweep.KIB,)            # of those created in random order
WAYS = {"random": "read(2), random order", "name": "read(2), by name",
        "inode": "read(2), by inode", "drain": "drain, random list", "dd": "dd, the limit"}
AGAINST = {"random": "random ÷ drain", "name": "by name ÷ drain", "inode": "by inode ÷ drain"}
MEASURES = ("wall", *sweep.MODELS)
HEADS = {"wall": "wall", "disk": "disk", "cloud": "cloud", "ssd": "SSD"}
# BFO, MSST 2019: sets of 4 GB, files of 4 KB; random, sequential
PAPER = {("random", "disk"): 22.4, ("random", "ssd"): 1.8,
         ("name", "disk"): 2.0, ("name", "ssd"): 1.8}
PROGRAMS = ("bash", "mount", "umount", "readall", "drain", "dd")


@dataclass
class Row:
    files: sweep.FileSet
    costs: dict                 # way -> sweep.Cost


def wanted(settings):
    """Every size in order, and some - BENCH=full: all - in random order."""
    random_sizes = sweep.SIZES if settings.full else RANDOM_SIZES
    return ([sweep.file_set(settings, size) for size in sweep.SIZES]
            + [sweep.file_set(settings, size, "random") for size in random_sizes])


def run(settings):
    """[Row, ...]"""
    mixed.check(settings)
    sets = wanted(settings)
    size = max(files.image_bytes for files in sets)
    image = sweep.on_disk(settings, "sweep.img", size)
    rows = []
    with sweep.rig(settings, (image, size)) as rig:
        for files in sets:
            rig.fill(files)
            rows.append(Row(files, read_all_ways(rig, files)))
            say(rows[-1])
    return rows


def say(row):
    walls = ", ".join(f"{way} {c.wall:.2f}" if c.walls else f"{way} {c.failure}"
                      for way, c in row.costs.items())
    experiment.say(f"reading {title(row.files)}: {walls}")


def commands(rig, files):
    lists = {"random": sweep.shuffled(files.names()), "name": files.names(),
             "inode": rig.by_inode()}
    if files.how == "random":
        del lists["random"]         # by name is random enough
    for way, names in lists.items():
        yield way, rig.readall(rig.write_list(way, names))
    listed = rig.write_list("random", sweep.shuffled(files.names()))
    yield "drain", rig.drain("-m", host.default_memory(), listed=listed)
    yield "dd", rig.dd(files)


def read_all_ways(rig, files):
    costs = {way: rig.cost(command, PROGRAMS) for way, command in commands(rig, files)}
    seen = {c.output[0] for way, c in costs.items() if way != "dd" and c.output}
    if len(seen) > 1:
        raise host.Failure(f"{title(files)}: not the same was read: {seen}")
    return costs


def title(files):
    order = {"fresh": "in order", "random": "in random order"}[files.how]
    return f"{files.count:,} × {plot.size_text(files.size)}, created {order}"


def ratio(row, way, measure, base="drain"):
    return sweep.ratio(row, way, measure, base)


def cost_table(rows):
    cells = []
    for row in rows:
        for way, cost in row.costs.items():
            cells.append([title(row.files) if cost is next(iter(row.costs.values())) else "",
                          WAYS[way], *sweep.cost_cells(cost)])
    return report.table(["files", "way", *sweep.COST_HEADS], cells)


def ratio_table(rows):
    heads = ["files"] + [f"{text}: {HEADS[m]}" if m == "wall" else HEADS[m]
                         for text in AGAINST.values() for m in MEASURES] + ["drain ÷ dd: wall"]
    cells = [["paper, 4 KB, 4 GB"] + [sweep.times_text(PAPER.get((way, m)))
                                      for way in AGAINST for m in MEASURES] + ["-"]]
    for row in rows:
        cells.append([title(row.files)]
                     + [sweep.times_text(ratio(row, way, m)) for way in AGAINST for m in MEASURES]
                     + [sweep.times_text(ratio(row, "drain", "wall", "dd"))])
    return report.table(heads, cells)


def section(rows):
    return ("\n## Reading a set of files, by size of file\n\n"
            "Cold; loop device on a file. Each file was read whole, by read(2) of 128 KiB at a "
            "time, or by drain, which was given the list in random order and had "
            f"{plot.size_text(host.default_memory())} of room; mounting, scanning inodes and "
            "looking up names included; of the smallest files there are no more than "
            f"{sweep.MOST_FILES:,}, unless BENCH=full. The order by inode was made before the clock started. "
            "All ways have read the same bytes of the same files, by checksum; drain and the "
            "kernel agree about a mixed tree, too.\n\n" + cost_table(rows)
            + "\nHow many times as long as drain (paper: BFO, MSST 2019; its disk and its SSD are "
            "not the models', its random order is of access):\n\n" + ratio_table(rows))


def as_json(rows):
    return {title(row.files): {way: cost.numbers() for way, cost in row.costs.items()}
            for row in rows}


def plots(rows):
    fresh = [row for row in rows if row.files.how == "fresh"]
    return {f"reading-{measure}": one_plot(fresh, measure) for measure in ("wall", "disk")}


def one_plot(rows, measure):
    series = [(name, [(row.files.size, sweep.per_gib(row, way, measure)) for row in rows])
              for way, name in WAYS.items()]
    what = {"wall": "wall time, cold", "disk": "model of a disk"}[measure]
    return plot.lines(f"Reading files created in order: {what}", "size of a file",
                      "seconds per GiB", series, xlog=True, ylog=True, xtext=plot.size_text)
