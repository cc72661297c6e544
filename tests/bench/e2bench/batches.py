# SPDX-License-Identifier: GPL-2.0-or-later
"""Batches: how many files, and how much memory, a batch needs to be worth it.

Measures, on sets of 4-KB files (sweep), cold:

    files     drain of a list in random order and in that of the names, in batches of 128 to 131,072
              files
    buffer    drain of all files in the order in which they lie, with room for 4 KiB to 64 MiB: no
              request is larger than that room
    memory    e2bfo copy --memory of a set created in random order, 1 MiB (the least it takes) and
              more, from the device to another
"""

from dataclasses import dataclass

from . import contenders, datasets, experiment, host, plot, report, sweep

FILE = 4 * sweep.KIB
BATCHES = tuple(128 << 2 * i for i in range(6))                     # 128 ... 131,072
BUFFERS = tuple(4 * sweep.KIB << 2 * i for i in range(8))           # 4 KiB ... 64 MiB
MEMORY = tuple(sweep.MIB << 2 * i for i in range(5))                # 1 MiB ... 256 MiB
ORDERS = {"random": "random list", "name": "list by name"}
ENOUGH = 1.1                    # times the best is as good as the best


@dataclass
class Results:
    fresh: sweep.FileSet
    scattered: sweep.FileSet
    files: dict                 # order -> {batch: Cost}
    buffer: dict                # {bytes: Cost}
    memory: dict                # {bytes: Cost}


def run(settings):
    fresh, scattered = (sweep.file_set(settings, FILE, how) for how in ("fresh", "random"))
    size = fresh.image_bytes
    images = [(sweep.on_disk(settings, name, size), size) for name in ("sweep.img", "sweep-to.img")]
    results = Results(fresh, scattered, {}, {}, {})
    with sweep.rig(settings, images[0]) as rig:
        rig.fill(fresh)
        results.files = {order: by_files(rig, fresh, order) for order in ORDERS}
        results.buffer = by_buffer(rig)
        same_sum(results)
    with sweep.rig(settings, *images) as rig:
        rig.fill(scattered)
        results.memory = by_memory(rig)
    return results


def seconds(cost):
    return f"{cost.wall:.2f} s" if cost.walls else cost.failure


def drain(rig, what, *options, listed=None):
    cost = rig.cost(rig.drain(*options, listed=listed), ("drain",))
    experiment.say(f"batches, {what}: {seconds(cost)}")
    return cost


def by_files(rig, files, order):
    names = files.names() if order == "name" else sweep.shuffled(files.names())
    listed = rig.write_list(order, names)
    # Not beyond the first batch that takes them all.
    sizes = [n for n in BATCHES if n < files.count * 4]
    return {n: drain(rig, f"{ORDERS[order]}, {n:,} files", "-b", n, "-m", files.total,
                     listed=listed) for n in sizes}


def by_buffer(rig):
    return {n: drain(rig, f"room of {plot.size_text(n)}", "-m", n) for n in BUFFERS}


def same_sum(results):
    costs = [c for costs in (*results.files.values(), results.buffer) for c in costs.values()]
    seen = {c.output[0] for c in costs if c.output}
    if len(seen) > 1:
        raise host.Failure(f"batches: not the same was read: {seen}")


def by_memory(rig):
    costs = {}
    for n in MEMORY:
        tool = contenders.ours("e2bfo", "--memory", f"{n // sweep.MIB}M")
        costs[n] = rig.cost(tool.command(rig.job), ("e2bfo",), good=tool.good_status,
                            before=lambda: datasets.mkfs(rig.job.target))
        if not costs[n].failure:
            rig.verify(tool)
        experiment.say(f"batches, {tool.label}: {seconds(costs[n])}")
    return costs


def enough(costs, measure):
    """The least that comes close to the best."""
    values = {n: c.wall if measure == "wall" else c.model(measure)
              for n, c in costs.items() if c.walls}
    best = min(values.values(), default=0)
    return min((n for n, v in values.items() if v <= ENOUGH * best), default=None)


