#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories as targets, judged by the kernel: one of everything comes as it was; nothing outside
# of the directory changes, whatever the image says; whatever system call a kill comes at, what has
# its name is whole, and abort removes the rest; full disks, quotas and what exists already.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount strace setpriv python3 setcap chattr lsattr

# listed DIR [OPTIONS]: what the kernel shows of it, without what no mounted filesystem takes
listed() {
	local dir=$1

	shift
	"$JUDGES/manifest" -d -o ctime -o crtime -o gen -x /lost+found "$@" "$dir" ||
		fail "manifest of $dir"
}

# fresh NAME SIZE [mke2fs arguments]: an empty ext4, mounted on NAME
fresh() {
	volume "$1.img" "${@:2}"
	mounted "$1.img" "$1" rw
}

# ---- one of everything ----

"$IMAGES/oddities" source.img
before=$(digest source.img)
mounted source.img was
OMIT=(-o projid -x /flags/file-j)
listed was "${OMIT[@]}" > was.list
unmounted was
# (This kernel has no projects, and sets no journalling of data.)
fresh is 600M -O ea_inode
e2bfo 1 copy source.img is/new/
grep -q '^times of change cannot be set: [0-9]* (no mounted' out || fail "not said: ctime"
says '^e2bfo: flags/file-j: flags cannot be set$' '^e2bfo: fields/[a-z]*: projects cannot be set'
[ "$(wc -l < said)" = 2 ] || fail "more is lost: $(cat said)"
mount -o remount,ro,noatime is
listed is/new "${OMIT[@]}" > is.list
same was.list is.list
e2bfo 1 verify --ignore ctime,crtime,generation,version,project source.img is/new
[ "$(grep -v '^Compared\|^is/new: ' out)" = "$(grep '^/flags/file-j: flags ' out)" ] ||
	fail "other differences: $(cat out)"
unmounted is
checked is.img
unchanged source.img "$before" copy

# The root of a directory that is made is the source's; of one that exists it stays.
mkdir -p tree/sub
cp -r "$SRCDIR/lib/base" tree/sub/
seq 100000 > tree/big
ln tree/big tree/sub/again
ln -s /etc/passwd tree/sub/link
chmod 4755 tree/big
chmod 2700 tree
volume small.img 40M -d tree
debug small.img 'sif / uid 77' 'sif / mode 042700'
fresh place 60M
chmod 751 place
e2bfo 0 copy small.img place/new/
[ "$(stat -c '%u %a' place/new)" = '77 2700' ] || fail "the root: $(stat -c '%u %a' place/new)"
e2bfo 0 copy --from /sub small.img place/
[ "$(stat -c '%u %a' place)" = '0 751' ] || fail "the directory: $(stat -c '%u %a' place)"
listed place/new/sub > was.list
listed place/sub > is.list
grep -v ' /again \|^/again ' was.list | sed 1d > was.rest
grep -v ' /again \|^/again ' is.list | sed 1d > is.rest
same was.rest is.rest
tar -C tree -cf tree.tar .
e2bfo 0 copy tree.tar place/of-tar/
e2bfo 0 copy tree place/of-dir/
diff -r place/of-tar place/of-dir || fail "an archive and its directory are not the same"
[ -z "$(find place -name '.e2bfo*')" ] || fail "something is left"

# ---- what exists ----

echo mine > place/sub/base/vec.c
touch -d '2001-01-01' place/sub/base/vec.c
touch -d '2090-01-01' place/sub/base/vec.h
echo older > place/sub/base/sort.c
touch -d '2001-01-01' place/sub/base/sort.c
rm place/sub/base/text.c
e2bfo 8 copy --json --from /sub small.img place/
python3 -c 'import json
r = json.load(open("out"))
assert "sub/base/vec.c" in r["clashes"] and r["target_state"] == "as-before", r
assert "sub/base/text.c" not in r["clashes"], r'
[ ! -e place/sub/base/text.c ] || fail "it was written in spite of clashes"
e2bfo 0 copy --from /sub --skip-existing small.img place/
[ "$(cat place/sub/base/vec.c)" = mine ] || fail "--skip-existing replaced a file"
cmp place/sub/base/text.c tree/sub/base/text.c || fail "--skip-existing made no file"
echo newer > place/sub/base/vec.h
touch -d '2090-01-01' place/sub/base/vec.h
touch -r place/sub/base/spill.c stamp
echo "as old" > place/sub/base/spill.c
touch -r stamp place/sub/base/spill.c
e2bfo 0 copy --from /sub --if-newer small.img place/
[ "$(cat place/sub/base/spill.c)" = "as old" ] || fail "--if-newer replaced a file that is as old"
[ "$(cat place/sub/base/vec.h)" = newer ] || fail "--if-newer replaced a newer file"
cmp place/sub/base/sort.c tree/sub/base/sort.c || fail "--if-newer left an older file"
e2bfo 0 copy --from /sub --overwrite small.img place/
diff -r place/sub tree/sub || fail "--overwrite: not the same"
for over in --overwrite --skip-existing --if-newer; do
	rm -r place/sub/base/disk.h
	mkdir place/sub/base/disk.h
	e2bfo 8 copy --from /sub $over small.img place/
	[ -d place/sub/base/disk.h ] || fail "$over: a file in place of a directory"
	rmdir place/sub/base/disk.h
	cp tree/sub/base/disk.h place/sub/base/
