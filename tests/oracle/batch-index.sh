#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Indexes of directories that a batch changes stay fresh, and list what those do that are built
# anew: after random batches of names that come, go, move, become links, and take the place of
# others, of directories that come and go, in one commit and in several.  What has no room to grow,
# or was stale before, is stale afterwards, which is seen; e2itree -p makes it right.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl truncate

same="-U 12345678-1234-1234-1234-123456789abc -E hash_seed=87654321-4321-4321-4321-cba987654321"

# by_index IMAGE DIR...: each is read by its index
by_index() {
	local image=$1

	shift
	e2bfo 0 ls --json "$image" "$@"
	grep -q '"order": "tree"' out || fail "$*: not by the index: $(grep -o '"order".*' out)"
}

# script SEED: 100 changes of what earlier ones have left, which names-N tells
script() {
	perl -e '
		my ($seed, $at) = @ARGV;
		srand($seed);
		my @have;
		if (open(my $f, "<", $at)) { chomp(@have = <$f>); }
		@have = map { my $d = $_; map { "/d$d/file-$_" } 1 .. 900 } 1 .. 4 unless @have;
		for my $n (1 .. 100) {
			my $kind = int(rand(8));
			my $i = int(rand(@have));
			my $dir = "/d" . (1 + rand(4) | 0);
			my $new = sprintf("%s/%s-%d-%d", $dir, "n" x (1 + rand(20)), $seed, $n);
			if ($kind < 2) { print "rm $have[$i]\n"; splice(@have, $i, 1); next; }
			if ($kind == 2) { print "mv $have[$i] $new\n"; $have[$i] = $new; next; }
			if ($kind == 3) {	# in the place of another
				my $k = int(rand(@have));
				next if $k == $i;
				print "mknod $new p\nmv $new $have[$i]\n";
				next;
			}
			if ($kind == 4) { print "ln $have[$i] $new\n"; push(@have, $new); next; }
			if ($kind == 5) {	# a directory that comes, moves, and goes
				my $to = "/d" . (1 + rand(4) | 0) . "/moved-$seed-$n";
				print "mkdir $new\nmknod $new/x p\nmv $new $to\n";
				print "rm -r $to\n" if rand() < 0.8;
				next;
			}
			if ($kind == 6) { print "chmod 0", 700 + (rand() < 0.5 ? 55 : 0), " $dir\n"; next; }
			print "mknod $new p\n";
			push(@have, $new);
		}
		open(my $f, ">", $at) or die;
		print $f "$_\n" for @have;' "$1" names
}

# round SEED ARGS...: changes; then the indexes are fresh, and list what new ones do
round() {
	local seed=$1 d

	shift
	script "$seed" > script
	e2bfo 0 batch -q "$@" image script
	checked image
	if ! "$E2ITREE" -n --json image > out; then	# one had no room to grow
		grep -q '"problem": "stale"' out || fail "$seed: $(cat out)"
		! grep -q damaged out || fail "$seed: $(cat out)"
		e2itree 1 -p --in-place never image
		full=$((full + 1))
	fi
	e2itree 0 -n --json image
	[ "$(json_number kept)" = 4 ] || fail "$seed: not all are fresh: $(cat out)"
	cp --sparse=always image anew
	e2itree 1 -p -f --in-place never anew
	by_index image /d{1..4}
	grep -o '"path": "[^"]*", "inode": [0-9]*' out | sort > image.ls
	by_index anew /d{1..4}
	grep -o '"path": "[^"]*", "inode": [0-9]*' out | sort > anew.ls
	same image.ls anew.ls
	for d in d1 d2 d3 d4; do
		index_names image /$d > image.list
		index_names anew /$d > anew.list
		same image.list anew.list
	done
}

