# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges: is it done?

Measures nothing. Takes the bench after a run of the row, and says "same", or what is wrong: words
that stand in the table. The volume is sound, and each file of the batch is as the operation leaves
it; what is only read has no judge, but the number of words has to be right.
"""

import os
import subprocess
from pathlib import Path

from e2bench import host

from .contenders import APPENDED, JUDGED


TOLD = ("operations", "commits", "opening", "working", "user", "system", "commit", "kib")


def output(bench):
    """What the last run has printed."""
    return Path(bench.work, "output").read_text(encoding="utf-8")


def parse(text):
    """The line of batched, as numbers: seconds, but for counts and KiB; commit: the median of them.

    >>> parse("100 2 0.5 1 0.25 0.125 0.4 2048\\n")["commit"]
    0.4
    """
    return dict(zip(TOLD, map(float, text.split())))


def judge(bench, row):
    place = bench.place
    if row.operation == "words":
        return counted(output(bench), bench.shape.old)
    if row.operation not in JUDGED:
        return ""
    if host.status_of("e2fsck", "-fn", place.device):
        return "not sound: e2fsck -fn"
    size = APPENDED if row.operation == "append" else place.size
    with host.mounted(place.device, place.directory, "ro,noatime"):
        done = subprocess.run([place.manyops, JUDGED[row.operation], place.directory, place.list,
                               str(size)], capture_output=True, text=True, check=False)
    return "same" if done.returncode == 0 else f"not done: {os.path.basename(done.stderr.strip())}"


def counted(text, files):
    """Each file is one word.

    >>> counted("20 words in 20 files\\n", 20), counted("19 words\\n", 20)
    ('same', 'not all: 19 words')
    """
    return "same" if text.split()[:1] == [str(files)] else f"not all: {text.strip()[:40]}"
