#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An image file that another e2bfo works on is not touched, nor read while it is written, whatever
# name it has; and who may share does.  The other one is a process with the same lock.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck perl losetup

mkdir tree
echo content > tree/file
volume source.img 20M -d tree
volume target.img 20M
volume victim.img 20M -d tree

# held TYPE FILE [START LENGTH]: a process that has a lock (0 for reading, 1 for writing)
held() {
	mkfifo ready
	perl -e 'my ($type, $file, $start, $len) = @ARGV;
		open(my $f, "+<", $file) or die;
		fcntl($f, 6, pack("s s x4 q q i x4", $type, 0, $start, $len, 0)) or die "lock: $!";
		open(my $r, ">", "ready") or die; print $r "locked\n"; close($r);
		sleep(1000)' "$1" "$2" "${3:-0}" "${4:-0}" &
	holder=$!
	echo $holder >> .state/processes
	grep -q locked ready || fail "no lock"
	rm ready
}

freed() {
	kill -KILL $holder
	wait $holder 2> /dev/null || :
}

# busy ARGUMENTS: refused because of the other one, and nothing is written
busy() {
	e2bfo 8 "$@"
	says 'Device is in use' 'another e2bfo'
	[ "$sum" = "$(sha256sum target.img victim.img)" ] || fail "$*: it was written"
}

sum=$(sha256sum target.img victim.img)
held 1 target.img
busy copy source.img target.img
busy abort target.img
busy resume target.img
busy verify source.img target.img
if is_root; then
	device=$(loop target.img)
	busy copy source.img "$device"
	unloop "$device"
fi
freed
held 0 target.img
busy copy source.img target.img
e2bfo 1 verify source.img target.img
freed
held 1 victim.img
busy copy --mkfs --force source.img victim.img
freed
held 0 source.img
e2bfo 0 copy -n source.img target.img
busy copy --mkfs --force victim.img source.img
freed

# Another part of the same file is somebody else's business.
truncate -s 40M two.img
mke2fs -q -F -t ext4 -E offset=$((20 << 20)) two.img 20M
held 1 two.img 0 $((20 << 20))
e2bfo 0 copy source.img "two.img?offset=$((20 << 20))"
freed
held 1 two.img $((30 << 20)) 4096
e2bfo 8 copy --to /again source.img "two.img?offset=$((20 << 20))"
says 'another e2bfo'
freed
e2bfo 8 copy source.img source.img
says 'same volume'
e2bfo 0 verify source.img source.img
e2bfo 0 copy source.img target.img
checked target.img
