# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/populate: filesystems that are made of a directory or of
an archive. The rounds, devices, images, models are those of ../e2bench.

    settings     what was asked for, from the environment
    sets         which trees there are, and what is in them
    contenders   what makes a filesystem of them, and what only reads or writes, as a table
    experiment   what is done before a row runs, and who judges what it made
    bars         the goals of the project against what was measured
    report       the columns of a table
    summary      those that docs/benchmarks.md has

A module uses only those above it.
"""
