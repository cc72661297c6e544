#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Containers of indexes that e2itree-run must not believe: planted ones, stale ones, damaged ones.
# None of them adds a name, or hides one.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs tune2fs losetup chattr perl python3 "$BUILDDIR/tests/fault/shim.so"

RUN=$BUILDDIR/e2itree/readdir/e2itree-run
export E2ITREE_READDIR_LIBRARY=$BUILDDIR/e2itree/readdir/libe2itree-readdir.so
LOOK=$JUDGES/preloaded
forge=$SRCDIR/tests/oracle/itreeforge
size=1024

# is INDEX SORTED LEFT: how e2itree-run lists mnt/one, rightly
is() {
	local got

	"$RUN" --explain "$LOOK" names mnt/one > out 2> said || fail "$what: $(tail -n 3 said)"
	got=$(sed -n 's/.*: \([0-9]*\) by index, \([0-9]*\) sorted, .* passed, \([0-9]*\) begun.*/\1 \2 \3/p' said)
	[ "$got" = "$1 $2 $3" ] || fail "$what: ways $got, expected $1 $2 $3"
}

believed() {
	what=$1
	is 1 0 0
}

refused() {
	what=$1
	is 0 1 0
}

filled() {
	mkdir -p "$1/one" "$1/two"
	perl -e '
		use List::Util "shuffle";
		chdir($ARGV[0]);
		srand(1);
		for (shuffle(1 .. 400)) {
			open(my $f, ">", "one/file-$_-" . "n" x ($_ % 25)) or die;
			open(my $g, ">", "two/file-$_") or die;
		}
		for (1 .. 300) { link("one/file-1-n", "one/l$_") or die; }' "$1"
}

filled tree
volume plain 8M -b $size -N 1000 -d tree
quietly e2fsck -fyD plain || :
for dir in / /lost+found /one /two; do
	debug plain "sif $dir ctime 20200101000000"
done
e2itree 1 -p -q plain

# ---- whose it is ----

cp plain image
mounted image mnt rw,noatime
believed "as it was made"

# loose COMMAND..., firm COMMAND...: the container may be changed from then on, or not any more
loose() {
	chattr -i mnt/.e2itree
	"$@"
}
firm() {
	"$@"
	chattr +i mnt/.e2itree
}

loose chmod 644 mnt/.e2itree
firm true
refused "mode 0644"
loose chmod 4600 mnt/.e2itree
firm true
refused "mode 4600"
loose chmod 600 mnt/.e2itree
refused "not immutable"
firm chown 1 mnt/.e2itree
refused "owner 1"
loose chown 0:1 mnt/.e2itree
firm true
believed "group 1"
loose ln mnt/.e2itree mnt/second
firm true
refused "a second name"
loose rm mnt/second
firm true
believed "as it was made, again"
cp mnt/.e2itree whole
loose mv mnt/.e2itree mnt/moved
ln -s moved mnt/.e2itree
chattr +i mnt/moved
refused "a symbolic link"
rm mnt/.e2itree
refused "no container"
mkdir mnt/.e2itree
refused "a directory"
rmdir mnt/.e2itree
mkfifo -m 600 mnt/.e2itree
refused "a pipe"
rm mnt/.e2itree
cp whole mnt/.e2itree
chmod 600 mnt/.e2itree
chown 12345:12345 mnt/.e2itree
refused "another user's"

# What somebody has who makes a filesystem of his own within this one.
chown 0:0 mnt/.e2itree
chattr +i mnt/.e2itree
believed "a copy"
mkdir mnt/below
: > mnt/below/.e2itree
refused_at=$PWD/bound
mkdir "$refused_at"
mount --bind mnt/one "$refused_at"
echo "$refused_at" >> .state/mounts
[ "$("$RUN" --explain "$LOOK" names "$refused_at" 2>&1 > out | grep -c ' 1 by index')" = 1 ] ||
	fail "a bind mount: not by index"