# made SIZE: image, in blocks of that size, with four directories and their indexes
made() {
	truncate -s 0 image
	truncate -s 64M image
	rm -f names
	# shellcheck disable=SC2086
	mke2fs -q -F -t ext4 -b "$1" -N 20000 -J size=4 $same image
	perl -e 'for my $d (1 .. 4) { print "mkdir /d$d\n"; print "mknod /d$d/file-$_ p\n" for 1 .. 900 }' \
		> script
	e2bfo 0 batch -q image script
	e2itree 1 -p image
}

# all SIZE: rounds of one commit, and of several
all() {
	local seed

	made "$1"
	full=0
	for seed in {1..3}; do
		round "$seed"
		round $((seed + 100)) --commit-every 7
	done
	echo "$1: of 6 batches, $full found an index without room"
	[ $full -lt 3 ] || fail "hardly any index was kept"
}

# changed LINE...: a batch
changed() {
	printf '%s\n' "$@" > script
	e2bfo 0 batch -q image script
	checked image
}

# stale NUMBER: so many are not right, the others are, and e2itree makes all of them right
stale() {
	e2itree 4 -n --json image
	[ "$(grep -o '"problem": "stale"' out | wc -l)" = "$1" ] || fail "not $1 are stale: $(cat out)"
	! grep -q damaged out || fail "damaged: $(cat out)"
	e2itree 1 -p image
	e2itree 0 -n image
}

# ---- indexes that go, or stay as stale as they were ----

made 1024
changed 'rm -r /d2' 'mv /d3 /d4/within' 'mknod /d4/within/new p'
e2itree 0 -n --json image
[ "$(json_number kept)-$(json_number dropped)" = 3-0 ] || fail "a directory that is gone: $(cat out)"
by_index image /d4/within
e2itree 0 -l image
! grep -q '/d2' out || fail "/d2 is in the catalogue: $(cat out)"

