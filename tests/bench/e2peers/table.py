# SPDX-License-Identifier: GPL-2.0-or-later
"""Table: the results as Markdown. Pure."""

import platform
import textwrap

from e2bench.report import grid
from e2peers import tools

WIDTH = 100
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def cells_of(label, counts, results, notes):
    """A line of the table; how many of how many goes to a note, one for all tools of the line."""
    partly = [f"{r.tool.heading} {c.kept:,}" for r, c in zip(results, counts)
              if c.verdict == "partly"]
    mark = ""
    if partly:
        all_of = {c.of for c in counts if c.verdict == "partly"}
        if len(all_of) == 1:
            partly[-1] += f" of {all_of.pop():,}"
        else:
            partly = [f"{r.tool.heading} {c.kept:,} of {c.of:,}" for r, c in zip(results, counts)
                      if c.verdict == "partly"]
        notes.append(f"{label}: {', '.join(partly)}")
        mark = str(len(notes)).translate(SUPERSCRIPTS)
    return [label] + ["part" + mark if c.verdict == "partly" else c.verdict for c in counts]


def wrapped(text, indent=""):
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def about(tool, version):
    name = "" if tool.shown.split()[0] in tool.heading else f"{tool.heading} = "
    return f"{name}`{tool.shown}` {version}"


def markdown(results, absent, labels):
    """RESULTS: a Result (tests/bench/peers) per tool. LABELS: {key: text} of the rows, in order.
    A table for each origin, then the notes of all."""
    out, notes = [], []
    for origin, heading in tools.ORIGINS.items():
        there = [r for r in results if r.tool.origin == origin]
        if there:
            out += [heading, "", table(there, labels, notes), ""]
    out += [wrapped(f"{str(n).translate(SUPERSCRIPTS)} {note}", "  ") + "  "
            for n, note in enumerate(notes, 1)]
    said = dict.fromkeys(about(r.tool, r.version) for r in results)
    out += ["", wrapped(f"Linux {platform.release().split('-')[0]}; {', '.join(said)}.")]
    out += map(wrapped, left_out(results))
    for tool, programs in absent:
        out.append(wrapped(f"Left out: {tool.heading} (not installed: {' '.join(programs)})."))
    out.append(wrapped(judged(results)))
    return "\n".join(out)


def table(results, labels, notes):
    lines = [cells_of(label, [r.counts[key] for r in results], results, notes)
             for key, label in labels.items()]
    return grid(["", *[r.tool.heading for r in results]], lines)


def left_out(results):
    """Whose results are those without some files: one sentence for all who had the same time.

    >>> from types import SimpleNamespace as Made
    >>> made = [Made(tool=Made(heading=tool), limit=30, without=files) for tool, files in
    ...          (("dump", "big files and odd names"), ("cp", ""), ("tar", "big files"),
    ...           ("rsync", "big files"))]
    >>> for line in left_out(made): print(wrapped(line))
    Not done after 30 s, or crashed; tried again with fewer files: dump without big files and odd names;
    tar, rsync without big files.
    """
    said = []
    for limit in dict.fromkeys(r.limit for r in results if r.without):
        names_by = {}
        for r in results:
            if r.without and r.limit == limit:
                names_by.setdefault(r.without, []).append(r.tool.heading)
        parts = [f"{', '.join(names)} without {files}" for files, names in names_by.items()]
        said.append(f"Not done after {limit} s, or crashed; tried again with fewer files: "
                    f"{'; '.join(parts)}.")
    return said


def judged(results):
    """Do the two judges agree?"""
    said = []
    for r in results:
        if r.second is None:
            said.append(f"{r.tool.heading}: e2bfo verify could not read the copy")
        said += [f"{r.tool.heading}: {d.kind} of {d.manifests} inodes by the manifests only, of "
                 f"{d.verify} by e2bfo verify only ({d.example})" for d in r.second or ()]
    if not said:
        return "Judged by the kernel and libext2fs; e2bfo verify agrees in every inode."
    return "Judged by the kernel and libext2fs; e2bfo verify disagrees: " + "; ".join(said) + "."
