#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo mount of a directory with MOUNT_NAMES names (200,000): all of them, in the order of their
# inode numbers, each found by name; places in it (telldir) mean the same in every open directory,
# and after it was forgotten; two who read at once see all of it; memory is bounded.  A name that is
# there is found without reading the whole.
# long
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../mount.sh"
requires root mke2fs losetup perl python3 fusermount3 /dev/fuse

names=${MOUNT_NAMES:-200000}
volume large.img $((names / 1000 + 200))M -N $((names + 5000)) -I 128 -O ^has_journal
mounted large.img mnt rw,noatime
perl -e '
	use List::Util "shuffle";
	my ($n) = @ARGV;
	srand(5);
	mkdir("mnt/$_") or die for qw(many other);
	chdir("mnt/many") or die;
	for my $i (shuffle(1 .. $n)) {
		open(my $f, ">", "name-$i") or die "name-$i: $!";
		$i % 1000 or link("name-$i", "../other/" . "l" x ($i % 200 + 1) . $i) or die;
	}' "$names"
unmounted mnt
before=$(digest large.img)
mounted large.img mnt
shown large.img shown

# ---- a name, before anybody has read all of it ----

for name in name-17 "name-$names"; do
	[ "$(stat -c %i shown/many/$name)" = "$(stat -c %i mnt/many/$name)" ] || fail "another inode of $name"
done
little=$(sed -n 's/^rchar: //p' "/proc/$(cat shown.pid)/io")
[ "$little" -lt 4000000 ] || fail "$little bytes were read for two names"
# (It might be a member's, of a composite file.)
! stat shown/many/no-name 2> said || fail "there is a name too many"
says 'No such file'

# ---- all of them ----

# listed DIR: inode numbers and names, as they come
listed() {
	perl -e 'opendir(my $d, $ARGV[0]) or die; while (defined(my $n = readdir($d))) {
		print((lstat("$ARGV[0]/$n"))[1], " $n\n"); }' "$1"
}

listed shown/many > ours
grep -v ' \.\.\?$' ours | sort -c -n -k 1,1 || fail "not in the order of inode numbers"
[ "$(head -2 ours | cut -d ' ' -f 2)" = $'.\n..' ] || fail "dots are not the first: $(head -2 ours)"
listed mnt/many | sort > kernel
sort ours | cmp - kernel || fail "other names, or numbers"
listed mnt/other | sort > kernel
listed shown/other | sort > ours
same kernel ours

# ---- places ----

cat > places.pl <<'END'
	my ($dir, $seed) = @ARGV;
	srand($seed);
	my (@names, @places, %at);
	opendir(my $d, $dir) or die;
	for (;;) {
		my $place = telldir($d);
		my $name = readdir($d) // last;
		push(@names, $name);
		push(@places, $place);
		die("one place for two names") if exists($at{$place});
		$at{$place} = $#names;
	}
	my @open = map { opendir(my $x, $dir) or die; $x } 1 .. 3;
	for (1 .. 300) {
		my ($i, $x) = (int(rand(@names)), $open[rand(@open)]);
		seekdir($x, $places[$i]);
		for (1 .. 1 + rand(200)) {
			my $name = readdir($x) // "the end";
			my $wanted = $names[$i] // "the end";
			$name eq $wanted or die("$name, not $wanted\n");
			last if $i++ == @names;
			telldir($x) == ($places[$i] // telldir($x)) or die("another place\n");
		}
	}
	print(join("\n", map { "$places[$_] $names[$_]" } 0 .. $#names), "\n");
END
perl places.pl shown/many 1 > places &
one=$!
perl places.pl shown/many 2 > places2 &
for process in $one $!; do
	wait "$process" || fail "places"
done
same places places2
# Also to a kernel that has forgotten all of it.
echo 2 > /proc/sys/vm/drop_caches
perl places.pl shown/many 3 > places2 || fail "places, once more"
same places places2
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(cat shown.pid)/status")
most=$((30000 + 128 * 1024))
[ "$peak" -lt $most ] || fail "$peak KiB of memory, $most are allowed"
hidden shown

# ---- little memory, and mounted anew ----

shown large.img shown --memory 1M
perl places.pl shown/many 4 > places2 || fail "places, with little memory"
same places places2
listed shown/other | sort > ours
same kernel ours
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(cat shown.pid)/status")
most=$((30000 + names * 60 / 1024))
[ "$peak" -lt $most ] || fail "$peak KiB of memory, $most are allowed"
hidden shown
unmounted mnt
unchanged large.img "$before" mount
