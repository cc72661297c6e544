#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Images that end before their filesystem does, as dd leaves them that was stopped: wherever that
# is, what is there is copied, and what is reported lost is exactly what differs.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs dumpe2fs tune2fs setfattr losetup mount perl python3 sfdisk
JUDGE=$SRCDIR/tests/oracle/lostjudge

# Many groups with inodes and data of their own, none of whose bytes is zero.
volume whole.img 12M -b 1024 -g 1024 -G 1 -N 960 -I 256 -J size=1 \
	-O ^resize_inode,large_dir -E hash_seed=01234567-89ab-cdef-0123-456789abcdef
mounted whole.img mnt rw,noatime
perl -e '
	sub made { my ($n, $k) = @_; open(my $f, ">", $n) or die "$n: $!"; print $f "$n " x $k; }
	chdir("mnt") or die;
	for my $d (1 .. 24) {
		mkdir("d$d") or die;
		made("d$d/f$_", 40 * $_ * $d) for 1 .. 5;
		symlink("t" x 100, "d$d/slow") or die;
		symlink("f1", "d$d/fast") or die;
		link("d$d/f1", "d" . ($d % 5 + 1) . "/link$d") or die if $d > 5;
	}
	mkdir("indexed") or die;
	made("indexed/a-rather-long-name-for-an-entry-$_", $_) for 1 .. 300;
	open(my $f, ">", "sparse") or die;
	for (0 .. 299) { sysseek($f, $_ * 3072, 0); syswrite($f, "block $_ " x 100) or die; }'
for d in 3 9 15 21; do
	setfattr -n user.large -v "$(printf 'v%.0s' {1..700})" mnt/d$d/f2
done
unmounted mnt
checked whole.img
python3 "$JUDGE" places whole.img > places
mounted whole.img was
SIZE=$(stat -c %s whole.img)

# cut BYTES [FILE]: short.img is the beginning of FILE
cut_to() {
	cp --sparse=always "${2:-whole.img}" short.img
	truncate -s "$1" short.img
}

# copied MODE [SOURCE [OPTIONS]]: to target.img; the exit status is in $status
copied() {
	local mode=$1 source=${2:-short.img}

	shift $(($# < 2 ? $# : 2))
	rm -f target.img
	status=0
	"$E2BFO" copy --json --mkfs='-b 1024' --size 24M --on-read-error "$mode" "$@" "$source" \
		target.img > out 2> said < /dev/null || status=$?
}

# judged BYTES: the copy by zero or skip
judged() {
	checked target.img
	mounted target.img is
	python3 "$JUDGE" judge was is places $(($1 / 1024)) out > verdict || {
		cat verdict
		fail "$1 bytes"
	}
	unmounted is
}

# told BYTES: once, how much is missing
told() {
	[ "$(grep -c "ends before its filesystem does: it has $1 bytes, $((SIZE - $1)) are missing" said)" \
		= 1 ] || fail "$1 bytes: $(cat said)"
	grep -q "\"medium\": {\"bytes\": $1, \"missing_bytes\": $((SIZE - $1))}" out ||
		fail "$1 bytes: $(cat out)"
}

# refused SOURCE MODE PATTERN...: it cannot be copied, and says why
refused() {
	copied "$2" "$1"
	[ $status = 8 ] && [ ! -e target.img ] || fail "$1, $2: exit $status"
	shift 2
	says "$@"
}

# ---- wherever it ends: data, directories, maps, inode tables, a journal that is empty ----

set -- $(dumpe2fs whole.img 2> /dev/null | sed -n 's/.*Inode table at \([0-9]*\)-\([0-9]*\).*/\1 \2/p')
begin=$((($2 + 1) * 1024)) last=$(perl -ne 'while (/"(?:\d+|table|xattr)": (\d+)/g) {
	$max = $1 if $1 > $max } END { print($max + 1) }' places)
[ $((last * 1024)) -lt $((SIZE - 20000)) ] || fail "no free blocks at the end: $last"
lossless=0 lossy=0
for n in $(seq 0 59); do
	bytes=$((begin + (last * 1024 - begin) * n / 56 + n * 37 % 1024))
	[ $bytes -lt "$SIZE" ] || bytes=$((SIZE - 1))
	cut_to $bytes
	copied zero
	zero=$status
	case $zero in
	0)	lossless=$((lossless + 1)) ;;
	1)	lossy=$((lossy + 1)) ;;
	*)	fail "$bytes bytes: exit $zero: $(cat said)" ;;
	esac
	told $bytes
	judged $bytes
	! grep -q '"not_kept": \[\]' out || [ $zero = 0 ] || fail "$bytes bytes: nothing was lost"
	[ $((n % 4)) = 0 ] || continue
	copied skip
	[ $status = $zero ] || fail "$bytes bytes: exit $status with skip: $(cat said)"
	judged $bytes
	copied stop
	[ $status = $((zero * 8)) ] || fail "$bytes bytes: exit $status with stop: $(cat said)"
	told $bytes
	[ $status = 0 ] || says 'smaller than its filesystem while reading block [0-9]+ of short.img' \
		'on-read-error=zero or skip goes on'
done
[ $lossless -ge 2 ] && [ $lossy -ge 40 ] || fail "$lossless without loss, $lossy with"
cut_to "$SIZE"
copied stop
! grep -q '"medium"' out && [ $status = 0 ] && [ ! -s said ] || fail "of all bytes: $(cat said)"

# ---- where nothing can be read: among inodes before the root's, descriptors, in the superblock
# ----

