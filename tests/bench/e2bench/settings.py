# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run of the benchmark was asked to do.

Measures nothing. All of it comes from environment variables, so that `make bench SETS=kernel`
and `SETS=kernel tests/bench/run` say the same. The list stands in HELP, which `run --help` prints.
"""

import os
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

HELP = """\
usage: run [--help]            settings are environment variables:

  E2BFO           path of the program (default: BUILDDIR/e2bfo/e2bfo)
  E2BFO_ARGS      options added to every e2bfo copy, to try something out
  BUILDDIR        top of the build tree, where tests/bench/measure and mkflat are (default: .)
  BENCH_DIR       cache of the images, 14 GB for a full run (default: TMPDIR/e2bfo-bench)
  SETS            of kernel, flat, small, scale (default: all)
  TOOLS           names of competitors, as in the tables; 'e2bfo' means all its rows
                  (default: all that take part by default; rsync only when named)
  CACHES          of cold, warm (default: both)
  RUNS            timed runs of each tool (default: 5)
  FILE_SECONDS    a file-level tool gets, per cache, as many of these runs as fit into so many
                  seconds, at least one (default: 15)
  TIMEOUT         seconds after which a tool is stopped and reported so (default: 300)
  KERNEL_TARBALL  default: /usr/src/linux-source-6.1.tar.xz (Debian: linux-source-6.1)
  FLAT_FILES, SMALL_FILES, SCALE_FILES    sizes of the flat sets
                  (default: 200000, 20000, '100000,1000000')
  BENCH_JSON      where the numbers go (default: BENCH_DIR/results.json)
"""

KNOWN_SETS = ("kernel", "flat", "small", "scale")


@dataclass(frozen=True)
class Settings:
    e2bfo: Path
    e2bfo_args: tuple
    builddir: Path
    bench_dir: Path
    json: Path
    sets: tuple
    tools: tuple            # empty: those that take part by default
    caches: tuple
    runs: int
    file_seconds: float
    timeout: float
    tarball: Path
    flat_files: int
    small_files: int
    scale_files: tuple

    def built(self, name):
        """Path of one of the C programs beside this harness, as built."""
        return self.builddir / "tests" / "bench" / name

    def image(self, name):
        return self.bench_dir / name

    def wants(self, set_name):
        return set_name in self.sets


def words(text):
    return tuple(text.replace(",", " ").split())


def from_environment(env=None):
    env = os.environ if env is None else env
    builddir = Path(env.get("BUILDDIR") or ".").absolute()
    bench_dir = Path(env.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "e2bfo-bench").absolute()
    return Settings(
        e2bfo=Path(env.get("E2BFO") or builddir / "e2bfo" / "e2bfo").absolute(),
        e2bfo_args=tuple(shlex.split(env.get("E2BFO_ARGS", ""))),
        builddir=builddir,
        bench_dir=bench_dir,
        json=Path(env.get("BENCH_JSON") or bench_dir / "results.json"),
        sets=known(words(env.get("SETS", "")), KNOWN_SETS),
        tools=words(env.get("TOOLS", "")),
        caches=known(words(env.get("CACHES", "")), ("cold", "warm")),
        runs=int(env.get("RUNS") or 5),
        file_seconds=float(env.get("FILE_SECONDS") or 15),
        timeout=float(env.get("TIMEOUT") or 300),
        tarball=Path(env.get("KERNEL_TARBALL") or "/usr/src/linux-source-6.1.tar.xz"),
        flat_files=int(env.get("FLAT_FILES") or 200_000),
        small_files=int(env.get("SMALL_FILES") or 20_000),
        scale_files=tuple(int(n) for n in words(env.get("SCALE_FILES") or "100000 1000000")))


def known(chosen, allowed):
    unknown = [name for name in chosen if name not in allowed]
    if unknown:
        raise SystemExit(f"bench: unknown: {' '.join(unknown)} (known: {' '.join(allowed)})")
    return chosen or allowed
