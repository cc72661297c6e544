#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A farm of hard links: one file with as many names as ext4 allows (65,000), a thousand files
# with ten names each over a hundred directories, and links of symlinks and devices.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck losetup perl

filling source.img mnt 200M
as_owner perl -e '
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
is_filled mnt
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
for image in source part; do
	ask $image.img 'ls -p /dir-7' | cut -d / -f 6 | sort > $image.names
done
[ "$(wc -l < part.names)" -gt 700 ] || fail "$(wc -l < part.names) names in dir-7"
same source.names part.names