umount "$refused_at"

# ---- whether it is fresh ----

chattr -i mnt/.e2itree
touch -d "2037-01-01" mnt/.e2itree		# also by a clock that goes back
chattr +i mnt/.e2itree
believed "older by years"
mv mnt/two/file-7 mnt/one/from-two
refused "stale"
mv mnt/one/from-two mnt/two/file-7
refused "stale, with the same names"
unmounted mnt

# again IMAGE WHAT: refused once it is mounted
again() {
	mounted "$1" mnt
	refused "$2"
	unmounted mnt
}
cp plain image
repaired image
again image "checked since"
cp plain image
tune2fs -U 01234567-0000-0000-0000-456789abcdef -f image > tune.log 2>&1 || fail "$(cat tune.log)"
again image "another UUID"
cp plain image
"$forge" set image $size catalogue:0 20 4 77
again image "another generation in the catalogue"
volume image 8M -b $size -N 1000 -O ^metadata_csum -d tree
quietly e2fsck -fyD image || :
debug image "sif /one ctime 20200101000000"
e2itree 1 -p -q image
debug image "sif /one generation 5"
again image "another generation"
cp plain image
"$forge" set image $size header 0 4 77
again image "no magic"
cp plain image
"$forge" set image $size header 8 4 2
again image "another version"
cp plain image
"$forge" set image $size header 32 4 4096
again image "another block size"
cp plain image
"$forge" set image $size catalogue:0 64 4 4000000000
again image "a tree behind the end"

# batched OPTION NAMES: a batch, whose clock is pinned, gives /one so many names and the ctime that
# it had
batched() {
	seq -f "ln /one/file-1-n /one/$2-%.0f" "$2" > script
	SOURCE_DATE_EPOCH=1577836800 e2bfo 0 batch -q "$1" image script
	mounted image mnt rw,noatime
}
cp plain image
batched -q 5
believed "kept by a batch"
unmounted mnt
batched -q 300
refused "without room for what a batch brought"
unmounted mnt
volume image 8M -b $size -N 1000 -O ^has_journal -d tree
quietly e2fsck -fyD image || :
debug image "sif /one ctime 20200101000000"
e2itree 1 -p -q image
batched --not-atomic 5
refused "without a journal"
unmounted mnt

# made_at SECONDS: the index is made so many seconds after the last change
made_at() {
	cp plain image
	SOURCE_DATE_EPOCH=$((1577836800 + $1)) e2itree 1 -p -q -f image
	mounted image mnt rw
}
made_at 0
refused "not older than the index by a second"
e2itree 1 -w mnt
believed "not older by a second, once e2itree -w was there"
e2itree 0 -w mnt
unmounted mnt
made_at 1
believed "older than the index by a second"
unmounted mnt

