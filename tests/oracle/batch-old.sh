#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What stood on the volume before never shows in a file that a batch makes longer: neither behind
# its end in its last block, nor in blocks that are allocated and were never written.  Those that
# nobody writes to stay as they are.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

perl -e 'print "old " x 4000000' > old
perl -e 'print "text" x 2500' > text

# made BLOCK MKE2FS...: start.img, whose free blocks all have something; files of 10,000 bytes,
# whose blocks up to number 31, and four from 40 on, are allocated.  These lie below the end of
# every second file; the others have something behind their end, in the same block.
made() {
	local n at

	bs=$1
	shift
	at="-o $((10000 % bs)) -l $((bs - 10000 % bs)) -p 0x58 $((10000 / bs))"
	volume start.img 32M -b "$bs" "$@"
	debug start.img 'write old old'
	debug start.img 'rm old'
	for n in $(seq -w 0 48); do
		printf '%s\n' "write text f$n" "sif f$n size 200000" \
			"fallocate f$n $((10000 / bs / 4 * 4 + 4)) 31" "fallocate f$n 40 43"
		if [ $((10#$n % 2)) = 1 ]; then
			printf '%s\n' "sif f$n size 10000" "zap_block -f f$n $at"
		else
			echo "sif f$n size $((32 * bs - 7))"
		fi
	done | debug start.img
	checked start.img
}

# changes: script, of appends, writes and cuts of those files; and folder expected, what comes of
# them
changes() {
	rm -rf expected local
	mkdir expected local
	perl -e '
		my ($bs) = @ARGV;
		srand(26);
		my @sizes = (1, 10, $bs - 1, $bs, $bs + 1, 3 * $bs + 5);
		for my $n (0 .. 48) {
			my $name = sprintf("f%02d", $n);
			my $size = $n % 2 ? 10000 : 32 * $bs - 7;
			my $file = substr("text" x 2500 . "\0" x $size, 0, $size);
			for my $k (1 .. 1 + int(rand(3))) {
				my $new = substr("new$k" x 40000, 0, $sizes[rand(@sizes)]);
				my $kind = int(rand(3));
				my $at = $kind == 0 ? length($file) : int(rand(45));
				$at = $at * $bs + int(rand(2)) * int(rand($bs)) if $kind;
				last if !$n;
				if ($kind < 2) {
					open(my $f, ">", "local/$name-$k") or die;
					print $f $new;
					print $kind ? "write -o $at" : "append", " local/$name-$k /$name\n";
					$file .= "\0" x ($at - length($file)) if $at > length($file);
					substr($file, $at, length($new)) = $new;
				} else {
					print "truncate $at /$name\n";
					$file = substr($file . "\0" x $at, 0, $at);
				}
			}
			open(my $f, ">", "expected/$name") or die;
			print $f $file;
		}' "$bs" > script
	echo 'write -o 20000 text /f00' >> script
	dd if=text of=expected/f00 bs=10000 seek=2 conv=notrunc status=none
}

# tried BLOCK MKE2FS...
tried() {
	local every name

	made "$@"
	changes
	for every in '' '--commit-every 1'; do
		cp --sparse=always start.img image.img
		# shellcheck disable=SC2086
		e2bfo 0 batch -q $every image.img script
		checked image.img
		rm -rf got
		mkdir got
		for name in expected/*; do
			echo "dump /${name#*/} got/${name#*/}"
		done | debugfs -f - image.img > debugfs.log 2>&1
		for name in expected/*; do
			cmp "$name" "got/${name#*/}" || fail "$* $every: $(grep " /${name#*/}$" script)"
		done
		ask image.img 'ex /f00' > extents
		[ "$(grep -c Uninit extents)" -ge 2 ] || fail "what nobody wrote to is written: $(cat extents)"
	done
}

tried 4096
tried 1024
tried 4096 -O bigalloc -C 16384
tried 1024 -O ^metadata_csum,^64bit
