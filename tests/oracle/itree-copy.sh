#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Copies and the container of indexes: the source's is not copied; the target's is kept up to
# date, byte for byte where no tree is concerned, and one that is out of date or damaged does not
# come to look as if it were not; copy --itree makes what e2itree would.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck tune2fs debugfs losetup perl

export E2ITREE
names=$SRCDIR/tests/oracle/itreenames
forge=$SRCDIR/tests/oracle/itreeforge

# filled IMAGE SCRIPT: the kernel runs a Perl script in IMAGE; then e2fsck
filled() {
	mounted "$1" mnt rw,noatime
	perl -e 'chdir("mnt");
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[0]; }'"$2"
	unmounted mnt
	repaired "$1"
}

# indexed IMAGE: trees of what is big, and right; nothing to be done
indexed() {
	checked "$1"
	e2itree 0 -n "$1"
	mounted "$1" mnt
	"$names" kernel mnt > names
	unmounted mnt
	"$names" compare "$1" names || fail "$1: trees are not what directories are"
}

# container IMAGE: a digest of its bytes, and where it is
container() {
	rm -f container-file
	ask "$1" "dump /.e2itree container-file"
	[ -s container-file ] || fail "$1 has no container"
	echo "$(digest container-file) $(inode_of "$1" /.e2itree) $(ask "$1" "blocks /.e2itree")"
}

# states IMAGE: a line for each tree: directory, state
states() {
	e2itree 0 -l --json "$1"
	perl -ne 'print "$1 $2\n" while /"directory": "([^"]*)".*?"state": "(\w+)"/g' out | sort
}

# copied STATUS ARGUMENTS...: target is "old" with a copy on it
copied() {
	local status=$1

	shift
	cp --sparse=always "${old:-old}" target
	e2bfo "$status" copy "$@" target
	checked target
}

volume source 64M
filled source '
	for my $d (qw(new big merged)) {
		mkdir($d);
		make("$d/$d-$_" . "-" x ($_ % 40)) for 1 .. 500;
	}
	mkdir("few"); make("few/$_") for 1 .. 10;'
volume aside 32M
filled aside 'mkdir("aside"); make("aside/$_") for 1 .. 5;'
e2itree 1 -p source
sources=$(digest source)

for bs in 4096 1024; do
	volume old-$bs 96M -b $bs -N 6000
	filled old-$bs '
		for my $d (qw(merged kept untouched)) { mkdir($d); make("$d/old-$_") for 1 .. 700; }
		mkdir("small"); make("small/$_") for 1 .. 5;'
done
ln old-4096 old

# ---- fresh targets ----

for bs in 4096 1024; do
	for with in "" --itree; do
		for mkfs in "" mkfs; do
			rm -f target
			if [ -z "$mkfs" ]; then
				volume target 96M -b $bs -N 6000
				e2bfo 0 copy $with source target
			else
				truncate -s 96M target
				e2bfo 0 copy $with --mkfs="-b $bs -N 6000" source target
			fi
			unchanged source "$sources" "the source"
			checked target
			e2bfo 0 verify source target
			if [ -n "$with" ]; then
				indexed target
				[ "$(states target | grep -c fresh)" = 3 ] ||
					fail "$(states target)"
			else
				[ -z "$(inode_of target /.e2itree)" ] ||
					fail "the container was copied"
			fi
		done
	done
done
e2bfo 0 verify target source
# Others see it too: what --itree made is what e2itree makes, and e2itree removes it.
e2itree 1 -f -p target
indexed target
e2itree 1 -r -y target
checked target

# ---- targets with files, and no container ----

