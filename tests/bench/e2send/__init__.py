# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/send: a tree from one volume to another, by way of a
link. The rounds, devices, images are those of ../e2bench.

    links        pipe, ssh, links that are shaped (relay.c)
    settings     what was asked for, from the environment
    sets         which volumes there are, and over which links each goes
    contenders   what moves them, as a table
    servers      an sshd and a GridFTP server of our own
    experiment   what is done before a row runs, what it leaves, whether all is there
    bars         the goals of the project against what was measured
    report       the columns of a table
    summary      those that docs/benchmarks.md has

A module uses only those above it.
"""
