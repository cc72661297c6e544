#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree -w on a mounted filesystem makes the trees that e2itree -p makes of the same filesystem
# when it is unmounted; reads what has changed and nothing else; changes nothing else; leaves out
# what it cannot tell; what it wrote is believed for as long as the directories stay as they were.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup mount perl jq strace lsattr chattr flock

shim=$BUILDDIR/tests/fault/shim.so

# online STATUS ARGUMENTS...: e2itree -w, for which all that is there was changed long ago
online() {
	FAULT_AHEAD=${ahead:-86400} LD_PRELOAD=$shim e2itree "$@" -w
}

# told: what the last run with --json told of, a line each (lost+found is big, and not to be
# indexed, which is known when it was read)
told() {
	jq -r '.problems[] | select(.path != "/lost+found") |
		"\(.problem) \(.path // "-" | gsub("\n"; "?"))"' out | sort
}

# number KEY: from the last run with --json
number() {
	jq ".$1" out
}

# dumps IMAGE NAME: all trees, with what stands in each block of them
dumps() {
	local ino

	e2itree 0 -l --json "$1"
	jq -r '.trees[] | "\(.inode) \(.entries) \(.levels) \(.leaves) \(.blocks) \(.fill) \(.state)"' \
		out > "$2"
	for ino in $(cut -d ' ' -f 1 "$2"); do
		"$E2ITREE" -d "<$ino>" "$1"
	done >> "$2"
}

# single: there is one file of indexes, as it should be
single() {
	[ "$(ls -A mnt | grep -c '^\.e2itree')" = 1 ] || fail "$1: $(ls -A mnt | grep '^\.e2itree')"
	[ "$(stat -c '%a %u %g %h' mnt/.e2itree)" = "600 0 0 1" ] || fail "$1: $(stat mnt/.e2itree)"
	[[ $(lsattr -d mnt/.e2itree) = ----i* ]] || fail "$1: $(lsattr -d mnt/.e2itree)"
}

# ---- the same trees as of an unmounted filesystem ----

volume image 96M -b 1024 -N 40000
mounted image mnt rw,strictatime
perl -e '
	chdir("mnt"); srand(3);
	sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; }
	for my $d (map { "d$_" } 1 .. 12) { mkdir($d); make("$d/file$_") for 1 .. 200; }
	mkdir("a name\n\\ of its own"); make("a name\n\\ of its own/\xff$_") for 1 .. 300;
	mkdir("deep/" x $_ . "er") || mkdir("deep/" x ($_ - 1) . "deep") for 1 .. 9;
	make("deep/" x 8 . "file $_") for 1 .. 400;
	mkdir("links"); link("d1/file1", "links/$_") for 1 .. 500;
	mkdir("kinds"); symlink("x", "kinds/l$_") for 1 .. 90;
	mkdir("kinds/d$_") for 1 .. 90; system("mkfifo kinds/p{1..90}");
	mkdir("large"); make("large/" . int(rand(1e9)) . "-" . $_) for 1 .. 12000;
	mkdir("small"); make("small/$_") for 1 .. 10;'
unmounted mnt
cp image offline
e2itree 1 -p offline
dumps offline offline.dump

mounted image mnt rw,strictatime
device=$(cat .state/device-mnt)
find mnt -mindepth 1 -type d -print0 > dirs
xargs -0 stat -c '%n %x %y %z' < dirs > before
online 1 --json mnt
trees=$(number built)
single "first"
[ "$(number blocks)" = $(($(stat -c %s mnt/.e2itree) / $(stat -f -c %S mnt))) ] ||
	fail "blocks: $(cat out)"
[ "$(number write_blocks)" = "$(number blocks)" ] || fail "written: $(cat out)"
[ "$(od -An -tx8 -j 40 -N 8 mnt/.e2itree)" = " 0000000000000000" ] || fail "it says an s_wtime"
[ "$trees" -gt 14 ] && [ "$(number kept)" = 0 ] || fail "built: $(cat out)"
xargs -0 stat -c '%n %x %y %z' < dirs > after
same before after
unmounted mnt
checked image
dumps image online.dump
same offline.dump online.dump
e2itree 0 -n image
e2bfo 0 ls --json image /large
jq -e '.order == "tree" and .index == "likely"' out > ls || fail "ls after: $(tail -c 300 out)"

