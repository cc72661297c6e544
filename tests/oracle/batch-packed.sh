#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch on members of composite files, by their paths: what changes is written anew in the
# same inode, in one piece, and members keep their numbers; what no member may be becomes a file;
# the last member takes the composite file with it; what fails changes nothing.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs python3

mkdir -p tree/mail tree/pair tree/gone tree/elsewhere
for n in {10..30}; do
	head -c $((n * 300)) /dev/urandom > "tree/mail/$n"
	echo "$n" > "tree/gone/$n"
done
echo one > tree/pair/1
echo two > tree/pair/2
find tree -exec touch -h -d @1500000000 {} +
truncate -s 32M packed.img
mke2fs -q -F -t ext4 -b 4096 -d tree packed.img
e2fsck -fyD packed.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
e2bfo 0 pack -q -r packed.img /
for n in {1..8}; do
	head -c $((n * 1111)) /dev/urandom > "new-$n"
done
head -c 70000 /dev/urandom > large

# table IMAGE PATH: number, first name, size and permissions (if not the common ones) of each member
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
    print(number, data[at + skip + 1:at + skip + 1 + data[at + skip]].decode(), size, names)
    at += length
print("next", struct.unpack("<I", data[56:60])[0])'
}

# done_by LINES...: image.img is packed.img, after that script
done_by() {
	cp packed.img image.img
	printf '%s\n' "$@" > script
	e2bfo 0 batch image.img script
	checked image.img
}

# member NAME [SIZE]: it is one, and nothing has its name
member() {
	table image.img /mail/packed-1.e2pack > members
	grep -qE "^[0-9]+ $1 ${2:-[0-9]+} " members || fail "$1 is no member: $(cat members)"
	[ -z "$(inode_of image.img "/mail/$1")" ] || fail "$1 is a file, too"
}

# file PATH: it is one, and no member
file() {
	[ -n "$(inode_of image.img "$1")" ] || fail "$1 is no file"
	table image.img /mail/packed-1.e2pack > members
	! grep -qE "^[0-9]+ ${1##*/} " members || fail "$1 is a member, too"
}

# reads PATH FILE: unpacked, that is what it has
reads() {
	cp image.img unpacked.img
	e2bfo 0 unpack -q -r unpacked.img /
	e2bfo 0 cat unpacked.img "$1"
	cmp -s out "$2" || fail "$1 is not $2"
}

# ---- contents: the inode and the numbers stay ----

done_by 'put new-1 /mail/12' 'append new-2 /mail/13' 'write -o 100 new-3 /mail/14' \
	'truncate 50 /mail/15' 'rm /mail/16' 'mv /mail/17 /mail/seventeen' 'ln /mail/18 /mail/other' \
	'setxattr /mail/19 user.x value' 'chmod 0600 /mail/20'
[ "$(inode_of image.img /mail/packed-1.e2pack)" = "$(inode_of packed.img /mail/packed-1.e2pack)" ] ||
	fail "another inode"
[ "$(ask image.img 'ex /mail/packed-1.e2pack' | tail -n +2 | wc -l)" = 1 ] || fail "in pieces"
table packed.img /mail/packed-1.e2pack | sed -e 's/^3 12 3600 /3 12 1111 /' -e 's/^4 13 3900 /4 13 6122 /' \
	-e 's/^6 15 4500 /6 15 50 /' -e '/^7 16 /d' -e 's/^8 17 /8 seventeen /' \
	-e 's/^9 18 5400 1/9 18 5400 2/' > was
table image.img /mail/packed-1.e2pack > is
same was is
ask image.img 'stat /mail/packed-1.e2pack' | grep -q 'Mode:  0600' || fail "its permissions"
reads /mail/12 new-1
cat tree/mail/13 new-2 > want
reads /mail/13 want
(head -c 100 tree/mail/14; cat new-3; tail -c +$((100 + 3333 + 1)) tree/mail/14) > want
reads /mail/14 want
reads /mail/other tree/mail/18
reads /mail/30 tree/mail/30
for path in /gone /pair; do
	same <(table packed.img $path/packed-1.e2pack) <(table image.img $path/packed-1.e2pack)
