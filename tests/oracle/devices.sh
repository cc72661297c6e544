#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where volumes may be: block devices, a read-only one as source, but not as target; at an offset in
# a file, with nothing around it touched; named by UUID= or LABEL=.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr setfacl chattr losetup perl blkid

"$IMAGES/oddities" source.img
tune2fs -L "e2bfo-$$" source.img > /dev/null
uuid=$(blkid -p -s UUID -o value source.img)
manifests source.img source

# judge IMAGE
judge() {
	checked "$1"
	manifests "$1" target
	same_trees source target
}

from=$(loop -r source.img)
volume target.img 400M
to=$(loop target.img)
e2bfo 0 copy "$from" "$to"
unloop "$to"
judge target.img

to=$(loop -r target.img)
e2bfo 8 copy --to /again source.img "$to"
says "Read-only file system while opening $to\$"
e2bfo 8 copy --mkfs --force source.img "$to"
says "Read-only file system while opening $to to format it"
unloop "$to"

volume target.img 400M
e2bfo 0 copy "UUID=$uuid" target.img
judge target.img

volume target.img 400M -L "target-$$"
to=$(loop target.img)
e2bfo 0 copy "LABEL=e2bfo-$$" "LABEL=target-$$"
unloop "$to"
judge target.img

# A device that had another filesystem a moment ago, when all devices were looked at.
for label in one two; do
	volume $label.img 16M -L "$label-$$"
done
to=$(loop one.img)
e2bfo 0 ls "LABEL=one-$$"
losetup -d "$to"
losetup "$to" two.img
e2bfo 0 ls "LABEL=two-$$"
e2bfo 8 ls "LABEL=one-$$"
unloop "$to"

truncate -s 400M target.img
to=$(loop target.img)
e2bfo 0 copy --mkfs --force "$from" "$to"
unloop "$to"
judge target.img
unloop "$from"

volume target.img 400M
before=$(digest target.img)
e2bfo 8 copy "UUID=$uuid" target.img
says "$uuid"
unchanged target.img "$before" "no such UUID"

# Disks with something before and after: the source on one and the target on another, then both
# on one, as partitions are.
head -c 3145728 /dev/urandom > noise
target_size=$((400 << 20))

# disk FILE BEFORE...: the files BEFORE, room for the target, noise
disk() {
	local file=$1

	shift
	cat "$@" > "$file"
	target_at=$(stat -c %s "$file")
	truncate -s $((target_at + target_size)) "$file"
	cat noise >> "$file"
	mke2fs -q -F -t ext4 -b 4096 -E offset=$target_at "$file" $((target_size / 4096))
}

# judge_disk FILE BEFORE...: the target in it, and what is around the target
judge_disk() {
	local file=$1

	shift
	dd if="$file" of=target.img bs=1M skip=$((target_at >> 20)) count=400 conv=sparse status=none
	judge target.img
	head -c $target_at "$file" | cmp - <(cat "$@") ||
		fail "something before the target was written"
	tail -c 3145728 "$file" | cmp - noise || fail "something behind the target was written"
}

cat noise source.img noise > from.img
disk to.img noise
e2bfo 0 copy "from.img?offset=3145728" "to.img?offset=$target_at"
judge_disk to.img noise

disk one.img noise source.img noise
e2bfo 0 copy "one.img?offset=3145728" "one.img?offset=$target_at"
judge_disk one.img noise source.img noise

# Blocks smaller than the sectors of the device: --mkfs makes larger ones; who asks for small ones
# hears that from mke2fs, before anything is written.
mkdir tree
seq 100000 > tree/numbers
ln tree/numbers tree/link
setfattr -n user.a -v b tree
sectors() {
	volume source.img 60M -b 1024 "$@" -d tree
	truncate -s 0 target.img
	truncate -s 64M target.img
	to=$(loop -b 4096 target.img)
	[ "$(blockdev --getss "$to")" = 4096 ] || fail "no loop device with sectors of 4096 bytes"
	before=$(digest target.img)
	e2bfo 8 copy --mkfs='-b 1024' source.img "$to"
	unchanged target.img "$before" "blocks too small"
	e2bfo 0 copy --mkfs --verify source.img "$to"
	e2bfo 0 verify source.img "$to"
	mkdir -p mnt-sectors
	mount -o ro "$to" mnt-sectors
	diff -r tree mnt-sectors -x lost+found || fail "$*: other files"
	umount mnt-sectors
	unloop "$to"
	checked target.img
	dumpe2fs -h target.img 2> /dev/null | grep -q '^Block size: *4096$' || fail "$*: blocks"
}
sectors
sectors -O ^extents,^metadata_csum,^64bit -I 128
sectors -O bigalloc -C 4096
sectors -O bigalloc -C 16384
