#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A batch keeps no contents in memory, however many a commit has and however they come: the peak, as
# the kernel counts it, is --memory, 20 MB for everything else, and what HACKING (P7) promises for
# inodes and names.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck time tar

times=1
if ldd "$E2BFO" | grep -q libasan; then		# its own memory counts, too
	times=3
	export ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1
fi
head -c 100000 /dev/urandom > some
for i in {1..10}; do
	cat some
done > million
for i in {1..50}; do
	cat million
done > many

# small WHAT INODES ARGUMENTS...: image.img changes as `script` or the archive says
small() {
	local what=$1 limit=$(((((8 + 20) << 20) + $2 * (140 + 256 + 100)) * times)) peak

	shift 2
	command time -f %M -o peak "$E2BFO" batch --allow-commands "$@" < "${from:-/dev/null}" \
		> out 2> said || fail "$what: $(cat said)"
	peak=$(($(cat peak) * 1024))
	echo "$what: $((peak >> 10)) KiB, promised $((limit >> 10)): $(cat out)"
	[ "$peak" -le "$limit" ] || fail "$what: contents stay in memory"
}

volume image.img 220M -N 32768 -O inline_data
printf 'put %s /large\n' "$PWD/many" > script
small 'a large file' 1 image.img script
for i in {1..45}; do
	echo "put million /million$i"
done > script
small 'files' 60 image.img script
for i in {1..45}; do
	printf 'write -o %s million /large\n' "$((i * 1234567 % 49000000))"
	echo "append million /million$((i % 3 + 1))"
done > script
small 'updates and appends' 3 image.img script
perl -e 'print "append some /million4\n" x 400, "write -c -o 1000 some /new\n" x 300' > script
small 'the same file again and again' 2 image.img script
rm -f image.img
volume image.img 220M -N 32768
perl -e 'my $text = "0123456789abcdef" x 32000;
	print "{\"op\": \"put\", \"path\": \"/$_\", \"data\": \"$text\"}\n" for 1 .. 100' > script
small 'JSON' 160 image.img script
mkdir tree
ln many million tree
tar -cf tree.tar tree
from=tree.tar small 'an archive' 3 --tar - image.img
echo 'filter /tree/many cat' > script
small 'a command' 1 image.img script
echo 'put - /stdin' > script
from=many small 'standard input' 1 image.img script
checked image.img
seq -f 'put /dev/null /empty%.0f' 20000 > script
small 'many files' 20000 image.img script
checked image.img
volume image.img 120M -O ea_inode
for i in {1..500}; do
	printf '{"op": "put", "path": "/%s", "data": ""}\n' "$i"
	printf '{"op": "setxattr", "path": "/%s", "name": "user.x", "value": "%s%063996d"}\n' "$i" "$i" 0
done > script
small 'attributes' 1000 image.img script
checked image.img
