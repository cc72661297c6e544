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

  BENCH           full: all sets and all tools on each, more and larger ones; takes hours
                  (default: what two cores measure within 15 minutes, images included)
  PARTS           of the parts, as in the report; run with PARTS=? for a list (default: all)
  E2BFO           path of the program (default: BUILDDIR/e2bfo/e2bfo)
  E2BFO_ARGS      options added to every e2bfo copy, to try something out
  BUILDDIR        top of the build tree, where tests/bench/measure and mkflat are (default: .)
  BENCH_DIR       cache of the images, 40 GB, full: 170 GB (default: TMPDIR/e2bfo-bench)
  SETS            of kernel, flat, small, sweep, big, mail, mixed, or single ones by their names
                  (default: kernel, flat, small and mixed; full: all)
  TOOLS           names of competitors (cp, tar-inode, ...; TOOLS=? for a list), or of groups of
                  them: limit, e2bfo, block, file (default: the slow ones only on kernel and small,
                  or full); those named run on every set
  CACHES          of cold, warm (default: cold; full: both)
  RUNS            timed runs of each tool (default: 3; full: 5)
  FILE_SECONDS    a file-level tool gets, per cache, as many of these runs as fit into so many
                  seconds, at least one (default: 2; full: 15)
  LEAVE_GB        GiB of memory that the tools may use; the rest is held meanwhile, because memory
                  that nobody has used before is slow on virtual machines (default: all of it)
  TIMEOUT         seconds after which a tool is stopped and reported so (default: 120; full: 1800)
  KERNEL_TARBALL  default: /usr/src/linux-source-6.1.tar.xz (Debian: linux-source-6.1)
  FLAT_FILES, SMALL_FILES, SCALE_FILES    sizes of the flat sets (default: 200000, 20000,
                  '10000 100000 1000000'; full: '200000 1000000', 20000, to 10000000)
  MAIL_FILES      default: 20000; full: 100000
  SWEEP_MB        MB in each set of the sweep of file sizes (default: 512; full: 4096)
  BIG_MB          MB of each of the 8 large files (default: 64; full: 256)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/results.json); plots go beside it
"""


@dataclass(frozen=True)
class Settings:
    full: bool
    parts: tuple            # empty: all
    e2bfo: Path
    e2bfo_args: tuple
    builddir: Path
    bench_dir: Path
    json: Path
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

    def built(self, name):
        """Path of one of the C programs beside this harness, as built."""
        return self.builddir / "tests" / "bench" / name

    def image(self, name):
        return self.bench_dir / name


def words(text):
    return tuple(text.replace(",", " ").split())


def from_environment(env=None):
    env = os.environ if env is None else env
    if env.get("BENCH", "") not in ("", "full"):
        raise SystemExit("bench: BENCH is either unset or full")
    full = env.get("BENCH") == "full"

    def choice(name, short, long):
        return env.get(name) or (long if full else short)

    def numbers(name, short, long, kind=int):
        text = str(choice(name, short, long))
        try:
            return tuple(kind(word) for word in words(text))
        except ValueError:
            raise SystemExit(f"bench: {name}={text}: no number") from None

    def number(name, short, long, kind=int):
        return numbers(name, short, long, kind)[0]

    builddir = Path(env.get("BUILDDIR") or ".").absolute()
    bench_dir = Path(env.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "e2bfo-bench").absolute()
    return Settings(
        full=full,
        parts=words(env.get("PARTS", "")),
        e2bfo=Path(env.get("E2BFO") or builddir / "e2bfo" / "e2bfo").absolute(),
        e2bfo_args=tuple(shlex.split(env.get("E2BFO_ARGS", ""))),
        builddir=builddir,
        bench_dir=bench_dir,
        json=Path(env.get("BENCH_JSON") or bench_dir / "results.json"),
        sets=words(env.get("SETS", "")),
        tools=words(env.get("TOOLS", "")),
        caches=known(words(choice("CACHES", "cold", "cold warm")), ("cold", "warm")),
        runs=number("RUNS", 3, 5),
        file_seconds=number("FILE_SECONDS", 2, 15, float),
        leave_mib=int(1024 * number("LEAVE_GB", 0, 0, float)),
        timeout=number("TIMEOUT", 120, 1800, float),
        tarball=Path(env.get("KERNEL_TARBALL") or "/usr/src/linux-source-6.1.tar.xz"),
        flat_files=numbers("FLAT_FILES", "200000", "200000 1000000"),
        small_files=number("SMALL_FILES", 20_000, 20_000),
        scale_files=numbers("SCALE_FILES", "10000 100000 1000000",
                            "10000 100000 1000000 10000000"),
        mail_files=number("MAIL_FILES", 20_000, 100_000),
        sweep_mb=number("SWEEP_MB", 512, 4096),
        big_mb=number("BIG_MB", 64, 256))


def known(chosen, allowed):
    unknown = [name for name in chosen if name not in allowed]
    if unknown:
        raise SystemExit(f"bench: unknown: {' '.join(unknown)} (known: {' '.join(allowed)})")
    return chosen