done

# ---- nothing outside ----

# Links where directories are to be, and a name that others have made meanwhile.
mkdir outside
echo precious > outside/file
rm -r place/sub/base
ln -s "$PWD/outside" place/sub/base
e2bfo 8 copy --from /sub --overwrite small.img place/
[ "$(ls outside)" = file ] || fail "it went through a link"
rm place/sub/base
# A directory below which something is mounted.
mkdir place/sub/base
mount -t tmpfs tmpfs place/sub/base
realpath place/sub/base >> .state/mounts
e2bfo 8 copy --from /sub --overwrite small.img place/
says 'place'
[ -z "$(ls -A place/sub/base)" ] || fail "it went into a mount"
umount place/sub/base
rm -r place/sub

# An image with names that lead out, made with a hexadecimal editor's means: they are found.
cp small.img evil.img
python3 - <<-'END'
	image = bytearray(open("evil.img", "rb").read())
	for old, new in ((b"vec.h", b"../zz"), (b"vec.c", b"a/b/c"), (b"rank.c", b"/abs/x")):
	    at = image.find(old)
	    assert at > 0, old
	    while at >= 0:
	        if image[at - 2] == len(old) and image[at - 1] == 1:
	            image[at:at + len(old)] = new
	        at = image.find(old, at + 1)
	open("evil.img", "wb").write(image)
END
tune2fs -O ^metadata_csum evil.img > /dev/null 2>&1 || :
ls -AlR --time-style=full-iso outside tree > untouched
status=0
strace -f -o trace -e trace=mkdirat,linkat,symlinkat,renameat2,mknodat,unlinkat \
	"$E2BFO" copy evil.img place/evil/ > out 2> said || status=$?
[ $status = 1 ] || [ $status = 8 ] || fail "status $status of an evil image"
! grep -E '^[0-9]+ (linkat|mkdirat|renameat2|mknodat)' trace | grep -E '"(\.\./|/|[^"]*/\.\./)' ||
	fail "names that lead out"
[ ! -e place/zz ] && [ ! -e /abs ] || fail "something outside"
ls -AlR --time-style=full-iso outside tree | cmp - untouched || fail "outside has changed"

# ---- killed ----

# whole DIR: each file in it that has its name is that of tree
whole() {
	local path

	(cd "$1" && find . -name '.e2bfo-*' -prune -o -type f -print) | while read -r path; do
		cmp "$1/$path" "tree/$path" || fail "$path is not whole"
	done
}

