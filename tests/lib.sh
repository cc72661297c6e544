# SPDX-License-Identifier: GPL-2.0-or-later
# What test scripts share. Sourced by tests/oracle/*.sh and by the recipes of tests/cases.
#
# A script states what it needs (requires), works in $WORK, its own directory, and calls fail
# at the first thing that is not as it should be. Mounts, loop devices and $WORK go when it
# ends, however it ends.

set -eu -o pipefail
export LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin
umask 022
# Packages are built with it.  Tests that want it set it.
unset SOURCE_DATE_EPOCH

SRCDIR=${SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
BUILDDIR=${BUILDDIR:-$SRCDIR}
E2BFO=${E2BFO:-$BUILDDIR/e2bfo/e2bfo}
E2ITREE=${E2ITREE:-$BUILDDIR/e2itree/e2itree}
IMAGES=$SRCDIR/images
JUDGES=$BUILDDIR/tests/oracle
export TMPDIR=${TMPDIR:-/tmp}
# A program with the address sanitizer lets tests/fault/shim.so be loaded before that.
export ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
WORK=$(mktemp -d "$TMPDIR/e2bfo-test.XXXXXX")
mkdir "$WORK/.state"
: > "$WORK/.state/mounts"
: > "$WORK/.state/loops"
: > "$WORK/.state/processes"
cd "$WORK"

test_end() {
	local status=$? dir device process

	trap - EXIT
	cd /
	while read -r process; do
		kill -KILL "$process" 2> /dev/null || :
	done < "$WORK/.state/processes"
	tac "$WORK/.state/mounts" | while read -r dir; do
		umount "$dir" 2> /dev/null || :
	done
	while read -r device; do
		losetup -d "$device" 2> /dev/null || :
	done < "$WORK/.state/loops"
	rm -rf --one-file-system "$WORK"
	exit $status
}
trap test_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# fail MESSAGE...: the end of the test.
fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# requires WHAT...: commands, files, or "root". A test that cannot run has failed.
requires() {
	local what

	for what; do
		case $what in
		root)	is_root || fail "requires root" ;;
		/*)	[ -e "$what" ] || fail "requires $what" ;;
		*)	command -v "$what" > /dev/null || fail "requires $what" ;;
		esac
	done
}

# Does root run this? A test that asks, by itself or by what is below here, says "# more as root"
# for tests/run: an ordinary user checks what libext2fs, e2fsck and debugfs see, and root also what
# the kernel sees.
is_root() {
	[ "$EUID" = 0 ]
}

# as_owner COMMAND...: owners and devices are what it makes of them. For an ordinary user they are
# so in what volume and is_filled put into a filesystem, and for whatever else as_owner runs.  One
# fakeroot(1) serves all of these: to end one takes seconds where nobody waits for orphans at once.
as_owner() {
	local owners=$WORK/.state/owners

	if is_root; then
		"$@"
		return
	fi
	[ -e "$owners" ] || {
		mkfifo "$owners.ready"
		fakeroot -- sh -c 'echo "FAKEROOTKEY=$FAKEROOTKEY LD_PRELOAD=$LD_PRELOAD" \
			"LD_LIBRARY_PATH=$LD_LIBRARY_PATH" > "$1"
			exec tail --pid="$2" -f /dev/null' sh "$owners.ready" $$ \
			< /dev/null > /dev/null 2>&1 &
		cat "$owners.ready" > "$owners"
	}
	# shellcheck disable=SC2046
	env $(cat "$owners") "$@"
}

# ---- devices and mounts ----

# loop [losetup options] FILE: prints a private loop device for FILE, a disk whatever that lies on.
loop() {
	local device

	device=$(losetup -f --show "$@")
	echo "$device" >> "$WORK/.state/loops"
	echo 1 > "/sys/block/${device##*/}/queue/rotational"
	echo "$device"
}

# unloop DEVICE: detaches it, and waits until it is. Whoever makes a mount namespace while something
# is mounted keeps that mounted for as long as it lives: only then is it unmounted cleanly.
unloop() {
	local file=/sys/block/${1##*/}/loop/backing_file was now tries

	read -r was < "$file"
	losetup -d "$1"
	sed -i "\\,^$1\$,d" "$WORK/.state/loops"
	for tries in {1..600}; do
		read -r now 2> /dev/null < "$file" && [ "$now" = "$was" ] || return 0
		sleep 0.05
	done
	fail "$1 is still in use"
}

# noted DIR: sets $dir, its path, and $place, the file that has the device that is mounted there.
# (It is for each mount, and starts no process.)
noted() {
	dir=${1%/}
	[[ $dir = /* ]] || dir=$PWD/$dir
	place=$WORK/.state/device-${dir##*/}
}

# mounted IMAGE DIR [options]: mounts IMAGE on DIR, by default read-only and touching nothing.
mounted() {
	local options=${3:-ro,noatime} device dir place

	case $options in
	ro*)	device=$(loop -r "$1") ;;
	*)	device=$(loop "$1") ;;
	esac
	mkdir -p "$2"
	mount -t ext4 -o "$options" "$device" "$2" || {
		unloop "$device"
		return 1
	}
	noted "$2"
	echo "$dir" >> "$WORK/.state/mounts"
	echo "$device" > "$place"
}

