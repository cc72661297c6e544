#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory is what HACKING promises (P7): so much per inode, name and extent, the buffer, and 20 MB
# for everything else, shared libraries too; at the peak, as the kernel counts it.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs perl time setfattr

buffer=$((16 << 20)) rest=$((20 << 20)) times=1
if ldd "$E2BFO" | grep -q libasan; then		# its own memory counts, too
	times=3
	export ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1
fi

# within WHAT INODES NAMES NAME_BYTES EXTENTS COMMAND...: with --json, what it says that it takes is
# right
within() {
	local what=$1 peak told
	local limit=$(((64 * $2 + 24 * $3 + $4 + 16 * $5 + buffer + rest) * times))

	shift 5
	command time -f %M -o peak "$@" > out 2> said || fail "$*: $(cat said)"
	peak=$(($(cat peak) * 1024))
	echo "$what: $((peak >> 10)) KiB, promised $((limit >> 10))"
	[ "$peak" -le "$limit" ] || fail "$what takes more memory than promised"
	told=$(sed -n 's/.*"memory_bytes": \([0-9]*\).*/\1/p' out)
	[ -n "$told" ] || return 0
	[ "$peak" -le $(((told + rest) * times)) ] ||
		fail "$what takes more memory than it says: $told"
	[ "$told" -le "$limit" ] || fail "$what says that it takes more memory than promised: $told"
}

# shape WHAT INODES NAMES NAME_BYTES EXTENTS PERL: in a new directory, copied both ways.
shape() {
	local counts=("$2" "$3" "$4" "$5")

	volume source.img 2G -b 1024 -N 420000
	mounted source.img mnt rw,noatime
	(cd mnt && perl -e "$6")
	unmounted mnt
	volume target.img 2G -b 1024 -N 420000
	within "$1" "${counts[@]}" "$E2BFO" copy --json --memory 16M source.img target.img
	checked target.img
	rm target.img
	within "$1, --mkfs" "${counts[@]}" "$E2BFO" copy --memory 16M --mkfs --size 2G \
		source.img target.img
}

n=400000
shape "files of a block" $n $n $((5 * n)) $n '
	for my $dir (10 .. 49) {
		mkdir($dir) or die "$dir: $!";
		for (10001 .. 20000) { open(my $f, ">", "$dir/$_") or die "$!"; print $f "x"; }
	}'
shape "links" 80 $n $((5 * n)) 40 '
	for my $dir (10 .. 49) {
		mkdir($dir) or die "$dir: $!";
		open(my $f, ">", "$dir/file") or die "$!"; print $f "x";
		link("$dir/file", "$dir/$_") or die "$!" for 10001 .. 20000;
	}'
shape "extents" 40 40 80 $n '
	for my $file (1 .. 40) {
		open(my $f, ">", $file) or die "$file: $!";
		for (1 .. 10000) { sysseek($f, 2048 * $_, 0); syswrite($f, "x"); }
	}'
shape "extents of one file" 10 10 20 $n '
	open(my $f, ">", "file") or die "$!";
	for (1 .. 400000) { sysseek($f, 2048 * $_, 0); syswrite($f, "x"); }'

# What lies in the order of the target anyway is not kept: of 1 GiB that would be allowed, two
# batches of 16 MB each are used.
volume source.img 512M
mounted source.img mnt rw
for file in 1 2 3 4; do
	head -c 100M /dev/urandom > mnt/$file
done
unmounted mnt
volume target.img 512M
buffer=$((32 << 20))
within "400 MB in order" 20 20 80 20 "$E2BFO" copy source.img target.img
checked target.img

# Nor what lies close together: one directory, in the order of hashes.
n=60000
volume source.img 512M -N 70000
mounted source.img mnt rw,noatime
(cd mnt && perl -e 'for (1 .. 60000) { open(my $f, ">", "file$_") or die "$!"; print $f "x" x 4000; }')
unmounted mnt
volume target.img 512M -N 70000
within "240 MB, scattered" $n $n $((10 * n)) $n "$E2BFO" copy source.img target.img
checked target.img

# verify holds two trees, and of what it compares both inodes, with 512 bytes for what it knows
# about them; but a block of attributes that they share only once.
n=30000
volume source.img 512M -N 40000
mounted source.img mnt rw,noatime
(cd mnt && perl -e 'for (1 .. 30000) { open(my $f, ">", "file$_") or die "$!"; }' &&
	find . -name 'file*' -exec setfattr -n user.large -v "$(printf 'v%.0s' {1..300})" {} +)
unmounted mnt
buffer=$((n * (2 * 256 + 512)))
within "verify, shared attribute blocks" $((2 * n)) $((2 * n)) $((20 * n)) 0 \
	"$E2BFO" verify source.img source.img
