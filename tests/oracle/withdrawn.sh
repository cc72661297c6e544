#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A copy that fails when part of the inode tables is written: nothing of it is seen by e2fsck, on
# filesystems of every kind, and what was there is as it was.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

mkdir tree old
perl -e 'for (1 .. 3000) { open(my $f, ">", "tree/f$_") or die }'
perl -e 'for (1 .. 20) { open(my $f, ">", "old/o$_") or die; print $f "$_ " x 500 }'
truncate -s 16M source.img
mke2fs -q -F -t ext4 -b 1024 -N 4000 -d tree source.img

# target MKE2FS-ARGUMENTS: groups of 1 MiB with some 100 inodes each
target() {
	rm -f target.img
	truncate -s 48M target.img
	mke2fs -q -F -b 1024 -g 1024 -N 5000 -d old "$@" target.img || fail "mke2fs $*"
	checked target.img
}

# cut COPY-OPTIONS: a copy that cannot write beyond the first 16 MiB; exits 8
cut() {
	local status=0

	(ulimit -f 16384; exec "$E2BFO" copy "$@" --to /new source.img target.img) > out 2> said || status=$?
	[ $status = 8 ] || fail "$*: exit $status: $(cat said)"
	says 'writing [0-9]+ blocks at block'
}

# old WHAT: the files of before are there, as they were
old() {
	for n in {1..20}; do
		ask target.img "cat /o$n" | cmp -s - old/o$n || fail "$*: o$n differs"
	done
}

# failing COPY-OPTIONS MKE2FS-ARGUMENTS: the target is as before, and a second try succeeds
failing() {
	local options=$1

	shift
	target "$@"
	ask target.img 'ls -l' > before
	cut --json $options
	says 'target.img is as it was before'
	grep -q '"target_state": "as-before"' out || fail "target_state: $(cat out)"
	checked target.img
	ask target.img 'ls -l' > after
	same before after
	old "$*"
	e2bfo 0 copy --to /new source.img target.img
	checked target.img
}

failing "" -t ext2
failing "" -t ext4 -O ^flex_bg
failing "" -t ext4 -O ^flex_bg,^metadata_csum,uninit_bg
failing "" -t ext4 -O meta_bg,^resize_inode,^flex_bg
failing --not-atomic -t ext3
failing --not-atomic -t ext4 -O ^flex_bg,^metadata_csum

# Without group checksums a journal has all inodes: what fails then is writing them in their places,
# when the copy is as good as made.
target -t ext3
cut --json
grep -q '"target_state": "in-journal"' out || fail "target_state: $(cat out)"
says "target.img has all of it, .* waits in its journal: run e2fsck -p"
e2fsck -p target.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck -p: $(cat fsck.log)"
checked target.img
old "a copy that waits in the journal"
e2bfo 0 verify --to /new --ignore extra,mtime,ctime,crtime,atime,nlink source.img target.img
