#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What e2itree-run preloads, on mounted filesystems: by index, sorted and in runs come the names
# that the kernel has, each once, with the same numbers and types, in the order of inode numbers;
# positions, threads, fork and changes are as without it; other filesystems are left alone.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs tune2fs losetup perl python3 setpriv

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
		for (1 .. 90) {
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
		"$RUN" "$@" "$LOOK" cancel "$dir" > out || fail "cancel $dir $*"
		"$RUN" "$@" "$LOOK" dirfd "$dir" > out || fail "dirfd $dir $*"
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
want "14 0 0 1 0" "$LOOK" scan big
everything
want "1 0 0 0 1" "$LOOK" closed big
want "0 0 0 1 0" "$LOOK" kernel /proc
want "0 0 0 1 0" "$LOOK" kernel /dev/shm

# ---- sorted ----

want "0 10 0 0 0" --no-index "$LOOK" names $ALL
want "0 14 0 1 0" --no-index "$LOOK" scan big
everything --no-index
chmod 711 shut
chmod 744 kinds
chmod 755 .
ways setpriv --reuid 12345 --regid 12345 --clear-groups "$LOOK" names big kinds > got
[ "$(cat got)" = "0 2 0 0 0" ] || fail "as an ordinary user: $(cat got)"

# Where the filesystem's mounts cannot be seen.
want "0 1 0 0 0" perl -e '
	chroot(".") or die;
	opendir(my $d, "/big") or die;
	exit(5002 == (() = readdir($d)) ? 0 : 1)'

# ---- without a further descriptor ----

for memory in 64M 64K; do
	(ulimit -n 4; "$RUN" --memory $memory "$LOOK" runs $ALL > out 2> said) ||
		fail "4 descriptors: $(tail -n 2 said)"
done

# ---- without memory: in the kernel's order, and the program has what there is ----

cat > starved.py << 'END'
import os, resource, sys
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + int(sys.argv[1]), -1))
names = sum(1 for e in os.scandir("huge"))
sys.exit(0 if names == 100000 else 1)
END
for more in 100000 1000000; do
	"$RUN" --no-index --explain python3 starved.py $more > out 2> said ||
		fail "without memory, $more: $(tail -n 3 said)"
	grep -q 'python.* 1 passed' said || fail "memory for $more: $(tail -n 1 said)"
done

"$RUN" perl -e '
	mkdir("gone") or die;
	opendir(my $d, "gone") or die;
	rmdir("gone") or die;
	$! = 0;
	exit(defined(readdir($d)) || $! ? 1 : 0)' || fail "a directory that was removed"

# ---- in runs ----

want "0 5 5 0 0" --no-index --memory 64K "$LOOK" runs $ALL
everything --no-index --memory 64K

# ---- changes meanwhile ----

want "1 1 0 0 0" "$LOOK" change work0
want "0 2 0 0 0" --no-index "$LOOK" change work1
want "0 0 2 0 0" --no-index --memory 64K "$LOOK" change work2
want "0 1 0 0 0" "$LOOK" names work0		# stale by now
want "0 2 0 0 0" "$LOOK" change new

# ---- names in one place of the kernel's order ----

cd "$WORK"
"$JUDGES/legacyties" 100 2000000 > ties
[ "$(wc -l < ties)" -gt 1000 ] || fail "$(wc -l < ties) names share a hash"
volume tied 32M -N 6000
tune2fs -E hash_alg=legacy tied > tune.log
mounted tied mnt2 rw,noatime
mkdir mnt2/ties
(cd mnt2/ties && head -n 5000 "$WORK/ties" | xargs touch)
want "0 0 1 0 0" --memory 64K "$LOOK" runs mnt2/ties
"$RUN" --memory 64K "$LOOK" seek mnt2/ties > out || fail "seek: names in one place"
