#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A commit of e2bfo batch: it flushes four times, and once more when no other follows; times that
# nobody has set are its own, unless SOURCE_DATE_EPOCH says when that is.  (No root.)
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
