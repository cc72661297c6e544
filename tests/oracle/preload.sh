#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree-run on mounted filesystems: by index, sorted and in runs, programs get the names that the
# kernel has, each once, with the same numbers and types, in the order of inode numbers; positions,
# threads, fork and changes are as without it; other filesystems are left alone.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs tune2fs losetup chattr perl tar python3 find rsync zip setpriv

RUN=$BUILDDIR/e2itree/readdir/e2itree-run
export E2ITREE_READDIR_LIBRARY=$BUILDDIR/e2itree/readdir/libe2itree-readdir.so
LOOK=$JUDGES/preloaded

# fill DIR: directories of many kinds
fill() {
	perl -e '
		use List::Util "shuffle";
		use Socket;
		use POSIX "mkfifo";
		chdir($ARGV[0]) or die;
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
		srand(1);
		mkdir($_) or die for qw(empty one big aged links long kinds huge shut new);
		make("one/1");
		for my $d (qw(work0 work1 work2)) {
			mkdir($d) or die;
			make("$d/$_") for (map { ("replaced-$_", "removed-$_") } 0 .. 99),
				shuffle(map { "stays-$_" } 0 .. 2999);
		}
		make("huge/$_") for shuffle(1 .. 100_000);
		make("big/file$_") for shuffle(1 .. 5000);
		make("aged/$_" . "-" x 20) for shuffle(1 .. 3000);
		unlink("aged/$_" . "-" x 20) for grep { $_ % 3 } 1 .. 3000;
		make("aged/again$_") for shuffle(1 .. 2500);
		link("one/1", "links/" . "l" x ($_ % 50) . $_) or die for shuffle(1 .. 3000);
		make("links/$_") for shuffle(1 .. 500);
		make("long/" . chr(97 + $_ % 26) x ($_ % 200 + 50) . $_) for shuffle(1 .. 2000);
		make("long/$_") for "\n", "\x{ff}", " ", "...", "..a", ".a";
		make("shut/$_") for 1 .. 500;
		for (1 .. 60) {
			make("kinds/f$_"); mkdir("kinds/d$_"); symlink("x", "kinds/l$_");
			mkfifo("kinds/p$_", 0600);
			system("mknod kinds/b$_ b 1 $_ && mknod kinds/c$_ c 1 $_") if $_ <= 5;
			socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un("kinds/s$_"));
		}' "$1"
}

# old IMAGE DIR...: their last change was long before the index
old() {
	local image=$1 dir

	shift
	for dir; do
		echo "sif /$dir ctime 20200101000000"
	done | debug "$image"
}

# ways COMMAND...: "INDEX SORTED RUNS PASSED LEFT", what e2itree-run --explain says of it
ways() {
	"$RUN" --explain "$@" > out 2> said || fail "$*: $(tail -n 3 said)"
	sed -n 's/.*: \([0-9]*\) by index, \([0-9]*\) sorted, \([0-9]*\) in runs, \([0-9]*\) passed, \([0-9]*\) begun.*/\1 \2 \3 \4 \5/p' said
}

# want EXPECTED COMMAND...
want() {
	local expected=$1 got

	shift
	got=$(ways "$@")
	[ "$got" = "$expected" ] || fail "$*: ways $got, expected $expected"
}

BIG="big aged links long kinds huge shut"
ALL="empty one $BIG ."

# everything OPTIONS: all that preloaded tries, in a directory that is mounted
everything() {
	local dir

	for dir in big links long; do
		"$RUN" "$@" "$LOOK" seek "$dir" > out || fail "seek $dir $*"
		"$RUN" "$@" "$LOOK" threads "$dir" > out || fail "threads $dir $*"
		"$RUN" "$@" "$LOOK" fork "$dir" > out || fail "fork $dir $*"
	done
}

volume image 400M -N 150000
mounted image mnt rw,noatime
fill mnt
unmounted mnt
old image $BIG work0 work1 work2
e2itree 1 -p -q image
mounted image mnt rw,noatime
cd mnt

# ---- by index ----

want "7 3 0 0 0" "$LOOK" names $ALL
want "10 0 0 1 0" "$LOOK" scan big
everything
want "0 0 0 1 0" "$LOOK" kernel /proc
want "0 0 0 1 0" "$LOOK" kernel /dev/shm

# ---- sorted ----

want "0 10 0 0 0" --no-index "$LOOK" names $ALL
everything --no-index
chmod 711 shut
chmod 744 kinds
chmod 755 .
ways setpriv --reuid 12345 --regid 12345 --clear-groups "$LOOK" names big kinds > got
[ "$(cat got)" = "0 2 0 0 0" ] || fail "as an ordinary user: $(cat got)"

# ---- in runs ----

want "0 5 5 0 0" --no-index --memory 64K "$LOOK" runs $ALL
everything --no-index --memory 64K

# ---- changes meanwhile ----

want "1 1 0 0 0" "$LOOK" change work0
want "0 2 0 0 0" --no-index "$LOOK" change work1
want "0 0 2 0 0" --no-index --memory 64K "$LOOK" change work2
want "0 1 0 0 0" "$LOOK" names work0		# stale by now
want "0 2 0 0 0" "$LOOK" change new

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
