#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A root filesystem moves to a smaller disk, as MOVING A ROOT FILESYSTEM of e2bfo-copy(8) has it:
# GPT with a BIOS boot partition, --mkfs into a partition, with and without --same-uuid.  Files that
# name the old UUID are told, in text, JSON and beforehand; GRUB reads its configuration and the
# kernel in the copy.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup sfdisk blkid jq perl grub-fstest

old=aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
mkdir -p tree/etc/default/grub.d tree/boot/grub tree/boot/loader/entries tree/root
{
	echo '# <file system> <mount point> <type> <options> <dump> <pass>'
	echo "UUID=$old / ext4 errors=remount-ro 0 1"
} > tree/etc/fstab
echo 'GRUB_CMDLINE_LINUX=quiet' > tree/etc/default/grub
echo "GRUB_CMDLINE_LINUX=root=UUID=${old^^}" > tree/etc/default/grub.d/root.cfg
cat > tree/boot/grub/grub.cfg <<END
search --no-floppy --fs-uuid --set=root $old
menuentry Linux {
	linux /boot/vmlinuz root=UUID=$old ro
}
END
echo "options root=UUID=$old ro" > tree/boot/loader/entries/one.conf
echo 'options root=LABEL=root ro' > tree/boot/loader/entries/two.conf
echo "$old" > tree/root/notes
head -c 3000000 /dev/urandom > tree/boot/vmlinuz
named='/etc/fstab /boot/grub/grub.cfg /etc/default/grub.d/root.cfg /boot/loader/entries/one.conf'

# disk FILE SIZE: with boot code, a BIOS boot partition, and the rest for the root filesystem
disk() {
	rm -f "$1"
	truncate -s "$2" "$1"
	printf 'label: gpt\nsize=1M, type=21686148-6449-6E6F-744E-656564454649\n-\n' |
		sfdisk -q --no-tell-kernel "$1" || fail "sfdisk"
	head -c 440 /dev/urandom > code
	head -c 1M /dev/urandom >> code
	dd if=code of="$1" bs=440 count=1 conv=notrunc status=none
	dd if=code of="$1" bs=1M iflag=skip_bytes skip=440 seek=1 conv=notrunc status=none
}

# loop_of DISK: a loop device of its root filesystem
loop_of() {
	local start size

	read -r start size < <(sfdisk -J "$1" |
		jq -r '.partitiontable.partitions[1] | "\(.start * 512) \(.size * 512)"')
	loop -o "$start" --sizelimit "$size" "$1"
}

# booted UUID: GRUB finds configuration and kernel on the copied partition, which has UUID; the
# configuration and fstab name it; boot code is still there
booted() {
	local part='(loop0,gpt2)'

	grub-fstest new.img cat "$part/boot/grub/grub.cfg" > grub.cfg ||
		fail "GRUB cannot read grub.cfg"
	grub-fstest new.img cmp "$part/boot/vmlinuz" tree/boot/vmlinuz > log 2>&1 ||
		fail "kernel: $(cat log)"
	grub-fstest new.img ls -- -l "$part" > log || fail "GRUB does not know the partition"
	[[ $(cat log) = *$1* ]] || fail "UUID in GRUB: $(cat log)"
	[ "$(grep -c "$1" grub.cfg)" = 2 ] || fail "grub.cfg: $(cat grub.cfg)"
	device=$(loop_of new.img)
	checked "$device"
	mount -o ro "$device" mnt
	echo "$WORK/mnt" >> .state/mounts
	grep -q "^UUID=$(blkid -p -s UUID -o value "$device") / " mnt/etc/fstab ||
		fail "$(cat mnt/etc/fstab)"
	umount mnt
	unloop "$device"
	cmp -n 440 code new.img || fail "boot code"
	cmp -i 440:1M -n 1M code new.img || fail "BIOS boot partition"
}

# tells VERB: said has a line of each file, and no more
tells() {
	local name

	for name in $named; do
		grep -qF "warning: $name on new.img?partition=2 $1 the UUID of old.img?partition=2 ($old)" said ||
			fail "$name is not told: $(cat said)"
	done
	[ "$(grep -c '^e2bfo: warning' said)" = 4 ] || fail "$(cat said)"
	says 'MOVING A ROOT FILESYSTEM'
}

