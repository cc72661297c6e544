#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that reads sees through composite files: ls, cat, hash, verify, copies to archives,
# directories and streams, and with --unpack to filesystems, all show of a packed tree what the tree
# was before, as sha256sum, tar and diff see that; a plain copy keeps composite files.  One that is
# damaged, or made up, is told, and is the file that it is.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr python3 tar

# ---- a tree, and the same packed ----

mkdir -p tree/mail/sub tree/plain
for n in {1..60}; do
	head -c $((n * 700)) /dev/urandom > "tree/mail/$n.eml"
	printf '%s\n' "$n" > "tree/mail/sub/note-$n"
done
: > tree/mail/empty
printf 'tab\ttwo\n' > $'tree/mail/ta\tb\xff'
ln tree/mail/3.eml tree/mail/link
setfattr -n user.note -v hello tree/mail/5.eml tree/mail/6.eml
setfattr -n user.a -v "$(head -c 600 /dev/urandom | base64 -w 0)" tree/mail/6.eml
chmod 0750 tree/mail/8.eml
chmod 0600 tree/mail/9.eml
head -c 300000 /dev/urandom > tree/mail/large
echo only > tree/plain/file
touch -d '2001-02-03 04:05:06.789012345' tree/mail/13.eml
volume start.img 48M -I 256 -d tree
e2fsck -fyD start.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
cp start.img image.img
e2bfo 0 pack -q -r --pack-size 256K --max-size 64K image.img /
checked image.img
ask image.img 'ls /mail' > names
grep -q packed-4.e2pack names || fail "few composite files"
! grep -q 13.eml names || fail "13.eml is still a file"
cp image.img packed.img

# only_dirs: verify has found nothing but what packing changes of directories
only_dirs() {
	grep -v '^Compared' out | grep -vE '^/(mail|mail/sub|plain)?: (ctime|version) ' > differences ||
		:
	[ ! -s differences ] || fail "$1: $(head -5 differences)"
}

# ---- verify, hash ----

e2bfo 1 verify start.img image.img
only_dirs "verify of what is packed"
e2bfo 0 verify packed.img image.img
cp start.img other.img
e2bfo 0 pack -q -r --pack-size 64K --max-size 16K other.img /
e2bfo 1 verify other.img image.img
only_dirs "verify of what is packed otherwise"

# sums: lines that hash or sha256sum have written
sums() {
	grep -v '^#' | LC_ALL=C sort
}
(cd tree && find . -type f -print0 | xargs -0 sha256sum) | sums > was.sums
e2bfo 0 hash image.img
sums < out > is.sums
same was.sums is.sums
e2bfo 0 hash image.img /mail/13.eml /mail/sub /plain/file
[ "$(sums < out | wc -l)" = 62 ] || fail "hash of paths: $(wc -l < out)"
grep -qxF "$(grep '/mail/13.eml$' was.sums)" out || fail "hash of a member: $(cat out)"
e2bfo 0 hash image.img /mail/14.eml
grep -qxF "$(grep '/mail/14.eml$' was.sums)" out || fail "hash of one member: $(cat out)"
e2bfo 0 hash --memory 1M image.img
sums < out > is.sums
same was.sums is.sums

# ---- ls, cat ----

# listing IMAGE: what ls says of all, but for numbers, and what packing changes of directories
listing() {
	e2bfo 0 ls -R --json "$1" /
	python3 - << 'END'
import json
for e in sorted(json.load(open("out"))["entries"], key=lambda e: e["path"]):
    del e["inode"], e["blocks"], e["flags"], e["flag_names"]
    if e["type"] == "directory":
        del e["ctime"], e["version"]
    e["xattrs"].sort()
    print(json.dumps(e))
END
}
listing start.img > was.list
listing image.img > is.list
same was.list is.list
e2bfo 0 ls --json image.img /mail
python3 - << 'END' || fail "numbers of members"
import json
entries = {e["path"]: e["inode"] for e in json.load(open("out"))["entries"]}
assert entries["/mail/13.eml"] >> 32 and entries["/mail/13.eml"] != entries["/mail/14.eml"]
assert entries["/mail/3.eml"] == entries["/mail/link"]
assert not entries["/mail/large"] >> 32
open("number", "w").write(str(entries["/mail/13.eml"]))
END
e2bfo 0 hash --manifest-out bodyfile:- image.img
grep -q "/mail/13.eml|$(cat number)|" out || fail "a bodyfile: $(grep 13.eml out)"
e2bfo 0 ls -l image.img /mail/13.eml
grep -q " *$(cat number) " out || fail "the number of a member: $(cat out)"
[ "$(inode_of image.img /mail/packed-1.e2pack)" = $(($(cat number) & 0xffffffff)) ] ||
	[ "$(($(cat number) & 0xffffffff))" -gt 10 ] || fail "whose member is it?"
