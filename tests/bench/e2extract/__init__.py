# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/extract: what is on a volume, as an archive, as a
directory, as a list of digests. The rounds, devices, images, models are those of ../e2bench.

    settings     what was asked for, from the environment
    sets         which volumes there are
    contenders   what reads them, as a table
    judges       whether all is there
    experiment   what is done before a row runs
    bars         the goals of the project against what was measured
    report       the columns of a table
    summary      those that docs/benchmarks.md has

A module uses only those above it.
"""
