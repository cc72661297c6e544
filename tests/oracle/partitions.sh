#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Filesystems in partitions of disks and of images of disks: MBR with logical partitions, GPT,
# sectors of 512 and 4096 bytes. The tables are made by sfdisk, which also says where things are;
# nothing outside of the target's partition is touched.
# long
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr setfacl chattr losetup sfdisk mkswap perl tune2fs partx
requires flock strace fallocate

"$IMAGES/oddities" tree.img
resize2fs -M tree.img > /dev/null 2>&1
source_size=$(stat -c %s tree.img)
source_size=$(((source_size + 1048575) / 1048576))
target_size=$((source_size + 150))
manifests tree.img source

# place FILE N: the first byte and the size in bytes of partition N, as sfdisk sees them
place() {
	local unit=${3:-512}

	sfdisk -d "$1" 2> /dev/null | sed -n "s/^[^ ]*[^0-9]$2 : start= *\([0-9]*\), size= *\([0-9]*\),.*/\1 \2/p" |
		awk -v unit="$unit" '{ printf "%d %d\n", $1 * unit, $2 * unit }'
}

# put FILE IMAGE OFFSET
put() {
	dd if="$2" of="$1" bs=64K seek="$3" oflag=seek_bytes conv=notrunc,sparse status=none
}

# disk FILE FORM SOURCE TARGET [UNIT]: random bytes, a table as FORM (on standard input of sfdisk)
# says, tree.img in partition SOURCE, an empty filesystem in TARGET, swap in 3
disk() {
	local file=$1

	rm -f "$file"
	truncate -s $((source_size + target_size + 40))M "$file"
	dd if=/dev/urandom of="$file" bs=1M count=1 conv=notrunc status=none
	printf '%b' "$2" | sfdisk -q --no-tell-kernel "$file" || fail "sfdisk"
	fill "$file" "$3" "$4"
}

# fill FILE SOURCE TARGET [UNIT]
fill() {
	local unit=${4:-512}

	read -r from _ < <(place "$1" "$2" "$unit")
	put "$1" tree.img "$from"
	read -r to size < <(place "$1" "$3" "$unit")
	mke2fs -q -F -t ext4 -b 4096 -E offset="$to" "$1" $((size / 4096))
	[ "$size" -ge $((target_size << 20)) ] || fail "a target of $size bytes"
}

# around FILE: a digest of all but the target
around() {
	cp --sparse=always "$1" around.img
	fallocate --punch-hole -o "$to" -l "$size" around.img
	digest around.img
}

# judge FILE: the target holds the tree
judge() {
	dd if="$1" of=target.img bs=1M skip="$to" count=$size iflag=skip_bytes,count_bytes \
		conv=sparse status=none
	checked target.img
	manifests target.img target
	same_trees source target
}

# copied FILE SOURCE TARGET [DEVICE]
copied() {
	local file=$1 before name=${4:-$1}

	before=$(around "$file")
	e2bfo 0 copy --partition "$2" "$name" "$5"
	[ "$(around "$file")" = "$before" ] || fail "something beside the target was written"
	judge "$file"
}

# refused PATTERNS(&) ARGUMENTS...
refused() {
	local patterns=$1 before

	shift
	before=$(digest disk.img)
	e2bfo 8 copy "$@"
	says "$patterns"
	[ "$(wc -l < said)" = 1 ] || fail "more than one message: $(cat said)"
	unchanged disk.img "$before" "refused"
}

# turns LOG: how often what is read or written in pieces of 64 KiB or more changes
turns() {
	awk '/ = [0-9]+$/ && $NF >= 65536 { kind = /pread/ ? "r" : "w"; n += kind != last; last = kind }
		END { print n + 0 }' "$1"
}

s="size=${source_size}M" t="size=${target_size}M"

# ---- MBR: 1 source, 2 extended with 5 target; 3 swap; and the other way round ----
disk disk.img "label: dos\nd1 : $s, type=83\nd2 : size=$((target_size + 4))M, type=5
d3 : size=8M, type=82\nd5 : $t, type=83\n" 1 5
read -r swap _ < <(place disk.img 3)
truncate -s 8M swap.img
mkswap -q swap.img
put disk.img swap.img "$swap"
copied disk.img 1 5 disk.img 'disk.img?partition=5'

# Logical partition back into a primary one: of a second disk.
cp --sparse=always disk.img other.img
read -r to size < <(place other.img 5)
e2bfo 0 copy 'disk.img?partition=5' tree2.img --mkfs --size "${target_size}M"
checked tree2.img
manifests tree2.img target
same_trees source target
rm tree2.img other.img

