#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What e2itree-run preloads, over many directories of all sizes and kinds of names, drawn by chance:
# always the names that the kernel has.  "make check-slow" takes PRELOAD_DIRECTORIES=10000 and a
# further one of PRELOAD_NAMES=1000000 names.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs losetup perl

RUN=$BUILDDIR/e2itree/readdir/e2itree-run
export E2ITREE_READDIR_LIBRARY=$BUILDDIR/e2itree/readdir/libe2itree-readdir.so
LOOK=$JUDGES/preloaded
directories=${PRELOAD_DIRECTORIES:-150} names=${PRELOAD_NAMES:-10000}

volume image 3G -N $((directories * 80 + names + 1000)) -J size=8
mounted image mnt rw,noatime
perl -e '
	my ($dir, $directories, $names) = @ARGV;
	chdir($dir) or die;
	srand(1);
	my @sizes = (0, 1, 2, 5, 20, 40, 80, 150, 400);
	for my $d (1 .. $directories) {
		mkdir("$d") or die;
		my $n = int(rand($sizes[rand(@sizes)] + 1));
		for my $k (1 .. $n) {
			my $name = "$d/" . chr(33 + int(rand(14))) . $k . "x" x rand(rand(2) < 1 ? 9 : 240);
			my $kind = int(rand(8));
			$kind == 0 ? mkdir($name) : $kind == 1 ? symlink("a" x (1 + rand(90)), $name) :
				$kind == 2 && -e "$d/first" ? link("$d/first", $name) :
				open(my $f, ">", $k == 1 ? "$d/first" : $name) or die "$name: $!";
			unlink($name) if $kind == 3;
		}
	}
	mkdir("many") or die;
	for (1 .. $names) { open(my $f, ">", "many/" . $_ * 7919 % 1000003) or die; }' \
	mnt "$directories" "$names"
unmounted mnt
perl -e 'print "sif /$_ ctime 20200101000000\n" for 1 .. shift, "many"' "$directories" | debug image
e2itree 1 -p -q -m 1 image
mounted image mnt rw,noatime
cd mnt
seq "$directories" > ../all
echo many >> ../all

# way COUNTS OPTIONS...: all of them are listed rightly; --explain says COUNTS, a pattern
way() {
	local counts=$1

	shift
	xargs -a ../all "$RUN" --explain "$@" "$LOOK" $how > ../out 2> ../said ||
		fail "$*: $(tail -n 3 ../said)"
	grep -qE "$counts" ../said || fail "$*: $(tail -n 1 ../said)"
}
how=names
way '[1-9][0-9]* by index'
way ' 0 by index, [0-9]+ sorted, 0 in runs' --no-index
how=runs
way '[1-9][0-9]* in runs' --no-index --memory 64K
how=seek
way '[1-9][0-9]* by index'
[ "$directories" -gt 1000 ] || way '[1-9][0-9]* in runs' --no-index --memory 64K
