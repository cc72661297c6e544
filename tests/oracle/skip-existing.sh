#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --skip-existing onto a volume: files that are there stay as they are, to the byte of their
# inodes; the others come; links are links.  A directory and a file of one name clash all the same.
# A copy that is killed is resumed to the same.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs python3

mkdir -p new/sub/deep new/only old/sub
for i in {1..200}; do
	echo "new $i" > new/sub/$i
done
for i in {1..100}; do
	echo "old $i, which stays" > old/sub/$i
done
seq 200000 > new/big
echo old > old/top
echo new > new/top
ln new/top new/sub/linked		# its first name may be the one that is skipped
ln new/sub/1 new/only/linked
ln -s nowhere old/link
echo file > new/link
mkfifo new/fifo
mkfifo old/fifo
chmod 600 old/fifo
volume source.img 40M -d new
volume target.img 40M -d old
cp target.img before.img

# listed IMAGE: what the kernel shows of the 103 that stay, and their numbers
listed() {
	local dir

	kernel_manifest "$1" > all
	grep -E '^/(sub/[1-9][0-9]? |sub/100 |top |link |fifo )' all
	for dir in / /sub; do
		ask "$1" "ls -p $dir" | awk -F / -v dir=$dir '$6 ~ /^([1-9][0-9]?|100|top|link|fifo)$/ {
			print dir, $6, $2 }' | sort
	done
}

e2bfo 8 copy source.img target.img
says 'exist already'
cmp target.img before.img || fail "it has changed in spite of clashes"
e2bfo 0 copy --json --skip-existing source.img target.img
python3 -c 'import json; r = json.load(open("out")); assert r["plan"]["skipped"] == 103, r["plan"]'
checked target.img
listed before.img > was.list
listed target.img > is.list
[ "$(wc -l < was.list)" = 206 ] || fail "$(wc -l < was.list) files in the old one"
same was.list is.list
viewed target.img mnt
for i in {101..200}; do
	cmp mnt/sub/$i new/sub/$i || fail "sub/$i is not the new one"
done
cmp mnt/big new/big && [ -d mnt/sub/deep ] || fail "not all that is new has come"
# What is linked to what was skipped comes as a file of its own, with all its names that came.
[ "$(cat mnt/sub/linked)" = new ] && [ "$(cat mnt/only/linked)" = 'new 1' ] || fail "linked"
unviewed mnt
for path in /sub/linked /only/linked; do
	ask target.img "stat $path" | grep -q '^Links: 1 ' || fail "links of $path"
done
# Once more: nothing is left to be copied.
cp target.img again.img
e2bfo 0 copy --skip-existing source.img again.img
grep -q '^Names that exist, and stay as they are: 206\.' out || fail "not all: $(cat out)"
checked again.img

# ---- what is no file on both sides ----

for kind in directory file; do
	cp before.img clash.img
	[ $kind = file ] || debug clash.img 'mkdir /big'
	[ $kind = directory ] || debug clash.img 'write old/top only'
	cp clash.img clash.before
	e2bfo 8 copy --skip-existing source.img clash.img
	says '^e2bfo: exists already, (as a directory: /big|and is no directory: /only)$'
	cmp clash.img clash.before || fail "$kind: it has changed in spite of a clash"
done

# ---- killed, and resumed ----

export SOURCE_DATE_EPOCH=1800000000 FAULT_TARGET=part.img
cp before.img whole.img
e2bfo 0 copy --skip-existing source.img whole.img
cp before.img part.img
n=$(events write copy --skip-existing source.img part.img)
cp before.img part.img
struck write kill $((n / 2)) copy --skip-existing source.img part.img
[ $status = 137 ] || fail "it was not killed: $status"
e2bfo 0 resume part.img
checked part.img
e2bfo 0 verify whole.img part.img
