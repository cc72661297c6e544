#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples on the library: copy-two copies all, says what could not be, and leaves a target as
# it was.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck

copy_two() {
	local expect=$1 status=0

	shift
	"$BUILDDIR/extras/copy-two" "$@" 2> said || status=$?
	[ $status = "$expect" ] || fail "copy-two $*: exit $status, not $expect: $(cat said)"
}

mkdir -p tree/deep/er
seq 100000 > tree/deep/numbers
seq 20 > tree/deep/er/few
ln -s deep/numbers tree/link
volume source.img 16M -d tree
volume target.img 16M
copy_two 0 source.img target.img
checked target.img
e2bfo 0 verify source.img target.img > out

# What is in the way is said; nothing is written.
cp target.img before.img
copy_two 8 source.img target.img
grep -q '^copy-two: .* while planning: on target.img, in the way' said || fail "said: $(cat said)"
same before.img target.img

copy_two 8 no.img target.img
grep -q 'No such file or directory while opening no.img' said || fail "said: $(cat said)"
copy_two 16 source.img
