#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --mkfs into a partition of a disk, or of the image of one: it is formatted and filled,
# interrupted, resumed and given up; of all that lies around it, which is random bytes, not one
# changes.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck losetup sfdisk strace perl blkid flock

mkdir tree
perl -e 'for (1 .. 30) {
	open(my $f, ">", "tree/file-$_") or die; print $f join("", map { "$_ " } 1 .. $_ * 2000); }'
volume tree.img 16M -d tree -U 11111111-2222-3333-4444-555555555555
manifests tree.img source

# disk FORM: disk.img of 64 MiB, random all over, with a table as FORM says
disk() {
	rm -f disk.img
	head -c 64M /dev/urandom > disk.img
	printf '%b' "$1" | sfdisk -q --no-tell-kernel --wipe always disk.img || fail "sfdisk"
}

# place N [UNIT]: $start and $size of partition N, in bytes; the random bytes in it go
place() {
	local unit=${2:-512}

	read -r start size < <(sfdisk -d disk.img 2> /dev/null | sed -n \
		"s/^[^ ]*[^0-9]$1 : start= *\([0-9]*\), size= *\([0-9]*\),.*/\1 \2/p" |
		awk -v unit="$unit" '{ printf "%d %d\n", $1 * unit, $2 * unit }')
	[ -n "$size" ] || fail "no partition $1"
	around=$(around)
}

# around: a digest of all but the partition
around() {
	{
		head -c "$start" disk.img
		tail -c +$((start + size + 1)) disk.img
	} | sha256sum
}

# kept WHEN: nothing outside has changed
kept() {
	[ "$(around)" = "$around" ] || fail "$1: something around the partition was written"
}

# taken WHEN: target.img is the partition, a sound filesystem
taken() {
	kept "$1"
	dd if=disk.img of=target.img bs=1M skip="$start" count="$size" iflag=skip_bytes,count_bytes \
		conv=sparse status=none
	checked target.img
}

# judge WHEN: the partition holds the tree
judge() {
	taken "$1"
	manifests target.img target
	same_trees source target
}

# refused PATTERN ARGUMENTS...: the disk stays as it is; the status is $ends, or 8
refused() {
	local pattern=$1 before

	shift
	before=$(digest disk.img)
	e2bfo "${ends:-8}" copy --mkfs "$@"
	says "$pattern"
	unchanged disk.img "$before" "refused"
}

# ---- GPT, in an image ----
disk 'label: gpt\nsize=2M, type=U\nsize=30000K\nsize=20M\n'
place 2
before=$(digest disk.img)
e2bfo 0 copy -n --mkfs tree.img 'disk.img?partition=2'
unchanged disk.img "$before" "--dry-run"
e2bfo 0 copy --mkfs tree.img 'disk.img?partition=2'
judge "a partition of a GPT"
e2bfo 0 verify tree.img 'disk.img?partition=2'
refused 'formatting disk.img\?partition=2: it holds ext4' tree.img 'disk.img?partition=2'
e2bfo 0 copy --mkfs --force --same-uuid tree.img 'disk.img?partition=2'
says 'same UUID'
judge "--force"
[ "$(blkid -p -O "$start" -S "$size" -s UUID -o value disk.img)" = \
	11111111-2222-3333-4444-555555555555 ] || fail "--same-uuid: another UUID"
refused 'too small' -n --force tree.img 'disk.img?partition=1'
refused 'No such partition' tree.img 'disk.img?partition=4'
refused 'it holds a partition table \(gpt\)' tree.img disk.img
e2bfo 16 copy --mkfs --size 40M tree.img 'disk.img?partition=2'
e2bfo 16 copy --mkfs tree.img "disk.img?offset=$start"
ends=16 refused 'E offset' --mkfs='-E nodiscard,offset=1048576' --force tree.img 'disk.img?partition=2'

volume mmp.img 16M -O mmp
refused 'mmp in \?partition=' --force mmp.img 'disk.img?partition=2'

# ---- interrupted: SIGKILL at the Nth write, after mke2fs ----
# killed N: into partition 2
killed() {
	local status=0

	{ strace -qq -o log -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when="$1" \
		"$E2BFO" copy --mkfs --force --same-uuid --memory 1M tree.img 'disk.img?partition=2' \
		> out 2>&1 || status=$?; } 2> /dev/null
	[ $status = 137 ] || fail "killed at write $1: status $status: $(cat out)"
	kept "killed at write $1"
}
killed 12
e2bfo 0 resume 'disk.img?partition=2'
judge "resume"
killed 12
e2bfo 0 abort --partition 2 disk.img
taken "abort"
[ "$(ask target.img 'ls -p /' | grep -c '/')" = 3 ] || fail "abort left something"
e2bfo 8 abort 'disk.img?partition=2'

