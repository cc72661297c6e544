#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Copies onto targets that keep quota: e2fsck, which adds up the usage itself, has no complaint, and
# limits and grace times are what they were. Fresh and used targets, with other block and cluster
# sizes, with and without extents; directories that are made, merged, or change their owner; many
# ids; quota files in pieces; --mkfs.
# long
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl setfattr

ALL="-O quota,project -E quotatype=usrquota:grpquota:prjquota"

# owned IMAGE PATH UID GID PROJECT: a line of debugfs commands
owned() {
	printf 'sif "%s" uid %s\nsif "%s" gid %s\nsif "%s" projid %s\n' "$1" "$2" "$1" "$3" "$1" "$4"
}

# ---- sources: tree.img, and more.img which merges with it ----

mkdir -p tree/d/e more/d
perl -e '
	for (1 .. 60) { open(my $f, ">", "tree/d/file$_"); print $f "x" x ($_ * 1700); }
	open(my $f, ">", "tree/d/pieces") or die;
	for (0 .. 699) { sysseek($f, $_ * 16384, 0); syswrite($f, "piece"); }
	symlink("s" x 30, "tree/fast"); symlink("s" x 300, "tree/slow");
	for (1 .. 900) { open(my $f, ">", "more/d/more-$_-" . "n" x 40); }'
setfattr -n user.large -v "$(printf 'v%.0s' {1..700})" tree/d/file7
truncate -s 64M tree.img more.img
mke2fs -q -F -t ext4 -b 4096 -d tree tree.img
mke2fs -q -F -t ext4 -b 4096 -d more more.img
{
	for i in $(seq 1 60); do
		owned d/file$i $((i * 70001)) $((i % 7)) $((i * 3))
	done
	owned d/pieces 4294967294 4294967293 4294967292
	owned d 5001 502 503
	owned fast 601 602 603
	owned slow 601 602 603
} > commands
debug tree.img < commands
{
	owned / 42 43 44
	owned d 77 78 79
	for i in $(seq 1 900); do
		echo "sif d/more-$i-$(printf 'n%.0s' {1..40}) uid $i"
	done
} > commands
debug more.img < commands
checked tree.img
checked more.img

# uses IMAGE TYPE ID INODES: what is listed
uses() {
	ask "$1" "list_quota $2" | awk -v id="$3" -v n="$4" '$1 == id && $5 == n { f = 1 } END { exit !f }' ||
		fail "$1: $2 $3 has not $4 inodes: $(ask "$1" "list_quota $2" | grep " $3 ")"
}

# limited IMAGE: gives limits to everybody in IMAGE; file limits has them
limited() {
	local inode

	for inode in $(quota_inodes "$1"); do
		[ "$(quota_limit "$1" "$inode")" != 0 ] || fail "no limits in $1"
	done
	checked "$1"
	quota_limits "$1" > limits
	[ "$(grep -c grace limits)" = "$(quota_inodes "$1" | wc -l)" ] || fail "limits of $1"
}

# keeps IMAGE: still the limits of file limits
keeps() {
	checked "$1"
	quota_limits "$1" > limits-now
	same limits limits-now
}

# onto WHAT MKE2FS-ARGUMENTS...: a fresh target, then again and again
onto() {
	local what=$1

	shift
	echo "onto $what"
	rm -f target.img
	truncate -s 128M target.img
	mke2fs -q -F -t ext4 "$@" $ALL target.img > /dev/null 2>&1 || fail "mke2fs $*"
	[ "$(quota_inodes target.img | wc -l)" = 3 ] || fail "no quota files"
	e2bfo 0 copy tree.img target.img
	checked target.img
	uses target.img user 70001 1
	uses target.img group 4294967293 1
	uses target.img project 4294967292 1
	uses target.img user 601 2
	limited target.img
	before=$(digest target.img)
	e2bfo 0 copy --dry-run --to /again tree.img target.img
	unchanged target.img "$before" "--dry-run"
	e2bfo 0 copy --to /again/and/again tree.img target.img
	keeps target.img
	uses target.img user 70001 2
	e2bfo 0 copy --from /d --to / more.img target.img	# /d keeps its owner, and grows
	keeps target.img
	uses target.img user 5001 2
	uses target.img user 77 1
	volume root.img 64M -b 4096
	owned / 4242 4343 4444 | debug root.img
	e2bfo 0 copy root.img target.img			# the root is another's now
	keeps target.img
	uses target.img user 4242 1
	volume root.img 64M -b 4096
	e2bfo 0 copy root.img target.img			# who has nothing is not listed
	keeps target.img
	uses target.img user 601 5
	ask target.img "list_quota user" > listed
	! grep ' 4242 ' listed || fail "4242 is still there"
}

onto "4096" -b 4096
onto "1024" -b 1024
onto "bigalloc" -b 4096 -O bigalloc -C 16384
onto "block maps" -b 1024 -O ^extent,^64bit,^flex_bg
onto "small inodes" -b 4096 -I 256 -O ^huge_file,^metadata_csum

# Only what the target has is kept.
volume target.img 64M -O quota -E quotatype=grpquota
e2bfo 0 copy tree.img target.img
checked target.img
uses target.img group 502 1
[ "$(quota_inodes target.img)" = 4 ] || fail "quota files: $(quota_inodes target.img)"

# ---- thousands of ids ----

