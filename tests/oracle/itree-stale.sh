#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Exactly those trees are out of date whose directories have other names, whoever changed them:
# the kernel, debugfs (which leaves all times alone), e2fsck, resize2fs, tune2fs; only they are
# built anew.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck tune2fs resize2fs debugfs losetup setfattr perl

export E2ITREE
names=$SRCDIR/tests/oracle/itreenames
size=1024		# of a block

# listed NAME: all names in the image
listed() {
	mounted image mnt
	"$names" kernel mnt > "$1"
	unmounted mnt
}

# differ OLD NEW: what is to be told of directories after OLD has become NEW (files of names)
differ() {
	perl -e '
		my ($size, @files) = @ARGV;
		my (@bytes, @names);
		for my $i (0, 1) {
			open(my $from, "<", $files[$i]) or die;
			while (<$from>) {
				my ($dir, $ino, $name) = split(" ");
				$bytes[$i]{$dir} += 8 + int((length($name) / 2 + 3) / 4) * 4;
				push(@{$names[$i]{$dir}}, "$ino $name");
			}
		}
		sub big { ($bytes[$_[0]]{$_[1]} // 0) + 24 > $size }
		my %dirs = (%{$bytes[0]}, %{$bytes[1]});
		for (sort { $a <=> $b } keys %dirs) {
			my ($was, $is) = (join(",", sort @{$names[0]{$_} // []}),
					  join(",", sort @{$names[1]{$_} // []}));
			if (big(0, $_)) {
				print "gone $_\n" if !big(1, $_);
				print "stale $_\n" if big(1, $_) && $was ne $is;
			} elsif (big(1, $_)) {
				print "no-tree $_\n";
			}
		}' $size "$1" "$2"
}

# told: what the last run with --json said, as differ says it: without by how many names, and gone
# for what is too small, too
told() {
	perl -ne 'print "$1 $2\n" while /"problem": "([a-z-]+)"(?:, "inode": (\d+))?/g' out |
		sed -e 's/ $//' -e 's/^small /gone /' -e '/^missing-names\|^extra-names/d' | sort
}

# mended WHAT [OTHERS]: names were changed; e2itree tells of exactly that, and of OTHERS; builds
# that, or changes it in place, and no more. If nothing is to be told, it just notes that the
# filesystem was written to.
mended() {
	local what=$1 other=${2:-} built all done

	listed new
	{
		differ old new
		[ -z "$other" ] || echo "$other"
	} | sort > expected
	built=$(grep -Ec '^(stale|no-tree)' expected || :)
	[ -s expected ] || echo times > expected
	e2itree 0 -l --json image
	# what is stale, gone for good, or too small now and other than it was
	perl -ne 'print "$1\n" while /"inode": (\d+)[^}]*"state": "(?:stale|gone)"/g' out |
		sort > listed
	awk '$1 == "stale" || $1 == "gone" { print $2 }' expected | sort > should-be-listed
	diff should-be-listed listed > difference || fail "$what: -l: $(head -5 difference)"
	e2itree 4 -n --json image
	told > actual
	echo "$what: $(sed 's/ .*//' expected | sort | uniq -c | tr '\n' ',')"
	diff expected actual > difference || fail "$what: told otherwise: $(head -5 difference)"
	e2itree 1 -p --json image
	done=$(($(json_number built) + $(json_number changed)))
	[ "$done" = "$built" ] || fail "$what: $done built or changed, not $built"
	all=$(perl -ne '$n{(split)[0]} += 8 + int((length((split)[2]) / 2 + 3) / 4) * 4;
		END { print scalar(grep { $_ + 24 > '$size' } values %n) }' new)
	[ "$(json_number kept)" = $((all - built)) ] || fail "$what: $(json_number kept) kept of $all"
	settled "$what"
}

# settled WHAT: nothing is left to be done
settled() {
	checked image
	e2itree 0 -n --json image
	[ -z "$(told)" ] || fail "$1: still told: $(told)"
	"$names" compare image new || fail "$1: trees are not what directories are"
	mv new old
}

truncate -s 192M image
mke2fs -q -F -t ext4 -b $size -I 256 -N 60000 -J size=4 image
mounted image mnt rw,noatime
perl -e '
	srand(1);
	chdir("mnt");
	sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
	for my $d (1 .. 60) { mkdir("d$d"); make("d$d/file$_") for 1 .. 350; }
	mkdir("small"); make("small/$_") for 1 .. 10;
	mkdir("in"); mkdir("in/links"); mkdir("in/d51"); mkdir("in/d52");
	link("d60/file$_", "in/links/$_") for 1 .. 300;
	for my $d (51, 52) { make("in/d$d/file$_") for 1 .. 350; }'
unmounted mnt
: > old
repaired image
mended "built"

# ---- the kernel ----

# 20,000 changes; then things that change directories' and files' inodes, but no names.
mounted image mnt rw,noatime
perl -e '
	srand(2);
	chdir("mnt");
	for my $n (1 .. 20000) {
		my ($d, $e) = map { 1 + int(rand(15)) } 1, 2;
		my ($f, $g) = map { 1 + int(rand(350)) } 1, 2;
		my $kind = int(rand(4));
		if ($kind == 0) { open(my $made, ">", "d$d/new$n"); }
		elsif ($kind == 1) { rename("d$d/file$f", "d$e/moved$n"); }
		elsif ($kind == 2) { unlink("d$d/" . ($n % 2 ? "file$f" : "new" . int(rand($n)))); }
		else { link("d$d/file$f", "d$e/link$n"); }
	}
	chmod(0700, "d20") or die; utime(1, 1, "d21") or die; chown(5, 6, "d22") or die;
	open(my $f, ">>", "d23/file1") or die; print $f "more";
	utime(5, 5, glob("d24/*"));
	open($f, ">", "d25/comes-and-goes") or die; unlink("d25/comes-and-goes") or die;
	rename("d26/file1", "d26/other") && rename("d26/other", "d26/file1") or die;
	rename("d27", "renamed") or die; rename("d28", "small/moved") or die;
	rename("d29/file1", "d29/file2") or die;	# one name less
	rename("d30/file1", "d30/File1") or die;
	rename("d31/file1", "d31/swap") && rename("d31/file2", "d31/file1") &&
		rename("d31/swap", "d31/file2") or die;	# the same names, to other inodes
	for (1 .. 300) { unlink("d32/file$_") or die }	# 50 are left
	for (1 .. 345) { unlink("d33/file$_") or die }	# 5: too few
	for (11 .. 200) { open($f, ">", "small/$_") or die; }'
setfattr -n user.some -v "$(printf 'v%.0s' {1..300})" mnt/d34
unmounted mnt
repaired image
mended "20,000 changes"
for d in d20 d21 d22 d23 d24 d25 d26 d34; do
	ino=$(inode_of image /$d)
	! grep -q " $ino\$" actual || fail "$d has the names it had"
done

# Only inodes of directories have changed.
mounted image mnt rw,noatime
chmod 711 mnt/d2 mnt/d40
touch mnt/d41 mnt/d42/file3
unmounted mnt
repaired image
mended "chmod and touch"

# A directory is gone; its number is another's, which has the very same names.
mounted image mnt rw,noatime
perl -e '
	chdir("mnt");
	unlink(glob("d50/*")); rmdir("d50") or die;
	my $ino = (stat("in/links"))[1];
	unlink(glob("in/links/*")); rmdir("in/links") or die;
	for (1 .. 3000) { mkdir("in/try$_"); last if (stat("in/try$_"))[1] == $ino; }
	rename($_, "in/links2") for grep { (stat($_))[1] == $ino } glob("in/try*");
	rmdir($_) for glob("in/try*");
	link("d60/file$_", "in/links2/$_") or die for 1 .. 300;'
unmounted mnt
repaired image
mended "gone, and reused" "stale $(inode_of image /in/links2)"

# A number is reused by a directory of other names, and by a file.
mounted image mnt rw,noatime
perl -e '
	chdir("mnt");
	for my $d (51, 52) {
		my $ino = (stat("in/d$d"))[1];
		unlink(glob("in/d$d/*")); rmdir("in/d$d") or die;
		for my $n (1 .. 3000) {
			$made = "in/reused$d-$n";
			$d == 51 ? mkdir($made) : open(my $f, ">", $made);
			last if (stat($made))[1] == $ino;
		}
		(stat($made))[1] == $ino or die "no reuse of $ino\n";
		for (1 .. 250) { $d == 51 && open(my $f, ">", "$made/$_"); }
	}
	-d $_ && rmdir($_) for glob("in/reused51-*");'
unmounted mnt
repaired image
mended "reused by others"

# ---- other tools ----

# debugfs moves names, which changes no times; nothing else sees the filesystem before.
debug image "unlink d43/file9" "unlink d45/file100" "rm d48/file3" \
	"sif d45/file101 links_count 2" "ln d45/file101 small/new-name"
repaired image
mended "debugfs"

repaired image
repaired image -D
mended "e2fsck -D"

debug image "clri d46/file7" "clri d46/file8" "clri d47/file200" "clri small/13"
repaired image
mended "e2fsck removed names"

quietly resize2fs -M image
repaired image
mended "resize2fs -M"
quietly resize2fs image 220M
repaired image
mended "resize2fs"

# Fewer groups than have inodes in use: those get other numbers, in their directories too.
mounted image mnt rw,noatime
rm -r mnt/d[1-9] mnt/d[1-3]? mnt/in
unmounted mnt
repaired image
mended "most are gone"
quietly resize2fs -M image
repaired image
mended "inodes renumbered"
grep -q ^stale expected || grep -q ^gone expected || fail "resize2fs has renumbered nothing"
quietly resize2fs image 100M

# ---- identity ----

quietly tune2fs -U 11111111-2222-3333-4444-555555555555 image
mended "another UUID" other-uuid
quietly tune2fs -U 99999999-2222-3333-4444-555555555555 image
mounted image mnt rw,noatime
touch mnt/d49/another
unmounted mnt
repaired image
mended "another UUID, and a change" other-uuid

# Keys are other ones: all of them.
quietly tune2fs -E hash_alg=tea image
e2itree 4 -n --json image
trees=$(told | grep -c '^stale' || :)
[ "$(told | grep -v '^stale')" = other-hash ] || fail "hash_alg: told $(told | grep -v '^stale')"
[ "$trees" -gt 15 ] || fail "hash_alg: $trees stale"
e2itree 1 -p --json image
[ "$(json_number built) $(json_number kept)" = "$trees 0" ] || fail "hash_alg: not all are built anew"
listed new
settled "hash_alg"
