#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources that the kernel has mounted: read-only they are read, read-write they are not, whatever
# names and mount namespaces hide it; and one that becomes writable meanwhile fails what reads it.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup mount unshare perl sfdisk "$BUILDDIR/tests/fault/shim.so"

# reads DEVICE|FILE: every command reads it; the copy is like source
reads() {
	volume target.img 64M
	e2bfo 0 copy "$1" target.img
	e2bfo 0 verify "$1" target.img
	e2bfo 0 ls -R "$1"
	e2bfo 0 layout "$1"
	checked target.img
	manifests target.img target
	same_trees source target
}

# refused NAME [WHO]: by every command that would read it; but ls and layout look at $device all the
# same
refused() {
	local command commands=("copy $1 target.img" "verify $1 target.img" "verify target.img $1"
				"copy -n $1 target.img")

	volume target.img 64M
	[ "$1" = "$device" ] || commands+=("ls $1" "layout $1")
	for command in "${commands[@]}"; do
		e2bfo 8 $command
		says "Filesystem is mounted while opening $1: ${2:-it is} mounted read-write" \
			'remount it read-only.*snapshot.*fsfreeze.*rescue system.*SOURCES IN USE'
	done
	checked target.img
}

# filled DIR: files, of which some are as long as one wants to read directly
filled() {
	mkdir "$1/dir"
	perl -e 'for (1 .. 300) { open(my $f, ">", "$ARGV[0]/dir/$_"); print $f "$_ " x (40 * $_); }' "$1"
}

volume source.img 32M
mounted source.img mnt rw,noatime
filled mnt
sync -f mnt
cp --sparse=always source.img dirty.img
unmounted mnt
manifests source.img source
dumpe2fs -h dirty.img 2> /dev/null | grep -q needs_recovery || fail "dirty.img needs no recovery"

# ---- read-only, by the device and by the file; its journal left alone ----

mounted source.img mnt ro
before=$(digest source.img)
reads source.img
reads "$(cat .state/device-mnt)"
unchanged source.img "$before" "mounted read-only"
unmounted mnt

mounted dirty.img mnt ro,noload
reads dirty.img
reads "$(cat .state/device-mnt)"
unmounted mnt

# ---- as a target it is refused, read-only or not ----

volume target.img 64M
mounted target.img mnt ro
e2bfo 8 copy source.img target.img
says 'Filesystem is mounted while opening target.img'
e2bfo 8 copy --mkfs --force source.img "$(cat .state/device-mnt)"
says 'Filesystem is mounted'
unmounted mnt

# ---- read-write; a read-only place to see it does not help ----

mounted source.img mnt rw,noatime
device=$(cat .state/device-mnt)
refused source.img
refused "$device"
mkdir seen
mount --bind mnt seen
mount -o remount,bind,ro seen
echo "$PWD/seen" >> .state/mounts
umount mnt
grep " $PWD/seen ro," /proc/self/mountinfo | grep -q ' rw' ||
	fail "not a read-only place of a writable one"
refused source.img
refused "$device"
umount seen
sed -i "\\,^$PWD/\(mnt\|seen\)\$,d" .state/mounts
unloop "$device"

# ---- by another device on the same file, which somebody keeps open: its cache is older ----

mounted source.img mnt rw,noatime
other=$(loop source.img)
exec 7< "$other"
cat <&7 > /dev/null
perl -e 'rename("mnt/dir/300", "mnt/dir/renamed"); open(my $f, "+<", "mnt/dir/200"); print $f "new " x 500'
mount -o remount,ro mnt
manifests source.img source
reads "$other"
exec 7<&-
unloop "$other"
unmounted mnt

# ---- a partition, by a loop device of its own ----

truncate -s 40M disk.img
sfdisk -q --no-tell-kernel disk.img <<< 'start=4096, size=65536, type=83'
dd if=source.img of=disk.img bs=1M seek=2 conv=notrunc status=none
device=$(loop -o $((4096 * 512)) --sizelimit $((65536 * 512)) disk.img)
mkdir part
mount -o ro "$device" part
echo "$PWD/part" >> .state/mounts
reads 'disk.img?partition=1'
mount -o remount,rw part
volume target.img 64M
e2bfo 8 copy 'disk.img?partition=1' target.img
says 'Filesystem is mounted'
umount part
unloop "$device"

# ---- in another mount namespace ----

# elsewhere OPTIONS: source.img is mounted so, where this shell does not see it; until "left"
elsewhere() {
	device=$(loop source.img)
	mkfifo inside leave
	unshare -m --propagation private bash -c '
		mount -o "$1" "$0" mnt && echo mounted > inside && read -r _ < leave
		umount mnt' "$device" "$1" &
	container=$!
	echo $container >> .state/processes
	read -r _ < inside
	grep -q " $device " /proc/self/mounts && fail "$device is mounted here"
	return 0
}

left() {
	echo > leave
	wait $container
	unloop "$device"
	rm inside leave
}

elsewhere ro
reads source.img
reads "$device"
left
elsewhere rw
refused source.img "process $container sees it"
refused "$device" "process $container sees it"
left

# ---- it becomes writable meanwhile ----

export FAULT_SOURCE=source.img FAULT_TARGET=target.img

# fails COMMANDS EVENT N ARGUMENTS...: e2bfo, if COMMANDS are run when it is at its Nth event
fails() {
	local commands=$1

	shift
	halted reader "$@"
	eval "$commands"
	goes_on reader 8
	says 'Volume changed .* while reading source.img'
	mount -o remount,ro mnt
}

mkdir old
echo old > old/file
volume empty.img 64M -d old
manifests empty.img empty
rw='mount -o remount,rw mnt'
for meanwhile in "$rw" "$rw; mount -o remount,ro mnt"; do
	mounted source.img mnt rw,noatime
	mount -o remount,ro mnt
	cp --sparse=always empty.img target.img
	fails "$meanwhile" write 1 copy source.img target.img
	says 'target.img is as it was before'
	checked target.img
	manifests target.img target
	same_trees empty target
	fails "$meanwhile" read-target 1 verify source.img target.img
	for command in "ls -R" layout "copy -n --mkfs --force"; do
		target=$([ "${command#copy}" = "$command" ] || echo target.img)
		n=$(events read-source $command source.img $target)
		fails "$meanwhile" read-source $((n - 1)) $command source.img $target
	done
	unmounted mnt
done
