# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/itree: what an index of directories costs and gives.

    settings     what was asked for, from the environment
    contenders   the table of programs that list a directory, and those that make or check an index
    experiment   data sets, copies, cold runs, traced once
    report       Markdown and JSON
    summary      of the JSON, what docs/benchmarks.md has

A module uses only those above it, and of e2bench: host, datasets, trace, models and what report
has for tables. A new reader is a row in contenders.READERS.
"""
