# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/thesis: what the order of inodes is worth, operation by
operation and program by program.

    settings     what was asked for, from the environment
    variants     in which order their files are met, and from which filesystem: a table
    operations   what is done to them: a table
    readers      programs that read such a directory, and how they are run: tables
    cells        which directories, with how much memory; which of them by default
    sets         images, lists of names, scripts
    kinds        what reads were of: inode tables, names, data
    experiment   one run: cold, traced, measured
    matrix       operations by variants on each cell
    programs     readers by ways
    tables       both as grids
    report       Markdown, JSON, plots
    summary      of the JSON, what docs/benchmarks.md has

A module uses only those above it, and of e2bench: host, environment, datasets, trace, models,
pressure, plot, report.
"""
