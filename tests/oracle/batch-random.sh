#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch against the kernel: random operations are done on a mounted twin of the image, and by
# the batch.  After each commit verify finds both the same, and e2fsck nothing; after the last one
# the kernel shows the same, too.  A batch whose last line is wrong changes nothing.
# BATCH_OPERATIONS (400) is how many there are for each kind of filesystem, BATCH_SEED where chance
# begins.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount python3

operations=${BATCH_OPERATIONS:-400}
seed=${BATCH_SEED:-1}
commit=$((operations < 1000 ? 200 : 1000))
ignored=mtime,atime,ctime,crtime,generation,version,holes,hash

# round IMAGE TWIN SEED N: N operations on both, at least
round() {
	mounted "$2" mnt rw,noatime,user_xattr
	rm -rf local
	mkdir local
	"$SRCDIR/tests/oracle/batchmodel" "$3" "$4" mnt local > script
	unmounted mnt
	echo 'put /dev/null relative' | cat script - > broken
	before=$(digest "$1")
	cp --sparse=always "$1" untouched.img
	e2bfo 8 batch --allow-commands "$1" broken
	says ":$(wc -l < broken): " 'nothing was changed'
	e2bfo 0 verify untouched.img "$1"
	e2bfo 0 batch --allow-commands "$1" script
	checked "$1"
	e2bfo 0 verify --ignore $ignored "$2" "$1"
}

# shown DIR: what the kernel shows of a tree, but for times and places
shown() {
	"$JUDGES/manifest" -d -x /lost+found "$1" |
		sed -E 's/ (atime|mtime|ctime|crtime|gen|layout|attr|iflags)=[^ ]*//g'
}

# rounds NAME BLOCK MKE2FS...: the twin has only the block size in common
rounds() {
	local name=$1 block=$2 done

	shift 2
	truncate -s 0 "$name.img" twin.img
	truncate -s 160M "$name.img" twin.img
	mke2fs -q -F -b "$block" "$@" "$name.img"
	mke2fs -q -F -b "$block" -t ext4 twin.img
	for ((done = 0; done < operations; done += commit)); do
		round "$name.img" twin.img $((seed + done)) $commit
	done
	mounted twin.img twin
	mounted "$name.img" image
	shown twin > twin.manifest
	shown image > image.manifest
	unmounted twin
	unmounted image
	[ "$(wc -l < image.manifest)" -gt 20 ] || fail "$name: a small tree"
	same twin.manifest image.manifest
}

rounds ext4 4096 -t ext4
rounds inline 1024 -t ext4 -O inline_data,quota,project
[ "$operations" -lt 1000 ] || {
	rounds ext3 1024 -t ext3 -I 256
	rounds bigalloc 4096 -t ext4 -O bigalloc -C 16384
	rounds no-csum 1024 -t ext4 -O ^metadata_csum,^64bit,^extent
}
