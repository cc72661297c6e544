#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Multiple mount protection: a filesystem that another host may be using is refused, as source and as
# target; a target is claimed while it is worked on and free afterwards, however that ends; a source
# is never written.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs dumpe2fs perl

CLEAN=ff4d4d50 FSCK=e24d4d50

# mmp_at IMAGE: the byte where the sequence number stands
mmp_at() {
	echo $(($(dumpe2fs -h "$1" 2> /dev/null | sed -n 's/^MMP block number: *//p') * 4096 + 4))
}

# sequence IMAGE: in hexadecimal
sequence() {
	perl -e 'open(my $f, "<:raw", $ARGV[0]); sysseek($f, $ARGV[1], 0); sysread($f, my $v, 4);
		printf "%08x\n", unpack "V", $v;' "$1" "$(mmp_at "$1")"
}

# set_sequence IMAGE NUMBER: no checksum covers it here
set_sequence() {
	perl -e 'open(my $f, "+<:raw", $ARGV[0]); sysseek($f, $ARGV[1], 0);
		syswrite($f, pack "V", hex $ARGV[2]);' "$1" "$(mmp_at "$1")" "$2"
}

# mmp_volume FILE SIZE [mke2fs arguments]
mmp_volume() {
	volume "$@" -O mmp,^metadata_csum
	[ "$(sequence "$1")" = $CLEAN ] || fail "mke2fs: $(sequence "$1")"
}

# waits IMAGE NUMBERS: until its sequence matches the pattern
waits() {
	local i

	for i in $(seq 400); do
		[[ ! $(sequence "$1") =~ $2 ]] || return 0
		sleep 0.02
	done
	fail "sequence of $1: $(sequence "$1"), not $2"
}

mkdir tree
head -c 300M /dev/zero | tr '\0' z > tree/big
volume plain.img 400M -d tree
mmp_volume source.img 64M
debug source.img 'write /etc/passwd passwd'
mmp_volume target.img 500M

# ---- in use ----

volume other.img 64M
before=$(digest source.img target.img other.img plain.img)
for number in 00001234 $FSCK e34d4d50; do
	set_sequence source.img $number
	set_sequence target.img $number
	dirty=$(digest source.img target.img other.img plain.img)
	e2bfo 8 copy source.img other.img
	says 'in use.*source\.img.*another host.*tune2fs -f -E clear_mmp source\.img'
	e2bfo 8 copy plain.img target.img
	says 'in use.*target\.img.*another host.*tune2fs -f -E clear_mmp target\.img'
	e2bfo 8 copy --force --dry-run plain.img target.img
	says 'in use.*target\.img'
	[ "$(digest source.img target.img other.img plain.img)" = "$dirty" ] || fail "written to"
done
set_sequence source.img $CLEAN
set_sequence target.img $CLEAN
[ "$(digest source.img target.img other.img plain.img)" = "$before" ] || fail "not as before"

# ---- a source, and a look at a target: neither is written ----

before=$(digest source.img)
e2bfo 0 copy source.img other.img
checked other.img
unchanged source.img "$before" "a source with mmp"
before=$(digest target.img)
e2bfo 0 copy --dry-run source.img target.img
unchanged target.img "$before" "--dry-run"

# ---- a target: claimed, and free again ----

"$E2BFO" copy plain.img target.img > out 2> said &
process=$!
echo $process >> .state/processes
waits target.img '^[0-9a-d]'
e2bfo 8 copy source.img target.img			# somebody else comes along, here
says 'in use'
wait $process || fail "copy: $(cat said)"
[ "$(sequence target.img)" = $CLEAN ] || fail "sequence $(sequence target.img) after a copy"
checked target.img
[ -n "$(inode_of target.img /big)" ] || fail "no copy"

mmp_volume full.img 100M				# with nothing to be written
e2bfo 8 copy plain.img full.img
[ "$(sequence full.img)" = $CLEAN ] || fail "sequence $(sequence full.img) after a failure"
checked full.img

mmp_volume target.img 500M
"$E2BFO" copy plain.img target.img > out 2> said &
process=$!
echo $process >> .state/processes
waits target.img '^[0-9a-d]'
kill -INT $process
status=0
wait $process || status=$?
[ $status = 32 ] || fail "cancelled: exit $status"
[ "$(sequence target.img)" = $CLEAN ] || fail "sequence $(sequence target.img) after a cancellation"
checked target.img

# ---- somebody else takes it in the midst: nothing live is written, and it stays theirs ----

# FSCK is there from the claim to the end; stopped there, the copy does not see the change.
"$E2BFO" copy plain.img target.img > out 2> said &
process=$!
echo $process >> .state/processes
perl -e '
	my ($image, $at, $process) = @ARGV;
	open(my $f, "+<:raw", $image) or die;
	for (1 .. 20000) {
		sysseek($f, $at, 0); sysread($f, my $v, 4);
		if (unpack("V", $v) == 0xe24d4d50) {
			kill "STOP", $process;
			sysseek($f, $at, 0); syswrite($f, pack "V", 0x4321);
			kill "CONT", $process;
			exit 0;
		}
		select(undef, undef, undef, 0.001);
	}
	exit 1;' target.img "$(mmp_at target.img)" $process || fail "never FSCK"
status=0
wait $process || status=$?
[ $status = 8 ] || fail "taken: exit $status"
says 'in use.*another host'
[ "$(sequence target.img)" = 00004321 ] || fail "sequence of the other: $(sequence target.img)"
set_sequence target.img $CLEAN
[ -z "$(inode_of target.img /big)" ] || fail "copied all the same"

# ---- with checksums, by --mkfs ----

volume source.img 64M -O mmp -E mmp_update_interval=6
debug source.img 'write /etc/passwd passwd'
e2bfo 0 copy --mkfs --size 64M source.img new.img
checked new.img
dumpe2fs -h new.img 2> /dev/null | grep -q '^MMP update interval: *6$' || fail "no mmp"
[ "$(sequence new.img)" = $CLEAN ] || fail "sequence $(sequence new.img) after --mkfs"
volume target.img 64M -O mmp
[ "$(sequence target.img)" = $CLEAN ] || fail "mke2fs"
truncate -s 1M padded.img
cat target.img >> padded.img
e2bfo 8 copy source.img 'padded.img?offset=1048576'
says 'mmp behind an offset'
