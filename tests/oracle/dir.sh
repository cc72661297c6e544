#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories of mounted filesystems as sources, judged by the kernel: one of everything, on ext4,
# xfs, btrfs, tmpfs, overlay and (by FUSE) NTFS, comes as it was, also where somebody has read it
# before; verify finds nothing.  What is mounted below stays out, unless it is asked for.  Access
# times stay.  What an ordinary user must not read is named, and the rest comes.  So is what is
# encrypted, unless there is its key.  Blocks that cannot be read end the copy, or become zeroes
# and are named.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck mkfs.xfs mkfs.btrfs mkntfs ntfs-3g setfattr mount setpriv \
	python3

# mount_here DIR ARGUMENTS...: of mount(8)
mount_here() {
	local dir=$1

	shift
	mkdir -p "$dir"
	mount "$@" "$dir"
	realpath "$dir" >> "$WORK/.state/mounts"
}

# manifest DIR OPTIONS...: to standard output
manifest() {
	local dir=$1

	shift
	"$JUDGES/manifest" -d -x /lost+found "$@" "$dir" || fail "manifest of $dir"
}

# origin DIR [options of manifest]: the same, without the attributes in which XFS shows once more
# what it stores of access control lists
origin() {
	manifest "$@" > shown
	sed 's/ xattr:trusted\.SGI_ACL_[A-Z]*=[^ ]*//g' shown
}

# faithful DIR [options of manifest]: what is left out of both manifests.  The directory is read
# before it is copied, so that its pages are cached, and copied again once they are not.
faithful() {
	local dir=$1 image=of-$1.img

	shift
	sync -f "$dir"			# places of what is written late are known only then
	origin "$dir" "$@" > was
	e2bfo 0 copy --mkfs --size 400M "$dir" "$image"
	checked "$image"
	mounted "$image" copy
	manifest copy "$@" > is
	unmounted copy
	same was is
	e2bfo 0 verify "$dir" "$image"
	origin "$dir" "$@" > is
	same was is
}

"$IMAGES/oddities" source.img
mounted source.img ext4
faithful ext4
ordered of-ext4.img
echo 3 > /proc/sys/vm/drop_caches
e2bfo 0 copy --mkfs --size 400M ext4 cold.img
e2bfo 0 verify of-ext4.img cold.img

# fill DIR: the same tree there, but for what that filesystem cannot hold
fill() {
	cp -a ext4/. "$1" 2> cp.log || ! grep -vE 'File name too long|Invalid argument' cp.log ||
		fail "cp -a to $1"
}

truncate -s 1G xfs.img btrfs.img
mkfs.xfs -q xfs.img
mkfs.btrfs -q btrfs.img
mount_here xfs "$(loop xfs.img)"
fill xfs
rm xfs/special/whiteout			# overlayfs would obey it, below
fallocate -n -l 1M xfs/files/one-byte
mount -o remount,ro xfs
faithful xfs -o layout
mounted of-xfs.img copy
[ "$(stat -c %b copy/files/one-byte)" = 2048 ] || fail "preallocation on xfs is lost"
unmounted copy

mount_here btrfs "$(loop btrfs.img)"
fill btrfs
mount -o remount,ro btrfs
faithful btrfs -o layout -o nlink

mount_here tmpfs -t tmpfs none
fill tmpfs
mount -o remount,ro tmpfs
faithful tmpfs -o layout -o gen

# By way of FUSE.  (That NTFS takes no names that are not UTF-8, and no attributes that large.)
truncate -s 200M ntfs.img
mkntfs -q -F -Q ntfs.img > mkntfs.log 2>&1
mount_here ntfs -t ntfs-3g -o permissions "$(loop ntfs.img)" 2> mount.log
cp -r "$SRCDIR/lib" ntfs/
chown -R 5:6 ntfs/lib/base
ln ntfs/lib/base/vec.h ntfs/linked
ln -s lib/base ntfs/link
mkfifo ntfs/fifo
setfattr -n user.name -v value ntfs/linked
truncate -s 3M ntfs/sparse
echo "behind a hole" >> ntfs/sparse
touch -d 1999-12-31T23:59:59.1234567 "ntfs/a name: with ü"
umount ntfs
mount_here ntfs -t ntfs-3g -o ro,permissions "$(loop -r ntfs.img)" 2> mount.log
faithful ntfs -o layout -o gen -o iflags -o projid -o crtime -o attr -o nlink

mount_here layers -t tmpfs none
mkdir layers/upper layers/work
mount_here overlay -t overlay none -o "lowerdir=xfs,upperdir=layers/upper,workdir=layers/work"
rm -r overlay/owners overlay/files/one-block
echo changed >> overlay/files/three-megabytes
mkdir overlay/files/new
faithful overlay -o layout -o gen -o nlink

