#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo pack --update: new files join composite files, which keep their inodes and their members'
# numbers; members that are too large become files; what has nothing to do writes nothing; what
# cannot be done, or is stopped, changes nothing.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs python3 perl "$BUILDDIR/tests/fault/shim.so"

export FAULT_TARGET=$PWD/image.img SOURCE_DATE_EPOCH=1700000000

# ---- a maildir that was packed ----

mkdir -p tree/mail/cur tree/other
for n in {10..60}; do
	head -c $((n * 100)) /dev/urandom > "tree/mail/cur/$n"
	echo "$n" > "tree/other/$n"
done
ln tree/mail/cur/10 tree/mail/cur/a-link
find tree -exec touch -h -d @1500000000 {} +
truncate -s 32M start.img
mke2fs -q -F -t ext4 -b 4096 -d tree start.img
e2fsck -fyD start.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
cp start.img packed.img
e2bfo 0 pack -q -r packed.img /

# table IMAGE PATH: numbers, names and sizes of the members; last: the number of the next one
table() {
	ask "$1" "dump $2 copy"
	python3 -c '
import struct
data = open("copy", "rb").read()
at, = struct.unpack("<Q", data[32:40])
at += struct.unpack("<I", data[at:at + 4])[0]
while at < len(data):
    length, number, _, size, _, fields, names = struct.unpack("<IIQQIHH", data[at:at + 32])
    skip = 32 + sum(n for i, n in enumerate((2, 12, 12, 12, 12, 8, 4)) if fields >> i & 1)
    print(number, data[at + skip + 1:at + skip + 1 + data[at + skip]].decode(), size)
    at += length
print(struct.unpack("<I", data[56:60])[0])'
}

# updated ARGUMENTS...: image.img is brought up to date
updated() {
	e2bfo 0 pack --update -r "$@" image.img /
	checked image.img
}

# ---- nothing to do ----

cp packed.img image.img
updated
same packed.img image.img
[ "$(events write pack --update -r image.img /)" = 0 ] || fail "something is written"
grep -q 'packed 0 files' out || fail "it says: $(cat out)"

# ---- new files ----

mkdir new
for n in {70..75}; do
	head -c $((n * 100)) /dev/urandom > "new/$n"
	touch -d @1500000000 "new/$n"
	printf 'put new/%s /mail/cur/%s\n' "$n" "$n"
done > script
head -c 100000 /dev/urandom > new/large
echo 'put new/large /mail/cur/large' >> script
e2bfo 0 batch packed.img script
e2bfo 0 batch start.img script
cp packed.img image.img
table image.img /mail/cur/packed-1.e2pack > was
updated -v
grep -q '/mail/cur/packed-1.e2pack: members: 57 ' out || fail "it says: $(cat out)"
[ "$(inode_of image.img /mail/cur/packed-1.e2pack)" = \
	"$(inode_of packed.img /mail/cur/packed-1.e2pack)" ] || fail "another inode"
[ "$(inode_of image.img /other/packed-1.e2pack)" = \
	"$(inode_of packed.img /other/packed-1.e2pack)" ] || fail "another inode, of what has not changed"
table image.img /mail/cur/packed-1.e2pack > is
same <(head -n -1 was) <(head -n 51 is)
same <(printf '%s\n' '52 70 7000' '53 71 7100' '54 72 7200' '55 73 7300' '56 74 7400' '57 75 7500' 58) \
	<(tail -n 7 is)
[ "$(ask image.img 'ex /mail/cur/packed-1.e2pack' | tail -n +2 | wc -l)" = 1 ] ||
	fail "not in one piece: $(ask image.img 'ex /mail/cur/packed-1.e2pack')"
e2bfo 0 ls image.img /mail/cur
grep -q large out || fail "what is large has gone"
cp image.img again.img
updated
same again.img image.img

# ---- members that are too large now ----

updated --max-size 4K
grep -q 'became files: 26' out || fail "it says: $(cat out)"
table image.img /mail/cur/packed-1.e2pack > is
same <(awk '$3 <= 4096 && NF == 3' was) <(head -n -1 is)
[ "$(tail -n 1 is)" = 58 ] || fail "the next number went back: $(tail -n 1 is)"
e2bfo 0 cat image.img /mail/cur/60
same out tree/mail/cur/60
updated --max-size 0 --json
python3 -c '
import json
x = json.load(open("out"))
assert x["removed"] == 2 and x["unpacked"] == 31 + 51 and x["composites"] == [], x' ||
	fail "the report of the last ones: $(cat out)"
