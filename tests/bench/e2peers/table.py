# SPDX-License-Identifier: GPL-2.0-or-later
"""Table: the results as Markdown. Pure."""

import platform
import textwrap

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


def grid(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]

    def row(cells):
        return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths)) + " |"
    return [row(lines[0]), "|" + "|".join("-" * (w + 2) for w in widths) + "|"] + [
        row(line) for line in lines[1:]]


def wrapped(text, indent=""):
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def about(tool, version):
    name = "" if tool.heading == tool.shown.split()[0] else f"{tool.heading} = "
    return f"{name}`{tool.shown}` {version}"


def markdown(results, absent, labels):
    """RESULTS: a Result (tests/bench/peers) per tool. LABELS: {key: text} of the rows, in order."""
    notes = []
    lines = [[""] + [r.tool.heading for r in results]]
    for key, label in labels.items():
        lines.append(cells_of(label, [r.counts[key] for r in results], results, notes))
    out = grid(lines) + [""]
    out += [wrapped(f"{str(n).translate(SUPERSCRIPTS)} {note}", "  ") + "  "
            for n, note in enumerate(notes, 1)]
    tools = ", ".join(about(r.tool, r.version) for r in results)
    out += ["", wrapped(f"Linux {platform.release().split('-')[0]}; {tools}.")]
    for r in results:
        if r.without:
            out.append(wrapped(f"{r.tool.heading}: not done after {r.limit} s, or crashed; these "
                               f"are the results without {r.without}."))
    for tool, programs in absent:
        out.append(wrapped(f"Left out: {tool.heading} (not installed: {' '.join(programs)})."))
    out.append(wrapped(judged(results)))
    return "\n".join(out)


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
