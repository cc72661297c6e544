# SPDX-License-Identifier: GPL-2.0-or-later
"""Policies: the orders that are compared, as tables.

Measures nothing. A policy makes options of e2bfo copy from the trace that it may learn from.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

SOURCE = "source as it is"      # the column or row of what was not copied


@dataclass(frozen=True)
class Learnt:
    """What a policy may learn from."""
    first: Path                 # half of the trace
    second: Path                # the other, which is replayed
    list: Path                  # files of the first half


@dataclass(frozen=True)
class Policy:
    key: str
    label: str
    order: Callable             # Learnt -> arguments
    sets: tuple = ("kernel", "mail", "site")


def plain(text):
    return lambda learnt: ("--order", text)


READING = [
    Policy("readdir", "readdir", plain("readdir")),
    Policy("source", "source", plain("source")),
    Policy("name", "name", plain("name")),
    Policy("size", "size", plain("size")),
    Policy("mtime", "mtime", plain("mtime")),
    Policy("refs", "refs", plain("refs"), ("kernel", "site")),
]

REPLAYING = [
    Policy("readdir", "readdir", plain("readdir")),
    Policy("refs", "refs", plain("refs")),
    Policy("refs", "refs:1000", plain("refs:1000")),
    Policy("trace", "trace: first half", lambda learnt: ("--order", f"trace:{learnt.first}")),
    Policy("trace", "trace: first half, refs:1000",
           lambda learnt: ("--order", f"trace:{learnt.first},refs:1000")),
    Policy("trace", "trace: what is replayed",
           lambda learnt: ("--order", f"trace:{learnt.second}")),
    Policy("list", "list: first half, each file once",
           lambda learnt: ("--order", f"list:{learnt.list}")),
]

NAMES = list(dict.fromkeys(p.key for p in READING + REPLAYING))


def wanted(settings, table, set_name):
    """Those of TABLE that were asked for; readdir always, as it is what others are held against."""
    return [p for p in table if set_name in p.sets
            and (p.key == "readdir" or settings.wants(p.key))]
