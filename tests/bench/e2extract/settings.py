# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what can be chosen is what HELP lists; e2bench.asked reads it from the environment."""

from e2bench import asked

HELP = """\
usage: extract [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BENCH           full: more runs of everything, also of what takes long (default: what two cores
                  measure within 20 minutes, images included)
  E2BFO, E2BFO_ARGS, BUILDDIR, BENCH_DIR, KERNEL_TARBALL, LEAVE_GB
                  as of tests/bench/run; the images take 14 GB
  SETS            of kernel, aged (default: both)
  TOOLS           names of rows (default: all)
  RUNS            timed runs of each row, with cold caches (default: 3; full: 5)
  ROW_SECONDS     a row that is neither ours nor a floor gets as many of these runs as fit into so
                  many seconds, at least one (default: 30; full: 600)
  TIMEOUT         seconds after which a program is stopped and reported so (default: 300;
                  full: 1800)
  AGED_FILES      files of the aged directory (default: 100000)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/extract.json)
"""


def from_environment(known_sets, known_rows):
    return asked.from_environment("extract", known_sets, known_rows, caches=("cold",),
                                  row_seconds=30)
