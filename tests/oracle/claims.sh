#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inodes that claim to be what their mode, their names or their users say that they are not, in the
# source and in directories of the target that are merged.  Whatever is claimed: nothing crashes, a
# target that was written is clean, one that was refused is untouched, and what was copied without a
# complaint is equal to verify.
# ("make check-slow" runs it with sanitizers as well.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl cmp

export E2FSPROGS_FAKE_TIME=1000000000
export ASAN_OPTIONS=exitcode=99:$ASAN_OPTIONS UBSAN_OPTIONS=${UBSAN_OPTIONS-exitcode=99}

EA_INODE=0x200000 VERITY=0x100000 ENCRYPT=0x800 CASEFOLD=0x40000000 INLINE=0x10000000
INDEX=0x1000 EXTENTS=0x80000
CLAIMS="$EA_INODE $VERITY $ENCRYPT $CASEFOLD $INLINE $INDEX $EXTENTS 0x10200000 0x40000800
	0x10080000 0x10001000 0x280000 0x50381800"
FEATURES=ea_inode,verity,encrypt,casefold,inline_data
forge=$SRCDIR/tests/oracle/inodeforge

# ---- judging ----

# program WHAT ARGUMENTS...: runs e2bfo; its status is in $status.
program() {
	local what=$1

	shift
	status=0
	"$E2BFO" "$@" > out 2> said < /dev/null || status=$?
	case $status in
	0 | 1 | 4 | 8)	return ;;
	esac
	tail -n 30 said
	fail "$what: e2bfo $1: exit $status"
}

# judged WHAT [MERGED]: source.img is copied to a fresh target, or to what MERGED is.  (What was not
# clean, and is none of e2bfo's business, cannot be clean afterwards.)
judged() {
	local fresh=${2:-fresh.img}

	[ -z "${2:-}" ] || e2fsck -fn "$2" > fsck.log 2>&1 && was_clean=1 || was_clean=

	cp "$fresh" target.img
	program "$1" copy source.img target.img
	copied=$status
	if [ $copied -gt 1 ]; then
		cmp -s "$fresh" target.img || fail "$1: refused, but the target has changed"
		program "$1" ls -lR source.img
		return
	fi
	[ -z "$was_clean" ] || e2fsck -fn target.img > fsck.log 2>&1 || {
		head -20 said fsck.log
		fail "$1: copied with status $copied, but the target is not clean"
	}
	[ -n "${2:-}" ] && return
	program "$1" verify source.img target.img
	[ $copied = 1 ] || [ $status = 0 ] || {
		cat out said
		fail "$1: all was copied, but verify says $status"
	}
	program "$1" ls -lR source.img
}

# ---- images: one of everything ----

# made FILE [mke2fs arguments]
made() {
	rm -f "$1"
	truncate -s 3M "$1"
	mke2fs -q -F -t ext4 -b 1024 -I 256 -N 64 -J size=1 "${@:2}" "$1"
}

perl -e 'print "v" x 1010' > value
perl -e 'print "w" x 1010' > other
perl -e 'print "s" x 70' > small
perl -e 'print "t" x 40' > medium

# filled FILE [mke2fs arguments]
filled() {
	made "$@"
	debug "$1" 'mkdir dir' 'write value dir/file' 'symlink fast here' \
		"symlink slow $(printf 's%.0s' {1..90})" 'mknod device c 1 3' 'mknod fifo p' \
		'write value file' 'write value full' 'ea_set -f small full user.small' \
		'ea_set -f medium full user.medium'
	repaired "$1"
}

# with_values FILE [mke2fs arguments]: with attributes, too, whose values stand in inodes
with_values() {
	filled "$@"
	debug "$1" 'ea_set -f value file user.claim' 'ea_set -f other dir user.claim' \
		'ea_set -f value full user.claim' 'ea_set -f other dir/file user.claim'
	repaired "$1"
}

# number PATH: its inode in base.img
number() {
	inode_of base.img "$1"
}

# ---- flags ----

# claimed KIND: everything in base.img claims everything, once each.
claimed() {
	local path ino claim

	for path in / /dir /fast /slow /device /fifo /file '<8>'; do
		ino=$(number "$path")
		for claim in $CLAIMS; do
			cp base.img source.img
			"$forge" source.img flip "$ino" "$claim"
			judged "$1: $path with flags ^ $claim"
		done
	done
}

made fresh.img -O "$FEATURES,metadata_csum"
filled base.img -O "$FEATURES,metadata_csum"
claimed checksums
made fresh.img
filled base.img -O ^metadata_csum,^extent,^64bit
claimed blocks

