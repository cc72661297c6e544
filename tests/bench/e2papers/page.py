# SPDX-License-Identifier: GPL-2.0-or-later
"""Page: a table a paper.  Measures nothing, computes only."""

import textwrap

INTRO = """\
# What became of the papers

This page is made by `tests/bench/papers > docs/papers.md`, of the numbers in docs/benchmarks.md.
Each line has a mechanism or a number of a paper, where it is here, what differs and why, and what
was measured.  "Disk" is the model of a disk of 7200 rpm, SSD that of a SATA SSD: docs/benchmarks.md
has both.  The papers had disks.  A dash: nothing was measured.
"""
HEAD = """\
| mechanism | where | what differs, and why | the paper's number | ours | measured by |
|---|---|---|---|---|---|
"""


def markdown(papers, tables):
    return INTRO + "".join(section(paper, tables) for paper in papers)


def section(paper, tables):
    rows = "".join("| " + " | ".join(row(claim, tables)) + " |\n" for claim in paper.claims)
    about = textwrap.fill(paper.about, 105)
    return f"\n## {paper.title}\n\n{about}\n\n{HEAD}{rows}"


def row(claim, tables):
    ours = "; ".join(one.text(tables) for one in claim.ours) or "—"
    return [claim.what, claim.where, claim.differs or "—", claim.paper or "—", ours,
            f"`{claim.by}`" if claim.by else "—"]
