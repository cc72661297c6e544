#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories that are encrypted and casefolded: their entries store hashes that only the key
# gives. No kernel here mounts the feature casefold: e2fsck and dirhash are the judges. Every name
# keeps its hash, lies in their order, and the index is by them; also without index, checksums,
# and in a target that keeps small things in inodes (a kernel has such directories in blocks).
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs tune2fs losetup perl

dirhash=$JUDGES/dirhash
inodes=$("$IMAGES/folded" source.img "$dirhash") || fail "no sample"
set -- $inodes
small=$1 empty=$2 linear=$3 indexed=$4
[ "$("$dirhash" version source.img "$indexed")" = 6 ] || fail "the sample has no index by SipHash"

# hashes IMAGE NAME: NAME.INODE, as they lie
hashes() {
	local inode

	for inode in $inodes; do
		"$dirhash" list "$1" "$inode" > "$2.$inode" || fail "dirhash list $1"
	done
}
hashes source.img source
[ "$(wc -l < "source.$small") $(wc -l < "source.$empty") $(wc -l < "source.$linear") $(
	wc -l < "source.$indexed")" = '22 0 150 2500' ] || fail "the sample lacks names"

# arrived IMAGE: all hashes, in their order, in directories of the right kind
arrived() {
	local inode

	checked "$1"
	hashes "$1" target
	for inode in $inodes; do
		sort "source.$inode" > expected
		cut -d ' ' -f 1 "target.$inode" > order
		LC_ALL=C sort -c order ||
			fail "directory $inode of $1 is not in the order of hashes"
		sort "target.$inode" > actual
		same expected actual
		ask "$1" "stat <$inode>" | grep -q 'Flags: 0x4008.8' ||
			fail "flags of directory $inode of $1"
	done
	"$E2BFO" verify source.img "$1" > out 2>&1 || fail "verify $1: $(cat out)"
}

# copied INDEX MKE2FS-ARGUMENTS...
copied() {
	local index=$1

	shift
	volume target.img 100M -N 4096 -O casefold,encrypt "$@"
	e2bfo 0 copy --keep-inodes source.img target.img
	arrived target.img
	[ $index = 0 ] || [ "$("$dirhash" version target.img "$indexed")" = 6 ] ||
		fail "the index of $* is not by SipHash"
	ask target.img "stat <$indexed>" | grep -q 'Flags: 0x40081' && [ $index = 1 ] ||
		[ $index = 0 ] || fail "no index with $*"
}
copied 1
copied 1 -O ^metadata_csum
copied 0 -O ^dir_index
copied 1 -O inline_data
cp target.img second.img
e2bfo 0 copy --keep-inodes --mkfs --size 80M second.img third.img
arrived third.img

# ---- other hashes are a difference ----
"$dirhash" make target.img 2 "$small"
checked target.img
e2bfo 1 verify --verbose source.img target.img
[ "$(grep -c ': hash [0-9a-f]\{8\}\.[0-9a-f]\{8\}, other ' out)" = 22 ] &&
	[ "$(grep -c '^/' out)" = 22 ] || fail "not 22 hashes: $(cat out)"
hashes target.img target
for side in source target; do
	cut -d ' ' -f 1 "$side.$small"
done | sort > expected
grep -o '[0-9a-f]\{8\}\.[0-9a-f]\{8\}, other .*' out | sed 's/, other /\n/' | sort > actual
same expected actual
e2bfo 0 verify --ignore hash source.img target.img
e2bfo 1 verify --json source.img target.img
[ "$(grep -o '"kind": "hash"' out | wc -l)" = 22 ] || fail "not 22 hashes in JSON"

# ---- a target that cannot hold them ----
for lacks in encrypt casefold; do
	volume target.img 100M -O casefold,encrypt -O ^$lacks
	e2bfo 8 copy source.img target.img
	says 'allow-loss=encrypted'
	e2bfo 1 copy --allow-loss=encrypted source.img target.img
	checked target.img
done

# ---- names that no cipher makes; entries without room for a hash ----
# secret IMAGE FLAGS: /d is encrypted, so has a policy, and has these flags, too
secret() {
	perl -e 'print pack("C4 x8 a16", 1, 1, 4, 3, "k" x 16)' > policy
	debug "$1" 'ea_set -f policy /d user.c'
	"$SRCDIR/tests/oracle/inodeforge" "$1" policy "$(inode_of "$1" /d)" \
		flip "$(inode_of "$1" /d)" "$2"
}

volume source.img 64M -O encrypt
debug source.img 'mkdir /d' 'mkdir /d/fifteen-letters' 'mkdir /d/sixteen-letters-'
secret source.img 0x800
volume target.img 100M -O encrypt
e2bfo 1 copy source.img target.img
says 'name is not allowed'
[ "$(ask target.img 'ls -p /d' | grep -c .)" = 3 ] || fail "not one of two encrypted names"

volume source.img 64M -O casefold,encrypt
debug source.img 'mkdir /d' 'mkdir /d/abc' 'mkdir /d/abcd'
secret source.img 0x40000800
e2bfo 8 verify source.img source.img
says 'directory block is damaged'
volume target.img 100M -O casefold,encrypt
e2bfo 1 copy source.img target.img
says 'directory block is damaged'
[ "$(ask target.img 'ls -p /d' | grep -c .)" = 2 ] || fail "names without hashes have arrived"
