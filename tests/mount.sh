# SPDX-License-Identifier: GPL-2.0-or-later
# What tests of e2bfo mount share.  Sourced by them behind lib.sh.

# is_shown PATH: something is mounted there, whoever may look at it
is_shown() {
	local path=${1//\\/\\134}

	grep -qF " ${path// /\\040} " /proc/self/mountinfo
}

# shown IMAGE DIR [options]: e2bfo mount, which stays in the foreground.  What it says is in
# DIR.said.
shown() {
	local image=$1 dir=$2 path tries

	shift 2
	mkdir -p "$dir"
	path=$(realpath "$dir")
	echo "$path" >> "$WORK/.state/mounts"
	${as:-} "$E2BFO" mount -f "$@" "$image" "$dir" > /dev/null 2> "$dir.said" < /dev/null &
	echo $! > "$dir.pid"
	echo $! >> "$WORK/.state/processes"
	for tries in {1..600}; do
		! is_shown "$path" || return 0
		kill -0 "$(cat "$dir.pid")" 2> /dev/null ||
			fail "e2bfo mount $image: $(cat "$dir.said")"
		sleep 0.05
	done
	fail "$image is not mounted"
}

# unlisted DIR: it is unmounted
unlisted() {
	grep -vxF "$(realpath "$1")" "$WORK/.state/mounts" > "$WORK/.state/left" || :
	mv "$WORK/.state/left" "$WORK/.state/mounts"
}

# hidden DIR [STATUS]: e2bfo umount, and the end of the process, which has the exit status STATUS
hidden() {
	local dir=$1 expected=${2:-0} status=0

	${as:-} "$E2BFO" umount "$dir" || fail "umount $dir"
	wait "$(cat "$dir.pid")" || status=$?
	unlisted "$dir"
	[ $status = "$expected" ] ||
		fail "e2bfo mount on $dir: exit $status, expected $expected: $(cat "$dir.said")"
}

# manifest_of DIR [options]: what manifest says of it, but for what FUSE has no words for
manifest_of() {
	local dir=$1

	shift
	"$JUDGES/manifest" -i -o crtime -o attr -o layout "$@" "$dir" || fail "manifest of $dir"
}

# nobody COMMAND...: an ordinary user runs it
nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
