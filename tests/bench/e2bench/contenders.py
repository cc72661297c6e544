# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: the copying tools, one row each, with the flags that keep the most.

Measures nothing. What is inside the clock is the same for all: mounting and unmounting where the
tool needs it, the copy, and the sync of the target device (measure.c). Formatting the target is
outside, but for tools that do it themselves. A file-level tool sees the source mounted read-only.

    limit   dd of a contiguous file as large as the tree itself (files, directories, their inodes):
            what the devices can do at best
    block   block copiers: they keep layout and geometry (partclone with -f 0, as its progress
            thread otherwise rounds the time up to whole pauses of 2 s)
    file    file copiers: they go through the kernel
    e2bfo   ours
"""

import re
import shlex
import subprocess
from dataclasses import dataclass
from typing import Callable

from . import host

ALL = ("kernel", "flat", "small")
SHELL = ("bash", "mount", "umount")


@dataclass(frozen=True)
class Job:
    """The devices and places of one copy."""
    source: str
    target: str
    reference: str              # contiguous data of the same size, for dd
    source_dir: str             # mount points
    target_dir: str
    e2bfo: str
    e2bfo_args: tuple
    work: str                   # directory for logs and other things a tool leaves
    mke2fs: tuple               # arguments the target is formatted with


@dataclass(frozen=True)
class Tool:
    key: str                    # for TOOLS=
    label: str
    group: str
    programs: tuple             # without them it is absent; they are loaded before the clock starts
    command: Callable           # (job) -> list of arguments
    target: str = "formatted"   # or "blank": no filesystem, or "any"
    sets: tuple = ALL
    warm: bool = True
    default: bool = True
    good_status: tuple = (0,)
    filesystem: bool = True     # leaves one that can be checked


def direct(text):
    """A command that works on the devices; {…} are fields of the job."""
    return lambda job: [word.format(**vars(job)) for word in shlex.split(text)]


def e2bfo(*options):
    return lambda job: [job.e2bfo, "copy", "-q", *options, *job.e2bfo_args, job.source, job.target]


def ours(key, *options, **fields):
    """A row for e2bfo copy with options. Exit status 1: copied, but something could not be kept."""
    return Tool(key, " ".join(("e2bfo copy", *options)), "e2bfo", ("e2bfo", "mke2fs"),
                e2bfo(*options), good_status=(0, 1), **fields)


def script(job, *lines):
    fields = {k: shlex.quote(v) for k, v in vars(job).items() if isinstance(v, str)}
    text = "\n".join(lines).format(mkfs_args=shlex.join(job.mke2fs), **fields)
    return ["bash", "-e", "-o", "pipefail", "-c", text]


MOUNT_SOURCE = "mount -o ro,noatime {source} {source_dir}"
MOUNT_TARGET = "mount -o noatime,noinit_itable {target} {target_dir}"


def by_files(copy):
    """A copy between two mounted filesystems."""
    return lambda job: script(job, MOUNT_SOURCE, MOUNT_TARGET, copy,
                              "umount {source_dir}", "umount {target_dir}")


def from_dump(job):
    """restore -x: -r compares each name with all others of its directory, minutes on a flat one."""
    return script(job, MOUNT_TARGET, "cd {target_dir}",
                  "dump -0 -a -q -f - {source} | TMPDIR={work} restore -x -a -o -f - .",
                  "cd /", "umount {target_dir}")


def from_mke2fs(job):
    return script(job, MOUNT_SOURCE,
                  "mke2fs -q -F -t ext4 -b 4096 {mkfs_args} -d {source_dir} {target}",
                  "umount {source_dir}")


TAR = ("tar -C {source_dir} --format=posix --numeric-owner --xattrs --acls --sparse -cf - . | "
       "tar -C {target_dir} --numeric-owner --xattrs --xattrs-include='*' --acls -xpf -")

TOOLS = (
    Tool("dd", "dd bs=1M, tree bytes", "limit", ("dd",),
         direct("dd if={reference} of={target} bs=1M conv=fsync status=none"),
         target="any", filesystem=False),
    ours("e2bfo"),
    ours("e2bfo-mkfs", "--mkfs", target="blank"),
    ours("e2bfo-256M", "--memory", "256M", sets=("flat",), warm=False),
    ours("e2bfo-256M-gap0", "--memory", "256M", "--read-gap", "0", sets=("flat",), warm=False),
    Tool("e2image", "e2image -ra", "block", ("e2image",),
         direct("e2image -ra {source} {target}"), target="any"),
    Tool("partclone", "partclone.ext4 -b", "block", ("partclone.ext4",),
         direct("partclone.ext4 -b -q -f 0 -L {work}/partclone.log -s {source} -O {target}"),
         target="any"),
    Tool("cp", "cp -a", "file", ("cp", *SHELL), by_files("cp -a {source_dir}/. {target_dir}/")),
    Tool("tar", "tar \\| tar", "file", ("tar", *SHELL), by_files(TAR)),
    Tool("dump", "dump \\| restore", "file", ("dump", "restore", *SHELL), from_dump),
    Tool("rsync", "rsync -aHAXS", "file", ("rsync", *SHELL), default=False,
         command=by_files("rsync -aHAXS --numeric-ids {source_dir}/ {target_dir}/")),
    Tool("mke2fs", "mke2fs -d", "file", ("mke2fs", *SHELL), from_mke2fs,
         target="any", sets=("small",), warm=False),
)


def chosen(settings):
    """The rows that were asked for."""
    if not settings.tools:
        return [t for t in TOOLS if t.default]
    unknown = set(settings.tools) - {t.key for t in TOOLS}
    if unknown:
        raise SystemExit(f"bench: unknown tools: {' '.join(sorted(unknown))} "
                         f"(known: {' '.join(t.key for t in TOOLS)})")
    return [t for t in TOOLS if t.key in settings.tools or (t.group in settings.tools)]


def program(settings, name):
    """Path of a program, or None."""
    if name == "e2bfo":
        return str(settings.e2bfo) if settings.e2bfo.exists() else None
    return host.installed(name)


def absent(settings, tool):
    """The programs of a tool that are not there."""
    return [name for name in tool.programs if not program(settings, name)]


def load(settings, tool):
    """Brings the programs back into memory after the caches were dropped: they are not on trial."""
    for name in tool.programs:
        host.status_of(program(settings, name), version_flag(name), stdin=subprocess.DEVNULL)


VERSION_FLAGS = {"e2bfo": "-V", "e2image": "-V", "mke2fs": "-V", "e2fsck": "-V",
                 "partclone.ext4": "-v"}


def version_flag(name):
    return VERSION_FLAGS.get(name, "--version")


def version(settings, name):
    """What a program says about its version: the first line that has a number with a dot."""
    path = program(settings, name)
    if not path:
        return "absent"
    done = subprocess.run([path, version_flag(name)], capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, check=False)
    for line in (done.stdout + done.stderr).splitlines():
        match = re.search(r"\d+\.\d+\w*(\.\w+)*", line)
        if match:
            return match[0]
    return "unknown"
