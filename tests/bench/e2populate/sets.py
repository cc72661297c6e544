# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the trees that filesystems are made of; each on an ext4 of its own, made once and kept.

Measures nothing.

    kernel       a source tree, as tar unpacks it
    archive      the same tree as a tar, plain and by zstd -3
    aged         one directory of files of 4 KB, after interleaved writes and deletions
    many-N       one directory of N empty files, created in random order
"""

from dataclasses import replace

from e2bench import datasets, host, recipes
from e2bench.rows import Set

KINDS = ("kernel", "archive", "aged", "many")


def pack(source, target):
    host.sh("tar", "-C", source, "--exclude=./lost+found", "--sort=name", "-cf",
            f"{target}/tree.tar", ".")
    host.sh("zstd", "-q", "-3", f"{target}/tree.tar", "-o", f"{target}/tree.tar.zst")


def archives(asked, kernel):
    return replace(kernel, name="kernel-tar", fill=recipes.reading(kernel, pack),
                   about=f"{kernel.about}, as tar and as tar.zst", group="archive")


def all_sets(asked):
    kernel = recipes.kernels(asked.base)[0]
    return [Set("kernel", "kernel", kernel), Set("archive", "archive", archives(asked, kernel)),
            Set("aged", "aged", recipes.aged_flat(asked.aged_files)),
            *(Set(f"many-{count}", "many", recipes.scale(count))
              for count in sorted(asked.many_files))]


def wanted(asked):
    return [one for one in all_sets(asked) if asked.wants_set(one.kind)]


def get(asked, one):
    """(its data set, made now if it is not there; what is in the tree)"""
    data = datasets.get(asked.base, one.recipe)
    if one.kind != "archive":
        return data, data.contents
    return data, datasets.get(asked.base, recipes.kernels(asked.base)[0]).contents
