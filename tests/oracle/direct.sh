#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --direct: bulk of block devices goes past the page cache, that of image files does not, unless told
# otherwise; what comes out is the same, also where sectors are larger than blocks.  And how often the
# source is asked when batches are small, and over which gaps it is read.
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
		[ "$(digest target.img)" = "$expected" ] || fail "$sizes: --direct=$when: not the same"
	done
	unloop "$source"

	blank target.img "$to"
	copied --direct=always source.img target.img
	[ "$direct" -ge 40 ] || fail "$sizes: files, --direct=always: $direct MiB"
	[ "$(digest target.img)" = "$expected" ] || fail "$sizes: files, --direct=always: not the same"

	# sectors of 4 KB
	blank target.img "$to"
	source=$(loop -b 4096 source.img)
	target=$(loop -b 4096 target.img)
	copied "$source" "$target"
	strace -f -o calls -e trace=openat,close,pread64,preadv "$E2BFO" verify -q "$source" "$target" \
		> said 2>&1 || fail "$sizes: verify: $(cat said)"
	read -r direct cached <<< "$(bulk calls)"
	unloop "$source"
	unloop "$target"
	[ "$(digest target.img)" = "$expected" ] || fail "$sizes: sectors of 4 KB: not the same"
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

# read_by ROTATIONAL OPTION...: KiB that a copy reads from a device that says so
read_by() {
	local source before after

	blank target.img 4096
	source=$(loop -r source.img)
	echo "$1" > "/sys/block/${source##*/}/queue/rotational"
	shift
	read -r _ _ before _ < "/sys/block/${source##*/}/stat"
	e2bfo 0 copy --order source "$@" "$source" target.img
	read -r _ _ after _ < "/sys/block/${source##*/}/stat"
	unloop "$source"
	checked target.img
	echo "$(((after - before) / 2))"
}

disk=$(read_by 1)
flash=$(read_by 0)
told=$(read_by 0 --read-gap 256K)
[ "$disk" -ge 14000 ] || fail "gaps, of a disk: $disk KiB of 16,000"
[ "$flash" -le 10000 ] || fail "gaps, without seek times: $flash KiB of 8,000"
[ "$told" -ge $((disk - 500)) ] && [ "$told" -le $((disk + 500)) ] || fail "gaps, --read-gap 256K: $told KiB, not $disk"

# ---- many batches, scattered over files that lie close together: each of these is read once ----

rm -f source.img
truncate -s 96M source.img
mke2fs -q -F -t ext4 -b 4096 $ID -d scattered source.img

# requests MEMORY LOSETUP_OPTION...: how often a copy with such a buffer, in $order, asks the source's
# device, and for how many KiB
order=readdir
requests() {
	local memory=$1 source before sectors after now

	shift
	blank target.img 4096 160M
	source=$(loop -r "$@" source.img)
	read -r before _ sectors _ < "/sys/block/${source##*/}/stat"
	e2bfo 0 copy --memory "$memory" --order "$order" "$source" target.img
	read -r after _ now _ < "/sys/block/${source##*/}/stat"
	unloop "$source"
	checked target.img
	echo "$((after - before)) $(((now - sectors) / 2))"
}

read -r whole whole_size <<< "$(requests 64M)"
read -r parts parts_size <<< "$(requests 4M)"
[ "$whole_size" -ge 16000 ] || fail "one batch: $whole_size KiB of 16,000"
[ "$parts" -le $((whole * 2)) ] || fail "one batch: $whole requests, many: $parts"
[ "$parts_size" -le $((whole_size * 3 / 2)) ] || fail "one batch: $whole_size KiB, many: $parts_size"

# Only where the memory that is available holds their three regions of 5 MiB.
# The mounts of other tests, which the new namespace has copies of, would keep their filesystems busy.
cat > limited <<- EOF
	#!/bin/sh
	exec unshare -m sh -c '
		sed -n "s,^/dev/loop[^ ]* \\([^ ]*\\) .*,\\1,p" /proc/mounts | xargs -r umount -l
		mount --bind "\$PWD/meminfo" /proc/meminfo && exec "\$0" "\$@"' "$E2BFO" "\$@"
EOF
chmod +x limited

# with_memory MIB LOSETUP_OPTION...: how often a copy in small batches asks, where so much is available
with_memory() {
	echo "MemAvailable: $(($1 << 10)) kB" > meminfo
	shift
	E2BFO=$PWD/limited requests 4M "$@" | cut -d ' ' -f 1
}

# want_regions MIB LOSETUP_OPTION...: such a copy hardly asks more often than one in a large batch
want_regions() {
	local asked

	asked=$(with_memory "$@")
	[ "$asked" -le $((whole * 2)) ] || fail "one batch: $whole requests, with $*: $asked"
}