for call in openat2 mkdirat fchownat pwrite64 renameat2 syncfs symlinkat linkat; do
	for n in 1 3 30; do
		rm -rf place/*
		mkdir place/sub
		status=0
		strace -f -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=$n \
			"$E2BFO" copy small.img place/ > out 2>&1 || status=$?
		[ -n "$(ls -A place)" ] || fail "$call $n: the directory is gone"
		whole place
		e2bfo 0 abort place
		[ -z "$(find place -name '.e2bfo*')" ] || fail "$call $n: abort leaves something"
		whole place
		e2bfo 0 copy --skip-existing small.img place/
		diff -r -x lost+found place tree || fail "$call $n: not all of it afterwards"
	done
done

# What has its name is on the device before, and so are names in the end.
for target in place/ place/made/; do
	rm -rf place/*
	strace -f -o trace -e trace=syncfs,renameat2 "$E2BFO" copy --from /sub small.img $target > out
	grep -oE 'syncfs|renameat2' trace > order
	[ "$(head -n 1 order)" = syncfs ] || fail "$target: a name before its data are durable"
	grep -q renameat2 order || fail "$target: nothing is named"
	[ "$(tail -n 1 order)" = syncfs ] || fail "$target: names that are not durable"
done

# ---- what cannot be ----

mkdir full
mount -t tmpfs -o size=300K tmpfs full
realpath full >> .state/mounts
e2bfo 8 copy small.img full/
says 'Not enough free blocks'
[ -z "$(find full -name '.e2bfo*')" ] || fail "something is left on a full disk"
mount -o remount,ro place
e2bfo 8 copy small.img place/new/
says 'Read-only'
mount -o remount,rw place
e2bfo 8 copy small.img /proc/nowhere/
e2bfo 8 copy small.img tree/big/
e2bfo 16 copy --overwrite --skip-existing small.img place/
for option in --keep-inodes --itree --verify --trust --not-atomic "-z undo" "--order size" --force \
	--portable; do
	e2bfo 16 copy $option small.img place/no/
	says 'is for|is not for|are for'
done
[ ! -e place/no ] || fail "it was made in spite of that"

# A file of metadata never takes the place of another one, nor of one that the copy has made.
echo precious > keep
e2bfo 8 copy --metadata-out keep small.img place/meta/
says 'File exists while making keep'
[ "$(cat keep)" = precious ] && [ ! -e place/meta ] || fail "it was replaced"
mkdir place/meta
e2bfo 8 copy --metadata-out place/meta/big small.img place/meta/
cmp place/meta/big tree/big || fail "what was copied was replaced"
# What was not made is not there, and that is said.
mkdir tiny
mount -t tmpfs -o size=300K tmpfs tiny
realpath tiny >> .state/mounts
e2bfo 8 copy --json small.img tiny/new/
python3 -c 'import json; assert json.load(open("out"))["target_state"] == "not-made"'
[ -z "$(ls -A tiny)" ] || fail "something is left: $(ls -A tiny)"
# An access control list that the mode contradicts: no kernel has both.
cp small.img odd.img
perl -e 'print pack("V(vvV)*", 2, 1, 7, -1, 4, 7, -1, 32, 7, -1)' > list
debug odd.img 'ea_set -f list /big system.posix_acl_access'
e2bfo 1 copy odd.img place/odd/
says '(big|sub/again): access control lists cannot be set'

# ---- with less than everything ----

volume devices.img 20M -d tree
debug devices.img 'mknod null c 1 3' 'mknod disk b 7 9' 'mknod pipe p'
mounted devices.img mnt rw
setfattr -n user.keep -v yes mnt/sub/link 2> /dev/null || :
setfattr -n user.keep -v yes mnt/big
setfattr -n user.drop -v no mnt/big
setcap cap_net_raw+ep mnt/big
chmod 4755 mnt/big
ln mnt/sub/base/vec.h mnt/sub/two
chattr +i mnt/sub/base/vec.h mnt/sub/base/vec.c
unmounted mnt
e2bfo 0 copy --no-devices --no-suid --no-xattrs 'user.d*' devices.img place/less/
[ ! -e place/less/null ] && [ ! -e place/less/disk ] && [ -p place/less/pipe ] || fail "devices"
[ "$(stat -c %a place/less/big)" = 755 ] || fail "set-user-id"
[ -z "$(getcap place/less/big)" ] || fail "capabilities"
[ "$(getfattr --only-values -n user.keep place/less/big)" = yes ] || fail "user.keep"
! getfattr -n user.drop place/less/big 2> /dev/null || fail "user.drop"
# What takes no further name is set last: of a file with two, of one that has none yet.
for file in place/less/sub/two place/less/sub/base/vec.c; do
	lsattr $file | grep -q '^[^ ]*i' || fail "$file is not immutable"
done
e2bfo 0 copy --from /sub/base/vec.c devices.img place/
lsattr place/vec.c | grep -q '^[^ ]*i' || fail "place/vec.c is not immutable"

# As nobody: what cannot be set is told, and stands in the file.
mkdir nobody
chown 65534:65534 nobody
chmod 755 . nobody
cp "$E2BFO" nobody/program
cp devices.img nobody/
chmod 644 nobody/devices.img
status=0
(cd nobody && setpriv --reuid=65534 --regid=65534 --clear-groups ./program copy \
	--metadata-out ./kept devices.img here/) > out 2> said || status=$?
[ $status = 0 ] || [ $status = 1 ] || fail "as nobody: status $status: $(cat said)"
diff -r -x lost+found -x pipe -x two tree nobody/here || fail "as nobody: contents"
grep -q 'null' nobody/kept && grep -q 'security.capability' nobody/kept || fail "not kept"
# Directories that --to makes belong to whoever makes them.
mkdir own
seq 1000 > own/file
chown -R 65534:65534 own
volume nobody/own.img 8M -d own
debug nobody/own.img 'sif / uid 65534' 'sif / gid 65534'
chmod 644 nobody/own.img
(cd nobody && setpriv --reuid=65534 --regid=65534 --clear-groups ./program copy --from /file \
	--to /made/deep own.img to/) > out 2> said || fail "--to as nobody: status $?: $(cat said)"
[ "$(stat -c %u nobody/to/made/deep nobody/to/made | sort -u)" = 65534 ] || fail "--to as nobody: whose?"
