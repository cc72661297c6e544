# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/run.

    host         loop devices, mounts, caches, locks: everything that must be undone again
    environment  variables as words, numbers and paths; also for the harnesses beside this one
    settings     what was asked for, from the environment
    survey       what is in a mounted filesystem
    datasets     how a filesystem to be copied is made from its recipe, once, and kept
    aging        a tree as several writers leave it, and later changes
    maildir      mail as it comes in and goes
    recipes      which data sets there are
    contenders   the table of copying tools and how each is called
    trace        the block requests a device saw, from a tracefs instance of our own
    models       requests -> seconds on a disk, a cloud volume, an SSD; pure functions
    floor        what a copy of a fragmented source costs at least on these
    verdict      is a copy sound, is all there, what was lost
    experiment   the rounds: every tool on a data set, cold and warm, traced once, judged once
    ranks        against whom a result is held: the limit, the best equal, the best file-level
    plot         charts as SVG
    report       numbers and tables as Markdown, the machine
    throttle     real limits on devices of our own

    parts of the report, each with run(), section(), as_json(), plots() (see tests/bench/run):
    sweep        what reading, writing and batches share: sets of files of one size, one command
                 measured at a time
    mixed        does drain read what the kernel reads? A small tree with files of every kind
    reading      sets of files by size, read one by one and by the batch reader
    writing      the same, written
    batches      how many files, how much memory a batch needs
    distribution how large requests are; of what copies has traced
    copies       every tool on every data set; its tables are in copytables, plots in copyplots
    throttled    the cloud model against devices that are really held to its limits
    scale        flat directories of empty files: time per file, memory

    bars         the goals of the project against what the parts measured
    summary      of what a run has written, what docs/benchmarks.md has

    what benchmarks share that are tables of scripts (populate, extract, send):
    rows         a row, a set
    asked        what was asked for, from the environment
    rounds       every row on a set, traced once, judged once
    volumes      a bench whose rows read devices, or what is mounted from them
    rowbars, rowreport, rowsummary      goals, report, summary of them
    program      the command line

A module uses only those above it. A new competitor is a row in contenders.TOOLS, a new data set
a row in recipes.py, a new goal a function in bars, a new part a line in PARTS of tests/bench/run.
"""
