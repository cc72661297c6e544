#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2itree -w finds the filesystem by mount point or device, whatever is mounted where, or says why
# it cannot; and beside programs that change directories all the time it never makes an index that
# lists something else than the directory and is believed.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup mount unshare setpriv perl jq strace lsattr

shim=$BUILDDIR/tests/fault/shim.so

# online STATUS ARGUMENTS...: as if all that is there was changed long ago
online() {
	FAULT_AHEAD=86400 LD_PRELOAD=$shim e2itree "$@" -w
}

# bound FROM TO
bound() {
	mkdir -p "$2"
	mount --bind "$1" "$2"
	realpath "$2" >> "$WORK/.state/mounts"
}

unbound() {
	local dir

	dir=$(realpath "$1")
	umount "$dir"
	sed -i "\\,^$dir\$,d" "$WORK/.state/mounts"
}

volume image 32M -b 1024 -N 8000
mounted image "a mount" rw,noatime
device=$(cat ".state/device-a mount")
mkdir -p "a mount/sub/d" "a mount/other"
(cd "a mount/sub/d" && seq 1000 | xargs touch)
(cd "a mount/other" && seq 1000 | xargs touch)

# ---- which mount ----

online 1 "a mount"
online 0 "$device"
bound "a mount/sub" sub
online 0 sub
online 8 "a mount/sub"
says 'Invalid argument while looking for where a mount/sub is mounted: it is no mount point'
# read-only here, but not there
bound "a mount" ro
mount -o remount,bind,ro ro
online 0 ro
# hidden by another mount; and directories that something is mounted on
mkdir -p over
mount -t tmpfs none "a mount/other"
realpath "a mount/other" >> .state/mounts
touch "a mount/sub/d/new"
online 1 --json -f "a mount"
jq -e '.built == 2' out > /dev/null || fail "below a mount: $(cat out)"
unbound "a mount/other"
unbound ro

# only a directory of it; only read-only; not at all; in another namespace
cat > alone <<'END'
set -e
umount "a mount"
"$E2ITREE" -w sub
END
chmod +x alone
E2ITREE=$E2ITREE ran alone "$(command -v unshare)" 8 -m --propagation private bash alone
says 'only directories below its root are; mount it somewhere as a whole'
cat > alone <<'END'
set -e
umount sub
mount -o remount,bind,ro "a mount"
"$E2ITREE" -w "a mount"
END
E2ITREE=$E2ITREE ran alone "$(command -v unshare)" 8 -m --propagation private bash alone
says 'Read-only file system while looking for where a mount is mounted'
cat > alone <<'END'
set -e
umount sub "a mount"
"$E2ITREE" -w "$1"
END
E2ITREE=$E2ITREE ran alone "$(command -v unshare)" 8 -m --propagation private bash alone "$device"
says 'nowhere that this process sees \(its mount namespace\)'
online 8 image
says 'it is neither a mount point nor a device'
online 8 nowhere
says 'No such file or directory|No such device'
online 8 /proc
says 'Not an ext2, ext3 or ext4 filesystem|it is mounted: nowhere'

# ---- who may ----

ran nobody "$(command -v setpriv)" 8 --reuid 12345 --regid 12345 --clear-groups -- \
	"$E2ITREE" -w "a mount"
says 'Operation not permitted while indexing a mount while it is mounted: only root may'
ran bound "$(command -v setpriv)" 8 --bounding-set -dac_read_search --inh-caps -all -- \
	"$E2ITREE" -f -w "a mount"
says 'takes CAP_DAC_READ_SEARCH'
[[ $(lsattr -d "a mount/.e2itree") = ----i* ]] || fail "$(lsattr -d "a mount/.e2itree")"

# ---- a directory that changes while it is read, or after that ----

# stopped_at CALL N CHANGE...: e2itree -f -w is stopped at its Nth CALL, and goes on after CHANGE
stopped_at() {
	local call=$1 n=$2 pid

	shift 2
	rm -f pid trace
	mkfifo pid
	# shellcheck disable=SC2016
	FAULT_AHEAD=86400 strace -o trace -E LD_PRELOAD="$shim" -e "inject=$call:signal=STOP:when=$n" \
		sh -c 'echo $$ > pid; exec "$@"' sh "$E2ITREE" -f -w --json "a mount" > out 2> said &
	echo $! >> .state/processes
	read -r pid < pid
	echo "$pid" >> .state/processes
	until grep -qs 'stopped by SIGSTOP' trace; do sleep 0.02; done
	"$@"
	kill -CONT "$pid"
	status=0
	wait $! || status=$?
}

stopped_at open_by_handle_at 1 true
[ $status = 1 ] || fail "undisturbed: status $status: $(cat out said)"
during=$(perl -ne '$n++ if /^pread64/; $on = 1 if /^open_by_handle_at.*\\x0b\\x00/;
	$on = 2 if $on && /^open_by_handle_at/ && !/\\x0b\\x00/;
	print($n), exit if $on == 2 && /^pread64/' trace)
first=$(jq -r '.problems[0].path' out)
stopped_at pread64 "$during" touch "a mount$first/while it is read"
[ "$(jq -c '[.status] + (.problems | map(select(.problem == "recent").path))' out)" = "[5,\"$first\"]" ] ||
	fail "changed while it is read: $(cat out said)"
stopped_at fallocate 1 touch "a mount$first/after it was read"
[ $status = 1 ] || fail "changed after it was read: $status: $(cat out said)"
e2itree 0 -l --json "$device"
[ "$(jq -r --arg dir "$first" '.trees[] | select(.directory == $dir).state' out)" = stale ] ||
	fail "changed after it was read: $(cat out)"
online 1 --json "a mount"
[ "$(jq -c '.problems | map([.problem, .path])' out)" = "[[\"stale\",\"$first\"]]" ] ||
	fail "the next run: $(cat out)"

# ---- beside others who are at work ----

mkdir "a mount/busy"
mkfifo begun
perl -e 'chdir("a mount") || die; srand(4); my $n = 0;
	while (1) {
		for my $d ("busy", "sub/d") {
			open(my $f, ">", "$d/" . int(rand(3000)));
			unlink("$d/" . int(rand(3000)));
			rename("$d/" . int(rand(3000)), "$d/" . int(rand(3000)));
		}
		if ($n++ == 2000) { open(my $f, ">", "../begun"); }
	}' &
writer=$!
echo $writer >> .state/processes
cat begun
for n in 1 2 3 4 5 6; do
	status=0
	"$E2ITREE" -f -w -q "a mount" > out 2> said || status=$?
	[[ $status =~ ^[45]$ ]] || fail "beside a writer: status $status: $(cat out said)"
	grep -q '^/busy .* changed within' out || fail "/busy is not left out: $(cat out)"
done
kill -KILL $writer
wait $writer 2> /dev/null || :
for dir in busy sub/d other; do
	(cd "a mount/$dir" && perl -e 'opendir(my $d, "."); print map { "/$ARGV[0]/$_\n" } sort grep { !/^\.\.?$/ } readdir($d)' $dir)
done > kernel
unbound sub
unmounted "a mount"
checked image
for dir in busy sub/d other; do
	e2bfo 0 ls -0 image "/$dir"
	tr '\0' '\n' < out | sort
done > listed
same kernel listed
e2itree 0 -l --json image
jq -e '.trees | map(select(.directory == "/other").state) == ["fresh"]' out > /dev/null || fail "$(cat out)"
