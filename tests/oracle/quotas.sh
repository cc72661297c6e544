#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Quota files as lib/plan/quota writes them, judged by e2fsck, which adds up the usage itself, and
# by debugfs, which lists usage and limits. (Nothing shows grace times: the unit tests judge them.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

TYPES="user group project"

# quota_volume FILE SIZE [mke2fs arguments]
quota_volume() {
	volume "$@" -O quota,project -E quotatype=usrquota:grpquota:prjquota
}

# rewrite IMAGE TYPE [CHARGES...]
rewrite() {
	"$JUDGES/quotafile" "$@" || fail "quotafile $*"
}

# lists IMAGE NAME: NAME has the entries of all three files, sorted by id.
lists() {
	local type

	for type in $TYPES; do
		ask "$1" "list_quota $type" | sort -n
	done > "$2"
	[ "$(grep -c space "$2")" = 3 ] || fail "no list of $1"
}

# refused IMAGE PATTERN: e2fsck finds something wrong with the quota of IMAGE, and nothing else.
refused() {
	local status=0

	e2fsck -fn "$1" > fsck.log 2>&1 || status=$?
	[ $status != 0 ] || fail "e2fsck has no complaint about $1: $2"
	grep -q "QUOTA WARNING.*$2" fsck.log || fail "not about $2: $(cat fsck.log)"
	grep '? no$' fsck.log | grep -v '^Update quota info' && fail "not only quota in $1" || :
}

# ---- rewritten as it was ----

quota_volume fresh.img 64M
lists fresh.img before
for type in $TYPES; do
	rewrite fresh.img $type
done
checked fresh.img
lists fresh.img after
same before after

# ---- new files: nothing keeps the quota files but our charges ----

perl -e 'for (0 .. 49) { print "mkdir d$_\n"; }
	for (0 .. 599) {
		my ($uid, $gid, $prj) = (4294967294 - $_ * 70001 * ($_ % 3), $_ % 37, $_ * 256);
		my $path = "d" . $_ % 50 . "/f$_";
		print "write part$_ $path\n" =~ s/part\d+/"part" . $_ % 3/er;
		print "sif $path uid $uid\nsif $path gid $gid\nsif $path projid $prj\n";
	}' > commands
head -c 100 /dev/zero | tr '\0' x > part0
head -c 5000 part0 /dev/zero > part1
head -c 40000 /dev/zero | tr '\0' y > part2
debug fresh.img < commands
e2fsck -fn fresh.img > fsck.log 2>&1 && fail "debugfs keeps quota" || :
cp --sparse=always fresh.img other.img
refused other.img "Missing quota entry"
perl -e 'print "$_\n" for map { my $p = "d" . $_ % 50 . "/f$_"; "stat $p" } 0 .. 599;
	print "stat d$_\n" for 0 .. 49;' > commands
debugfs -f commands fresh.img 2> /dev/null |
	perl -ne '@id = ($1, $2, $3) if /^User: +(-?\d+) +Group: +(-?\d+) +Project: +(-?\d+)/;
		if (/Blockcount: (\d+)/) {
			printf "%s %d 1 %d\n", (user, group, project)[$_], $id[$_] & 0xffffffff,
			       $1 * 512 for 0 .. 2;
		}' > charges
[ "$(wc -l < charges)" = 1950 ] || fail "charges: $(wc -l < charges)"
for type in $TYPES; do
	sed -n "s/^$type //p" charges > $type.charges
	"$JUDGES/quotafile" fresh.img $type - < $type.charges || fail "quotafile $type"
done
checked fresh.img
lists fresh.img ours
e2fsck -fy other.img > /dev/null || :		# counts itself, keeps limits
checked other.img
lists other.img theirs
same theirs ours

# ---- a wrong charge is noticed: one byte, one inode, one id that owns nothing ----

for wrong in "5 0 1" "5 1 0" "999999999 1 0"; do
	for type in $TYPES; do
		cp --sparse=always fresh.img wrong.img
		rewrite wrong.img $type $wrong
		refused wrong.img "Usage inconsistent for ID ${wrong%% *}:"
	done
done
cp --sparse=always fresh.img wrong.img
rewrite wrong.img user 77777777 0 0		# nothing is no charge
checked wrong.img

# ---- limits, set in the bytes of e2fsprogs' file, by nothing of ours ----

total=0
for inode in 3 4 $(dumpe2fs -h other.img 2> /dev/null | sed -n 's/^Project quota inode: *//p'); do
	total=$((total + $(quota_limit other.img $inode)))
done
checked other.img
lists other.img theirs
[ $total = $(($(wc -l < theirs) - 3)) ] || fail "limits of $total"
for type in $TYPES; do
	rewrite other.img $type
done
checked other.img
lists other.img ours
same theirs ours
grep -Eq '^4294967294 +[0-9]+ +4294967211 +8589934589 +200 +294 +4294967301$' ours ||
	fail "no limits to be kept"

# ... and they are still there when e2fsck has counted again
rewrite other.img user 5 1 1
e2fsck -fy other.img > /dev/null || :
checked other.img
lists other.img after
same theirs after

# ---- many ids, files that grow ----

quota_volume many.img 512M -N 60000
perl -e 'srand(7); for my $d (0 .. 99) { print "mkdir d$d\ncd d$d\n";
	for (0 .. 499) { print "symlink l$_ x\n",
		"sif l$_ uid ", int(rand(4294967295)), "\nsif l$_ gid ", $d * 500 + $_, "\n"; }
	print "cd ..\n"; }' > commands
debug many.img < commands
perl -e 'srand(7); for (0 .. 49999) {
		printf "user %d 1 0\ngroup %d 1 0\nproject 0 1 0\n", int(rand(4294967295)), $_;
	}' > charges
for d in $(seq 0 99); do
	echo "stat d$d"
done > commands
debugfs -f commands many.img 2> /dev/null | sed -n 's/.*Blockcount: \([0-9]*\)$/\1/p' |
	while read -r blocks; do
		for type in $TYPES; do
			echo $type 0 1 $((blocks * 512))
		done
	done >> charges
[ "$(wc -l < charges)" = 150300 ] || fail "charges: $(wc -l < charges)"
for type in $TYPES; do
	sed -n "s/^$type //p" charges > $type.charges
	"$JUDGES/quotafile" many.img $type - < $type.charges || fail "quotafile $type"
done
checked many.img
rewrite many.img user 0 0 512
refused many.img "Usage inconsistent for ID 0:"
