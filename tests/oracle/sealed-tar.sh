#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Encrypted trees in archives: without the key they go into one and back, and with the key the
# kernel reads what it read before, names, targets and contents; so where names carry hashes that
# only the key gives.  Other tars unpack ciphertext as opaque files, under names that are safe.
# What a target cannot hold is lost as it is from volume to volume.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount tar bsdtar zstd python3

fscrypt=$SRCDIR/tests/oracle/fscrypt

# ---- with a key ----

volume source.img 64M -O encrypt
mounted source.img mnt rw
key=$("$fscrypt" add mnt)
mkdir mnt/vault mnt/plain
"$fscrypt" policy mnt/vault "$key"
mkdir mnt/vault/sub mnt/vault/sub/deeper
python3 - mnt/vault << 'END'
import os, sys
os.chdir(sys.argv[1])
for n in (0, 1, 4095, 4096, 4097, 70000):
    open("file%d" % n, "wb").write(bytes((n + i // 7) & 255 for i in range(n)))
for n in range(1, 120, 3):
    open("sub/" + "n" * n, "w").write("x%d" % n)
for n in (180, 192, 220, 255):			# longer than what stands for a name can show
    open("sub/" + "long" * 63 + "%03d" % n, "w").write("%d" % n)
with open("holes", "wb") as f:
    f.seek(100000); f.write(b"data"); f.truncate(300001)
os.symlink("t", "fast"); os.symlink("target/" + "t" * 300, "slow")
os.link("file1", "sub/deeper/hard"); os.link("fast", "sub/link"); os.link("file4097", "../plain/out")
os.mkfifo("pipe")
import socket
socket.socket(socket.AF_UNIX).bind("sock"); os.link("sock", "sub/sock")
END
fallocate -l 20000 -n -o 4096 mnt/vault/file1
sync -f mnt
# tree: what the kernel shows of the tree at mnt
tree() {
	(cd mnt
		find . -path ./lost+found -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
		find . -path ./lost+found -prune -o -printf '%p %y %l %s %n %m %T@\n' | sort)
}
tree > expected
unmounted mnt

# opened IMAGE: with the key it is as it was
opened() {
	checked "$1"
	mounted "$1" mnt rw
	[ "$("$fscrypt" add mnt)" = "$key" ] || fail "another key"
	tree > is
	unmounted mnt
	sed '/^\. d /d' is | cmp - <(sed '/^\. d /d' expected) ||
		fail "$1: with the key it differs: $(diff is expected | head -5)"
}

before=$(digest source.img)
e2bfo 0 copy source.img source.tar
e2bfo 0 verify source.img source.tar
e2bfo 0 copy source.img source.tar.zst
zstd -dcq source.tar.zst | cmp - source.tar
unchanged source.img "$before" copied
for archive in source.tar source.tar.zst -; do
	rm -f back.img
	[ $archive != - ] || fed source.tar
	e2bfo 0 copy --mkfs='-t ext4 -O encrypt' --size 64M $archive back.img
	opened back.img
	e2bfo 0 verify source.img back.img
	e2bfo 0 copy --force back.img again.tar
	e2bfo 0 verify again.tar source.img
done
rm -f back.img again.img
e2bfo 0 copy --mkfs='-t ext4 -O encrypt' --size 64M again.tar again.img
opened again.img
e2bfo 0 copy --force again.tar once.tar
e2bfo 0 verify once.tar source.img

# ---- others ----

mkdir gnu bsd
tar -C gnu --warning=no-unknown-keyword -xpf source.tar 2> said || fail "GNU tar: $(cat said)"
bsdtar -C bsd -xpf source.tar 2> said || fail "bsdtar: $(cat said)"
python3 -c 'import sys, tarfile
for m in tarfile.open("source.tar"):
    m.isreg() and tarfile.open("source.tar").extractfile(m.name).read()' || fail "Python"
for dir in gnu bsd; do
	[ "$(find $dir/vault -type f | wc -l)" = 52 ] || fail "$dir: $(find $dir/vault -type f | wc -l) files"
	! find $dir -mindepth 2 -path "$dir/vault/*" | grep -vqE "^$dir/vault(/encrypted\.[-_.A-Za-z0-9]{16,})+$" ||
		fail "$dir: $(find $dir)"
	[ "$(find $dir/vault -type f -size +0 -printf '%s\n' | awk '$1 % 4096')" = '' ] || fail "$dir: sizes"
	[ "$(find $dir -xtype l | wc -l)" = 3 ] || fail "$dir: links"
done
find gnu bsd -type p -delete
diff -r --no-dereference gnu bsd || fail "GNU tar and bsdtar differ"

# ---- what is lost ----

e2bfo 8 copy --portable source.img portable.tar
says 'allow-loss=encrypted'
for options in '-t ext4' '-t ext4 -O encrypt -b 1024'; do
	for archive in source.tar -; do
		[ $archive != - ] || fed source.tar
		e2bfo 8 copy --mkfs="$options" --size 64M $archive lost.img
		says 'allow-loss=encrypted'
		[ $archive != - ] || fed source.tar
		e2bfo 1 copy --mkfs="$options" --size 64M --allow-loss=encrypted $archive lost.img
		checked lost.img
		[ "$(ask lost.img 'ls -p /' | grep -c vault)" = 0 ] || fail "it has /vault"
		rm lost.img
	done
done
mkdir dir
e2bfo 8 copy source.tar dir/
says 'allow-loss=encrypted'
tune2fs -O stable_inodes source.img > /dev/null
e2bfo 8 copy source.img stable.tar
says 'allow-loss=stable-inodes'

# ---- with hashes ----

dirhash=$JUDGES/dirhash
"$IMAGES/folded" folded.img "$dirhash" > /dev/null || fail "no sample"
e2bfo 0 copy folded.img folded.tar
e2bfo 0 verify folded.img folded.tar
e2bfo 0 copy --mkfs='-t ext4 -O encrypt,casefold' --size 64M folded.tar back.img
checked back.img
e2bfo 0 verify folded.img back.img
e2bfo 8 copy --mkfs='-t ext4 -O encrypt' --size 64M folded.tar lost.img
says 'allow-loss=encrypted'
