# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every tool copies one data set, in rounds, and each run is measured.

Measures wall time, CPU, peak memory (measure.c) of each run; in the first round also the
requests of both devices (trace), and what the result is worth (verdict).

    round 1 cold    dd  e2bfo  e2image ...      traced, verified
    round 2 cold    e2image  dd  e2bfo ...      tools in turn, so that a disturbance hits all,
    ...                                         and shuffled, so that none always follows the same:
    round 1 warm    dd  e2bfo  e2image ...      what one has written slows down the next

cold: nothing of either device is cached. warm: the source's image file is in memory, and read there.
"""

import contextlib
import os
import random
import statistics
import sys
from dataclasses import dataclass, field

from . import contenders, datasets, host, models, trace, verdict

MIB = 1 << 20
MANY = 100_000                  # inodes: to list all that the kernel shows of them takes long


@dataclass
class Sample:
    wall: float
    user: float
    system: float
    rss: int                # bytes
    status: int             # exit status; negative: signal


@dataclass
class Result:
    key: str
    label: str
    group: str
    cold: list = field(default_factory=list)
    warm: list = field(default_factory=list)
    source: dict = field(default_factory=dict)      # models.summary of what it read there
    target: dict = field(default_factory=dict)      # of what it wrote there; models: reads too
    source_writes: int = 0
    target_reads: int = 0
    verdict: object = None                          # verdict.Verdict
    failure: str = ""                               # of any run: no time of it counts
    stopped: float = 0                              # seconds after which it was
    untraced: str = ""                              # why there are no requests

    def samples(self, cache):
        return self.cold if cache == "cold" else self.warm

    def median(self, cache, what="wall"):
        values = [getattr(s, what) for s in self.samples(cache)]
        return statistics.median(values) if values else None

    def cpu(self, cache="cold"):
        values = [s.user + s.system for s in self.samples(cache)]
        return statistics.median(values) if values else None

    def rss(self):
        return max((s.rss for s in self.cold + self.warm), default=None)

    def whole(self):
        """Whether its time counts: a sound copy with every name."""
        return not self.failure and self.verdict is not None and self.verdict.whole()

    def equal(self):
        """Whether nothing was lost."""
        return not self.failure and self.verdict is not None and self.verdict.equal()

    def words(self, inodes):
        """Of its result, for a table."""
        said = verdict.words(self.verdict, inodes) if self.verdict else ""
        return "; ".join(filter(None, (said, self.failure, self.untraced))) or "-"


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Bench:
    """The devices of one data set, attached; with Bench(...) as b: b.copy(tool, cache)"""

    def __init__(self, settings, data, prefix=()):
        self.settings = settings
        self.data = data
        self.prefix = prefix            # what each command is run by
        self.stack = contextlib.ExitStack()
        self.job = None
        self.used_mib = -(-data.contents.used_bytes // MIB)
        self.reference_size = self.used_mib * MIB

    def __enter__(self):
        try:
            self.job = self.attach()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *exc):
        self.stack.close()

    def attach(self):
        reference = scratch(self.settings, "reference.img", self.reference_size)
        target = scratch(self.settings, "target.img", self.data.size)
        return contenders.Job(
            source=self.stack.enter_context(host.loop(self.data.image)),
            target=self.stack.enter_context(host.loop(target, self.data.size)),
            reference=self.stack.enter_context(host.loop(reference, self.reference_size)),
            source_dir=self.directory("mnt-source"), target_dir=self.directory("mnt-target"),
            e2bfo=str(self.settings.e2bfo), e2bfo_args=self.settings.e2bfo_args,
            work=self.directory("work"), memory=self.stack.enter_context(host.in_memory()),
            used_mib=self.used_mib, mke2fs=self.data.mke2fs)

    def directory(self, name):
        path = self.settings.image(name)
        path.mkdir(exist_ok=True)
        return str(path)

    def source_of(self, tool):
        """Device, image and bytes that this tool reads."""
        if tool.group == "limit":
            return self.job.reference, self.settings.image("reference.img"), self.reference_size
        return self.job.source, self.data.image, self.data.size

    def prepare(self, tool, cache):
        device, image, size = self.source_of(tool)
        if tool.target == "formatted":
            datasets.mkfs(self.job.target, self.data.mke2fs)
        elif tool.target == "blank":
            host.sh("wipefs", "-a", "-q", self.job.target)
        host.pass_cache_by(device, cache == "cold")
        host.say_that_it_seeks(device, tool.seeks)
        if cache == "warm" and host.passes_cache_by(device):
            raise host.Failure(f"{device} cannot read through the page cache")
        host.make_cold(self.job.source, self.job.target, self.job.reference)
        if cache == "warm":
            host.make_warm(image, size)
        contenders.load(self.settings, tool)

    def copy(self, tool, cache):
        """One timed copy."""
        self.prepare(tool, cache)
        return self.timed(tool)

    def timed(self, tool):
        sample = measure(self.settings, self.job, tool.command(self.job), self.prefix)
        if sample.status not in tool.good_status:
            raise host.Failure(f"exit {sample.status}: {last_words(self.job)}")
        return sample

    def traced_copy(self, tool, cache, result):
        source, _, _ = self.source_of(tool)
        self.prepare(tool, cache)
        with trace.Tracer([source, self.job.target]) as tracer:
            sample = self.timed(tool)
        logs = tracer.logs()
        if tracer.lost:
            result.untraced = f"{tracer.lost:,} requests were not seen: none counted"
        else:
            note_requests(result, logs[source], logs[self.job.target])
        return sample

    def judge(self, tool, status):
        """Verdict about the target as the copy left it."""
        found = verdict.judge(self.settings, self.data, self.job, status)
        many = self.data.contents.inodes > MANY and not self.settings.full
        if tool.key == "e2bfo" and found.equal() and not many:
            found.shown = verdict.shown_alike(self.settings, self.job)
        return found


def scratch(settings, name, size):
    """A file at least that large, every block of it written once: no first-write costs later."""
    path = settings.image(name)
    if not path.exists() or path.stat().st_size < size:
        say(f"writing {name}, {size // MIB} MiB")
        host.reserve(path, size)
        host.fill(path, size)
    return path


def note_requests(result, source, target):
    reads, writes = source.reads(), target.writes()
    everything = models.summary(target.requests)
    modelled = {k: everything[k] for k in models.NAMES}
    result.source = models.summary(reads)
    result.target = models.summary(writes) | modelled
    result.source_writes = len(source.writes())
    result.target_reads = len(target.reads())


def measure(settings, job, command, prefix=()):
    """Runs a command under measure(1), that under PREFIX, in a process group of its own that can be
    stopped whole; what it leaves mounted is unmounted."""
    line = os.path.join(job.work, "measured")
    try:
        status = host.watched([*prefix, settings.built("measure"), line, job.target, *command],
                              os.path.join(job.work, "output"), settings.timeout)
    finally:
        host.release(job.source, job.target)
    if status:
        raise host.Failure(last_words(job) or f"measure: exit {status}")
    return parse(line)


def parse(path):
    with open(path, encoding="ascii") as f:
        wall, user, system, rss, status = f.read().split()
    return Sample(float(wall), float(user), float(system), int(rss) * 1024,
                  os.waitstatus_to_exitcode(int(status)))


def last_words(job):
    with open(os.path.join(job.work, "output"), encoding="utf-8", errors="replace") as f:
        lines = [line.strip() for line in f if line.strip()]
    return lines[-1][:200] if lines else ""


def run(settings, data, tools):
    """All rounds of one data set; {key: Result}"""
    results = {t.key: Result(t.key, t.label, t.group) for t in tools}
    with Bench(settings, data) as bench:
        for cache in settings.caches:
            for number in range(settings.runs):
                for tool in in_turn(tools, number):
                    one_run(bench, tool, results[tool.key], cache, number)
    return results


def in_turn(tools, number):
    """The tools in the order of round NUMBER: as they come, later shuffled, always the same way."""
    return random.Random(number).sample(tools, len(tools)) if number else tools


def due(settings, tool, result, cache, number):
    """Whether a tool takes part in this round."""
    if result.failure or (cache == "warm" and not tool.warm):
        return False
    done = result.samples(cache)
    if tool.group != "file" or not done:
        return True
    return result.whole() and (number + 1) * done[0].wall <= settings.file_seconds


def one_run(bench, tool, result, cache, number):
    if not due(bench.settings, tool, result, cache, number):
        return
    traced = number == 0 and cache == bench.settings.caches[0]
    try:
        sample = bench.traced_copy(tool, cache, result) if traced else bench.copy(tool, cache)
        if result.verdict and sample.status != result.verdict.status:
            raise host.Failure(f"exit {sample.status}: {last_words(bench.job)}")
        result.samples(cache).append(sample)
        if traced and tool.filesystem:
            result.verdict = bench.judge(tool, sample.status)
        say(f"{bench.data.name} {cache} {number + 1}: {tool.label} {sample.wall:.2f} s")
    except host.Failure as error:
        result.failure = str(error)
        result.stopped = bench.settings.timeout if isinstance(error, host.TimeOut) else 0
        say(f"{bench.data.name} {cache} {number + 1}: {tool.label} failed: {error}")
