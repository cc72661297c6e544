# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
from dataclasses import dataclass, replace

from e2bench import asked
from e2bench.environment import choice, number

HELP = """\
usage: send [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BENCH           full: more runs of everything, also of what takes long (default: what two cores
                  measure within 30 minutes, images included)
  E2BFO, E2BFO_ARGS, BUILDDIR, BENCH_DIR, KERNEL_TARBALL, LEAVE_GB
                  as of tests/bench/run; the images take 32 GB
  SETS            of kernel, flat, aged, big, many (default: all)
  LINKS           of pipe, ssh, 1g, 100m (default: all); 100m is for kernel and many alone, many
                  for 100m alone
  TOOLS           names of rows (default: all)
  RUNS            timed runs of each row, with cold caches (default: 3; full: 5); one at 100m
  ROW_SECONDS     a row that is neither ours nor a floor gets as many of these runs as fit into so
                  many seconds, at least one (default: 5; full: 600)
  TIMEOUT         seconds after which a program is stopped and reported so (default: 35;
                  full: 1800)
  MINUTES         after so many no row begins (default: 29; full: no end)
  AGED_FILES      files of the flat directory and of the aged one (default: 20000)
  BIG_MB          size of each of the 8 large files (default: 256)
  MANY_FILES      files of 100 bytes (default: 1000000)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/send.json)
"""


@dataclass(frozen=True)
class Settings(asked.Asked):
    links: tuple
    many_files: int


def from_environment(known_sets, known_rows, known_links):
    env = os.environ
    common = asked.from_environment(
        "send", known_sets, known_rows, caches=("cold",), row_seconds=5, timeout=35, minutes=29,
        said=(*asked.SAID, "LINKS", "BIG_MB", "MANY_FILES"))
    common = replace(common, base=replace(common.base, big_mb=number(env, "BIG_MB", 256)),
                     aged_files=number(env, "AGED_FILES", 20_000))
    return Settings(**vars(common), many_files=number(env, "MANY_FILES", 1_000_000),
                    links=choice(env, "LINKS", " ".join(known_links), known_links))
