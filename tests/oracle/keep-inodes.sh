#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --keep-inodes: every path keeps its inode number, as the kernel shows it; what cannot is a loss;
# tables that held garbage are zero between the inodes. --verify: passes on a sound device.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup perl

volume source.img 200M -N 50000
mounted source.img mnt rw,noatime
perl -e 'chdir("mnt"); for my $d (1 .. 20) { mkdir("d$d"); for (1 .. 400) {
		open(my $f, ">", "d$d/$_") or die; print $f "$d/$_"; }
	link("d$d/1", "d$d/link"); }
	unlink(glob("d$_/*[02468]")) for 3 .. 17; symlink("x", "sym"); mkdir("last");'
unmounted mnt
checked source.img

# numbers IMAGE: a line for each path
numbers() {
	mounted "$1" mnt
	(cd mnt && find . -path ./lost+found -prune -o -printf '%i %p\n' | sort -k 2)
	unmounted mnt
}
numbers source.img > expected
manifests source.img source

# Formatted on garbage, so that parts of tables that are skipped would show.
head -c 220M /dev/zero | tr '\0' g > target.img
e2bfo 0 copy --keep-inodes --verify --mkfs --force source.img target.img
checked target.img
numbers target.img > actual
same expected actual
manifests target.img target
same_trees source target
mounted target.img mnt rw
cp -a mnt/d1 mnt/new
rm -r mnt/d2
unmounted mnt
checked target.img

# A target with fewer inodes, some of them taken.
volume target.img 200M -N 6000
mounted target.img mnt rw
touch mnt/theirs{1..30}
unmounted mnt
e2fsck -fy target.img > /dev/null || fail e2fsck
max=$(dumpe2fs -h target.img 2> /dev/null | awk "/^Inode count/ { print \$3 }")
before=$(digest target.img)
e2bfo 8 copy --keep-inodes source.img target.img
says 'inode number is taken' 'allow-loss=inode-number'
unchanged target.img "$before" refused
e2bfo 1 copy --keep-inodes --allow-loss=inode-number --json source.img target.img
checked target.img
numbers target.img | grep -v theirs > actual
awk -v max="$max" '$1 > max || ($1 > 11 && $1 < 42) { print $2 }' expected | sort > others
join -1 2 -2 2 expected actual | awk '$2 != $3 { print $1 }' | grep -v '^\.$' | sort > moved
[ -s others ] || fail "none was to be moved"
same others moved
[ "$(grep -o '"kind": "inode-number"' out | wc -l)" -ge "$(grep -vc link others)" ] ||
	fail "not every lost number was told"
