# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row does its operation to one volume, as it was made, and is judged by what has
become of it.

cold: nothing of the volume is in memory. What is written comes from a file that is.
"""

from pathlib import Path

from e2bench import datasets, host, models, rounds

from . import contenders, judges, sets

MIB = host.MIB
SEED = 4711                     # of the order of files


class Bench(rounds.Bench):
    """The source is the volume as it was made; rows work on the target, a copy of it."""

    def __init__(self, asked, one, data):
        super().__init__(asked, one.name, data, data.contents)
        self.directories, self.size = sets.shape(one.kind)

    def attach(self):
        super().attach()
        base = self.asked.base
        self.stack.callback(host.release, self.target)
        self.place = contenders.Place(
            device=self.target, directory=self.directory("mnt-target"),
            new=self.kept("new", listed(self.paths("n"))),
            old=self.kept("old", listed(self.paths("f", SEED))),
            data=self.kept("data", "b" * self.size),
            more=self.kept("more", "b" * contenders.APPENDED), size=self.size, work=self.work,
            manyops=str(base.built("manyops")), e2bfo=str(base.e2bfo),
            e2bfo_args=" ".join(base.e2bfo_args))

    def paths(self, prefix, seed=0):
        return sets.paths(self.directories, self.asked.files, prefix, seed)

    def kept(self, name, text):
        path = Path(self.work, name)
        path.write_text(text, encoding="ascii")
        return str(path)

    def read_by(self, row):
        return self.source

    def prepare(self, row, cache):
        host.release(self.target)
        host.sh("dd", f"if={self.source}", f"of={self.target}", "bs=4M", "oflag=direct",
                "status=none")
        host.make_cold(self.source, self.target)
        for name in (self.place.new, self.place.old, self.place.data, self.place.more):
            host.make_warm(name, 1 << 40)
        super().prepare(row, cache)

    def judge(self, row):
        return judges.judge(self, row)


def listed(paths):
    return "".join(path + "\n" for path in paths)


def data_seconds(bench):
    """What dd of the data of the batch would take, by the disk model."""
    return bench.asked.files * bench.size / models.DISK_RATE


def run(asked, one):
    """All rounds of one set."""
    data = datasets.get(asked.base, one.recipe)
    return rounds.run(Bench(asked, one, data), contenders.ROWS, one.kind, data_seconds)
