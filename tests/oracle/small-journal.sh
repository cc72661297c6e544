#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What becomes visible at once is more than the journal has: refused while deciding, with what it
# would take; done by those who agree, and where there is nothing to lose.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck perl

mkdir tree old
perl -e 'for my $d (1 .. 20) { mkdir("tree/d$d"); for (1 .. 1000) {
	open(my $f, ">", "tree/d$d/f$_") or die } }'
echo old > old/file
volume source.img 200M -N 30000 -d tree

# target: all 20,000 inodes, 256 bytes each, would be in a journal of 1 MiB
target() {
	rm -f target.img
	truncate -s 200M target.img
	mke2fs -q -F -t ext3 -b 1024 -I 256 -N 30000 -J size=1 "$@" target.img
}

target -d old
sum=$(sha256sum < target.img)
e2bfo 8 copy --to /new source.img target.img
says 'Journal is too small' 'would take [0-9]+ KiB' 'tune2fs -J' '--not-atomic'
need=$(grep -o 'would take [0-9]*' said | grep -o '[0-9]*$')
[ "$need" -gt 5000 ] || fail "it would take $need KiB only"
[ "$sum" = "$(sha256sum < target.img)" ] || fail "the target was written"
e2bfo 8 copy -n --to /new source.img target.img

# With a journal as large as it says, and not with much less.
for kib in $((need + 1024)) $((need * 3 / 4)); do
	rm -f target.img
	truncate -s 200M target.img
	mke2fs -q -F -t ext3 -b 1024 -I 256 -N 30000 -J size=$((kib / 1024)) -d old target.img
	[ "$kib" -gt "$need" ] && expected=0 || expected=8
	e2bfo $expected copy --to /new source.img target.img
	checked target.img
done

for option in --not-atomic "-z undo"; do
	target -d old
	e2bfo 0 copy $option --to /new source.img target.img
	checked target.img
	e2bfo 0 verify --to /new --ignore extra,mtime,ctime,crtime,atime,nlink,generation,version \
		source.img target.img
done
target
e2bfo 0 copy source.img target.img
checked target.img
