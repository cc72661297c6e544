# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweep: sets of files that are all of one size, and a rig to measure a command on.

Measures one command, cold: the wall clock (measure.c), and the requests of both devices (trace).
reading, writing and batches say what for. A set is one flat directory, made by mkflat, and is
thrown away when the next is made: they are many, and quickly made again.

SWEEP_MB says how large a set is; but unless BENCH=full it has at most 32,768 files, as reading more
of them one by one takes longer than all the rest.
"""

import contextlib
import os
import random
import shlex
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import contenders, datasets, experiment, host, models, trace

KIB, MIB = 1 << 10, 1 << 20
SIZES = tuple(4 * KIB << 2 * i for i in range(6))       # 4 KiB ... 4 MiB
MOST_FILES = 32768
QUICK = 0.5                     # seconds; what takes no longer is run three times
DIRECTORY = "files"
MODELS = ("disk", "cloud", "ssd")


@dataclass(frozen=True)
class FileSet:
    size: int                   # bytes of each file
    count: int
    how: str = "fresh"          # or "random": created in this order

    @property
    def total(self):
        return self.size * self.count

    @property
    def tree_bytes(self):
        """What has to be read of it at least: data and inodes."""
        return self.total + 256 * self.count

    @property
    def image_bytes(self):
        return (self.total + self.total // 16 + 600 * self.count + 96 * MIB) // MIB * MIB

    def mke2fs(self):
        return ("-N", str(self.count + self.count // 50 + 1000))

    def names(self):
        """Paths of the files, in the order of their names (and, fresh, of creation)."""
        return [f"{DIRECTORY}/file-{i:07}.dat" for i in range(self.count)]


def file_set(settings, size, how="fresh"):
    count = max(settings.sweep_mb * MIB // size, 1)
    return FileSet(size, count if settings.full else min(count, MOST_FILES), how)


@dataclass
class Cost:
    """Of one command."""
    walls: list = field(default_factory=list)   # seconds
    rss: int = 0                                # bytes
    source: dict = field(default_factory=dict)  # models.summary of what it read there
    target: dict = field(default_factory=dict)  # and of all it did here
    output: list = field(default_factory=list)  # lines that it printed
    failure: str = ""

    @property
    def wall(self):
        return statistics.median(self.walls) if self.walls else None

    def spread(self):
        return f"{min(self.walls):.2f}–{max(self.walls):.2f} ({len(self.walls)})"

    def model(self, name):
        """Seconds on both devices, one after the other."""
        if not self.source:
            return None
        return self.source[name] + self.target.get(name, 0)

    def numbers(self):
        """As JSON has it."""
        return {"walls": self.walls, "rss": self.rss, "source": self.source,
                "target": self.target, "failure": self.failure}


class Rig:
    """A source with a file set, and perhaps a target, attached; made by rig()."""

    def __init__(self, settings, job):
        self.settings, self.job = settings, job
        self.both = job.source != job.target

    def program(self, name):
        return str(self.settings.built(name))

    def fill(self, files):
        """The source gets a new filesystem with these files."""
        datasets.mkfs(self.job.source, ("-U", datasets.UUID, "-E",
                                        f"hash_seed={datasets.HASH_SEED}", *files.mke2fs()))
        with host.mounted(self.job.source, self.job.source_dir, "noatime") as top:
            directory = os.path.join(top, DIRECTORY)
            os.mkdir(directory)
            host.sh(self.program("mkflat"), directory, files.count, files.size, files.how)

    def path(self, name):
        return os.path.join(self.job.work, name)

    def write_list(self, name, paths):
        """A list as readall and drain take it; returns its path."""
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write("".join(path + "\0" for path in paths))
        return self.path(name)

    def by_inode(self):
        """Paths of the files by inode number."""
        with host.mounted(self.job.source, self.job.source_dir, "ro,noatime") as top:
            entries = sorted((e.inode(), e.name) for e in os.scandir(os.path.join(top, DIRECTORY)))
        return [f"{DIRECTORY}/{name}" for _, name in entries]

    def readall(self, listed):
        """Command: read(2) of the files of a list, on the source, mounted for it."""
        words = shlex.join([self.program("readall")]) + " {source_dir} " + shlex.quote(listed)
        return contenders.script(self.job, contenders.MOUNT_SOURCE, words,
                                 "umount {source_dir}")

    def contents(self, device):
        """What drain says about all files of a device, the same for copies."""
        for patience in range(20, -1, -1):
            try:
                return host.sh(self.program("drain"), "-s", device).splitlines()[0]
            except host.Failure as error:
                if "in use" not in str(error) or not patience:
                    raise
                time.sleep(0.25)        # somebody probes it

    def verify(self, tool):
        """Failure, unless the target is sound and has the contents of the source."""
        check = host.status_of("e2fsck", "-fn", self.job.target)
        if check:
            raise host.Failure(f"{tool.label}: e2fsck -fn of what it wrote: exit {check}")
        source, target = (self.contents(d) for d in (self.job.source, self.job.target))
        if source != target:
            raise host.Failure(f"{tool.label}: source {source}; what it wrote: {target}")

    def drain(self, *options, listed=None):
        return [self.program("drain"), *map(str, options), self.job.source,
                *([listed] if listed else [])]

    def dd(self, files):
        """The limit: as many bytes as the set has, one after the other."""
        return ["dd", f"if={self.job.source}", "of=/dev/null", "bs=1M", "status=none",
                f"count={-(-files.tree_bytes // MIB)}"]

    def prepare(self, before, programs):
        before()
        host.make_cold(*{self.job.source, self.job.target})
        for name in programs:
            host.status_of(contenders.program(self.settings, name) or self.program(name),
                           "--version", stdin=subprocess.DEVNULL)

    def timed(self, command, good):
        sample = experiment.measure(self.settings, self.job, command)
        if sample.status not in good:
            raise host.Failure(f"{shlex.join(command)}: exit {sample.status}: "
                               f"{experiment.last_words(self.job)}")
        return sample

    def traced(self, cost, command, good):
        with trace.Tracer([self.job.source] + [self.job.target] * self.both) as tracer:
            sample = self.timed(command, good)
        if tracer.lost:
            raise host.Failure(f"{shlex.join(command)}: {tracer.lost} trace events lost")
        logs = tracer.logs()
        cost.source = models.summary(logs[self.job.source].reads())
        if self.both:
            cost.target = models.summary(logs[self.job.target].requests)
        return sample

    def cost(self, command, programs=(), before=lambda: None, good=(0,)):
        """Runs it, cold, once or - if it is quick - three times; requests are those of the first.
        A failure is part of the result.

        PROGRAMS are brought back into memory before the clock starts, after BEFORE was called.
        """
        cost = Cost()
        try:
            self.prepare(before, programs)
            sample = self.traced(cost, command, good)
            cost.walls, cost.rss = [sample.wall], sample.rss
            cost.output = Path(self.path("output")).read_text(encoding="utf-8").splitlines()
            while sample.wall < QUICK and len(cost.walls) < 3:
                self.prepare(before, programs)
                cost.walls.append(self.timed(command, good).wall)
        except host.Failure as error:
            cost = Cost(failure=str(error))
            experiment.say(cost.failure)
        return cost


@contextlib.contextmanager
def rig(settings, source, target=None):
    """SOURCE, TARGET: (path, bytes) of image files that are there already."""
    with contextlib.ExitStack() as stack:
        devices = [stack.enter_context(host.loop(*image)) for image in (source, target) if image]
        places = {name: settings.image(name) for name in ("mnt-source", "mnt-target", "work")}
        for path in places.values():
            path.mkdir(exist_ok=True)
        stack.callback(host.unmount_if_mounted, places["mnt-source"], places["mnt-target"])
        yield Rig(settings, contenders.Job(
            source=devices[0], target=devices[-1], reference=devices[0],
            source_dir=str(places["mnt-source"]), target_dir=str(places["mnt-target"]),
            e2bfo=str(settings.e2bfo), e2bfo_args=settings.e2bfo_args,
            work=str(places["work"]), mke2fs=()))


@contextlib.contextmanager
def tmpfs(directory, size):
    host.sh("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory)
    try:
        yield
    finally:
        host.sh("umount", directory)


@contextlib.contextmanager
def in_memory(settings, size):
    """An image file of SIZE in memory, for as long as it is needed."""
    if host.available_memory() < size * 2:
        raise host.Failure(f"{host.available_memory() // MIB} MiB of memory are free, "
                           f"{size * 2 // MIB} are needed; SWEEP_MB says less")
    directory = settings.image("memory")
    directory.mkdir(exist_ok=True)
    host.unmount_if_mounted(directory)
    with tmpfs(directory, size + 16 * MIB):
        path = directory / "source.img"
        path.touch()
        os.truncate(path, size)
        yield str(path)


def on_disk(settings, name, size):
    """The same on the disk, every block of it written before; kept for the next run."""
    return str(experiment.scratch(settings, name, size))


def shuffled(names):
    names = list(names)
    random.Random(20190520).shuffle(names)
    return names


def measured(cost, measure):
    """Seconds of a Cost: "wall", or a model's name."""
    return cost.wall if measure == "wall" else cost.model(measure)


