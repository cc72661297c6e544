#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Filesystems that fuzz targets (tests/fuzz) have come upon and that were copied wrongly once, made
# again with debugfs.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

export E2FSPROGS_FAKE_TIME=1000000000

# small FILE [mke2fs arguments]
small() {
	volume "$1" 2M -b 1024 -O ^has_journal "${@:2}"
}

# ---- a symbolic link with an attribute block, where contents may stand in inodes ----

# e2fsck overlooks the attribute blocks of inline symbolic links, and finds them free.
perl -e 'print "v" x 300' > value
small source.img
debug source.img "symlink long $(printf 't%.0s' {1..90})" 'ea_set -f value long trusted.value' \
	"symlink short $(printf 's%.0s' {1..90})"
small target.img -O inline_data
e2bfo 0 copy source.img target.img
checked target.img
e2bfo 0 verify source.img target.img
ask target.img 'stat /short' | grep -q 'Flags: 0x1' || fail "no link stands in its inode"

# ---- a directory with two names, one of them outside of what is copied ----

# Its ".." was that of the name outside, where it was merged with a directory of the target.
small source.img
debug source.img 'mkdir before' 'mkdir dir' 'mkdir dir/sub' 'ln dir/sub before/sub' \
	'write value dir/sub/file'
small target.img
debug target.img 'mkdir dir' 'mkdir dir/sub' 'write value dir/sub/theirs'
e2bfo 0 copy --from /dir source.img target.img
checked target.img

# ---- a target's directory that is to gain names, and that a second name leads to ----

# It was walked again and again: for ever, where it lies in itself.
small source.img
debug source.img 'mkdir dir' 'mkdir dir/sub' 'write value dir/sub/file'
small target.img
debug target.img 'mkdir dir' 'mkdir dir/sub' 'ln dir dir/sub/again'
before=$(digest target.img)
e2bfo 8 copy source.img target.img
says 'two names.*e2fsck -f'
unchanged target.img "$before" "a target whose directory lies in itself"

# ---- flags that say what an inode is, where its type says otherwise ----

# A directory with EA_INODE was taken for a value, which has no record: a crash.
claims='-O ea_inode,verity,encrypt,casefold'
small base.img $claims
debug base.img 'mkdir dir' 'write value dir/file' 'symlink fast here' \
	"symlink slow $(printf 's%.0s' {1..90})" 'mknod device c 1 3' 'mknod fifo p' \
	'write value file'
for claim in / /dir /fast /slow /device /fifo /file; do
	for flag in 0x200000 0x100000 0x800 0x40000000 0x1000 0x2000; do
		case $claim:$flag in
		/:0x800 | /:0x40000000 | /:0x1000 | /dir:0x800 | /dir:0x40000000 | /dir:0x1000)
			continue ;;
		/fast:0x800 | /slow:0x800 | /file:0x[128]00000 | /file:0x800) continue ;;
		esac
		cp base.img source.img
		flags=$(ask base.img "stat $claim" | sed -n 's/.*Flags: \(0x[0-9a-f]*\).*/\1/p')
		debug source.img "set_inode_field $claim flags $(printf '0x%x' $((flags | flag)))"
		small target.img $claims
		e2bfo 1 copy source.img target.img
		says 'flags that its type cannot have'
		checked target.img
		e2bfo 1 ls -R source.img
		says "$claim: .*flags that its type cannot have"
		for path in dir/file fast slow device fifo file; do
			[ -n "$(inode_of target.img "$path")" ] ||
				fail "$claim with $flag: /$path is lost"
		done
	done
done

# A short symbolic link that claims to be inline data got a block, which such links cannot have; and
# what chattr(1) sets only of files and directories stayed.
small links.img -O inline_data
debug links.img 'symlink fast here' "symlink slow $(printf 's%.0s' {1..90})"
for flag in fast:0x10000000 fast:0x10 fast:0x20 slow:0x10 slow:0x20; do
	cp links.img source.img
	flags=$(ask links.img "stat ${flag%:*}" | sed -n 's/.*Flags: \(0x[0-9a-f]*\).*/\1/p')
	debug source.img "set_inode_field ${flag%:*} flags $(printf '0x%x' $((flags | ${flag#*:})))"
	small target.img -O inline_data,quota
	e2bfo 1 copy source.img target.img
	says 'flags that its type cannot have'
	checked target.img
	[[ $(ask target.img 'stat fast') = *'Fast link dest: "here"'* ]] ||
		fail "$flag: fast differs"
done

# The same of a target's directory that is to gain names: a target is mended by e2fsck.
small source.img
debug source.img 'mkdir dir' 'write value dir/new'
for claim in / /dir; do
	cp base.img target.img
	debug target.img "set_inode_field $claim flags 0x280000"
	before=$(digest target.img)
	e2bfo 8 copy source.img target.img
	says 'e2fsck -f'
	unchanged target.img "$before" "a target whose $claim claims to be a value"
done

# And of what else is in a target that was mounted since it was checked.
debug base.img 'set_super_value mtime 20300101'
cp base.img target.img
e2bfo 0 copy source.img target.img
cp base.img target.img
debug target.img "set_inode_field /fifo flags 0x200000"
before=$(digest target.img)
e2bfo 8 copy source.img target.img
says 'flags that its type cannot have'
unchanged target.img "$before" "a target whose fifo claims to be a value"

# ---- a wrong link count, where a part is copied ----

small source.img
debug source.img 'mkdir dir' 'write value dir/file' 'write value dir/both' 'ln dir/both other' \
	'set_inode_field dir/both links_count 2'
small target.img
e2bfo 0 copy --from /dir source.img target.img
debug source.img 'set_inode_field dir/file links_count 9'
for part in '--to /to' '--from /dir'; do
	small target.img
	e2bfo 1 copy $part source.img target.img
	says 'another number of names'
	checked target.img
done

# ---- a group that claims unused inodes, without the feature that would say so ----

# e2fsck reads the count without that feature, too: only once there are names of such inodes.
small source.img
debug source.img 'write value file'
small target.img -N 64 -O ^metadata_csum,^uninit_bg
debug target.img 'set_bg 0 itable_unused 53'
checked target.img
e2bfo 0 copy source.img target.img
checked target.img

# ---- an attribute without a name and a value ----

# Kernel and e2fsck pass over it.  verify took it for a change meanwhile, a copy that arranges
# attributes anew for damage.
small source.img
debug source.img 'write value file' 'ea_set file user.kept here' 'write value other' \
	'ea_set other user.kept here'
"$SRCDIR/tests/oracle/inodeforge" source.img nothing "$(inode_of source.img file)"
checked source.img
[[ $(ask source.img 'ea_list file') = *'(0)'* ]] || fail "no attribute is without a name"
for size in 256 512; do
	small target.img -I $size
	e2bfo 0 copy source.img target.img
	checked target.img
	[[ $(ask target.img 'ea_list file') = *'user.kept (4) = "here"'* ]] ||
		fail "user.kept is lost"
	e2bfo 0 verify source.img target.img
done
