# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants: in which order the files of a directory are met, and where they lie; a table. Measures
nothing.

All but the last two go through the kernel, by the same program (inorder.c). A run of as many names
as the directory has, or more, is "sorted" and not tried again.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    key: str
    label: str
    image: str = "ext4"         # of sets.IMAGES
    order: str = "names"        # of inorder
    preload: bool = False       # run by e2itree-run
    batch: bool = False         # by e2bfo batch, on a volume that is not mounted


VARIANTS = (
    Variant("kernel", "kernel order"),
    Variant("sorted", "sorted in memory", order="sorted"),
    Variant("1000", "runs of 1,000", order="1000"),
    Variant("10000", "runs of 10,000", order="10000"),
    Variant("50000", "runs of 50,000", order="50000"),
    Variant("index", "by index, preload", image="indexed", preload=True),
    Variant("copied", "after e2bfo copy", image="copied"),
    Variant("xfs", "xfs", image="xfs"),
    Variant("btrfs", "btrfs", image="btrfs"),
    Variant("batch", "e2bfo batch", batch=True),
    Variant("batch-index", "e2bfo batch, e2itree -p", image="indexed", batch=True),
)

KEYS = [v.key for v in VARIANTS]


def of(operation, files):
    """Those that an operation on so many files has.

    >>> from types import SimpleNamespace as Operation
    >>> [v.key for v in of(Operation(ordered=False, batch="put"), 10)]
    ['kernel', 'copied', 'xfs', 'btrfs', 'batch', 'batch-index']
    >>> [v.key for v in of(Operation(ordered=True, batch=""), 10000)]
    ['kernel', 'sorted', '1000', 'index', 'copied', 'xfs', 'btrfs']
    """
    return [v for v in VARIANTS
            if (operation.batch or not v.batch)
            and (operation.ordered or v.order == "names" and not v.preload)
            and not (v.order.isdecimal() and int(v.order) >= files)]
