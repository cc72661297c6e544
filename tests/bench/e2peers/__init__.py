# SPDX-License-Identifier: GPL-2.0-or-later
"""What each copying tool keeps of an ext4 filesystem: the parts of tests/bench/peers.

    images/oddities ── tools: a command each ── target ── judges: manifest, dbmanifest, e2fsck
                                                             │      (and e2bfo verify beside them)
                              table  <──  rows: which inodes have it, is it the same on both sides
"""
