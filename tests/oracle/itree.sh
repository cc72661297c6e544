#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree on every kind of filesystem: builds trees of exactly the big directories, which list
# their names in ascending inode order; everything else stays as it was; the kernel works on with
# it; after -r nothing tells that there was a container.
# long
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck tune2fs debugfs dumpe2fs losetup lsattr perl

export E2ITREE
seed=01234567-89ab-cdef-0123-456789abcdef
"$JUDGES/collide" $seed 1500000 > colliding
[ "$(wc -l < colliding)" -gt 800 ] || fail "too few names share a hash"

ROOT=0		# long names in the root directory

# ---- trees ----

# fill DIR: directories of many kinds, made, aged, emptied, by the kernel.
fill() {
	perl -e '
		use List::Util "shuffle";
		chdir($ARGV[0]) or die;
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
		srand(1);
		mkdir($_) or die for qw(big aged links same names emptied sub small tiny);
		for (0 .. 39) { mkdir("sub/" . "s" x 90 . $_) or die; }
		make("big/file" . "b" x ($_ % 30) . $_) for shuffle(1 .. 600);
		make("aged/$_" . "-" x 20) for shuffle(1 .. 500);
		unlink("aged/$_" . "-" x 20) for grep { $_ % 3 } 1 .. 500;
		make("aged/again$_") for shuffle(1 .. 300);
		make("tiny/$_") for 1 .. 3;
		make("names/" . chr(97 + $_ % 26) x $_) for shuffle(2 .. 255);
		make("names/$_") for "\n", "\\", "\\x41", "\x{1}", "\x{ff}", "\x{c3}\x{a4}", " ";
		link("tiny/1", "links/" . "l" x ($_ % 50) . $_) or die for shuffle(1 .. 400);
		link("tiny/2", "links/two$_") or die for 1 .. 300;
		open(my $c, "<", $ARGV[1]) or die;
		chomp(my @same = <$c>);
		link("tiny/" . (1 + $_ % 3 % 2 * 2), "same/$same[$_]") or die for 0 .. 799;
		make("emptied/$_" . "e" x 100) for 1 .. 700;
		unlink("emptied/$_" . "e" x 100) or die for 1 .. 700;
		make("small/$_") for 1 .. 20;
		link("tiny/3", "in-the-root-" . "r" x 200 . $_) or die for 1 .. $ARGV[2];' \
			"$1" "$WORK/colliding" "$ROOT"
}

# change DIR: some of everything, in directories with and without trees
change() {
	perl -e '
		chdir($ARGV[0]) or die;
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
		make("big/new$_") for 1 .. 50;
		unlink(glob("aged/again[12]*"));
		rename("names/aa", "links/moved") || rename("names/cc", "links/moved") or die "$!";
		rename("big", "small/big") or die;
		make("emptied/" . "n" x 200 . $_) for 1 .. 100;
		unlink(glob("same/*")); rmdir("same") or die;
		mkdir("sub/new"); make("sub/new/$_") for 1 .. 600;' "$1"
}

# ---- judges ----

# groups IMAGE: what superblock and descriptors say is free. Left out are checksums, and what a
# first file in a group changes for good: its flags, and how many inodes behind the last were
# never used. The root directory was written anew with one name more, perhaps larger and
# elsewhere: its blocks count as free, and where it has several, blocks are not told by group.
groups() {
	local root

	root=$(ask "$1" "stat <2>" | sed -n 's/^.*Blockcount: *//p')
	dumpe2fs "$1" 2> /dev/null | awk -v root="$root" -v one="$ROOT" '
		/^Block size:/ { size = $3 }
		/^Free blocks:/ { $3 += root * 512 / size }
		/^(Free|Filesystem state|Filesystem features)/
		/^ .* free inodes/ { if (one) $1 = ""; print $1, $4, $7 }'
}

