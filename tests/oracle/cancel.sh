#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stopped on the way: SIGINT ends the copy with exit 32; after that, as after SIGKILL, e2fsck -fy
# makes the target whole again with every old file as it was, and a second try succeeds.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup perl

volume source.img 2G
mounted source.img mnt rw,noatime
perl -e '
	my $content = join("", map { sprintf("%15d\n", $_) } 1 .. 65536);
	for my $d (1 .. 30) {
		mkdir("mnt/d$d") or die;
		for my $n (1 .. 1000) {
			open(my $f, ">", "mnt/d$d/$n") or die;
			print $f substr($content, $n * 16, 5000);
		}
		open(my $f, ">", "mnt/d$d/big") or die;
		print $f $content for 1 .. 50;
	}'
unmounted mnt
manifests source.img source

volume old.img 3G
mounted old.img mnt rw,noatime
perl -e 'mkdir("mnt/old"); for (1 .. 3000) {
	open(my $f, ">", "mnt/old/file-$_") or die; print $f "$_ " x $_; }'
unmounted mnt
e2fsck -fy old.img > /dev/null || fail "e2fsck"
mounted old.img mnt
"$JUDGES/manifest" -d mnt/old > old || fail "manifest"
unmounted mnt

# stopped SIGNAL KILOBYTES: a copy that gets SIGNAL when this much of the target was written.
# An ignored SIGINT is inherited from a shell's background, so Perl starts it.
stopped() {
	local pid begun

	cp --sparse=always old.img target.img
	begun=$(du -k target.img | cut -f 1)
	perl -e '$SIG{INT} = "DEFAULT"; exec(@ARGV)' \
		"$E2BFO" copy --memory 8M source.img target.img > out 2> said < /dev/null &
	pid=$!
	echo $pid >> .state/processes
	while kill -0 $pid 2> /dev/null; do
		[ $(($(du -k target.img | cut -f 1) - begun)) -lt "$2" ] || break
	done
	kill -"$1" $pid 2> /dev/null || fail "it ended before $2 KB were written: $(cat said)"
	status=0
	wait $pid || status=$?
}

# repaired WHEN: e2fsck -fy repairs it, the old files are there, the rest is whole or not there
repaired() {
	status=0
	e2fsck -fy target.img > fsck.log 2>&1 || status=$?
	[ $status -le 1 ] || fail "$1: e2fsck -fy: status $status: $(tail -5 fsck.log)"
	checked target.img
	mounted target.img mnt
	"$JUDGES/manifest" -d mnt/old > old-after || fail "$1: manifest"
	unmounted mnt
	same old old-after
}

for kilobytes in 1000 200000 900000; do
	stopped INT $kilobytes
	[ $status = 32 ] || fail "SIGINT after $kilobytes KB: exit $status: $(cat said)"
	repaired "SIGINT after $kilobytes KB"
done

# Nothing is left behind that would be in the way of another try.
e2bfo 0 copy source.img target.img
checked target.img
mounted target.img mnt
"$JUDGES/manifest" -d -x /old -x /lost+found mnt > target.kernel || fail "manifest"
unmounted mnt
grep -v '^/ ' source.kernel > source.names
grep -v '^/ ' target.kernel > target.names
same source.names target.names

for kilobytes in 1000 500000; do
	stopped KILL $kilobytes
	[ $status = 137 ] || fail "SIGKILL after $kilobytes KB: exit $status"
	repaired "SIGKILL after $kilobytes KB"
done
