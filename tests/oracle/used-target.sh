#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Targets that a kernel has used since they were last checked: copies and indexes go into them
# without e2fsck, and e2fsck, which looks afterwards, has no complaint. What the bitmaps wrongly
# call free is found and named, whatever the checksums say, and nothing is written then; --trust
# does not look.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs dumpe2fs losetup setfattr perl

# ---- sources: one tree that merges with what a kernel made ----

mkdir -p tree/d1/deep tree/new
perl -e '
	for (1 .. 300) { open(my $f, ">", "tree/" . ($_ % 2 ? "new" : "d1/deep") . "/copied-$_");
		print $f "copied $_ " x $_; }'
volume source.img 32M -I 128 -d tree 2> /dev/null

# used IMAGE ROUND: a kernel makes, removes, renames, fragments, links, preallocates; unmounts
# cleanly
used() {
	mounted "$1" mnt rw,noatime
	perl -e '
		my $round = $ARGV[0];
		srand($round);
		chdir("mnt") or die;
		sub made { my ($n, $k) = @_; open(my $f, ">", $n) or die "$n: $!"; print $f "$n " x $k; }
		mkdir($_) for qw(d1 d1/deep d2);
		made("d1/" . int(rand(900)), int(rand(400))) for 1 .. 400;
		made("d2/a-longer-name-$round-$_", 1) for 1 .. 300;
		unlink("d1/" . int(rand(900))) for 1 .. 300;
		rename("d1/$_", "d1/deep/from-$round-$_") for 100 .. 150;
		link("d2/a-longer-name-$round-$_", "d1/deep/link-$round-$_") for 1 .. 20;
		symlink("t" x 200, "d1/slow-$round-$_") for 1 .. 5;
		symlink("fast", "d1/fast-$round");
		open(my $f, ">", "holes-$round") or die;
		for (0 .. 699) { sysseek($f, $_ * 8192, 0); syswrite($f, "piece"); }
		unlink("holes-" . ($round - 1));' "$2"
	for name in mnt/d2/a-longer-name-"$2"-1*; do
		setfattr -n user.large -v "$(printf 'v%.0s' {1..700})" "$name"	# blocks that are shared
	done
	fallocate -n -l 100000 "mnt/d2/a-longer-name-$2-2" 2> /dev/null || :
	unmounted mnt
}

# reads IMAGE: a kernel reads all of it, and then writes
reads() {
	mounted "$1" mnt rw,noatime
	[ "$(cat "mnt/new/copied-299")" = "$(cat tree/new/copied-299)" ] || fail "$1: copied-299"
	tar -cf /dev/null -C mnt . || fail "$1: tar"
	echo more > mnt/new/by-the-kernel
	unmounted mnt
}

# The maintenance window: umount, e2itree or a copy, mount; never e2fsck.
for kind in "-t ext4 -b 4096" "-t ext4 -b 1024 -O ^metadata_csum,^flex_bg" "-t ext2 -b 1024" \
	"-t ext4 -O bigalloc -C 16384" "-t ext4 -O inline_data,ea_inode,^has_journal -I 256" \
	"-t ext4 -O meta_bg,^resize_inode,orphan_file"; do
	echo "$kind"
	truncate -s 0 target.img
	truncate -s 96M target.img
	mke2fs -q -F $kind target.img > /dev/null 2>&1 || fail "mke2fs $kind"
	used target.img 1
	e2itree 1 -p target.img
	checked target.img
	used target.img 2
	e2bfo 0 copy source.img target.img
	checked target.img
	reads target.img
	used target.img 3
	e2itree 4 -n target.img
	e2itree 1 -p target.img
	checked target.img
	mounted target.img mnt rw,noatime
	unmounted mnt
	e2itree 0 -n --json target.img		# a mount alone changes nothing
	! grep '"problem"' out || fail "a mount was taken for a change"
	e2itree 0 -p target.img
	e2bfo 0 ls --json target.img /d2
	grep -q '"index": "likely"' out ||
		fail "the index is not used: $(grep -o '"index[^,]*' out)"
	e2itree 1 -r target.img
	checked target.img
done

# ---- bitmaps that are wrong ----

volume used.img 64M -g 8192 -N 4096
used used.img 1
used used.img 2
e2itree 1 -p used.img

