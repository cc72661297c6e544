#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A commit of e2bfo batch: it flushes four times, and once more when no other follows; times that
# nobody has set are its own, unless SOURCE_DATE_EPOCH says when that is; and as many operations as
# its refusal says do fit into the journal, nearly as many as can.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs

echo text > text
mkdir tree
echo old > tree/file
echo old > tree/other
touch -d @1000000000 tree/file tree/other tree
volume start.img 16M -d tree -I 256

# ---- flushes ----

export FAULT_TARGET=$PWD/image.img
cp start.img image.img
echo 'put text /new' > script
echo 'rm /nothing' > nothing
opening=$(events flush batch image.img nothing || true)
[ "$(events flush batch image.img script)" = $((opening + 4 + 1)) ] ||
	fail "a commit does not flush 5 times"
printf 'put text /file\n%.0s' {1..5} > script
[ "$(events flush batch --commit-every 1 image.img script)" = $((opening + 5 * 4 + 1)) ] ||
	fail "five commits do not flush 21 times"
checked image.img
ask image.img 'features' > features
! grep needs_recovery features || fail "its journal has to be replayed"

# ---- times ----

# times PATH: mtime and ctime of it in image.img, in nanoseconds
times() {
	ask image.img "stat $1" | sed -n 's/^ *[mc]time: 0x\([0-9a-f]*\):\([0-9a-f]*\) .*/\1 \2/p' |
		while read -r seconds extra; do
			echo $((0x$seconds * 1000000000 + (0x$extra >> 2)))
		done
}

cat > script << 'END'
mknod /new p
append text /file
mkdir /dir
chmod 0600 /other
set -t @1200000000 /file
filter /other sh -c 'date +%s%N > later; cat'
set -t @1300000000 /other
END
cp start.img image.img
e2bfo 0 batch --allow-commands image.img script
later=$(cat later)
for path in /new /dir /; do
	mapfile -t at < <(times $path)
	[ ${#at[@]} = 2 ] && [ "${at[0]}" -ge "$later" ] && [ "${at[1]}" -ge "$later" ] ||
		fail "$path: ${at[*]}, and the last line was not done before $later"
done
mapfile -t new < <(times /new)
[ "${new[0]}" = "$(times /dir | head -n 1)" ] || fail "two times of one commit"
[ "$(times /file)" = "${new[0]}"$'\n'1200000000000000000 ] || fail "/file: $(times /file)"
[ "$(times /other)" = "${new[0]}"$'\n'1300000000000000000 ] || fail "/other: $(times /other)"

cp start.img image.img
SOURCE_DATE_EPOCH=1400000000 e2bfo 0 batch --allow-commands image.img script
for path in /new /dir /; do
	[ "$(times $path)" = 1400000000000000000$'\n'1400000000000000000 ] ||
		fail "$path: not SOURCE_DATE_EPOCH: $(times $path)"
done

# ---- what fits into the journal ----

# fits IMAGE: of the script, as many operations as the refusal says; but not 2 % more
fits() {
	local n

	cp "$1" image.img
	e2bfo 8 batch image.img script
	says 'the first [0-9]+ fit'
	n=$(sed -n 's/.*the first \([0-9]*\) fit.*/\1/p' said)
	head -n $((n + n / 50 + 2)) script > more
	e2bfo 8 batch image.img more
	says "the first $n fit"
	e2bfo 0 verify "$1" image.img
	head -n "$n" script > some
	e2bfo 0 batch image.img some
	checked image.img
	[ "$n" -gt 800 ] || fail "only $n fit"
}

# The journal has 1024 blocks.  Inodes that are there are changed, all over their tables;
volume start.img 32M -N 22000 -J size=4 -b 4096 -E lazy_itable_init=0
seq -f 'mknod /new%.0f p' 19000 > script
e2bfo 0 batch start.img script
seq 1 16 19000 | sed 's|.*|chmod 0600 /new&|' > script
fits start.img
# directories get a name each
seq -f 'mkdir /dir%.0f' 1300 > script
e2bfo 0 batch start.img script
seq -f 'mknod /dir%.0f/x p' 1300 > script
fits start.img

# New names and inodes of many groups have bitmaps in each: what is estimated (as a build with
# --enable-debug asserts) holds them, too.
volume start.img 64M -b 1024 -g 1024 -N 8192 -J size=1
{ echo 'mkdir /dir'; seq -f 'mknod /dir/new%.0f p' 6000; } > script
e2bfo 0 batch start.img script
checked start.img
seq 1 300 6000 | sed 's|.*|mknod /dir/&-and-a-longer-name p|' > script
e2bfo 0 batch start.img script
checked start.img
