# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the volumes that are read, each made once and kept. Measures nothing.

    kernel       a source tree, as tar unpacks it
    aged         one directory of files of 4 KB, after interleaved writes and deletions
"""

from e2bench import recipes
from e2bench.rows import Set

KINDS = ("kernel", "aged")


def wanted(asked):
    every = (Set("kernel", "kernel", recipes.kernels(asked.base)[0]),
             Set("aged", "aged", recipes.aged_flat(asked.aged_files)))
    return [one for one in every if asked.wants_set(one.kind)]
