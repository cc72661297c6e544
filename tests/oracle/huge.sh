#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Volumes above 16 TiB, longer than any file of ext4: formatted and filled, measured, indexed,
# checked, and copied into the least that holds what is used.  They are sparse files on an xfs; what
# e2bfo needs beside them lies in memory, whatever TMPDIR is.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs mkfs.xfs losetup setfattr strace perl jq

# Few inodes: the tables of huge ones are as many times larger.
mkdir tree
perl -e 'for (1 .. 700) {
	open(my $f, ">", "tree/a-file-whose-name-is-long-$_") or die; print $f "$_ " x ($_ * 8); }'
mkdir tree/deep
truncate -s 15T tree/hole
echo end >> tree/hole
ln tree/hole tree/deep/link
ln -s ../hole tree/deep/symlink
setfattr -n user.name -v value tree/deep
volume small.img 4G -J size=4 -N 2048 -d tree
manifests small.img small

truncate -s 6G disk
mkfs.xfs -q disk
device=$(loop disk)
mkdir xfs
mount "$device" xfs
echo "$WORK/xfs" >> .state/mounts

# there SIZE MKFS: huge, of SIZE, holds the tree
there() {
	rm -f xfs/huge
	truncate -s "$1" xfs/huge
	TMPDIR=/nowhere e2bfo 0 copy "$2" small.img xfs/huge
	e2bfo 0 verify small.img xfs/huge
}

# home: the least that holds the tree; scratch files are as long as what is used, tables and all
home() {
	rm -f home.img
	strace -qq -o sizes -e trace=ftruncate "$E2BFO" copy -q --mkfs --size min \
		xfs/huge home.img 2> said ||
		fail "$(cat said)"
	perl -ne '/^ftruncate\(\d+, (\d+)\)/ or next; $n++; die "a scratch file of $1 bytes\n" if $1 > 1 << 40;
		END { die "no scratch file\n" if !$n }' sizes || fail "sizes"
	[ "$(stat -c %s home.img)" -lt $((64 << 20)) ] ||
		fail "home.img has $(stat -c %s home.img) bytes"
	e2bfo 0 verify xfs/huge home.img
	manifests home.img home
	same_trees small home
}

# read_by_all: whoever looks at a volume
read_by_all() {
	e2bfo 0 ls -R --json xfs/huge
	[ "$(jq '[.entries[].path | select(startswith("/a-file"))] | length' out)" = 700 ] ||
		fail "ls"
	e2bfo 0 layout --json xfs/huge
	e2itree 1 -p xfs/huge
	e2itree 0 -n xfs/huge
	checked xfs/huge
}

there 20T --mkfs
home
read_by_all

# All backups of its descriptors would take most of a GiB of memory: two of them do.
there 60T --mkfs='-O sparse_super2,^resize_inode'
home
read_by_all

# What a superblock says of free blocks is not relied on.
volume full.img 3G
debug full.img 'write /dev/null file' 'fallocate file 0 500000'
sync -f .
blocks=$(dumpe2fs -h full.img 2> /dev/null | sed -n 's/^Block count: *//p')
debug full.img "set_super_value free_blocks_count $blocks"
e2bfo 0 copy -n --json --mkfs --size min full.img none.img
[ "$(jq .plan.smallest_target_bytes out)" -gt $((500000 * 4096)) ] || fail "smallest: $(cat out)"
