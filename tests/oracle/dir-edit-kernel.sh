#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel and plan/dir_edit take turns at a directory: each finds what the other has left.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup perl

# turns NAME BLOCK HASH POOL LONGEST [mke2fs arguments]
turns() {
	local image=$1.img turn

	rm -f "$image"
	truncate -s 64M "$image"
	mke2fs -q -F -b "$2" "${@:6}" "$image"
	debug "$image" "ssv def_hash_version $3"
	mounted "$image" mnt rw,noatime
	mkdir mnt/d mnt/files
	touch mnt/files/file-{1..100}
	unmounted mnt
	for turn in 1 2; do
		"$JUDGES/diredit" "$image" /d /files "$turn" 20 $((($4 + 29) / 30)) "$4" "$5" \
			> expected
		checked "$image"
		mounted "$image" mnt rw,noatime
		ls -U -i mnt/d | sed 's/^ *//' | sort > seen
		sort expected | cmp - seen || fail "$1, turn $turn: the kernel lists something else"
		[ "$("$JUDGES/lookup" mnt/d 300)" = $(($(wc -l < expected) + 2)) ] ||
			fail "$1, turn $turn: lookup"
		perl -e '
			my ($dir, $turn, $n, $long) = @ARGV;
			srand($turn);
			opendir(my $d, $dir) or die;
			my @names = sort grep { !/^\.\.?$/ } readdir($d);
			for (@names) {
				my $x = rand();
				my $new = "k-$turn-$_";
				$x > 0.2 or unlink("$dir/$_") or die "$_: $!";
				next if $x < 0.2 || $x > 0.4 || length($new) > 255;
				rename("$dir/$_", "$dir/$new") or die "$_: $!";
			}
			for (1 .. $n / 4) {
				my $name = "k-$turn-$_-" . "z" x rand($long);
				open(my $f, ">", "$dir/$name") or die "$name: $!";
			}' mnt/d $turn "$4" $(($5 < 200 ? $5 : 200))
		unmounted mnt
		checked "$image"
	done
}

turns half 1024 half_md4 3000 100 -t ext4 -O metadata_csum,large_dir
turns tea 4096 tea 6000 60 -t ext4 -O ^metadata_csum
turns legacy 2048 legacy 3000 255 -t ext3
turns linear 1024 half_md4 300 255 -t ext2 -O ^dir_index,^filetype
turns inline 1024 half_md4 600 40 -t ext4 -O inline_data -I 256
turns stays 1024 half_md4 6 12 -t ext4 -O inline_data -I 512
ask stays.img 'stat /d' | grep -q 'Flags: 0x10000000' || fail "/d of stays.img is not inline any more"
