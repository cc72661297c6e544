# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from e2bench.environment import Places, bench_dir, choice, is_full, number, numbers, path, said

HELP = """\
usage: thesis [--help|--summary]

  --summary       measures nothing: sums up for docs/benchmarks.md what the last run has left in
                  BENCH_JSON

settings are environment variables:

  BENCH           full: all operations on all directories, to 5,000,000 files; a day, and 250 GB
                  (default: a part that ends within 30 minutes on two cores, images included; 20 GB)
  BUILDDIR        top of the build tree (default: .)
  E2BFO, E2ITREE, E2ITREE_RUN
                  paths of the programs (default: e2bfo/e2bfo, e2itree/e2itree and
                  e2itree/readdir/e2itree-run in BUILDDIR); rows of what is not there say so
  SPD_READDIR     contrib/spd_readdir.c of e2fsprogs, or a library made of it (default: what
                  "apt-get source e2fsprogs" has left in BENCH_DIR)
  BENCH_DIR       cache of the images (default: TMPDIR/e2bfo-bench)
  DEVICE          disk: what the images lie on is read; memory: they are read into memory before,
                  where the disk is busy with something else: times are those of a device as fast
                  as memory then, requests and models the same (default: disk)
  PARTS           of matrix, readers (default: both)
  FILES           how many files a directory has; with this all choices below make one cell each
                  (default: the cells of e2thesis/cells.py; full: 10000 100000 1000000 5000000)
  BYTES           of 0, 4096: in each file (default: both)
  STATES          of clean, aged (default: both)
  MEMORY          of free, limit (default: both)
  LIMIT_MB        the limit of memory, caches included (default: 64)
  OPERATIONS      of list, copy, tar, create, delete (default: all)
  VARIANTS        keys of e2thesis/variants.py (default: all)
  READERS         keys of e2thesis/readers.py (default: all)
  RUNS            of each row, as many as fit into ROW_SECONDS, at least one; the median counts
                  (default: 3; full: 5)
  ROW_SECONDS     default: 1; full: 60
  TIMEOUT         seconds after which a program is stopped, and shown so (default: 300)
  MINUTES         after which no more is begun; what is left out is named (default: 28; full, or
                  with FILES: 0, no end)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/thesis.json); plots go beside it
"""

SAID = ("BENCH", "DEVICE", "PARTS", "FILES", "BYTES", "STATES", "MEMORY", "LIMIT_MB",
        "OPERATIONS", "VARIANTS", "READERS", "RUNS", "ROW_SECONDS", "TIMEOUT", "MINUTES")
PARTS = ("matrix", "readers")
SIZES = ("0", "4096")
STATES = ("clean", "aged")
MEMORY = ("free", "limit")
DEVICES = ("disk", "memory")


@dataclass(frozen=True)
class Settings(Places):
    full: bool
    builddir: Path
    bench_dir: Path
    json: Path
    e2bfo: Path
    e2itree: Path
    e2itree_run: Path
    spd_readdir: str            # "": look for it
    in_memory: bool             # the images are
    parts: tuple
    files: tuple                # empty: the cells of the table
    bytes: tuple
    states: tuple
    memory: tuple
    limit: int                  # bytes
    operations: tuple
    variants: tuple
    readers: tuple
    runs: int
    row_seconds: float
    timeout: float
    minutes: float              # 0: no end
    begun: float                # by time.monotonic()
    said: str                   # what was asked for, as NAME=VALUE ...

    def is_over(self):
        """Whether its time is."""
        return self.minutes and time.monotonic() > self.begun + self.minutes * 60


def from_environment(operations, variants, readers, env=None):
    """OPERATIONS, VARIANTS, READERS: the keys that there are."""
    env = os.environ if env is None else env
    full = is_full(env)
    build, directory = path(env, "BUILDDIR", "."), bench_dir(env)
    return Settings(
        full=full,
        builddir=build,
        bench_dir=directory,
        json=path(env, "BENCH_JSON", directory / "thesis.json"),
        e2bfo=path(env, "E2BFO", build / "e2bfo/e2bfo"),
        e2itree=path(env, "E2ITREE", build / "e2itree/e2itree"),
        e2itree_run=path(env, "E2ITREE_RUN", build / "e2itree/readdir/e2itree-run"),
        spd_readdir=env.get("SPD_READDIR", ""),
        in_memory=choice(env, "DEVICE", "disk", DEVICES) == ("memory",),
        parts=choice(env, "PARTS", " ".join(PARTS), PARTS),
        files=numbers(env, "FILES", ""),
        bytes=tuple(map(int, choice(env, "BYTES", " ".join(SIZES), SIZES))),
        states=choice(env, "STATES", " ".join(STATES), STATES),
        memory=choice(env, "MEMORY", " ".join(MEMORY), MEMORY),
        limit=number(env, "LIMIT_MB", 64) << 20,
        operations=choice(env, "OPERATIONS", " ".join(operations), operations),
        variants=choice(env, "VARIANTS", " ".join(variants), variants),
        readers=choice(env, "READERS", " ".join(readers), readers),
        runs=number(env, "RUNS", 5 if full else 3),
        row_seconds=number(env, "ROW_SECONDS", 60 if full else 1, float),
        timeout=number(env, "TIMEOUT", 300, float),
        minutes=number(env, "MINUTES", 0 if full or env.get("FILES") else 28, float),
        begun=time.monotonic(),
        said=said(env, SAID))
