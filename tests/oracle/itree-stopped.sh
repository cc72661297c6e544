#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree that cannot go on: a journal with no room for what changes at once is refused with advice,
# and done with -z; a full or failing place for temporary files; SIGINT on the way. Each leaves the
# target as it was, says so, and leaves no files.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck e2undo debugfs perl env mount truncate

# asbefore WHEN: target.img holds what it held when sum was made, and nothing is left beside it
asbefore() {
	unchanged target.img "$sum" "$1"
	[ -z "$(ls tmp)" ] || fail "$1: temporary files are left: $(ls tmp)"
}

mkdir tmp
export TMPDIR=$PWD/tmp

# ---- a journal that is too small: the catalogue of 18,000 indexes changes ----

perl -e 'mkdir("many"); for (1 .. 18000) { mkdir("many/$_"); open(my $f, ">", "many/$_/f") or die }'
truncate -s 100M target.img
mke2fs -q -F -t ext3 -b 1024 -I 256 -N 40000 -J size=1 -d many target.img > /dev/null
e2fsck -fy target.img > /dev/null 2>&1 || [ $? = 1 ]
e2itree 1 -p -m 1 target.img
E2FSCK_TIME=$(($(date +%s) + 100)) e2fsck -fy target.img > /dev/null 2>&1 || [ $? = 1 ]
e2itree 4 -n -m 1 target.img
sum=$(digest target.img)
e2itree 8 -p -m 1 target.img
says 'Journal is too small' 'would take [0-9]+ KiB' 'tune2fs -J' 'say -z FILE'
asbefore "a small journal"
e2itree 1 -p -m 1 -z undo target.img
checked target.img
e2itree 0 -n -m 1 target.img
e2undo undo target.img > e2undo.log 2>&1 || fail "e2undo: $(cat e2undo.log)"
checked target.img
e2itree 4 -n -m 1 target.img
rm -rf many target.img

# ---- SIGINT, and no place to sort in: a directory that takes more than memory ----

volume target.img 100M -N 64
mounted target.img mnt rw,noatime
perl -e 'mkdir("mnt/big") or die; open(my $f, ">", "mnt/file") or die;
	link("mnt/file", "mnt/big/" . "a long name " x 18 . $_) or die for 1 .. 50000'
unmounted mnt
e2fsck -fy target.img > /dev/null 2>&1 || [ $? = 1 ]
sum=$(digest target.img)

# interrupted EVENT NUMBER: e2itree gets SIGINT when it reads or writes the target that often
interrupted() {
	local status=0

	truncate -s 0 counts
	truncate -s 4096 counts
	perl -e '$SIG{INT} = "DEFAULT"; exec(@ARGV)' env LD_PRELOAD="$BUILDDIR/tests/fault/shim.so" \
		FAULT_TARGET=target.img FAULT_COUNTS=counts FAULT_EVENT="$1" FAULT_AT="$2" \
		FAULT_HOW=int FAULT_TIMES=1 "$E2ITREE" -p --memory 8M target.img \
		> out 2> said < /dev/null || status=$?
	[ $status = 32 ] || fail "SIGINT at $1 $2: status $status: $(cat out said)"
	says 'cancelled while'
	asbefore "SIGINT at $1 $2"
}

interrupted read-target 4
interrupted read-target 20
interrupted read-target 40

TMPDIR=$WORK/none e2itree 8 -p --memory 8M target.img
says 'No such file or directory while sorting'
asbefore "no place to sort in"
mkdir full
mount -t tmpfs -o size=64k tmpfs full
realpath full >> .state/mounts
TMPDIR=$WORK/full e2itree 8 -p --memory 8M target.img
says 'No space left on device while sorting'
[ -z "$(ls full)" ] || fail "left in a full place: $(ls full)"
asbefore "a full place to sort in"

# While it writes: what is free was written, and nothing else.
cp --sparse=always target.img untouched.img
interrupted_writing() {
	cp --sparse=always untouched.img target.img
	sum=none
	interrupted write "$1"
}
asbefore() {
	checked target.img
	[ -z "$(ls tmp)" ] || fail "$1: temporary files are left: $(ls tmp)"
	e2itree 4 -n target.img
	"$JUDGES/dbmanifest" untouched.img > before
	"$JUDGES/dbmanifest" target.img > after
	same before after
}
interrupted_writing 2
interrupted_writing 4
e2itree 1 -p --memory 8M target.img
checked target.img
[ -z "$(ls tmp)" ] || fail "temporary files are left: $(ls tmp)"
