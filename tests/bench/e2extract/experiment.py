# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row takes the tree off one volume, and is judged by what it has made.

cold: nothing of the volume is in memory, nor of the target.
"""

import os
from pathlib import Path

from e2bench import datasets, experiment, floor as floors, host, rounds, survey, volumes

from . import contenders, judges


class Bench(volumes.Bench):
    """Devices are mounted for a run, if the row wants them so."""

    def attach(self):
        super().attach()
        base = self.asked.base
        listing = Path(self.work, "listing")
        self.stack.callback(listing.unlink, missing_ok=True)
        self.place = contenders.Place(
            source=self.source, source_dir=self.source_dir, target=self.target,
            target_dir=self.target_dir, made=self.made, listing=str(listing),
            reference=self.reference, data=str(self.data_file(self.source_dir)),
            used_mib=self.used_mib, e2bfo=str(base.e2bfo), e2bfo_args=" ".join(base.e2bfo_args))

    def data_file(self, source_dir):
        """As many bytes as all files have."""
        with host.mounted(self.source, source_dir, "ro,noatime"):
            size = file_bytes(source_dir)
        path = experiment.scratch(self.asked.base, "extract-data.img", size)
        os.truncate(path, size)
        return path

    def prepare(self, row, cache):
        Path(self.place.listing).unlink(missing_ok=True)
        super().prepare(row, cache)
        if row.source == "data":
            host.make_warm(self.place.data, os.path.getsize(self.place.data))

    def judge(self, row):
        return judges.JUDGES[row.made](self, row)


def file_bytes(top):
    """Sizes of all files; of one with several names each time, as each is read."""
    return sum(entry.stat(follow_symlinks=False).st_size for entry, _ in survey.names(top)
               if entry and entry.is_file(follow_symlinks=False))


def floor(bench):
    with bench.mounted() as top:
        return floors.once(top, bench.contents.inodes)


def run(asked, one):
    """All rounds of one set."""
    data = datasets.get(asked.base, one.recipe)
    bench = Bench(asked, one.name, data, data.contents)
    return rounds.run(bench, contenders.ROWS, one.kind, floor)
