#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inodes that a killed copy has staged in unused slots: e2fsck does not see them; a kernel that
# mounts the target wipes them (lazy initialisation, because their groups do not claim to be zeroed
# any more), e2bfo abort does, and a resumed copy makes them live, the groups' claims put back.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck dumpe2fs perl losetup "$BUILDDIR/tests/fault/shim.so"

mkdir tree
perl -e 'for (1 .. 3000) { open(my $f, ">", "tree/f$_") or die; print $f "$_\n" }'
volume source.img 100M -N 8000 -d tree
volume before.img 100M -N 8000 -E lazy_itable_init=0

# zeroed IMAGE: groups that say their inode table is zero behind its used part
zeroed() {
	dumpe2fs "$1" 2> /dev/null | grep -c ITABLE_ZEROED || :
}

# groups IMAGE: descriptors and bitmaps, with their checksums
groups() {
	dumpe2fs "$1" 2> /dev/null | sed -n '/^Group 0/,$p'
}

export FAULT_TARGET=$PWD/target.img
claims=$(zeroed before.img)
[ "$claims" -gt 0 ] || fail "no group claims to be zeroed"
[ "$(staged before.img)" = 0 ] || fail "the target had something in unused slots"
for n in {1..20}; do
	cp --sparse=always before.img target.img
	struck flush kill "$n" copy source.img target.img
	[ $status = 137 ] || fail "flush $n: status $status: $(cat out)"
	[ "$(staged target.img)" = 0 ] || break
done
[ "$(staged target.img)" -gt 2900 ] || fail "$(staged target.img) inodes are staged"
[ "$(zeroed target.img)" -lt "$claims" ] || fail "groups with staged inodes claim to be zeroed"

cp --sparse=always target.img aborted.img
e2bfo 0 abort aborted.img
[ "$(staged aborted.img)" = 0 ] || fail "abort leaves $(staged aborted.img)"
groups before.img > groups.before
groups aborted.img > groups.after
same groups.before groups.after
checked aborted.img

cp --sparse=always target.img resumed.img
e2bfo 0 resume resumed.img
[ "$(staged resumed.img)" = 0 ] || fail "resume leaves $(staged resumed.img)"
[ "$(zeroed resumed.img)" = "$claims" ] ||
	fail "resume: $(zeroed resumed.img) groups claim to be zeroed"
checked resumed.img

cp --sparse=always target.img preened.img
e2fsck -p preened.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck -p: $(cat fsck.log)"
checked preened.img
for image in target.img preened.img; do
	mounted $image mnt rw,noatime,init_itable=0
	for try in {1..600}; do		# the kernel does it when it likes
		sync -f mnt
		[ "$(staged $image)" != 0 ] || break
		sleep 0.1
	done
	unmounted mnt
	[ "$(staged $image)" = 0 ] || fail "$image: $(staged $image) are left after $try looks"
	checked $image
done
