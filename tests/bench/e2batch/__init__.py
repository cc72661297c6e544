# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/batch: many small operations on a volume that holds
other files. The rounds, devices, images, models are those of ../e2bench.

    settings     what was asked for, from the environment
    sets         which volumes there are, and which files of them are meant
    contenders   what is done to these, and by whom, as a table
    judges       whether it is done
    experiment   what is done before a row runs
    bars         the goals of the project against what was measured
    tables       rows that the next two have alike
    report       the columns of a table
    summary      those that docs/benchmarks.md has

A module uses only those above it.
"""
