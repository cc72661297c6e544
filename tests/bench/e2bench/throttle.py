# SPDX-License-Identifier: GPL-2.0-or-later
"""Throttle: real limits on block devices of our own, by the block I/O controller of cgroups.

Measures nothing. The limits are those of the cloud model: 3000 reads and 3000 writes a second,
125 MB/s each way, on each device. The controller counts requests before they are merged, and bytes:
it is hard on who writes many small pieces that could be merged, files of a block, and on who writes
the device itself through the page cache, from where each block of 4 KB comes as a request of its
own: image tools.

    cgroup v1   writes that the kernel does later, from the page cache, are charged to the root
                group, so that the limits are set there, and the command is run there; only our
                devices have any
    cgroup v2   a group of our own, with io.max; the journal's thread stays outside, and unlimited
"""

import contextlib
import os
from pathlib import Path

from . import host, models

IOPS, RATE = models.CLOUD_IOPS, int(models.CLOUD_RATE)
V1_FILES = {"read_iops": IOPS, "write_iops": IOPS, "read_bps": RATE, "write_bps": RATE}
ENTER = ("sh", "-c", 'echo $$ > "$0" && exec "$@"')


def mounts(kind):
    """[(directory, options)] of a type of filesystem."""
    lines = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    fields = [line.split() for line in lines]
    return [(Path(f[1]), f[3].split(",")) for f in fields if f[2] == kind]


def v1_root():
    """Where the controller of version 1 can be told limits, or None."""
    return next((path for path, options in mounts("cgroup") if "blkio" in options
                 and (path / "blkio.throttle.read_iops_device").exists()), None)


def v2_root():
    return next((path for path, _ in mounts("cgroup2") if "io" in
                 (path / "cgroup.controllers").read_text(encoding="ascii").split()), None)


def unavailable():
    """Why there can be no limits here, or None."""
    if v1_root() or v2_root():
        return None
    return "no cgroup with the controller of block I/O (v1: blkio, v2: io) is mounted"


@contextlib.contextmanager
def limited(devices):
    """Limits on the devices; yields what a command is to be run by so that they count for it."""
    numbers = ["{}:{}".format(*host.device_number(d)) for d in devices]
    root = v1_root()
    with limited_v1(root, numbers) if root else limited_v2(v2_root(), numbers) as group:
        yield (*ENTER, str(group / "cgroup.procs"))


@contextlib.contextmanager
def limited_v1(root, numbers):
    def put(number, values):
        for name, value in values.items():
            (root / f"blkio.throttle.{name}_device").write_text(f"{number} {value}",
                                                                encoding="ascii")
    try:
        for number in numbers:
            put(number, V1_FILES)
        yield root
    finally:
        for number in numbers:
            put(number, dict.fromkeys(V1_FILES, 0))


@contextlib.contextmanager
def limited_v2(root, numbers):
    (root / "cgroup.subtree_control").write_text("+io", encoding="ascii")
    group = root / f"e2bfo-bench-{os.getpid()}"
    group.mkdir()
    try:
        for number in numbers:
            (group / "io.max").write_text(f"{number} riops={IOPS} wiops={IOPS} rbps={RATE} "
                                          f"wbps={RATE}", encoding="ascii")
        yield group
    finally:
        group.rmdir()
