#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch refuses what it cannot do whole, says what is missing, and leaves the image as it was:
# a volume that is full, of blocks, inodes or journal; files that must not be changed; images that
# have no journal, or one to be replayed.  What it advises helps.  An undo file undoes.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs e2undo

mkdir -p tree/locked tree/vault tree/folded tree/append-dir
for file in plain immutable append locked/file vault/file folded/file append-dir/file; do
	echo "$file" > tree/$file
done
echo text > text
head -c 20000000 /dev/urandom > random
volume start.img 16M -N 64 -d tree -J size=4
debug start.img 'sif /immutable flags 0x80010' 'sif /append flags 0x80020' 'sif /locked flags 0x80010'
repaired start.img

# refused PATTERN LINE...: a script that fails, and changes nothing; what it says is in refusal
refused() {
	local pattern=$1

	shift
	printf '%s\n' "$@" > script
	cp start.img image.img
	e2bfo 8 batch image.img script
	says "$pattern" 'image.img: nothing was changed'
	cp said refusal
	checked image.img
	e2bfo 0 verify start.img image.img
}

# ---- no room: what fits goes in afterwards ----

refused 'script:2: Not enough free blocks' 'put text /x' 'put random /random'
mapfile -t lines < <(seq -f 'mkdir /new%.0f' 64)
refused 'script:[0-9]*: Not enough free inodes' "${lines[@]}"
head -n 40 script > fits
e2bfo 0 batch image.img fits
checked image.img
[ "$(ask image.img 'ls -p /' | grep -c /new)" = 40 ] || fail "not 40 directories"

# Attributes have the rest of their inode, and a block; without ea_inode values get no inodes.
refused 'script:2: Extended attributes are too large for the target .*inode and block have no room' \
	"setxattr /plain user.a $(head -c 3000 /dev/zero | tr '\0' a)" \
	"setxattr /plain user.b $(head -c 3000 /dev/zero | tr '\0' b)"
e2bfo 8 batch --json image.img script
grep -q '"code": "BFO_ET_XATTR_ROOM"' out || fail "another code: $(cat out)"

# The journal has 1024 blocks; inodes that are there take more, new ones take none.
volume start.img 32M -N 20000 -J size=4
seq -f 'mknod /new%.0f p' 19000 > script
e2bfo 0 batch start.img script
mapfile -t lines < <(seq -f 'chmod 0600 /new%.0f' 19000)
refused 'Journal is too small.* to image.img: they would take [0-9]+ KiB of .*the first [0-9]+ fit' \
	"${lines[@]}"
grep -q 'with --commit-every auto' refusal || fail "no advice: $(cat refusal)"
fit=$(sed -n 's/.*the first \([0-9]*\) fit.*/\1/p' refusal)
[ "$fit" -gt 1000 ] || fail "only $fit operations fit: $(cat refusal)"
e2bfo 0 batch --commit-every $((fit / 2)) image.img script
checked image.img
cp start.img image.img
e2bfo 0 batch --commit-every auto image.img script
checked image.img
[ "$(ask image.img 'ls -l /' | grep -c '^ *[0-9]*  *10600 ')" = 19000 ] || fail "not 19000 files"

# ---- files that must not be changed ----

volume start.img 16M -d tree -O encrypt,verity,casefold
debug start.img 'sif /immutable flags 0x80010' 'sif /append flags 0x80020' \
	'sif /locked flags 0x80010' 'sif /append-dir flags 0x80020' 'sif /folded flags 0x40080000'
for line in 'put text /immutable' 'rm /immutable' 'mv /immutable /x' 'chmod 0600 /immutable' \
	'setxattr /immutable user.x y' 'put text /locked/new' 'rm /locked/file'; do
	refused "File is immutable while .*: .* inode $(inode_of start.img \
		"$(grep -o '/immutable\|/locked' <<< "$line" | head -n 1)"); clear its flag i before" "$line"