e2bfo 8 ls image.img /mail/no.eml /mail/13.eml/x
grep -q . out && fail "ls: $(cat out)"

for name in 1.eml 60.eml link empty large sub/note-7; do
	e2bfo 0 cat image.img "/mail/$name"
	cmp -s out "tree/mail/$name" || fail "cat of $name"
done
e2bfo 0 cat --range 100:5000 image.img /mail/20.eml
head -c 5100 tree/mail/20.eml | tail -c 5000 | cmp -s - out || fail "cat --range"
find tree -type f -not -name $'*\t*' | sed 's/^tree//' > paths
e2bfo 0 cat --files-from paths image.img
while read -r path; do
	cat "tree$path"
done < paths | cmp -s - out || fail "cat of all"
e2bfo 8 cat image.img /mail/13.eml /mail/no.eml
cmp -s out tree/mail/13.eml || fail "cat beside what is not there"
says 'No such file.*/mail/no.eml'

# ---- archives, directories, streams ----

# kept DIR WHAT: it is the tree
kept() {
	diff -r tree "$1" > diff.log || fail "$2: $(head -3 diff.log)"
	[ "$1/mail/3.eml" -ef "$1/mail/link" ] || fail "$2: a link is lost"
	[ "$(stat -c '%a %Y' "$1/mail/8.eml")" = "$(stat -c '%a %Y' tree/mail/8.eml)" ] ||
		fail "$2: attributes"
	[ "$(getfattr --only-values -n user.a "$1/mail/6.eml")" = \
	  "$(getfattr --only-values -n user.a tree/mail/6.eml)" ] || fail "$2: user.a"
}
e2bfo 0 copy image.img out.tar
mkdir tarred
tar -xf out.tar --warning=no-unknown-keyword --xattrs --xattrs-include='user.*' \
	--exclude lost+found -C tarred
kept tarred "tar"
e2bfo 0 copy --exclude /lost+found image.img dir/
kept dir "a directory"
e2bfo 0 copy --from /mail/13.eml --from /mail/sub/note-3 image.img some/
[ "$(find some -type f | wc -l)" = 2 ] || fail "--from: $(find some)"
cmp -s some/13.eml tree/mail/13.eml || fail "--from a member"
e2bfo 0 copy --exclude '*.eml' --exclude /lost+found image.img less/
[ ! -e less/mail/13.eml ] && [ -e less/mail/empty ] || fail "--exclude: $(find less)"
e2bfo 0 send image.img
mv out stream
"$E2BFO" receive --mkfs --size 48M received.img < stream > received.log 2>&1 ||
	fail "$(cat received.log)"
checked received.img
e2bfo 1 verify start.img received.img
only_dirs "a stream"

# ---- filesystems ----

volume target.img 48M -I 256
e2bfo 0 copy --verify image.img target.img
checked target.img
ask target.img 'ls /mail' > names
grep -q packed-4.e2pack names || fail "a copy does not keep composite files"
e2bfo 0 verify image.img target.img

# unpacked HOW MKFS: copy --unpack to such a filesystem
unpacked() {
	volume target.img 48M $2
	e2bfo 0 copy --unpack --verify image.img target.img
	checked target.img
	ask target.img 'ls /mail' > names
	! grep -q packed- names || fail "$1: a composite file is there"
	e2bfo "$3" verify --ignore "$4" start.img target.img
	only_dirs "$1"
	[ -n "$(inode_of target.img /mail/13.eml)" ] || fail "$1: no file"
}
unpacked "copy --unpack" '-I 256' 1 hash
unpacked "copy --unpack, of other blocks" '-I 256 -b 1024' 1 hash
unpacked "copy --unpack, of larger inodes" '-I 512 -O inline_data' 1 hash
volume target.img 48M -I 256
e2bfo 8 copy --unpack --keep-inodes image.img target.img
says 'inode-number'

# ---- what is damaged or made up ----

block=$(ask packed.img 'bmap /mail/packed-2.e2pack 1')
size=$(ask packed.img 'stat /mail/packed-2.e2pack' | sed -n 's/^User:.* Size: *//p')
last=$(ask packed.img "bmap /mail/packed-2.e2pack $(((size - 1) / 4096))")
e2bfo 0 ls --json packed.img /mail
cp out sound
# damaged BLOCK BYTE
damaged() {
	cp packed.img image.img
	printf '\xa5\x5a' | dd of=image.img bs=1 seek=$(($1 * 4096 + $2)) conv=notrunc status=none
}