# super IMAGE WHAT: a number of its superblock
super() {
	dumpe2fs -h "$1" 2> /dev/null | sed -n "s/^$2: *//p"
}

# count GROUP WHAT: free blocks or inodes of a group of forged.img, by its descriptor
count() {
	dumpe2fs forged.img 2> /dev/null | perl -ne '
		$in = $1 == '"$1"' if /^Group (\d+):/;
		print "$1\n" if $in && /(\d+) free '"$2"'/;'
}

# free_block BLOCK, free_inode INODE: the bitmap of forged.img says so, and all counts and checksums
free_block() {
	local group=$(($1 / $(super forged.img "Blocks per group")))

	debug forged.img "freeb $1" \
		"set_bg $group free_blocks_count $(($(count $group blocks) + 1))" \
		"set_super_value free_blocks_count $(($(super forged.img "Free blocks") + 1))" \
		"set_bg $group checksum calc"
}
free_inode() {
	local group=$((($1 - 1) / $(super forged.img "Inodes per group")))

	debug forged.img "freei <$1>" \
		"set_bg $group free_inodes_count $(($(count $group inodes) + 1))" \
		"set_super_value free_inodes_count $(($(super forged.img "Free inodes") + 1))" \
		"set_bg $group checksum calc"
}

# forged COMMAND...: a fresh copy of the used volume, and then COMMAND
forged() {
	cp --sparse=always used.img forged.img
	"$@"
	! e2fsck -fn forged.img > fsck.log 2>&1 || fail "$*: e2fsck finds nothing"
}

# says_wrong PATTERN...
says_wrong() {
	says 'comparing forged.img with its bitmaps' 'run e2fsck -f forged.img first' "$@"
}

# refused WHAT PATTERN...: neither copied to nor indexed, by name, and untouched
refused() {
	local what=$1 before

	shift
	before=$(digest forged.img)
	e2bfo 8 copy --to /x source.img forged.img
	says_wrong "$@"
	e2itree 8 -p -f forged.img
	says_wrong "$@"
	unchanged forged.img "$before" "$what"
	echo "$what: refused"
}

# in_file PATH BLOCK: refused because BLOCK of PATH is free
in_file() {
	forged free_block "$2"
	refused "$1" "block $2 of inode $(inode_of used.img "$1") is free in the block bitmap"
}

file=/d2/a-longer-name-2-1
in_file $file "$(ask used.img "bmap $file 0")"
before=$(digest forged.img)
for how in --dry-run --force --itree; do
	e2bfo 8 copy $how --to /x source.img forged.img
	says_wrong 'is free in the block bitmap'
done
e2itree 8 -r forged.img
says_wrong 'is free in the block bitmap'
unchanged forged.img "$before" "every option"
e2bfo 0 copy --trust --dry-run --to /x source.img forged.img
e2itree 1 -p -f --trust forged.img
e2itree 1 -r --trust forged.img
in_file /d2 "$(ask used.img "bmap /d2 1")"
in_file /d1/slow-2-3 "$(ask used.img "bmap /d1/slow-2-3 0")"
in_file /holes-2 "$(ask used.img "bmap /holes-2 1398")"
leaf=$(ask used.img "stat /holes-2" | grep -o '(ETB[0-9]*):[0-9]*' | sed -n '$s/.*://p')
in_file /holes-2 "$leaf"
xattr=$(ask used.img "stat $file" | sed -n 's/.*File ACL: \([0-9]*\).*/\1/p')
[ "${xattr:-0}" != 0 ] || fail "no attribute block"
forged free_block "$xattr"
refused "attribute block" "block $xattr of inode [0-9]+ is free in the block bitmap"
forged free_block "$(ask used.img "bmap <8> 700")"
refused journal "block [0-9]+ of inode 8 is free in the block bitmap"
table=$(dumpe2fs used.img 2> /dev/null | sed -n 's/.*Inode table at \([0-9]*\)-.*/\1/p' | sed -n 2p)
[ "$table" ] || fail 'no inode table'
forged free_block $((table + 5))
refused "inode table" "block $((table + 5)) of the filesystem's own is free in the block bitmap"
ino=$(inode_of used.img $file)
forged free_inode "$ino"
refused "inode" "inode $ino is in use, but free in the inode bitmap"