! ask image.img 'ls /mail/cur' | grep -q e2pack || fail "an empty composite file"

# all of that later the tree is what it would be
e2bfo 1 verify start.img image.img
grep -v '^Compared' out | grep -vE '^/((mail/cur|other): (ctime|version)|mail/cur/[7l][^ ]*: generation) ' > differences || :
[ ! -s differences ] || fail "not what it was: $(cat differences)"

# ---- groups: members of a set come to one composite file; what was packed by it stays ----

# (files that were members are put beside new ones by name: a trace that a kernel made of it)
cp packed.img image.img
printf '%s\n' /mail/cur/73 /mail/cur/71 /mail/cur/75 > list
updated --order list:list
table image.img /mail/cur/packed-2.e2pack > is
same <(printf '%s\n' '1 73 7300' '2 71 7100' '3 75 7500' 4) is
same <(table packed.img /mail/cur/packed-1.e2pack) <(table image.img /mail/cur/packed-1.e2pack)
cp image.img again.img
updated --order list:list
same again.img image.img

# ---- several in a directory: the last one that has room ----

cp packed.img image.img
e2bfo 0 unpack -q -r image.img /mail
e2bfo 0 pack -q --pack-size 32K --max-size 7K image.img /mail/cur
checked image.img
last=$(ask image.img 'ls -p /mail/cur' | grep -o 'packed-[0-9]*' | sort -t - -k 2n | tail -n 1)
cp image.img several.img
echo tiny > tiny
echo 'put tiny /mail/cur/tiny' > script
e2bfo 0 batch image.img script
updated --pack-size 32K --max-size 7K -v
[ "$(grep -c ': members: ' out)" = 1 ] || fail "more than one is written: $(cat out)"
grep -q "^/mail/cur/$last.e2pack: members: " out || fail "not $last: $(cat out)"
e2bfo 0 unpack -q -r image.img /
e2bfo 0 cat image.img /mail/cur/tiny
same out tiny

# ---- a name that a member has, and somebody else ----

cp packed.img image.img
debug image.img 'cd /mail/cur' 'write tiny 60'
updated
grep -q '/mail/cur/60: not packed: a member of a composite file has its name' out ||
	fail "it says: $(cat out)"
table image.img /mail/cur/packed-1.e2pack > is
! grep -q ' 60 5$' is || fail "a name is there twice"
e2bfo 0 pack image.img /mail/cur
grep -q '/mail/cur/60: not packed: a member' out || fail "pack alone says: $(cat out)"

# ---- damage: of a content that has to move; nothing is changed ----

cp packed.img image.img
block=$(ask image.img 'bmap /mail/cur/packed-1.e2pack 3')
printf '\xa5\x5a' | dd of=image.img bs=1 seek=$((block * 4096 + 99)) conv=notrunc status=none
cp image.img kept.img
e2bfo 8 pack --update image.img /mail/cur
says 'damage.*packed-1.e2pack: a content is not what its checksum says'
says 'nothing was changed'
checked image.img
same <(table kept.img /mail/cur/packed-1.e2pack) <(table image.img /mail/cur/packed-1.e2pack)

# ---- stopped; and a journal that is too small ----

cp packed.img image.img
reads=$(events read-target pack --update -r image.img /)
stopped=0
for ((n = 1; n <= reads; n += (reads + 9) / 10)); do
	cp packed.img image.img
	struck read-target int "$n" pack --update -r image.img /
	checked image.img
	[ "$status" != 0 ] || continue
	[ "$status" = 32 ] || fail "SIGINT before read $n: exit $status: $(cat said)"
	stopped=$((stopped + 1))
	same <(table packed.img /mail/cur/packed-1.e2pack) \
		<(table image.img /mail/cur/packed-1.e2pack)
	for name in 70 75; do
		[ -n "$(inode_of image.img "/mail/cur/$name")" ] || fail "$name has gone"
	done
done
[ "$stopped" -ge 3 ] || fail "it was stopped $stopped times of $reads"

mkdir many
for n in {1..600}; do
	mkdir "many/directory-$n"
	echo 1 > "many/directory-$n/1"
	echo 2 > "many/directory-$n/2"
done
truncate -s 64M image.img
mke2fs -q -F -t ext4 -b 1024 -g 1024 -N 8192 -J size=1 -d many image.img
e2fsck -fyD image.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
cp image.img kept.img
e2bfo 8 pack -r image.img /
says 'journal.*the first [0-9]+ fit'
checked image.img
e2bfo 0 verify kept.img image.img
e2bfo 0 pack -q image.img /directory-{1..20}
checked image.img
