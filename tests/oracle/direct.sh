#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --direct: bulk of block devices goes past the page cache, that of image files does not, unless
# told otherwise; what comes out is the same, also where sectors are larger than blocks.  And over
# which gaps the source is read.  What the page cache is good for when batches are small is
# t_cache's.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs strace losetup perl

export SOURCE_DATE_EPOCH=1700000000 E2FSPROGS_FAKE_TIME=1700000000
ID="-U 6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c001 -E hash_seed=6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c002"

mkdir -p tree/small
head -c 20M /dev/urandom > tree/big
head -c 300001 /dev/urandom > tree/odd
for i in $(seq 200); do
	head -c $((i * 37)) /dev/urandom > tree/small/$i
done
truncate -s 3M tree/hole
printf end >> tree/hole

# bulk LOG: MiB read and written through descriptors opened with O_DIRECT, and other MiB
bulk() {
	perl -ne '
		s/^(\d+) +//, my $thread = $1;
		if (/<unfinished/) { $begun{$thread} = $_; next }
		$_ = $begun{$thread} =~ s/ <unfinished.*//sr . $_ if s/^<... \w+ resumed>//;
		if (/^openat\(.* = (\d+)$/) { $direct{$1} = index($_, "O_DIRECT") > 0 }
		elsif (/^close\((\d+)/) { delete $direct{$1} }
		elsif (/^(?:pread|pwrite)\w*\((\d+),.* = (\d+)$/) { $sum{$direct{$1} ? "d" : "c"} += $2 }
		END { printf "%d %d\n", ($sum{d} || 0) >> 20, ($sum{c} || 0) >> 20 }' "$1"
}

# copied SOURCE TARGET OPTION...: sets $direct and $cached, MiB
copied() {
	strace -f -o calls -e trace=openat,close,pread64,preadv,pwrite64,pwritev \
		"$E2BFO" copy -q "$@" > said 2>&1 || fail "copy $*: $(cat said)"
	read -r direct cached <<< "$(bulk calls)"
}

# blank FILE BLOCK_SIZE [SIZE]: the target before each copy
blank() {
	rm -f "$1"
	truncate -s "${3:-64M}" "$1"
	mke2fs -q -F -t ext4 -b "$2" $ID "$1"
}

for sizes in "4096 4096" "1024 4096" "4096 1024" "1024 1024"; do
	read -r from to <<< "$sizes"
	rm -f source.img
	truncate -s 96M source.img
	mke2fs -q -F -t ext4 -b "$from" $ID -d tree source.img
	before=$(digest source.img)
	source=$(loop source.img)

	blank files.img "$to"
	copied source.img files.img
	[ "$direct" = 0 ] && [ "$cached" -ge 40 ] || fail "$sizes: files: $direct, $cached MiB"
	checked files.img
	expected=$(digest files.img)

	for when in auto always never; do
		blank target.img "$to"
		target=$(loop target.img)
		copied --direct=$when "$source" "$target"
		case $when in
		never)	[ "$direct" = 0 ] ;;
		*)	[ "$direct" -ge 40 ] && [ "$cached" -le 4 ] ;;
		esac || fail "$sizes: --direct=$when: $direct MiB past the page cache, $cached not"
		unloop "$target"
		[ "$(digest target.img)" = "$expected" ] ||
			fail "$sizes: --direct=$when: not the same"
	done
	unloop "$source"

	blank target.img "$to"
	copied --direct=always source.img target.img
	[ "$direct" -ge 40 ] || fail "$sizes: files, --direct=always: $direct MiB"
	[ "$(digest target.img)" = "$expected" ] ||
		fail "$sizes: files, --direct=always: not the same"

	# sectors of 4 KB
	blank target.img "$to"
	source=$(loop -b 4096 source.img)
	target=$(loop -b 4096 target.img)
	copied "$source" "$target"
	strace -f -o calls -e trace=openat,close,pread64,preadv "$E2BFO" verify -q "$source" "$target" \
		> said 2>&1 || fail "$sizes: verify: $(cat said)"
	read -r direct cached <<< "$(bulk calls)"
	strace -f -o calls -e trace=openat,close,pread64,preadv \
		"$E2BFO" cat "$source" /big /odd > contents || fail "$sizes: cat"
	cat tree/big tree/odd | cmp -s - contents || fail "$sizes: cat: other contents"
	read -r read_direct read_cached <<< "$(bulk calls)"
	unloop "$source"
	unloop "$target"
	[ "$(digest target.img)" = "$expected" ] || fail "$sizes: sectors of 4 KB: not the same"
	[ "$from" = 1024 ] || { [ "$read_direct" -ge 20 ] && [ "$read_cached" -le 2 ]; } ||
		fail "$sizes: cat: $read_direct MiB past the page cache, $read_cached not"
	[ "$from$to" = 40964096 ] && { [ "$direct" -ge 40 ] && [ "$cached" -le 6 ] ||
		fail "verify: $direct MiB past the page cache, $cached not"; }
	unchanged source.img "$before" "$sizes"
done

# ---- partitions that begin anywhere ----

at=$((63 * 512))
head -c $at /dev/zero > source.disk
cp source.disk target.disk
cat source.img >> source.disk
blank target.img 1024
cat target.img >> target.disk
source=$(loop source.disk)
target=$(loop target.disk)
copied "$source?offset=$at" "$target?offset=$at"
[ "$direct" -ge 40 ] || fail "partitions: $direct MiB"
unloop "$target"
tail -c +$((at + 1)) target.disk > target.img
[ "$(digest target.img)" = "$expected" ] || fail "partitions: not the same"

# ---- gaps that are read over ----

mkdir scattered
for i in $(seq -w 80); do
	head -c 200K /dev/urandom > "scattered/$i"
done
rm -f source.img
truncate -s 96M source.img
mke2fs -q -F -t ext4 -b 4096 $ID -d scattered source.img

# reads MEMORY: MiB that a copy with such a buffer, into a file, reads past the page cache
reads() {
	local source

	blank target.img 4096
	source=$(loop -r source.img)
	copied "$source" target.img --order source --memory "$1"
	unloop "$source"
	checked target.img
	grep -v pwrite calls > asked
	bulk asked | cut -d ' ' -f 1
}

whole=$(reads 64M)
parts=$(reads 4M)
[ "$whole" -ge 15 ] && [ "$parts" -ge 15 ] || fail "files in order: $whole, $parts MiB"
seq -f 'rm /%02.0f' 2 2 80 > commands
mapfile -t commands < commands
debug source.img "${commands[@]}"
whole=$(reads 64M)
parts=$(reads 4M)
[ "$whole" -ge 12 ] || fail "gaps, one batch: $whole MiB past the page cache"
[ "$parts" -ge 12 ] || fail "gaps, many batches: $parts MiB past the page cache"

# read_by ROTATIONAL OPTION...: MiB that a copy reads past the page cache, from a device that says
# so
read_by() {
	local source

	blank target.img 4096
	source=$(loop -r source.img)
	echo "$1" > "/sys/block/${source##*/}/queue/rotational"
	shift
	copied --order source "$@" "$source" target.img
	unloop "$source"
	checked target.img
	grep -v pwrite calls > asked
	bulk asked | cut -d ' ' -f 1
}

disk=$(read_by 1)
flash=$(read_by 0)
told=$(read_by 0 --read-gap 256K)
[ "$disk" -ge 14 ] || fail "gaps, of a disk: $disk MiB of 15"
[ "$flash" -le 8 ] || fail "gaps, without seek times: $flash MiB of 8"
[ "$told" = "$disk" ] || fail "gaps, --read-gap 256K: $told MiB, not $disk"

# ---- many batches, scattered over files that lie close together ----

rm -f source.img
truncate -s 96M source.img
mke2fs -q -F -t ext4 -b 4096 $ID -d scattered source.img

# by_cache OPTION...: sets $cached, MiB that a copy in small batches reads by way of the page cache,
# and $forgotten, MiB that it lets go from there
by_cache() {
	local source

	blank target.img 4096
	source=$(loop -r source.img)
	strace -f -o calls -e trace=openat,close,pread64,preadv,fadvise64 \
		"$E2BFO" copy -q --memory 4M "$@" "$source" target.img > said 2>&1 || fail "copy $*: $(cat said)"
	unloop "$source"
	checked target.img
	read -r _ cached <<< "$(bulk calls)"
	forgotten=$(perl -ne '$sum += $1 if /fadvise64\(\d+, \d+, (\d+), POSIX_FADV_DONTNEED/;
		END { printf "%d\n", ($sum || 0) >> 20 }' calls)
}

# Their regions, 20 MiB, are read as a whole, and leave the page cache when nobody wants them any
# more.
by_cache
[ "$cached" -ge 30 ] && [ "$forgotten" -ge 15 ] ||
	fail "$cached MiB by the page cache, $forgotten forgotten"
# The next program may want what --direct=never has read.
by_cache --direct=never
[ "$cached" -ge 30 ] && [ "$forgotten" = 0 ] ||
	fail "never: $cached MiB by the page cache, $forgotten forgotten"
# Not with --direct=always: less is read by way of the page cache then.
by_cache --direct=always
[ "$cached" -le 20 ] && [ "$forgotten" = 0 ] ||
	fail "always: $cached MiB by the page cache, $forgotten forgotten"

# What a journal has for some blocks does not make the others pieces.
mkdir many
perl -e 'for (1 .. 6000) { open(F, ">", "many/$_"); print F pack("N", $_) x 1024 }'
rm -f source.img
truncate -s 96M source.img
mke2fs -q -F -t ext4 -b 4096 $ID -d many source.img
by_cache
plain=$cached regions=$forgotten
commands=(journal_open)
for file in $(seq 100 100 6000); do
	perl -e 'print pack("N", shift) x 1024' "$file" > "block$file"
	commands+=("journal_write -b $(ask source.img "bmap /$file 0") block$file")
done
debug source.img "${commands[@]}" journal_close
by_cache
[ "$cached" -le $((plain + 20)) ] && [ "$forgotten" = "$regions" ] ||
	fail "with a journal: $cached MiB, $forgotten forgotten, without $plain, $regions"

# A buffer that takes all is read past the page cache, if regions hold far more than is wanted.
volume scattered.img 256M -N 16000 -O ^has_journal -G 1
mounted scattered.img mnt rw,noatime,nodelalloc
perl -e 'for (1 .. 12000) { open(F, ">", "mnt/$_"); print F pack("N", $_) x 4096 }'
unmounted mnt

# past: MiB of it that are
past() {
	local source

	rm -f target.img
	volume target.img 256M -N 16000
	source=$(loop -r scattered.img)
	copied "$source" target.img --memory 240M
	unloop "$source"
	checked target.img
	grep -v pwrite calls > asked
	bulk asked | cut -d ' ' -f 1
}

close=$(past)
mounted scattered.img mnt rw,noatime
seq -f mnt/%.0f 2 2 12000 | xargs rm
unmounted mnt
apart=$(past)
[ "$close" -le 8 ] || fail "files that lie close together: $close MiB past the page cache"
[ "$apart" -ge 16 ] || fail "files that lie apart: $apart MiB past the page cache"
# Of an image file that has no use: regions come first, and their pieces, 94 MiB, from the page
# cache.
rm -f target.img
volume target.img 256M -N 16000
copied scattered.img target.img --memory 240M
grep -v pwrite calls > asked
read -r _ cached <<< "$(bulk asked)"
[ "$cached" -ge 240 ] || fail "files that lie apart in an image file: $cached MiB read"

status=0
"$E2BFO" copy --direct=perhaps source.img target.img 2> said || status=$?
[ $status = 16 ] && grep -q 'direct perhaps: not auto, always or never' said ||
	fail "--direct=perhaps: $status $(cat said)"
