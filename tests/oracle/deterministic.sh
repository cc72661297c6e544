#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same source, target and options give the same bytes, on another day and with any
# --memory and --read-gap; new images under the conditions that e2bfo(8) names.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr setfacl chattr losetup perl "$BUILDDIR/tests/fault/shim.so"

export SOURCE_DATE_EPOCH=1700000000 E2FSPROGS_FAKE_TIME=1700000000
uuid=01234567-89ab-cdef-0123-456789abcdef
identity="-U $uuid -E hash_seed=$uuid"

"$IMAGES/oddities" source.img
volume fresh.img 400M $identity

# tomorrow COMMAND...: its programs see a day that is later than that of all before
days=0
tomorrow() {
	days=$((days + 1))
	FAULT_AHEAD=$((days * 86400)) LD_PRELOAD=$BUILDDIR/tests/fault/shim.so "$@"
}

# run NAME OPTIONS...
run() {
	local name=$1

	shift
	cp --sparse=always fresh.img "$name.img"
	tomorrow e2bfo 0 copy "$@" source.img "$name.img"
	checked "$name.img"
	digest "$name.img" > "$name.digest"
	rm "$name.img"
}

run first
run second
same first.digest second.digest
run small --memory 8M
same first.digest small.digest
run large --memory 1G
same first.digest large.digest
run gapless --read-gap 0
same first.digest gapless.digest
TZ=Asia/Tokyo MALLOC_PERTURB_=165 run elsewhere
same first.digest elsewhere.digest
[ "$(cat first.digest)" != "$(digest fresh.img)" ] || fail "nothing was copied"

for n in 1 2; do
	tomorrow e2bfo 0 copy "--mkfs=$identity" --size 400M source.img made.img
	checked made.img
	digest made.img > made-$n.digest
	rm made.img
done
same made-1.digest made-2.digest

# What the manual asks for is enough, wherever the images lie and whatever they are called: a pinned
# clock and UUID, and no more than that for mke2fs; also without a hash seed that could be taken
# over, and with an index, which has the time in it.
unset E2FSPROGS_FAKE_TIME
mkdir -p tree/dir other
perl -e 'for (1 .. 400) { open(my $f, ">", "tree/dir/file-$_") or die; print $f "$_ " x $_; }'
volume plain.img 16M -d tree
cp plain.img seedless.img
debug seedless.img 'set_super_value hash_seed null'
dumpe2fs -h seedless.img 2> /dev/null | grep 'Directory Hash Seed' && fail "a hash seed"
# packed SOURCE OPTIONS...: twice, at other times, places and by other names
packed() {
	local source=$1

	shift
	e2bfo 0 copy --size min "$@" "$source" made.img
	checked made.img
	digest made.img > made-1.digest
	rm made.img
	cp "$source" "other/$source"
	(cd other && days=1000 && tomorrow e2bfo 0 copy --size min "$@" --memory 1M \
		--direct always --verify -q \
		"$source" another-name.img)
	digest other/another-name.img > made-2.digest
	rm other/*
	same made-1.digest made-2.digest
}
packed plain.img --mkfs --same-uuid
packed plain.img "--mkfs=-U $uuid" --itree
packed seedless.img --mkfs --same-uuid
# mke2fs draws a seed, but one for all that is planned and written.
e2bfo 0 copy "--mkfs=-E hash_seed=00000000-0000-0000-0000-000000000000" --size 16M plain.img made.img
checked made.img
rm made.img
# Equal filesystems get equal indexes.
for n in 1 2; do
	cp plain.img indexed.img
	tomorrow e2itree 1 -p --memory $((n * 8))M indexed.img
	digest indexed.img > indexed-$n.digest
done
same indexed-1.digest indexed-2.digest
export E2FSPROGS_FAKE_TIME=1700000000

# Into a target that holds files, whose merged directories get the pinned time.
echo old > old
debug fresh.img 'mkdir files' 'write old files/old'
e2fsck -fy fresh.img > /dev/null || fail "e2fsck"
run merged-1
run merged-2 --memory 16M
same merged-1.digest merged-2.digest