done
echo 'set -F 0 /immutable' > script
echo 'put text /immutable' >> script
e2bfo 0 batch image.img script
checked image.img

# Names of the directory cannot be looked for, so nothing below it can be changed, nor itself go.
for line in 'put text /folded/FILE' 'append text /folded/file' 'rm /folded/file' 'mkdir /folded/x' \
	'mv /plain /folded/y' 'rm -r /folded' 'chmod 0600 /folded/file'; do
	refused 'Directory folds the case of names while .*: .*inode [0-9]*; mount it for that' "$line"
done
printf '%s\n' 'chmod 0700 /folded' 'mv /folded /moved' > script
e2bfo 0 batch image.img script
checked image.img
for line in 'rm /append-dir/file' 'rm -r /append-dir' 'mv /append-dir/file /x'; do
	refused 'only be appended to while .*: directory with inode [0-9]*; clear its flag a' "$line"
done
echo 'put text /append-dir/new' > script
e2bfo 0 batch image.img script
checked image.img

# flagged FLAGS PATH PATTERN LINE...: each is refused, at PATH with FLAGS, which e2fsck may not like
flagged() {
	local flags=$1 path=$2 pattern=$3 line

	shift 3
	cp start.img odd.img
	debug odd.img "sif $path flags $flags"
	for line; do
		echo "$line" > script
		cp odd.img image.img
		e2bfo 8 batch --allow-commands image.img script
		says "script:1: $pattern"
		cmp odd.img image.img || fail "'$line' has changed it"
	done
}

flagged 0x180000 /plain 'File is protected by fs-verity .*/plain: file with inode .*; remove it' \
	'put text /plain' 'append text /plain' 'write text /plain' 'truncate 0 /plain' 'filter /plain cat'
flagged 0x80800 /plain 'File is encrypted while .*/plain: file with inode .*; mount it and add its key' \
	'put text /plain' 'append text /plain' 'truncate 0 /plain' 'filter /plain cat'
flagged 0x80800 /vault 'File is encrypted while .*: .*directory with inode .*; mount it' \
	'put text /vault/x' 'append text /vault/file' 'rm /vault/file' 'rm -r /vault' 'mv /plain /vault/x' \
	'ln /plain /vault/x' 'mkdir -p /vault/a/b'
refused 'only be appended to' 'put text /append'
refused 'only be appended to' 'write -o 1 text /append'
refused 'only be appended to' 'truncate 0 /append'
echo 'append text /append' > script
e2bfo 0 batch image.img script
checked image.img
e2bfo 0 cat image.img /append
printf 'append\ntext\n' > expected
same expected out

for line in 'put text /append' 'rm /append' 'chmod 0600 /append' 'ln /append /x'; do
	refused 'append.*: file with inode [0-9]*; clear its flag a before' "$line"
done

# ---- images that are no target ----

volume clean.img 16M
debug clean.img 'feature needs_recovery'
echo 'put text /new' > script
e2bfo 8 batch clean.img script
says 'needs its journal replayed' 'or run e2fsck -p clean.img' 'clean.img: nothing was changed'
repaired clean.img
e2bfo 0 batch clean.img script
checked clean.img
volume bare.img 16M -d tree -O ^has_journal
cp bare.img before.img
e2bfo 8 batch bare.img script
says 'has no journal' 'not-atomic'
cmp bare.img before.img || fail "it was written to"
e2bfo 0 batch --not-atomic bare.img script
checked bare.img
e2bfo 8 batch text script
says 'Not an ext2, ext3 or ext4'
[ "$(cat text)" = text ] || fail "text was written to"

# ---- undone ----

cp start.img image.img
printf '%s\n' 'put text /new' 'rm /plain' > script
e2bfo 0 batch -z undo image.img script
checked image.img
quietly e2undo undo image.img
checked image.img
e2bfo 0 verify start.img image.img