done
[ "$(ask packed.img 'ex /gone/packed-1.e2pack')" = "$(ask image.img 'ex /gone/packed-1.e2pack')" ] ||
	fail "what nobody has changed was written"

# ---- what no member may be becomes a file ----

done_by 'put large /mail/10' 'chmod 4755 /mail/11' 'chown 5:6 /mail/12' 'ln /mail/13 /elsewhere/13' \
	'mv /mail/14 /elsewhere/14' 'truncate 60000 /mail/15' 'setxattr /mail/16 security.x y' \
	'set -F 16 /mail/17' 'put new-1 /mail/new' 'set -F 0 /mail/18'
for path in /mail/1{0,1,2,3,5,6,7} /elsewhere/1{3,4} /mail/new; do
	file "$path"
done
member 18
[ "$(table image.img /mail/packed-1.e2pack | grep -c ' ')" = 14 ] || fail "members: $(table image.img /mail/packed-1.e2pack)"
reads /mail/10 large
reads /mail/13 tree/mail/13
reads /elsewhere/14 tree/mail/14
ask image.img 'stat /mail/12' | grep -q 'User:     5   Group:     6' || fail "owner"

# what was larger than that stays, if it does not grow
cp packed.img image.img
e2bfo 0 unpack -q image.img /mail
echo 'put large /mail/large' > script
e2bfo 0 batch image.img script
e2bfo 0 pack -q --max-size 100K image.img /mail
echo 'rm /mail/30' > script
e2bfo 0 batch image.img script
checked image.img
member large 70000

# ---- others take their place, and they that of others ----

done_by 'mv /mail/10 /mail/11' 'put new-4 /mail/plain' 'mv /mail/plain /mail/12' 'mv /pair/1 /mail/13'
member 11 3000
! grep -q '^[0-9]* 10 ' members || fail "10 is still there"
file /mail/12
file /mail/13
reads /mail/13 tree/pair/1
same <(printf '2 2 4 1\nnext 3\n') <(table image.img /pair/packed-1.e2pack)

# ---- the last one ----

done_by 'rm /pair/1' 'rm /pair/2' 'rm -r /gone'
[ -z "$(inode_of image.img /pair/packed-1.e2pack)" ] || fail "an empty composite file"
[ -z "$(inode_of image.img /gone)" ] || fail "a packed directory stays"
cp packed.img image.img
printf '%s\n' 'rm /pair/1' 'rm /pair/2' 'rm /pair' 'rm /gone/10' 'rm -r /gone' > script
e2bfo 0 batch image.img script
checked image.img
[ -z "$(inode_of image.img /pair)" ] || fail "an empty directory stays"
printf 'rm /pair\n' > script
cp packed.img image.img
e2bfo 8 batch image.img script
says 'not empty'
same packed.img image.img

# ---- what fails changes nothing; nor does what a member is asked for ----

cp packed.img image.img
printf '%s\n' 'put new-1 /mail/11' 'mkdir /mail/10' > script
e2bfo 8 batch image.img script
says 'exists'
same packed.img image.img
echo 'rm /mail/packed-1.e2pack' > script
e2bfo 8 batch image.img script
says 'immutable'
same packed.img image.img

# a name that somebody else has got: nothing of that composite file is changed
debug image.img 'cd /mail' 'write new-1 10'
echo 'rm /mail/11' > script
e2bfo 8 batch image.img script
says 'a member of .*packed-1.e2pack has the name 10'

# damage of a content is found when a member is touched
cp packed.img image.img
block=$(ask image.img 'bmap /mail/packed-1.e2pack 2')
printf '\xa5\x5a' | dd of=image.img bs=1 seek=$((block * 4096 + 9)) conv=notrunc status=none
e2bfo 8 batch image.img script
says 'damage.*packed-1.e2pack: a content is not what its checksum says'
