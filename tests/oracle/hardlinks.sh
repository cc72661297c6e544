#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A farm of hard links: one file with as many names as ext4 allows (65,000), a thousand files
# with ten names each over a hundred directories, and links of symlinks and devices.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup perl

volume source.img 200M
mounted source.img mnt rw,noatime
perl -e '
	use List::Util "shuffle";
	sub made { my $n = shift; open(my $f, ">", $n) or die "$n: $!"; print $f "$n\n"; $n }
	sub linked { link($_[0], $_[1]) or die "$_[1]: $!"; }
	srand(2);
	chdir("mnt");
	mkdir("dir-$_") or die for 0 .. 99;
	my $most = made("dir-50/most");
	linked($most, "dir-" . int(rand(100)) . "/most-$_") for 2 .. 65000;
	for my $n (1 .. 1000) {
		my $first = made("dir-" . int(rand(100)) . "/file-$n-1");
		linked($first, "dir-" . int(rand(100)) . "/file-$n-$_") for 2 .. 10;
	}
	symlink("x" x (1 + $_), "link-$_") or die for 1 .. 100;
	system("mknod device-$_ c 9 " . 300 * $_) && die for 1 .. 20;
	linked("link-$_", "dir-$_/z") or die for shuffle(1 .. 99);
	linked("device-$_", "dir-$_/y") or die for 1 .. 20;'
unmounted mnt
manifests source.img source
grep -q ' nlink=65000 ' source.kernel || fail "no file with 65,000 links"

volume target.img 150M
e2bfo 0 copy source.img target.img
checked target.img
manifests target.img target
same_trees source target
ordered target.img

# A link count stays that of the names that were copied.
volume part.img 150M
e2bfo 0 copy --from /dir-7 source.img part.img
checked part.img
mounted source.img mnt
mounted part.img mnt-part
diff <(ls -U mnt/dir-7 | sort) <(ls -U mnt-part/dir-7 | sort) > /dev/null || fail "names of dir-7"
unmounted mnt-part
unmounted mnt