volume many.img 64M -N 20000
perl -e 'srand(5); for my $d (0 .. 9) { print "mkdir d$d\ncd d$d\n";
	for (0 .. 799) { print "symlink l$_ x\n",
		"sif l$_ uid ", int(rand(4294967295)), "\nsif l$_ gid ", $d * 800 + $_,
		"\nsif l$_ projid ", 256 * ($d * 800 + $_), "\n"; }
	print "cd ..\n"; }' > commands
debug many.img < commands
checked many.img
for block in 1024 4096; do
	truncate -s 0 target.img
	truncate -s 128M target.img
	mke2fs -q -F -t ext4 -b $block -N 40000 $ALL target.img
	e2bfo 0 copy --json many.img target.img
	grep -Eq '"data_bytes": ?0[,}]' out || fail "data: $(cat out)"
	perl -0777 -ne 'exit !(/"read_blocks": ?(\d+)/ && $1 < 3000)' out || fail "read: $(cat out)"
	checked target.img
	[ "$(ask target.img 'list_quota user' | wc -l)" -gt 8000 ] || fail "where are they?"
	limited target.img
	[ "$(wc -l < limits)" -gt 24000 ] || fail "limits: $(wc -l < limits)"
	e2bfo 0 copy --to /again many.img target.img
	keeps target.img
	uses target.img group 7999 2
done

# ---- quota files in pieces: their maps need blocks ----

volume few.img 64M
perl -e 'for my $d (1, 2) { print "mkdir d$d\ncd d$d\n";
	print "symlink l$_ x\nsif l$_ uid ", 256 * $_ + $d, "\nsif l$_ gid $_\n" for 1 .. 400;
	print "cd ..\n"; }' > commands
debug few.img < commands
mkdir crumbs
perl -e 'for (1 .. 3000) { open(my $f, ">", "crumbs/$_"); print $f "c" x 1000; }'
for kind in extent ^extent,^64bit; do
	truncate -s 0 target.img
	truncate -s 24M target.img
	mke2fs -q -F -t ext4 -b 1024 -N 16384 -m 0 -O $kind $ALL -d crumbs target.img
	free=$(dumpe2fs -h target.img 2> /dev/null | sed -n 's/^Free blocks: *//p')
	head -c $(((free - 60 - free / 256) * 1024)) /dev/zero | tr '\0' y > filler
	{
		echo "write filler filler"
		for i in $(seq 1 2 3000); do
			echo "rm $i"
		done
	} > commands
	debug target.img < commands
	e2fsck -fy target.img > /dev/null 2>&1 || :
	e2fsck -fy target.img > /dev/null 2>&1 || :	# what it changed itself it has not counted
	debug target.img 'sif <3> generation 77'	# which is in the checksums of its map
	limited target.img
	e2bfo 0 copy --from /d1 few.img target.img
	keeps target.img
	ask target.img "stat <3>" | grep -Eq 'ETB|IND' || fail "quota file in one piece"
	e2bfo 0 copy --from /d2 few.img target.img
	keeps target.img
done

# ---- --mkfs takes over types and limits ----

volume limited.img 64M $ALL
e2bfo 0 copy tree.img limited.img
limited limited.img
e2bfo 0 copy --mkfs --size 80M limited.img new.img
keeps new.img
uses new.img project 503 1
e2bfo 0 copy --mkfs='-b 1024' --size min --force limited.img new.img
keeps new.img
e2bfo 0 copy --mkfs --size 80M --force --from /fast limited.img new.img	# nobody is in grace
checked new.img
quota_limits new.img > limits-now
sed 's/ 1700000000 [0-9]*$/ 0 0/' limits > limits-then
same limits-then limits-now
uses new.img user 601 1
e2bfo 0 copy --mkfs='-O ^quota' --size 80M --force limited.img new.img
checked new.img
[ -z "$(quota_inodes new.img)" ] || fail "quota in spite of ^quota"
volume target.img 64M -O quota -E quotatype=usrquota
e2bfo 0 copy --mkfs --size 80M --force target.img new.img
[ "$(quota_inodes new.img)" = 3 ] || fail "quota files: $(quota_inodes new.img)"
checked new.img

# ---- damaged quota files ----

volume target.img 64M $ALL
debug target.img 'sif <12> block[5] 0x7ffffff'		# its extent leads outside
before=$(digest target.img)
e2bfo 8 copy tree.img target.img
says 'e2fsck -f target.img' 'inode 12 of target.img' 'not healthy'
unchanged target.img "$before" "damaged quota"

volume target.img 64M $ALL
cp --sparse=always limited.img source.img
for image in target.img source.img; do
	block=$(ask $image "blocks <4>" | cut -d' ' -f1)
	printf 'X' | dd of=$image bs=1 seek=$((block * 4096)) conv=notrunc status=none
done
before=$(digest target.img)
e2bfo 8 copy tree.img target.img
says 'e2fsck -f.*' 'inode 4 of the target' 'not healthy'
unchanged target.img "$before" "damaged quota"
rm new.img
e2bfo 8 copy --mkfs --size 80M source.img new.img
says 'Damage was found while .* inode 4 of the source'
[ ! -e new.img ] || fail "a new image in spite of damage"
volume target.img 64M $ALL
e2bfo 0 copy source.img target.img		# whose limits are nobody's business
checked target.img