# unmounted DIR: undoes mounted.
unmounted() {
	local device dir place

	noted "$1"
	umount "$dir"
	sed -i "\\,^$dir\$,d" "$WORK/.state/mounts"
	read -r device < "$place"
	unloop "$device"
}

# ---- volumes ----

# volume FILE SIZE [mke2fs arguments]: a fresh ext4 with 4 KB blocks.
volume() {
	local file=$1 size=$2

	shift 2
	rm -f "$file"
	truncate -s "$size" "$file"
	$([ ! -e "$WORK/.state/owners" ] || echo as_owner) mke2fs -q -F -t ext4 -b 4096 "$@" "$file"
}

# filling IMAGE DIR SIZE [mke2fs arguments]: a fresh volume, whose tree is what is made in DIR
# before is_filled DIR. The kernel writes it for root, mke2fs -d for others.
filling() {
	local image=$1 dir=$2

	shift 2
	if is_root; then
		volume "$image" "$@"
		mounted "$image" "$dir" rw,noatime
	else
		mkdir "$dir"
		printf '%s\n' "$image" "$@" > "$WORK/.state/filling-$dir"
	fi
}

is_filled() {
	local arguments

	is_root && { unmounted "$1"; return; }
	mapfile -t arguments < "$WORK/.state/filling-$1"
	volume "${arguments[@]}" -d "$1"
	e2fsck -fyD "${arguments[0]}" > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
	rm -rf "$1"
}

# viewed IMAGE DIR: its files and directories, which the kernel shows root, and debugfs(8) copies
# for others: then links, numbers, times and attributes are other ones, and inline data have 60
# bytes.
viewed() {
	is_root && { mounted "$1" "$2"; return; }
	mkdir "$2"
	debugfs -R "rdump / $2" "$1" > rdump.log 2>&1
	[ -n "$(ls -A "$2")" ] || fail "rdump: $(cat rdump.log)"
}

unviewed() {
	is_root && { unmounted "$1"; return; }
	chmod -R u+rwX "$1"
	rm -rf "$1"
}

