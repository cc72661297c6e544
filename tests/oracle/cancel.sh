#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stopped on the way: SIGINT ends the copy with exit 32; after that, as after SIGKILL, "e2bfo
# resume" completes it, and "e2bfo abort", e2fsck -p and a mount each give back what there was
# before.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck losetup perl dumpe2fs tune2fs debugfs jq "$BUILDDIR/tests/fault/shim.so"

filling source.img mnt 400M
perl -e '
	my $content = join("", map { sprintf("%15d\n", $_) } 1 .. 65536);
	for my $d (1 .. 30) {
		mkdir("mnt/d$d") or die;
		for my $n (1 .. 100) {
			open(my $f, ">", "mnt/d$d/$n") or die;
			print $f substr($content, $n * 16, 5000);
		}
		open(my $f, ">", "mnt/d$d/big") or die;
		print $f $content for 1 .. 5;
	}'
is_filled mnt
manifests source.img source

filling old.img mnt 600M
perl -e 'mkdir("mnt/old"); for (1 .. 3000) {
	open(my $f, ">", "mnt/old/file-$_") or die; print $f "$_ " x $_; }'
is_filled mnt
e2fsck -fy old.img > /dev/null || fail "e2fsck"

# below_old IMAGE: what is there of the old files
below_old() {
	kernel_manifest "$1" -x /lost+found | grep '^/old'
}
below_old old.img > old

# Descriptor 7 is not open any more when it is resumed.
COPY="copy --memory 8M --bwlimit 16G --progress json --progress-fd 7 source.img target.img"

# stopped HOW PERCENT: a copy that gets the signal int or kill when so many of its writes are done
stopped() {
	local how=$1 n=$((writes * $2 / 100))

	cp --sparse=always old.img target.img
	# shellcheck disable=SC2086
	struck write "$how" "$n" $COPY 7> objects
	[ $status = $([ "$how" = int ] && echo 32 || echo 137) ] ||
		fail "$how at write $n of $writes: exit $status: $(cat said)"
}

# asbefore WHEN IMAGE: IMAGE has the old files, as much free space as it had, and nothing else
asbefore() {
	checked "$2"
	counts "$2" > counts-after
	same counts-before counts-after
	kernel_manifest "$2" -x /lost+found > all
	grep '^/old' all > old-after
	! grep -qv '^/old\|^/ ' all || fail "$1: something is left"
	same old old-after
}

# counts IMAGE: what is free, and who is an orphan
counts() {
	dumpe2fs -h "$1" 2> /dev/null | grep -E '^(Free (blocks|inodes)|First orphan|Filesystem state)'
}

# whole WHEN IMAGE: everything of the source is there, and the old files
whole() {
	checked "$2"
	kernel_manifest "$2" -x /lost+found > all
	grep '^/old' all > old-after
	grep -v '^/ ' source.kernel > source.names
	grep -v '^/old\|^/ ' all > target.names
	same source.names target.names
	same old old-after
}

# copyof IMAGE: prints the name of a copy
copyof() {
	cp --sparse=always "$1" "copy-$1"
	echo "copy-$1"
}

# fourways WHEN: what can be done with target.img
fourways() {
	local image device

	image=$(copyof target.img)
	e2bfo 0 abort "$image"
	asbefore "abort after $1" "$image"
	[ "$(staged "$image")" = 0 ] || fail "staged inodes are left after abort"
	e2bfo 8 abort "$image"

	image=$(copyof target.img)
	status=0
	e2fsck -p "$image" > fsck.log 2>&1 || status=$?
	[ $status -le 1 ] || fail "$1: e2fsck -p: status $status: $(cat fsck.log)"
	asbefore "e2fsck -p after $1" "$image"
	e2bfo 8 resume "$image"

	if is_root; then
		image=$(copyof target.img)
		mounted "$image" mnt rw,noatime
		unmounted mnt
		asbefore "a mount after $1" "$image"
	fi

	e2bfo 8 copy source.img target.img
	says 'e2bfo resume'
	e2bfo 0 resume --json target.img
	read_blocks=$(grep -o '"read_blocks": *[0-9]*' out | grep -o '[0-9]*$')
	whole "resume after $1" target.img
	cmp -s target.img reference.img || fail "resume after $1: not the bytes of a copy in one go"
	e2bfo 0 resume target.img
	grep -q 'had come to its end' out || fail "resume of what is done: $(cat out)"
}

