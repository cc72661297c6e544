# SPDX-License-Identifier: GPL-2.0-or-later
"""Matrix: every operation in every variant on each cell.

Measures by experiment; results are {cell name: Outcome}. Variants of one operation follow each
other, so that their times stand to each other as those of a quarter of an hour do.
"""

from dataclasses import dataclass, field

from e2bench import host, pressure

from . import cells, operations, readers, sets, variants
from .experiment import Bench, Result, Run, floor, say


@dataclass
class Outcome:
    cell: object
    floor: object               # experiment.Result
    results: dict = field(default_factory=dict)         # {operation: {variant: Result}}


def absent(settings, variant):
    """Why it cannot be tried, or ""."""
    return readers.no_preload(settings) if variant.preload else ""


def mount_options(filesystem, writes):
    """Inode tables that the kernel zeroes meanwhile would be seen among the requests."""
    return ("rw,noatime" if writes else "ro,noatime") + (
        ",noinit_itable" if writes and filesystem == "ext4" else "")


def run_of(settings, images, lists, cell, operation, variant, limit):
    """How an operation is run in a variant."""
    filesystem = variant.image if variant.image in sets.META else "ext4"
    script = getattr(lists, operation.batch) if variant.batch else ""

    def command(device):
        job = operations.Job(settings, device, str(settings.image("mnt-thesis")), cell.set.bytes,
                             variant.order, lists.names, script)
        if variant.batch:
            return operations.batch(job, variant.image == "indexed")
        return operation.command(job)

    def is_kept(device):
        fresh = host.status_of(settings.e2itree, "-n", device) == 0
        return "" if fresh else "the index is stale"

    data = images.scratch if operation.writes else images.get
    mount = "" if variant.batch else mount_options(filesystem, operation.writes)
    preload = readers.preload(settings) if variant.preload else ()
    counts = operation.ordered and not variant.batch
    return Run(lambda: data(variant.image), filesystem, mount, command, cell.set.files,
               (*limit, *preload), counts, counts,
               is_kept if variant.key == "batch-index" else None)


def run_cell(bench, images, lists, cell):
    settings = bench.settings
    outcome = Outcome(cell, floor(bench, images.get("ext4")))
    with pressure.limited(settings.limit if cell.memory == "limit" else 0) as limit:
        for operation in operations.OPERATIONS:
            if operation.key not in cell.operations:
                continue
            rows = outcome.results[operation.key] = {}
            for variant in variants.of(operation, cell.set.files):
                if variant.key not in cell.variants:
                    continue
                result = rows[variant.key] = Result(
                    variant.key, f"{cell.name} {operation.key}, {variant.label}",
                    failure=absent(settings, variant))
                if not result.failure:
                    bench.run(run_of(settings, images, lists, cell, operation, variant, limit),
                              result)
                result.label = variant.label
    return outcome


def run(settings, outcomes, notes, keep):
    """Fills OUTCOMES, {cell name: Outcome}, and NOTES of what was left out; KEEP() after each."""
    images, lists, at = None, None, None
    bench = Bench(settings)
    for cell in cells.wanted(settings):
        if settings.is_over():
            notes.append(f"{cell.name} was left out: MINUTES={settings.minutes:g} were over")
            continue
        if cell.memory == "limit" and not pressure.root():
            notes.append(f"{cell.name}: no cgroup with the controller of memory can be written "
                         "here")
            continue
        if cell.set != at:
            images, at = sets.Images(settings, cell.set, say), cell.set
            lists = sets.lists(settings, cell.set, images.get("ext4").image, bench.top)
        outcomes[cell.name] = run_cell(bench, images, lists, cell)
        keep()
