# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row takes the tree off one volume, and is judged by what it has made.

cold: nothing of the volume is in memory, nor of the target.
"""

import os
from pathlib import Path

from e2bench import datasets, experiment, floor as floors, host, rounds, survey

from . import contenders, judges

MIB = host.MIB


class Bench(rounds.Bench):
    """Devices are mounted for a run, if the row wants them so."""

    def attach(self):
        super().attach()
        base = self.asked.base
        used_mib = -(-self.contents.used_bytes // MIB)
        reference = experiment.scratch(base, "reference.img", used_mib * MIB)
        self.reference = self.stack.enter_context(host.loop(reference, used_mib * MIB))
        self.stack.callback(host.release, self.source, self.target)
        target_dir, source_dir = self.directory("mnt-target"), self.directory("mnt-source")
        listing = Path(self.work, "listing")
        self.stack.callback(listing.unlink, missing_ok=True)
        self.place = contenders.Place(
            source=self.source, source_dir=source_dir, target=self.target, target_dir=target_dir,
            made=os.path.join(target_dir, "made"), listing=str(listing), reference=self.reference,
            data=str(self.data_file(source_dir)), used_mib=used_mib, e2bfo=str(base.e2bfo),
            e2bfo_args=" ".join(base.e2bfo_args))

    def data_file(self, source_dir):
        """As many bytes as all files have."""
        with host.mounted(self.source, source_dir, "ro,noatime"):
            size = file_bytes(source_dir)
        path = experiment.scratch(self.asked.base, "extract-data.img", size)
        os.truncate(path, size)
        return path

    def read_by(self, row):
        return self.reference if row.source == "reference" else self.source

    def prepare(self, row, cache):
        self.put_down()
        Path(self.place.listing).unlink(missing_ok=True)
        if row.target == "mounted":
            datasets.mkfs(self.target, self.data.mke2fs)
            host.sh("mount", "-o", "noatime,noinit_itable", self.target, self.place.target_dir)
            os.mkdir(self.place.made)
        elif row.target == "blank":
            host.sh("wipefs", "-a", "-q", self.target)
        if row.source == "mounted":
            host.sh("mount", "-o", "ro,noatime", self.source, self.place.source_dir)
        host.make_cold(self.source, self.target, self.reference)
        if row.source == "data":
            host.make_warm(self.place.data, os.path.getsize(self.place.data))
        super().prepare(row, cache)

    def put_down(self):
        """Nothing is mounted."""
        host.release(self.source, self.target)

    def mounted(self):
        return host.mounted(self.source, self.place.source_dir, "ro,noatime")

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
