# SPDX-License-Identifier: GPL-2.0-or-later
"""What readers make of the archives that e2bfo writes: the parts of tests/bench/readers.

    sources ── e2bfo copy ── archives ── readers ──┬── extracted ── e2peers.judges ──┐
       │                                           └── told ── members ──────────────┤
       └── e2peers.judges ───────────────────────── rows ── findings ── table <──────┘
"""
