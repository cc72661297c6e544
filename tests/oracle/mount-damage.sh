#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo mount of what is damaged: an error to who asks for it and a line in the log, and all else is
# there; random damage ends nothing.  Blocks that cannot be read; journals that were not replayed,
# against what the kernel shows once it has; a process that is killed.  The image stays as it is.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../mount.sh"
requires root mke2fs e2fsck debugfs losetup perl python3 unshare getfattr setfattr fusermount3 \
	/dev/fuse

filling base.img mnt 48M
perl -e '
	sub made { my $n = shift; open(my $f, ">", $n) or die "$n: $!"; print $f "$n " x 500; }
	chdir("mnt") or die;
	mkdir($_) or die "$_: $!" for qw(good bad bad/dir bad/big);
	made("good/file-$_") for 1 .. 50;
	made("bad/$_") for qw(file xattr);
	made("bad/dir/file-$_") for 1 .. 20;
	symlink("t" x 300, "bad/slow") or die;
	made("bad/big/entry-$_") for 1 .. 1000;
	open(my $f, ">", "bad/tree") or die;
	for (0 .. 999) { sysseek($f, $_ * 8192, 0); syswrite($f, "block $_") or die; }'
is_filled mnt
debug base.img "ea_set /bad/xattr user.large $(printf 'v%.0s' {1..1000})"
checked base.img

# flip OFFSET: one bit of bad.img
flip() {
	printf "\\x$(printf %02x $(($(od -An -tu1 -j "$1" -N 1 bad.img) ^ 64)))" |
		dd of=bad.img bs=1 seek="$1" conv=notrunc status=none
}

# inode_at PATH: the offset of its inode
inode_at() {
	ask bad.img "imap $1" | perl -ne '
		printf("%d\n", $1 * 4096 + hex($2)) if /block (\d+), offset 0x([0-9a-f]+)/'
}

# block_at PATH N: the offset of its Nth block
block_at() {
	echo $(($(ask bad.img "bmap $1 $2") * 4096))
}

# fails WORDS COMMAND...: with this error
fails() {
	local words=$1

	shift
	! "$@" > out 2> said || fail "$*: no error"
	says "$words"
}

# logged PATTERN...: the log of the mount has all of these, and nothing twice in a row
logged() {
	local pattern

	for pattern; do
		grep -Eq -e "$pattern" shown.said || fail "not in the log: $pattern: $(cat shown.said)"
	done
	[ -z "$(uniq -d shown.said)" ] || fail "twice in a row: $(uniq -d shown.said)"
}

# ---- one kind of damage after the other ----

cp --sparse=always base.img bad.img
xattr=$(ask bad.img 'stat /bad/xattr' | sed -n 's/.*File ACL: *\([0-9]*\).*/\1/p')
leaf=$(ask bad.img 'extents /bad/tree' | awk '$1 ~ /^0\// { print $8; exit }')
flip $(($(inode_at /bad/file) + 100))
flip $((leaf * 4096 + 40))
flip $(($(block_at /bad/big 3) + 200))
flip $((xattr * 4096 + 2000))
dd if=/dev/zero of=bad.img bs=1 seek=$(($(block_at /bad/slow 0) + 7)) count=1 conv=notrunc \
	status=none
before=$(digest bad.img)
shown bad.img shown
fails 'Input/output error' stat shown/bad/file
fails 'Input/output error' cat shown/bad/tree
[ "$(stat -c %s shown/bad/tree)" = $((999 * 8192 + 9)) ] || fail "another size"
fails 'Input/output error' dd if=shown/bad/tree bs=8192 count=1 status=none
[ "$(dd if=shown/bad/tree bs=8192 skip=999 status=none | tr -d '\0')" = 'block 999' ] ||
	fail "nothing is read of a file whose map is damaged in a part"
fails 'Input/output error' ls -f shown/bad/big
[ "$(grep -c entry out)" -gt 600 ] || fail "hardly any names are left"
kept=$(grep -m 1 entry out)
! grep -q . <(comm -13 <(seq -f entry-%.0f 1000 | sort) <(grep entry out | sort)) || fail "other names"
fails 'Input/output error' ls -l shown/bad/big
ls -f shown/bad/big 2> /dev/null | sort > left || :
lost=$(comm -23 <(seq -f entry-%.0f 1000 | sort) left | head -1)
fails 'Input/output error' stat "shown/bad/big/$lost"
fails 'Input/output error' getfattr -d shown/bad/xattr
fails 'Input/output error' readlink -v shown/bad/slow
for name in bad/big/$kept bad/xattr good/file-7 bad/dir/file-3; do
	[ "$(head -c 40 "shown/$name")" = "$(perl -e 'print substr("$ARGV[0] " x 40, 0, 40)' "$name")" ] ||
		fail "$name is not there"
