#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ls and layout, e2itree -l and -n look at what is mounted read-write, too: by the device that is
# mounted, without its journal, at what the kernel has in memory; what cannot be read soundly is
# changing, not damaged.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs losetup mount perl jq

volume moving.img 64M
debug moving.img 'mkdir dir' 'write /etc/passwd dir/good' 'write /etc/passwd dir/bad'
bad=$(inode_of moving.img /dir/bad)
mounted moving.img mnt rw,noatime
mkdir mnt/big mnt/other
seq -f 'mnt/big/a file of a name %g' 1000 | tr '\n' '\0' | xargs -0 touch
seq -f 'mnt/other/another file %g' 1000 | tr '\n' '\0' | xargs -0 touch
unmounted mnt
e2itree 1 -p moving.img
mounted moving.img mnt rw,noatime
device=$(cat .state/device-mnt)

# ---- what was only just written is there, in blocks that the kernel gives it when it must ----

long=$(printf 'long/%.0s' {1..40})
echo new > mnt/dir/new
ln -s "$long" mnt/dir/link
mv mnt/dir/good mnt/dir/renamed
e2bfo 0 ls -l "$device" /dir
says "warning: $device is mounted read-write"
for name in new bad renamed "link -> $long"; do
	grep -q "$name\$" out || fail "no $name: $(cat out)"
done
! grep -q good out || fail "an old name: $(cat out)"
e2bfo 0 layout "$device"
says "warning: $device is mounted read-write"
e2bfo 0 layout --json "$device"
jq -e '.volumes[0] | .files_with_data == 4 and .others == 1' out > /dev/null ||
	fail "not measured: $(cat out)"

e2itree 0 -n "$device"
says "warning: $device is mounted read-write"
touch mnt/big/one-more
e2itree 4 -n "$device"
grep -q '^The index of /big .* is out of date' out || fail "the new name is not seen: $(cat out)"
e2itree 0 -l --json "$device"
jq -e '.moving == 0 and (.trees | map({(.directory): .state}) | add) ==
	{"/big": "stale", "/other": "fresh"}' out > /dev/null ||
		fail "JSON of e2itree -l: $(cat out)"

# ---- by its own device alone; and nothing is copied from it ----

other=$(loop moving.img)
for name in moving.img "$other"; do
	for command in ls layout; do
		e2bfo 8 $command "$name"
		says "Filesystem is mounted while opening $name: it is mounted read-write" \
			'name the device that is mounted'
	done
done
e2itree 8 -n moving.img
says 'name the device that is mounted'
unloop "$other"
for option in -p -r '-d /big'; do
	# shellcheck disable=SC2086
	e2itree 8 $option "$device"
	says "Filesystem is mounted while opening $device"
done
volume target.img 64M
e2bfo 8 copy "$device" target.img
says "mounted read-write"
e2bfo 8 verify "$device" target.img
says "mounted read-write"

# ---- while somebody is at it ----

mkfifo begun
perl -e '$| = 1; chdir("mnt") || die; my $n = 0;
	while (1) {
		mkdir("d$n"); symlink("long/" x 40, "d$n/l");
		for (1 .. 30) { open(my $f, ">", "d$n/$_") || die; print $f "x" x 3000; }
		rename("d$n/1", "d$n/moved"); unlink("d$n/2");
		my $old = $n - 20;
		if ($old >= 0) { unlink(glob("d$old/*")); rmdir("d$old") || die "d$old: $!"; }
		$n++; print "\n" if $n == 25;
	}' > begun 2> writer.said &
writer=$!
echo $writer >> .state/processes
read -r _ < begun
for i in {1..4}; do
	e2bfo 0 ls -R "$device"
	e2bfo 0 layout "$device"
	e2bfo 0 ls -R --json "$device"
	jq -e '.moving >= 0 and .damaged == 0' out > /dev/null ||
		fail "JSON of ls: $(tail -c 300 out)"
	e2bfo 0 layout --json "$device"
	jq -e '.volumes[0] | (.damage == []) and has("moving")' out > /dev/null ||
		fail "JSON of layout"
	e2itree 4 -n --json "$device"
	jq -e 'all(.problems[]; .moving or (.problem | IN("stale", "no-tree", "gone", "missing-names",
		"extra-names")))' out > /dev/null || fail "JSON of e2itree -n: $(cat out)"
	e2itree 0 -l "$device"
done
kill -KILL $writer 2> /dev/null || fail "the writer has ended: $(cat writer.said)"
wait $writer 2> /dev/null || :
unmounted mnt
checked moving.img

# ---- what stays damaged is told, but as what it may be ----

debug moving.img "set_inode_field <$bad> mode 0170000" 'zap_block -f /other 1'
e2itree 4 -n moving.img
said=$(grep ' is damaged and cannot be indexed' out) || fail "/other is not damaged: $(cat out)"
left=$(grep -o '[0-9]* problems* left' out)
e2bfo 1 ls -l moving.img /dir
says 'dir/bad: .*\(inode'
mounted moving.img mnt rw,noatime
device=$(cat .state/device-mnt)
e2bfo 0 ls -l "$device" /dir
says 'dir/bad: was changing while it was read: '
e2bfo 0 ls --json "$device" /dir
jq -e '.moving == 1 and .damaged == 0 and (.entries | map(select(.moving)) | length) == 1' out > /dev/null ||
	fail "JSON of ls: $(cat out)"
e2bfo 0 layout "$device"
says 'dir/bad: was changing while it was read: '
e2itree 4 -n "$device"		# for /big is out of date
[ "$(grep -c '^Pass 1' out)" = 4 ] || fail "it did not look four times: $(cat out)"
[ "$(grep -c ' is damaged' out)" = 1 ] || fail "not told once: $(cat out)"
grep -qxF "Was changing while it was read: $said" out || fail "not told as moving: $(cat out)"
grep -q "$((${left%% *} - 1)) problem" out || fail "it counts as a problem: $(cat out)"
unmounted mnt
e2bfo 1 layout moving.img
