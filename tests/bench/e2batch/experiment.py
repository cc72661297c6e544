# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row does its operation to one volume, as it was made, and is judged by what has
become of it.

cold: nothing of the volume is in memory. What is written comes from a file that is.
"""

from dataclasses import replace
from pathlib import Path

from e2bench import datasets, host, models, renewal, rounds, survey

from . import contenders, judges, sets

MIB = host.MIB
SEED = 4711                     # of the order of files


class Bench(rounds.Bench):
    """The source is the volume as it was made; rows work on the target, a copy of it."""

    def __init__(self, asked, one, data):
        super().__init__(asked, one.name, data, data.contents)
        self.shape = sets.shape(asked, one.kind)
        self.other = None           # where the target is not as the source; None: not known

    def attach(self):
        super().attach()
        base = self.asked.base
        self.used = self.used_of_source()
        self.stack.callback(host.release, self.target)
        of = self.shape
        self.place = contenders.Place(
            device=self.target, directory=self.directory("mnt-target"),
            new=self.kept("new", listed(sets.paths(of.directories, of.new, "n"))),
            old=self.kept("old", listed(sets.paths(of.directories, of.old, "f", SEED))),
            list=self.kept("list", ""), data=self.kept("data", "b" * of.size),
            more=self.kept("more", "b" * contenders.APPENDED), size=of.size, work=self.work,
            manyops=str(base.built("manyops")), batched=str(base.built("batched")),
            wordcount=str(base.builddir / "extras" / "wordcount"), e2bfo=str(base.e2bfo),
            e2bfo_args=" ".join(base.e2bfo_args))

    def kept(self, name, text):
        path = Path(self.work, name)
        path.write_text(text, encoding="ascii")
        return str(path)

    def list_of(self, row):
        """The files of a row, as lines."""
        kept = self.place.new if row.operation == "create" else self.place.old
        lines = Path(kept).read_text(encoding="ascii").splitlines(keepends=True)
        return lines[:row.count or None]

    def read_by(self, row):
        return self.source

    def prepare(self, row, cache):
        host.release(self.target)
        self.renew()
        self.other = None if row.operation in contenders.JUDGED else ()
        self.kept("list", "".join(self.list_of(row)))
        host.make_cold(self.source, self.target)
        for name in (self.place.list, self.place.data, self.place.more):
            host.make_warm(name, 1 << 40)
        super().prepare(row, cache)

    def used_of_source(self):
        return renewal.used(self.source)

    def renew(self):
        """The target is as the source, in all that is in use, or what it is in place of that."""
        ranges = self.used
        if self.other is not None:
            ranges = renewal.common(renewal.joined(self.other, near=0), self.used)
        renewal.copy(self.source, self.target, ranges)

    def saw(self, log):
        self.other = log and [(one.start, one.start + one.size) for one in log.writes()]

    def judge(self, row):
        """In memory: it looks at all files one by one, and nobody looks at the clock."""
        if row.operation not in contenders.JUDGED:
            return judges.judge(self, row)
        host.pass_cache_by(self.target, False)
        try:
            renewal.read(host.backing_file(self.target), renewal.used(self.target))
            return judges.judge(self, row)
        finally:
            host.pass_cache_by(self.target)

    def told(self, row):
        """Of batched, what it has measured; of others, how many operations there were."""
        if "{batched}" in row.text:
            return judges.parse(judges.output(self))
        count = len(self.list_of(row))
        return {"operations": count, "commits": -(-count // row.every) if row.every else 1}


class Sparse(Bench):
    """The target is a sparse image, made anew for each run, and there is no source."""

    def attach(self):
        image = self.asked.base.image(f"{self.data.name}.img")
        self.stack.callback(image.unlink, missing_ok=True)
        with open(image, "wb") as file:
            file.truncate(self.data.size)
        self.data = replace(self.data, image=str(image))
        super().attach()

    def second(self):
        return self.source, self.data.size

    def used_of_source(self):
        return ()

    def saw(self, log):
        """It is made anew in any case."""

    def renew(self):
        if self.other is not None:
            return
        datasets.mkfs(self.target, self.data.mke2fs)
        with host.mounted(self.target, self.place.directory, "noatime,noinit_itable"):
            sets.filling(self.shape)(self.asked.base, Path(self.place.directory))


def listed(paths):
    return "".join(path + "\n" for path in paths)


def data_seconds(bench):
    """What dd of the data of the batch would take, by the disk model."""
    return bench.asked.files * bench.shape.size / models.DISK_RATE


def run(asked, one):
    """All rounds of one set."""
    if one.kind in sets.SPARSE:
        recipe = one.recipe
        data = datasets.DataSet(recipe.name, "", recipe.size, recipe.mke2fs, recipe.about,
                                survey.Contents(*[0] * 10))
        return rounds.run(Sparse(asked, one, data), contenders.ROWS, one.kind)
    data = datasets.get(asked.base, one.recipe)
    floor = data_seconds if one.kind in sets.PLAIN else None
    table = contenders.sampled(contenders.ROWS, asked.sample if asked.sample < asked.files else 0)
    if one.kind == sets.SIZES and not asked.base.full:     # rows are many, and told by the models
        asked = replace(asked, base=replace(asked.base, runs=1))
    return rounds.run(Bench(asked, one, data), table, one.kind, floor)
