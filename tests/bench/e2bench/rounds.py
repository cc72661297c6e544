# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds: every row of a table (rows.py) runs on one set, in rounds, and each run is measured.

Wall time, CPU and peak memory of each run (measure.c); in the first cold round also the requests of
both devices (trace), and whether all is there. Rows take turns, so that a disturbance hits all, and
are shuffled from the second round on.

A benchmark is an heir of Bench, which says what has to be done before a run, and how its result is
judged.
"""

import contextlib
import json
import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field

from . import contenders, experiment, host, rows, trace
from .experiment import say

MIB = host.MIB
UNTOLD = "atime,ctime,crtime,generation,holes"      # who makes files may have others


@dataclass
class Result(experiment.Result):
    """What a row has shown; the requests are those of the first cold run."""
    reread: list = field(default_factory=list)      # MiB of the source that a warm run has read
    told: dict = field(default_factory=dict)            # what else is known of the first cold run
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
    contents: object            # survey.Contents of the tree
    floor: float = 0            # seconds of the disk model: its blocks, read in order once
    results: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)


class Bench:
    """The devices of one set, attached: with Bench(...) as b"""

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
        """Heirs add the place where rows run."""
        self.source = self.stack.enter_context(host.loop(self.data.image))
        self.target, self.target_size = self.second()
        self.work = self.directory("work")
        self.place = None

    def second(self):
        """The device that rows work on, and its size."""
        size = self.data.size + self.data.size // 4
        image = experiment.scratch(self.asked.base, "target.img", size)
        return self.stack.enter_context(host.loop(image, size)), size

    def directory(self, name):
        path = self.asked.base.image(name)
        path.mkdir(exist_ok=True)
        return str(path)

    def prepare(self, row, cache):
        """Heirs bring the devices into the state that the row wants, and the caches, first."""
        contenders.load(self.asked.base, row)

    def judge(self, row):
        """Words for Result.judged."""
        raise NotImplementedError

    def told(self, _row):
        """For Result.told, after the run."""
        return {}

    def saw(self, log):
        """After a run whose requests to the target are known; None: some of them are not."""

    def read_by(self, row):
        """The device that this row reads."""
        return self.source

    def timed(self, row):
        line = os.path.join(self.work, "measured")
        try:
            status = host.watched([self.asked.base.built("measure"), line, self.target,
                                   *row.command(self.place)],
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
        source = self.read_by(row)
        self.prepare(row, cache)
        with trace.Tracer([source, self.target]) as tracer:
            sample = self.timed(row)
        logs = tracer.logs()
        self.saw(None if tracer.lost else logs[self.target])
        if tracer.lost:
            result.untraced = f"{tracer.lost:,} requests were not seen: none counted"
        else:
            experiment.note_requests(result, logs[source], logs[self.target])
        return sample


def compared(e2bfo, tree, made):
    """What e2bfo verify says of them, in a few words."""
    return told(subprocess.run([e2bfo, "verify", "--json", "--ignore", UNTOLD, tree, made],
                               capture_output=True, text=True, check=False))


def volume_compared(e2bfo, tree, device):
    """The same of a volume, which has to be sound, too."""
    if host.status_of("e2fsck", "-fn", device):
        return "not sound: e2fsck -fn"
    return compared(e2bfo, tree, device)


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
    if time.monotonic() > bench.asked.until:
        if not result.samples(cache):
            result.failure = "not begun: the time was over"
        return
    try:
        if number == 0 and cache == bench.asked.base.caches[0]:
            sample = bench.traced(row, cache, result)
            result.told = bench.told(row)
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


def run(bench, table, kind, floor=None):
    """All rounds of one set, on a Bench that is attached here; FLOOR(bench) gives Outcome.floor."""
    asked = bench.asked
    part, notes = rows.taking_part(asked, table, kind)
    outcome = Outcome(kind, bench.data.about, bench.contents, notes=notes,
                      results={row.key: Result(row.key, row.label, row.group) for row in part})
    with bench:
        if floor:
            outcome.floor = floor(bench)
        for cache in asked.base.caches:
            for number in range(asked.base.runs):
                for row in experiment.in_turn(part, number):
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
