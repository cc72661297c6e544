# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
import shlex
from dataclasses import dataclass, replace

from e2bench import settings as e2bench_settings
from e2bench.environment import choice, number, numbers, path

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

SAID = ("BENCH", "E2BFO_ARGS", "SETS", "TOOLS", "CACHES", "RUNS", "ROW_SECONDS", "LEAVE_GB",
        "TIMEOUT", "AGED_FILES", "MANY_FILES")


@dataclass(frozen=True)
class Settings:
    base: object                # e2bench.settings.Settings: where things are
    sets: tuple                 # empty: all
    tools: tuple                # empty: all
    row_seconds: float
    aged_files: int
    many_files: tuple
    said: str                   # what was asked for, as NAME=VALUE ...

    def wants_set(self, name):
        return not self.sets or name in self.sets

    def wants(self, row):
        return not self.tools or row in self.tools


def from_environment(known_sets, known_rows, env=None):
    env = dict(os.environ if env is None else env)
    own = {name: env.pop(name, "") for name in ("SETS", "TOOLS", "CACHES", "TIMEOUT", "BENCH_JSON")}
    base = e2bench_settings.from_environment(
        env | {"CACHES": own["CACHES"] or "cold warm",
               "TIMEOUT": own["TIMEOUT"] or ("1800" if env.get("BENCH") == "full" else "300")})
    base = replace(base, json=path(own, "BENCH_JSON", base.bench_dir / "populate.json"))
    env |= own
    return Settings(
        base=base,
        sets=choice(env, "SETS", "", known_sets),
        tools=choice(env, "TOOLS", "", known_rows),
        row_seconds=number(env, "ROW_SECONDS", 600 if base.full else 45, float),
        aged_files=number(env, "AGED_FILES", 100_000),
        many_files=numbers(env, "MANY_FILES", "100000 1000000"),
        said=" ".join(f"{name}={shlex.quote(env[name])}" for name in SAID if env.get(name)))
