# SPDX-License-Identifier: GPL-2.0-or-later
"""Tools: one row each, as the command that keeps the most, and the one place where it is run.

Measures nothing. A command is a line of bash in mount and process namespaces of its own: when it
is over, or its time is, nothing of it is left. Names in braces are fields of Job.
"""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

FROM = "mount -o ro,noatime {source} {source_dir} && "
TO = "mount -o noatime {target} {target_dir} && "


@dataclass(frozen=True)
class Job:
    """One copy: devices, mount points, and a directory for what a tool leaves behind."""
    source: str
    target: str
    source_dir: str
    target_dir: str
    work: str
    block: int                  # block size of the target
    e2bfo: str


@dataclass(frozen=True)
class Tool:
    key: str
    origin: str                 # of ORIGINS
    heading: str
    shown: str                  # what the caption says
    programs: tuple             # without them it is absent; the first one's version is shown
    command: str


# What is copied, and how a table of it begins
ORIGINS = {
    "volume": "From a volume that nobody has mounted:",
    "directory": "From a directory, where that volume is mounted:",
    "archive": "From an archive of that directory; who made it > who read it:",
}

E2BFO = "{e2bfo} copy -q --allow-loss=all "
INTO_NEW = E2BFO + "--force --mkfs='-b {block}' "
TAR = "--format=posix --numeric-owner --xattrs --xattrs-include='*' --acls"
UNTAR = "--numeric-owner --same-owner --xattrs --xattrs-include='*' --acls -xpf"
PACKED = FROM + "tar -C {source_dir} " + TAR + " -S -cf {work}/tree.tar . ; "
# bsdtar leaves a socket out, but not a second name of it, and e2bfo refuses links to what is not
# there: so both names stay out
BSD_PACKED = FROM + ("bsdtar -C {source_dir} --format=pax --exclude \"*socket\" "
                     "-cf {work}/tree.tar . ; ")

TOOLS = (
    Tool("e2bfo", "volume", "e2bfo", "e2bfo copy", ("e2bfo",), E2BFO + "{source} {target}"),
    Tool("e2image", "volume", "e2img", "e2image -ra", ("e2image",),
         "e2image -ra {source} {target}"),
    Tool("partclone", "volume", "pclone", "partclone.ext4 -b", ("partclone.ext4",),
         "partclone.ext4 -b -q -f 0 -L {work}/partclone.log -s {source} -O {target}"),
    # restore -r would leave restoresymtable in the root; without -y, the first odd name is the end
    Tool("dump", "volume", "dump", "dump | restore -xyao", ("dump", "restore"),
         TO + "cd {target_dir} && "
         "dump -0 -a -q -f - {source} | TMPDIR={work} restore -x -y -a -o -f - ."),
    # restfs formats the target itself
    Tool("fsarchiver", "volume", "fsarch", "fsarchiver savefs, restfs", ("fsarchiver",),
         "rm -f {work}/archive.fsa && fsarchiver savefs -o -Z 1 {work}/archive.fsa {source} && "
         "fsarchiver restfs {work}/archive.fsa id=0,dest={target},mkfsopt='-b {block}'"),
    Tool("debugfs", "volume", "rdump", "debugfs rdump", ("debugfs",),
         TO + "debugfs -R 'rdump / {target_dir}' {source}"),

    Tool("e2bfo-dir", "directory", "e2bfo", "e2bfo copy DIR", ("e2bfo",),
         FROM + INTO_NEW + "{source_dir} {target}"),
    Tool("mke2fs", "directory", "mke2fs", "mke2fs -d", ("mke2fs",),
         FROM + "mke2fs -q -F -t ext4 -b {block} -d {source_dir} {target}"),
    Tool("rsync", "directory", "rsync", "rsync -aHAXSU", ("rsync",),
         FROM + TO + "rsync -aHAXSU --numeric-ids {source_dir}/ {target_dir}/"),
    Tool("cp", "directory", "cp", "cp -a", ("cp",),
         FROM + TO + "cp -a {source_dir}/. {target_dir}/"),

    Tool("e2bfo-tar", "archive", "tar>e2bfo", "e2bfo copy TAR", ("e2bfo", "tar"),
         PACKED + INTO_NEW + "{work}/tree.tar {target}"),
    Tool("tar", "archive", "tar>tar", "tar --format=posix --xattrs --acls -S", ("tar",),
         PACKED + TO + "tar -C {target_dir} " + UNTAR + " {work}/tree.tar"),
    Tool("e2bfo-bsdtar", "archive", "bsdtar>e2bfo", "e2bfo copy TAR", ("e2bfo", "bsdtar"),
         BSD_PACKED + INTO_NEW + "{work}/tree.tar {target}"),
    Tool("bsdtar", "archive", "bsdtar>bsdtar", "bsdtar --format=pax", ("bsdtar",),
         BSD_PACKED + TO + "bsdtar -C {target_dir} --numeric-owner -xpf {work}/tree.tar"),
)

VERSION_FLAGS = {"e2image": "-V", "mke2fs": "-V", "debugfs": "-V", "fsarchiver": "-V",
                 "e2bfo": "-V", "partclone.ext4": "-v"}


def path_of(name, e2bfo):
    """Path of a program, or None."""
    if name == "e2bfo":
        return e2bfo if os.access(e2bfo, os.X_OK) else None
    return shutil.which(name)


def absent(tool, e2bfo):
    return [name for name in tool.programs if not path_of(name, e2bfo)]


def version(tool, e2bfo):
    """The first number with a dot in what it says of itself; some say so as an error."""
    name = tool.programs[0]
    done = subprocess.run([path_of(name, e2bfo), VERSION_FLAGS.get(name, "--version")],
                          capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, check=False)
    found = re.search(r"\d+\.\d+\w*(\.\w+)*", done.stdout + done.stderr)
    return found[0] if found else "of unknown version"


@dataclass(frozen=True)
class Ending:
    status: int
    seconds: float
    in_time: bool
    said: str                   # its last words


def run(tool, job, limit):
    """The copy. A bad exit status is no verdict: what has arrived is."""
    begun = time.monotonic()
    log = os.path.join(job.work, "log")
    with open(log, "wb") as out:
        status = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--mount-proc",
             "timeout", "-s", "KILL", str(limit),
             "bash", "-o", "pipefail", "-c", tool.command.format(**vars(job))],
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=job.work, check=False).returncode
    seconds = time.monotonic() - begun
    with open(log, "rb") as said:
        said.seek(max(0, os.path.getsize(log) - 2000))
        words = said.read().decode("utf-8", "replace")
    return Ending(status, seconds, seconds < limit, words)
