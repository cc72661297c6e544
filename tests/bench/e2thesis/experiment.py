# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: one program, run cold on one device, traced and measured each time.

Measures wall time until the filesystem is synced, the time until the first output, memory (the
largest process), and the requests of the device. What runs looks like this, from outside to inside:

    firstline  measure DEVICE  [until it is unmounted]  [limit of memory]  [preload]  the program

The requests that count, and are drawn, are those of the first run.

A device is attached and mounted anew for each run, so nothing of it is in memory but what the mount
has read, and its file, where that cannot be passed by: then all caches are dropped before.
"""

import contextlib
import os
import re
import statistics
import sys
from dataclasses import dataclass, field

from e2bench import host, models, trace

from . import kinds

UNMOUNTING = ("sh", "-c", '"$@"; status=$?; umount "$0" && exit $status')
BY_INDEX = re.compile(r"^e2itree-run: .* (\d+) by index")
EVENT = 80                      # bytes of a request in the kernel's buffer
PER_FILE = 8                    # requests that an operation takes for it, at most
TRACE_MOST = 1 << 20            # KiB


@dataclass
class Sample:
    wall: float
    first: float
    user: float
    system: float
    rss: int                    # bytes


@dataclass
class Result:
    key: str
    label: str
    samples: list = field(default_factory=list)
    requests: dict = field(default_factory=dict)        # models.summary
    kinds: dict = field(default_factory=dict)           # kinds.split, where ext4 is only read
    reads: int = 0
    writes: int = 0
    order: float = None         # share of steps to a higher inode number, if the program says so
    failure: str = ""           # why there is no result
    stopped: float = 0          # seconds after which it was
    untraced: str = ""          # why there are no requests
    told: str = ""
    log: list = field(default_factory=list, repr=False)     # of trace.Request; not for JSON

    def median(self, what):
        values = [getattr(sample, what) for sample in self.samples]
        values = [value for value in values if value is not None]
        return statistics.median(values) if values else None

    def as_json(self):
        return {name: value if name != "samples" else [vars(s) for s in value]
                for name, value in vars(self).items() if name != "log"}


def say(text):
    print(f"thesis: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Run:
    """How a program is to be run on a filesystem; DATA is called for each run."""
    data: object                # () -> datasets.DataSet
    filesystem: str
    mount: str                  # options; "": not mounted
    command: object             # (device) -> list
    files: int
    prefix: tuple = ()          # limit and preload
    counts: bool = False        # it says how many files it has met
    speaks: bool = True         # what it writes begins with the first file
    ends: object = None         # (device) -> words, after the run


class Bench:
    def __init__(self, settings):
        self.settings = settings
        self.top = str(settings.image("mnt-thesis"))
        os.makedirs(self.top, exist_ok=True)

    def run(self, run, result):
        """As often as it is due; what goes wrong is in the result."""
        if self.settings.is_over():
            result.failure = f"left out: MINUTES={self.settings.minutes:g} were over"
            return result
        try:
            while self.due(result):
                self.once(run, result)
            said = f"{result.median('wall'):.2f} s"
        except (host.Failure, OSError) as error:
            result.failure = str(error)
            result.stopped = self.settings.timeout if isinstance(error, host.TimeOut) else 0
            said = f"failed: {error}"
        say(f"{result.label}: {said}"
            + (f", disk model {result.requests['disk']:.1f} s" if result.requests else ""))
        return result

    def due(self, result):
        done = len(result.samples)
        return not done or (not self.settings.is_over() and done < self.settings.runs and (done + 1) * result.samples[0].wall
                            <= self.settings.row_seconds)

    def once(self, run, result):
        with contextlib.ExitStack() as stack:
            data = run.data()
            device = stack.enter_context(host.loop(data.image))
            self.prepare(device, data)
            if run.mount:
                forget(run.filesystem)
                host.sh("mount", "-t", run.filesystem, "-o", run.mount, device, self.top)
            stack.callback(host.release, device)
            room = min(run.files * PER_FILE * EVENT // 1024, TRACE_MOST)
            with trace.Tracer([device], max(65536, room)) as tracer:
                sample, order, told = self.timed(run, device)
            if not result.samples:
                note(result, tracer, tracer.logs()[device], order)
                host.release(device)
                if run.filesystem == "ext4" and "ro" in run.mount.split(","):
                    result.kinds = kinds.split(result.log, data.image)
                result.told = run.ends(device) if run.ends else told
            result.samples.append(sample)

    def prepare(self, device, data):
        """Nothing is in memory of what was just attached, unless its file is."""
        if self.settings.in_memory:
            host.pass_cache_by(device, False)
            host.make_warm(data.image, data.size)
        elif not host.passes_cache_by(device):
            host.make_cold(device)

    def timed(self, run, device):
        """(Sample, order, what else was said)"""
        first, line, output = (self.settings.image(f"thesis-{name}")
                               for name in ("first", "line", "output"))
        written = "rw" in run.mount.split(",")
        command = [self.settings.built("firstline"), first, self.settings.built("measure"), line,
                   device, *((*UNMOUNTING, self.top) if written else ()), *run.prefix,
                   *run.command(device)]
        try:
            status = host.watched(command, output, self.settings.timeout)
        except BaseException:
            host.release(device)
            raise
        said, told = heard(output.read_text(encoding="utf-8", errors="replace"))
        if status:
            raise host.Failure("".join(said[-1:]) or f"firstline: exit {status}")
        wall, user, system, _, status = line.read_text(encoding="ascii").split()
        code = os.waitstatus_to_exitcode(int(status))
        if code:
            raise host.Failure(ending(code, said))
        first_wall, *_, rss, _, _ = first.read_text(encoding="ascii").split()
        return Sample(float(wall), float(first_wall) if run.speaks else None, float(user),
                      float(system), int(rss) * 1024), met(run, said), told


def heard(text):
    """(lines of the program, what e2itree-run says if no directory was listed by its index)

    >>> heard("0.5 9\\ne2itree-run: ls (1): 0 by index, 1 sorted, 0 in runs\\n")
    (['0.5 9'], 'not by index')
    >>> heard("e2itree-run: ls (1): 1 by index, 0 sorted, 0 in runs\\n")
    ([], '')
    """
    lines = text.strip().splitlines()
    counts = [int(count) for line in lines for count in BY_INDEX.findall(line)]
    said = [line for line in lines if not BY_INDEX.search(line)]
    return said, "not by index" if counts and not any(counts) else ""


def forget(filesystem):
    """The kernel remembers devices of btrfs by their UUID, of which an image has many copies."""
    if filesystem == "btrfs":
        host.status_of("btrfs", "device", "scan", "--forget")


def ending(code, said):
    """
    >>> ending(137, []), ending(-9, ["x"]), ending(2, ["a", "b"])
    ('killed: not enough memory', 'killed: not enough memory', 'exit 2: b')
    """
    if code in (-9, 137):
        return "killed: not enough memory"
    return f"exit {code}: {''.join(said[-1:])}"


def met(run, said):
    """The order that the program has met; it must have met all files."""
    if not run.counts:
        return None
    order, names = said[-1].split()
    if int(names) != run.files:
        raise host.Failure(f"{names} files of {run.files}")
    return float(order)


def note(result, tracer, log, order):
    result.order = order
    if tracer.lost:
        result.untraced = f"{tracer.lost:,} requests were not seen: none counted"
        return
    result.log = log.requests
    result.requests = models.summary(log.requests)
    result.reads, result.writes = len(log.reads()), len(log.writes())


def floor(bench, data, filesystem="ext4"):
    """dd of as many blocks as are in use, read in order once: what no copy can do without."""
    mib = -(-data.contents.used_bytes // host.MIB)
    return bench.run(Run(lambda: data, filesystem, "", lambda device: [
        "dd", f"if={device}", "of=/dev/null", "bs=1M", f"count={mib}", "iflag=direct",
        "status=none"], 0, speaks=False), Result("floor", f"dd of the {mib:,} MiB in use"))
