#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may use a device at the same time: several readers, as long as nobody writes; what is mounted,
# and what others have locked.  Each one is stopped while it reads or writes, so that the others
# come to it.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup mount perl flock "$BUILDDIR/tests/fault/shim.so"

volume source.img 32M
mounted source.img mnt rw,noatime
perl -e 'for (1 .. 200) { mkdir("mnt/$_"); open(my $f, ">", "mnt/$_/f"); print $f "$_ " x 500; }'
unmounted mnt
volume target.img 64M
device=$(loop source.img)
to=$(loop target.img)
export FAULT_SOURCE=$device FAULT_TARGET=$to
mkdir mnt2

# reading NAME: somebody lists the device, and has nearly done
n=$(events read-source ls -R "$device")
reading() {
	halted "$1" read-source $((n - 2)) ls -R "$device"
}

# ---- several readers; nothing mounts what they read, and nobody writes to it ----

reading first
e2bfo 0 layout "$device"
e2bfo 0 verify "$device" source.img
e2bfo 0 verify source.img "$device"
e2bfo 0 copy "$device" target.img
e2bfo 0 copy --to /again source.img target.img
e2bfo 0 verify "$device" "$device"
mount "$device" mnt2 2> mount.said && fail "$device was mounted while it was read"
e2bfo 8 copy target.img "$device"
says "Device is in use while opening $device: something else holds it|another e2bfo"
e2bfo 8 copy --mkfs --force target.img "$device"
says "Device is in use while opening $device"
e2bfo 8 copy target.img source.img
says 'Device is in use while opening source.img: another e2bfo works on it'
reading second
goes_on first 0
e2bfo 8 copy target.img "$device"
says "Device is in use while opening $device: another e2bfo"
goes_on second 0

# ---- the second reader is alone, and does not keep others from mounting: it notices at its end
# ----

reading first
reading second
reading third
goes_on first 0
mount -o ro "$device" mnt2
umount mnt2
goes_on second 0
mount "$device" mnt2
umount mnt2
goes_on third 8
says "Volume changed .* while reading $device: it was mounted read-write"

# ---- a writer ----

mke2fs -q -F -t ext4 -b 4096 target.img
halted writer write 1 copy source.img "$to"
e2bfo 8 ls "$to"
says "Device is in use while opening $to: another e2bfo works on it, or another program has locked it"
e2bfo 8 ls target.img
says 'Device is in use while opening target.img: another e2bfo works on it'
goes_on writer 0
e2bfo 0 ls "$to"

# ---- others: a lock by flock(2), and a device opened for itself ----

mkfifo there leave
for kind in -s -x; do
	flock $kind "$to" -c 'echo > there; read -r _ < leave' &
	echo $! >> .state/processes
	read -r _ < there
	e2bfo 8 copy --to /other source.img "$to"
	says "Device is in use while opening $to: .* another program has locked it"
	e2bfo $([ $kind = -x ] && echo 8 || echo 0) ls "$to"
	echo > leave
	wait $!
done
e2bfo 0 copy --to /other source.img "$to"

perl -MFcntl -e 'sysopen(my $d, $ARGV[0], O_RDWR | O_EXCL) ||
	die; open(my $f, ">", "there"); print $f "\n"; close($f);
	open($f, "<", "leave"); <$f>' "$to" &
echo $! >> .state/processes
read -r _ < there
e2bfo 8 ls "$to"
says "Device is in use while opening $to: something else holds it"
e2bfo 8 ls target.img
says "Device is in use while opening target.img: $to is on it, and something else holds that"
echo > leave
wait $!
e2bfo 0 ls "$to"
unloop "$to"
unloop "$device"

# ---- a journal on a device of its own ----

truncate -s 8M log.img
mke2fs -q -F -b 4096 -O journal_dev log.img
log=$(loop log.img)
truncate -s 32M outside.img
mke2fs -q -F -t ext4 -b 4096 -J device="$log" outside.img
device=$(loop outside.img)
mount "$device" mnt2
echo content > mnt2/file
sync -f mnt2
cp --sparse=always outside.img dirty.img
cp --sparse=always log.img dirty-log.img
umount mnt2
unloop "$device"
unloop "$log"
log=$(loop dirty-log.img)
export FAULT_SOURCE=dirty.img
n=$(events read-source ls --journal "$log" dirty.img)
halted first read-source "$n" ls --journal "$log" dirty.img
e2bfo 0 ls --journal "$log" dirty.img
grep -q file out || fail "not listed: $(cat out)"
goes_on first 0