# shown WHAT [NAME]: all say that it is damaged, and show the file that it is
shown() {
	local name=${2:-packed-2.e2pack}

	e2bfo 1 ls image.img /mail
	grep -qx "$name" out || fail "$1: ls does not show it"
	says "$name: composite file is damaged"
	! grep -qx packed-1.e2pack out || fail "$1: another one is shown"
	e2bfo 1 hash image.img
	grep -q "/mail/$name\$" out || fail "$1: hash does not show it"
	says "$name: composite file is damaged"
	rm -rf dir
	e2bfo 1 copy --exclude /lost+found image.img dir/
	e2bfo 0 cat image.img "/mail/$name"
	chattr -i "dir/mail/$name" 2> /dev/null || :	# root has kept that
	cmp -s out "dir/mail/$name" || fail "$1: what is extracted"
	e2bfo 8 verify start.img image.img
	says "$name: composite file is damaged"
	grep -q "/mail/$name: extra, only in" out || fail "$1: verify: $(cat out)"
}
damaged "$last" $(((size - 1) % 4096))
shown "a damaged table"
e2bfo 8 cat image.img $(python3 - << 'END'
import json
entries = json.load(open("sound"))["entries"]
found = {}
for e in entries:
    if e["inode"] >> 32:
        found.setdefault(e["inode"] & 0xffffffff, e["path"])
for path in found.values():
    print(path)
END
) > /dev/null
says 'No such file.*a composite file there is damaged'
damaged "$((block - 1))" 61
shown "a damaged header"

# a content that is wrong: it comes, and that is told
damaged "$block" 7
e2bfo 1 hash image.img
says 'is not what its checksum says'
[ "$(sums < out | comm -13 was.sums - | wc -l)" = 1 ] || fail "damage of one content"
[ "$(sums < out | wc -l)" = "$(wc -l < was.sums)" ] || fail "a file is missing"
path=$(sums < out | comm -13 was.sums - | sed 's/^[^ ]*  .\///')
e2bfo 1 cat image.img "/$path"
says "$path: content of a composite file's member is not"
[ "$(stat -c %s out)" = "$(stat -c %s "tree/$path")" ] || fail "cat of what is wrong"
e2bfo 8 verify start.img image.img
grep -q "^/$path: data differs" out || fail "verify of what is wrong: $(cat out)"
e2bfo 0 hash --exclude "/$path" image.img

# that block cannot be read: the member gets zeroes there, or is left out
at=$((block * 4096))
{
	echo '0x0 + 1'
	printf '0x0 0x%x +\n0x%x 0x1000 -\n0x%x 0x%x +\n' "$at" "$at" $((at + 4096)) \
		$(($(stat -c %s packed.img) - at - 4096))
} > map
e2bfo 1 hash --on-read-error=zero --mapfile map packed.img
says "$path: data cannot be read"
[ "$(sums < out | comm -13 was.sums - | sed 's/^[^ ]*  .\///')" = "$path" ] ||
	fail "zeroes in $(sums < out | comm -13 was.sums -)"
e2bfo 1 hash --on-read-error=skip --mapfile map packed.img
[ "$(sums < out | comm -23 was.sums - | sed 's/^[^ ]*  .\///')" = "$path" ] ||
	fail "left out: $(sums < out | comm -23 was.sums -)"
rm -rf dir
e2bfo 1 copy --on-read-error=skip --mapfile map --exclude /lost+found packed.img dir/
diff -r tree dir > diff.log && fail "all is copied"
[ "$(cat diff.log)" = "Only in tree/${path%/*}: ${path##*/}" ] || fail "copied: $(cat diff.log)"

# a name that a file has got
cp packed.img image.img
printf 'cd /mail\nmknod empty p\n' | debugfs -w -f - image.img > /dev/null 2>&1
name=$(ask image.img 'ls /mail' | grep -o 'packed-[0-9]*.e2pack' | while read -r x; do
	e2bfo 0 cat packed.img "/mail/$x"
	! grep -aq empty out || echo "$x"
done)
e2bfo 1 ls image.img /mail
says "$name: composite file is damaged"
[ "$(grep -cx empty out)" = 1 ] || fail "two files with one name"
grep -qx "$name" out || fail "a clash: $(cat out)"

# without the flag it is a file; without members it is nothing
cp packed.img image.img
echo 'set -F 0 /mail/packed-1.e2pack' > script
e2bfo 0 batch image.img script
e2bfo 0 ls image.img /mail
grep -qx packed-1.e2pack out || fail "what has lost its flag"
! grep -qx packed-2.e2pack out || fail "what has kept it"
