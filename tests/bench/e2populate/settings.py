# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
from dataclasses import dataclass

from e2bench import asked
from e2bench.environment import numbers

HELP = """\
usage: populate [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BENCH           full: more runs of everything, also of what takes long (default: what two cores
                  measure within 30 minutes, images included)
  E2BFO, E2BFO_ARGS, BUILDDIR, BENCH_DIR, KERNEL_TARBALL, LEAVE_GB
                  as of tests/bench/run; the images take 14 GB
  SETS            of kernel, aged, archive, many (default: all)
  TOOLS           names of rows (default: all)
  CACHES          of cold, warm (default: both)
  RUNS            timed runs of each row (default: 3; full: 5)
  ROW_SECONDS     a row that is neither ours nor a floor gets, per cache, as many of these runs
                  as fit into so many seconds, at least one (default: 45; full: 600)
  TIMEOUT         seconds after which a program is stopped and reported so (default: 300;
                  full: 1800)
  AGED_FILES      files of the aged directory (default: 100000)
  MANY_FILES      two numbers of files in one directory (default: '100000 1000000')
  BENCH_JSON      where the numbers go (default: BENCH_DIR/populate.json)
"""


@dataclass(frozen=True)
class Settings(asked.Asked):
    many_files: tuple


def from_environment(known_sets, known_rows):
    common = asked.from_environment("populate", known_sets, known_rows,
                                    said=(*asked.SAID, "MANY_FILES"))
    return Settings(**vars(common),
                    many_files=numbers(os.environ, "MANY_FILES", "100000 1000000"))