# An inode that nobody can tell the blocks of; a block of two.
forged debug forged.img "sif $file block[0] 77"
refused "block map" "inode $ino block map is damaged"
other=$(ask used.img "bmap /d2/a-longer-name-2-2 0")
forged debug forged.img "sif $file block[5] $other"
refused "two files" "block $other of inode [0-9]+ belongs to something else, too"
forged debug forged.img "sif $file block[5] $table"
refused "a file in an inode table" "block $table of inode $ino belongs to something else, too"

forged debug forged.img "sif <1> block[0] $other"
refused "a file's block that is bad" "block $other of inode [0-9]+ belongs to something else, too"

# Inodes and descriptors that cannot be.
forged debug forged.img "sif $file mode 0170644"
refused "type" "inode $ino inode has no valid type"
forged debug forged.img "sif $file file_acl 99999999"
refused "attribute block outside" "attribute block 99999999 of inode $ino lies outside"
forged debug forged.img "set_bg 1 inode_table $(dumpe2fs used.img 2> /dev/null |
	sed -n 's/.*Inode table at \([0-9]*\)-.*/\1/p' | head -1)" 'set_bg 1 checksum calc'
refused "two tables in one place" 'tables or bitmaps of groups overlap'

# The bitmap itself is wrong, and does not match its checksum: --trust is not about that.
cp --sparse=always used.img forged.img
bitmap=$(dumpe2fs used.img 2> /dev/null | sed -n 's/.*Block bitmap at \([0-9]*\).*/\1/p' | head -1)
perl -e 'open(my $f, "+<", "forged.img") or die; sysseek($f, $ARGV[0], 0); sysread($f, my $byte, 1);
	sysseek($f, $ARGV[0], 0); syswrite($f, ~$byte);' $((bitmap * 4096 + 100))
before=$(digest forged.img)
for trust in "" --trust; do
	e2bfo 8 copy $trust --to /x source.img forged.img
	says 'bitmap checksum' 'e2fsck -f forged.img'
	e2itree 8 -p -f $trust forged.img
done
unchanged forged.img "$before" "checksum"

# Without checksums nothing but the comparison finds it; every slot of the tables counts then, so
# that they come in two parts of 2^18.
volume used.img 128M -g 2048 -N 400000 -I 128 \
	-O ^metadata_csum,^uninit_bg,^has_journal,^flex_bg 2> /dev/null
used used.img 1
mounted used.img mnt rw,noatime
perl -e 'for (1 .. 60) { mkdir("mnt/top-$_"); open(my $f, ">", "mnt/top-$_/file") or die; print $f "x"; }'
file=/$(cd mnt && find top-* -inum +300000 -type f | head -1)
[ "$file" != / ] || fail "no file in the second part"
unmounted mnt
used used.img 2
e2itree 1 -p used.img
in_file $file "$(ask used.img "bmap $file 0")"
forged free_inode "$(inode_of used.img $file)"
refused "inode, no checksums" "is in use, but free in the inode bitmap"

# Leaked blocks are nobody's: no reason to refuse.
cp --sparse=always used.img forged.img
leak=$(ask forged.img "ffb 1 9000" | sed 's/.*: //')
debug forged.img "setb $leak" \
	"set_bg $((leak / 2048)) free_blocks_count $(($(count $((leak / 2048)) blocks) - 1))" \
	"set_super_value free_blocks_count $(($(super forged.img "Free blocks") - 1))"
e2bfo 0 copy --to /x source.img forged.img

# Data past the end of a file are its own, too.
cp --sparse=always used.img forged.img
debug forged.img 'sif /holes-2 size 4096'
e2bfo 0 copy --dry-run --to /x source.img forged.img

# ---- who is believed ----

# What was checked since the last mount is, also with a block that debugfs has freed since.
cp --sparse=always used.img forged.img
repaired forged.img
free_block "$(ask forged.img "bmap $file 0")"
e2bfo 0 copy --dry-run --to /x source.img forged.img
# A mount in the same second as the check.
debug forged.img 'set_super_value mnt_count 1' \
	"set_super_value mtime $(date -d "$(super forged.img "Last checked")" +%Y%m%d%H%M%S)"
[ "$(super forged.img "Last checked")" = "$(super forged.img "Last mount time")" ] ||
	fail "mounted at another time"
e2bfo 8 copy --dry-run --to /x source.img forged.img
says 'is free in the block bitmap'
