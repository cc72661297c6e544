#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# More hard links to one file than ext4 counts, and than 16 bits do: a directory that has them
# goes into an archive with all of them, and is listed with them.  Into a filesystem they are a
# loss, which has to be allowed.
. "$(dirname "$0")/../lib.sh"
requires root mount mke2fs e2fsck debugfs tar perl

# Of filesystems without such a limit, one that every kernel has.
mkdir big
mount -t tmpfs -o size=64M,nr_inodes=100k tmpfs big
realpath big >> .state/mounts
perl -e 'mkdir("big/tree") && chdir("big/tree") or die $!;
	open(my $f, ">", "first") or die $!;
	print $f "content\n";
	link("first", sprintf("n%05d", $_)) or die "$_: $!" for (1 .. 69999);'

e2bfo 0 copy big/tree many.tar
grep -q ': 1 file, 1 directory, 69999 further hard links; ' out || fail "other counts: $(cat out)"
[ "$(tar -tf many.tar 2> /dev/null | wc -l)" = 70001 ] || fail "GNU tar finds other members"
e2bfo 0 verify big/tree many.tar
e2bfo 0 copy --portable many.tar again.tar
grep -q ': 1 file, 1 directory, 69999 further hard links; ' out || fail "other counts: $(cat out)"
e2bfo 0 hash --manifest-out mtree:many.mtree big/tree
[ "$(grep -c '^\./[fn].* nlink=70000 ' many.mtree)" = 70000 ] || fail "other links: $(head -3 many.mtree)"
e2bfo 0 verify many.tar mtree:many.mtree

volume target.img 64M -N 1000
e2bfo 8 copy many.tar target.img
says 'allow-loss=links' 'beyond the 65,000 links'
e2bfo 1 copy --allow-loss=links many.tar target.img
checked target.img
ask target.img 'stat /first' | grep -q 'Links: 65000' || fail "other links: $(ask target.img 'stat /first')"
! grep -q 'link count' said || fail "a count of links that nobody has written is damage: $(cat said)"
e2bfo 0 copy target.img back.tar
grep -q ', 64999 further hard links; ' out || fail "other counts: $(cat out)"
