#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree-run on mounted filesystems: by index, sorted and in runs, programs get the names that the
# kernel has, each once, with the same numbers and types, in the order of inode numbers; positions,
# threads, fork and changes are as without it; other filesystems are left alone.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs losetup perl tar python3 /proc/self/mountinfo

RUN=$BUILDDIR/e2itree/readdir/e2itree-run
export E2ITREE_READDIR_LIBRARY=$BUILDDIR/e2itree/readdir/libe2itree-readdir.so
LOOK=$JUDGES/preloaded

# fill DIR: directories of many kinds
fill() {
	perl -e '
		use List::Util "shuffle";
		use Socket;
		chdir($ARGV[0]) or die;
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
		srand(1);
		mkdir($_) or die for qw(empty one big aged links long kinds huge work shut);
		make("one/1");
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
			system("mknod", "kinds/p$_", "p"); system("mknod", "kinds/b$_", "b", 1, $_);
			system("mknod", "kinds/c$_", "c", 1, $_);
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
old image $BIG
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