def ratio(row, key, measure, base):
    """How many times as long as BASE, both keys of row.costs, or None."""
    if key not in row.costs or base not in row.costs:
        return None
    return times(measured(row.costs[key], measure), measured(row.costs[base], measure))


def per_gib(row, key, measure):
    """Of row.costs[key], as sets of the smallest files may have been cut short; or None."""
    value = measured(row.costs[key], measure)
    return None if value is None else value / (row.files.total / (1 << 30))


def times(value, base):
    """How many times BASE, or None."""
    return value / base if value is not None and base else None


def times_text(value):
    return "-" if value is None else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def cost_cells(cost):
    """What COST_HEADS says, of both devices."""
    if cost.failure:
        return [cost.failure] + ["-"] * (len(COST_HEADS) - 1)
    sides = [s for s in (cost.source, cost.target) if s]
    total = [sum(s[key] for s in sides) for key in ("requests", "bytes", "noncontiguous")]
    return [f"{cost.wall:.2f}", cost.spread(), f"{total[0]:,}", f"{total[1] / MIB:,.0f}",
            f"{total[2]:,}", *(f"{cost.model(m):.2f}" for m in MODELS), f"{cost.rss / MIB:,.0f}"]


MODEL_HEADS = [f"{models.WORDS[m]} s" for m in MODELS]
COST_HEADS = ["wall s", "min–max (n)", "requests", "MiB", "non-contig.", *MODEL_HEADS, "RSS MiB"]
