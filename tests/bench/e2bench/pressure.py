# SPDX-License-Identifier: GPL-2.0-or-later
"""Pressure: a command that gets only so much memory, caches included, by the memory controller.

Measures nothing. What is read for the command, and the inodes that it looks at, count: with less
memory than these take the kernel throws away what it will need again. A command that itself needs
more than the limit is killed.
"""

import contextlib
import os

from . import host
from .throttle import ENTER, mounts

V1, V2 = "memory.limit_in_bytes", "memory.max"


def root():
    """(directory in which a group can be made, the name of its limit), or None."""
    for path, options in mounts("cgroup"):
        if "memory" in options and os.access(path, os.W_OK):
            return path, V1
    for path, _ in mounts("cgroup2"):
        if "memory" in (path / "cgroup.controllers").read_text(encoding="ascii").split() \
                and os.access(path / "cgroup.subtree_control", os.W_OK):
            return path, V2
    return None


def version():
    """For people, which one it is."""
    found = root()
    return "none" if not found else "v1" if found[1] == V1 else "v2"


@contextlib.contextmanager
def limited(size):
    """Yields what a command is to be run by so that it gets SIZE bytes; () if that is 0."""
    if not size:
        yield ()
        return
    found = root()
    if not found:
        raise host.Failure("no cgroup with the controller of memory can be written here")
    path, limit = found
    if limit == V2:
        (path / "cgroup.subtree_control").write_text("+memory", encoding="ascii")
    group = path / f"e2bfo-bench-{os.getpid()}"
    group.mkdir()
    try:
        (group / limit).write_text(str(size), encoding="ascii")
        yield (*ENTER, str(group / "cgroup.procs"))
    finally:
        group.rmdir()