# want_pieces MIB LOSETUP_OPTION...: it asks far more often
want_pieces() {
	local asked

	asked=$(with_memory "$@")
	[ "$asked" -gt $((whole * 3)) ] || fail "one batch: $whole requests, with $*: $asked"
}

want_regions 16
want_pieces 14

# Nor with --direct=always: less is read by way of the page cache then.
# cached_reads WHEN: MiB that are, in small batches
cached_reads() {
	local source

	blank target.img 4096
	source=$(loop -r source.img)
	copied --direct="$1" --memory 4M "$source" target.img
	unloop "$source"
	grep -v pwrite calls > asked
	bulk asked | cut -d ' ' -f 2
}

auto=$(cached_reads auto)
always=$(cached_reads always)
[ "$always" -lt $((auto - 4)) ] || fail "read by way of the page cache: $auto MiB, always $always"

# What the page cache loses nevertheless is noticed: not every piece becomes a request.  While the copy
# waits after each of its first reads, its device's cache is dropped again and again.
mkdir many
perl -e 'for (1 .. 6000) { open(F, ">", "many/$_"); print F pack("N", $_) x 1024 }'
rm -f source.img
truncate -s 96M source.img
mke2fs -q -F -t ext4 -b 4096 $ID -d many source.img
cat > waiting <<- EOF
	#!/bin/sh
	for device; do
		case \$device in /dev/loop*) break ;; esac
	done
	perl -e 'open(D, "<", shift); my \$parent = getppid();	# BLKFLSBUF, while that is there
		ioctl(D, 0x1261, 0), select(undef, undef, undef, 1e-4) while getppid() == \$parent' \
		"\$device" &
	strace -f -qq -o /dev/null -e trace=preadv -e inject=preadv:delay_exit=1500:when=1..5000 \
		"$E2BFO" "\$@"
	status=\$?
	kill \$!
	exit \$status
EOF
chmod +x waiting
read -r kept _ <<< "$(requests 4M)"
[ "$kept" -le 100 ] || fail "6,000 small files: $kept requests"
read -r lost _ <<< "$(E2BFO=$PWD/waiting requests 4M)"
[ "$lost" -ge 100 ] && [ "$lost" -le 1600 ] || fail "they were lost: $lost requests"

# Files that lie near to where their names would have them, and a large one: of their 20 regions only
# few are held at once.
rm -f source.img
volume source.img 160M -O ^has_journal -G 1
head -c 200K /dev/urandom > piece
mapfile -t commands < <(perl -e 'printf("write piece %03d\n", $_ - $_ % 100 + $_ * 37 % 100) for 0 .. 399')
debug source.img "${commands[@]}" "write tree/big 050large"
order=name
read -r whole _ <<< "$(requests 128M)"
want_regions 34 --direct-io=on
asked=$(with_memory 14 --direct-io=on)
[ "$asked" -ge 400 ] || fail "400 files: $asked requests, with room for two regions"

# left MIB WHEN: KiB of their device that such a copy leaves in the page cache, where so much memory is
# available; the device is held open, as nothing would be left otherwise
left() {
	local source before after

	blank target.img 4096 160M
	source=$(loop -r --direct-io=on source.img)
	exec 9< "$source"
	echo "MemAvailable: $(($1 << 10)) kB" > meminfo
	E2BFO=$PWD/limited e2bfo 0 copy --memory 4M --order name --direct="$2" "$source" target.img
	read -r _ _ before _ < "/sys/block/${source##*/}/stat"
	cat "$source" > /dev/null
	read -r _ _ after _ < "/sys/block/${source##*/}/stat"
	exec 9<&-
	unloop "$source"
	echo "$((160 * 1024 - (after - before) / 2))"
}

kept=$(left 100 never)
[ "$kept" -ge 50000 ] || fail "room for all, --direct=never: $kept KiB of 100,000 stay in the page cache"
kept=$(left 100 auto)
[ "$kept" -le 15000 ] || fail "$kept KiB stay in the page cache"
kept=$(left 34 never)
[ "$kept" -le 15000 ] || fail "no room for all, --direct=never: $kept KiB stay in the page cache"
order=readdir

# What a journal has for some of their blocks does not make the others pieces.
commands=(journal_open)
for file in $(seq 100 100 6000); do
	perl -e 'print pack("N", shift) x 1024' "$file" > "block$file"
	commands+=("journal_write -b $(ask source.img "bmap /$file 0") block$file")
done
debug source.img "${commands[@]}" journal_close
read -r replayed _ <<< "$(requests 4M)"
[ "$replayed" -le $((kept + 200)) ] || fail "with a journal: $replayed requests, without $kept"

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
# Of an image file that has no use: regions come first, and their pieces, 94 MiB, from the page cache.
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
