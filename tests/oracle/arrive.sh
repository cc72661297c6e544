#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An archive that comes out of a pipe arrives in the target: what is copied is what comes by way of
# a temporary file, into filesystems of all kinds.  Whatever fails leaves a used target as it was,
# to the bit in what is in use, and no image: an archive that ends too early, clashes, too little
# room, too few inodes, signals, kills.  Files that come twice take no room.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck mount tar gzip perl dumpe2fs e2image debugfs \
	"$BUILDDIR/tests/fault/shim.so"

"$IMAGES/oddities" source.img
mounted source.img mnt
tar -C mnt -S --format=pax --xattrs --xattrs-include='*' --acls --exclude=fifteen-terabytes \
	-cf all.tar . 2> tar.log
unmounted mnt
gzip -k all.tar

# ---- what arrives is what was sent ----

losses=symlink-size,xattr-space		# of small blocks

# arrives NAME TAR OPTIONS...: into a new filesystem, in both ways
arrives() {
	local name=$1 tar=$2 status=0

	shift 2
	fed "$tar"
	"$E2BFO" copy --mkfs="$*" --size 300M --allow-loss=$losses --spool - "$name-spooled.img" \
		> out 2> said < "$FROM" || status=$?
	[ $status -le 1 ] || fail "$name, spooled: $status: $(cat said)"
	fed "$tar"
	e2bfo $status copy --mkfs="$*" --size 300M --allow-loss=$losses - "$name.img"
	checked "$name.img"
	e2bfo 0 verify "$name-spooled.img" "$name.img"
	rm "$name-spooled.img"
}

arrives ext4 all.tar -t ext4
arrives gzip all.tar.gz -t ext4
arrives small all.tar -t ext4 -b 1024
arrives clusters all.tar -t ext4 -O bigalloc -C 16384
arrives inline all.tar -t ext4 -O inline_data -I 512
arrives quota all.tar -t ext4 -O quota
arrives maps all.tar -t ext3 -I 256
arrives plain all.tar -t ext4 -O ^has_journal
e2bfo 0 verify ext4.img gzip.img
rm gzip.img small.img clusters.img inline.img quota.img maps.img plain.img

# Contiguous, in the order of the archive, one file behind the other, and none twice.
mkdir tree
perl -e 'for (1 .. 200) { open(my $f, ">", "tree/$_") or die; print $f chr(65 + $_ % 26) x (50 * $_) }'
tar -C tree --sort=name -cf once.tar .
tar -C tree --sort=name -cf twice.tar . .
fed once.tar
e2bfo 0 copy --mkfs --size 64M - once.img
fed twice.tar
e2bfo 0 copy --mkfs --size 64M - twice.img
checked twice.img
e2bfo 0 verify once.img twice.img
[ "$(dumpe2fs -h once.img 2> /dev/null | grep '^Free blocks')" = \
	"$(dumpe2fs -h twice.img 2> /dev/null | grep '^Free blocks')" ] || fail "what came twice takes room"
for file in $(cd tree && LC_ALL=C ls); do
	ask once.img "blocks /$file"
done | tr ' ' '\n' | grep . > blocks
sort -n blocks | cmp - blocks || fail "files do not lie in the order of the archive"
[ "$(tail -n 1 blocks)" = $(($(head -n 1 blocks) + $(wc -l < blocks) - 1)) ] || fail "they have gaps"

# Out of a named pipe, read back.
mkfifo named
cat once.tar > named &
e2bfo 0 copy --mkfs --size 64M --verify tar:named named.img
e2bfo 0 verify once.img named.img

# ---- a used target ----

volume before.img 64M
mounted before.img mnt rw,noatime
mkdir -p mnt/old mnt/new
cp tree/1* mnt/old
: > mnt/new/resident
unmounted mnt
e2fsck -fy before.img > /dev/null
cp --sparse=always before.img target.img
fed once.tar
e2bfo 0 copy --to /new - target.img
checked target.img
mounted target.img mnt
diff -r tree mnt/new | grep -v '^Only in mnt/new: resident$' && fail "not all is there"
diff -r tree mnt/old | grep -v '^Only in tree: ' && fail "what was there is not the same"
unmounted mnt
mounted before.img mnt
find mnt -printf '%P %m %U %G %s %T@ %i\n' | sort > was
unmounted mnt

# as_was WHAT: all that is in use is as it was, journal and all
as_was() {
	e2image -ra target.img now.raw > /dev/null 2>&1
	cmp now.raw before.raw || fail "$1: something in use has changed"
	checked target.img
}

