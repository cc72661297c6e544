# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark harness behind tests/bench/order: what the order of a copy is worth to readers.

    settings     what was asked for, from the environment
    ageing       how a tree is worked on until it is as scattered as one in use
    website      a web site, and the log of a server that had it
    sets         recipes of the aged filesystems, from these
    policies     the table of orders that are compared
    readers      the table of programs that read a whole tree
    accesses     traces of accesses: recorded, or written by website; what they access, in order
    experiment   images, copies; cold runs, traced
    report       Markdown and JSON

A module uses only those above it, and of e2bench: host, datasets, trace, models and what report
has for tables. A new reader is a row in readers.READERS, a new order one in policies.
"""
