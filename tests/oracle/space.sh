#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Little room: free space in many pieces, a target that is exactly large enough, and one where
# only the blocks reserved for root are left. What e2bfo says is missing is what is missing.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr setfacl chattr losetup perl

"$IMAGES/oddities" source.img
manifests source.img source
sed -i '/^\/ /d' source.kernel source.disk

# judge IMAGE OLD: below /new is the source's tree, below /old what was there
judge() {
	checked "$1"
	manifests "$1" target
	for kind in kernel disk; do
		grep '^/new/' target.$kind | grep -v '^/new/lost+found ' |
			sed 's,^/new/,/,; s, link=/new/, link=/,; s, eablock=/new/, eablock=/,' > new.$kind
	done
	same_trees source new
	mounted "$1" mnt
	"$JUDGES/manifest" -d mnt/old > old-after || fail "manifest"
	unmounted mnt
	same "$2" old-after
}

# Every second of many small files removed: no free run is longer than three blocks, but for
# what is left at the end.
volume target.img 600M -N 120000
mounted target.img mnt rw,noatime
perl -e '
	mkdir("mnt/old") or die;
	for (1 .. 45000) {
		open(my $f, ">", "mnt/old/$_") or die "$_: $!";
		syswrite($f, "$_ " x 2000, 8192 + 4096 * ($_ % 2)) or last;
	}'
sync -f mnt
find mnt/old -name '*[13579]' -delete
dd if=/dev/zero of=mnt/old/end bs=1M count=40 status=none
"$JUDGES/manifest" -d mnt/old > old || fail "manifest"
unmounted mnt
e2fsck -fy target.img > /dev/null || fail "e2fsck"
e2bfo 0 copy --to /new source.img target.img
judge target.img old

# The smallest target that fits is what -n says: one block less, and it does not.
e2bfo 0 copy --mkfs --size min source.img least.img
checked least.img
least=$(($(stat -c %s least.img) / 4096))
e2bfo 0 copy --mkfs --size $((least * 4))K source.img same.img
checked same.img
e2bfo 8 copy --mkfs --size $(((least - 256) * 4))K source.img less.img

# Only reserved blocks are left: they are used, and that is said.
free=$(dumpe2fs -h source.img 2> /dev/null | sed -n 's/^Free blocks: *//p')
needed=$(($(stat -c %s source.img) / 4096 - free))
volume target.img 300M -m 50 -N 16384
mounted target.img mnt rw
mkdir mnt/old
available=$(stat -f -c %a mnt)
[ "$available" -lt "$needed" ] || fallocate -l $(((available - needed / 2) * 4))K mnt/old/ballast
"$JUDGES/manifest" -d mnt/old > old || fail "manifest"
unmounted mnt
e2fsck -fy target.img > /dev/null || fail "e2fsck"
e2bfo 0 copy --to /new source.img target.img
grep -qi reserved out said || fail "it does not say that reserved blocks are used"
judge target.img old