# fails STATUS WHAT TAR OPTIONS...: copies TAR, which must not leave a trace
fails() {
	local expected=$1 what=$2 tar=$3

	shift 3
	cp --sparse=always before.img target.img
	fed "$tar"
	e2bfo "$expected" copy "$@" - target.img
	says "as it was|as before"
	as_was "$what"
}

e2image -ra before.img before.raw > /dev/null 2>&1
size=$(stat -c %s once.tar)
for cut in 100 511 512 513 4000 "$((size / 2))" "$((size / 2 / 512 * 512))"; do
	head -c "$cut" once.tar > cut.tar
	fails 8 "cut at $cut" cut.tar --to /new
done
# between two members: only the end mark is missing
end=$(perl -0777 -ne 'my $n = length; $n -= 512 while substr($_, $n - 512, 512) eq "\0" x 512;
	print $n' once.tar)
head -c "$end" once.tar > cut.tar
fails 8 "without an end mark" cut.tar --to /new
says 'end mark'
gzip -c cut.tar > cut.gz
fails 8 "without an end mark, compressed" cut.gz --to /new
gzip -c once.tar | head -c -4 > cut.gz
fails 8 "compressed, cut" cut.gz --to /new
: > empty
fails 8 "nothing" empty --to /new
fails 8 "clashes" once.tar --to /old
says 'exist already'
truncate -s 70M tree/sparse
head -c 70M /dev/urandom > tree/large
tar -C tree -cf large.tar .
rm tree/large tree/sparse
fails 8 "no room" large.tar --to /new
says 'free blocks'
mkdir many
(cd many && seq -f 'file-%.0f' 1 20000 | xargs touch)
tar -cf many.tar many
fails 8 "no inodes" many.tar --to /new
says 'inodes'

# ---- signals and kills, at writes ----

# 18 MB, so that the first three writes are data that arrive; later ones change the journal, too.
for n in 1 2 3 4 5 6; do
	head -c 3M /dev/urandom > "tree/part-$n"
done
tar -C tree -cf parts.tar .
cp --sparse=always before.img target.img
export FAULT_TARGET=$PWD/target.img
fed parts.tar
writes=$(events write copy --to /new - target.img)
FROM=
[ "$writes" -gt 20 ] || fail "only $writes writes"
for n in 1 2 3 "$((writes / 2))"; do
	for how in int kill; do
		cp --sparse=always before.img target.img
		fed parts.tar
		struck write $how "$n" copy --to /new - target.img
		[ $status = $([ $how = int ] && echo 32 || echo 137) ] ||
			fail "$how at write $n: exit $status: $(cat said)"
		[ $how = kill ] || says "as it was|as before"
		[ "$n" -gt 3 ] || as_was "$how at write $n"
		e2fsck -p target.img > fsck.log 2>&1 || [ $? -le 1 ] || fail "e2fsck -p: $(cat fsck.log)"
		checked target.img
		mounted target.img mnt
		find mnt -printf '%P %m %U %G %s %T@ %i\n' | sort > is
		unmounted mnt
		same was is
	done
done

# ---- new images ----

# refused WHY OPTIONS...: nothing is read, nothing is made
refused() {
	local why=$1

	shift
	fed once.tar
	e2bfo 16 copy "$@"
	says "$why" 'spool'
	[ ! -e new.img ] || fail "$*: there is an image"
}

refused 'size min' --mkfs --size min - new.img
refused 'dry run' --mkfs --size 64M -n - new.img
refused 'inodes used' --mkfs --size 64M --inodes used+10 - new.img
refused 'reproducible' --mkfs --size 64M --reproducible - new.img
refused 'order' --mkfs --size 64M --order size - new.img
refused 'hard-dereference' --mkfs --size 64M --hard-dereference - new.img

# not_made TAR OPTIONS...
not_made() {
	fed "$1"
	shift
	e2bfo 8 copy --mkfs --size 64M "$@" - new.img
	[ -z "$(echo new.img*)" ] || [ "$(echo new.img*)" = 'new.img*' ] || fail "$*: $(echo new.img*)"
}

not_made cut.gz
not_made large.tar
says 'free blocks are full after [0-9]+ bytes; a larger --size'
not_made many.tar --inodes 1000
says 'inodes' '--inodes'
fed many.tar
e2bfo 0 copy --mkfs --size 64M --inodes 21000 - new.img
checked new.img

# A device is formatted first, and that is said.
truncate -s 64M disk
device=$(loop disk)
fed cut.gz
e2bfo 8 copy --mkfs - "$device"
says 'has been formatted'
checked "$device"

# Nothing at all comes out of the pipe: whoever was to write it has failed.
: > nothing
fed nothing
e2bfo 8 copy --mkfs --size 20M - nothing.img
says 'it is empty'
[ ! -e nothing.img ] || fail "there is a nothing.img"
