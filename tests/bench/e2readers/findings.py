# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings: what one reader has made of one kind of things, and what it said about that. Pure."""

import re
from collections import Counter
from dataclasses import dataclass, field

from e2peers import rows as counting
from e2readers import members, rows


@dataclass
class Finding:
    of: int
    kept: int                   # as the reader itself restores or tells it
    told: int                   # with all that it tells of what the archive says
    said: Counter = field(default_factory=Counter)

    @property
    def verdict(self):
        """
        >>> [Finding(9, *counts).verdict for counts in ((9, 9), (5, 9), (0, 5), (0, 0))]
        ['kept', 'told', 'part', 'lost']
        >>> Finding(9, 0, 0, Counter(["no"])).verdict, Finding(9, 9, 9, Counter(["no"])).verdict
        ('complains', 'kept')
        """
        if self.kept == self.of:
            return "kept"
        if self.told == self.of:
            return "told"
        if self.kept or self.told:
            return "part"
        return "complains" if self.said else "lost"


def short(line):
    """Without what is another one for each file.

    >>> short("time stamp 2038-01-19 03:14:08 is 351862569.4 s in the future")
    'time stamp … is … s in the future'
    """
    return re.sub(r"…( …)+", "…", re.sub(r"\b\d[\d.:-]+", "…", line))


def is_elsewhere(line):
    """A keyword, which a row of another source is about."""
    return rows.KEYWORD in line and any(kind.said and re.search(kind.said, line)
                                        for kind in rows.ROWS)


def heard(kinds, lines):
    """What was said about KINDS: {key of the row: Counter}; and a Counter of what belongs to no row
    at all. What is said without a name belongs to all rows that it can be about.

    >>> said = ["a: implausibly old time stamp 1901", f"{rows.KEYWORD}'E2BFO.flags'", "Odd", "Odd"]
    >>> heard([kind for kind in rows.ROWS if kind.key == "old"], said)
    ({'old': Counter({'implausibly old time stamp': 1})}, Counter({'Odd': 2}))
    """
    of_rows, others = {}, Counter()
    for line in lines:
        found = {kind.key: re.search(kind.said, line) for kind in kinds if kind.said}
        for key in filter(found.get, found):
            of_rows.setdefault(key, Counter())[short(found[key][0])] += 1
        if not any(found.values()) and not is_elsewhere(line):
            others[short(line)] += 1
    return of_rows, others


def judged(kinds, source, tree, told, said):
    """{key: Finding} of the rows. TREE is what the reader has made of SOURCE."""
    of_rows, others = heard(kinds, [line for line in said if line and rows.EMPTY not in line])
    out = {}
    for kind in kinds:
        kept = counting.count(kind, source, tree)
        also = counting.count(kind, source, members.both(tree, told)) if told else kept
        out[kind.key] = Finding(kept.of, kept.kept, also.kept, of_rows.get(kind.key, Counter()))
    return out, others