# ---- what has not changed is not read, and nothing is written for it ----

mounted image mnt rw,noatime
device=$(cat .state/device-mnt)
stat -c '%n %i %Y %Z' mnt/.e2itree mnt/. > before
online 0 "$device"
stat -c '%n %i %Y %Z' mnt/.e2itree mnt/. > after
same before after
touch mnt/d3/new
rm mnt/d5/file7
chmod 700 mnt/d6
FAULT_AHEAD=86400 strace -f -o trace -e trace=open_by_handle_at -E LD_PRELOAD="$shim" \
	"$E2ITREE" -w --json mnt > out || [ $? = 1 ] || fail "changed: $(cat out)"
[ "$(told)" = "stale /d3
stale /d5" ] || fail "told: $(told)"
[ "$(number built) $(number kept)" = "2 $((trees - 2))" ] || fail "changed: $(cat out)"
# three that have changed, lost+found, which is big and empty; and of two the path, to tell it
[ "$(grep -c open_by_handle_at trace)" = $((3 + 1 + 2)) ] || fail "opened: $(cat trace)"
single "changed"
chmod 711 mnt/d6
online 1 --json mnt
[ "$(told)" = "times -" ] && [ "$(number kept)" = "$trees" ] || fail "chmod: $(cat out)"
online 0 -q mnt
rm -r mnt/d7
online 1 --json mnt
[ "$(told)" = "gone -" ] || fail "removed: $(told)"
online 1 --json -m 250 mnt
[ "$(told | sed 's/ .*//' | sort -u)" = small ] || fail "-m: $(told)"
online 1 --json -f mnt
[ "$(told | sed 's/ .*//' | sort -u)" = forced ] || fail "-f: $(told)"
online 1 -m 0 mnt
unmounted mnt
checked image
e2itree 0 -n image

# a check in between: names are compared, trees stay
repaired image
mounted image mnt rw,noatime
online 1 --json mnt
[ "$(told)" = "times -" ] && [ "$(number built)" = 0 ] || fail "checked: $(cat out)"
online 0 mnt

# ---- left out ----

touch mnt/d8/new
stat -c '%n %i %Y %Z' mnt/.e2itree mnt/. > before
ahead=-86400 online 4 --json mnt
[ "$(told)" = "recent /d8" ] || fail "recent: $(told)"
stat -c '%n %i %Y %Z' mnt/.e2itree mnt/. > after
same before after
rm mnt/d9/file1
ahead=-86400 online 4 mnt
grep -q '^/d9 .* changed within the last second' out || fail "recent: $(cat out)"
unmounted mnt
e2itree 4 -n image
e2bfo 0 ls image /d8
grep -q ' new$' out || grep -q '^new$' out || fail "a stale index is believed: $(head -3 out)"

# Encrypted, folding cases, and one that is so and has not changed since its index was made.
debug image 'sif /d10 flags 0x80800' 'sif /d11 flags 0x40080000' 'sif /d12 flags 0x40080000' \
	'sif /d10 ctime 20200101' 'sif /d11 ctime 20200101'
mounted image mnt rw,noatime
device=$(cat .state/device-mnt)
seq -f 'mnt/a name in the root %g' 100 | tr '\n' '\0' | xargs -0 touch
online 1 --json mnt
grep -q 'left-out' out || fail "nothing left out: $(told)"
jq -r '.problems[] | select(.problem == "left-out").inode' out | sort -n > left
{ echo 2; inode_of image /d10; inode_of image /d11; } | sort -n > should
same should left
online 0 mnt
! grep -q 'left out' out || fail "it goes on about that: $(cat out)"
unmounted mnt
e2itree 0 -l --json image
jq -r '.trees[].directory' out > listed
grep -qx /d12 listed && ! grep -qx '/d1[01]' listed && ! grep -qx / listed || fail "listed: $(cat listed)"