copied 0 source
[ -z "$(inode_of target /.e2itree)" ] || fail "the container was copied into a used target"
copied 0 --itree source
e2itree 4 -n target
[ "$(states target)" = "/big fresh
/merged fresh
/new fresh" ] || fail "trees of others than what was copied: $(states target)"
e2itree 1 -p target
indexed target

# ---- targets with a container ----

for bs in 4096 1024; do
	old=old-$bs
	e2itree 1 -p $old
	indexed $old
	before=$(container $old)
	digest=$(digest $old)

	# No tree is concerned.
	copied 0 aside --to /small
	[ "$(container target)" = "$before" ] || fail "$bs: the container has changed"
	[ "$(states target | grep -c fresh)" = 3 ] || fail "$bs: $(states target)"
	e2itree 0 -n --json target
	! grep '"problem"' out || fail "$bs: times of what has no tree matter"

	# Those with trees that gain names.
	cp --sparse=always $old target
	e2bfo 0 copy --dry-run source target
	unchanged target "$digest" "--dry-run"
	e2bfo 0 copy --dry-run --itree source target
	unchanged target "$digest" "--dry-run --itree"
	copied 0 source
	[ "$(states target | tr '\n' ' ')" = "/kept fresh /merged fresh /untouched fresh " ] ||
		fail "$bs: $(states target)"
	e2itree 4 -n target
	grep -c 'names and no index' out | grep -qx 2 || fail "$bs: $(cat out)"
	grep -q 'is out of date' out && fail "$bs: $(cat out)"
	"$E2ITREE" -p target > out 2>&1 || [ $? = 1 ]
	indexed target
	e2bfo 0 copy --itree aside --to /another target
	indexed target

	# All of them, with --itree.
	copied 0 --itree source
	indexed target
	[ "$(states target | grep -c fresh)" = 5 ] || fail "$bs: $(states target)"
	copied 0 --itree --to /below/here source
	indexed target
	[ "$(states target | grep -c fresh)" = 6 ] || fail "$bs: $(states target)"
done

# ---- what is out of date stays so ----

# times IMAGE: when its container says it is of (s_wtime, s_lastcheck)
times() {
	rm -f container-file
	ask "$1" "dump /.e2itree container-file"
	od -A n -t x4 -j 40 -N 16 container-file
}

old=old-4096
cp --sparse=always old-4096 stale-kernel
filled stale-kernel 'make("kept/new"); make("merged/new"); unlink("kept/old-5");'
cp --sparse=always old-4096 stale-debugfs
debug stale-debugfs "ln /kept/old-9 /small/old-9" "unlink /kept/old-9" \
	"ln /merged/old-9 /small/old-19" "unlink /merged/old-9"
checked stale-debugfs
for stale in stale-kernel stale-debugfs; do
	old=$stale
	for with in "" --itree; do
		copied 0 $with source
		# (The superblock does not show what debugfs does to directories.)
		[ $stale = stale-debugfs ] || [ "$(times target)" = "$(times $old)" ] ||
			fail "$stale: the container looks fresh"
		states target > states
		grep -v '^/\(big\|new\) fresh' states | tr '\n' ' ' > others
		[ "$(cat others)" = "/kept stale /merged fresh /untouched fresh " ] ||
			fail "$stale, copy $with: $(cat states)"
		e2itree 4 -n target
		grep -q 'index of /kept .* is out of date' out || fail "$stale: $(cat out)"
		e2itree 1 -p target
		indexed target
	done
	before=$(container $old)
	copied 0 aside --to /small
	[ "$(container target)" = "$before" ] || fail "$stale: the container has changed"
	e2itree 4 -n target
	grep -q 'index of /kept .* is out of date' out || fail "$stale: $(cat out)"
done

# Keys of another hash, or another filesystem's container: none of its trees is kept.
for change in "tune2fs -E hash_alg=tea" "tune2fs -U 01234567-89ab-cdef-0123-456789abcdef"; do
	cp --sparse=always old-4096 other
	quietly $change other
	old=other
	before=$(container other)
	copied 0 source
	[ "$(container target)" = "$before" ] || fail "$change: the container has changed"
	e2itree 4 -n target
	grep -q 'indexes were made' out || fail "$change: $(cat out)"
	copied 0 --itree source
	e2itree 4 -n target
	grep -c 'names and no index' out | grep -qx 2 || fail "$change: $(cat out)"
	[ "$(states target | grep -vc fresh)" = 0 ] || fail "$change: $(states target)"
	e2itree 1 -p target
	indexed target
done

# ---- damaged containers in targets ----

for what in "header 0x20s 1 77" "header 0x50 4 0xffffffff" "catalogue:0 0x20s 1 77" \
	"catalogue:0 0x40 4 0" "leaf:0:1 0x20s 1 77" "leaf:1:1 0x20s 1 77" "leaf:2:1 0x20s 1 77"; do
	cp --sparse=always old-4096 damaged
	"$forge" set damaged 4096 $what
	old=damaged
	for with in "" --itree; do
		copied 0 $with source
		case $what in
		header* | catalogue*) [ "$with" ] || [ -z "$(states target)" ] ;;
		leaf:0*) ! states target | grep -v fresh ;;
		leaf*)	[ "$(states target | grep -c damaged)" = 1 ] ;;
		esac || fail "$what, copy $with: $(states target)"
		"$E2ITREE" -p target > out 2>&1 || [ $? = 1 ]
		indexed target
	done
done

# Something else of that name.
volume old-file 32M
filled old-file 'make(".e2itree")'
old=old-file
copied 0 source
ask target "cat /.e2itree" | grep -qx '.e2itree' || fail "the file /.e2itree has changed"
copied 8 --itree source
ask target "cat /.e2itree" | grep -qx '.e2itree' || fail "the file /.e2itree has changed"

# ---- stopped, and resumed ----

export SOURCE_DATE_EPOCH=$(date +%s)
volume long 256M
filled long '
	my $text = "text " x 3000;
	for my $d (qw(one merged)) {
		mkdir($d);
		for (1 .. 3000) { open(my $f, ">", "$d/$_"); print $f $text; }
	}'
volume old-long 400M
filled old-long 'for my $d (qw(merged kept)) { mkdir($d); make("$d/old-$_") for 1 .. 700; }'

# stopped: a copy onto target that is killed
stopped() {
	local pid status=0 begun

	cp --sparse=always "$1" target
	begun=$(du -k target | cut -f 1)
	"$E2BFO" copy --itree --memory 8M long target > out 2> said < /dev/null &
	pid=$!
	echo $pid >> .state/processes
	while kill -0 $pid 2> /dev/null; do
		[ $(($(du -k target | cut -f 1) - begun)) -lt 20000 ] || break
	done
	kill -KILL $pid 2> /dev/null || fail "it ended before: $(cat said)"
	wait $pid || status=$?
	[ $status = 137 ] || fail "SIGKILL: $status"
}

cp --sparse=always old-long old-with
SOURCE_DATE_EPOCH=$((SOURCE_DATE_EPOCH - 1000)) e2itree 1 -p old-with
for old in old-long old-with; do
	cp --sparse=always $old reference
	e2bfo 0 copy --itree long reference
	stopped $old
	cp --sparse=always target aborted
	e2bfo 0 resume target
	checked target
	cmp -s target reference || fail "resumed, and not the bytes of a copy in one go"
	if [ $old = old-long ]; then
		e2itree 1 -p target
	else
		e2itree 0 -n target
	fi
	indexed target
	e2bfo 0 abort aborted
	checked aborted
	[ $old = old-long ] || [ "$(states aborted | grep -c fresh)" = 2 ] ||
		fail "abort: $(states aborted)"
done
