#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo pack and unpack on filesystems of all kinds: e2fsck has nothing to say after either, and the
# tree is what it was.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr

mkdir -p tree/a/b/c tree/many
for n in {1..40}; do
	head -c $((n * n * 20)) /dev/urandom > "tree/a/file-$n"
	echo "$n" > "tree/a/b/$n"
	printf '%0*d' $((n * 5)) 0 > "tree/a/b/c/$n"
done
for n in {1..700}; do
	echo "$n" > "tree/many/a-name-that-is-long-enough-to-fill-some-blocks-$n"
done
ln tree/a/b/1 tree/a/b/one
setfattr -n user.small -v value tree/a/b/{2,3,4}
setfattr -n user.large -v "$(head -c 600 /dev/urandom | base64 -w 0)" tree/a/b/{5,6}
chmod 0640 tree/a/b/{7,8}
chmod 0755 tree/a/b/c/{7,8}
find tree -exec touch -d @1500000000 {} +

# make FILE [mke2fs arguments]
make() {
	rm -f "$1"
	truncate -s 24M "$1"
	mke2fs -q -F -d tree -N 2000 "${@:2}" "$1" 2> mke2fs.log || fail "mke2fs: $(cat mke2fs.log)"
}

# only_dirs WHAT: verify has found nothing but what packing changes of directories
only_dirs() {
	grep -v '^Compared' out | grep -vE '^/(a|a/b|a/b/c|many): (ctime|version) ' > differences || :
	[ ! -s differences ] || fail "$1: $(head -n 5 differences)"
}

while read -r name how; do
	# shellcheck disable=SC2086
	make start.img $how
	e2fsck -fyD start.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
	cp start.img image.img
	atomic=
	case $how in *^has_journal*|*ext2*) atomic=--not-atomic ;; esac
	e2bfo 0 pack $atomic --json -r image.img /
	sed -i "s/, \"composites\".*//" out
	[ "$(json_number members)" -gt 800 ] || fail "$name: few members: $(cat out)"
	checked image.img
	free_packed=$(dumpe2fs -h image.img 2> /dev/null | sed -n 's/^Free inodes: *//p')
	free_before=$(dumpe2fs -h start.img 2> /dev/null | sed -n 's/^Free inodes: *//p')
	[ $((free_packed - free_before)) -gt 800 ] || fail "$name: inodes are not free"
	e2bfo 1 verify start.img image.img
	only_dirs "$name: seen through composite files, it is not what it was"
	e2bfo 0 unpack $atomic -q -r image.img /
	checked image.img
	e2bfo 1 verify start.img image.img
	only_dirs "$name: not what it was"
	[ "$(dumpe2fs -h image.img 2> /dev/null | sed -n 's/^Free inodes: *//p')" = "$free_before" ] ||
		fail "$name: inodes are lost"
done << 'END'
ext4            -t ext4 -I 256 -b 4096
1k              -t ext4 -b 1024 -I 256
128-bytes       -t ext4 -I 128 -O ^metadata_csum -b 4096
1024-bytes      -t ext4 -I 1024 -O inline_data -b 4096
inline_data     -t ext4 -I 256 -O inline_data -b 4096
inline-1k       -t ext4 -I 256 -b 1024 -O inline_data
no-csum         -t ext4 -I 256 -O ^metadata_csum,^64bit -b 4096
bigalloc        -t ext4 -I 256 -O bigalloc -C 16384 -b 4096
quota           -t ext4 -I 256 -O quota,project -b 4096
ea_inode        -t ext4 -I 256 -O ea_inode -b 4096
small-groups    -t ext4 -I 256 -g 1024 -b 4096
ext3            -t ext3 -I 256 -b 4096
ext3-1k         -t ext3 -b 1024 -I 128
no-journal      -t ext4 -I 256 -O ^has_journal -b 4096
ext2            -t ext2 -b 1024
orphan_file     -t ext4 -I 256 -O orphan_file -b 4096
no-dir_index    -t ext4 -I 256 -O ^dir_index -b 4096
END
