# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what can be chosen is what HELP lists; e2bench.asked reads it from the environment."""

import os
from dataclasses import dataclass

from e2bench import asked
from e2bench.environment import number

HELP = """\
usage: batch [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BENCH           full: 500,000 files beside those of the batch, 100,000 in it, files of 64 KB too,
                  and more runs of everything (default: what two cores measure within 20 minutes,
                  images included)
  E2BFO, E2BFO_ARGS, BUILDDIR, BENCH_DIR, KERNEL_TARBALL, LEAVE_GB
                  as of tests/bench/run; the images take 8 GB, full: 40 GB
  SETS            of 1x4096, 1000x4096, 1000x100, 1000x65536: directories x bytes of a file; sizes:
                  of batches, up to MOST files; names: one directory with NAMES names; inodes-100000,
                  inodes-1000000, inodes-10000000: sparse images (default: all but 1000x65536; full:
                  all)
  TOOLS           names of rows (default: all)
  RUNS            timed runs of each row, with cold caches (default: 3; full: 5; of the set sizes 1,
                  if not full)
  ROW_SECONDS     a row that is not ours gets as many of these runs as fit into so many seconds, at
                  least one (default: 5; full: 600)
  TIMEOUT         seconds after which a program is stopped and reported so (default: 300;
                  full: 1800)
  MINUTES         after so many no run of a row begins, and the table says so (default: no end)
  FILES           files of the batch (default: 20000; full: 100000)
  SAMPLE          files of the rows that go file by file, however many there are: fsync each, fuse2fs,
                  debugfs; their labels say so (default: all; full: 5000)
  CROWD           files that the volume holds beside them (default: 100000; full: 500000)
  NAMES           names in the directory of the set names (default: 100000)
  MOST            files of the largest batch of the set sizes (default: 131072)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/batch.json)
"""

SAID = (*asked.SAID, "FILES", "SAMPLE", "CROWD", "NAMES", "MOST")


@dataclass(frozen=True)
class Asked(asked.Asked):
    files: int = 0
    sample: int = 0             # 0: all
    crowd: int = 0
    names: int = 0
    most: int = 0


def from_environment(known_sets, known_rows):
    base = asked.from_environment("batch", known_sets, known_rows, caches=("cold",), said=SAID,
                                  row_seconds=5)
    env = dict(os.environ)
    full = base.base.full
    return Asked(**vars(base), files=number(env, "FILES", 100_000 if full else 20_000),
                 sample=number(env, "SAMPLE", 5000 if full else 0),
                 crowd=number(env, "CROWD", 500_000 if full else 100_000),
                 names=number(env, "NAMES", 100_000), most=number(env, "MOST", 131_072))
