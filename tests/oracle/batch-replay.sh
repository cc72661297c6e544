#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Contents that a batch writes in place go through the journal, also those that look like blocks of
# the journal itself.  e2fsck, debugfs and the kernel replay what was committed and is not in place.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs dumpe2fs perl

export FAULT_TARGET=$PWD/image.img
perl -e 'print map { sprintf("%7d\n", $_) } 1 .. 1000000' > large		# 8 MB

# made BLOCK: new.0 to new.3: headers of a descriptor, a commit and a revoke block, and plain text
made() {
	perl -e '
		my ($size) = @ARGV;
		for my $i (0 .. 3) {
			my $head = $i < 3 ? pack("N3", 0xc03b3998, (1, 2, 5)[$i], 2) : "";
			open(my $f, ">", "new.$i");
			print $f substr($head . "number $i\n" x $size, 0, $size);
		}' "$1"
}

# mended HOW: it makes mended.img of crashed.img; then the file is as it should be
mended() {
	cp crashed.img mended.img
	"$1" || fail "$1: status $?"
	checked mended.img
	ask mended.img 'dump /large got'
	cmp got expected || fail "$1: not what was committed"
}

by_e2fsck() {
	e2fsck -fy mended.img > fsck.log 2>&1 || [ $? = 1 ]
}

by_debugfs() {
	debugfs -w -R journal_run mended.img > debugfs.log 2>&1 && by_e2fsck
}

by_kernel() {
	mounted mended.img mnt rw && cmp mnt/large expected && unmounted mnt
}

# The block that `logged` is about has the flag, and zeroes where the magic number was.
is_escaped() {
	local at

	at=$(sed -n 's/.*at journal block \([0-9]*\) (flags 0x[0-9a-f]*[13579bdf])/\1/p' logged)
	[ -n "$at" ] && at=$(ask crashed.img "bmap <8> $at") &&
		[ "$(od -A n -t x1 -j $((at * bs)) -N 4 crashed.img)" = ' 00 00 00 00' ]
}

# replayed BLOCK MKE2FS...: four blocks of a large file are written
replayed() {
	local bs=$1 i n=0 number=0 at

	shift
	volume start.img 32M -b "$bs" "$@"
	debug start.img 'write large large'
	repaired start.img
	made "$bs"
	cp large expected
	: > script
	for i in 0 1 2 3; do
		number=$((number + 1 + 100 * i))
		echo "write -o $((number * bs)) $PWD/new.$i /large" >> script
		dd if=new.$i of=expected bs="$bs" seek=$number conv=notrunc status=none
		at[i]=$(ask start.img "bmap large $number")
	done
	# killed before each write, until the transaction is there, and nothing is in place
	until dumpe2fs -h image.img 2> /dev/null | grep -q '^Journal start: *[1-9]'; do
		n=$((n + 1))
		cp start.img image.img
		struck write kill $n batch image.img script
		[ $status -gt 128 ] || fail "killed before write $n: status $status: $(cat said)"
	done
	mv image.img crashed.img
	debugfs -R 'logdump -a' crashed.img > logdump 2>&1
	for i in 0 1 2 3; do
		cmp -s <(dd if=crashed.img bs="$bs" skip="${at[i]}" count=1 status=none) new.$i &&
			fail "block ${at[i]} is in place already"
		grep "FS block ${at[i]} logged" logdump > logged || fail "block ${at[i]} is not logged"
		[ $i = 3 ] || is_escaped ||
			fail "$* -b $bs: not escaped: $(cat logged)"
	done
	mended by_e2fsck
	mended by_debugfs
	! is_root || mended by_kernel
}

replayed 4096
replayed 1024 -O ^64bit,^metadata_csum
replayed 4096 -O ^extent,^64bit,^metadata_csum,^flex_bg
