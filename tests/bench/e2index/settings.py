# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
from dataclasses import dataclass
from pathlib import Path

from e2bench.environment import Places, bench_dir, choice, is_full, number, numbers, path

HELP = """\
usage: itree [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BUILDDIR        top of the build tree (default: .), with e2itree/e2itree and e2bfo/e2bfo in it
  BENCH_DIR       cache of the images (default: TMPDIR/e2bfo-bench): three of 420 bytes for each file,
                  of 5.5 KB with BYTES=4096, and of 256 MB more
  FILES           how many files the directory has (default: 100000; with BENCH=full
                  also 1000000 and 5000000, which take minutes to fill)
  BYTES           in each of them: 0 or 4096 (default: 0)
  ROWS            of build, trust, fsck, check, and the readers tree, notree, kernel-names,
                  kernel-unsorted, kernel-ls, kernel-sorted (default: all); those that begin
                  with kernel, and fsck, need neither e2itree nor e2bfo
  RUNS            timed runs of each row, the median counts (default: 3)
  TIMEOUT         seconds after which a program is stopped, and the benchmark with it
                  (default: 3600)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/itree.json)
"""


@dataclass(frozen=True)
class Settings(Places):
    builddir: Path
    bench_dir: Path
    json: Path
    files: tuple
    bytes: int
    rows: tuple                 # empty: all
    runs: int
    timeout: float

    @property
    def e2itree(self):
        return self.builddir / "e2itree" / "e2itree"

    @property
    def e2bfo(self):
        return self.builddir / "e2bfo" / "e2bfo"

    def wants(self, row):
        return not self.rows or row in self.rows


def from_environment(known_rows, env=None):
    env = os.environ if env is None else env
    directory = bench_dir(env)
    files = "100000 1000000 5000000" if is_full(env) else "100000"
    return Settings(
        builddir=path(env, "BUILDDIR", "."),
        bench_dir=directory,
        json=path(env, "BENCH_JSON", directory / "itree.json"),
        files=numbers(env, "FILES", files),
        bytes=number(env, "BYTES", 0),
        rows=choice(env, "ROWS", "", known_rows),
        runs=number(env, "RUNS", 3),
        timeout=number(env, "TIMEOUT", 3600, float))
