#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --evidence: the state of the source before and after is the same, and is what others say of
# it: the digest of superblock, group descriptors and journal, mounts, blockdev.  A source that
# somebody writes to meanwhile is noticed, in each of the three.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs dumpe2fs losetup mount blockdev sha256sum jq

# wanted IMAGE: the digest, by the blocks that dumpe2fs and debugfs know
wanted() {
	local size length

	size=$(dumpe2fs -h "$1" 2> /dev/null | sed -n 's/^Block size: *//p')
	length=$(ask "$1" 'stat <8>' | sed -n 's/^User:.* Size: *//p')
	{
		dumpe2fs "$1" 2> /dev/null | perl -ne '
			print "$1\n" if /^ *Primary superblock at (\d+)/;
			!$seen++ and print map { "$_\n" } $1 .. $2
				if /Group descriptors at (\d+)-(\d+)/'
		[ -z "$length" ] || [ "$length" = 0 ] ||
			seq -f 'bmap <8> %.0f' 0 $((length / size - 1)) |
			debugfs -f - "$1" 2> /dev/null | grep '^[0-9]'
	} > blocks
	while read -r block; do
		dd if="$1" bs="$size" skip="$block" count=1 status=none
	done < blocks | sha256sum | cut -d ' ' -f 1
}

# reported IMAGE MOUNTED BLKROGET: both states of the last copy
reported() {
	jq -e --arg sum "$(wanted "$1")" --argjson mounted "$2" --argjson set "$3" '.evidence |
		.same and (.before | del(.opens)) == (.after | del(.opens)) and
		.before.sha256 == $sum and
		.before.mounted == $mounted and .before.blkroget == $set and
		([.before, .after] |
			all(.opens | length > 0 and all(startswith("O_RDONLY"))))' out > /dev/null ||
		fail "evidence of $1: $(jq .evidence out)"
	[ "$(jq .evidence.blocks out)" = "$(wc -l < blocks)" ] || fail "blocks: $(wc -l < blocks)"
}

volume source.img 32M -d "$SRCDIR/tests/unit" -J size=4
volume small.img 32M -b 1024 -O ^has_journal -d "$SRCDIR/tests/unit"
for image in source.img small.img; do
	before=$(digest $image)
	e2bfo 0 copy --mkfs --size 64M --json --evidence $image target.img
	reported $image null null
	unchanged $image "$before" "copy --evidence"
	rm target.img
done
e2bfo 0 copy --dry-run --mkfs --size 64M --json --evidence source.img target.img
reported source.img null null
e2bfo 0 copy --mkfs --size 64M --json source.img target.img
jq -e 'has("evidence") | not' out > /dev/null || fail "nobody has asked for evidence"
rm target.img

# All of it, in a partition or not.
for image in source.img small.img; do
	e2bfo 0 copy --mkfs --size 64M --json --hash-source $image target.img
	[ "$(jq -r .source_sha256 out)" = "$(sha256sum < $image | cut -d ' ' -f 1)" ] ||
		fail "another digest of $image"
	[ "$(jq .source_bytes out)" = "$(stat -c %s $image)" ] || fail "another size of $image"
	rm target.img
	e2bfo 0 copy --mkfs --size 64M --hash-source $image target.img
	grep -q "^SHA-256 of all of $image: $(sha256sum < $image | cut -d ' ' -f 1)\$" out ||
		fail "not said: $(cat out)"
	rm target.img
done
device=$(loop -r source.img)
e2bfo 0 copy --mkfs --size 64M --json --direct always --hash-source "$device" target.img
[ "$(jq -r .source_sha256 out)" = "$(sha256sum < source.img | cut -d ' ' -f 1)" ] ||
	fail "another digest of a device"
rm target.img
unloop "$device"

# At a pace the same.  What a mapfile calls bad would be read: refused.
e2bfo 0 copy --mkfs --size 64M --json --bwlimit 600M --hash-source source.img target.img
[ "$(jq -r .source_sha256 out)" = "$(sha256sum < source.img | cut -d ' ' -f 1)" ] ||
	fail "another digest at a pace"
rm target.img
e2bfo 16 copy --mkfs --size 64M --mapfile x.map --hash-source source.img target.img
says 'exclude each other'

# A device that is set read-only, and mounted.
mounted source.img mnt ro,noload
device=$(cat .state/device-mnt)
e2bfo 0 copy --mkfs --size 64M --json --evidence "$device" target.img
reported "$device" '"read-only"' 1
rm target.img
unmounted mnt

# Somebody writes before the last read of the copy itself: each of the three is in the digest.
wanted source.img > sum
descriptors=$(dumpe2fs source.img 2> /dev/null |
	sed -n 's/^ *Primary.*Group descriptors at \([0-9]*\)-.*/\1/p' | head -1)
journal=$(debugfs -R 'bmap <8> 1000' source.img 2> /dev/null)
for byte in 1400 $((descriptors * 4096 + 4000)) $((journal * 4096 + 5)); do
	cp source.img changed.img
	export FAULT_SOURCE=changed.img FAULT_TARGET=target.img
	n=$(events read-source copy --mkfs --size 64M --json --evidence changed.img target.img)
	rm target.img
	n=$((n - $(wc -l < blocks)))
	[ "$n" -gt "$(wc -l < blocks)" ] || fail "reads between both states: $n"
	halted copy read-source "$n" copy --mkfs --size 64M --json --evidence changed.img target.img
	printf X | dd of=changed.img bs=1 seek="$byte" conv=notrunc status=none
	goes_on copy 1
	says 'Volume changed .*while comparing superblock, group descriptors and journal of changed.img'
	jq -e '.status == 1 and .complete and (.evidence.same | not) and
		.evidence.before.sha256 != .evidence.after.sha256' out > /dev/null ||
		fail "byte $byte: $(jq -c .evidence out)"
	rm -f target.img
done
unset FAULT_SOURCE FAULT_TARGET

# Beneath a device, whose pages are in the cache since the first look.
cp source.img beneath.img
device=$(loop -r beneath.img)
export FAULT_TARGET=target.img
volume target.img 64M
halted copy write 3 copy --json --evidence "$device" target.img
printf X | dd of=beneath.img bs=1 seek=$((journal * 4096 + 5)) conv=notrunc status=none
sync beneath.img
goes_on copy 1
says 'Volume changed .*while comparing superblock'
jq -e '.evidence.same | not' out > /dev/null || fail "beneath a device: $(jq -c .evidence out)"
rm target.img
unloop "$device"
unset FAULT_TARGET

# A copy that is killed and resumed tells of both, too.
volume target.img 64M
cp target.img before.img
export FAULT_TARGET=target.img
n=$(events write copy --evidence --hash-source source.img target.img)
cp before.img target.img
struck write kill $((n / 2)) copy --evidence --hash-source source.img target.img
[ $status = 137 ] || fail "it was not killed: $status"
e2bfo 0 resume --dry-run --json target.img
e2bfo 0 resume --json target.img
reported source.img null null
[ "$(jq -r .source_sha256 out)" = "$(sha256sum < source.img | cut -d ' ' -f 1)" ] ||
	fail "resumed: another digest"
unset FAULT_TARGET

# What is no volume has no such evidence.
mkdir dir
e2bfo 16 copy --mkfs --size 64M --evidence dir/ target.img
says 'evidence is for sources that are ext2, ext3 or ext4 volumes'
