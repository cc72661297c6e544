#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Filesystems with other features than the default ones, as source and as target: what is
# accepted is copied faithfully (exit 0, or 1 where the target cannot hold all and that is
# said), and what is not is refused by the name of the feature, with nothing written.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr losetup perl

fill() {
	perl -e '
		sub made { my $n = shift; open(my $f, ">", $n) or die "$n: $!"; print $f shift; }
		chdir($ARGV[0]) or die;
		mkdir($_) or die for qw(d d/e many);
		made("small-$_", "content $_\n") for 1 .. 20;
		made("d/large", "0123456789abcde\n" x 20000);
		made("many/name-$_", "") for 1 .. 800;
		link("d/large", "d/e/link") or die;
		symlink("s" x 30, "fast") or die;
		symlink("s" x 300, "slow") or die;
		open(my $f, ">", "sparse") or die;
		for (0 .. 499) { sysseek($f, $_ * 8192, 0); syswrite($f, "b$_"); }' "$1"
	setfattr -n user.one -v 1 "$1/small-1"
	setfattr -n user.large -v "$(printf 'v%.0s' {1..700})" "$1/small-2"
}
mkdir plain-tree
fill plain-tree

# format FILE SIZE BLOCK ARGUMENTS...
format() {
	local file=$1 size=$2 block=$3 type="-t ext4"

	shift 3
	case " $* " in
	*' -t '*) type= ;;
	esac
	rm -f "$file"
	truncate -s "$size" "$file"
	mke2fs -q -F $type -b "$block" "$@" "$file" > /dev/null 2>&1 || fail "mke2fs $* cannot"
}

# make FILE SIZE BLOCK FEATURE ARGUMENTS...: filled by the kernel if this one can
make() {
	local file=$1 size=$2 block=$3 feature=$4

	shift 4
	format "$file" "$size" "$block" "$@"
	if mounted "$file" mnt rw,noatime 2> /dev/null; then
		fill mnt
		if [ "$feature" = ea_inode ]; then
			setfattr -n user.huge -v "$(printf 'h%.0s' {1..9000})" mnt/small-3
		fi
		unmounted mnt
	else
		format "$file" "$size" "$block" -d plain-tree "$@"
		e2fsck -fy "$file" > /dev/null || :	# mke2fs -d miscounts quota
		checked "$file"
	fi
}

# shown IMAGE NAME OPTIONS...: the kernel's manifest, or debugfs' if the kernel cannot mount
shown() {
	local image=$1 name=$2

	shift 2
	if mounted "$image" mnt 2> /dev/null; then
		"$JUDGES/manifest" -d -x /lost+found "$@" mnt > "$name" || fail "manifest of $image"
		unmounted mnt
	else
		"$JUDGES/dbmanifest" -x /lost+found "$image" > "$name" || fail "dbmanifest of $image"
	fi
}

# common IMAGE: names, modes and sizes on disk
common() {
	"$JUDGES/dbmanifest" -x /lost+found "$1" | sed 's/ uid=.*size=/ size=/; s/ flags=.*//'
}

# tried WHAT NAME OPTIONS...: copies source.img to target.img. NAME is what a refusal has to name.
tried() {
	local what=$1 name=$2 status=0 before judge

	shift 2
	before=$(digest target.img)
	"$E2BFO" copy source.img target.img > out 2> said < /dev/null || status=$?
	case $status in
	8)	says "$name"
		unchanged target.img "$before" "$what"
		echo "$what: refused: $(head -1 said)"
		return ;;
	1)	[ -s said ] || fail "$what: exit 1 without a word" ;;
	0)	;;
	*)	fail "$what: exit $status: $(cat said)" ;;
	esac
	checked target.img
	shown source.img expected "$@"
	shown target.img actual "$@"
	if ! head -1 expected | grep -q ' type=' || ! head -1 actual | grep -q ' type='; then
		# This kernel mounts one of the two not: what every filesystem has must do.
		common source.img > expected
		common target.img > actual
	fi
	same expected actual
	echo "$what: copied, exit $status"
}

# both NAME BLOCK MANIFEST-OPTIONS ARGUMENTS...: as source, and as target
both() {
	local name=$1 block=$2 options=$3

	shift 3
	make source.img 64M "$block" "$name" "$@"
	volume target.img 96M
	tried "from -b $block $*" "$name" $options
	make source.img 64M 4096 default
	format target.img 96M "$block" "$@"
	tried "to -b $block $*" "$name" $options
}

times='-o crtime -o atime -o mtime -o ctime'

both metadata_csum 4096 '' -O ^metadata_csum
both metadata_csum 4096 '' -O ^metadata_csum,uninit_bg
both 64bit 4096 '' -O ^64bit
both flex_bg 4096 '' -O ^flex_bg
both meta_bg 4096 '' -O meta_bg,^resize_inode
both dir_index 4096 '' -O ^dir_index
both has_journal 4096 '' -O ^has_journal
both extent 4096 '-o layout' -O ^extent,^64bit
both huge_file 4096 '' -O ^huge_file
both dir_nlink 4096 '' -O ^dir_nlink
both extra_isize 4096 '' -O ^extra_isize
both large_dir 4096 '' -O large_dir
both sparse_super2 4096 '' -O sparse_super2
both fast_commit 4096 '' -O fast_commit
both orphan_file 4096 '' -O orphan_file
both stable_inodes 4096 '' -O stable_inodes
both mmp 4096 '' -O mmp
both quota 4096 '' -O quota
both 'quota|project' 4096 '' -O quota,project
both casefold 4096 '' -O casefold
both encrypt 4096 '' -O encrypt
both verity 4096 '' -O verity
both inline_data 4096 '-o iflags -o layout' -O inline_data
both 'ea_inode|xattr-space' 4096 '' -O ea_inode
both bigalloc 4096 '' -O bigalloc -C 16384
both allow-loss=nanoseconds,birth-time 4096 "$times" -I 128
both inode.size 4096 '' -I 1024
both block.size 1024 '-o layout'
both block.size 2048 '-o layout'
both 'extent|ext2|journal' 4096 '-o layout' -t ext2
both 'extent|ext3' 4096 '-o layout' -t ext3
