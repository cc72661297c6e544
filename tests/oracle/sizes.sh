#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --size min+MORE, --inodes: so much is free for ordinary users afterwards, by the kernel's
# statfs and by who really writes it; the size is the one that --dry-run says; of tight trees: many
# files without data, one large file, directories alone; with blocks of 1 KiB, clusters, no journal,
# block maps.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck setpriv jq perl

MIB=1048576

# ---- trees; everybody may write to "all" ----

for tree in mixed empty large directories; do
	mkdir -p $tree/all
	chmod 777 $tree/all
done
perl -e '
	for my $d (1 .. 20) {
		mkdir("mixed/$d") or die;
		for my $f (1 .. 60) { open(my $o, ">", "mixed/$d/$f") or die; print $o "x" x ($d * $f * 15); }
	}
	for (1 .. 6000) { open(my $o, ">", "empty/$_") or die; }
	open(my $o, ">", "large/file") or die;
	print $o "$_ " x 20000 for 1 .. 500;
	for my $d (1 .. 10) { mkdir("directories/$d") or die; for (1 .. 60) { mkdir("directories/$d/$_") or die; } }'

# ---- what is free ----

# free IMAGE: sets available, inodes (free ones), size, and how many groups there are
free() {
	mounted "$1" mnt
	available=$(stat -f -c '%a * %S' mnt)
	available=$((available))
	inodes=$(stat -f -c %d mnt)
	unmounted mnt
	size=$(stat -c %s "$1")
	groups=$(dumpe2fs "$1" 2> /dev/null | grep -c '^Group ')
}

# within WHAT VALUE LEAST MOST
within() {
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: $2, not from $3 to $4"
}

# writable IMAGE BYTES: an ordinary user can write as much, and not 2 MiB more
writable() {
	mounted "$1" mnt rw
	(
		cd mnt
		setpriv --reuid=65534 --regid=65534 --clear-groups head -c "$2" /dev/zero > all/file
		sync -f .
	) || fail "$1: cannot write $2 bytes"
	if (
		cd mnt
		setpriv --reuid=65534 --regid=65534 --clear-groups bash -c 'head -c 2M /dev/zero > all/more' &&
			sync -f .
	) 2> write.log; then
		fail "$1: more than $2 bytes can be written"
	fi
	[ "$(stat -c %s mnt/all/file)" = "$2" ] || fail "$1: the file was cut"
	unmounted mnt
	checked "$1"
}

# makes SOURCE MKFS OPTIONS...: made.img, of the size that --dry-run says
makes() {
	local source=$1 mkfs=$2

	shift 2
	rm -f made.img
	e2bfo 0 copy --dry-run --json --mkfs="$mkfs" "$@" "$source" made.img
	size=$(jq .plan.target_bytes out)
	smallest=$(jq .plan.smallest_target_bytes out)
	e2bfo 0 copy --mkfs="$mkfs" "$@" "$source" made.img
	[ "$(stat -c %s made.img)" = "$size" ] ||
		fail "--dry-run $mkfs $* $source: $size bytes, and the copy has $(stat -c %s made.img)"
	checked made.img
	free made.img
}

# has WHAT LEAST: so much is available, and not much more
has() {
	local slack=$((size / 512))

	[ $slack -gt $MIB ] || slack=$MIB
	# (The smallest that mke2fs makes with a journal may have more than that.)
	[ "$size" != "$smallest" ] || slack=$((4 * MIB))
	within "$1: available" $available "$2" $(($2 + slack))
}

for kind in "" "-b 1024" "-O extent,bigalloc -C 65536" "-O ^has_journal" "-t ext2" "-m 0 -O ^resize_inode -L x"; do
	for tree in mixed empty large directories; do
		makes $tree "$kind" --size min+32M
		has "$kind $tree min+32M" $((32 * MIB))
		[ $tree != mixed ] || writable made.img $((32 * MIB))
		makes $tree "$kind" --size min+10%
		has "$kind $tree min+10%" $((smallest / 100 * 10))
	done
done

# Large enough that kernels keep 16 MiB for themselves, and not 2 %; and more than one group.
makes large "" --size min+1G
has "min+1G" $((1024 * MIB))
writable made.img $((1024 * MIB - 65536))	# a block of extents, beside the data

# ---- inodes ----

# counted OPTIONS...: made.img of "mixed", with N files and directories
mixed=$(find mixed | tail -n +2 | wc -l)
counted() {
	makes mixed "" --size min+8M --inodes "$1"
	has "--inodes $1" $((8 * MIB))
	# tables are whole blocks, 16 inodes each, in each group
	within "--inodes $1: free" $inodes "$2" $(($2 + 16 * groups))
}
counted used+0 0
counted used+1000 1000
counted used+25% $((mixed / 4))
counted used+300% $((mixed * 3))
counted 5000 $((5000 - mixed - 11))
counted 5K $((5120 - mixed - 11))
truncate -s 100M made.img
e2bfo 0 copy --mkfs --inodes used+64 --force mixed made.img
checked made.img
free made.img
within "an image that was there: free inodes" $inodes 64 $((64 + 16 * groups))
e2bfo 8 copy --mkfs --size min --inodes 100 mixed no.img
says 'inodes'
for wrong in --inodes=0 --inodes=used --inodes=used+ --inodes=x --inodes=5% --inodes=used+5%% \
	--inodes=4294967296 \
	--size=min+ --size=min+x --size=min-1 --size=min+5%% --size=minimal --size=min+-1; do
	e2bfo 16 copy --mkfs --size min "$wrong" mixed no.img
done
[ ! -e no.img ] || fail "there is a no.img"

# ---- from volumes, whose blocks that are reserved for root stay reserved ----

volume source.img 100M -m 10 -N 4000 -d mixed
makes source.img "" --size min+20M
has "a volume" $((20 * MIB))
reserved=$(dumpe2fs -h made.img 2> /dev/null | sed -n 's/^Reserved block count: *//p')
within "reserved blocks" "$reserved" $((size / 4096 / 10 - 2)) $((size / 4096 / 10 + 2))
