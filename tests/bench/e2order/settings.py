# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings: what one run was asked to do, from environment variables; HELP lists them."""

import os
from dataclasses import dataclass
from pathlib import Path

from e2bench.environment import Places, bench_dir, choice, is_full, number, path

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
class Settings(Places):
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

    def wants(self, policy):
        return policy in self.policies


def from_environment(known_readers, known_policies, env=None):
    env = os.environ if env is None else env
    builddir = path(env, "BUILDDIR", ".")
    directory = bench_dir(env)

    def some(name, known):
        return choice(env, name, " ".join(known), known)

    return Settings(
        builddir=builddir,
        srcdir=path(env, "SRCDIR", Path(__file__).parents[3]).resolve(),
        e2bfo=path(env, "E2BFO", builddir / "e2bfo" / "e2bfo"),
        bench_dir=directory,
        json=path(env, "BENCH_JSON", directory / "order.json"),
        full=is_full(env),
        sets=some("SETS", SETS),
        parts=some("PARTS", PARTS),
        policies=some("POLICIES", known_policies),
        readers=some("READERS", known_readers),
        seed=number(env, "SEED", 1),
        tarball=path(env, "KERNEL_TARBALL", "/usr/src/linux-source-6.1.tar.xz"))
