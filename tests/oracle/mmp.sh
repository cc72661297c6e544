#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Multiple mount protection: a filesystem that another host may be using is refused, as source and
# as target; a target is claimed while it is worked on and free afterwards, however that ends; a
# source is never written.  libext2fs waits by sleep(), which passes at once here.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs dumpe2fs perl "$BUILDDIR/tests/fault/shim.so"

export LD_PRELOAD=$BUILDDIR/tests/fault/shim.so FAULT_AHEAD=0 FAULT_TARGET=$PWD/target.img

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

mkdir tree
head -c 20M /dev/zero | tr '\0' z > tree/big
volume plain.img 40M -d tree
mmp_volume source.img 64M
debug source.img 'write /etc/passwd passwd'
mmp_volume target.img 64M

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

halted claim write 2 copy plain.img target.img
[[ $(sequence target.img) =~ ^[0-9a-d] ]] || fail "claimed: $(sequence target.img)"
e2bfo 8 copy source.img target.img			# somebody else comes along, here
says 'in use'
goes_on claim 0
[ "$(sequence target.img)" = $CLEAN ] || fail "sequence $(sequence target.img) after a copy"
checked target.img
[ -n "$(inode_of target.img /big)" ] || fail "no copy"

mmp_volume full.img 16M				# with nothing to be written
e2bfo 8 copy plain.img full.img
[ "$(sequence full.img)" = $CLEAN ] || fail "sequence $(sequence full.img) after a failure"
checked full.img

mmp_volume target.img 64M
struck write int 2 copy plain.img target.img
[ $status = 32 ] || fail "cancelled: exit $status"
[ "$(sequence target.img)" = $CLEAN ] || fail "sequence $(sequence target.img) after a cancellation"
checked target.img

# ---- somebody else takes it in the midst: nothing live is written, and it stays theirs ----

# FSCK is there from the claim to the end.
halted taken write 3 copy plain.img target.img
[ "$(sequence target.img)" = $FSCK ] || fail "at work: $(sequence target.img)"
set_sequence target.img 00004321
goes_on taken 8
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
