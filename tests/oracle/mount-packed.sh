#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo mount of packed directories (e2pack(5)) against the kernel's mount of what they were before:
# the same tree, the same attributes and contents, to who reads here and there; numbers as the
# format says.  What is damaged, or made up, is shown as the file that it is; a content that is not
# what its checksum says is an error; either is said once.  A process that is killed.
# long
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../mount.sh"
requires root mke2fs e2fsck debugfs losetup python3 rsync setfattr getfattr fusermount3 /dev/fuse

chmod a+x .

# ---- a tree ----

# filled [mke2fs arguments]: start.img, and packed.img, whose directories are packed
filled() {
	filling start.img mnt 64M "$@"
	mkdir -p mnt/mail/sub mnt/many mnt/mixed mnt/plain
	for n in {1..60}; do
		head -c $((n * 1000)) /dev/urandom > "mnt/mail/$n.eml"
		printf '%s\n' "$n" > "mnt/mail/sub/note-$n"
		echo "plain $n" > "mnt/plain/$n"
	done
	perl -e 'for (1 .. 1500) { open(my $f, ">", "mnt/many/" . "n" x ($_ % 60) . $_) or die; print $f $_ x 9; }'
	: > mnt/mail/empty
	printf 'tab\n' > $'mnt/mail/ta\tb\xff'
	ln mnt/mail/3.eml mnt/mail/link
	ln mnt/mail/3.eml mnt/mail/00-link
	setfattr -n user.note -v hello mnt/mail/{5,6}.eml
	setfattr -n user.a -v "$(head -c 400 /dev/urandom | base64 -w 0)" mnt/mail/6.eml
	setfattr -n user.empty mnt/mail/7.eml
	chmod 0750 mnt/mail/8.eml
	chmod 0600 mnt/mail/9.eml
	head -c 200000 /dev/urandom > mnt/mixed/large
	ln -s large mnt/mixed/link
	head -c 300 /dev/urandom | tee mnt/mixed/{one,two} > /dev/null
	chown 1000:1001 mnt/mail/{20,21,22}.eml
	touch -d '2001-02-03 04:05:06.789012345' mnt/mail/13.eml
	touch -a -d '1980-02-03 04:05:06.7' mnt/mail/14.eml
	is_filled mnt
	cp --sparse=always start.img packed.img
	e2bfo 0 pack -q -r packed.img /mail /many /mixed
	checked packed.img
}

# compared: packed.img as it is shown and start.img as the kernel shows it
compared() {
	mounted start.img mnt
	shown packed.img shown --allow-other "$@"
	# (Times of directories' inodes have changed.)
	for dir in mnt shown; do
		"$JUDGES/manifest" -o crtime -o attr -o layout -o iflags -o gen "$dir" |
			sed -E '/^[^ ]* type=d /s/ (ctime|size)=[^ ]*//g' > "$dir.manifest" ||
			fail "manifest of $dir"
	done
	same mnt.manifest shown.manifest
	[ "$(wc -l < mnt.manifest)" -gt 1600 ] || fail "hardly any files"
	rsync -naHXAc --delete --itemize-changes mnt/ shown/ > changes 2>&1 || fail "rsync: $(cat changes)"
	! grep -v '^\.d' changes || fail "rsync sees another tree"
	(cd mnt && find . -type f -print0) > list
	python3 "$SRCDIR/tests/oracle/readalike.py" 7 mnt shown list || fail "contents"
	unmounted mnt
}

# numbers: of members, as shown/ and e2bfo say
cat > numbers.py <<'END2'
import os, sys
seen, composites = {}, set()
for folder, _, files in os.walk(b"shown"):
    listed = {entry.name: entry.inode() for entry in os.scandir(folder)}
    for name in files:
        full = os.path.join(folder, name)
        info = os.lstat(full)
        assert listed[name] == info.st_ino, (full, listed[name], info.st_ino)
        assert b"e2pack" not in name, full
        if info.st_ino >> 32:
            seen.setdefault(info.st_ino, []).append(name)
            composites.add(info.st_ino & 0xffffffff)
            assert len(seen[info.st_ino]) <= info.st_nlink
