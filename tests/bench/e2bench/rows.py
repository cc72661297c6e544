# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows: programs side by side as a table of scripts, and the sets that they work on.

Measures nothing. The benchmarks beside this one have rows of their own kind, with more fields.
"""

import shlex
from dataclasses import dataclass

from . import contenders


@dataclass(frozen=True)
class Set:
    name: str
    kind: str
    recipe: object              # datasets.Recipe


@dataclass(frozen=True)
class Row:
    key: str
    label: str
    group: str
    kinds: tuple                # of sets
    programs: tuple
    text: str                   # a script; {...} are fields of the place where it runs

    def command(self, place):
        return script(self.text, place)


def script(text, place):
    """Lines of bash; the first that fails is the end."""
    return ["bash", "-e", "-o", "pipefail", "-c", filled(text, place)]


def filled(text, place):
    """
    >>> from types import SimpleNamespace as Place
    >>> filled("{e2bfo} {e2bfo_args} {source}", Place(e2bfo="e", e2bfo_args="-v -x", source="a b"))
    "e -v -x 'a b'"
    """
    fields = {name: value if name == "e2bfo_args" else shlex.quote(str(value))
              for name, value in vars(place).items()}
    return text.format(**fields)


def taking_part(asked, table, kind):
    """(rows for a set of this kind, a note for each that is not installed)"""
    rows = [row for row in table if kind in row.kinds and asked.wants(row.key)]
    lacks = {row.key: contenders.absent(asked.base, row) for row in rows}
    notes = [f"{row.label} (not installed: {' '.join(lacks[row.key])})" for row in rows
             if lacks[row.key]]
    return [row for row in rows if not lacks[row.key]], notes
