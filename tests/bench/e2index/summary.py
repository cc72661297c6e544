# SPDX-License-Identifier: GPL-2.0-or-later
"""Summary: what docs/benchmarks.md has of a run: what an index costs and gives, in a few lines.

Measures nothing. Takes the document that tests/bench/itree has written.
"""

import statistics

MIB = 1 << 20

# Each line, and whose median of what its numbers are; in which unit
LINES = (
    ("The first name comes after {:.0f} ms with an index, after {:.0f} ms without.", 1e3,
     (("tree", "first_wall"), ("notree", "first_wall"))),
    ("All names with their attributes: {:.2f} s with, {:.2f} s without.", 1,
     (("tree", "wall"), ("notree", "wall"))),
    ("The same by `ls -l` in a mount: {:.1f} s.", 1, (("kernel-ls", "wall"),)),
    ("Memory: {:.0f} MiB with, {:.0f} MiB without.  Only the latter grows with the directory.",
     1 / MIB, (("tree", "rss"), ("notree", "rss"))),
    ("Making the index takes {:.2f} s.", 1, (("build", "wall"),)),
)


def markdown(document):
    info = document["machine"]
    parts = [f"One directory of {int(files):,} names, cold caches:\n\n" +
             "\n".join(lines(data["results"])) for files, data in document["sets"].items()]
    return "\n\n".join([*parts, f"Commit {info['commit']}, {info['date']}."])


def lines(results):
    """Those whose rows were measured.

    >>> results = {"build": {"samples": [{"wall": 3.0}, {"wall": 0.26}, {"wall": 0.2}]}}
    >>> lines(results)
    [' * Making the index takes 0.26 s.']
    """
    return [" * " + text.format(*(unit * median(results[key], what) for key, what in numbers))
            for text, unit, numbers in LINES if all(key in results for key, _ in numbers)]


def median(result, what):
    return statistics.median(sample[what] for sample in result["samples"])
