# SPDX-License-Identifier: GPL-2.0-or-later
"""Volumes: a bench for rows some of which read devices, and others what is mounted from them.

A row says in `source` and `target` how it wants them: "mounted", or not; a target is also "blank",
or none at all.
"""

import os

from . import datasets, experiment, host, rounds

MIB = host.MIB


class Bench(rounds.Bench):
    """Beside the source there is a reference: as many bytes as all blocks in use, in one piece."""

    def attach(self):
        super().attach()
        self.used_mib = -(-self.contents.used_bytes // MIB)
        reference = experiment.scratch(self.asked.base, "reference.img", self.used_mib * MIB)
        self.reference = self.stack.enter_context(host.loop(reference, self.used_mib * MIB))
        self.stack.callback(self.put_down)
        self.target_dir = self.directory("mnt-target")
        self.source_dir = self.directory("mnt-source")
        self.made = os.path.join(self.target_dir, "made")

    def read_by(self, row):
        return self.reference if row.source == "reference" else self.source

    def prepare(self, row, cache):
        self.put_down()
        if row.target == "mounted":
            datasets.mkfs(self.target, self.data.mke2fs)
            host.sh("mount", "-o", "noatime,noinit_itable", self.target, self.target_dir)
            os.mkdir(self.made)
        elif row.target == "blank":
            host.sh("wipefs", "-a", "-q", self.target)
        if row.source == "mounted":
            host.sh("mount", "-o", "ro,noatime", self.source, self.source_dir)
        host.make_cold(self.source, self.target, self.reference)
        super().prepare(row, cache)

    def put_down(self):
        """Nothing is mounted."""
        host.release(self.source, self.target)

    def mounted(self):
        return host.mounted(self.source, self.source_dir, "ro,noatime")

    def judge_directory(self):
        """What was made in a directory is compared with the source."""
        self.put_down()
        with host.mounted(self.target, self.target_dir, "ro,noatime"):
            return rounds.compared(str(self.asked.base.e2bfo), self.source, self.made)

    def judge_volume(self):
        return rounds.volume_compared(str(self.asked.base.e2bfo), self.source, self.target)
