# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run of the benchmark was asked to do.

Measures nothing. All of it comes from environment variables, so that `make bench SETS=kernel`
and `SETS=kernel tests/bench/run` say the same. The list stands in HELP, which `run --help` prints.
"""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from .environment import Places, bench_dir, choice, is_full, number, numbers, path, said, words

HELP = """\
usage: run [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BENCH           full: all sets and all tools on each, more and larger ones; takes hours
                  (default: what two cores measure within 15 minutes, images included)
  PARTS           of the parts, as in the report; run with PARTS=? for a list (default: all)
  E2BFO           path of the program (default: BUILDDIR/e2bfo/e2bfo)
  E2BFO_ARGS      options added to every e2bfo copy, to try something out
  BUILDDIR        top of the build tree, where tests/bench/measure and mkflat are (default: .)
  BENCH_DIR       cache of the images, 40 GB, full: 170 GB (default: TMPDIR/e2bfo-bench)
  KEEP            of the images all; or none: each goes as soon as no set needs it any more, then
                  70 GB are enough for full (default: all, for the next run)
  SETS            of kernel, flat, small, sweep, big, mail, mixed, or single ones by their names
                  (default: kernel, flat, small and mixed; full: all)
  TOOLS           names of competitors (cp, tar-inode, ...; TOOLS=? for a list), or of groups of
                  them: limit, e2bfo, block, file (default: the slow ones only on kernel and small,
                  cp not on flat; or full); those named run on every set
  CACHES          of cold, warm (default: cold; full: both)
  RUNS            timed runs of each tool (default: 3; full: 5)
  FILE_SECONDS    a file-level tool gets, per cache, as many of these runs as fit into so many
                  seconds, at least one (default: 2; full: 15)
  LEAVE_GB        GiB of memory that the tools may use; the rest is held meanwhile, because memory
                  that nobody has used before is slow on virtual machines (default: all of it)
  TIMEOUT         seconds after which a tool is stopped and reported so (default: 120; full: 1800)
  KERNEL_TARBALL  default: /usr/src/linux-source-6.1.tar.xz (Debian: linux-source-6.1)
  FLAT_FILES, SMALL_FILES, SCALE_FILES    sizes of the flat sets (default: 200000, 10000,
                  '10000 100000 1000000'; full: '200000 1000000', 20000, to 10000000)
  MAIL_FILES      default: 20000; full: 100000
  SWEEP_MB        MB in each set of the sweep of file sizes (default: 512; full: 4096)
  BIG_MB          MB of each of the 8 large files (default: 64; full: 256)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/results.json); plots go beside it
"""

# Those that decide what a report is about
SAID = ("BENCH", "PARTS", "E2BFO_ARGS", "SETS", "TOOLS", "CACHES", "RUNS", "FILE_SECONDS",
        "LEAVE_GB", "TIMEOUT", "FLAT_FILES", "SMALL_FILES", "SCALE_FILES", "MAIL_FILES",
        "SWEEP_MB", "BIG_MB")


@dataclass(frozen=True)
class Settings(Places):
    full: bool
    parts: tuple            # empty: all
    e2bfo: Path
    e2bfo_args: tuple
    builddir: Path
    bench_dir: Path
    json: Path
    keep: bool              # the images, for the next run
    sets: tuple             # empty: all
    tools: tuple            # empty: those that take part by default
    caches: tuple
    runs: int
    file_seconds: float
    leave_mib: int          # 0: all
    timeout: float
    tarball: Path
    flat_files: tuple
    small_files: int
    scale_files: tuple
    mail_files: int
    sweep_mb: int
    big_mb: int
    said: str               # what was asked for, as NAME=VALUE ...

    @property
    def judge(self):
        """Path of the program that lists what the kernel shows of a tree."""
        return self.builddir / "tests" / "oracle" / "manifest"


def from_environment(env=None):
    env = os.environ if env is None else env
    full = is_full(env)

    def either(short, long):
        return long if full else short

    builddir = path(env, "BUILDDIR", ".")
    directory = bench_dir(env)
    return Settings(
        full=full,
        parts=words(env.get("PARTS", "")),
        e2bfo=path(env, "E2BFO", builddir / "e2bfo" / "e2bfo"),
        e2bfo_args=tuple(shlex.split(env.get("E2BFO_ARGS", ""))),
        builddir=builddir,
        bench_dir=directory,
        json=path(env, "BENCH_JSON", directory / "results.json"),
        keep=choice(env, "KEEP", "all", ("all", "none")) == ("all",),
        sets=words(env.get("SETS", "")),
        tools=words(env.get("TOOLS", "")),
        caches=choice(env, "CACHES", either("cold", "cold warm"), ("cold", "warm")),
        runs=number(env, "RUNS", either(3, 5)),
        file_seconds=number(env, "FILE_SECONDS", either(2, 15), float),
        leave_mib=int(1024 * number(env, "LEAVE_GB", 0, float)),
        timeout=number(env, "TIMEOUT", either(120, 1800), float),
        tarball=path(env, "KERNEL_TARBALL", "/usr/src/linux-source-6.1.tar.xz"),
        flat_files=numbers(env, "FLAT_FILES", either("200000", "200000 1000000")),
        small_files=number(env, "SMALL_FILES", either(10_000, 20_000)),
        scale_files=numbers(env, "SCALE_FILES", either("10000 100000 1000000",
                                                       "10000 100000 1000000 10000000")),
        mail_files=number(env, "MAIL_FILES", either(20_000, 100_000)),
        sweep_mb=number(env, "SWEEP_MB", either(512, 4096)),
        big_mb=number(env, "BIG_MB", either(64, 256)),
        said=said(env, SAID))