done
[ "$(ls shown/bad shown/good | wc -l)" -gt 55 ] || fail "names are missing"
hidden shown 1
logged "^e2bfo: bad.img: inode $(inode_of base.img /bad/file): inode checksum is wrong" \
	"inode $(inode_of base.img /bad/tree): checksum of a block .* \\(block $leaf\\)" \
	"inode $(inode_of base.img /bad/big): checksum of a directory block is wrong" \
	"inode $(inode_of base.img /bad/xattr): extended attribute block is damaged \\(block $xattr\\)" \
	"inode $(inode_of base.img /bad/slow): symbolic link is damaged"
unchanged bad.img "$before" mount

# ---- in the background: the system's log ----

mkdir dev ready
cat > listen.py <<'END'
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("/dev/log")
open("ready/fifo", "w").close()
print(s.recv(4096).decode())
END
mkfifo ready/fifo
timeout 60 unshare -m --propagation private bash -eu -c '
	mount -t tmpfs none dev
	cp -a /dev/{null,zero,fuse,random,urandom,full} dev/
	mkdir dev/shm
	mount --bind /dev/shm dev/shm
	mount --rbind dev /dev
	cd "$PWD"
	python3 listen.py > log &
	cat ready/fifo
	"$1" mount bad.img shown
	! cat shown/bad/tree 2> /dev/null
	wait $!
	"$1" umount shown' bash "$E2BFO" || fail "in the background"
grep -q "e2bfo\\[[0-9]*\\]: bad.img: inode [0-9]*: checksum of a block" log || fail "the log has $(cat log)"

# ---- what cannot be read ----

cp --sparse=always base.img bad.img
data=$(ask bad.img 'bmap /bad/tree 40')
table=$(($(inode_at /good/file-9) / 4096))
printf '# Mapfile\n0x0 + 1\n' > map
at=0
for block in $(printf '%s\n' "$data" "$table" | sort -n); do
	printf '%#x %#x +\n%#x 0x1000 -\n' $at $((block * 4096 - at)) $((block * 4096))
	at=$((block * 4096 + 4096))
done >> map
printf '%#x 0x10000000 +\n' $at >> map
shown bad.img shown --mapfile map
fails 'Input/output error' cat shown/bad/tree
fails 'Input/output error' stat shown/good/file-9
[ "$(dd if=shown/bad/tree bs=4096 skip=38 count=1 status=none | tr -d '\0')" = 'block 19' ] ||
	fail "nothing is read of a file with a bad block"
[ "$(dd if=shown/bad/tree bs=4096 skip=42 count=1 status=none | tr -d '\0')" = 'block 21' ] ||
	fail "nothing is read behind a bad block"
fails 'Input/output error' dd if=shown/bad/tree bs=4096 skip=40 count=1 status=none
cmp shown/bad/xattr <(ask base.img 'cat /bad/xattr') || fail "bad/xattr"
hidden shown 1
logged "inode $(inode_of base.img /bad/tree): .*cannot be read \\(block $data\\)" \
	"inode $(inode_of base.img /good/file-9): inode cannot be read"

# ---- any damage ----

mke2fs -q -F -t ext4 -b 1024 -O ^metadata_csum,inline_data,^has_journal plain.img 24M
mounted plain.img mnt rw
cp -a "$SRCDIR"/lib/[ctv]* mnt/
mkdir mnt/many
perl -e 'for (1 .. 120) {
	symlink("t" x ($_ * 7), "mnt/many/link-$_") or die;
	open(my $f, ">", "mnt/many/$_") or die;
	print $f "x" x $_ ** 2; }'
