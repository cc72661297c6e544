# SPDX-License-Identifier: GPL-2.0-or-later
"""Record: the tables of docs/benchmarks.md, by the mark that they stand between, and their title.

Measures nothing, computes only.
"""

import re
from dataclasses import dataclass

MARK = re.compile(r"<!-- (/?)([a-z-]+) -->")


class Missing(Exception):
    """The page has no such table, row or column, or no number there."""


@dataclass(frozen=True)
class Table:
    mark: str
    title: str              # the paragraph before it
    heads: tuple
    rows: tuple             # of tuples


def cells(line):
    """
    >>> cells("| a | b \\\\| c |")
    ('a', 'b \\\\| c')
    """
    return tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")))


def read(text):
    """All tables between marks.

    >>> text = "<!-- x -->\\na set:\\n\\n| a set | s |\\n|---|--:|\\n| e2bfo | 1.5 |\\n<!-- /x -->"
    >>> read(text)
    [Table(mark='x', title='a set:', heads=('a set', 's'), rows=(('e2bfo', '1.5'),))]
    """
    tables, mark, title, lines = [], "", "", []
    for line in [*text.splitlines(), ""]:
        found = MARK.fullmatch(line)
        if line.startswith("|"):
            lines.append(line)
            continue
        if lines:
            tables.append(Table(mark, title, cells(lines[0]),
                                tuple(cells(row) for row in lines[2:])))
            lines = []
        if found:
            mark = "" if found[1] else found[2]
        if line.strip():
            title = line
    return [table for table in tables if table.mark]


def number(text):
    """
    >>> number("1,234.5"), number("+20 %")
    (1234.5, 20.0)
    """
    found = re.fullmatch(r"[+-]?([0-9][0-9,]*(?:\.[0-9]+)?)(?: %)?", text)
    if not found:
        raise Missing(f"no number: {text!r}")
    return float(found[1].replace(",", ""))


def look_up(tables, mark, head, row, column):
    """The number in the first table between MARKs whose first head, or title, begins with HEAD and
    that has ROW and COLUMN."""
    for table in tables:
        if table.mark != mark or not (table.heads[0].startswith(head)
                                      or table.title.startswith(head)):
            continue
        for one in table.rows:
            if one[0] == row and column in table.heads:
                return number(one[table.heads.index(column)])
    raise Missing(f"docs/benchmarks.md, {mark}: no {row!r}, {column!r} of {head!r}")
