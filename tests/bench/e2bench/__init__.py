# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/run.

    settings     what was asked for, from the environment
    host         loop devices, mounts, caches, locks: everything that must be undone again
    datasets     recipes of the filesystems that are copied, and what is in them
    contenders   the table of copying tools and how each is called
    trace        the block requests a device saw, from a tracefs instance of our own
    models       requests -> seconds on a disk, a cloud volume, an SSD; pure functions
    experiment   the rounds: every tool on every data set, cold and warm, traced once, verified once
    scale        flat directories of empty files: time per file, memory
    bars         the goals of the project against what was measured
    report       Markdown and JSON

A module uses only those above it. A new competitor is a row in contenders.TOOLS, a new data set
a row in datasets.SETS, a new goal a function in bars.
"""
