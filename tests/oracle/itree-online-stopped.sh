#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree -w that is killed at any of its system calls, or loses power there: there is the old file
# of indexes or the new one, whole, and the next run mends the rest. SIGINT, a filesystem that is
# full, and another one at work leave the old file as it was.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup mount perl jq strace lsattr chattr flock fallocate cmp

shim=$BUILDDIR/tests/fault/shim.so
export FAULT_AHEAD=86400	# all that is there was changed long ago

online() {
	LD_PRELOAD=$shim e2itree "$@" -w
}

# struck CALL N HOW [ARGUMENTS...]: e2itree -w gets HOW (a signal or an error, as strace(1) has it)
# at its Nth CALL; sets $status
struck() {
	status=0
	perl -e '$SIG{INT} = "DEFAULT"; system(@ARGV); exit($? & 127 ? 128 | $? & 127 : $? >> 8)' \
		strace -o trace -E LD_PRELOAD="$shim" \
		-e "inject=$1:$3:when=$2" "$E2ITREE" "${@:4}" -w > out 2> said < /dev/null || status=$?
}

# whole IMAGE WHEN: what a machine finds that was switched off there, once it is on again: a
# filesystem in which nothing is wrong, with the old file of indexes or the new one, or none if
# there was none
whole() {
	e2fsck -fp "$1" > fsck.log 2>&1 || [ $? = 1 ] || fail "$2: e2fsck -fp: $(cat fsck.log)"
	checked "$1"
	if [ -z "$(inode_of "$1" /.e2itree)" ]; then
		[ $first = 1 ] || fail "$2: there is no file of indexes"
		return
	fi
	e2itree 0 -l --json "$1"
	jq -e '.container and (.damaged | not) and (.trees | map(.directory)) == ["/a", "/b"] and
		(.trees | map(select(.directory == "/a").state)) == ["fresh"]' out > /dev/null ||
		fail "$2: $(cat out)"
}

# mended WHEN: the next run leaves one file of indexes, of all
mended() {
	local status=0

	LD_PRELOAD=$shim "$E2ITREE" -q -w mnt > out 2> said || status=$?
	[ $status -le 1 ] || fail "$1: the next run: status $status: $(cat out said)"
	[ "$(ls -A mnt | grep '^\.e2itree')" = .e2itree ] || fail "$1: left: $(ls -A mnt)"
	[[ $(lsattr -d mnt/.e2itree) = ----i* ]] || fail "$1: $(lsattr -d mnt/.e2itree)"
}

# asbefore WHEN: nothing has happened to the file of indexes
asbefore() {
	cmp -s mnt/.e2itree indexes || fail "$1: /.e2itree has changed"
	[ "$(ls -A mnt | grep '^\.e2itree')" = .e2itree ] || fail "$1: left: $(ls -A mnt)"
	[[ $(lsattr -d mnt/.e2itree) = ----i* ]] || fail "$1: $(lsattr -d mnt/.e2itree)"
}

volume image 16M -b 1024 -N 2000
mounted image mnt rw,noatime
rmdir mnt/lost+found
mkdir mnt/a mnt/b
(cd mnt/a && seq -f 'file %g' 100 | tr '\n' '\0' | xargs -0 touch)
(cd mnt/b && seq -f 'file %g' 300 | tr '\n' '\0' | xargs -0 touch)
mkdir mnt/lost+found

# renewed: there is something to be done; if it is to be the first time, there is no file yet
renewed() {
	touch "mnt/b/new $((++news))"
	[ $first = 0 ] || [ ! -e mnt/.e2itree ] || { chattr -i mnt/.e2itree && rm mnt/.e2itree; }
}

# ---- killed, or without power, at each call that does something from the new file on ----

news=0 points=0
for first in 1 0; do
	renewed
	struck write 60000 signal=KILL mnt
	[ $status = 1 ] || fail "undisturbed: status $status: $(cat out said)"
	perl -ne '/^(\w+)\(/ or next; my $c = $1; $n{$c}++; $on ||= $c eq "fallocate";
		print "$c $n{$c}\n" if $on && $c =~
			/^(?:fall|fch|flock|pwrite|fsync|link|ioctl|rename|unl)/' trace > calls
	while read -r call n; do
		renewed
		struck "$call" "$n" signal=KILL mnt
		cp --sparse=always image cut
		# (How many ioctl(2) come before depends on the loop devices there are.)
		[ $status = 137 ] || [ $status = 1 ] || fail "$call $n: $status: $(cat out said)"
		[ $status != 137 ] || points=$((points + 1))
		whole cut "$call $n"
		case $call in
		link*|rename*|ioctl)
			sync -f mnt
			cp --sparse=always image cut
			whole cut "$call $n, and then what the kernel had" ;;
		esac
		mended "$call $n"
	done < calls
