# SPDX-License-Identifier: GPL-2.0-or-later
"""Scale: does a file cost the same in a directory of a million as in one of a hundred thousand?

Measures e2bfo copy, cold, on flat directories of empty files: where there is no data, what is left
is the cost of inodes and names. User CPU, wall time per file, and peak memory against what P7
promises, with a batch buffer of 64 MB so that the buffer does not hide the rest.
"""

from dataclasses import replace

from . import contenders, experiment

MEMORY = 64 << 20
TOOL = contenders.ours("e2bfo", "--memory", "64M")


def run(settings, data):
    """{"e2bfo": Result} of one directory; cold only."""
    return experiment.run(replace(settings, caches=("cold",)), data, [TOOL])