def enough_line(costs, text):
    found = [f"{head} {text(enough(costs, m))}" for m, head in
             (("wall", "wall"), ("disk", "disk"), ("cloud", "cloud"), ("ssd", "SSD"))]
    return f"\nThe least within {ENOUGH:g} × of the best: {', '.join(found)}."


def files_text(n):
    return f"{n:,}"


def cost_table(head, costs, text):
    return report.table([head, *sweep.COST_HEADS],
                        [[text(n), *sweep.cost_cells(c)] for n, c in costs.items()])


def memory_table(costs):
    heads = ["--memory", "wall s"]
    for side in ("source", "target"):
        heads += [f"{side}: requests", "MiB", "non-contig.", *sweep.MODEL_HEADS]
    rows = []
    for n, c in costs.items():
        row = [plot.size_text(n), f"{c.wall:.2f}" if c.walls else c.failure]
        for side in (c.source, c.target):
            row += [f"{side['requests']:,}", f"{side['bytes'] / sweep.MIB:,.0f}",
                    f"{side['noncontiguous']:,}", *(f"{side[m]:.2f}" for m in sweep.MODELS)
                    ] if side else ["-"] * 6
        rows.append(row)
    return report.table(heads, rows)


def title(files):
    return f"{files.count:,} × {plot.size_text(files.size)}"


def section(results):
    parts = ["\n## Size of a batch\n\n### Files, reading\n\n"
             f"drain of {title(results.fresh)}, created in order; cold; room for all of them. "
             "Paper: 2,048 files are enough in sequential order, 65,536 in random order. Here the "
             "inode tables are read at once, before the first batch, whatever its size. (Batches of up "
             f"to {BATCHES[-1]:,} files: BENCH=full, where there are as many.)"]
    for order, costs in results.files.items():
        parts += [f"\n\n{ORDERS[order]}:\n\n", cost_table("files", costs, files_text),
                  enough_line(costs, files_text)]
    parts += ["\n\n### Buffer, reading\n\n"
              "The same files in the order in which they lie, which the room cuts into batches. "
              "Paper: 2 MB of merge buffer nearly saturate. Beyond 5 MiB drain cannot gain: no "
              "merged read is larger. Small ones are what the kernel's readahead makes of "
              "them: it sees one sequential stream, so the device does not see how small they "
              "were, but the processor does.\n\n",
              cost_table("room", results.buffer, plot.size_text),
              enough_line(results.buffer, plot.size_text)]
    parts += ["\n\n### Memory, copying\n\n"
              f"e2bfo copy of {title(results.scattered)}, created in random order. Paper: 256 KB "
              "is the knee of writing, 64 MB the peak. e2bfo takes 1 MiB at least, and writes "
              "the target in one ascending run whatever its memory is: what memory buys is a "
              "source that lies in another order than the target read in fewer, longer "
              "strokes.\n\n", memory_table(results.memory),
              enough_line(results.memory, plot.size_text), "\n"]
    return "".join(parts)


def as_json(results):
    numbers = {order: {str(n): c.numbers() for n, c in costs.items()}
               for order, costs in results.files.items()}
    for name in ("buffer", "memory"):
        numbers[name] = {str(n): c.numbers() for n, c in getattr(results, name).items()}
    return numbers


def points(costs, measure):
    return [(n, c.wall if measure == "wall" else c.model(measure)) for n, c in costs.items()]


def plots(results):
    files = [(f"{ORDERS[order]}, {what}", points(costs, measure))
             for order, costs in results.files.items()
             for measure, what in (("wall", "wall"), ("disk", "disk model"))]
    sizes = [(f"{name}, {what}", points(costs, measure))
             for name, costs in (("drain", results.buffer), ("e2bfo copy", results.memory))
             for measure, what in (("wall", "wall"), ("disk", "disk model"))]
    return {
        "batches-files": plot.lines(f"Reading {title(results.fresh)} in batches",
                                    "files in a batch", "seconds", files, xlog=True, ylog=True),
        "batches-memory": plot.lines(f"{title(results.fresh)}: memory of a batch",
                                     "drain: room; e2bfo copy: --memory", "seconds", sizes,
                                     xlog=True, ylog=True, xtext=plot.size_text)}
