#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories that plan/dir_edit has changed: e2fsck and debugfs agree with what should be in them.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

mkdir -p tree/d tree/files
touch tree/files/file-{1..200}

# edited IMAGE SEED ROUNDS BATCH POOL LONGEST: e2fsck and debugfs see what should be there.
edited() {
	"$JUDGES/diredit" "$1" /d /files "${@:2}" > expected
	checked "$1"
	ask "$1" 'ls -p /d' | awk -F/ '$6 !~ /^\.?\.?$/ { print $2, $6 }' | sort > seen
	sort expected | cmp - seen || fail "$1, seed $2: /d lists something else"
}

# levels IMAGE N: debugfs walks the index, with N levels of nodes below the root.
levels() {
	ask "$1" 'htree_dump /d' > htree
	grep -q "^[[:space:]]*Indirect levels: $2$" htree || fail "$1: $(head -8 htree)"
}

# kind NAME BLOCK SIZE [mke2fs arguments]
kind() {
	rm -f "$1.img"
	truncate -s "$3" "$1.img"
	mke2fs -q -F -b "$2" -d tree "${@:4}" "$1.img"
}

kind htree 4096 32M -t ext4 -O metadata_csum
edited htree.img 1 1 4000 20000 60
edited htree.img 2 200 5 20000 60
levels htree.img 0

kind deep 1024 64M -t ext4 -O ^metadata_csum
edited deep.img 3 2 15000 20000 200
edited deep.img 4 20 500 20000 200
levels deep.img 1

kind largedir 1024 128M -t ext4 -O large_dir,metadata_csum
edited largedir.img 5 3 25000 70000 255
edited largedir.img 6 50 2 70000 255
levels largedir.img 2

kind linear 1024 16M -t ext2 -O ^dir_index,^filetype
edited linear.img 7 30 50 1000 255

kind inline 1024 16M -t ext4 -O inline_data,metadata_csum -I 512
edited inline.img 8 5 2 12 30
ask inline.img 'stat /d' | grep -q 'Flags: 0x10000000' || fail "/d is not inline any more"
edited inline.img 9 1 12 30 90
edited inline.img 10 9 30 2000 90
levels inline.img 0

kind wide 65536 64M -t ext4 -O metadata_csum
edited wide.img 11 3 3000 20000 200