links = [sorted(names) for names in seen.values() if len(names) > 1]
assert links == [[b"00-link", b"3.eml", b"link"]], links
assert len(seen) > 1600, len(seen)
assert composites == set(map(int, sys.argv[1:])), (composites, sys.argv[1:])
END2

filled -I 256
before=$(digest packed.img)
compared
composites=$(ask packed.img 'ls -p /mail' | awk -F/ '$6 ~ /e2pack/ { print $2 }'
	for dir in mail/sub many mixed; do
		ask packed.img "ls -p /$dir" | awk -F/ '$6 ~ /e2pack/ { print $2 }'
	done)
# shellcheck disable=SC2086
python3 numbers.py $composites || fail "numbers"
! stat shown/mail/packed-1.e2pack 2> said || fail "a composite file is shown"
says 'No such file'
setpriv --reuid=1000 --clear-groups --regid=1000 head -c 1 shown/mail/20.eml > /dev/null ||
	fail "its owner cannot read it"
! nobody head -c 1 shown/mail/9.eml 2> said || fail "anybody can read it"
says 'Permission denied'
hidden shown
[ ! -s shown.said ] || fail "it complains: $(cat shown.said)"
compared --memory 1M
hidden shown
unchanged packed.img "$before" mount

# ---- damage ----

# fails COMMAND...
fails() {
	! "$@" > out 2> said || fail "$*: no error"
	says 'Input/output error'
}

# as_it_is PATTERN DIR FILE: in bad.img FILE of DIR is shown, not its members; that is said once
as_it_is() {
	shown bad.img shown
	for _ in 1 2; do
		ls "shown/$2" > names
		grep -qx "$3" names || fail "$1: it is not shown: $(head -5 names)"
		cmp "shown/$2/$3" <(ask bad.img "cat \"/$2/$3\"") || fail "$1: other bytes"
		echo 2 > /proc/sys/vm/drop_caches
	done
	[ "$(cat shown/plain/7)" = 'plain 7' ] || fail "$1: another file is gone"
	hidden shown 1
	[ "$(wc -l < shown.said)" = 1 ] || fail "$1: said $(cat shown.said)"
	grep -q "inode $(inode_of bad.img "/$2/$3"): composite file is shown as .*: $1" shown.said ||
		fail "$1: said $(cat shown.said)"
}

# damaged BYTE: bad.img has another one there, of the composite file of /many
pack=/many/packed-1.e2pack
size=$(ask packed.img "stat $pack" | sed -n 's/^User:.* Size: *//p')
damaged() {
	cp --sparse=always packed.img bad.img
	printf '\xa5\x5a' | dd of=bad.img bs=1 conv=notrunc status=none \
		seek=$(($(ask packed.img "bmap $pack $(($1 / 4096))") * 4096 + $1 % 4096))
}

damaged 61
as_it_is 'the checksum of its header' many packed-1.e2pack
damaged $((size - 2))
as_it_is 'the checksum of its table' many packed-1.e2pack

