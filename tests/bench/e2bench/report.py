# SPDX-License-Identifier: GPL-2.0-or-later
"""Report: what all parts say in the same way: numbers, tables, the machine, the head of the text.

Measures nothing.
"""

import json
import os
import platform
import subprocess
import time
from pathlib import Path

from . import contenders, host

MIB = 1 << 20
GB = 1e9
DAMON = Path("/sys/kernel/mm/damon/admin/kdamonds")
PAGED_OUT = ("\nThis kernel pages out memory that looks idle (DAMON, action pageout): it takes CPU time "
             "from the\ntools now and then, and from the page cache what they count on.\n")
PROGRAMS = ("e2bfo", "e2image", "partclone.ext4", "dd", "cp", "tar", "rsync", "dump", "fsarchiver",
            "mke2fs", "debugfs", "e2fsck")


def number(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def ratio(value, base):
    return "-" if not value or not base else f"{value / base:.2f}"


def percent(value, base):
    """How much more or less than BASE: "-46.6 %"."""
    return "-" if not value or not base else f"{(value / base - 1) * 100:+.1f} %".replace("-", "−")


def table(heads, rows):
    """Markdown; the first column left, the others right."""
    lines = [line(heads), "|---|" + "---:|" * (len(heads) - 1), *map(line, rows)]
    return "\n".join(lines) + "\n"


def line(cells):
    r"""
    >>> line(["tar | tar", 2])
    '| tar \\| tar | 2 |'
    """
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def read(path):
    """The document that a run has written."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise host.Failure(f"{path}: {error}") from None


def grid(heads, rows, right=()):
    """Markdown that reads as a table in its source, too; columns of these numbers to the right.

    >>> print(grid(["tool", "s"], [["dd", "1.25"]], right=[1]))
    | tool |    s |
    |------|-----:|
    | dd   | 1.25 |
    """
    widths = [max(len(cells[i]) for cells in [heads, *rows]) for i in range(len(heads))]

    def padded(cells):
        return "| " + " | ".join(c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in
                                 enumerate(zip(cells, widths))) + " |"
    rule = "|".join("-" * (w + 1) + ("-:"[i in right]) for i, w in enumerate(widths))
    return "\n".join([padded(heads), f"|{rule}|", *map(padded, rows)])


def machine(settings):
    cpu = next((line.split(":", 1)[1].strip() for line in
                Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
                if line.startswith("model name")), platform.machine())
    below = host.sh("findmnt", "-n", "-o", "FSTYPE", "-T", settings.bench_dir).strip()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "kernel": platform.release(),
        "cpu": f"{cpu}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB",
        "images on": f"{below}, {cached(settings)}",
        "pages out": pages_out(),
        "commit": commit(),
        "versions": {name: contenders.version(settings, name) for name in PROGRAMS},
    }


def cached(settings):
    """Whether devices on files of this directory are, once more, there."""
    path = settings.image("empty.img")
    host.reserve(path, host.MIB)
    with host.loop(path) as device:
        past = host.passes_cache_by(device)
    path.unlink()
    return f"{'past' if past else 'through'} its page cache"


def commit(top=Path(__file__).resolve().parents[3]):
    """Of the sources this stands in: what git calls it, if it can be asked."""
    done = subprocess.run(["git", "-C", top, "describe", "--always", "--dirty"], text=True,
                          capture_output=True, check=False) if host.installed("git") else None
    return done.stdout.strip() if done and not done.returncode else "unknown"


def sources(tarball):
    """The kernel's: which ones."""
    if not tarball.exists():
        return f"{tarball.name}: absent"
    return f"{tarball.name}, SHA-256 {host.sh('sha256sum', tarball)[:16]}…"


def pages_out(top=DAMON):
    """Whether the kernel does that of its own accord, with memory to spare."""
    return any(state.read_text(encoding="ascii").strip() == "on" and
               any(action.read_text(encoding="ascii").strip() == "pageout" for action in
                   state.parent.glob("contexts/*/schemes/*/action"))
               for state in top.glob("*/state"))


def header(info, settings):
    versions = ", ".join(f"{name} {v}" for name, v in info["versions"].items())
    said = f"\nAsked for: {settings.said}.\n" if settings.said else ""
    left = (f", of which {settings.leave_mib / 1024:g} GiB are left to the tools"
            if settings.leave_mib else "")
    paged = PAGED_OUT if info["pages out"] else ""
    return (f"# e2bfo benchmark, {info['date']}\n\n"
            f"Linux {info['kernel']}, {info['cpu']}, {info['memory']}{left}; loop devices on files "
            f"on {info['images on']}; they say that they are rotational, where nothing else is "
            f"said.\n{versions}.\nCommit {info['commit']}; {info['sources']}.\n"
            f"{said}{paged}")


def elapsed(seconds):
    """Of each part."""
    said = ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items())
    minutes = sum(seconds.values()) / 60
    return f"\nTime taken, images included: {said}; together {minutes:.1f} min.\n"
