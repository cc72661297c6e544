# SPDX-License-Identifier: GPL-2.0-or-later
"""Behind tests/bench/papers: the page about the papers.

    record   the tables of docs/benchmarks.md
    claims   the papers: mechanisms and headlines, where they are, what differs, what to look up
    page     the Markdown

A module uses only those above it.
"""