# ---- wrong numbers, and what is no ext4 ----
refused 'partition 9 of disk.img: there are 1 \(Linux, [0-9]+ MiB\), 2 \(extended, .*\), 3 \(swap, 8 MiB\), 5' \
	--partition 9 disk.img 'disk.img?partition=5'
refused 'partition 2 of disk.img: it is the extended one' --partition 2 disk.img 'disk.img?partition=5'
refused 'partition=3: it holds swap \(UUID' --partition 3 disk.img 'disk.img?partition=5'
refused 'partition=3: it holds swap \(UUID' --partition 1 disk.img 'disk.img?partition=3'
refused 'partition table \(dos\); say which partition: disk.img\?partition=N' disk.img 'disk.img?partition=5'
refused 'partition table \(dos\); say which partition: disk.img\?partition=N' tree.img disk.img
refused 'it holds a partition table \(dos\)' --mkfs tree.img disk.img
refused 'no partition table' --partition 1 tree.img 'disk.img?partition=5'
refused 'not a number from 1' 'disk.img?partition=0' 'disk.img?partition=5'
refused 'not a number from 1' 'disk.img?partition=1x' 'disk.img?partition=5'
refused 'only \?offset=BYTES and \?partition=N' 'disk.img?part=1' 'disk.img?partition=5'
refused 'same volume' 'disk.img?partition=1' 'disk.img?partition=1'
refused 'same volume' --mkfs --force 'disk.img?partition=1' disk.img
read -r from _ < <(place disk.img 1)
refused 'same volume' "disk.img?offset=$from" 'disk.img?partition=1'

# ---- mounted: through a loop device over a loop device, which libext2fs does not look through ----
if is_root; then
	outer=$(loop disk.img)
	inner=$(loop -o "$from" --sizelimit $((source_size << 20)) "$outer")
	mkdir mnt
	mount -t ext4 -o ro,noload "$inner" mnt
	echo "$WORK/mnt" >> .state/mounts
	refused 'partition=1: please unmount' 'disk.img?partition=5' 'disk.img?partition=1'
	umount mnt
	refused 'same volume' "$inner" 'disk.img?partition=1'
	unloop "$inner"

	# ---- a device: one descriptor holds all of it ----
	refused 'same volume' --partition 1 "$outer" "$outer?partition=1"
	read -r to size < <(place disk.img 5)
	mke2fs -q -F -t ext4 -b 4096 -E offset="$to" disk.img $((size / 4096))
	before=$(around disk.img)
	e2bfo 0 copy tree.img "$outer?partition=5"
	[ "$(around disk.img)" = "$before" ] || fail "something beside the target was written"
	judge disk.img

	# ---- both on it: long reads and long writes take turns, be it interrupted ----
	blank() {
		mke2fs -q -F -t ext4 -b 4096 -E offset="$to" disk.img $((size / 4096))
		sync disk.img
		blockdev --flushbufs "$outer"
	}
	blank
	strace -f -qq -o log -e trace=pread64,preadv,pwrite64,pwritev "$E2BFO" copy --memory 8M \
		--partition 1 "$outer" "$outer?partition=5" > out 2>&1 || fail "one device: $(cat out)"
	[ "$(around disk.img)" = "$before" ] || fail "one device: something beside the target was written"
	judge disk.img
	turns log > turns
	[ "$(cat turns)" -le 12 ] || fail "reads and writes of data took $(cat turns) turns"
	blank
	killed=0
	strace -f -qq -o log -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=30 "$E2BFO" copy \
		--memory 8M --partition 1 "$outer" "$outer?partition=5" > out 2>&1 || killed=$?
	[ $killed = 137 ] || fail "killed: status $killed: $(cat out)"
	e2bfo 0 resume "$outer?partition=5"
	judge disk.img
	blank
	before=$(around disk.img)
	flock -s "$outer" "$E2BFO" copy --partition 1 "$outer" "$outer?partition=5" > out 2>&1 &&
		fail "beside somebody who has locked it"
	grep -q 'another e2bfo works on it' out || fail "locked: $(cat out)"
	[ "$(around disk.img)" = "$before" ] || fail "locked: the device was written"
	unloop "$outer"

	outer=$(loop disk.img)
	partx -a "$outer"
	mount -t ext4 -o ro,noload "${outer}p1" mnt
	echo "$WORK/mnt" >> .state/mounts
	refused 'somebody else has a part of the disk; name the partitions' \
		--partition 1 "$outer" "$outer?partition=5"
	e2bfo 0 copy "${outer}p1" "${outer}p5"
	umount mnt
	partx -d "$outer"
	judge disk.img
	unloop "$outer"