# What is mounted below.
mkdir -p tree/mounted/hidden tree/plain
echo below > tree/plain/file
mount_here tree/mounted -t tmpfs none
echo other > tree/mounted/file
chmod 0700 tree/mounted

# copied TREE [options]: into tree.img, mounted on copy
copied() {
	local tree=$1

	shift
	rm -f tree.img
	e2bfo 0 copy --mkfs --size 16M "$@" "$tree" tree.img
	checked tree.img
	mounted tree.img copy
}

copied tree
[ -z "$(ls -A copy/mounted)" ] || fail "copied what is mounted: $(ls copy/mounted)"
[ "$(stat -c %a copy/mounted)" = 700 ] || fail "the mounted directory's mode is $(stat -c %a copy/mounted)"
same tree/plain/file copy/plain/file
unmounted copy
copied tree --cross-mounts
same tree/mounted/file copy/mounted/file
unmounted copy

# Access times stay, of directories, too.
volume times.img 64M
mounted times.img times rw,strictatime
cp -r "$SRCDIR/lib/intake" "$SRCDIR/lib/base" times/
find times -exec touch -a -d 2001-01-01 {} +
copied times
unmounted copy
late=$(find times -newerat 2001-01-02)
[ -z "$late" ] || fail "accessed by being copied: $late"

# An ordinary user: what he must not read is named; what he must not look into, too.
mkdir times/secret times/closed times/home
echo secret > times/secret/file
chmod 0711 times/secret
echo closed > times/closed/file
chmod 0000 times/closed
echo private > times/private
chmod 0600 times/private
echo "one's own" > times/home/own
chown -R 1000:1000 times/home
touch -a -d 2001-01-01 times/home/own
chmod 0711 .
mkdir -m 0777 user
cd user
ran user setpriv 1 --reuid 1000 --regid 1000 --clear-groups "$E2BFO" copy --mkfs --size 64M \
	../times user.img
mv said out ..
cd ..
says '^e2bfo: /private: ' '^e2bfo: /closed: ' '^e2bfo: /secret: '
[ "$(stat -c %x times/home/own | cut -c 1-4)" = 2001 ] || fail "one's own file was accessed"
mv user/user.img .
checked user.img
mounted user.img copy
for path in private closed/file secret/file; do
	[ ! -e "copy/$path" ] || fail "what nobody could read was copied: $path"
done
same times/home/own copy/home/own
same times/intake/dir.c copy/intake/dir.c
[ "$(stat -c %a:%u copy/secret)" = 711:0 ] || fail "/secret has become $(stat -c %a:%u copy/secret)"
unmounted copy

# Encrypted: with its key it is plain, without it nobody can say what its names are.
volume sealed.img 64M -O encrypt
mounted sealed.img sealed rw
key=$("$SRCDIR/tests/oracle/fscrypt" add sealed)
mkdir sealed/vault
"$SRCDIR/tests/oracle/fscrypt" policy sealed/vault "$key"
mkdir sealed/vault/inner
echo treasure > sealed/vault/inner/file
ln -s inner/file sealed/vault/link
copied sealed
same sealed/vault/inner/file copy/vault/inner/file
[ "$(readlink copy/vault/link)" = inner/file ] || fail "the link has become $(readlink copy/vault/link)"
unmounted copy
"$SRCDIR/tests/oracle/fscrypt" remove sealed "$key"
rm tree.img
e2bfo 1 copy --mkfs --size 16M sealed tree.img
says '^e2bfo: /vault: encrypted'
checked tree.img
mounted tree.img copy
[ -z "$(ls -A copy/vault)" ] || fail "copied names that mean nothing: $(ls copy/vault)"
unmounted copy

# Two blocks of a file are mapped to where the device, once mounted, ends: an I/O error for readers.
volume bad.img 64M
mounted bad.img bad rw
perl -e 'print "line $_\n" x 500 for 1 .. 200' > bad/torn
cp -r "$SRCDIR/lib/intake" bad/
sync -f bad
perl -e 'open(my $f, "<", "bad/torn"); local $/; $_ = <$f>;
	for my $blk (3, 70) { substr($_, $blk * 4096, 4096) = "\0" x 4096; }
	print' > expected
unmounted bad
debug bad.img 'bmap torn 3 16000' 'bmap torn 70 16001'
mounted bad.img bad
truncate -s 60M bad.img
losetup -c "$(cat .state/device-bad)"
! cat bad/torn > /dev/null 2>&1 || fail "all of it can be read"
rm tree.img
e2bfo 8 copy --mkfs --size 16M bad tree.img
says 'error while reading bad/torn'
[ ! -e tree.img ] || fail "there is an image after an error"
e2bfo 1 copy --mkfs --size 16M --on-read-error=zero bad tree.img
says '^e2bfo: /torn: data cannot be read .*bytes 12288 to 16383' '/torn: .*bytes 286720 to 290815'
checked tree.img
mounted tree.img copy
same expected copy/torn
same bad/intake/dir.c copy/intake/dir.c