# To the nanosecond: e2itree -w indexes what is a second old, and never looks at it again.
cp plain image
mounted image mnt rw
touch mnt/one
ctime=$(stat -c %.9Z mnt/one)
second=${ctime%.*} fraction=${ctime#*.}
FAULT_AHEAD=86400 LD_PRELOAD=$BUILDDIR/tests/fault/shim.so e2itree 1 -w mnt
touched() {
	chattr -i mnt/.e2itree
	touch -d "@$1" mnt/.e2itree
	chattr +i mnt/.e2itree
}
touched $((second + 1)).$fraction
believed "a second old"
less=$((second * 1000000000 + 10#$fraction + 999999999))
touched $((less / 1000000000)).$(printf %09d $((less % 1000000000)))
refused "not a second old"
unmounted mnt

# An index that was changed in place is of then, though the file is of before.
cp plain image
mounted image mnt rw,noatime
chattr -i mnt/.e2itree
touch -d "2019-01-01" mnt/.e2itree
chattr +i mnt/.e2itree
believed "older than the header"
unmounted mnt

# ---- damage ----

# Each is in place while the directory is listed, and gone then.
cat > damage.py << 'END'
import fcntl, os, struct, subprocess, sys
run, look, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
path, ways = "mnt/.e2itree", {}

def immutable(on):
	fd = os.open(path, os.O_RDONLY)
	flags = struct.unpack("i", fcntl.ioctl(fd, 0x80086601, bytes(8))[:4])[0]
	fcntl.ioctl(fd, 0x40086602, struct.pack("q", flags | 16 if on else flags & ~16))
	os.close(fd)

def write(at, data):
	fd = os.open(path, os.O_WRONLY)
	os.pwrite(fd, data, at)
	os.close(fd)

def listed(what):
	immutable(True)
	done = subprocess.run([run, "--explain", look, "names", "mnt/one"], capture_output=True)
	immutable(False)
	said = done.stderr.decode()
	if done.returncode:
		sys.exit(what + ": " + said)
	way = tuple(int(w) for w in said.split(": ")[2].split() if w.isdigit())
	ways[way] = ways.get(way, 0) + 1

immutable(False)
whole = open(path, "rb").read()
for block in range(len(whole) // size):
	for at in (0, 4, 8, 12, 17, 100, 301, 700, size - 1):
		at += block * size
		write(at, bytes([whole[at] ^ 1 << at % 8]))
		listed("byte %d" % at)
		write(at, whole[at:at + 1])
for keep in range(0, len(whole), 1500):
	os.truncate(path, keep)
	listed("%d bytes" % keep)
	write(0, whole)
listed("whole")
# begun by index, begun by index and left for sorting, sorted from the beginning
for way in (1, 0, 0, 0, 0), (1, 0, 0, 0, 1), (0, 1, 0, 0, 0):
	if ways.get(way, 0) < 5:
		sys.exit("ways %s: %s" % (way, ways))
print(sum(ways.values()), ways)
immutable(True)
END
cp plain image
mounted image mnt rw,noatime
python3 damage.py "$RUN" "$LOOK" $size > log 2>&1 || fail "$(cat log)"
believed "whole"

# Damaged, and the directory changes before that is seen: an error, no list that lacks a name.
chattr -i mnt/.e2itree
perl -e '
	open(my $f, "+<", "mnt/.e2itree");
	for (12 .. 15) { seek($f, $_ * 1024, 0); print $f "x"; }'
chattr +i mnt/.e2itree
status=0
"$RUN" --explain perl -e '
	opendir(my $d, "mnt/one") or die;
	my %seen;
	for (1 .. 5) { my $name = readdir($d); $seen{$name}++; }
	open(my $f, ">", "mnt/one/another");
	$! = 0;
	while (defined(my $name = readdir($d))) { exit(3) if $seen{$name}++; }
	exit($!{EIO} ? 0 : 4);' > out 2> said || status=$?
[ $status = 0 ] && grep -q '1 begun by a damaged index' said ||
	fail "damaged and changed: status $status, $(cat said)"

# ---- what is read of the directory itself, as names are looked up ----

# cold OPTIONS: how many reads it takes to list /two with all attributes, in $reads
cold() {
	local stat

	mounted image mnt ro,noatime
	stat=/sys/block/$(basename "$(cat .state/device-mnt)")/stat
	reads=$(awk '{ print $1 }' "$stat")
	"$RUN" "$@" ls -lnU mnt/two > out
	reads=$(($(awk '{ print $1 }' "$stat") - reads))
	unmounted mnt
}
unmounted mnt
mkdir -p many/two
seq -f "many/two/file-%.0f" 4000 | xargs touch
volume image 8M -b $size -N 5000 -d many
quietly e2fsck -fyD image || :
debug image "sif /two ctime 20200101000000"
e2itree 1 -p -q image
cold --no-index
sorted=$reads
cold
[ "$reads" -lt "$sorted" ] || fail "$reads reads by index, $sorted sorted"
