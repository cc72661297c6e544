# SPDX-License-Identifier: GPL-2.0-or-later
"""Accesses: traces that are mined and replayed, in two halves each.

    make   strace of four builds of this project (make -j2, out of tree, -O0): two, and two
    cpp    strace of the compiler over some sources of the kernel tree, two at a time, four times a
           random six of ten of them, as when a header or an option has changed; only the
           preprocessor (gcc -M) runs, which opens what a compiler opens
    web    the log of a web server (website.py), cut in the middle

The filesystem is mounted read-only meanwhile; what is built lies elsewhere, and only files on the
filesystem count. Recorded once, and kept beside the image.

A replay does what the trace says in its order, for all processes together: what was opened is
opened and read, for every other call (stat, access, a failed open) the path is looked up. What was
accessed before is left out: it would come from the caches, and as every access is one less that
somebody else's use of the machine's memory can disturb, the requests are the same each time.
"""

import os
import random
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from e2bench import host

from . import readers, sets, website

STRACE = ("strace", "-f", "--seccomp-bpf", "-y", "-e", "trace=file", "-o")
BUILDS = 4
SOURCES = 150                   # of the kernel, from which builds take
BUILT = 0.6
SESSIONS = 8000                 # of the site's clients
SOURCES_OF = ("kernel", "mm", "block", "fs", "fs/ext4", "lib", "net/core", "security/keys")
INCLUDES = ("arch/x86/include", "include", "arch/x86/include/uapi", "include/uapi")
FORCED = ("include/linux/compiler-version.h", "include/linux/kconfig.h",
          "include/linux/compiler_types.h")
CONFIG = ("64BIT", "X86_64", "X86", "SMP", "MMU", "NET", "BLOCK", "TREE_RCU", "HIGH_RES_TIMERS")
NUMBERS = ("HZ=250", "NR_CPUS=64", "NODES_SHIFT=6", "PGTABLE_LEVELS=4", "X86_L1_CACHE_SHIFT=6",
           "X86_INTERNODE_CACHE_SHIFT=6", "LOG_BUF_SHIFT=17", "BASE_SMALL=0")


@dataclass(frozen=True)
class Access:
    path: str                   # in the filesystem
    read: bool                  # the file is read; else its name is looked up


@dataclass(frozen=True)
class Workload:
    key: str
    set: str
    about: str
    record: Callable            # (settings, directory, [path of first half, of second half])
    options: Callable           # directory -> arguments of e2bfo copy --order=trace
    parse: Callable             # (lines, directory) -> accesses


# ---- recording ----

def traced(path, directory, *argv, **kwargs):
    """Runs a command under strace; what concerns DIRECTORY is appended to PATH."""
    part = path.with_suffix(".part")
    host.status_of(*STRACE, part, *argv, **kwargs)
    wanted = os.fsencode(directory)
    with open(part, "rb") as lines, open(path, "ab") as kept:
        kept.writelines(line for line in lines if wanted in line)
    part.unlink()