mkdir mnt
disk old.img 120M
device=$(loop_of old.img)
mke2fs -q -F -t ext4 -L root -U $old -d tree "$device" || fail "mke2fs"
unloop "$device"
disk new.img 64M
before=$(digest old.img)

# ---- a new UUID ----
e2bfo 0 copy -n --mkfs 'old.img?partition=2' 'new.img?partition=2'
tells 'would still name'
says 'new.img\?partition=2 would get a new UUID'
e2bfo 0 copy -n --json --mkfs 'old.img?partition=2' 'new.img?partition=2'
[ "$(jq -c '[.source_uuid, .target_uuid, .old_uuid_in]' out)" = \
	"[\"$old\",null,$(printf '%s\n' $named | jq -Rcn '[inputs]')]" ] || fail "JSON, -n: $(cat out)"
e2bfo 0 copy -q --mkfs 'old.img?partition=2' 'new.img?partition=2'
tells 'still names'
device=$(loop_of new.img)
new=$(blkid -p -s UUID -o value "$device")
unloop "$device"
says "new.img\?partition=2 has the UUID $new"
e2bfo 0 copy --mkfs --force 'old.img?partition=2' 'new.img?partition=2'
device=$(loop_of new.img)
new=$(blkid -p -s UUID -o value "$device")
[ "$new" != $old ] || fail "no new UUID"
grep -q "^new.img?partition=2 has a new UUID, $new\.$" out ||
	fail "it does not say $new: $(cat out)"

# What the manual says to do.
mount "$device" mnt
echo "$WORK/mnt" >> .state/mounts
(cd mnt && printf '.%s\n' $named | xargs sed -i "s/$old/$new/Ig")
umount mnt
unloop "$device"
booted "$new"
e2bfo 0 copy --json --mkfs --force 'old.img?partition=2' 'new.img?partition=2'
[ "$(jq -c '[.source_uuid, .target_uuid != .source_uuid, (.old_uuid_in | length)]' out)" = \
	"[\"$old\",true,4]" ] || fail "JSON: $(cat out)"

# ---- the same UUID ----
e2bfo 0 copy --mkfs --force --same-uuid 'old.img?partition=2' 'new.img?partition=2'
says "have the same UUID \($old\)"
[ "$(grep -c . said)" = 1 ] || fail "$(cat said)"
! grep -q 'new UUID' out || fail "a new UUID"
booted $old
e2bfo 0 copy -n --json --mkfs --force --same-uuid 'old.img?partition=2' 'new.img?partition=2'
[ "$(jq -c .old_uuid_in out)" = '[]' ] || fail "--same-uuid: $(cat out)"
unchanged old.img "$before" "the source"

# ---- what else may hold it, or not ----
# uuids ARGUMENTS...: old_uuid_in of a copy into a filesystem that was made before
uuids() {
	volume target.img 32M
	e2bfo 0 copy --json "$@" target.img
	jq -c .old_uuid_in out
}

volume inline.img 32M -O inline_data -U $old -d tree
[ "$(uuids --exclude /boot inline.img)" = '["/etc/fstab","/etc/default/grub.d/root.cfg"]' ] ||
	fail "content in inodes: $(cat out)"
[ "$(uuids --to /backup inline.img)" = '[]' ] || fail "another place: $(cat out)"
[ "$(uuids --from /etc inline.img)" = '[]' ] || fail "a part: $(cat out)"
volume odd.img 32M -U $old
debug odd.img 'mkdir etc' 'mkdir etc/fstab' 'mkdir loader' 'symlink loader/entries /etc' \
	"symlink etc/crypttab $old"
[ "$(uuids odd.img)" = '[]' ] || fail "no files: $(cat out)"
volume boot.img 32M -U $old -d tree/boot
[ "$(uuids boot.img)" = '["/grub/grub.cfg","/loader/entries/one.conf"]' ] ||
	fail "/boot: $(cat out)"
