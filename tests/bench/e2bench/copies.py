# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies: every tool on every data set, side by side; with tables of the kernel tree, of aged
sources, and of the sizes of requests.

Measures what experiment says, on all sets that were asked for.
"""

import time
from dataclasses import asdict, dataclass, field

from . import (contenders, copyplots, copytables, datasets, distribution, experiment, floor, host,
               models, recipes)


@dataclass
class Copies:
    caches: tuple
    data: dict = field(default_factory=dict)        # {set: DataSet}
    results: dict = field(default_factory=dict)     # {set: {tool: experiment.Result}}
    floors: dict = field(default_factory=dict)      # {set: {model: seconds}}, of aged ones
    notes: list = field(default_factory=list)       # who or what did not take part
    failures: list = field(default_factory=list)    # of whole sets
    seconds: dict = field(default_factory=dict)     # {set: it took so long}, with its image
    about: str = ""


def run(settings):
    tools, notes = contenders.usable(settings)
    copies = Copies(settings.caches, notes=notes, about=about(settings))
    wanted = recipes.wanted(settings)
    if not settings.full and not settings.sets:
        notes.append("the sets of BENCH=full: " + ", ".join(
            r.name for r in recipes.all_recipes(settings) if r.extra) + ", and larger ones")
    for number, recipe in enumerate(wanted, 1):
        reason = recipes.missing(settings, recipe)
        if reason:
            notes.append(f"the set {recipe.name} ({reason})")
            continue
        try:
            run_set(settings, recipe, tools, copies)
        except (host.Failure, OSError) as error:
            copies.failures.append(f"the set {recipe.name}: {error}")
            copies.results.pop(recipe.name, None)
            copies.data.pop(recipe.name, None)
            experiment.say(copies.failures[-1])
        datasets.give_back(settings, recipe, wanted[number:])
    return copies


def run_set(settings, recipe, tools, copies):
    begun = time.monotonic()
    experiment.say(f"data set {recipe.name}: {recipe.about}")
    data = datasets.get(settings, recipe)
    copies.data[data.name] = data
    if data.aged:
        copies.floors[data.name] = floor.of(data)
    copies.notes += [f"{tool.key} on {data.name} (too many names in a directory)"
                     for tool in tools if tool.group == "file" and not tool.only(data)]
    copies.results[data.name] = experiment.run(settings, data,
                                               contenders.taking_part(settings, tools, data))
    copies.seconds[data.name] = time.monotonic() - begun


ABOUT = """\
Wall time includes mounting, unmounting and the sync of the target device. Targets were formatted
before, but for tools that do so themselves: block copiers, mke2fs -d, fsarchiver, and e2bfo copy
--mkfs, which is the row to hold against a block copier. Medians of {runs} runs, tools in turn, in
an order that changes (file-level tools: as many as fit into {file_seconds:g} s, mostly the first
alone; n says how many). What is cold for this machine may still be in the memory of what is below
it, if its disk is a virtual one.

The first run of each tool was traced and judged: by e2fsck, by the kernel, which counts the
names, and by e2bfo verify, which compares content and all attributes: what it says is lost stands
beside the time; that of e2bfo copy also by what the kernel shows of both sides, byte by byte and
with all attributes (sets of more than 100,000 inodes: with BENCH=full). The dd rows copy a
contiguous file as large as all blocks in use (the journal's, too, which of a small set are more
than its files), through the page cache, where reading and writing overlap, and past it; "× dd"
means the faster one, the goals have both. The best equal is the fastest competitor that lost nothing,
the best file-level one the fastest that copies files and brought every name and all content.
partclone runs with -f 0, as its progress thread otherwise rounds the time up to pauses of 2 s.

Of aged sets a floor is computed, which no copier can go below: reading every block of the tree
once, in the order on the medium, each gap passed over or read, whichever the model finds cheaper;
and writing all in one piece. What e2bfo reads of them depends on what the device says of itself:
the models of the cloud volume and of the SSD are held against the copy from one that is not
rotational."""
BRIEF = """
For want of time tar | tar, rsync, dump, fsarchiver, mke2fs -d, debugfs and e2bfo copy --mkfs copy
only the kernel tree and the small set, and cp -a no flat directory; the rest with BENCH=full."""


def about(settings):
    text = ABOUT.format(runs=settings.runs, file_seconds=settings.file_seconds)
    text += "\n\n" + models.ABOUT
    return text + ("" if settings.full or settings.tools else "\n" + BRIEF)


def section(copies):
    return copytables.section(copies) + distribution.section(distribution.of(copies))


def as_json(copies):
    return {
        "notes": copies.notes,
        "caches": copies.caches,
        "sets": {name: {"about": d.about, "group": d.group, "size": d.size, "aged": d.aged,
                        "fresh": d.fresh, "seconds": copies.seconds[name], "floor": copies.floors.get(name),
                        **asdict(d.contents)}
                 for name, d in copies.data.items()},
        "results": {name: {key: as_dict(r, copies.data[name]) for key, r in tools.items()}
                    for name, tools in copies.results.items()},
    }


def as_dict(result, data):
    return asdict(result) | {"whole": result.whole(), "equal": result.equal(),
                             "words": result.words(data.contents.inodes)}


def plots(copies):
    return copyplots.plots(copies) | distribution.plots(distribution.of(copies))