export SOURCE_DATE_EPOCH=1700000000 FAULT_TARGET=$PWD/target.img
cp --sparse=always old.img reference.img
writes=$(FAULT_TARGET=$PWD/reference.img events write copy --memory 8M source.img reference.img)
[ "$writes" -ge 40 ] || fail "$writes writes"
counts old.img > counts-before
for percent in 20 35 50; do
	stopped int $percent
	grep -q "e2bfo resume" said || fail "nothing said about resume: $(cat said)"
	fourways "SIGINT after $percent % of the writes"
	all=${all:-$read_blocks}
done
[ "$read_blocks" -lt $((all * 2 / 3)) ] || fail "resuming read $read_blocks of $all blocks again"

# The same for people: what had arrived counts as copied.  So says --dry-run.
stopped int 50
before=$(digest target.img)
e2bfo 0 resume -n --json target.img
unchanged target.img "$before" "resume --dry-run"
jq -e '.copied_bytes > .data_bytes / 3 and .copied_bytes < .data_bytes' out > /dev/null ||
	fail "resume --dry-run: $(cat out)"
arrived=$(jq .copied_bytes out)
e2bfo 0 resume target.img
grep -q "^Of that, $((arrived * 10 / 1048576 / 10))\.[0-9]* MiB had arrived" out ||
	fail "$arrived bytes had arrived: $(cat out)"

# Killed, there is no last note of what has come, only those that are taken every few seconds: how
# much is read again depends on the clock.  Killed in resuming, there is one, but more was written
# since.
stopped kill 20
fourways "SIGKILL after 20 % of the writes"
stopped int 50
struck write kill $((writes / 5)) resume target.img
[ $status = 137 ] || fail "resume, SIGKILL: exit $status: $(cat said)"
fourways "SIGKILL while resuming"
[ "$read_blocks" -lt "$all" ] || fail "resuming what was killed while resuming read all again"

# Refused: another source, a source or target that has changed.
stopped int 20
cp --sparse=always target.img begun.img
e2bfo 8 resume --source old.img target.img
says 'UUID of the source'
cp --sparse=always source.img changed.img
if is_root; then
	mounted changed.img mnt rw,noatime
	echo changed > mnt/d7/100
	unmounted mnt
else
	echo changed > changed
	debug changed.img 'rm d7/100' 'write changed d7/100'
fi
e2bfo 8 resume --source changed.img target.img
says 'was mounted or written to'
debugfs -w -R 'rm /old/file-77' target.img 2> /dev/null
e2bfo 8 resume target.img
e2bfo 0 resume --source source.img begun.img
whole "resume --source" begun.img

# Who takes blocks that are free, and gives them back, may have taken some that were copied to.
stopped int 50
perl -e 'print "junk" x 1000000' > junk
debug target.img 'write junk junk' 'rm junk'
e2bfo 8 resume target.img
says 'somebody has written to the target'
e2bfo 0 abort target.img
asbefore "abort after debugfs" target.img

# A source that is somewhere else is found by its UUID.
stopped int 20
mv source.img elsewhere.img
device=elsewhere.img
! is_root || device=$(loop -r elsewhere.img)
e2bfo 0 resume --source "$device" target.img
! is_root || unloop "$device"
mv elsewhere.img source.img
whole "a source elsewhere" target.img

# Without a journal there is no record: e2fsck -fy finds the old files, and the new ones or not.
tune2fs -O ^has_journal old.img > /dev/null 2>&1
counts old.img > counts-before
for signal in int kill; do
	stopped $signal 50
	e2bfo 8 resume target.img
	e2fsck -fy target.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
	asbefore "SIG${signal^^} without a journal" target.img
done
