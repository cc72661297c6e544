#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Judges the judges. A block copy (e2image -ra) must pass for equal, a file copy (cp -a) must
# not, and each kind of small change must be noticed by the judge that is there for it.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck e2image debugfs setfattr setfacl chattr losetup perl

# differs NAME JUDGE PATTERN: NAME's manifest is not the original's, and says so with PATTERN.
differs() {
	diff "original.$2" "$1.$2" > difference && fail "$1: not noticed ($2)"
	grep -q -e "$3" difference || {
		head -5 difference | cut -c 1-800
		fail "$1: noticed, but not as $3"
	}
}

# changed NAME COMMANDS...: a copy of the original, changed by debugfs, and its manifests.
changed() {
	local name=$1

	shift
	cp --sparse=always original.img changed.img
	debug changed.img "$@"
	manifests changed.img "$name"
}

# ascending: the fraction of steps between numbers, the first word of each line, that ascend.
ascending() {
	awk 'NR > 1 { up += $1 > last } { last = $1 } END { printf "%.4f", up / (NR - 1) }'
}

# poke FILE OFFSET HEX
poke() {
	printf "\\x$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

"$IMAGES/oddities" original.img
manifests original.img original
[ "$(wc -l < original.kernel)" -gt 5000 ] || fail "the manifest is too short"
[ "$(wc -l < original.kernel)" = "$(wc -l < original.disk)" ] || fail "judges disagree"

e2image -ra original.img block-copy.img 2> /dev/null
manifests block-copy.img block-copy
same_trees original block-copy

volume file-copy.img 300M -N 16384
mounted original.img from
mounted file-copy.img to rw,noatime
cp -a --sparse=always from/. to/ 2> /dev/null || :	# it cannot set trusted xattrs on all
unmounted to
unmounted from
manifests file-copy.img file-copy
differs file-copy kernel crtime=
differs file-copy kernel iflags=
differs file-copy disk version=
differs file-copy kernel 'layout=.*u'

cp --sparse=always original.img changed.img
block=$(ask original.img 'blocks /files/three-megabytes' | tr ' ' '\n' | sed -n 300p)
poke changed.img $((block * 4096 + 4095)) 01
manifests changed.img data
differs data kernel '/files/three-megabytes .*data='

[ "$(digest original.img)" != "$(digest changed.img)" ] || fail "digest: not noticed"
cp --sparse=never original.img changed.img
[ "$(digest original.img)" = "$(digest changed.img)" ] || fail "digest: holes make a difference"

changed value 'ea_set /xattrs/inside-3 user.short "value 4"'
differs value kernel '/xattrs/inside-3 .*xattr:user.short='
differs value disk '/xattrs/inside-3 .*ea:i:1.short='
changed flag 'set_inode_field /files/one-byte flags 0x80040'
differs flag kernel '/files/one-byte .*iflags=40'
changed symlink-flag 'set_inode_field /links/target-1 flags 0x40'
differs symlink-flag disk '/links/target-1 .*flags=00000040'
changed crtime 'set_inode_field /files/one-byte crtime_extra 0x4'
differs crtime kernel '/files/one-byte .*crtime='
changed generation 'set_inode_field /files/one-byte generation 1'
differs generation kernel '/files/one-byte .*gen=00000001'
changed version 'set_inode_field /files/one-byte version_hi 9'
differs version disk '/files/one-byte .*version_hi=00000009'
changed project 'set_inode_field /files/one-byte projid 9'
differs project disk '/files/one-byte .*projid=00000009'
changed extra 'set_inode_field /files/one-byte extra_isize 28'
differs extra disk '/files/one-byte .*extra_isize=28'
changed mtime 'set_inode_field /special/pipe mtime_extra 0x8'
differs mtime kernel '/special/pipe .*mtime='
changed owner 'set_inode_field /owners/wide uid 7'
differs owner kernel '/owners/wide .*uid='
changed device 'set_inode_field /special/block-big block[1] 0x11112c71'
differs device kernel '/special/block-big .*rdev=300:70001'
changed end 'set_inode_field /files/one-byte size 2'
differs end kernel '/files/one-byte .*size=2'
changed unwritten 'fallocate /files/hole-only 3 4'
differs unwritten kernel '/files/hole-only .*layout=12288+8192u'
differs unwritten disk '/files/hole-only .*layout=3+2u'
changed punch 'punch /files/three-megabytes 5 5'
differs punch kernel '/files/three-megabytes .*layout=0+20480,24576+'
changed link 'ln /files/one-byte /files/one-more' 'set_inode_field /files/one-byte links_count 2'
differs link kernel '/files/one-more .*link=/files/one-byte'
changed unlink 'rm /files/one-byte'
differs unlink kernel '^< /files/one-byte '

# A copied EA block instead of a shared one is a difference on disk only.
cp --sparse=always original.img changed.img
mounted changed.img to rw,noatime
value=$(getfattr --only-values -n user.shared to/shared/s7 | perl -0777 -ne 'print unpack("H*")')
setfattr -n user.shared -v "0x${value}00" to/shared/s7
sync -f to
setfattr -n user.shared -v "0x$value" to/shared/s7
unmounted to
manifests changed.img unshared
differs unshared disk '/shared/s7 .*eablock='

# readdir returns names in hash order: files made in another order are not in disk order, files
# made in the order in which a directory of the same names returned them are.
volume order.img 64M
mounted order.img to rw,noatime
mkdir to/unordered to/ordered
seq -f to/unordered/f%.0f 1 300 | xargs touch
"$JUDGES/readdir" -x /lost+found to > order && fail "readdir order of 300 new files passes"
grep -q '^0.[0-9]* 1.0000 300 /unordered$' order || fail "readdir: $(grep unordered order)"
ls -U to/unordered | (cd to/ordered && xargs -n 1 touch)
"$JUDGES/readdir" -x /unordered -x /lost+found to > order || fail "readdir: $(grep ordered order)"
grep -q '^1.0000 1.0000 300 /ordered$' order || fail "readdir: $(grep ordered order)"
rm -r to/ordered
mkdir to/ordered
ls -U to/unordered | tac | (cd to/ordered && while read -r f; do echo "$f" > "$f"; sync "$f"; done)
"$JUDGES/readdir" -x /unordered -x /lost+found to > order && fail "files in reverse order pass"
ls -iU to/ordered | ascending > inodes
ls -U to/ordered | sed 's|.*|bmap "/ordered/&" 0|' > commands
[ "$("$JUDGES/lookup" to/ordered 1000)" = 302 ] || fail "lookup"
unmounted to
# Where a file written on another CPU goes is the kernel's choice; debugfs says where it is.
debugfs -f commands order.img 2> /dev/null | grep '^[0-9]*$' > blocks
[ "$(sort -u blocks | wc -l)" = 300 ] || fail "debugfs: $(wc -l < blocks) blocks"
expected="$(cat inodes) $(ascending < blocks) 300 /ordered"
grep -q "^$expected\$" order || fail "readdir: $(grep ordered order), not $expected"
[[ $expected == 0.0* ]] || fail "300 files made in reverse ascend: $expected"

# A name in the wrong leaf is listed and not found, and lookup says so.
volume lookup.img 64M
mounted lookup.img to rw,noatime
mkdir to/d
seq -f to/d/name-%.0f 1 2000 | xargs touch
unmounted to
block=$(ask lookup.img 'bmap /d 1')
swap=$(ask lookup.img 'bmap /d 2')
dd if=lookup.img of=first bs=4096 skip="$block" count=1 status=none
dd if=lookup.img of=lookup.img bs=4096 skip="$swap" seek="$block" count=1 conv=notrunc status=none
dd if=first of=lookup.img bs=4096 seek="$swap" conv=notrunc status=none
mounted lookup.img to
"$JUDGES/lookup" to/d 0 > found 2>&1 && fail "lookup finds names in the wrong leaf"
grep -q 'listed but not found' found || fail "lookup: $(cat found)"
unmounted to
