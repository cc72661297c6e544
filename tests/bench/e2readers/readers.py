# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers: one row each, with the options that keep the most, and the one place where they are run.

Those that extract do so as root. Libraries are run by programs beside this folder, pytar and
gotar.go, which tell what they read (members.py).
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from e2bench import host

HERE = Path(__file__).resolve().parents[1]
SECONDS = 120
GNU = ("--numeric-owner", "--same-owner", "--xattrs", "--xattrs-include=*", "--acls")


@dataclass(frozen=True)
class Reader:
    key: str
    heading: str
    shown: str                  # what the caption says
    program: str                # without it, it is left out
    version: tuple              # arguments that make it say its version
    read: tuple                 # names in braces: archive, directory, work
    listed: tuple = ()          # lists names, escaped
    locale: str = "C"
    extracts: bool = True
    tells: bool = False         # members, as JSON


READERS = (
    Reader("gnu", "GNU tar", "tar -xp --xattrs --xattrs-include='*' --acls", "tar", ("--version",),
           ("tar", "-C", "{directory}", *GNU, "-xpf", "{archive}"),
           ("tar", "--quoting-style=escape", "-tf", "{archive}")),
    Reader("bsd", "bsdtar", "bsdtar -xp", "bsdtar", ("--version",),
           ("bsdtar", "-C", "{directory}", "--numeric-owner", "-xpf", "{archive}"),
           ("bsdtar", "-tf", "{archive}")),
    Reader("bsd-utf8", "bsdtar, UTF-8", "LC_ALL=C.UTF-8 bsdtar -xp", "bsdtar", ("--version",),
           ("bsdtar", "-C", "{directory}", "--numeric-owner", "-xpf", "{archive}"),
           locale="C.UTF-8"),
    Reader("python", "Python", "tarfile.extractall", "python3", ("--version",),
           ("python3", "-B", f"{HERE}/pytar", "{archive}", "{directory}"), tells=True),
    Reader("go", "Go", "archive/tar", "go", ("version",),
           ("sh", "-c", "exec {work}/gotar < {archive}"), extracts=False, tells=True),
)


@dataclass
class Run:
    status: int
    said: list                  # lines
    out: bytes


def version(reader):
    said = host.sh(reader.program, *reader.version)
    return re.search(r"\d+(\.\d+)+", said)[0]


def prepared(reader, work):
    """Go's program is built; from one file, without network."""
    if reader.key == "go":
        host.sh("go", "build", "-o", f"{work}/gotar", HERE / "gotar.go", cwd=work, env={
            **os.environ, "HOME": work, "GOCACHE": f"{work}/go-cache", "GOPATH": f"{work}/go",
            "GOTOOLCHAIN": "local", "GO111MODULE": "off"})


def run(reader, words, **places):
    """A bad exit status is no verdict: what has arrived is."""
    argv = [word.format(**places) for word in words]
    with open(f"{places['work']}/out", "wb") as out, open(f"{places['work']}/said", "wb") as err:
        try:
            status = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    timeout=SECONDS, check=False,
                                    env={**os.environ, "LC_ALL": reader.locale}).returncode
        except subprocess.TimeoutExpired:
            raise host.Failure(f"{reader.heading}: not done after {SECONDS} s") from None
    said = Path(f"{places['work']}/said").read_text(encoding="utf-8", errors="replace")
    return Run(status, said.splitlines(), Path(f"{places['work']}/out").read_bytes())
