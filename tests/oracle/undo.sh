#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy -z: e2undo gives back what was live, and the undo file has nothing else.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck e2undo debugfs perl losetup

mkdir tree old
perl -e '$| = 1; for (1 .. 400) { open(my $f, ">", "tree/f$_") or die; print $f "$_ " x 30000 }'
perl -e 'for (1 .. 20) { open(my $f, ">", "old/o$_") or die; print $f "$_ " x 500 }'
volume source.img 120M -d tree
"$JUDGES/dbmanifest" source.img > /dev/null || fail "dbmanifest"

# undone OPTIONS MKE2FS-ARGUMENTS
undone() {
	local options=$1

	shift
	volume target.img 200M -d old "$@"
	"$JUDGES/dbmanifest" target.img > before
	dumpe2fs target.img 2> /dev/null | grep -Ei 'free (blocks|inodes)' > free.before
	rm -f undo
	e2bfo 0 copy $options -z undo source.img target.img
	checked target.img
	[ "$(stat -c %s undo)" -lt 2000000 ] ||
		fail "$*: the undo file has $(stat -c %s undo) bytes"
	e2undo undo target.img > e2undo.log 2>&1 || fail "$*: e2undo: $(cat e2undo.log)"
	checked target.img
	"$JUDGES/dbmanifest" target.img > after
	dumpe2fs target.img 2> /dev/null | grep -Ei 'free (blocks|inodes)' > free.after
	same before after
	same free.before free.after
	e2bfo 0 copy source.img target.img
	checked target.img
}

undone ""
undone "" -O ^metadata_csum
undone "" -b 1024
undone "--not-atomic"
undone "" -O ^has_journal
undone "--to /old/sub" -O orphan_file

# A device.
volume target.img 200M -d old
if is_root; then
	device=$(loop target.img)
	e2bfo 0 copy -z device.undo source.img "$device"
	e2undo device.undo "$device" > e2undo.log 2>&1 || fail "e2undo: $(cat e2undo.log)"
	unloop "$device"
	checked target.img
fi

# What is no place for an undo file: nothing is copied.
: >> device.undo
sum=$(sha256sum < target.img)
e2bfo 8 copy -z device.undo source.img target.img
says 'File exists'
e2bfo 8 copy -z no/such/directory/undo source.img target.img
e2bfo 16 copy --mkfs -z other.undo source.img target.img
[ "$sum" = "$(sha256sum < target.img)" ] || fail "the target was written"