# state IMAGE NAME HOW: all that is there but the container, and the root's times
state() {
	local what

	if [ "$3" != rw ] && [ "$3" != ro ]; then
		"$JUDGES/dbmanifest" -k -x /lost+found -x /.e2itree "$1" > "$2.kernel"
	else
		mounted "$1" mnt
		"$JUDGES/manifest" -x /lost+found -x /.e2itree mnt > "$2.kernel" ||
			fail "manifest of $1"
		unmounted mnt
	fi
	"$JUDGES/dbmanifest" -x /lost+found -x /.e2itree "$1" > "$2.disk" || fail "dbmanifest of $1"
	for what in kernel disk; do
		sed -i 's,^/ .*,/,' "$2.$what"
	done
}

# compared IMAGE HOW: trees have what directories have, in order
compared() {
	local numbers=

	case $2 in
	none | folded)
		"$SRCDIR/tests/oracle/itreenames" disk "$1" > names ;;
	*)	mounted "$1" mnt
		"$SRCDIR/tests/oracle/itreenames" kernel mnt > names
		unmounted mnt ;;
	esac
	[ "$2" != folded ] || numbers=numbers
	"$SRCDIR/tests/oracle/itreenames" compare "$1" names $numbers ||
		fail "$1: trees are not what directories are"
}

# is_ours IMAGE HOW: root's own, read and written by nobody else, immutable, packed
is_ours() {
	ask "$1" "stat /.e2itree" > stat
	grep -Eq 'Type: regular +Mode: +0600 +Flags: 0x[0-9a-f]*[13579bdf][0-9a-f]$' stat &&
		grep -Eq '^User: +0 +Group: +0 .*Size: [1-9]' stat && grep -q '^Links: 1 ' stat ||
		fail "$1: $(head -4 stat)"
	[ "$2" != rw ] || {
		mounted "$1" mnt
		[ "$(stat -c '%a %u %g %h' mnt/.e2itree)" = "600 0 0 1" ] ||
			fail "$1: no file for root alone"
		lsattr mnt/.e2itree | grep -q '^....i' || fail "$1: not immutable"
		unmounted mnt
	}
}

# free_of IMAGE WHAT
free_of() {
	dumpe2fs -h "$1" 2> /dev/null | sed -n "s/^Free $2: *//p"
}

# judge IMAGE HOW: HOW is "rw" (the kernel mounts it so), "ro", "none", or
# "folded" (nobody knows the names)
judge() {
	local image=$1 how=$2 before inodes

	state "$image" before "$how"
	groups "$image" > groups-before
	inodes=$(free_of "$image" inodes)
	e2itree 4 -n "$image"
	e2itree 1 -p "$image"
	checked "$image"
	is_ours "$image" "$how"
	[ "$(free_of "$image" inodes)" = $((inodes - 1)) ] || fail "$image: not one inode more"
	before=$(digest "$image")
	e2itree 0 -n "$image"
	e2itree 0 -p "$image"
	unchanged "$image" "$before" "nothing was to be done"
	compared "$image" "$how"
	state "$image" after "$how"
	same before.kernel after.kernel
	same before.disk after.disk

	e2itree 1 -f -p "$image"
	checked "$image"
	e2itree 0 -n "$image"
	e2itree 4 -n -r "$image"
	e2itree 1 -r -y "$image"
	checked "$image"
	groups "$image" > groups-after
	same groups-before groups-after
	state "$image" after "$how"
	same before.kernel after.kernel
	same before.disk after.disk
	[ -z "$(inode_of "$image" /.e2itree)" ] || fail "$image: /.e2itree is still there"
	e2itree 0 -r -y "$image"
	e2itree 1 -y "$image"
	checked "$image"
	[ "$how" != rw ] || work_on "$image"
}

# work_on IMAGE: the kernel changes what has trees; they are mended
work_on() {
	mounted "$1" mnt rw,noatime
	change mnt
	unmounted mnt
	repaired "$1"
	e2itree 4 -n "$1"
	grep -q 'is out of date' out || fail "$1: nothing is out of date"
	e2itree 1 -p "$1"
	checked "$1"
	e2itree 0 -n "$1"
	compared "$1" rw
}

# How this kernel has what it knows.
writable=rw readable=ro
is_root || writable=none readable=none