# Of a catalogue of three blocks, entries go: the first, the last, and so many that a block is left.
truncate -s 0 image
truncate -s 16M image
mke2fs -q -F -t ext4 -b 1024 -J size=1 image
perl -e 'for my $d (1 .. 32) { print "mkdir /d$d\n"; print "mknod /d$d/file-$_ p\n" for 1 .. 5 }' > script
e2bfo 0 batch -q image script
e2itree 1 -p -m 2 image
left=33			# with the root
for gone in 1 32 '2 5 7 9 11 13 15 17 19 21 23 25 27 29 31 3'; do
	read -ra gone <<< "$gone"
	changed 'chmod 0600 /d4/file-1'		# then it is not fresh
	changed "${gone[@]/#/rm -r /d}" 'mknod /d4/more-'"${#gone[@]}-$left p"
	left=$((left - ${#gone[@]}))
	e2itree 0 -n --json image
	[ "$(json_number kept)" = $left ] || fail "not $left are kept: $(cat out)"
done

made 1024
for n in {1..900}; do
	echo "mknod /d2/a-name-that-is-quite-long-$n p"
done > script
echo 'mknod /d1/new p' >> script
e2bfo 0 batch -q image script		# no room
checked image
e2bfo 0 ls --json image /d2
grep -q '"order": "sorted"' out || fail "an index without room was believed"
grep -q '"index": "likely"' out || fail "fresh, with one that is not: $(tail -n 1 out)"
by_index image /d1
changed 'mknod /d2/more p' 'mknod /d1/more p'
e2bfo 0 ls --json image /d2
grep -q '"order": "sorted"' out || fail "a stale index was believed"
stale 1

# A directory that debugfs has changed has a stale index, and keeps it.
made 1024
debug image 'sif /d2 ctime 20210102030405'
changed 'mknod /d2/new p' 'mknod /d1/new p'
by_index image /d1
stale 1

# The header says that all are fresh, as long as that is so; the time of a commit never does.
made 1024
changed 'mknod /d1/new p' 'chmod 0700 /d2'
by_index image /d2
grep -q '"index": "fresh"' out || fail "not fresh: $(tail -n 1 out)"
changed 'mknod /other p'
by_index image /d2
grep -q '"index": "likely"' out || fail "fresh, though only some were looked at: $(tail -n 1 out)"
SOURCE_DATE_EPOCH=1700000001 e2itree 1 -p -f image
debug image 'sif /d2 ctime 20210102030405'
SOURCE_DATE_EPOCH=1700000000 changed 'mknod /d2/new p'
e2bfo 0 ls --json image /d2
grep -q '"index": "likely"' out || fail "the time of a commit looks fresh: $(tail -n 1 out)"
stale 1

# Nobody knows what e2fsck did.
made 1024
E2FSCK_TIME=1650000000 repaired image
cp --sparse=always image before
changed 'mknod /d2/new p'
cmp <(ask before 'cat /.e2itree') <(ask image 'cat /.e2itree') || fail "changed blindly"
stale 1

# Without a journal all are left behind, also where a directory that is gone had the number, times,
# and all that goes into the generation, of a new one.
made_without() {
	{ echo "mkdir /d"; seq -f "mknod /d/$1-%.0f p" 99; } > script
	SOURCE_DATE_EPOCH=1700000000 e2bfo 0 batch -q --not-atomic image script
}
truncate -s 0 image
truncate -s 16M image
mke2fs -q -F -t ext2 -b 1024 image
made_without old
inode=$(inode_of image /d)
e2itree 1 -p -m 2 image
by_index image /d
echo 'rm -r /d' > script
e2bfo 0 batch -q --not-atomic image script
made_without new
checked image
[ "$(inode_of image /d)" = "$inode" ] || fail "/d has another number"
e2bfo 0 ls image /d
[ "$(grep -c '^new-' out)" = 99 ] || fail "not the names of /d: $(head -n 3 out)"
stale 1

# Nothing but the root is changed, which has an index, too.
volume image 16M -J size=4
seq -f 'mknod /file-%.0f p' 300 > script
e2bfo 0 batch -q image script
e2itree 1 -p image
changed 'chmod 0700 /'
e2itree 0 -n image

# The container itself is changed, or goes.
made 1024
changed 'set -F 0 /.e2itree' 'mknod /d1/new-2 p'
stale 1
changed 'set -F 0 /.e2itree' 'rm /.e2itree' 'mknod /d1/new-3 p'
e2itree 0 -l image
changed 'mknod /d1/new-4 p'

# ---- what it costs: the blocks that keys lead to ----

made 1024
cp --sparse=always image before
changed 'mknod /d1/new p'
{ cmp -l <(ask before 'cat /.e2itree') <(ask image 'cat /.e2itree') || true; } |
	awk '{ print int(($1 - 1) / 1024) }' | uniq > blocks
[ "$(wc -l < blocks)" -le 5 ] || fail "one name has changed $(wc -l < blocks) blocks"

# ---- blocks that cannot be read: the batch is done, or not; no wrong index is believed ----

made 1024
cp --sparse=always image start.img
printf '%s\n' 'mknod /d1/new p' 'mv /d2/file-7 /d2/moved' > script
export FAULT_TARGET=$PWD/image
reads=$(events read-target batch image script)
e2bfo 0 ls image /d1 /d2
cp out after.ls
e2bfo 0 ls start.img /d1 /d2
cp out before.ls
left=0
for ((n = 1; n <= reads; n++)); do
	cp --sparse=always start.img image
	FAULT_TIMES=3 struck read-target EIO "$n" batch image script	# (once more is tried)
	[ $status = 0 ] && expected=after.ls || expected=before.ls
	checked image
	e2bfo 0 ls image /d1 /d2
	same $expected out
	"$E2ITREE" -n image > out || grep -q 'is out of date' out || fail "read $n: $(cat out)"
	! grep -q damaged out || fail "read $n: $(cat out)"
	[ $status = 8 ] || ! grep -q 'is out of date' out || left=$((left + 1))
done
[ $left -gt 0 ] || fail "of $reads reads, none was of an index"
unset FAULT_TARGET

# ---- at random ----

all 4096
all 1024