# Directories of the target that are merged.
made source.img
debug source.img 'mkdir dir' 'write value dir/new' 'write value new'
filled base.img -O "$FEATURES,metadata_csum"
for path in / /dir /dir/file '<8>'; do
	ino=$(number $path)
	for claim in $CLAIMS; do
		cp base.img merged.img
		"$forge" merged.img flip "$ino" "$claim"
		judged "merged: $path with flags ^ $claim" merged.img
	done
done

# ---- entries and the inodes that they name ----

# valued COMMANDS...: base.img changed by inodeforge, as source
valued() {
	cp base.img source.img
	"$forge" source.img "$@"
	judged "$*"
}

made plain.img
debug plain.img 'mkdir dir' 'write value dir/new' 'write value new'
for csum in metadata_csum ^metadata_csum; do
	made fresh.img -O "$FEATURES,$csum"
	with_values base.img -O "$FEATURES,$csum"
	file=$(number /file) dir=$(number /dir) full=$(number /full) named=$(number /dir/file)
	values=$(for ((ino = 12; ino < 30; ino++)); do
		! ask base.img "stat <$ino>" | grep -q 'Flags: 0x280000' || echo "$ino"
	done)
	read -r first second third fourth <<< "$(echo $values)"
	[ -n "$fourth" ] || fail "no four values: $values"

	for user in $file $full $dir; do
		for victim in "$user" 2 8 11 $dir $named "$(number /fast)" "$(number /fifo)" 63 65 "$second"; do
			valued value "$user" claim "$victim" value
			[ $user = $dir ] || continue
			mv source.img merged.img
			cp plain.img source.img
			judged "merged: value $user claim $victim" merged.img
		done
		valued flip "$named" $EA_INODE value "$user" claim "$named" value
		valued flip "$user" $EA_INODE value "$user" claim "$user" value
	done

	# Values that claim to be something else, that have attributes, names.
	block=$(ask base.img "stat <$full>" | sed -n 's/^File ACL: \([0-9]*\).*/\1/p')
	for claim in $CLAIMS; do
		valued flip "$first" "$claim"
	done
	valued block "$first" "$block" flip "$second" 0
	valued block "$first" "$block" value "$full" claim "$first" value
	debug base.img "ea_set -f small <$first> user.small" "ea_set -f value <$second> user.claim" \
		"ea_set -f value <$third> user.claim"
	valued flip "$first" 0
	valued value "$second" claim "$second" value
	valued value "$second" claim "$third" value value "$third" claim "$second" value
	debug base.img "ln <$third> /dir/third" "ln <$fourth> fourth"
	valued flip "$third" 0
done

# ---- ciphertext ----

# A policy makes an encrypted inode, in the inode or in its block; nothing else does.  A link that
# is encrypted begins with the length of its ciphertext, here 257.
perl -e 'print pack("C4 x8 a16", 1, 1, 4, 3, "k" x 16)' > policy
perl -e 'print pack("C4 x8 a16", 2, 1, 4, 3, "k" x 16)' > wrong
for size in 128 256; do
	made fresh.img -O "${FEATURES%,inline_data},metadata_csum" -I $size
	filled base.img -O "${FEATURES%,inline_data},metadata_csum" -I $size
	debug base.img "symlink secret $(printf '\001%.0s' {1..259})" 'ea_set -f policy file user.c' \
		'ea_set -f policy slow user.c' 'ea_set -f policy fast user.c' \
		'ea_set -f policy secret user.c' 'ea_set -f wrong full user.c'
	for path in /file:0 /secret:0 /slow:1 /fast:1 /full:1; do
		expected=${path#*:} path=${path%:*} ino=$(number "${path%:*}")
		cp base.img source.img
		"$forge" source.img flip "$ino" $ENCRYPT
		judged "$path without a policy, inodes of $size bytes"
		[ $copied = 1 ] || fail "$path without a policy: copied with status $copied"
		cp base.img source.img
		"$forge" source.img policy "$ino" flip "$ino" $ENCRYPT
		judged "$path with a policy, inodes of $size bytes"
		[ $copied = "$expected" ] || fail "$path with a policy: copied with status $copied"
		[ $expected = 1 ] || ask target.img "stat $path" | grep -q 'Flags: 0x[0-9a-f]*8[0-9a-f][0-9a-f]$' ||
			fail "$path is not encrypted any more"
	done
done
