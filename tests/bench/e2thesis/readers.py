# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers: programs that read a directory of many files, a table; and the ways in which they are
run. Measures nothing.

GNU tar writes to a pipe, as it skips contents if its output is /dev/null; cp and rsync into memory.
ls -ln, as -l would look for names of owners. zip -0, as it is not the compression that is asked
about. The scanner of maildirs looks at the first 4 KB of each file as it comes, as programs do that
make an index of mail. rm ends when the filesystem is unmounted and the device is synced.
"""

import sys
from dataclasses import dataclass
from typing import Callable

from e2bench import host

SCAN = """\
import os, sys
with os.scandir(sys.argv[1]) as entries:
    for entry in entries:
        info = entry.stat(follow_symlinks=False)
        print(info.st_size, info.st_mtime_ns, entry.name)
"""


@dataclass(frozen=True)
class Job:
    settings: object
    top: str
    memory: str                 # an empty directory

    @property
    def directory(self):
        return f"{self.top}/flat"


@dataclass(frozen=True)
class Reader:
    key: str
    label: str
    sorts: bool                 # by itself: by inode number, but rsync by name
    program: str                # "": ours
    command: Callable           # Job -> list
    writes: bool = False


READERS = (
    Reader("tar", "GNU tar", False, "tar", lambda j: ["tar", "-C", j.top, "-cf", "-", "flat"]),
    Reader("ls", "ls -l", False, "ls", lambda j: ["ls", "-ln", j.directory]),
    Reader("ls-U", "ls -lU", False, "ls", lambda j: ["ls", "-lnU", j.directory]),
    Reader("scandir", "Python scandir, stat", False, "",
           lambda j: [sys.executable, "-c", SCAN, j.directory]),
    Reader("zip", "zip -0", False, "zip",
           lambda j: ["sh", "-c", 'cd "$0" && exec zip -q -r -0 - flat', j.top]),
    Reader("mail", "maildir scanner", False, "",
           lambda j: [j.settings.built("inorder"), "mail", "names", j.directory]),
    Reader("cp", "cp -a", True, "cp", lambda j: ["cp", "-a", j.directory, j.memory]),
    Reader("rsync", "rsync -a", True, "rsync", lambda j: ["rsync", "-a", j.directory, j.memory]),
    Reader("find", "find -size", True, "find",
           lambda j: ["find", j.directory, "-size", "-99999", "-printf", "%s %p\\n"]),
    Reader("rm", "rm -r", True, "rm", lambda j: ["rm", "-r", j.directory], writes=True),
    Reader("du", "du -s", True, "du", lambda j: ["du", "-s", j.directory]),
)

KEYS = [r.key for r in READERS]


@dataclass(frozen=True)
class Way:
    key: str
    label: str
    image: str                  # of sets.IMAGES
    prefix: Callable            # settings -> what the program is run by
    absent: Callable            # settings -> why it cannot be, or ""


def spd_readdir(settings):
    """The source, or the library, of contrib/spd_readdir; or None."""
    if settings.spd_readdir:
        return settings.spd_readdir
    found = sorted(settings.bench_dir.glob("e2fsprogs-*/contrib/spd_readdir.c"))
    return str(found[-1]) if found else None


def spd_library(settings):
    """It is made by the compiler of this machine. The function that it asks for the environment by
    had two more underscores once."""
    path = spd_readdir(settings)
    if not path.endswith(".c"):
        return path
    made = settings.image("spd_readdir.so")
    host.sh("cc", "-O2", "-w", "-D_GNU_SOURCE", "-D__secure_getenv=secure_getenv", "-shared",
            "-fPIC", "-o", made, path, "-ldl")
    return str(made)


def preload(settings):
    """e2itree-run, which says at the end how it has listed directories. In a build directory its
    library stands beside it."""
    library = settings.e2itree_run.with_name("libe2itree-readdir.so")
    beside = ["env", f"E2ITREE_READDIR_LIBRARY={library}"] if library.exists() else []
    return [*beside, str(settings.e2itree_run), "--explain"]


def no_preload(settings):
    return "" if settings.e2itree_run.exists() else f"{settings.e2itree_run.name}: not built"


WAYS = (
    Way("plain", "without", "ext4", lambda s: [], lambda s: ""),
    Way("preload", "e2itree-run", "indexed", preload, no_preload),
    Way("spd", "spd_readdir", "ext4", lambda s: ["env", f"LD_PRELOAD={spd_library(s)}"],
        lambda s: "" if spd_readdir(s) else "spd_readdir: not installed"),
)
