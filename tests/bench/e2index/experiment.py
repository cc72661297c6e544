# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: one directory of N files, aged; indexes are made of it, and it is listed.

Measures every run cold. Makers run under measure, so the time they take includes the sync of the
device, on a copy of the image each time; readers under firstline. The first run of each is traced.

    flat.img --- copy --- e2itree, e2fsck -fyD        each on a fresh one
       |           '----- e2itree, then e2itree -n, e2bfo ls
       '--- e2bfo ls; mounted read-only: the kernel's readers

Readers by the kernel meet an inode cache that is empty; superblock, group descriptors and what
else a mount keeps are in memory then. What reads the device itself reads these, too.
"""

import contextlib
import os
import statistics
import sys
from dataclasses import dataclass, field

from e2bench import datasets, host, models, trace

from . import contenders

SLACK = 256 << 20               # journal, bitmaps, what e2fsck -D and an index need


@dataclass
class Sample:
    wall: float
    user: float
    system: float
    rss: int                    # bytes
    first_wall: float = None    # readers: until the first output
    first_cpu: float = None

    @property
    def cpu(self):
        return self.user + self.system


@dataclass
class Result:
    key: str
    label: str
    samples: list = field(default_factory=list)
    requests: dict = field(default_factory=dict)        # models.summary
    reads: int = 0
    order: float = None         # share of ascending steps, if the reader says so

    def median(self, what):
        values = [getattr(s, what) for s in self.samples]
        values = [v for v in values if v is not None]
        return statistics.median(values) if values else None


def say(text):
    print(f"itree: {text}", file=sys.stderr, flush=True)


# ---- images ----

def recipe(settings, files):
    size = files * (256 + 80 + (4096 if settings.bytes else 0)) * 5 // 4 + SLACK
    return datasets.Recipe(
        f"itree-{files}-{settings.bytes}", -(-size // host.MIB) * host.MIB,
        ("-N", str(files + files // 50 + 1000)), "noatime",
        datasets.flat(files, settings.bytes, "churned"),
        f"one directory, {files:,} files of {settings.bytes:,} bytes, a fifth of them replaced")


# ---- runs ----

def run(settings, command, argv_of):
    """Runs a measuring program around COMMAND: (its line, words of the command's)."""
    line, output = settings.image("measured"), settings.image("output")
    line.unlink(missing_ok=True)
    try:
        status = host.watched(argv_of(line) + command, output, settings.timeout)
    except host.TimeOut as error:
        raise host.Failure(f"{command[0]}: {error}") from None
    said = output.read_text(encoding="utf-8", errors="replace").strip()
    if status:
        raise host.Failure(said or f"{command[0]}: not measured")
    return line.read_text(encoding="ascii").split(), said.splitlines()


def judge(command, status, good, said):
    code = os.waitstatus_to_exitcode(int(status))
    if code not in good:
        raise host.Failure(f"{' '.join(map(str, command))}: exit {code}: {''.join(said[-1:])}")


def measured(settings, job, maker):
    """One run of a program that changes or checks the filesystem."""
    command = maker.command(job)
    line, said = run(settings, command,
                     lambda path: [settings.built("measure"), path, job.device])
    wall, user, system, rss, status = line
    judge(command, status, maker.good_status, said)
    return Sample(float(wall), float(user), float(system), int(rss) * 1024), None


def listed(settings, job, reader, names):
    """One run of a reader, which must have listed NAMES names; and the order it saw."""
    command = reader.command(job)
    line, said = run(settings, command, lambda path: [settings.built("firstline"), path])
    first_wall, first_cpu, wall, user, system, rss, lines, status = line
    judge(command, status, (0,), said)
    if int(lines) - reader.head != names:
        raise host.Failure(f"{reader.label}: {int(lines) - reader.head} names of {names}")
    order = float(said[-1].split()[0]) if reader.key in ("kernel-unsorted", "kernel-sorted") else None
    return Sample(float(wall), float(user), float(system), int(rss) * 1024, float(first_wall),
                  float(first_cpu)), order


def cold_run(result, job, work):
    """Does WORK, (Sample, order), with cold caches; the first time traced."""
    host.make_cold(job.device)
    if result.samples:
        sample, _ = work()
    else:
        with trace.Tracer([job.device]) as tracer:
            sample, result.order = work()
        log = tracer.logs()[job.device]
        result.requests = models.summary(log.requests)
        result.reads = len(log.reads())
        if tracer.lost:
            raise host.Failure(f"{result.label}: {tracer.lost} trace events lost")
    result.samples.append(sample)
    say(f"{result.label} {len(result.samples)}: {sample.wall:.2f} s, CPU {sample.cpu:.2f} s")


def run_maker(settings, maker, image, result):
    with host.loop(image) as device:
        job = contenders.Job(device, "", settings)
        cold_run(result, job, lambda: measured(settings, job, maker))


def run_reader(settings, reader, image, names, result):
    directory = settings.image("mnt-itree")
    directory.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        job = contenders.Job(stack.enter_context(host.loop(image)), str(directory / "flat"),
                             settings)
        if reader.mounted:
            stack.enter_context(host.mounted(job.device, directory, "ro,noatime"))
        cold_run(result, job, lambda: listed(settings, job, reader, names))


# ---- rows ----

def indexed_image(settings, data):
    """A copy with an index; made by e2itree."""
    path = datasets.copied(settings, data, "itree-indexed.img")
    with host.loop(path) as device:
        if host.status_of(settings.e2itree, "-p", device) != 1:
            raise host.Failure(f"e2itree -p {path}: it built nothing")
    return path


def make_rows(settings, data, indexed, results):
    for maker in contenders.MAKERS:
        if not settings.wants(maker.key):
            continue
        result = results[maker.key] = Result(maker.key, maker.label)
        for _ in range(settings.runs):
            image = indexed if maker.indexed else datasets.copied(settings, data, "itree-work.img")
            run_maker(settings, maker, image, result)


def read_rows(settings, data, indexed, names, results):
    for reader in contenders.READERS:
        if not settings.wants(reader.key):
            continue
        result = results[reader.key] = Result(reader.key, reader.label)
        for _ in range(settings.runs):
            run_reader(settings, reader, indexed if reader.indexed else data.image, names, result)


def run_set(settings, files):
    """All rows for a directory of FILES files: (data set, {key: Result})."""
    wanted = recipe(settings, files)
    say(wanted.about)
    data = datasets.get(settings, wanted)
    results = {}
    indexed = None
    if any(c.indexed and settings.wants(c.key)
           for c in contenders.MAKERS + contenders.READERS):
        indexed = indexed_image(settings, data)
    make_rows(settings, data, indexed, results)
    read_rows(settings, data, indexed, files, results)
    return data, results
