# SPDX-License-Identifier: GPL-2.0-or-later
"""Program: the command line of a benchmark of rows (rows.py), from its options to its exit status.

Markdown goes to standard output, progress to standard error, all numbers to a JSON file. The exit
status says whether the benchmark could be run.
"""

import os
import sys
import time
from dataclasses import dataclass
from typing import Callable

from . import host, report, rowreport, trace
from .experiment import say


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    help: str
    asked: Callable             # () -> asked.Asked
    wanted: Callable            # (asked) -> [rows.Set]
    run: Callable               # (asked, set) -> rounds.Outcome
    section: Callable           # (name, outcome, caches) -> Markdown
    bars: Callable              # ({set: outcome}) -> [bars.Bar]
    summary: Callable           # (document) -> Markdown


def check_ready(asked):
    if os.geteuid():
        raise host.Failure("needs root: loop devices, mounts, drop_caches, tracefs")
    for path in (asked.base.built("measure"), asked.base.built("mkflat"), asked.base.e2bfo):
        if not os.access(path, os.X_OK):
            raise host.Failure(f"{path} is not built; run make and make -C tests bench-programs, "
                               "or set BUILDDIR")
    if not asked.base.tarball.exists():
        raise host.Failure(f"{asked.base.tarball} is not there "
                           "(Debian: apt install linux-source-6.1)")


def load():
    """What else the machine does, as far as its load tells."""
    return os.getloadavg()[0]


def measure(benchmark, asked):
    outcomes, seconds = {}, {}
    before = load()
    with (host.locked(asked.base.bench_dir), trace.tracefs(),
          host.less_memory(asked.base.leave_mib * host.MIB)):
        for one in benchmark.wanted(asked):
            begun = time.monotonic()
            say(f"data set {one.name}: {one.recipe.about}")
            outcomes[one.name] = benchmark.run(asked, one)
            seconds[one.name] = time.monotonic() - begun
        info = report.machine(asked.base)
    others = f"Load average: {before:.1f} before, {load():.1f} at the end."
    bars = benchmark.bars(outcomes)
    rowreport.write_json(asked, info, others, outcomes, seconds, bars)
    print(rowreport.header(benchmark.title, asked, info, others)
          + "".join(benchmark.section(name, outcome, asked.base.caches)
                    for name, outcome in outcomes.items())
          + rowreport.goals(bars) + report.elapsed(seconds))


def main(benchmark):
    name = benchmark.name
    if sys.argv[1:] not in ([], ["--summary"]):
        print(benchmark.help if sys.argv[1:] == ["--help"] else f"usage: {name} [--help|--summary]")
        return 0 if sys.argv[1:] == ["--help"] else 16
    os.environ["LC_ALL"] = "C"
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    host.stop_on_signals()
    try:
        asked = benchmark.asked()
        if sys.argv[1:]:
            print(benchmark.summary(report.read(asked.base.json)))
            return 0
        check_ready(asked)
        measure(benchmark, asked)
    except (host.Failure, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 8
    return 0
