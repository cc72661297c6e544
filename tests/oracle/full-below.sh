#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A sparse target image on a filesystem that becomes full in the middle of a long write: that is
# what is said, past the page cache or not; with more room below, the copy goes on or is given up.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck mount

mkdir tree below
for i in $(seq 12); do
	head -c 1000001 /dev/urandom > "tree/$i"
done
volume source.img 32M -d tree
volume empty.img 40M
before=$(digest source.img)

# full: the target, on a filesystem with room for 3 MB more
full() {
	! mountpoint -q below || umount below
	mount -t tmpfs -o size=64M none below
	realpath below >> "$WORK/.state/mounts"
	cp --sparse=always empty.img below/target.img
	mount -o "remount,size=$(($(du -k below/target.img | cut -f 1) + 3072))K" below
}

for when in auto always; do
	full
	e2bfo 8 copy --direct=$when source.img below/target.img
	says 'No space left on device while writing' 'e2bfo abort'
	mount -o remount,size=64M below
	e2bfo 0 resume below/target.img
	checked below/target.img
	e2bfo 0 verify source.img below/target.img

	full
	e2bfo 8 copy --direct=$when source.img below/target.img
	mount -o remount,size=64M below
	e2bfo 0 abort below/target.img
	checked below/target.img
	unchanged source.img "$before" "--direct=$when"
done
