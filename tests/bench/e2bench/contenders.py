# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: the copying tools, one row each, with the flags that keep the most.

Measures nothing. What is inside the clock is the same for all: mounting and unmounting where the
tool needs it, the copy, and the sync of the target device (measure.c). Formatting the target is
outside, but for tools that do it themselves: block copiers, mke2fs -d, fsarchiver, e2bfo --mkfs. A
file-level tool sees the source mounted read-only.

    limit   dd of a contiguous file as large as all blocks in use: through the page cache, where
            reading and writing overlap, and past it, where nothing is copied
    block   block copiers: they keep layout and geometry (partclone with -f 0, as its progress
            thread otherwise rounds the time up to whole pauses of 2 s)
    file    file copiers: they go through the kernel, or like dump and debugfs do so on one side
    e2bfo   ours

A row takes part in a set unless its `only` says no; by default, to keep the time, nor where `slow`
says that it takes long: most file copiers in all sets that are called brief (recipes.py).
"""

import re
import shlex
import subprocess
from dataclasses import dataclass
from typing import Callable

from . import host

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
    memory: str = ""            # a directory in memory, for archives on their way
    used_mib: int = 0           # what the rows of dd copy


@dataclass(frozen=True)
class Tool:
    key: str                    # for TOOLS=
    label: str
    group: str
    programs: tuple             # without them it is absent; they are loaded before the clock starts
    command: Callable           # (job) -> list of arguments
    target: str = "formatted"   # or "blank": no filesystem, or "any"
    only: Callable = lambda data: True
    warm: bool = True
    seeks: bool = True          # what the source says of itself: like a disk
    slow: Callable = lambda data: False
    good_status: tuple = (0,)
    filesystem: bool = True     # leaves one that can be checked


def direct(text):
    """A command that works on the devices; {...} are fields of the job."""
    return lambda job: [word.format(**vars(job)) for word in shlex.split(text)]


def e2bfo(*options):
    return lambda job: [job.e2bfo, "copy", "-q", *options, *job.e2bfo_args, job.source, job.target]


def ours(key, *options, **fields):
    """A row for e2bfo copy with options. Exit status 1: copied, but something could not be kept."""
    return Tool(key, " ".join(("e2bfo copy", *options)), "e2bfo", ("e2bfo", "mke2fs"),
                e2bfo(*options), good_status=(0, 1), **fields)


def script(job, *lines):
    """Lines of bash; the first that fails is the end. {...} are fields of the job."""
    fields = {k: shlex.quote(v) for k, v in vars(job).items() if isinstance(v, str)}
    text = "\n".join(lines).format(mkfs_args=shlex.join(job.mke2fs), **fields)
    return ["bash", "-e", "-o", "pipefail", "-c", text]


MOUNT_SOURCE = "mount -o ro,noatime {source} {source_dir}"
MOUNT_TARGET = "mount -o noatime,noinit_itable {target} {target_dir}"
UNMOUNT_SOURCE, UNMOUNT_TARGET = "umount {source_dir}", "umount {target_dir}"


def copying(before, copy, after):
    """However the copy ends, what comes after it is done; its status is ours."""
    return lambda job: script(job, "status=0", *before, f"({copy}) || status=$?", *after,
                              "exit $status")


def by_files(copy):
    """A copy between two mounted filesystems."""
    return copying((MOUNT_SOURCE, MOUNT_TARGET), copy, (UNMOUNT_SOURCE, UNMOUNT_TARGET))


def into_files(copy):
    """A copy that reads the device of the source."""
    return copying((MOUNT_TARGET,), copy, (UNMOUNT_TARGET,))


# restore -r compares each name with all others of its directory, minutes on a flat one
DUMP = ("cd {target_dir}; dump -0 -a -q -f - {source} | "
        "TMPDIR={work} restore -x -y -a -o -f - .")
RDUMP = "debugfs -R 'rdump / '{target_dir} {source}"
MKE2FS = "mke2fs -q -F -t ext4 -b 4096 {mkfs_args} -d {source_dir} {target}"
FROM_MKE2FS = copying((MOUNT_SOURCE,), MKE2FS, (UNMOUNT_SOURCE,))


def from_fsarchiver(job):
    """Through an archive in memory; restfs formats the target. lz4 is the least it compresses."""
    options = ",mkfsopt='{mkfs_args}'" if job.mke2fs else ""
    archive = "{memory}/archive.fsa"
    return copying((), f"fsarchiver savefs -o -z 0 -j 2 {archive} {{source}} && "
                   f"fsarchiver restfs -j 2 {archive} id=0,dest={{target}}{options}",
                   (f"rm -f {archive}",))(job)


def is_brief(data):
    return data.brief


def is_flat(data):
    return data.group == "flat"


def is_aged(data):
    return data.aged


def is_aged_flat(data):
    return is_flat(data) and data.aged


def is_not_flat(data):
    """mke2fs -d compares each name with all others of its directory."""
    return data.contents.largest_directory <= 20_000


KEEP_MOST = "--numeric-owner --xattrs --xattrs-include='*' --acls"


def tar(*options):
    return by_files(f"tar -C {{source_dir}} --format=posix {' '.join(options)} {KEEP_MOST} -S "
                    f"-cf - . | tar -C {{target_dir}} --same-owner {KEEP_MOST} -xpf -")


def dd(*flags):
    return direct("dd if={reference} of={target} bs=1M count={used_mib} conv=fsync status=none "
                  + " ".join(flags))


FILE_STATUS = tuple(range(128))     # what has arrived is looked at, whatever it says in the end

TOOLS = (
    Tool("dd", "dd bs=1M, blocks in use", "limit", ("dd",), dd(), target="any", filesystem=False),
    Tool("dd-direct", "dd bs=1M, direct", "limit", ("dd",),
         dd("iflag=direct", "oflag=direct"), target="any", filesystem=False),
    ours("e2bfo"),
    ours("e2bfo-mkfs", "--mkfs", target="blank", slow=is_brief),
    Tool("e2bfo-flash", "e2bfo copy, not rotational", "e2bfo", ("e2bfo", "mke2fs"), e2bfo(),
         only=is_aged, warm=False, seeks=False, good_status=(0, 1)),
    ours("e2bfo-256M", "--memory", "256M", only=is_aged_flat, warm=False),
    ours("e2bfo-256M-gap0", "--memory", "256M", "--read-gap", "0", only=is_aged_flat, warm=False,
         slow=is_brief),
    Tool("e2image", "e2image -ra", "block", ("e2image",),
         direct("e2image -ra {source} {target}"), target="any"),
    Tool("partclone", "partclone.ext4 -b", "block", ("partclone.ext4",),
         direct("partclone.ext4 -b -q -f 0 -L {work}/partclone.log -s {source} -O {target}"),
         target="any"),
    Tool("cp", "cp -a", "file", ("cp", *SHELL), by_files("cp -a {source_dir}/. {target_dir}/"),
         slow=is_flat, good_status=FILE_STATUS),
    Tool("tar", "tar | tar", "file", ("tar", *SHELL), tar(), slow=is_brief, good_status=FILE_STATUS),
    Tool("tar-inode", "tar --sort=inode | tar", "file", ("tar", *SHELL), tar("--sort=inode"),
         good_status=FILE_STATUS),
    Tool("rsync", "rsync -aHAXSU", "file", ("rsync", *SHELL), slow=is_brief, good_status=FILE_STATUS,
         command=by_files("rsync -aHAXSU --numeric-ids {source_dir}/ {target_dir}/")),
    Tool("dump", "dump | restore", "file", ("dump", "restore", *SHELL), into_files(DUMP),
         slow=is_brief, good_status=FILE_STATUS),
    Tool("fsarchiver", "fsarchiver savefs, restfs", "file", ("fsarchiver", *SHELL),
         from_fsarchiver, target="any", slow=is_brief, good_status=FILE_STATUS),
    Tool("mke2fs", "mke2fs -d", "file", ("mke2fs", *SHELL), FROM_MKE2FS, target="any",
         only=is_not_flat, warm=False, slow=is_brief, good_status=FILE_STATUS),
    Tool("rdump", "debugfs rdump", "file", ("debugfs", *SHELL),
         into_files(RDUMP), slow=is_brief, good_status=FILE_STATUS),
)


def chosen(settings):
    """The rows that were asked for."""
    if not settings.tools:
        return list(TOOLS)
    unknown = set(settings.tools) - {t.key for t in TOOLS} - {t.group for t in TOOLS}
    if unknown:
        raise SystemExit(f"bench: unknown tools: {' '.join(sorted(unknown))} "
                         f"(known: {' '.join(t.key for t in TOOLS)})")
    return [t for t in TOOLS if t.key in settings.tools or (t.group in settings.tools)]


def usable(settings):
    """The rows that were asked for and are installed, and a note for each that is not."""
    tools, notes = [], []
    for tool in chosen(settings):
        missing = absent(settings, tool)
        if missing:
            notes.append(f"{tool.key} (not installed: {' '.join(missing)})")
        else:
            tools.append(tool)
    return tools, notes


def taking_part(settings, tools, data):
    """Those of the tools that copy this set."""
    every = settings.full or settings.tools
    return [t for t in tools if t.only(data) and (every or not t.slow(data))]


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


VERSION_FLAGS = {"e2bfo": "-V", "e2image": "-V", "mke2fs": "-V", "e2fsck": "-V", "debugfs": "-V",
                 "fsarchiver": "-V", "partclone.ext4": "-v"}


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