damaged 200
shown bad.img shown
fails sh -c 'cat shown/many/*'
for _ in 1 2; do
	! cat shown/many/* > /dev/null 2> said || fail "damage is not seen"
	[ "$(grep -c 'Input/output' said)" = 1 ] || fail "another error: $(head -5 said)"
	echo 3 > /proc/sys/vm/drop_caches
done
[ "$(ls shown/many | wc -l)" = 1500 ] || fail "members are gone"
hidden shown 1
[ "$(wc -l < shown.said)" = 1 ] || fail "said $(cat shown.said)"
grep -Eq "inode $(inode_of bad.img $pack): member [0-9]+ .*its content is not" shown.said ||
	fail "said $(cat shown.said)"

# ---- what somebody has made up ----

cp --sparse=always packed.img bad.img
echo "set -F 0 $pack" > script
e2bfo 0 batch bad.img script
shown bad.img shown
[ "$(ls shown/many)" = packed-1.e2pack ] || fail "what has lost its flag: $(ls shown/many | head -5)"
hidden shown
[ ! -s shown.said ] || fail "it complains: $(cat shown.said)"

# another name of its own; a member's name that is a file's; two composite files with the same names
cp --sparse=always packed.img bad.img
printf '%s\n' "set -F 0 $pack" "ln $pack /many/other" "set -F 16 $pack" > script
e2bfo 0 batch bad.img script
as_it_is 'it has other names' many packed-1.e2pack
cp --sparse=always packed.img bad.img
mounted bad.img mnt rw,noatime
: > mnt/mixed/one
unmounted mnt
as_it_is 'a member has a name that is taken' mixed packed-1.e2pack
ask packed.img "dump /mixed/packed-1.e2pack $PWD/twin"
cp --sparse=always packed.img bad.img
printf '%s\n' 'put twin /mixed/twin' 'set -F 16 /mixed/twin' > script
e2bfo 0 batch bad.img script
as_it_is 'a member has a name that is taken' mixed twin
shown bad.img shown
cmp shown/mixed/one <(ask start.img 'cat /mixed/one') || fail "the first one is not seen through"
hidden shown 1

# of a newer version, with right checksums
python3 - <<'END2'
data = bytearray(open("twin", "rb").read())
table = list(range(256))
for _ in range(8):
    table = [c >> 1 ^ (0x82F63B78 if c & 1 else 0) for c in table]
data[8] = 2
value = 0xFFFFFFFF
for byte in data[:124]:
    value = table[(value ^ byte) & 0xFF] ^ value >> 8
data[124:128] = value.to_bytes(4, "little")
open("newer", "wb").write(data)
END2
cp --sparse=always packed.img bad.img
printf '%s\n' 'put newer /plain/newer' 'set -F 16 /plain/newer' > script
e2bfo 0 batch bad.img script
as_it_is 'a newer version has written it' plain newer

# ---- killed ----

export FAULT_SOURCE=$PWD/packed.img
read_all() {
	find shown -type f -exec cat {} + > /dev/null 2>&1 || :
}
killed_at() {
	truncate -s 0 counts
	truncate -s 4096 counts
	as="env LD_PRELOAD=$BUILDDIR/tests/fault/shim.so FAULT_EVENT=read-source FAULT_AT=$1
		FAULT_HOW=kill FAULT_TIMES=1 FAULT_COUNTS=$PWD/counts" shown packed.img shown
}
killed_at 1000000
read_all
reads=$(perl -e 'open(my $f, "<", "counts"); read($f, my $c, 32); print((unpack("Q4", $c))[3])')
hidden shown
[ "$reads" -gt 200 ] || fail "only $reads reads"
for n in 20 $((reads / 4)) $((reads / 2)) $((reads - 30)); do
	killed_at $n
	read_all
	! stat shown > /dev/null 2> said || fail "it was not killed before read $n"
	says 'not connected'
	wait "$(cat shown.pid)" || [ $? = 137 ] || fail "killed before read $n: another end"
	e2bfo 0 umount shown
	unlisted shown
done
unset FAULT_SOURCE
unchanged packed.img "$before" "mount, killed"

# ---- other kinds: small inodes, contents in inodes, small blocks ----

for how in "-b 1024 -I 128" "-b 1024 -I 256 -O inline_data" "-O ^metadata_csum,^dir_index" \
	"-I 1024 -O ^extents,^64bit,^metadata_csum"; do
	# shellcheck disable=SC2086
	filled $how
	compared
	hidden shown
	[ ! -s shown.said ] || fail "$how: it complains: $(cat shown.said)"
done