# debug IMAGE [COMMAND...]: debugfs(8) commands that write; without any, those on standard input. It
# exits 0 whatever happens, so any complaint counts.
debug() {
	local image=$1 said

	shift
	said=$({ [ $# = 0 ] && cat || printf '%s\n' "$@"; } |
		debugfs -w -f - "$image" 2>&1 > /dev/null | grep -v '^debugfs [0-9]') || return 0
	fail "debugfs $image: $(head -c 2000 <<< "$said")"
}

# ask IMAGE COMMAND: what debugfs(8) answers, reading only.
ask() {
	debugfs -R "$2" "$1" 2> /dev/null
}

# inode_of IMAGE PATH
inode_of() {
	ask "$1" "stat \"$2\"" | sed -n '1s/^Inode: \([0-9]*\) .*/\1/p'
}

# digest FILE...: one digest of the bytes of all.
digest() {
	"$JUDGES/digest" "$@"
}

# unchanged FILE DIGEST WHAT
unchanged() {
	[ "$(digest "$1")" = "$2" ] || fail "$3: $1 has changed"
}

# checked IMAGE: e2fsck has no complaint, and the kernel has recorded no error.
checked() {
	local status=0

	e2fsck -fn "$1" > fsck.log 2>&1 || status=$?
	[ $status = 0 ] || {
		head -40 fsck.log
		fail "e2fsck -fn $1: status $status"
	}
	if dumpe2fs -h "$1" 2> /dev/null | grep '^FS Error count'; then
		fail "the kernel found errors in $1"
	fi
}

# repaired IMAGE [OPTIONS]: by e2fsck, which also notes that it was checked; each time a second
# later than before, as if somebody had had to wait for that.
repaired() {
	checks=$((${checks:-0} + 1))
	E2FSCK_TIME=$((EPOCHSECONDS + checks)) e2fsck -fy "${@:2}" "$1" > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck -fy $1: $(cat fsck.log)"
}

# quietly COMMAND...: what it says is shown only if it fails
quietly() {
	"$@" > quiet.log 2>&1 || fail "$*: $(tail -n 5 quiet.log)"
}

# ---- quota files ----

# quota_inodes IMAGE: the inodes of its quota files.
quota_inodes() {
	dumpe2fs -h "$1" 2> /dev/null | sed -n 's/^[A-Z][a-z]* quota inode: *//p'
}

# quota_limit IMAGE INODE: gives limits to every id in a quota file; prints how many there are.
quota_limit() {
	local size bytes

	size=$(dumpe2fs -h "$1" 2> /dev/null | sed -n 's/^Block size: *//p')
	bytes=$(ask "$1" "stat <$2>" | sed -n 's/^User:.* Size: *//p')
	seq -f "bmap <$2> %.0f" 0 $(((bytes - 1) / size)) > quota-commands
	"$SRCDIR/tests/oracle/quotaslots" limit "$1" "$size" \
		$(debugfs -f quota-commands "$1" 2> /dev/null | grep '^[0-9]')
}

# quota_limits IMAGE: all limits and grace times.
quota_limits() {
	local inode

	for inode in $(quota_inodes "$1"); do
		rm -f quota-file
		ask "$1" "dump <$inode> quota-file"
		"$SRCDIR/tests/oracle/quotaslots" list "$inode" quota-file
	done
}

# ---- the program ----

# fed FILE: the next program that is run by e2bfo, struck or events gets the bytes of FILE out of a
# pipe, as standard input
fed() {
	FROM=$WORK/.state/pipe
	rm -f "$FROM"
	mkfifo "$FROM"
	cat "$1" > "$FROM" 2> /dev/null &
}

# ran NAME PROGRAM STATUS ARGUMENTS...: runs it; output goes to the files out and said (standard
# error).
ran() {
	local name=$1 program=$2 expected=$3 status=0

	shift 3
	"$program" "$@" > out 2> said < "${FROM:-/dev/null}" || status=$?
	FROM=
	[ $status = "$expected" ] || {
		tail -n 20 out said
		fail "$name $*: exit $status, expected $expected"
	}
}

# e2bfo STATUS ARGUMENTS..., e2itree STATUS ARGUMENTS...
e2bfo() {
	ran e2bfo "$E2BFO" "$@"
}

e2itree() {
	ran e2itree "$E2ITREE" "$@"
}

# halted NAME EVENT N ARGUMENTS...: e2bfo runs beside the script, until it is stopped just before
# its Nth EVENT (tests/fault/log.h; FAULT_SOURCE and FAULT_TARGET tell on what).  Several may be, by
# NAME.
halted() {
	local name=$1 event=$2 n=$3

	shift 3
	mkfifo "$name.stopped" "$name.go"
	truncate -s 0 "$name.counts"
	truncate -s 4096 "$name.counts"
	FAULT_EVENT=$event FAULT_AT=$n FAULT_HOW=stop FAULT_TIMES=1 \
		FAULT_COUNTS=$PWD/$name.counts perl -e '
		my $name = shift;
		my $pid = fork() // die;
		exec("env", @ARGV) || die if !$pid;
		waitpid($pid, 2);	# WUNTRACED
		open(my $stopped, ">", "$name.stopped") || die;
		print $stopped "$pid\n";
		close($stopped);
		open(my $go, "<", "$name.go") || die;
		kill(CONT => $pid);
		waitpid($pid, 0) == $pid || die "it did not stop";
		exit($? >> 8)' "$name" LD_PRELOAD="$BUILDDIR/tests/fault/shim.so" "$E2BFO" "$@" \
		> "$name.out" 2> "$name.said" < /dev/null &
	echo $! > "$name.pid"
	echo $! >> "$WORK/.state/processes"
	cat "$name.stopped" >> "$WORK/.state/processes"
}

# goes_on NAME STATUS: it does, and ends with STATUS; what it wrote is in out and said.
goes_on() {
	local status=0

	: > "$1.go"
	wait "$(cat "$1.pid")" || status=$?
	mv "$1.out" out
	mv "$1.said" said
	rm "$1".*
	[ $status = "$2" ] ||
		fail "e2bfo ($1), stopped and continued: exit $status, expected $2: $(cat said)"
}

# struck EVENT HOW N ARGUMENTS...: e2bfo gets HOW (int or kill) just before its Nth EVENT, or an
# error (EIO) instead of it and of as many in all as FAULT_TIMES (1) says; sets $status, and leaves
# what was said in out and said.  An ignored SIGINT is inherited from a shell's background, so Perl
# starts it.
struck() {
	local event=$1 how=$2 n=$3

	shift 3
	truncate -s 0 counts
	truncate -s 4096 counts
	status=0
	FAULT_EVENT=$event FAULT_HOW=$how FAULT_AT=$n FAULT_TIMES=${FAULT_TIMES:-1} \
		FAULT_COUNTS=$PWD/counts perl -e '
		$SIG{INT} = "DEFAULT";
		$ENV{LD_PRELOAD} = shift;
		exec(@ARGV)' "$BUILDDIR/tests/fault/shim.so" "$E2BFO" "$@" > out 2> said \
		< "${FROM:-/dev/null}" || status=$?
	FROM=
}

# events EVENT ARGUMENTS...: how many e2bfo has, undisturbed
events() {
	local event=$1

	shift
	truncate -s 0 counts
	truncate -s 4096 counts
	FAULT_COUNTS=$PWD/counts LD_PRELOAD=$BUILDDIR/tests/fault/shim.so \
		"$E2BFO" "$@" > /dev/null 2>&1 < "${FROM:-/dev/null}"
	perl -e 'my %at = (write => 0, flush => 1, "read-target" => 2, "read-source" => 3);
		open(my $f, "<", "counts"); read($f, my $c, 32); print((unpack("Q4", $c))[$at{$ARGV[0]}])' \
		"$event"
}

# json_number KEY: from the last run with --json, which is in `out` or, with data in that, in `said`
json_number() {
	sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" out said
}

# index_names IMAGE DIR: what its index lists, in an order that does not depend on the tree
index_names() {
	e2itree 0 -d "$2" "$1"
	awk '$1 ~ /^[0-9]+$/ && !/% full$/' out | sort
}

# says PATTERN...: the last run's standard error has all of these (extended expressions).
says() {
	local pattern

	for pattern; do
		grep -Eqi -e "$pattern" said || {
			cat said
			fail "no message like: $pattern"
		}
	done
}

# ---- judges ----

# staged IMAGE: how many unused slots of its inode tables hold something; blocks of 4 KB
staged() {
	dumpe2fs "$1" 2> /dev/null | perl -e '
		open(my $image, "<", $ARGV[0]) or die;
		my $count = 0;
		while (<STDIN>) {
			$size = $1 if /^Inode size:\s+(\d+)/;
			$per = $1 if /^Inodes per group:\s+(\d+)/;
			($first) = /Inode table at (\d+)-/ if /Inode table at/;
			next unless /(\d+) free inodes, \d+ directories(?:, (\d+) unused inodes)?/;
			my $unused = $2 // 0;
			sysseek($image, $first * 4096 + ($per - $unused) * $size, 0);
			sysread($image, my $bytes, $unused * $size);
			$count += () = grep(/[^\0]/, unpack("(a$size)*", $bytes));
		}
		print "$count\n"' "$1"
}

# kernel_manifest IMAGE [options of manifest]: prints what the kernel shows of IMAGE; where no root
# is, libext2fs says what it would.
kernel_manifest() {
	local image=$1 exclude=() omit=

	shift
	if is_root; then
		mounted "$image" mnt-manifest
		"$JUDGES/manifest" -d "$@" mnt-manifest || fail "manifest of $image"
		unmounted mnt-manifest
		return
	fi
	while [ $# != 0 ]; do
		case $1 in
		-x)	exclude+=(-x "$2") ;;
		-o)	omit="$omit;s/ $2[=:][^ ]*//g" ;;
		esac
		shift 2
	done
	"$JUDGES/dbmanifest" -k "${exclude[@]}" "$image" | sed "$omit" || fail "dbmanifest -k of $image"
}

# manifests IMAGE NAME [options of manifest]: NAME.kernel and NAME.disk say all that is in
# IMAGE, but for lost+found, which every filesystem has of its own.
manifests() {
	local image=$1 name=$2

	shift 2
	kernel_manifest "$image" -x /lost+found "$@" > "$name.kernel"
	"$JUDGES/dbmanifest" -x /lost+found "$image" > "$name.disk" || fail "dbmanifest of $image"
}

# same A B: files that must be equal; shows the first lines of each that are not.
same() {
	local side

	cmp -s "$1" "$2" && return
	for side in '<' '>'; do
		diff "$1" "$2" | grep "^$side" | head -3 | cut -c 1-1500 || :
	done
	fail "$1 and $2 differ in $(diff "$1" "$2" | grep -c '^[<>]') lines"
}

# same_trees A B: both manifests of both trees are equal.
same_trees() {
	[ -s "$1.kernel" ] && [ -s "$1.disk" ] || fail "no manifest of $1"
	same "$1.kernel" "$2.kernel"
	same "$1.disk" "$2.disk"
}

# ordered IMAGE [options of readdir]: in every directory readdir order is disk order, which the
# kernel says to root.
ordered() {
	local image=$1

	shift
	is_root || return 0
	mounted "$image" mnt-order
	"$JUDGES/readdir" -x /lost+found "$@" mnt-order > order || {
		grep -v '^1.0000 1.0000' order | head -5
		fail "readdir order is not disk order in $(grep -vc '^1.0000 1.0000' order) directories"
	}
	unmounted mnt-order
}
