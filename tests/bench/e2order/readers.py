# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers: programs that read a whole tree, as a table; and what order names come in.

Each is given the directory where the filesystem is mounted and an empty one in memory, and
reads every file. GNU tar writes to a pipe, as it skips contents if its output is /dev/null.
"""

import os
import subprocess
from dataclasses import dataclass
from typing import Callable

from e2bench import host

CHUNK = 1 << 20


@dataclass(frozen=True)
class Reader:
    key: str
    label: str
    read: Callable              # (directory, memory)


def drained(*argv):
    """Runs a command, reads what it writes."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        try:
            while child.stdout.read(CHUNK):
                pass
        except BaseException:
            child.kill()            # else the mount stays busy
            raise
    if child.returncode:
        raise host.Failure(f"{' '.join(argv)}: exit {child.returncode}")


def tar(*options):
    return lambda directory, memory: drained("tar", "-C", directory, *options, "-cf", "-", ".")


def cp(directory, memory):
    host.sh("cp", "-a", f"{directory}/.", f"{memory}/")


def rsync(directory, memory):
    host.sh("rsync", "-a", f"{directory}/", f"{memory}/")


def read_file(path):
    """Reads all of it, as most programs do."""
    fd = os.open(path, os.O_RDONLY)
    try:
        while os.read(fd, CHUNK):
            pass
    finally:
        os.close(fd)


def scandir(directory, memory=None):
    """Each name as it comes: files are read, directories entered at once."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                scandir(entry.path)
            elif entry.is_file(follow_symlinks=False):
                read_file(entry.path)


READERS = [
    Reader("tar", "tar", tar()),
    Reader("tar-inode", "tar --sort=inode", tar("--sort=inode")),
    Reader("cp", "cp -a", cp),
    Reader("rsync", "rsync -a", rsync),
    Reader("scandir", "Python scandir, read", scandir),
]


@dataclass
class Steps:
    """From one name of a directory to the next, as the kernel returns them."""
    steps: int = 0
    ascending: int = 0          # in inode number
    directories: int = 0        # of more than one name
    sorted: int = 0             # of these, without a step down

    @property
    def share(self):
        return self.ascending / self.steps if self.steps else 1.0


def ascending(top):
    """Steps of all directories, without ".", "..", lost+found, names of files with other links."""
    found = Steps()
    for directory, _, _ in os.walk(top):
        with os.scandir(directory) as entries:
            inodes = [e.inode() for e in entries if counts(e, directory == str(top))]
        up = sum(a < b for a, b in zip(inodes, inodes[1:]))
        found.steps += max(0, len(inodes) - 1)
        found.ascending += up
        found.directories += len(inodes) > 1
        found.sorted += len(inodes) > 1 and up == len(inodes) - 1
    return found


def counts(entry, at_root):
    if at_root and entry.name == "lost+found":
        return False
    return entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_nlink == 1