def empty(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    return directory


def record_make(settings, directory, halves):
    work = empty(settings.image("work-make"))
    host.sh(directory / sets.PROJECT / "configure", "CFLAGS=-O0", cwd=work)
    for number in range(BUILDS):
        traced(halves[number * 2 // BUILDS], directory, "make", "-j2", "-C", work, "all")
        if not (work / "e2bfo" / "e2bfo").exists():
            raise host.Failure("the build that is traced made nothing")
        host.sh("make", "-C", work, "clean")
    shutil.rmtree(work)


def generated(tree, to):
    """What a configured tree has beside its sources: headers that stand for the generic ones."""
    for generic, own, out in (("include/asm-generic", "arch/x86/include/asm", "asm"),
                              ("include/uapi/asm-generic", "arch/x86/include/uapi/asm", "uapi/asm")):
        (to / out).mkdir(parents=True)
        for header in sorted(os.listdir(tree / generic)):
            if header.endswith(".h") and not (tree / own / header).exists():
                (to / out / header).write_text(f"#include <asm-generic/{header}>\n", "ascii")
    (to / "generated").mkdir()
    lines = [f"#define CONFIG_{name} 1" for name in CONFIG]
    lines += ["#define CONFIG_" + number.replace("=", " ") for number in NUMBERS]
    (to / "generated" / "autoconf.h").write_text("\n".join(lines) + "\n", "ascii")
    for name in ("bounds.h", "asm-offsets.h", "timeconst.h", "utsrelease.h"):
        (to / "generated" / name).touch()


def sources(settings, tree):
    found = [path for part in SOURCES_OF for path in sorted((tree / part).glob("*.c"))]
    few = set(random.Random(settings.seed).sample(found, min(SOURCES, len(found))))
    return [path for path in found if path in few]


def record_cpp(settings, directory, halves):
    tree, work = directory / sets.KERNEL, empty(settings.image("work-cpp"))
    generated(tree, work)
    command = ["gcc", "-M", "-MG", "-w", "-nostdinc", "-D__KERNEL__"]
    for path in (tree / INCLUDES[0], work, *(tree / i for i in INCLUDES[1:]), work / "uapi"):
        command += ["-I", path]
    for path in FORCED:
        command += ["-include", tree / path]
    chosen, rng = sources(settings, tree), random.Random(f"build {settings.seed}")
    for number in range(BUILDS):
        built = [str(path) for path in chosen if rng.random() < BUILT]
        traced(halves[number * 2 // BUILDS], directory, "xargs", "-P2", "-n1", *command,
               input="\n".join(built).encode())
    shutil.rmtree(work)


def record_web(settings, directory, halves):
    lines = sets.site(settings).log(SESSIONS)
    middle = len(lines) // 2
    for path, half in zip(halves, (lines[:middle], lines[middle:])):
        path.write_text("".join(website.line_of(*line) for line in half), encoding="ascii")


# ---- what they say ----

OPENED = re.compile(r"= \d+<(/[^>]*)>$")
NAMED = re.compile(r'"(/[^"]*)"')


def parse_strace(lines, directory):
    """Of lines about files below DIRECTORY: what was opened, or else named."""
    prefix = f"{directory}/"
    found = []
    for line in lines:
        if prefix not in line:
            continue
        opened = OPENED.search(line.rstrip())
        if opened and opened[1].startswith(prefix):
            found.append(Access(opened[1][len(prefix):], not os.path.isdir(opened[1])))
        elif "<unfinished" not in line or "open" not in line:
            found += [Access(name[len(prefix):], False) for name in NAMED.findall(line)
                      if name.startswith(prefix)]
    return found


def parse_log(lines, directory):
    names = [line.split('"')[1].split()[1].lstrip("/") for line in lines]
    return [Access(n + "index.html" if not n or n.endswith("/") else n, True) for n in names]


WORKLOADS = [
    Workload("make", "kernel", "builds of this project (strace of make -j2)", record_make,
             lambda directory: ("--order-mount", directory), parse_strace),
    Workload("cpp", "kernel", "builds of parts of the kernel (strace of gcc -M)", record_cpp,
             lambda directory: ("--order-mount", directory), parse_strace),
    Workload("web", "site", "the log of a web server", record_web,
             lambda directory: (), parse_log),
]


def missing(workload):
    """Why it cannot be recorded here, or None."""
    needs = {"make": ("strace", "make", "gcc"), "cpp": ("strace", "gcc")}.get(workload.key, ())
    absent = [name for name in needs if not host.installed(name)]
    return f"not installed: {' '.join(absent)}" if absent else None


def halves(settings, workload, image, directory):
    """Paths of both halves, recorded if they were not; the image is mounted on DIRECTORY."""
    paths = [Path(f"{Path(image).with_suffix('')}-{workload.key}-{n}.trace") for n in (1, 2)]
    if not all(path.exists() for path in paths):
        fresh = [path.with_suffix(".new") for path in paths]
        for path in fresh:
            path.unlink(missing_ok=True)
        workload.record(settings, directory, fresh)
        for path, final in zip(fresh, paths):
            path.rename(final)
    return paths


def parsed(workload, path, directory):
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        return workload.parse(lines, directory)


def first_times(accesses):
    return list(dict.fromkeys(accesses))


def boot_list(accesses, path):
    """Writes the files that are read, each once, as --order=list:PATH takes them."""
    names = dict.fromkeys(f"/{a.path}" for a in accesses if a.read)
    Path(path).write_text("".join(f"{name}\n" for name in names), "utf-8", "surrogateescape")
    return path


def replay(accesses, directory):
    for access in accesses:
        path = f"{directory}/{access.path}"
        if access.read:
            readers.read_file(path)
        else:
            os.path.lexists(path)