setfattr -n user.x -v "$(printf 'v%.0s' {1..400})" mnt/many/{1..9}
setfacl -m u:7:r mnt/many/{5..20}
unmounted mnt
for seed in $(seq "${MOUNT_SEEDS:-6}"); do
	python3 - "$seed" <<-'END'
		import random, subprocess, sys
		dice = random.Random(int(sys.argv[1]))
		image = bytearray(open("plain.img", "rb").read())
		used = [block for block in range(300, len(image) // 1024)
		        if any(image[block * 1024:block * 1024 + 1024])]
		for _ in range(400):
		    at = dice.choice(used) * 1024 + dice.randrange(1024)
		    image[at] = dice.choice((0, 255, image[at] ^ 1 << dice.randrange(8),
		                             dice.randrange(256)))
		open("bad.img", "wb").write(image)
	END
	before=$(digest bad.img)
	shown bad.img shown
	timeout 100 python3 - shown <<-'END' || fail "seed $seed: it hangs, or is gone"
		import os, sys
		seen = 0
		def content(path):
		    if os.path.isfile(path) and not os.path.islink(path):
		        if os.path.getsize(path) < 1 << 24:
		            return open(path, "rb").read()
		for path, folders, files in os.walk(os.fsencode(sys.argv[1])):
		    for name in folders + files:
		        full = os.path.join(path, name)
		        seen += 1
		        for what in (lambda: os.lstat(full), lambda: os.readlink(full),
		                     lambda: [os.getxattr(full, x, follow_symlinks=False)
		                              for x in os.listxattr(full, follow_symlinks=False)],
		                     lambda: content(full)):
		            try:
		                what()
		            except OSError:
		                pass
		            except ValueError:
		                pass
		    if seen > 20000:
		        break
		os.stat(os.path.join(os.fsencode(sys.argv[1]), b"."))
	END
	"$E2BFO" umount shown || fail "seed $seed: not unmounted"
	status=0
	wait "$(cat shown.pid)" || status=$?
	[ $status -le 1 ] || fail "seed $seed: exit $status: $(tail -n 20 shown.said)"
	unlisted shown
	unchanged bad.img "$before" "mount, seed $seed"
done

# ---- a journal that was not replayed ----

volume dirty.img 64M
mounted dirty.img mnt rw
perl -e '
	chdir("mnt") or die;
	sub put { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[1]; close($f); }
	for my $d (1 .. 12) {
		mkdir($d) or die;
		put("$d/" . ("n" x ($_ % 90)) . $_, "x" x ($_ * 37)) for 1 .. 60;
	}'
sync -f mnt
# (Into the journal, and nowhere else.)
perl -MIO::Handle -e 'chdir("mnt") or die;
	unlink(glob("3/*")); rename("4", "5/moved") or die; chmod(0600, glob("6/*"));
	mkdir("new") or die; open(my $f, ">", "7/new") or die; print $f "new " x 5000;
	$f->flush && $f->sync or die;'
cp --sparse=always dirty.img copy.img
cp --sparse=always dirty.img replayed.img
unmounted mnt
dumpe2fs -h copy.img 2> /dev/null | grep -q needs_recovery || fail "nothing is to be replayed"
before=$(digest copy.img)
mounted replayed.img mnt rw,noatime
mount -o remount,ro mnt
shown copy.img shown
manifest_of mnt > kernel
manifest_of shown > ours
same kernel ours
grep -q '^/5/moved/' ours || fail "the journal was not read"
grep -q 'copy.img was read as its journal leaves it: ' shown.said || fail "not said: $(cat shown.said)"
hidden shown
unchanged copy.img "$before" "mount of a dirty image"
shown copy.img shown --ignore-journal
manifest_of shown > ours || :
! cmp -s kernel ours || fail "the journal was not ignored"
hidden shown "$([ "$(wc -l < shown.said)" = 1 ] && echo 0 || echo 1)"
unmounted mnt

# ---- killed ----

# read_all: all files that are shown, as far as they can be
read_all() {
	find shown -type f -exec cat {} + > /dev/null 2>&1 || :
}

# killed_at N: shown, until it is killed just before its Nth read of the image
killed_at() {
	truncate -s 0 counts
	truncate -s 4096 counts
	as="env LD_PRELOAD=$BUILDDIR/tests/fault/shim.so FAULT_EVENT=read-source FAULT_AT=$1
		FAULT_HOW=kill FAULT_TIMES=1 FAULT_COUNTS=$PWD/counts" shown base.img shown
}

before=$(digest base.img)
export FAULT_SOURCE=$PWD/base.img
killed_at 1000000
read_all
reads=$(perl -e 'open(my $f, "<", "counts"); read($f, my $c, 32); print((unpack("Q4", $c))[3])')
hidden shown
[ "$reads" -gt 40 ] || fail "only $reads reads"
struck read-source kill 1 mount base.img shown
[ $status = 137 ] || fail "killed before the first read: exit $status"
! is_shown "$PWD/shown" || fail "mounted, and killed before the first read"
for n in 5 $((reads / 3)) $((reads / 2)) $((reads - 3)); do
	killed_at $n
	read_all
	fails 'not connected' stat shown
	wait "$(cat shown.pid)" || [ $? = 137 ] || fail "killed before read $n: another end"
	e2bfo 0 umount shown
	! is_shown "$PWD/shown" || fail "read $n: still mounted"
	unlisted shown
	unchanged base.img "$before" "mount, killed before read $n"
done
shown base.img shown
while cat shown/good/* shown/bad/big/*; do
	echo 3 > /proc/sys/vm/drop_caches
done > /dev/null 2>&1 &
reader=$!
cat shown/good/file-1 > /dev/null
kill -KILL "$(cat shown.pid)"
wait $reader || :
fails 'not connected' ls shown
nobody "$E2BFO" umount shown 2> said && fail "somebody else unmounts it"
e2bfo 0 umount shown
shown base.img shown
cmp shown/good/file-1 <(ask base.img 'cat /good/file-1') || fail "not mounted again"
hidden shown
unchanged base.img "$before" "mount, killed"