fi

# ---- too small for its filesystem: the table was changed after mke2fs ----
disk disk.img "label: dos\n$s, type=83\n$t, type=83\nsize=8M, type=83\n" 1 2
sfdisk -q --no-tell-kernel --no-reread -N 2 disk.img <<< "size=$((target_size - 1))M" > /dev/null 2>&1
refused "smaller than its filesystem.*partition=2: it has $(((target_size - 1) << 20)) bytes" \
	--partition 1 disk.img 'disk.img?partition=2'
sfdisk -q --no-tell-kernel --no-reread -N 1 disk.img <<< "size=$((source_size - 1))M" > /dev/null 2>&1
e2bfo 0 copy -n --mkfs --size 400M --partition 1 disk.img new.img
says "partition=1 ends before its filesystem does: it has $(((source_size - 1) << 20)) bytes"

# ---- partitions that overlap: not written to ----
disk disk.img "label: dos\n$s, type=83\n$t, type=83\nsize=8M, type=83\n" 1 2
read -r three _ < <(place disk.img 3)
perl -e 'open(my $f, "+<", "disk.img") or die; seek($f, 446 + 2 * 16 + 8, 0);
	print $f pack("V", $ARGV[0] / 512 - 8);' "$three"
refused 'partition 2 of disk.img, to be written to: it shares space with partition 3' \
	--partition 1 disk.img 'disk.img?partition=2'
perl -e 'open(my $f, "+<", "disk.img") or die; seek($f, 446 + 16 + 8, 0);
	print $f pack("V", $ARGV[0] / 512 + 8);' "$from"
refused 'shares space with partition 1' --partition 1 disk.img 'disk.img?partition=2'

# ---- a disk that was a filesystem before it had partitions ----
volume disk.img 500M
printf 'label: dos\nsize=100M\n' | sfdisk -q --no-tell-kernel --wipe never disk.img
e2fsck -fn disk.img > /dev/null || fail "no filesystem left"
refused 'holds a partition table \(dos\); say which' tree.img disk.img

# ---- GPT ----
disk disk.img "label: gpt\n$s, name=\"the source\"\n$t\nsize=8M, type=U\n" 1 2
copied disk.img 1 2 disk.img 'disk.img?partition=2'
refused 'partition 4 of disk.img: there are 1 \(Linux, .*\), 2 \(Linux, .*\), 3 \(EFI system, 8 MiB\)' \
	--partition 4 disk.img 'disk.img?partition=2'
refused 'partition table \(gpt\); say which partition: disk.img\?partition=N' disk.img 'disk.img?partition=2'

# ---- sectors of 4096 bytes: as a device, and a GPT as an image, too ----
if is_root; then
	for label in dos gpt; do
		rm disk.img
		truncate -s $((source_size + target_size + 40))M disk.img
		big=$(loop -b 4096 disk.img)
		[ "$(blockdev --getss "$big")" = 4096 ] || fail "no loop device with sectors of 4096 bytes"
		printf 'label: %s\n%s\n%s\n' $label "$s" "$t" | sfdisk -q --no-reread --no-tell-kernel "$big"
		sfdisk -d "$big" > table
		read -r from _ < <(awk '/: start/ { sub(/.*start= */, ""); print $1 * 4096; exit }' table)
		read -r to size < <(awk '/: start/ && n++ { gsub(/.*start= */, ""); gsub(/size= */, "");
			gsub(/,/, ""); print $1 * 4096, $2 * 4096; exit }' table)
		put disk.img tree.img "$from"
		mke2fs -q -F -t ext4 -b 4096 -E offset="$to" disk.img $((size / 4096))
		before=$(around disk.img)
		e2bfo 0 copy tree.img "$big?partition=2"
		[ "$(around disk.img)" = "$before" ] || fail "$label, 4096: something beside the target"
		judge disk.img
		e2bfo 0 copy --mkfs --size "${target_size}M" --partition 1 "$big" new.img
		checked new.img
		manifests new.img target
		same_trees source target
		rm new.img
		unloop "$big"
	done
	mke2fs -q -F -t ext4 -b 4096 -E offset="$to" disk.img $((size / 4096))
	copied disk.img 1 2 disk.img 'disk.img?partition=2'
fi
