# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row makes a filesystem of one tree; e2fsck and e2bfo verify say of the results
whether all is there.

cold: nothing of the tree is in memory. warm: all of it was read by tar a moment ago.
"""

import os
from pathlib import Path

from e2bench import floor as floors, host, rounds

from . import contenders, sets

MIB = host.MIB


class Bench(rounds.Bench):
    """The tree is mounted as long as the devices are attached."""

    def attach(self):
        super().attach()
        base = self.asked.base
        source_dir = self.directory("mnt-source")
        self.stack.enter_context(host.mounted(self.source, source_dir, "ro,noatime"))
        file = base.image("populate-file.img")
        self.stack.callback(file.unlink, missing_ok=True)
        self.place = contenders.Place(
            source=tree_below(source_dir), target=self.target,
            target_dir=self.directory("mnt-target"), file=str(file),
            used_mib=-(-self.contents.tree_bytes // MIB), blocks=self.target_size // 1024,
            inodes=self.contents.inodes, e2bfo=str(base.e2bfo),
            e2bfo_args=" ".join(base.e2bfo_args))

    def prepare(self, row, cache):
        host.release(self.target)
        Path(self.place.file).unlink(missing_ok=True)
        host.sh("wipefs", "-a", "-q", self.target)
        host.make_cold(self.source, self.target)
        if cache == "warm":
            host.sh("bash", "-c", 'tar -cf - -C "$1" . | cat > /dev/null', "bash",
                    self.place.source)
        super().prepare(row, cache)

    def judge(self, row):
        """Is it sound, and is all there?"""
        return rounds.volume_compared(self.place.e2bfo, *row.judged(self.place)) if row.tree else ""


def tree_below(top):
    """The one directory of a flat set, or all of it; never lost+found.

    A set of one directory is made of that directory alone.
    """
    flat = os.path.join(top, "flat")
    return flat if os.path.isdir(flat) else top


def floor(bench):
    return floors.once(bench.place.source, bench.contents.inodes)


def run(asked, one):
    """All rounds of one set."""
    bench = Bench(asked, one.name, *sets.get(asked, one))
    return rounds.run(bench, contenders.ROWS, one.kind, floor if one.kind == "aged" else None)
