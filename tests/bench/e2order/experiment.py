# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: aged filesystems are copied with each policy, and read, or accessed as before.

    source ───┬── mounted: readers, replay
              └── e2bfo copy --order POLICY ── target, e2fsck -fn ── mounted: readers, replay

Measures block requests, not time: every run begins with cold caches on a filesystem mounted
ro,noatime on a loop device; what is accessed again comes from the kernel's caches. A run during
which somebody else dropped the caches of the machine is done again; if that goes on, the try
with the fewest requests counts, and is marked.
"""

import contextlib
import re
import sys
from dataclasses import dataclass, field

from e2bench import datasets, host, models, trace

from . import accesses, policies, readers

TRIES = 3


@dataclass
class Row:
    """What one reader, or one replay, requested of one image."""
    policy: str
    requests: dict              # models.summary
    tables: int                 # requests that read inode tables
    disturbed: bool             # somebody else dropped the caches meanwhile


@dataclass
class Copied:
    policy: str
    steps: readers.Steps
    rows: dict                  # reader: Row


@dataclass
class Replayed:
    about: str
    accesses: int
    files: int                  # different ones that are read
    known: int                  # of these, read in the first half, too
    learnt: int                 # accesses of the first half
    rows: list = field(default_factory=list)


def say(text):
    print(f"order: {text}", file=sys.stderr, flush=True)


# ---- images ----

def copy(settings, data, order):
    """The target: a fresh filesystem like the source, filled with this order."""
    path = settings.image("order-target.img")
    if not path.exists() or path.stat().st_size != data.size:
        host.reserve(path, data.size)
    with host.loop(data.image) as source, host.loop(path) as target:
        datasets.mkfs(target, ("-U", datasets.UUID, "-E", f"hash_seed={datasets.HASH_SEED}",
                               *data.mke2fs))
        host.sh(settings.e2bfo, "copy", "-q", *order, source, target)
        if host.status_of("e2fsck", "-fn", target):
            raise host.Failure(f"e2bfo copy {' '.join(map(str, order))}: e2fsck complains")
    return path


@contextlib.contextmanager
def opened(settings, image):
    """(device, directory): mounted as every reader finds it."""
    directory = settings.image("mnt-order")
    directory.mkdir(exist_ok=True)
    with host.loop(image) as device, host.mounted(device, directory, "ro,noatime"):
        yield device, directory


@contextlib.contextmanager
def memory(settings):
    directory = settings.image("mnt-order-memory")
    directory.mkdir(exist_ok=True)
    host.sh("mount", "-t", "tmpfs", "-o", "size=75%", "e2bfo-bench", directory)
    try:
        yield directory
    finally:
        host.sh("umount", directory)


# ---- runs ----

def drops():
    """How often the caches of this machine have been dropped."""
    with open("/proc/vmstat", encoding="ascii") as f:
        return [line for line in f if line.startswith(("drop_pagecache", "drop_slab"))]


def requests_of(device, work):
    """(requests, whether somebody else dropped the caches meanwhile)"""
    tries = []
    while len(tries) < TRIES:
        host.make_cold(device)
        before = drops()
        with trace.Tracer([device]) as tracer:
            work()
        if tracer.lost:
            raise host.Failure(f"{tracer.lost} trace events lost")
        tries.append(tracer.logs()[device].reads())
        if drops() == before:
            return tries[-1], False
    return min(tries, key=len), True


def inode_tables(device):
    """[(first byte, byte behind)] of each group's."""
    said = host.sh("dumpe2fs", device)
    size = int(re.search(r"^Block size: +(\d+)", said, re.M)[1])
    return [(int(a) * size, (int(b) + 1) * size)
            for a, b in re.findall(r"Inode table at (\d+)-(\d+)", said)]


def row(policy, device, work):
    """WORK is done on a mounted filesystem, cold."""
    requests, disturbed = requests_of(device, work)
    tables = inode_tables(device)
    inside = sum(any(a <= r.start < b for a, b in tables) for r in requests)
    return Row(policy, models.summary(requests), inside, disturbed)


# ---- readers ----

def read_with(settings, reader, directory):
    """Once; each time into an empty directory, as rsync does not read what it finds there."""
    with memory(settings) as fresh:
        reader.read(str(directory), str(fresh))


def read_all(settings, data, policy, image):
    """All readers on one image."""
    chosen = [r for r in readers.READERS if r.key in settings.readers]
    found = {}
    for reader in chosen:
        with opened(settings, image) as (device, directory):
            found[reader.key] = row(policy, device, lambda: read_with(settings, reader, directory))
        if found[reader.key].requests["bytes"] < data.contents.tree_bytes // 2:
            raise host.Failure(f"{reader.label} did not read the files")
    with opened(settings, image) as (_, directory):
        steps = readers.ascending(str(directory))
    say(f"{data.name}, {policy}: ascending {steps.share:.4f}; " + ", ".join(
        f"{key} {r.requests['noncontiguous']}" for key, r in found.items()))
    return Copied(policy, steps, found)


def run_readers(settings, data):
    """[Copied], the source first."""
    found = [read_all(settings, data, policies.SOURCE, data.image)]
    for policy in policies.wanted(settings, policies.READING, data.name):
        image = copy(settings, data, policy.order(None))
        found.append(read_all(settings, data, policy.label, image))
    return found


# ---- replay ----

def replay_on(settings, policy, image, second):
    with opened(settings, image) as (device, directory):
        found = row(policy, device, lambda: accesses.replay(second, str(directory)))
    say(f"replay, {policy}: {found.requests['requests']} requests, "
        f"{found.requests['noncontiguous']} non-contiguous, {found.requests['disk']:.2f} s")
    return found


def run_replay(settings, data, workload):
    """The second half of a trace, on the source and on targets that learnt from the first."""
    with opened(settings, data.image) as (_, directory):
        halves = accesses.halves(settings, workload, data.image, directory)
        first, second = (accesses.parsed(workload, path, directory) for path in halves)
        options = workload.options(directory)
    learnt = policies.Learnt(*halves, accesses.boot_list(first, settings.image("order.list")))
    found = replayed(workload, first, second)
    second = accesses.first_times(second)
    found.rows.append(replay_on(settings, policies.SOURCE, data.image, second))
    for policy in policies.wanted(settings, policies.REPLAYING, data.name):
        order = policy.order(learnt) + (options if policy.key == "trace" else ())
        image = copy(settings, data, order)
        found.rows.append(replay_on(settings, policy.label, image, second))
    return found


def replayed(workload, first, second):
    """What is known of a workload before anything is replayed."""
    read = {a.path for a in second if a.read}
    found = Replayed(workload.about, len(second), len(read),
                     len(read & {a.path for a in first if a.read}), len(first))
    say(f"{workload.about}: {found.accesses} accesses, {found.files} files, {found.known} known")
    return found


def run_set(settings, recipe, notes):
    """(data set, [Copied], {workload: Replayed})"""
    say(f"{recipe.name}: {recipe.about}")
    data = datasets.get(settings, recipe)
    copied = run_readers(settings, data) if "readers" in settings.parts else []
    replays = {}
    for workload in accesses.WORKLOADS:
        if workload.set != recipe.name or "replay" not in settings.parts:
            continue
        reason = accesses.missing(workload)
        if reason:
            notes.append(f"{workload.about} ({reason})")
        else:
            replays[workload.key] = run_replay(settings, data, workload)
    return data, copied, replays
