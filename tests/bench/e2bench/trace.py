# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace: the requests that reached a block device, in the order in which they were issued.

Measures where a copy reads and writes, below every cache and after merging: the tracepoint
block:block_rq_issue, filtered by device, in a tracefs instance of our own which is removed again.
Other users of tracefs see nothing of it. Empty requests (flushes) are counted, not listed; what is
zeroed by command counts as written.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from . import host

TRACEFS = Path("/sys/kernel/tracing")
LINE = re.compile(r"block_rq_issue: (\d+),(\d+) (\S+) \d+ \(.*?\) (\d+) \+ (\d+)")
SECTOR = 512
NAME = "e2bfo-bench-"


class Request(NamedTuple):
    write: bool
    start: int              # bytes
    size: int


@dataclass
class Log:
    """What one device saw."""
    requests: list
    flushes: int = 0

    def reads(self):
        return [r for r in self.requests if not r.write]

    def writes(self):
        return [r for r in self.requests if r.write]


@contextlib.contextmanager
def tracefs():
    """Mounted for as long as we need it, if it was not; nobody else can unmount it meanwhile."""
    ours = not (TRACEFS / "instances").is_dir()
    if ours:
        host.sh("mount", "-t", "tracefs", "tracefs", TRACEFS)
    held = os.open(TRACEFS, os.O_RDONLY)
    try:
        remove_stale()
        yield
    finally:
        os.close(held)
        if ours:
            host.status_of("umount", TRACEFS)


def remove_stale():
    """Instances of benchmarks that were killed."""
    for path in TRACEFS.glob(f"instances/{NAME}*"):
        if not Path("/proc", path.name.removeprefix(NAME)).exists():
            path.rmdir()


class Tracer:
    """with Tracer([device, ...]) as t: ...; t.logs() -> {device: Log}; t.lost events

    ROOM: KiB of the buffer of each CPU."""

    def __init__(self, devices, room=0):
        self.room = room or (65536 if (os.cpu_count() or 1) <= 8 else 16384)
        self.devices = {host.device_number(d): d for d in devices}
        self.path = TRACEFS / "instances" / f"{NAME}{os.getpid()}"
        self.text = ""
        self.lost = 0

    def put(self, name, value):
        (self.path / name).write_text(str(value), encoding="ascii")

    def __enter__(self):
        self.path.mkdir()
        numbers = [(major << 20) | minor for major, minor in self.devices]
        self.put("buffer_size_kb", self.room)
        self.put("trace_clock", "mono")
        self.put("events/block/block_rq_issue/filter", " || ".join(f"dev == {n}" for n in numbers))
        self.put("events/block/block_rq_issue/enable", 1)
        return self

    def __exit__(self, *exc):
        try:
            self.put("events/block/block_rq_issue/enable", 0)
            self.text = (self.path / "trace").read_text(encoding="utf-8", errors="replace")
            self.lost = sum(self.lost_on(cpu) for cpu in self.path.glob("per_cpu/cpu*"))
        finally:
            self.path.rmdir()

    @staticmethod
    def lost_on(cpu):
        match = re.search(r"^overrun: (\d+)", (cpu / "stats").read_text(encoding="ascii"), re.M)
        return int(match[1]) if match else 0

    def logs(self):
        logs = {device: Log([]) for device in self.devices.values()}
        for match in LINE.finditer(self.text):
            major, minor, kind, sector, count = match.groups()
            log = logs[self.devices[int(major), int(minor)]]
            if int(count) == 0:
                log.flushes += 1
            elif "D" not in kind:
                log.requests.append(Request("R" not in kind, int(sector) * SECTOR,
                                            int(count) * SECTOR))
        return logs
