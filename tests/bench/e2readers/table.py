# SPDX-License-Identifier: GPL-2.0-or-later
"""Table: the findings as Markdown, a table for each way to write an archive. Pure."""

import platform

from e2bench.report import grid
from e2peers.table import SUPERSCRIPTS, wrapped
from e2readers import rows

HEADINGS = {
    "full": "An archive as `e2bfo copy` makes it:",
    "portable": "With `--portable`, the lines that are not the same:",
}
LEGEND = (
    "kept: the same as in the source, as the kernel shows what was extracted; of Go, which "
    "extracts nothing, as the fields of its headers say.",
    "told: not so, but the library tells what the archive says, of which a program can make it; "
    "a note has how many are kept all the same.",
    "part: not of all; the note has how many.",
    "lost: not there, or not the same, and nothing was said. complains: it was said.",
)


def counted(words):
    return ", ".join(f"{number:,} × “{text}”" for text, number in words.most_common(3))


def remark(finding):
    """What a cell leaves out, or nothing.

    >>> from types import SimpleNamespace as Made
    >>> remark(Made(verdict="part", kept=2, told=2, of=3, said={}))
    '2 of 3'
    >>> remark(Made(verdict="part", kept=1, told=2, of=3, said={}))
    '1 of 3, 2 told'
    """
    said = []
    if finding.verdict in ("part", "told") and finding.kept:
        said.append(f"{finding.kept:,} of {finding.of:,}")
    if finding.verdict == "part" and finding.told != finding.kept:
        of = "" if finding.kept else f" of {finding.of:,}"
        said.append(f"{finding.told:,}{of} told")
    if finding.said:
        said.append(counted(finding.said))
    return ", ".join(said)


class Notes:
    """One for each line of a table; lines that say the same share it."""

    def __init__(self):
        self.texts = []

    def mark(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return str(self.texts.index(text) + 1).translate(SUPERSCRIPTS)

    def lines(self):
        return [wrapped(f"{str(n).translate(SUPERSCRIPTS)} {text}", "  ") + "  "
                for n, text in enumerate(self.texts, 1)]


def cells(label, results, findings, notes):
    """A line. FINDINGS has None where a reader was not asked."""
    remarks = [finding and remark(finding) for finding in findings]
    told = [f"{r.reader.heading} {text}" for r, text in zip(results, remarks) if text]
    mark = notes.mark(f"{label}: {'; '.join(told)}") if told else ""
    return [label] + ["-" if f is None else f.verdict + (mark if text else "")
                      for f, text in zip(findings, remarks)]


def ending(source, label, results, notes):
    """Exit status, and what was said that belongs to no line."""
    others = [r.others[source] for r in results]
    told = [f"{r.reader.heading} {counted(said)}" for r, said in zip(results, others) if said]
    mark = notes.mark(f"{label}: {'; '.join(told)}") if told else ""
    return [label] + [str(r.statuses[source]) + (mark if said else "")
                      for r, said in zip(results, others)]


def table(results, notes):
    lines = [cells(kind.label, results, [r.findings.get(kind.key) for r in results], notes)
             for kind in (rows.LISTED, *rows.ROWS)]
    return lines + [ending(source, label, results, notes)
                    for source, label in rows.ENDINGS.items()]


def markdown(archives, absent, e2bfo):
    """ARCHIVES: {"full", "portable": [Result of tests/bench/readers]}."""
    out, notes, before = [], Notes(), []
    for key, heading in HEADINGS.items():
        results = archives[key]
        lines = [line for line in table(results, notes) if line not in before]
        out += [heading, "", grid(["", *[r.reader.heading for r in results]], lines), ""]
        before += lines
    out += notes.lines() + [""]
    out += [wrapped(" * " + line, "   ") for line in LEGEND]
    said = ", ".join(f"{r.reader.heading} = `{r.reader.shown}` {r.version}"
                     for r in archives["full"])
    out += ["", wrapped(f"Linux {platform.release().split('-')[0]}; e2bfo {e2bfo}, {said}.")]
    out += [wrapped(f"Left out: {reader.heading} (not installed: {reader.program}).")
            for reader in absent]
    return "\n".join(out)
