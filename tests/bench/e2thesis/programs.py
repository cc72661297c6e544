# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs: every reader in every way.

Measures by experiment; results are {set name: Outcome}.
"""

import tempfile
from dataclasses import dataclass, field

from e2bench import host

from . import cells, readers, sets
from .experiment import Bench, Result, Run, floor, say
from .matrix import mount_options


@dataclass
class Outcome:
    set: object
    floor: object
    results: dict = field(default_factory=dict)         # {reader: {way: Result}}


def run_of(settings, images, one, reader, way, memory, prefix):
    data = images.scratch if reader.writes else images.get

    def command(_device):
        place = tempfile.mkdtemp(dir=memory)
        return reader.command(readers.Job(settings, str(settings.image("mnt-thesis")), place))

    return Run(lambda: data(way.image), "ext4", mount_options("ext4", reader.writes), command,
               one.files, tuple(prefix), counts=reader.key == "mail",
               speaks=reader.key not in ("cp", "rsync", "rm", "du"))


def run_reader(bench, images, one, reader):
    rows = {}
    for way in readers.WAYS:
        why = way.absent(bench.settings)
        if reader.program and not host.installed(reader.program):
            why = f"{reader.program}: not installed"
        result = rows[way.key] = Result(way.key, f"{one.name} {reader.label}, {way.label}",
                                        failure=why)
        if not why:
            with host.in_memory() as memory:
                bench.run(run_of(bench.settings, images, one, reader, way, memory,
                                 way.prefix(bench.settings)), result)
        result.label = way.label
    return rows


def run(settings, outcomes, notes, keep):
    """Fills OUTCOMES, {set name: Outcome}, and NOTES of what was left out; KEEP() after each."""
    bench = Bench(settings)
    for one, keys in cells.read_sets(settings):
        if settings.is_over():
            notes.append(f"programs on {one.name} were left out: MINUTES={settings.minutes:g} were "
                         "over")
            continue
        images = sets.Images(settings, one, say)
        outcome = outcomes[one.name] = Outcome(one, floor(bench, images.get("ext4")))
        for reader in readers.READERS:
            if reader.key in keys:
                outcome.results[reader.key] = run_reader(bench, images, one, reader)
        keep()
