# SPDX-License-Identifier: GPL-2.0-or-later
"""Asked: what a benchmark that is a table of rows was asked to do, from environment variables.

Measures nothing. Where things are is what settings says; here are the sets, the rows, and how
often.
"""

import math
import os
import time
from dataclasses import dataclass, replace

from . import environment, settings
from .environment import choice, number, path

OWN = ("SETS", "TOOLS", "CACHES", "TIMEOUT", "BENCH_JSON")     # they mean something else in run
SAID = ("MINUTES", "BENCH", "E2BFO_ARGS", "SETS", "TOOLS", "CACHES", "RUNS", "ROW_SECONDS", "LEAVE_GB",
        "TIMEOUT", "AGED_FILES")


@dataclass(frozen=True)
class Asked:
    base: object                # settings.Settings: where things are
    sets: tuple                 # empty: all
    tools: tuple                # empty: all
    row_seconds: float
    aged_files: int
    said: str                   # what was asked for, as NAME=VALUE ...
    until: float                # of time.monotonic(): no row begins later

    def wants_set(self, name):
        return not self.sets or name in self.sets

    def wants(self, row):
        return not self.tools or row in self.tools


def from_environment(name, known_sets, known_rows, caches=("cold", "warm"), said=SAID,
                     row_seconds=45, timeout=300, minutes=math.inf):
    """For the benchmark NAME; CACHES are those that it knows, ROW_SECONDS, TIMEOUT and MINUTES are
    defaults; BENCH=full has no end."""
    env = dict(os.environ)
    own = {word: env.pop(word, "") for word in OWN}
    long = env.get("BENCH") == "full"
    base = settings.from_environment(
        env | {"TIMEOUT": own["TIMEOUT"] or ("1800" if long else str(timeout))})
    base = replace(base, json=path(own, "BENCH_JSON", base.bench_dir / f"{name}.json"),
                   caches=choice(own, "CACHES", " ".join(caches), caches))
    env |= own
    return Asked(
        base=base,
        sets=choice(env, "SETS", "", known_sets),
        tools=choice(env, "TOOLS", "", known_rows),
        row_seconds=number(env, "ROW_SECONDS", 600 if long else row_seconds, float),
        aged_files=number(env, "AGED_FILES", 100_000),
        until=time.monotonic() + 60 * number(env, "MINUTES", math.inf if long else minutes, float),
        said=environment.said(env, said))