done
echo "killed at $points calls"
[ $points -gt 12 ] || fail "killed at $points calls only"

# ---- a call that fails: the old file, or the new one, and the status says which ----

while read -r call n; do
	renewed
	cp mnt/.e2itree indexes
	struck "$call" "$n" error=EIO mnt
	case $status in
	1|9)	mended "$call $n" ;;
	4|8)	asbefore "$call $n: $(cat said)" ;;
	*)	fail "$call $n fails: status $status: $(cat out said)" ;;
	esac
done < calls
mended "failed calls"

# ---- SIGINT: reading the first directory, the last one, writing ----

renewed
cp mnt/.e2itree indexes
for call in 'getdents64 5' 'getdents64 6' 'pwrite64 1' 'fsync 2'; do
	# shellcheck disable=SC2086
	struck $call signal=INT mnt
	[ $status = 32 ] || fail "SIGINT at $call: status $status: $(cat out said)"
	asbefore "SIGINT at $call"
done

# ---- somebody else is at it ----

# held FILE: nobody else gets it
held() (
	exec 7< "$1"
	flock 7
	online 8 mnt
	says 'in use while looking at /.e2itree.* below .*/mnt: another e2itree is at work'
)
held mnt/.e2itree
asbefore "another one"
cp mnt/.e2itree mnt/.e2itree.abcdef
held mnt/.e2itree.abcdef
rm mnt/.e2itree.abcdef

# ---- what is called like that, and is something else, stays ----

echo mine > mnt/.e2itree.abcdef
ln -s /etc/passwd mnt/.e2itree.ABCDEF
mkdir mnt/.e2itree.abcde1
online 1 -q mnt
[ "$(cat mnt/.e2itree.abcdef)" = mine ] && [ -L mnt/.e2itree.ABCDEF ] && [ -d mnt/.e2itree.abcde1 ] ||
	fail "removed: $(ls -lA mnt)"
rm -r mnt/.e2itree.??????

# ---- too full, but for what is reserved ----

renewed
cp mnt/.e2itree indexes
fallocate -l "$(($(stat -f -c '%a * %S' mnt) - 70 * 1024))" mnt/full
online 8 mnt
says 'the indexes take [0-9]+ blocks of 1024 bytes, [0-9]+ are free'
asbefore "full"
rm mnt/full
online 1 -q mnt

# ---- a file that is damaged, too short, somebody else's ----

chattr -i mnt/.e2itree
for at in 9 1030 3000; do
	perl -e 'open(my $f, "+<", $ARGV[0]) or die; seek($f, $ARGV[1], 0); print $f "\xff" x 9' \
		mnt/.e2itree $at
	online 1 --json mnt
	jq -e '.problems | map(.problem) | any(. == "container-damaged" or . == "tree-damaged")' out \
		> /dev/null || fail "damage at $at: $(cat out)"
	chattr -i mnt/.e2itree
done
truncate -s 5000 mnt/.e2itree
online 1 -q mnt
chattr -i mnt/.e2itree
chown 12345 mnt/.e2itree
cp mnt/.e2itree indexes
online 8 mnt
says 'File exists already while looking at /.e2itree below .*/mnt: it is no file that only root' \
	'move it away in a mount \(chattr -i first, if lsattr shows i\)'
cmp mnt/.e2itree indexes || fail "somebody else's file has changed"
rm mnt/.e2itree
ln -s /etc/passwd mnt/.e2itree
online 8 mnt
[ -L mnt/.e2itree ] || fail "a link is gone"
rm mnt/.e2itree
echo not ours > mnt/.e2itree
online 8 mnt
says 'it is no container of indexes; move it away'
rm mnt/.e2itree
online 1 -q mnt
[ ! -s out ] || fail "-q tells what is mended: $(cat out)"
unmounted mnt
checked image
e2itree 0 -n image
