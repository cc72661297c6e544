#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One of everything (images/oddities), copied into a larger filesystem, into one that --mkfs
# makes, and into the smallest that --mkfs makes: both manifests are those of the source, in
# every directory readdir order is disk order, e2fsck is content, the source is as before.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr setfacl chattr losetup perl tune2fs dumpe2fs

"$IMAGES/oddities" source.img
tune2fs -L a-label -m 3 -e remount-ro -o journal_data_ordered,discard source.img > /dev/null
before=$(digest source.img)
manifests source.img source

# judge IMAGE: is it a faithful copy?
judge() {
	checked "$1"
	manifests "$1" target
	same_trees source target
	ordered "$1"
	unchanged source.img "$before" "copy to $1"
}

# super IMAGE FIELD
super() {
	dumpe2fs -h "$1" 2> /dev/null | sed -n "s/^\(Filesystem \)\?$2: *//p"
}

volume larger.img 700M -N 40000
e2bfo 0 copy source.img larger.img
judge larger.img

e2bfo 0 copy --mkfs --size 600M source.img made.img
[ "$(stat -c %s made.img)" = $((600 << 20)) ] || fail "made.img has $(stat -c %s made.img) bytes"
judge made.img
for field in 'Block size' 'Inode size' 'Default mount options' 'Errors behavior' \
	'Directory Hash Seed' 'Filesystem features' 'Filesystem volume name'; do
	[ "$(super source.img "$field")" = "$(super made.img "$field")" ] ||
		fail "--mkfs has not kept: $field"
done
[ "$(super source.img UUID)" != "$(super made.img UUID)" ] || fail "--mkfs has kept the UUID"
reserved=$(super made.img 'Reserved block count') blocks=$(super made.img 'Block count')
[ $((reserved * 100 / blocks)) = 3 ] || [ $(((reserved + 1) * 100 / blocks)) = 3 ] ||
	fail "--mkfs: $reserved of $blocks blocks are reserved"

e2bfo 0 copy --mkfs --size min source.img least.img
[ "$(stat -c %s least.img)" -lt "$(stat -c %s source.img)" ] ||
	fail "--size min is $(stat -c %s least.img) bytes"
judge least.img
