#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree -z: e2undo gives back what was live, after a build, a rebuild, a refresh and a removal.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck e2undo debugfs dumpe2fs perl losetup

mkdir -p old/many old/same
perl -e 'for (1 .. 300) { open(my $f, ">", "old/many/a-name-of-some-length-$_") or die;
	link("old/many/a-name-of-some-length-$_", "old/same/another-name-of-some-length-$_") if $_ < 200 }
	open(my $f, ">", "old/file") or die; print $f "content " x 500'

# state IMAGE NAME: all that users have in it, the container too, and what is free
state() {
	{
		"$JUDGES/dbmanifest" "$1"
		rm -f container
		ask "$1" "dump /.e2itree container" || :
		! [ -e container ] || digest container
	} > "$2.manifest"
	dumpe2fs "$1" 2> /dev/null | grep -Ei 'free (blocks|inodes)' > "$2.free"
}

# later IMAGE: times move on
later() {
	E2FSCK_TIME=$(($(date +%s) + 100)) e2fsck -fy "$1" > /dev/null 2>&1 || [ $? = 1 ]
}

# undone IMAGE OPTIONS: e2itree with them; e2undo gives IMAGE back; then once more, without -z
undone() {
	local image=$1

	shift
	state "$image" before
	rm -f undo
	e2itree 1 "$@" -z undo "$image"
	checked "$image"
	state "$image" between
	! cmp -s before.manifest between.manifest || fail "$*: nothing has changed: $(cat out)"
	[ "$(stat -c %s undo)" -lt 400000 ] || fail "$*: the undo file has $(stat -c %s undo) bytes"
	e2undo undo "$image" > e2undo.log 2>&1 || fail "$*: e2undo: $(cat e2undo.log)"
	checked "$image"
	state "$image" after
	same before.manifest after.manifest
	same before.free after.free
	e2itree 1 "$@" "$image"
	checked "$image"
}

# all MKE2FS-ARGUMENTS
all() {
	volume target.img 60M -d old "$@"
	e2fsck -fy target.img > /dev/null 2>&1 || [ $? = 1 ]	# mke2fs -d does not charge quotas
	undone target.img -p
	debug target.img 'ln file many/a-name-that-came-later' 'sif file links_count 2'
	e2itree 4 -n target.img
	undone target.img -p
	later target.img
	e2itree 4 -n target.img
	undone target.img -p
	undone target.img -r -y
	e2itree 4 -n target.img
}

all
all -O ^metadata_csum
all -b 1024
all -O quota
all -O ^has_journal
all -O ^has_journal,^extent,^metadata_csum,^64bit -b 1024

# A device.
volume target.img 60M -d old
if is_root; then
	device=$(loop target.img)
	e2itree 1 -p -z device.undo "$device"
	e2undo device.undo "$device" > e2undo.log 2>&1 || fail "e2undo: $(cat e2undo.log)"
	unloop "$device"
	checked target.img
fi

# What is no place for an undo file: nothing is done.
: >> device.undo
sum=$(digest target.img)
e2itree 8 -p -z device.undo target.img
says 'File exists'
e2itree 8 -p -z no/such/directory/undo target.img
[ "$sum" = "$(digest target.img)" ] || fail "the target was written"
e2itree 1 -p target.img
sum=$(digest target.img)
e2itree 0 -p -z unused target.img
[ ! -e unused ] || fail "an undo file without a change"
[ "$sum" = "$(digest target.img)" ] || fail "the target was written"
