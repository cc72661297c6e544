# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from e2bench import host

HELP = """\
usage: order [--help]          settings are environment variables:

  BUILDDIR        top of the build tree (default: .), with e2bfo/e2bfo in it
  SRCDIR          top of the sources (default: where this lies), one of those that are compiled
  E2BFO           path of the program (default: BUILDDIR/e2bfo/e2bfo)
  BENCH_DIR       cache of images and traces, 2 GB, with BENCH=full 6 GB
                  (default: TMPDIR/e2bfo-bench)
  BENCH           full: the whole kernel tree, and five times as much mail
  SETS            of kernel, mail, site (default: all)
  PARTS           of readers, replay (default: both)
  POLICIES        of the orders that e2bfo copy knows (default: all); readdir always takes part
  READERS         of tar, tar-inode, cp, rsync, scandir (default: all)
  SEED            of everything random in trees and logs (default: 1)
  KERNEL_TARBALL  default: /usr/src/linux-source-6.1.tar.xz (Debian: linux-source-6.1)
  BENCH_JSON      where the numbers go (default: BENCH_DIR/order.json)
"""

SETS = ("kernel", "mail", "site")
PARTS = ("readers", "replay")


@dataclass(frozen=True)
class Settings:
    builddir: Path
    srcdir: Path
    e2bfo: Path
    bench_dir: Path
    json: Path
    full: bool
    sets: tuple
    parts: tuple
    policies: tuple
    readers: tuple
    seed: int
    tarball: Path

    def built(self, name):
        """Path of one of the C programs beside this harness, as built."""
        return self.builddir / "tests" / "bench" / name

    def image(self, name):
        return self.bench_dir / name

    def wants(self, policy):
        return policy in self.policies


def known(what, text, allowed):
    chosen = tuple(text.replace(",", " ").split())
    unknown = [word for word in chosen if word not in allowed]
    if unknown:
        raise host.Failure(f"unknown {what}: {' '.join(unknown)} (known: {' '.join(allowed)})")
    return chosen or tuple(allowed)


def from_environment(known_readers, known_policies, env=None):
    env = os.environ if env is None else env
    builddir = Path(env.get("BUILDDIR") or ".").absolute()
    here = Path(__file__).resolve().parents[3]
    bench_dir = Path(env.get("BENCH_DIR") or Path(tempfile.gettempdir()) / "e2bfo-bench").absolute()
    return Settings(
        builddir=builddir,
        srcdir=Path(env.get("SRCDIR") or here).resolve(),
        e2bfo=Path(env.get("E2BFO") or builddir / "e2bfo" / "e2bfo").absolute(),
        bench_dir=bench_dir,
        json=Path(env.get("BENCH_JSON") or bench_dir / "order.json"),
        full=known("BENCH", env.get("BENCH", ""), ("", "full")) == ("full",),
        sets=known("sets", env.get("SETS", ""), SETS),
        parts=known("parts", env.get("PARTS", ""), PARTS),
        policies=known("policies", env.get("POLICIES", ""), known_policies),
        readers=known("readers", env.get("READERS", ""), known_readers),
        seed=int(env.get("SEED") or 1),
        tarball=Path(env.get("KERNEL_TARBALL") or "/usr/src/linux-source-6.1.tar.xz"))