# ---- the same disk as a device ----
if is_root; then
	device=$(loop disk.img)
	refused 'it holds ext4' tree.img "$device?partition=2"
	e2bfo 0 copy --mkfs --force tree.img "$device?partition=2"
	judge "a partition of a device"
	refused 'same volume' --force --partition 2 "$device" "$device?partition=2"

	# ---- to another partition of it: the source is read while mke2fs has the device ----
	place 3
	flock -s "$device" "$E2BFO" copy --mkfs --partition 2 "$device" "$device?partition=3" > out 2>&1 &&
		fail "beside somebody who has locked it"
	grep -q 'another e2bfo works on it' out || fail "locked: $(cat out)"
	kept "locked"
	e2bfo 0 copy --mkfs --partition 2 "$device" "$device?partition=3"
	judge "from one partition of a device to another"
	e2bfo 0 copy --mkfs --force --partition 3 "$device" "$device?partition=2"
	unloop "$device"
else
	e2bfo 0 copy --mkfs --force tree.img 'disk.img?partition=2'
fi
refused 'same volume' --force --partition 2 disk.img 'disk.img?partition=2'
start=$(sfdisk -d disk.img | sed -n 's/^disk.img3 : start= *\([0-9]*\),.*/\1/p')
start=$((start * 512)) size=$((20 << 20)) around=$(around)
e2bfo 0 copy --mkfs --force --partition 2 disk.img 'disk.img?partition=3'
judge "from one partition to another"

# ---- mounted, and in use ----
if is_root; then
	inner=$(loop -o "$start" --sizelimit "$size" disk.img)
	mkdir mnt
	mount -t ext4 -o ro,noload "$inner" mnt
	echo "$WORK/mnt" >> .state/mounts
	refused 'unmount it first' --force tree.img 'disk.img?partition=3'
	outer=$(loop disk.img)
	refused 'unmount it first' --force tree.img "$outer?partition=3"
	umount mnt
	unloop "$inner"
	unloop "$outer"
	outer=$(loop -r disk.img)
	refused 'opening .*partition=3 to format it' --force tree.img "$outer?partition=3"
	says 'Read-only file system'
	! grep -q 'partly formatted' said || fail "partly formatted"
	unloop "$outer"
fi

# ---- MBR with logical partitions, an odd number of sectors; the extended one; overlaps ----
disk 'label: dos\nd1 : size=8M\nd2 : size=40M, type=5\nd5 : size=41921\nd3 : size=8M\n'
place 5
e2bfo 0 copy --mkfs tree.img 'disk.img?partition=5'
judge "a logical partition"
refused 'it is the extended one' --force tree.img 'disk.img?partition=2'
# third SECTOR: partition 3 begins there
third() {
	perl -e 'open(my $f, "+<", "disk.img") or die; seek($f, 446 + 2 * 16 + 8, 0);
		print $f pack("V", $ARGV[0]);' "$1"
	refused 'partition 3 .* shares space with partition [25]' --force tree.img 'disk.img?partition=3'
}
third $((start / 512 + 100))
third $(((start + size) / 512 + 100))

# ---- sectors of 4096 bytes: blocks are as large ----
if is_root; then
	rm disk.img
	head -c 64M /dev/urandom > disk.img
	device=$(loop -b 4096 disk.img)
	printf 'label: gpt\nsize=8M\nsize=30M\n' | sfdisk -q --wipe always --no-reread --no-tell-kernel "$device"
	read -r start size < <(sfdisk -d "$device" | awk '/: start/ && n++ { gsub(/.*start= */, "");
		gsub(/size= */, ""); gsub(/,/, ""); print $1 * 4096, $2 * 4096; exit }')
	around=$(around)
	rm -f small.img
	truncate -s 20M small.img
	mke2fs -q -F -t ext4 -b 1024 -d tree small.img
	e2bfo 0 copy --mkfs small.img "$device?partition=2"
	taken "sectors of 4096 bytes"
	mounted target.img mnt
	diff -r --exclude=lost+found tree mnt || fail "sectors of 4096 bytes"
	unmounted mnt
	dumpe2fs -h target.img 2> /dev/null | grep -q '^Block size: *4096$' || fail "small blocks"
	unloop "$device"
fi
