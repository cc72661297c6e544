# SPDX-License-Identifier: GPL-2.0-or-later
"""Copy plots: what copies.py measured, as pictures. Measures nothing.

    copies-WHAT     bars: each data set but the sweep, each of TOOLS
    sweep-WHAT      lines: seconds over the size of a file

WHAT is wall, cold, or disk, the model of one. A copy that is not whole has no bar.
"""

from . import plot, ranks
from .recipes import SWEEP

TOOLS = ("dd", "e2bfo", "e2image", "partclone", "cp", "tar-inode", "rsync")
WHATS = {"wall": "wall time, cold", "disk": "model of a disk"}


def plots(copies):
    out = {}
    for what, words in WHATS.items():
        names = [n for n, d in copies.data.items() if d.group != "sweep"]
        series = [(label, [seconds(copies, n, key, what) for n in names])
                  for key, label in labels(copies, names)]
        if series:
            out[f"copies-{what}"] = plot.bars(f"Copies: {words}", "seconds", names, series,
                                              ylog=True)
        out |= sweep_plot(copies, what, words)
    return out


def sweep_plot(copies, what, words):
    sizes = {f"sweep-{name}": size for name, size in SWEEP if f"sweep-{name}" in copies.data}
    series = [(label, [(size, seconds(copies, name, key, what)) for name, size in sizes.items()])
              for key, label in labels(copies, sizes)]
    if not series:
        return {}
    return {f"sweep-{what}": plot.lines(f"Copies of equal files: {words}", "size of a file",
                                        "seconds", series, xlog=True, ylog=True,
                                        xtext=plot.size_text)}


def labels(copies, names):
    """(key, label) of those of TOOLS that took part in any of the sets."""
    known = {key: r.label for n in names for key, r in copies.results[n].items()}
    return [(key, known[key]) for key in TOOLS if key in known]


def seconds(copies, name, key, what):
    result = copies.results[name].get(key)
    if not result or not (result.group == ranks.LIMITS or result.whole()):
        return None
    return ranks.wall_and_models(result, "cold")[what]
