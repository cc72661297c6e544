# SPDX-License-Identifier: GPL-2.0-or-later
"""Scale: does a file cost the same among ten million as among ten thousand?

Measures e2bfo copy, cold, on flat directories of empty files: where there is no data, what is left
is the cost of inodes and names. User CPU, wall time per file, and peak memory against what P7
promises, with a batch buffer of 64 MB so that the buffer does not hide the rest.

The slope between two sizes is log(time ratio) / log(files ratio): 1 is linear, less means that what
a copy costs at any size still shows.
"""

import math
from dataclasses import asdict, dataclass, replace

from . import contenders, copytables, datasets, experiment, plot, recipes
from .report import MIB, number, table

MEMORY = 64 << 20
TOOL = contenders.ours("e2bfo", "--memory", "64M")


@dataclass
class Step:
    contents: object            # survey.Contents
    result: object              # experiment.Result

    def per_file(self, what="wall"):
        """Microseconds."""
        value = self.result.median("cold", what)
        return None if value is None else value / self.contents.files * 1e6


def run(settings):
    """[Step], from few files to many; cold only."""
    steps = []
    for count in sorted(settings.scale_files):
        recipe = recipes.scale(count)
        experiment.say(f"data set {recipe.name}: {recipe.about}")
        data = datasets.get(settings, recipe)
        results = experiment.run(replace(settings, caches=("cold",)), data, [TOOL])
        steps.append(Step(data.contents, results[TOOL.key]))
        datasets.give_back(settings, recipe)
    return steps


def slope(before, after):
    """Of the wall time, between two steps."""
    times = before.result.median("cold"), after.result.median("cold")
    if None in times:
        return None
    return math.log(times[1] / times[0]) / math.log(after.contents.files / before.contents.files)


def memory_limit(contents, batch):
    """P7: bytes for inodes, names, extents, the batch buffer, and 16 MB for everything else."""
    return (64 * contents.inodes + 24 * contents.names + contents.name_bytes
            + 16 * contents.extents + batch + 16 * MIB)


def row(step, before):
    r, c = step.result, step.contents
    rss = r.rss()
    return [f"{c.files:,}", number(r.median("cold", "user")), number(r.median("cold", "system")),
            *copytables.spread(r, "cold"), number(step.per_file("user")), number(step.per_file()),
            number(slope(before, step)) if before else "-",
            number(rss and rss / MIB, "{:.1f}"), f"{memory_limit(c, MEMORY) / MIB:.1f}",
            r.words(c.inodes)]


def section(steps):
    heads = ["empty files", "user s", "sys s", "wall s", "min–max (n)", "user µs/file", "wall µs/file", "slope",
             "RSS MiB", "at most (P7)", "result"]
    rows = [row(step, before) for before, step in zip([None, *steps], steps)]
    return ("\n## Scale\n\ne2bfo copy --memory 64M, one flat directory, cold. A slope of "
            "1 is linear.\n\n" + table(heads, rows))


def as_json(steps):
    return [{"contents": asdict(s.contents), "result": asdict(s.result),
             "user_us_per_file": s.per_file("user"), "wall_us_per_file": s.per_file(),
             "slope": slope(before, s) if before else None}
            for before, s in zip([None, *steps], steps)]


def plots(steps):
    series = [(what, [(s.contents.files, s.per_file(key)) for s in steps])
              for what, key in (("wall", "wall"), ("user CPU", "user"))]
    return {"scale": plot.lines("e2bfo copy, empty files in one directory", "files", "µs per file",
                                series, xlog=True)}