cut_to $(($1 * 1024 + 300))
refused short.img zero 'Root directory'
cut_to $((2 * 1024 + 100))
refused short.img zero 'smaller than its filesystem while opening short.img: it ends before its group descriptors' \
	"it has 2148 bytes, its filesystem needs $((SIZE - 2148)) more"
for bytes in 1500 1024 0; do
	cut_to $bytes
	refused short.img zero 'Not an ext2, ext3 or ext4 filesystem'
done

# ---- the same of a device, a device whose file was cut, a partition, with a map, by a backup ----

# lost: what the last run says was not kept
lost() {
	grep -o '"not_kept": .*"clashes"' out > lost
}

middle=$((SIZE / 2 / 1024 * 1024 + 512))
cut_to $middle
copied zero
lost
[ $status = 1 ] && cp lost lost.file || fail 'nothing was lost'
copied zero short.img --dry-run			# tells the same, and makes nothing
lost
same lost.file lost
[ $status = 1 ] && [ ! -e target.img ] || fail "a plan: exit $status: $(cat said)"
told $middle
device=$(loop -r short.img)
copied zero "$device"
lost
same lost.file lost
says "$device ends before its filesystem does: it has $middle bytes"
unloop "$device"
cut_to "$SIZE"
device=$(loop -r short.img)
truncate -s $middle short.img
copied zero "$device"
lost
same lost.file lost
! grep -q 'ends before' said || fail 'the device is as long as ever'
unloop "$device"

for label in dos gpt; do
	rm -f disk.img
	truncate -s 20M disk.img
	printf 'label: %s\nsize=3M\nsize=%s\n' $label $((SIZE / 512)) | sfdisk -q --no-tell-kernel disk.img > /dev/null
	dd if=whole.img of=disk.img bs=1M seek=4 conv=notrunc status=none
	truncate -s $((4194304 + middle)) disk.img
	copied zero 'disk.img?partition=2'
	lost
	same lost.file lost
	says "disk.img.partition=2 ends before its filesystem does: it has $middle bytes"
	copied zero 'disk.img?offset=4194304'
	lost
	same lost.file lost
	truncate -s 4194304 disk.img
	refused 'disk.img?partition=2' zero 'disk.img ends before byte 4194304, where it begins'
	volume small.img 2M -O ^has_journal
	e2bfo 8 copy small.img 'disk.img?partition=2'
	[ "$(stat -c %s disk.img)" = 4194304 ] || fail 'a target grew'
done

cut_to $middle
printf '0 ? 1\n0 %s +\n' "$SIZE" > all.map
copied zero short.img --mapfile all.map --write-mapfile out.map
lost
same lost.file lost
grep -v '^#' out.map | perl -ane 'die "it ends at $end\n" if eof() && ($end = hex($F[0]) + hex($F[1])) !=
	'"$SIZE"'; die "bad: $_" if $F[2] eq "-"' || fail 'out.map'
copied zero short.img --write-mapfile new.map
tail -1 new.map | perl -ane 'exit(hex($F[0]) + hex($F[1]) != '$middle')' || fail 'new.map'
copied zero short.img -b 1025 -B 1024
[ $status = 1 ] || fail "by a backup: exit $status: $(cat said)"
judged $middle

# Nobody needs the block map of a journal that is empty, nor its blocks.
rm -f third.img
truncate -s 32M third.img
mke2fs -q -F -t ext2 -b 1024 -g 8192 -N 64 -O uninit_bg third.img
perl -e 'print("0123456789abcdef" x 700000)' > file
debug third.img 'write file file'
tune2fs -j -J size=1 third.img > tuned 2>&1
map=$(ask third.img 'stat <8>' | sed -n 's/.*(IND):\([0-9]*\),.*/\1/p')
[ "$map" -gt 10000 ] || fail "the journal is mapped in block $map"
cut_to $((map * 1024)) third.img
copied stop
[ $status = 0 ] || fail "without the journal's map: exit $status: $(cat said)"

# ---- a journal that has to be replayed ----

# What it has is there, wherever its place is; what nobody has written of it need not be.
unmounted was
tail=$(ask whole.img 'bmap <8> 900') used=$(ask whole.img 'bmap <8> 2')
far=$(ask whole.img 'bmap /sparse 0')
[ "$far" -gt "$tail" ] || fail "/sparse at $far, the end of the journal at $tail"
cp --sparse=always whole.img dirty.img
perl -e 'print(substr("replayed " x 500, 0, 1024))' > content
debug dirty.img journal_open "journal_write -b $far content" journal_close
cut_to $((tail * 1024)) dirty.img
copied zero
[ $status = 1 ] || fail "replayed: exit $status: $(cat said)"
grep -q '"journal": {"ignored": false, "transactions": 1, "blocks": 1' out || fail 'not replayed'
ask target.img 'dump /sparse is.sparse'
head -c 1024 is.sparse | cmp - content || fail 'what the journal has was lost'
grep -q '"path": "/sparse", "inode": [0-9]*, "offset": 3072,' out || fail "$(cat out)"
! grep -q '"path": "/sparse", "inode": [0-9]*, "offset": 0,' out || fail 'it was reported lost'
cut_to $((used * 1024 + 100)) dirty.img
for mode in stop zero skip; do
	refused short.img $mode 'Journal cannot be read while reading block 3 of the journal of short.img' \
		'Device is smaller than its filesystem' 'see --ignore-journal'
done
cp dirty.img whole.img				# the same tree, without the journal
mounted whole.img was ro,noload,noatime
copied zero short.img --ignore-journal
[ $status = 1 ] || fail "ignored: exit $status: $(cat said)"
judged $((used * 1024 + 100))
