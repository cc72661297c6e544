# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row makes a filesystem of one tree, in rounds, and each run is measured.

Wall time, CPU and peak memory of each run (measure.c); in the first cold round also the requests of
both devices (trace), and whether all is there (e2fsck, e2bfo verify). Rows take turns, so that a
disturbance hits all, and are shuffled from the second round on.

cold: nothing of the tree is in memory. warm: all of it was read by tar a moment ago.
"""

import contextlib
import json
import os
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from e2bench import contenders as programs, experiment, floor as floors, host, models, trace
from e2bench.experiment import say
from e2bench.survey import INODE_BYTES

from . import contenders

MIB = host.MIB


@dataclass
class Result(experiment.Result):
    """What a row has shown; the requests are those of the first cold run."""
    reread: list = field(default_factory=list)      # MiB of the tree that a warm run has read
    judged: str = ""            # "same", what differs, or why that is not known; "": nothing to do

    def good(self):
        """Whether nothing was lost."""
        return not self.failure and self.judged in ("", "same")

    def whole(self):
        """Whether its times count, if it is not ours: there is all that has a name."""
        return not self.failure and not any(
            word in self.judged for word in ("missing", "data", "type", "size", "not "))


@dataclass
class Outcome:
    """Of a set."""
    kind: str
    about: str
    contents: object            # e2bench.survey.Contents of the tree
    floor: float = 0            # seconds of the disk model: its blocks, read in order once
    results: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)


class Bench:
    """The devices of one set, attached, the tree mounted: with Bench(...) as b"""

    def __init__(self, asked, name, data, contents):
        self.asked = asked
        self.name = name
        self.data = data
        self.contents = contents    # of the tree
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        try:
            self.attach()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *exc):
        self.stack.close()

    def attach(self):
        base, data = self.asked.base, self.data
        size = data.size + data.size // 4
        image = experiment.scratch(base, "populate-target.img", size)
        self.source = self.stack.enter_context(host.loop(data.image))
        self.target = self.stack.enter_context(host.loop(image, size))
        source_dir = self.directory("mnt-source")
        self.stack.enter_context(host.mounted(self.source, source_dir, "ro,noatime"))
        self.work = self.directory("work")
        file = base.image("populate-file.img")
        self.stack.callback(file.unlink, missing_ok=True)
        self.place = contenders.Place(
            source=tree_below(source_dir), target=self.target,
            target_dir=self.directory("mnt-target"), file=str(file),
            used_mib=-(-self.contents.tree_bytes // MIB), blocks=size // 1024,
            inodes=self.contents.inodes, e2bfo=str(base.e2bfo),
            e2bfo_args=" ".join(base.e2bfo_args))

    def directory(self, name):
        path = self.asked.base.image(name)
        path.mkdir(exist_ok=True)
        return str(path)

    def prepare(self, row, cache):
        host.release(self.target)
        Path(self.place.file).unlink(missing_ok=True)
        host.sh("wipefs", "-a", "-q", self.target)
        host.make_cold(self.source, self.target)
        if cache == "warm":
            host.sh("bash", "-c", 'tar -cf - -C "$1" . | cat > /dev/null', "bash",
                    self.place.source)
        for name in row.programs:
            host.status_of(programs.program(self.asked.base, name), programs.version_flag(name),
                           stdin=subprocess.DEVNULL)

    def timed(self, row):
        line = os.path.join(self.work, "measured")
        command = row.command(self.place)
        try:
            status = host.watched([self.asked.base.built("measure"), line, self.target, *command],
                                  os.path.join(self.work, "output"), self.asked.base.timeout)
        finally:
            host.release(self.target)
        if status:
            raise host.Failure(experiment.last_words(self) or f"measure: exit {status}")
        sample = experiment.parse(line)
        if sample.status:
            raise host.Failure(f"exit {sample.status}: {experiment.last_words(self)}")
        return sample

    def run(self, row, cache):
        self.prepare(row, cache)
        before = self.read_mib()
        sample = self.timed(row)
        return sample, self.read_mib() - before

    def read_mib(self):
        """What the device of the tree has read so far."""
        stat = host.attribute(self.source, "stat").read_text(encoding="ascii")
        return int(stat.split()[2]) * 512 / MIB

    def traced(self, row, cache, result):
        self.prepare(row, cache)
        with trace.Tracer([self.source, self.target]) as tracer:
            sample = self.timed(row)
        logs = tracer.logs()
        if tracer.lost:
            result.untraced = f"{tracer.lost:,} requests were not seen: none counted"
        else:
            experiment.note_requests(result, logs[self.source], logs[self.target])
        return sample

    def judge(self, row):
        """Is it sound, and is all there?"""
        tree, made = row.judged(self.place)
        if host.status_of("e2fsck", "-fn", made):
            return "not sound: e2fsck -fn"
        return told(subprocess.run(
            [self.place.e2bfo, "verify", "--json",
             "--ignore", "atime,ctime,crtime,generation,holes",
             tree, made], capture_output=True, text=True, check=False))


def tree_below(top):
    """The one directory of a flat set, or all of it; never lost+found.

    A set of one directory is made of that directory alone.
    """
    flat = os.path.join(top, "flat")
    return flat if os.path.isdir(flat) else top


def told(done):
    """What e2bfo verify --json says, in a few words.

    >>> from types import SimpleNamespace as Done
    >>> told(Done(returncode=0)), told(Done(returncode=8, stderr="e2bfo: broken"))
    ('same', 'not compared: e2bfo: broken')
    >>> told(Done(returncode=1, stdout='{"differences": [{"kind": "mtime"}, {"kind": "mtime"}]}'))
    'mtime: 2'
    """
    if done.returncode == 0:
        return "same"
    if done.returncode != 1:
        return f"not compared: {done.stderr.strip()[-100:]}"
    count = {}
    for one in json.loads(done.stdout).get("differences", []):
        count[one["kind"]] = count.get(one["kind"], 0) + 1
    return ", ".join(f"{kind}: {n:,}" for kind, n in sorted(count.items())) or "differs"


def due(asked, row, result, cache, number):
    """Whether a row takes part in this round."""
    if result.failure:
        return False
    done = result.samples(cache)
    if row.group in ("ours", "floor") or not done:
        return True
    return (number + 1) * done[0].wall <= asked.row_seconds


def one_run(bench, row, result, cache, number):
    if not due(bench.asked, row, result, cache, number):
        return
    try:
        if number == 0 and cache == bench.asked.base.caches[0]:
            sample = bench.traced(row, cache, result)
            if row.tree:
                result.judged = bench.judge(row)
        else:
            sample, read = bench.run(row, cache)
            result.reread += [read] if cache == "warm" else []
        result.samples(cache).append(sample)
        say(f"{bench.name} {cache} {number + 1}: {row.label} {sample.wall:.2f} s"
            + (f", {result.judged}" if result.judged not in ("", "same") else ""))
    except host.Failure as error:
        result.failure = str(error)
        result.stopped = bench.asked.base.timeout if isinstance(error, host.TimeOut) else 0
        say(f"{bench.name} {cache} {number + 1}: {row.label} failed: {error}")


def floor(bench):
    """Seconds of the disk model for the tree's blocks and inodes, each read once, in order; gaps
    are passed over, or read too, whichever takes less."""
    extents = sorted(floors.everything(bench.place.source))
    moved = sum(length for _, length in extents) + bench.contents.inodes * INODE_BYTES
    return moved / models.DISK_RATE + sum(min(gap / models.DISK_RATE, models.seek_seconds(gap))
                                          for gap in floors.gaps(extents))


def run(asked, one, data, contents):
    """All rounds of one set."""
    rows, notes = contenders.taking_part(asked, one.kind)
    outcome = Outcome(one.kind, data.about, contents, notes=notes,
                      results={row.key: Result(row.key, row.label, row.group) for row in rows})
    with Bench(asked, one.name, data, contents) as bench:
        if one.kind == "aged":
            outcome.floor = floor(bench)
        for cache in asked.base.caches:
            for number in range(asked.base.runs):
                for row in experiment.in_turn(rows, number):
                    one_run(bench, row, outcome.results[row.key], cache, number)
    return outcome


def median(result, cache, what="wall"):
    """
    >>> r = Result("", "", ""); r.cold = [experiment.Sample(w, 0, 0, 0, 0) for w in (3, 1, 2)]
    >>> median(r, "cold"), median(r, "warm"), median(None, "cold")
    (2, None, None)
    """
    values = [getattr(sample, what) for sample in result.samples(cache)] if result else []
    return statistics.median(values) if values else None
