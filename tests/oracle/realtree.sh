#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# long
# A whole tree of 20,000 files (images/tree) in a source that the kernel filled in random order with
# deletions in between: both manifests are equal, readdir order is disk order everywhere, e2fsck is
# content.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup perl tar du

"$IMAGES/churn" source.img
manifests source.img source
touch -d 2001-01-01 source.img
[ "$(wc -l < source.kernel)" -gt 20000 ] || fail "$(wc -l < source.kernel) paths"

e2bfo 0 copy --mkfs --size min source.img target.img
[ "$(stat -c %Y source.img)" = "$(date -d 2001-01-01 +%s)" ] || fail "the source was written to"
checked target.img
manifests target.img target
same_trees source target
ordered target.img
