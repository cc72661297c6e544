#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo mount against the kernel's mount of the same image: the same tree, the same attributes and
# contents, of all kinds of filesystems; the same bytes and holes to who reads here and there; who
# may read what.  Nothing of the image is written.  MOUNT_KINDS: "all" kinds, "none".
# long
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../mount.sh"
requires root mke2fs e2fsck debugfs losetup perl python3 setpriv setfacl fusermount3 /dev/fuse

kinds="ext2-1k ext3-128 groups uninit_bg-1k no-filetype legacy mixed-1k inline-1k ea_inode-1k
	bigalloc-1k old-rev0"

# space DIR: what statfs(2) says
space() {
	stat -f -c 'blocks %b free %f for users %a of %S; inodes %c free %d; names of %l' "$1"
}

# compared IMAGE: here as there
compared() {
	local dir

	shown "$1" shown
	mounted "$1" mnt
	manifest_of mnt > kernel
	manifest_of shown > ours
	same kernel ours
	[ "$(wc -l < ours)" -gt 20 ] || fail "$1: hardly any files"
	(cd mnt && find . -type f -size -100M -print0) > list
	python3 "$SRCDIR/tests/oracle/readalike.py" 7 mnt shown list || fail "$1: contents"
	for dir in mnt shown; do
		space $dir
		(cd $dir && find . -exec stat -c '%n %b of %B, %o' {} + | sort)
	done > both
	head -n $(($(wc -l < both) / 2)) both > kernel
	tail -n +$(($(wc -l < both) / 2 + 1)) both > ours
	same kernel ours
	unmounted mnt
	hidden shown
	[ ! -s shown.said ] || fail "it complains: $(cat shown.said)"
}

"$IMAGES/oddities" odd.img
mounted odd.img mnt rw
chmod a+x .
(umask 077 && mkdir mnt/listed && echo secret | tee mnt/listed/{file,other} > /dev/null)
setfacl -m u:77:rx,u:12345:x,g:99:r mnt/listed
setfacl -m u:12345:r,g:99:rw,m::r mnt/listed/file
unmounted mnt
odd=$(digest odd.img)
compared odd.img
unchanged odd.img "$odd" mount
while read -r name block inode _ mount how _ _ arguments; do
	case ${MOUNT_KINDS:-some},$mount,$name in
	*,rw,encrypt | *,rw,verity | *,rw,mmp)	continue ;;
	none,*)	continue ;;
	all,rw,*)	;;
	*)	[[ " $(echo $kinds) " == *" $name "* ]] || continue ;;
	esac
	echo "$name"
	# shellcheck disable=SC2086
	"$IMAGES/matrix" kind.img "$how" "$block" "$inode" $arguments
	before=$(digest kind.img)
	compared kind.img
	unchanged kind.img "$before" "mount of $name"
done < <(grep -v '^#' "$SRCDIR/tests/matrix/rows")

# ---- who may do what ----

# tried DIR: what an ordinary user may do with all that root sees there, a line each
tried() {
	python3 - "$1" <<-'END'
		import os, stat, sys
		paths = open("list", "rb").read().split(b"\0")[:-1]
		for user, groups in ((65534, []), (12345, []), (77, []), (5050, []), (1, [99]),
		                     (2, [4000000000])):
		    os.setgroups(groups)
		    os.setegid(user)
		    os.seteuid(user)
		    for path in paths:
		        full = os.path.join(os.fsencode(sys.argv[1]), path)
		        said = []
		        for what in (lambda: os.listdir(full), lambda: os.listxattr(full),
		                     lambda: os.close(os.open(full, os.O_RDONLY | os.O_NONBLOCK)),
		                     lambda: os.close(os.open(full, os.O_RDWR | os.O_NONBLOCK)),
		                     lambda: os.mkdir(full + b"/new"), lambda: os.readlink(full)):
		            try:
		                result = what()
		                said.append(sorted(result) if isinstance(result, list) else result)
		            except OSError as error:
		                said.append(error.errno)
		        print(user, path, *said)
		    os.seteuid(0)
	END
}

