#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo verify between filesystems that store the same tree in other ways: inline data, attribute
# values in inodes of their own, clusters, block maps, other blocks. A copy is equal; one flipped
# byte of what is stored in such a way is named.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr losetup perl

# compared SPEC...: a sample, and its copy in an ordinary filesystem
compared() {
	rm -f a.img b.img
	"$IMAGES/matrix" a.img "$@" > /dev/null || fail "no image of $*"
	volume b.img 100M -O ea_inode,^metadata_csum
	e2bfo 0 copy a.img b.img
	e2bfo 0 verify a.img b.img
	e2bfo 0 verify b.img a.img
}
compared kernel 1024 256 -t ext4
compared kernel 4096 256 -t ext2
compared kernel 4096 256 -t ext4 -O bigalloc -C 16384
compared kernel 4096 256 -t ext4 -O ea_inode,^metadata_csum

# flip IMAGE OFFSET
flip() {
	printf "\\x$(printf %02x $(($(od -An -tu1 -j "$2" -N 1 "$1") ^ 1)))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# told PATH: WORD is the one difference between a.img and b.img
told() {
	e2bfo 1 verify a.img b.img
	[ "$(grep -c '^/' out)" = 1 ] && grep -q "^$1" out || fail "not $1: $(cat out)"
}

# the value of an attribute in an inode of its own (debugfs makes none that is larger than a block)
if is_root; then
	value=$(perl -e 'for (12 .. 400) {
		my $s = `debugfs -R "stat <$_>" b.img 2> /dev/null`;
		if ($s =~ /Flags: 0x2[0-9a-f]{5}\b/) { print $_; last } }')
	[ -n "$value" ] || fail "no value has an inode of its own"
	block=$(ask b.img "blocks <$value>" | awk '{ print $1 }')
	flip b.img $((block * 4096 + 100))
	e2bfo 1 verify a.img b.img
	[ "$(grep -c ': xattr ' out)" = "$(grep -c '^/' out)" ] && grep -q '^/xattrs/.*: xattr ' out ||
		fail "not the attribute: $(cat out)"
fi

# What moves into inodes takes no blocks: every block is written once, so that it reads back as it
# was written.
"$IMAGES/matrix" a.img kernel 1024 256 -t ext4 > /dev/null 2>&1 || fail "no image"
for arguments in '-O inline_data' '-O inline_data -I 1024 -b 1024' '-O inline_data,bigalloc -C 8192'; do
	volume b.img 100M $arguments
	e2bfo 0 copy --verify a.img b.img
	checked b.img
	e2bfo 0 verify a.img b.img
done

# Without a journal, what becomes visible last is in blocks that are written twice.
for arguments in '-O ^has_journal' '-O ^has_journal,^metadata_csum,quota -b 1024'; do
	volume b.img 100M $arguments
	for place in / /again; do
		e2bfo 0 copy --verify --to "$place" a.img b.img
		checked b.img
	done
done

# inline data: its head in i_block, its tail among the attributes, a symbolic link, a directory
if is_root; then
	compared kernel,inline 4096 256 -t ext4 -O inline_data,^metadata_csum
	cp a.img clean.img
	# inode_at PATH: where its inode is in a.img
	inode_at() {
		ask a.img "imap $1" | perl -ne '
			printf("%d\n", $1 * 4096 + hex($2)) if /block (\d+), offset 0x([0-9a-f]+)/'
	}
	inline=$(ask a.img 'ls -p /files' | awk -F/ '$6 !~ /^\./ { print $7, "/files/" $6, $2 }' |
		while read -r size path ino; do
			[ "${size:-0}" -gt 65 ] && [ "$size" -lt 160 ] || continue
			ask a.img "stat <$ino>" | grep -q 'Flags: 0x10000000' && echo "$path"
		done | sed -n 1p)
	[ -n "$inline" ] || fail "no file is inline"
	flip a.img $(($(inode_at "$inline") + 40 + 3))
	told "$inline: data"
	cp clean.img a.img
	tail=$(($(inode_at "$inline") + 256 - 8))
	flip a.img $tail
	told "$inline: data"
fi
