#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree-run: programs that take names as they come get them in the order of inode numbers; all say
# and do the same with it; its own options, exit statuses and environment.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs losetup perl tar python3 find rsync zip nm readelf

RUN=$BUILDDIR/e2itree/readdir/e2itree-run
export E2ITREE_READDIR_LIBRARY=$BUILDDIR/e2itree/readdir/libe2itree-readdir.so

volume image 100M -N 40000
mounted image mnt rw,noatime
perl -e '
	use List::Util "shuffle";
	use POSIX "mkfifo";
	chdir("mnt") or die;
	sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[0]; }
	srand(1);
	mkdir($_) or die for qw(big aged links kinds);
	make("big/file$_") for shuffle(1 .. 2000);
	make("aged/$_" . "-" x 20) for shuffle(1 .. 2000);
	unlink("aged/$_" . "-" x 20) for grep { $_ % 3 } 1 .. 2000;
	make("aged/again$_") for shuffle(1 .. 1000);
	link("big/file1", "links/" . "l" x ($_ % 50) . $_) or die for shuffle(1 .. 1000);
	make("links/$_") for shuffle(1 .. 500);
	for (1 .. 90) {
		make("kinds/f$_"); mkdir("kinds/d$_"); symlink("x", "kinds/l$_");
		mkfifo("kinds/p$_", 0600);
	}'
unmounted mnt
for dir in big aged links kinds; do
	echo "sif /$dir ctime 20200101000000"
done | debug image
e2itree 1 -p -q image
mounted image mnt rw,noatime
cd mnt
"$RUN" --explain ls -f big > out 2> said
grep -q ': 1 by index' said || fail "not by index: $(cat said)"
"$RUN" --explain sh -c 'cat /dev/null; ls -f big > out' 2> said
[ "$(grep -c '^e2itree-run: ls ' said)" = 1 ] && [ "$(wc -l < said)" = 1 ] ||
	fail "programs that have read no directory: $(cat said)"

# ---- programs ----

# in_order DIR: the names on standard input come in the order of their inodes, and are all of them
in_order() {
	perl -e '
		my ($dir, $last, %seen) = (shift, 0);
		while (my $name = <STDIN>) {
			chomp($name);
			$name =~ s,^(\./)?$dir/?,,;
			next if $name =~ /^\.?\.?$/;
			my $ino = (lstat("$dir/$name"))[1] // die "no $dir/$name\n";
			die "$name: inode $ino behind $last\n" if $ino < $last;
			$last = $ino;
			die "$name twice\n" if $seen{$name}++;
		}
		opendir(my $d, $dir);
		my $n = grep { !/^\.\.?$/ } readdir($d);
		keys(%seen) == $n or die keys(%seen) . " names instead of $n\n";' "$1"
}

for dir in big links aged; do
	"$RUN" tar -cf - $dir | tar -tf - | in_order $dir || fail "tar $dir"
	"$RUN" ls -f $dir | in_order $dir || fail "ls -f $dir"
	"$RUN" ls -U $dir | in_order $dir || fail "ls -U $dir"
	"$RUN" find $dir | in_order $dir || fail "find $dir"
	"$RUN" python3 -c "import os; [print(e.name) for e in os.scandir('$dir')]" | in_order $dir ||
		fail "scandir of python $dir"
	"$RUN" perl -e 'opendir(D, shift); print "$_\n" for readdir(D)' $dir | in_order $dir ||
		fail "readdir of perl $dir"
	"$RUN" zip -q -r - $dir | python3 -c '
import io, sys, zipfile
print("\n".join(zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())).namelist()))' |
		in_order $dir || fail "zip $dir"
done

# alike COMMAND: says the same with and without, order aside
alike() {
	bash -c "$1" | sort > without
	"$RUN" bash -c "$1" | sort > with
	[ -s without ] && cmp -s without with || fail "$1: other output"
}
cd "$WORK"
alike 'find mnt -printf "%p %i %y\n"'
alike 'du -a mnt/big mnt/aged mnt/kinds; du -s mnt'
alike 'cd mnt; echo big/*7 links/l*'
alike 'ls -laR mnt'
"$RUN" cp -a mnt/aged mnt/kinds mnt/links . || fail "cp -a"
"$RUN" rsync -aH mnt/aged mnt/kinds mnt/links copied || fail "rsync"
for dir in aged kinds links; do
	for copy in $dir copied/$dir; do
		diff <(cd mnt/$dir; find . -printf '%p %y %m\n' | sort) \
			<(cd $copy; find . -printf '%p %y %m\n' | sort) > /dev/null ||
			fail "$copy is no copy of $dir"
	done
done
rm -rf copied
for way in "" --no-index "--no-index --memory 64K"; do
	cp -a mnt/big mnt/gone
	"$RUN" $way rm -r mnt/gone || fail "rm -r"
	[ ! -e mnt/gone ] || fail "rm -r has left something"
done
"$RUN" tar -cf - --remove-files -C "$WORK" aged links > /dev/null || fail "tar --remove-files"
[ ! -e aged ] && [ ! -e links ] || fail "tar --remove-files has left something"

# ---- e2itree-run itself ----

# exits STATUS ARGUMENTS...
exits() {
	local expected=$1 status=0

	shift
	"$RUN" "$@" > out 2> said || status=$?
	[ $status = "$expected" ] || fail "e2itree-run $*: exit $status, expected $expected"
}
exits 7 sh -c 'exit 7'
exits 0 echo -n --help
[ ! -s out ] || [ "$(cat out)" = --help ] || fail "options of the command are its own"
exits 127 no-such-command
exits 126 /etc/passwd
exits 125
exits 125 --memory 1 true
exits 125 --no-such-option true
E2ITREE_READDIR_LIBRARY=/no/such/library exits 125 true
[ "$(LD_PRELOAD=/x/y "$RUN" printenv LD_PRELOAD 2> /dev/null)" = \
	"$E2ITREE_READDIR_LIBRARY:/x/y" ] || fail "LD_PRELOAD: what was there is gone"
[ "$("$RUN" "$RUN" printenv LD_PRELOAD)" = "$E2ITREE_READDIR_LIBRARY" ] || fail "it is there twice"

# ---- what is preloaded ----

nm -D --defined-only "$E2ITREE_READDIR_LIBRARY" | awk '{ print $3 }' | sort | paste -sd ' ' > exported
[ "$(cat exported)" = "closedir fdopendir opendir readdir readdir64 readdir64_r readdir_r rewinddir\
 scandir scandir64 scandirat scandirat64 seekdir telldir" ] || fail "it exports $(cat exported)"
readelf -d "$E2ITREE_READDIR_LIBRARY" | grep NEEDED | grep -v 'libc\.so' > needed || :
[ ! -s needed ] || fail "it needs more than the C library: $(cat needed)"
