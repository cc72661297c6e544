#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Indexes that are changed where they stand list what those do that are built anew: after random
# batches of names that come, go, move and become links, and inodes that get other numbers; also
# where names have the same inode and nearly the same hash.  Only the index of a directory that has
# changed is written.  Without a journal, without room, and where most has changed, they are built.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl truncate

same="-U 12345678-1234-1234-1234-123456789abc -E hash_seed=87654321-4321-4321-4321-cba987654321"

# script SEED: 100 changes of what earlier ones have left, which names-N tells
script() {
	perl -e '
		my ($seed, $at) = @ARGV;
		srand($seed);
		my (@have, %dead);
		if (open(my $f, "<", $at)) { chomp(@have = <$f>); }
		@have = map { my $d = $_; map { "/d$d/file-$_" } 1 .. 900 } 1 .. 4 unless @have;
		for my $n (1 .. 100) {
			my $kind = int(rand(5));
			my $i = int(rand(@have));
			my $new = sprintf("/d%d/%s-%d-%d", 1 + rand(4), "n" x (1 + rand(60)), $seed, $n);
			if ($kind == 0) { print "rm $have[$i]\n"; splice(@have, $i, 1); next; }
			if ($kind == 1) { print "mv $have[$i] $new\n"; $have[$i] = $new; next; }
			if ($kind == 2) { print "ln $have[$i] $new\n"; }
			if ($kind > 2) { print "mknod $new p\n"; }
			push(@have, $new);
		}
		open(my $f, ">", $at) or die;
		print $f "$_\n" for @have;' "$1" names
}

# outdated IMAGE DIR...: their indexes are, which batches then leave as they are
outdated() {
	local image=$1

	shift
	set -- "${@/#/sif }"
	debug "$image" "${@/%/ ctime 20210102030405}"
}

# round SEED: changes; then the image in place, and a copy anew, list the same
round() {
	local d

	script "$1" > script
	outdated image /d{1..4}
	e2bfo 0 batch -q image script
	cp --sparse=always image anew
	e2itree 1 -p --json --in-place always image
	[ "$(json_number changed)" = 0 ] || in_place=$((in_place + 1))	# else there was no room
	went=$((went + $(json_number names_went)))
	came=$((came + $(json_number names_came)))
	e2itree 1 -p --json --in-place never anew
	[ "$(json_number changed)" = 0 ] || fail "$1: in place: $(cat out)"
	for d in d1 d2 d3 d4; do
		index_names image /$d > in-place.list
		index_names anew /$d > anew.list
		same in-place.list anew.list
	done
	e2itree 0 -n image
	checked image
}

# all SIZE: 16 rounds, in blocks of that size
all() {
	local seed

	truncate -s 64M image
	rm -f names
	# shellcheck disable=SC2086
	mke2fs -q -F -t ext4 -b "$1" -N 20000 -J size=4 $same image
	perl -e 'for my $d (1 .. 4) { print "mkdir /d$d\n"; print "mknod /d$d/file-$_ p\n" for 1 .. 900 }' \
		> script
	e2bfo 0 batch -q image script
	e2itree 1 -p image
	went=0 came=0 in_place=0
	for seed in {1..16}; do
		round "$seed"
	done
	echo "$1: $in_place of 16 in place; $came names came, $went went"
	[ $in_place -gt 6 ] || fail "few were changed in place"
}

all 4096
all 1024

# ---- what is written: one of 40 directories has changed ----

truncate -s 64M image
mke2fs -q -F -t ext4 -b 4096 -N 40000 -J size=4 image
perl -e 'for my $d (1 .. 40) { print "mkdir /d$d\n"; print "mknod /d$d/file-$_ p\n" for 1 .. 500 }' > script
e2bfo 0 batch -q image script
e2itree 1 -p image
outdated image /d7
echo 'mknod /d7/new p' > script
e2bfo 0 batch -q image script
cp --sparse=always image before
e2itree 1 -p --json image
[ "$(json_number changed)-$(json_number built)-$(json_number kept)" = 1-0-39 ] || fail "not one in place: $(cat out)"
[ "$(json_number names_came)-$(json_number names_went)" = 1-0 ] || fail "other names: $(cat out)"
[ "$(json_number write_blocks)" -lt 25 ] || fail "$(json_number write_blocks) blocks were written"
[ "$(json_number cost_in_place)" -lt "$(json_number cost_anew)" ] || fail "it costs more: $(cat out)"
e2itree 0 -n image
checked image
cp --sparse=always before image
e2itree 1 -p --json --in-place never image
[ "$(json_number write_blocks)" -gt 150 ] || fail "anew: $(json_number write_blocks) blocks"

# The inodes of names are others, and a name is another of the same inode.
debug image "unlink /d3/file-5" "ln /d3/file-6 /d3/file-5" "sif /d3/file-6 links_count 2" \
	"unlink /d4/file-9" "ln /d4/file-10 /d4/another" "sif /d4/file-10 links_count 2"
repaired image
e2itree 1 -p --json image
[ "$(json_number changed)-$(json_number names_came)-$(json_number names_went)" = 2-2-2 ] ||
	fail "links: $(cat out)"
e2itree 0 -n image

# A directory that is gone leaves its room: nothing else is written.
echo 'rm -r /d40' > script
E2FSCK_TIME=1650000000 repaired image		# so that the batch does not look after it
e2bfo 0 batch -q image script
echo 'mknod /d7/newer p' > script
e2bfo 0 batch -q image script
e2itree 1 -p --json image
[ "$(json_number changed)-$(json_number dropped)-$(json_number kept)" = 1-1-38 ] || fail "dropped: $(cat out)"
e2itree 0 -n image
checked image

# ---- where it cannot be ----

# Most has changed.
outdated image /d{1..39}
perl -e 'for my $d (1 .. 39) { print "mv /d$d/file-$_ /d$d/other-$_\n" for 11 .. 400 }' > script
e2bfo 0 batch -q --commit-every 2000 image script
e2itree 1 -p --json image
[ "$(json_number changed)" = 0 ] || fail "most has changed: $(cat out)"
[ "$(json_number built)" -gt 30 ] || fail "most has changed: $(cat out)"
e2itree 0 -n image

# There is no room.
outdated image /d7
perl -e 'print "mknod /d7/more-$_ p\n" for 1 .. 3000' > script
e2bfo 0 batch -q --commit-every 2000 image script
e2itree 1 -p --json --in-place always image
[ "$(json_number changed)-$(json_number built)" = 0-1 ] || fail "there is no room: $(cat out)"
e2itree 0 -n image

# There is no journal.
quietly tune2fs -O ^has_journal image
echo 'mknod /d9/more p' > script
e2bfo 0 batch -q --not-atomic image script
e2itree 1 -p --json --in-place always image
[ "$(json_number changed)-$(json_number built)" = 0-1 ] || fail "without a journal: $(cat out)"
e2itree 0 -n image
checked image
