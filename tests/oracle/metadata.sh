#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An image, extracted by nobody, and back: with a file of metadata it is the same tree again. What
# was changed meanwhile is noticed, and what somebody has done to the file is refused.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount setpriv python3

# as_nobody ARGUMENTS...: e2bfo, run by nobody in ./nobody
as_nobody() {
	status=0
	(cd nobody && setpriv --reuid=65534 --regid=65534 --clear-groups ./program "$@") \
		> out 2> said || status=$?
	[ $status = 0 ] || [ $status = 1 ] || fail "as nobody: status $status: $(cat said)"
}

# back NAME [OPTIONS]: what nobody has becomes NAME.img, as a filesystem that takes everything
back() {
	e2bfo 0 copy --mkfs='-I 256 -O ea_inode,project' --size 600M --metadata-in nobody/kept "${@:2}" \
		nobody/here "$1.img"
	checked "$1.img"
}

# ---- one of everything ----

mkdir nobody
chmod 755 . nobody
cp "$E2BFO" nobody/program
"$IMAGES/oddities" nobody/source.img
chmod 644 nobody/source.img
chown 65534:65534 nobody
as_nobody copy --metadata-out ./kept source.img here/
says 'owners? and group cannot be set' 'devices cannot be made'
before=$(digest nobody/source.img nobody/kept)
back new
e2bfo 0 verify nobody/source.img new.img
e2bfo 0 verify --metadata-in nobody/kept nobody/here nobody/source.img
e2bfo 1 verify --json nobody/here nobody/source.img
# The judge is the kernel: both images show the same, and debugfs what it does not show, as projects
# where the source has not the feature.
mounted nobody/source.img was
mounted new.img is
for dir in was is; do
	"$JUDGES/manifest" -d -o projid -x /lost+found $dir > $dir.list || fail "manifest of $dir"
	unmounted $dir
done
same was.list is.list
for path in /fields/project /special/char-small /flags/file-j /flags/dir-a; do
	for image in nobody/source.img new.img; do
		ask $image "stat $path" | grep -Eo '(Flags|Version|Project|ctime|crtime): *[^ ]*' \
			> "$(basename $image).stat"
	done
	[ -s source.img.stat ] || fail "debugfs stat $path"
	same source.img.stat new.img.stat
done
# Both ways are the same way.
back again
e2bfo 0 verify new.img again.img
[ "$(digest nobody/source.img nobody/kept)" = "$before" ] || fail "the source or FILE has changed"

# ---- what only this tree has ----

# Preallocation where the directory has a hole; what has no line.
rm -rf nobody/here nobody/kept
mkdir tree
seq 20000 > tree/data
truncate -s 1M tree/holes
volume nobody/source.img 40M -d tree
debug nobody/source.img 'mknod pipe p' 'mknod null c 1 3' 'sif data uid 1234' \
	'sif data mode 0104755' 'ea_set holes trusted.one value'
mounted nobody/source.img mnt rw
fallocate -o 65536 -l 131072 mnt/holes
fallocate -n -o 1048576 -l 65536 mnt/holes
ln mnt/null mnt/zero
unmounted mnt
chmod 644 nobody/source.img
as_nobody copy --metadata-out ./kept source.img here/
back holes
e2bfo 0 verify nobody/source.img holes.img
mounted holes.img mnt
"$JUDGES/manifest" -d mnt > /dev/null || fail "manifest of mnt"
[ "$(stat -c '%u %a %t,%T' mnt/data)" = '1234 4755 0,0' ] || fail "data: $(stat mnt/data)"
[ "$(stat -c '%i %t,%T' mnt/null)" = "$(stat -c '%i' mnt/zero) 1,3" ] || fail "null, and its link"
unmounted mnt
ask holes.img 'dump_extents /holes' | grep -c Uninit > count
[ "$(cat count)" -ge 2 ] || fail "nothing is preallocated"
echo new > nobody/here/more
chown 77:88 nobody/here/more
back more
mounted more.img mnt
[ "$(stat -c '%u %g' mnt/more mnt/data)" = "$(printf '77 88\n1234 0')" ] || fail "who owns them"
unmounted mnt
rm nobody/here/more

# ---- what was changed ----

# refused STATUS PATTERN: a copy with nobody/kept says PATTERN, and makes nothing
refused() {
	e2bfo "$1" copy --mkfs --size 600M --metadata-in "${3:-nobody/kept}" nobody/here no.img
	says "$2"
	[ ! -e no.img ] || fail "it was made in spite of that: $2"
}

line=$(grep -n '^\./data ' nobody/kept)
line=${line%%:*}
cp -p nobody/here/data data
echo more >> nobody/here/data
refused 8 "line $line of nobody/kept to /data: it has another size now"
rm nobody/here/data
refused 8 "line $line of nobody/kept to /data: it is missing"
mkdir nobody/here/data
refused 8 "line $line of nobody/kept to /data: it has another type now"
rmdir nobody/here/data
cp -p data nobody/here/
back restored
e2bfo 0 verify nobody/source.img restored.img

# ---- the file ----

lines=$(wc -l < nobody/kept)
sed "${line}s/uid=1234/uid=0/" nobody/kept > damaged
refused 8 "reading line $lines of damaged: count or checksum" damaged
sed "${line}s/uid=1234/uid=x/" nobody/kept > damaged
refused 8 "reading line $line of damaged: no such value" damaged
sed "${line}s,^./data,./../data," nobody/kept > damaged
refused 8 "reading line $line of damaged: no such path" damaged
head -n -1 nobody/kept > damaged
refused 8 "reading line $((lines - 1)) of damaged: the text ends early" damaged
head -c -1 nobody/kept > damaged
refused 8 "reading line $lines of damaged: it has not the end of a line" damaged
sed '1s/1$/2/' nobody/kept > damaged
refused 8 'reading line 1 of damaged: another version' damaged
refused 8 'opening nowhere' nowhere
for source in nobody/source.img tree.tar; do
	[ $source != tree.tar ] || tar -cf tree.tar tree
	e2bfo 16 copy --mkfs --size 600M --metadata-in nobody/kept $source no.img
	says 'metadata-in is for directories'
done