mounted odd.img mnt ro,noatime,nodev,nosuid
shown odd.img shown --allow-other
[ "$(findmnt -no FSTYPE,SOURCE shown | tr -s ' ')" = "fuse.e2bfo $PWD/odd.img" ] ||
	fail "another mount: $(findmnt shown)"
for option in ro nosuid nodev default_permissions allow_other; do
	findmnt -no OPTIONS shown | tr , '\n' | grep -qx $option || fail "not $option"
done
(cd mnt && find . -mindepth 1 \( -path ./names -prune -o -path ./shared -prune -o -print0 \)) > list
tried mnt > kernel
tried shown > ours
same kernel ours
grep -q "^12345 b'\./listed/file' 20 .* None 30 " ours && grep -q "^77 b'\./listed/file' 20 .* 13 30 " ours ||
	fail "the lists have decided nothing: $(grep listed/file ours)"
! touch shown/files/empty 2> said || fail "written"
says 'Read-only file system'
# A second one of the same image; nobody else looks at that.
shown odd.img other
manifest_of other > ours
manifest_of mnt > kernel
same kernel ours
nobody stat other/files > said 2>&1 && fail "somebody else looks"
says 'Permission denied'
hidden other
hidden shown
unmounted mnt

# ---- who has the image ----

cp --sparse=always odd.img held.img
shown held.img shown
e2bfo 0 cat held.img /files/one-block
echo 'write x /dev/null' > script
volume target.img 64M
for wrong in "copy --from /files target.img held.img" "batch held.img script"; do
	e2bfo 8 $wrong
	says 'another e2bfo works on it'
done
hidden shown
e2bfo 0 copy --from /trees/wide --to / held.img target.img
e2bfo 0 copy --to /mark target.img held.img

device=$(loop odd.img)
shown "$device" shown
! mount -t ext4 "$device" "$WORK/other" 2> said || fail "it is mounted read-write meanwhile"
says 'busy|already mounted'
hidden shown
unloop "$device"
mounted held.img mnt rw
e2bfo 8 mount "$(cat "$WORK/.state/device-mnt")" other
says 'mounted'
unmounted mnt

# ---- how images are called ----

cp --sparse=always odd.img 'a,b\c d.img'
truncate -s 1M disk.img
cat odd.img >> disk.img
for image in './a,b\c d.img' 'disk.img?offset=1048576' 'file:a,b\c d.img'; do
	shown "$image" 'on here,\x'
	[ "$(cat 'on here,\x/trees/wide/file-7')" = 7 ] || fail "not mounted: $image"
	hidden 'on here,\x'
done
"$E2BFO" mount 'a,b\c d.img' other || fail "not in the background"
[ "$(findmnt -no SOURCE -T other)" = "$PWD/a,b\\c d.img" ] || fail "$(findmnt -T other)"
[ "$(cat other/trees/wide/file-7)" = 7 ] || fail "not mounted"
exec 5< other/trees/wide/file-7
e2bfo 8 umount other
says 'busy'
e2bfo 0 umount --lazy other
[ "$(cat <&5)" = 7 ] || fail "not lazy"
exec 5<&-
! mountpoint -q other || fail "still mounted"

# ---- what is no mount ----

for wrong in "mount odd.img" "mount odd.img other more" "mount --memory 1 odd.img other" \
	"mount -B 4K odd.img other" "mount --on-read-error zero odd.img other" umount \
	"umount other more" "umount ''"; do
	eval "e2bfo 16 $wrong"
done
for wrong in "odd.img nowhere" "odd.img odd.img" "nowhere.img other" "other other"; do
	e2bfo 8 mount $wrong
	[ "$(wc -l < said)" = 1 ] || fail "not one line: $(cat said)"
done
tar -cf some.tar target.img
e2bfo 8 mount some.tar other
e2bfo 8 umount other
unchanged odd.img "$odd" mount
