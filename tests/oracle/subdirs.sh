#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 66,000 subdirectories in one directory: its link count is 1, as the kernel leaves it; every
# name is found; a directory can still be made and removed there.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup perl

"$IMAGES/subdirs" source.img 66000
manifests source.img source
grep -q '^/many .* nlink=1 ' source.kernel || fail "the source has no overflown link count"

volume target.img 500M -N 80000
e2bfo 0 copy source.img target.img
checked target.img
manifests target.img target
same_trees source target
ordered target.img

mounted target.img mnt rw
[ "$("$JUDGES/lookup" mnt/many 1000)" = 66002 ] || fail "lookup"
mkdir mnt/many/one-more
rmdir mnt/many/directory-{1..50}
unmounted mnt
checked target.img