# image_with_tree SIZE MKE2FS-ARGUMENTS...
image_with_tree() {
	local size=$1

	shift
	is_root || { mkdir tree; fill tree; }
	rm -f image
	truncate -s "$size" image
	mke2fs -q -F -E hash_seed=$seed "$@" $(is_root || echo "-d tree") image
	[ -z "${HASH:-}" ] || tune2fs -E "hash_alg=$HASH" image > /dev/null
	[ -z "${SIGN:-}" ] || debug image "ssv flags $SIGN"
	if is_root; then
		mounted image mnt rw,noatime
		fill mnt
		unmounted mnt
		repaired image
	else
		repaired image -D
		rm -rf tree
	fi
}

# kind NAME SIZE MKE2FS-ARGUMENTS...: a filesystem that the kernel fills and writes, where root is
kind() {
	echo "$1"
	image_with_tree "${@:2}"
	judge image "$writable"
}

# quota: this kernel has none
quota() {
	echo quota
	image_with_tree 64M -t ext4 -b 1024 -N 5000 -J size=4
	quietly tune2fs -O project,quota -Q usrquota,grpquota,prjquota image
	checked image
	judge image "$readable"
	e2itree 1 -r -y image
	checked image
}

# large_blocks: 64 KB, where lengths of entries are written in another way
large_blocks() {
	echo 64k
	mkdir tree
	perl -e 'chdir("tree"); mkdir($_) for qw(big links small);
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
		make("big/" . "b" x ($_ % 100) . $_) for 1 .. 2000; make("small/$_") for 1 .. 200;
		make("here-$_" . "h" x 200) for 1 .. 320;
		make("links/one"); link("links/one", "links/$_" . "l" x 240) for 1 .. 600;'
	rm -f image
	truncate -s 200M image
	quietly mke2fs -q -F -t ext4 -b 65536 -O ^has_journal -N 8000 -d tree image
	e2fsck -fyD image > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
	ROOT=30 judge image none
}

# folded: names whose hashes stand behind them, as nobody else can tell them
folded() {
	echo folded
	"$IMAGES/folded" image "$JUDGES/dirhash" > folded.log 2>&1 || fail "$(cat folded.log)"
	judge image folded
}

for part in ${1:-ext maps options hashes offline}; do
	case $part in
	ext)	ROOT=30 kind ext2 32M -t ext2 -b 4096
		kind ext3 48M -t ext3 -b 4096 -J size=4
		kind ext3-1k-128 32M -t ext3 -b 1024 -I 128 -J size=4
		kind 1k 32M -t ext4 -b 1024 -N 5000 -J size=4
		kind 2k 48M -t ext4 -b 2048 -N 5000 -J size=4
		ROOT=30 kind 4k 64M -t ext4 -b 4096 -N 5000 -J size=8 ;;
	maps)	ROOT=30 kind no-csum 48M -t ext4 -b 4096 -N 5000 -O ^metadata_csum -J size=4
		kind no-journal 32M -t ext4 -b 1024 -N 5000 -O ^has_journal
		kind bigalloc 64M -t ext4 -b 1024 -N 5000 -O bigalloc -C 16384 -J size=4
		kind groups 64M -t ext4 -b 1024 -N 8000 -g 1024 -O ^flex_bg,^resize_inode -J size=1
		ROOT=30 kind linear 32M -t ext4 -b 1024 -N 5000 -O ^dir_index -J size=4 ;;
	options) kind inline 32M -t ext4 -b 1024 -I 256 -N 5000 -O inline_data -J size=4
		kind ea_inode 48M -t ext4 -b 4096 -N 5000 -J size=4 \
			-O ea_inode,large_dir,orphan_file
		ROOT=30 kind no-filetype 32M -t ext4 -b 1024 -N 5000 -O ^filetype -J size=4
		kind i128 48M -t ext4 -b 2048 -I 128 -N 5000 -J size=4 ;;
	hashes)	for HASH in legacy tea half_md4; do
			for SIGN in 1 2; do
				kind $HASH-$SIGN 32M -t ext4 -b 1024 -N 5000 -J size=4
			done
		done
		HASH='' SIGN='' ;;
	offline) quota
		large_blocks
		! is_root || folded ;;
	esac
done
