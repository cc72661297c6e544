#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What must be refused: exit 8, one message that names the volume and what is wrong or what to
# do, and not a byte written to either side.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup perl mkswap setpriv

# refused SOURCE TARGET PATTERNS [OPTIONS...]: with the files source.img, target.img, other.img
# behind the names; their digests are taken before and after. PATTERNS are separated by " & ".
# The status is $ends, or 8.
refused() {
	local source=$1 target=$2 patterns=$3 what=$3 files=() before file

	shift 3
	for file in source.img target.img other.img; do
		[ ! -e $file ] || files+=($file)
	done
	before=$(digest "${files[@]}")
	e2bfo "${ends:-8}" copy "$@" "$source" "$target"
	while [ "$patterns" != "${patterns#* & }" ]; do
		says "${patterns%% & *}"
		patterns=${patterns#* & }
	done
	says "$patterns"
	[ "$(wc -l < said)" -le 6 ] || fail "more than one message: $(cat said)"
	[ "$(digest "${files[@]}")" = "$before" ] || fail "refused ($what), and yet written to"
}

# usage ARGUMENTS...
usage() {
	e2bfo 16 "$@"
	[ -s said ] || fail "no message for: $*"
}

volume source.img 64M
mounted source.img mnt rw
perl -e 'mkdir("mnt/d"); for (1 .. 1500) { open(my $f, ">", "mnt/d/$_"); print $f "x" x 20000; }'
sync -f mnt
cp --sparse=always source.img needs.img		# its journal holds the files
unmounted mnt
dumpe2fs -h needs.img 2> /dev/null | grep -q needs_recovery || fail "needs.img does not"
volume target.img 100M

# ---- usage ----
usage
usage copy
usage copy source.img
usage copy source.img target.img third.img
usage copy --no-such-option source.img target.img
usage copy --memory many source.img target.img
usage copy --dir-fill 101 source.img target.img
usage copy --size 100M source.img target.img
usage no-such-command source.img target.img
usage copy --from '' source.img target.img
usage copy --to '' source.img target.img
usage copy '' target.img

# ---- in use ----
# (Sources: mounted.sh.)
mounted target.img mnt
refused source.img target.img 'target\.img & mounted'
refused source.img "$(cat .state/device-mnt)" "$(cat .state/device-mnt) & mounted"
unmounted mnt

# In another mount namespace, as containers have it: this one's mounts do not tell.
device=$(loop target.img)
mkfifo inside leave
unshare -m --propagation private bash -c '
	mount -o ro "$0" mnt && echo mounted > inside && read -r _ < leave
	umount mnt' "$device" &
echo $! >> .state/processes
read -r _ < inside
grep -q " $device " /proc/self/mounts && fail "$device is mounted here"
refused source.img target.img "target\.img & process $! sees it mounted & namespace"
refused source.img target.img "target\.img & process $! sees it mounted" --mkfs --force
echo > leave
wait $!
e2bfo 0 ls target.img
unloop "$device"
rm inside leave

# By a user who may not look into loop devices, to whom the image belongs.
chmod o+x . ..
cp "$E2BFO" user-e2bfo
chmod 666 source.img target.img
mounted target.img mnt
before=$(digest target.img)
status=0
setpriv --reuid 65534 --regid 65534 --clear-groups \
	./user-e2bfo copy source.img target.img 2> said || status=$?
[ $status = 8 ] || fail "exit $status: $(cat said)"
says "mounted while opening target.img: please unmount"
unchanged target.img "$before" "a user's copy"
unmounted mnt
rm user-e2bfo

# hold DEVICE: somebody has it for himself
hold() {
	mkfifo held
	perl -MFcntl -e 'sysopen(my $d, $ARGV[0], O_RDWR | O_EXCL) or die "$ARGV[0]: $!";
		open(my $f, ">", "held"); print $f "held\n"; close($f); sleep(600);' "$1" &
	echo $! >> .state/processes
	read -r _ < held
}
device=$(loop target.img)
hold "$device"
refused source.img "$device" "$device & (busy|in use)"
kill $!
wait $! 2> /dev/null || :
rm held
unloop "$device"
device=$(loop source.img)
hold "$device"
refused "$device" target.img "$device & (busy|in use)"
kill $!
wait $! 2> /dev/null || :
rm held

# ---- the same volume ----
refused source.img source.img 'same'
ln -s source.img symlink.img
refused source.img symlink.img 'same'
ln source.img hardlink.img
refused hardlink.img source.img 'same'
refused "$device" source.img 'same'
refused source.img "$device" 'same'
second=$(loop source.img)
refused "$device" "$second" 'same'
refused 'source.img?offset=0' "$device" 'same'
unloop "$second"
unloop "$device"
rm symlink.img hardlink.img

# ---- not healthy ----
cp --sparse=always needs.img other.img
refused source.img other.img 'other\.img & (recover|journal) & e2fsck|mount'

volume other.img 100M
mounted other.img mnt rw
echo old > mnt/file
unmounted mnt
debug other.img 'set_super_value state 0'
refused source.img other.img 'e2fsck -f & other\.img'
debug other.img 'set_super_value state 3'
refused source.img other.img 'e2fsck -f & other\.img'
debug other.img 'set_super_value state 1' 'set_super_value last_orphan 12'
refused source.img other.img 'e2fsck -f & other\.img'
volume other.img 100M -O ^metadata_csum
# s_def_hash_version
printf '\11' | dd of=other.img bs=1 seek=$((1024 + 252)) conv=notrunc status=none
refused source.img other.img 'hash & e2fsck -f & other\.img'

# A group that claims to have no block bitmap yet, although it is in use; a wrong count of inodes.
volume other.img 400M
head -c 150M /dev/zero | tr '\0' x > big
debug other.img 'write big file' 'set_bg 1 flags 6' 'set_bg 1 checksum calc'
refused source.img other.img 'group 1 & e2fsck -f & other\.img'
rm big
volume other.img 100M
debug other.img 'set_bg 0 free_inodes_count 7' 'set_bg 0 checksum calc'
refused source.img other.img 'group 0 & e2fsck -f & other\.img'

# A bitmap that does not match its checksum is not written to.
volume other.img 100M
mounted other.img mnt rw
echo old > mnt/file
unmounted mnt
e2fsck -fy other.img > /dev/null || fail "e2fsck"
bitmap=$(dumpe2fs other.img 2> /dev/null | sed -n 's/.*Block bitmap at \([0-9]*\).*/\1/p' | head -1)
printf '\0' | dd of=other.img bs=1 seek=$((bitmap * 4096 + 100)) conv=notrunc status=none
refused source.img other.img 'e2fsck -f & other\.img'

# ---- no room ----
volume other.img 24M -m 0
refused source.img other.img '[0-9]+ blocks of 4096 bytes needed, [0-9]+ free'
volume other.img 100M -N 1024
refused source.img other.img 'free inodes .* [0-9]+ needed, [0-9]+ free'
rm other.img
refused source.img other.img '[0-9]+ blocks of 4096 bytes needed, [0-9]+ free' --mkfs --size 20M
[ ! -e other.img ] || fail "--mkfs --size 20M has left a file"
truncate -s 20M other.img
refused source.img other.img '[0-9]+ blocks of 4096 bytes needed, [0-9]+ free' --mkfs

# ---- arguments that are not for formatting ----
ends=16 refused source.img other.img 'more.*no option' --mkfs='-m 1 more'
ends=16 refused source.img other.img '-n' --mkfs=-n
ends=16 refused source.img other.img '-z' --mkfs='-z undo'
ends=16 refused source.img other.img '-E' --mkfs=-E
refused source.img other.img "'\.\.'" --mkfs --force --to /../x

# ---- not a filesystem for us ----
truncate -s 64M other.img
refused other.img target.img 'not an ext2.* opening other\.img'
refused source.img other.img 'not an ext2.* opening other\.img'
mkswap other.img > /dev/null 2>&1
refused source.img other.img 'not an ext2.* opening other\.img'
refused source.img other.img 'other\.img & swap' --mkfs
: > other.img
refused other.img target.img 'not an ext2.* opening other\.img'
refused source.img other.img 'not an ext2.* opening other\.img'
head -c 1500 source.img > other.img
refused other.img target.img 'not an ext2.* opening other\.img'
rm other.img
refused other.img target.img 'other\.img & No such file'
refused source.img other.img 'other\.img & No such file'
refused ext:. target.img 'Is a directory while opening \.'
refused source.img /dev/null 'opening /dev/null: neither a block device nor an image file'
refused 'source.img?offset=4096' target.img 'not an ext2.* opening source\.img'

volume other.img 64M
debug other.img 'set_super_value feature_incompat 0x800002c2'
refused other.img target.img 'other\.img & feature'
refused source.img other.img 'other\.img & feature'
volume other.img 64M
debug other.img 'set_super_value feature_ro_compat 0x4000046b'
refused source.img other.img 'other\.img & feature'

# ---- too big a directory for the target's features ----
"$IMAGES/subdirs" other.img 65000
mv other.img many.img
volume target.img 500M -N 70000 -O ^dir_nlink
refused many.img target.img '/many/directory-[0-9]+ & dir_nlink & allow-loss=links'
