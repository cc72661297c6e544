# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges: is it done?

Measures nothing. Takes the bench after a run of the row, and says "same", or what is wrong: words
that stand in the table. The volume is sound, and each file of the batch is as the operation leaves
it; what is only read has no judge.
"""

import os
import subprocess

from e2bench import host

from .contenders import APPENDED, JUDGED


def judge(bench, row):
    place = bench.place
    if row.operation not in JUDGED:
        return ""
    if host.status_of("e2fsck", "-fn", place.device):
        return "not sound: e2fsck -fn"
    names = place.new if row.operation == "create" else place.old
    size = APPENDED if row.operation == "append" else place.size
    with host.mounted(place.device, place.directory, "ro,noatime"):
        done = subprocess.run([place.manyops, JUDGED[row.operation], place.directory, names,
                               str(size)], capture_output=True, text=True, check=False)
    return "same" if done.returncode == 0 else f"not done: {os.path.basename(done.stderr.strip())}"
