#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --mkfs --size, stopped and killed at every moment: the name never shows half of it, what was
# copied stays beside it, and "e2bfo resume NAME" makes the same bytes of it as a copy that nobody
# stopped; "e2bfo abort NAME" leaves nothing.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs strace perl jq

export SOURCE_DATE_EPOCH=1700000000
mkdir tree d
perl -e 'for (1 .. 40) {
	open(my $f, ">", "tree/file-$_") or die; print $f join("", map { "$_ " } 1 .. $_ * 2000); }'
volume source.img 16M -d tree
e2bfo 0 copy --mkfs --same-uuid --memory 1M --size 16M source.img whole.img
checked whole.img

# stopped STATUS SIGNAL CALL N [OPTIONS...]: a copy to d/image that gets SIGNAL at its Nth CALL
# (what mke2fs calls does not count); 1 if it has not so many
stopped() {
	local expected=$1 signal=$2 call=$3 n=$4 status=0

	shift 4
	# shellcheck disable=SC2086
	{ strace ${follow:-} -qq -o log -e trace="$call" -e inject="$call:signal=$signal:when=$n" \
		"$E2BFO" copy --mkfs --same-uuid --memory 1M --size 16M "$@" source.img d/image \
		> out 2> said || status=$?; } 2> /dev/null
	[ $status != 0 ] || return 1
	[ $status = "$expected" ] || fail "$signal at $call $n: status $status: $(cat said)"
}

# beside: what stands in d, one name a line, random parts as XXXXXX
beside() {
	(cd d && for name in *; do echo "$name"; done) |
		sed -E 's/^(image)\.[a-zA-Z0-9]{6}$/\1.XXXXXX/'
}

# same_as_whole WHEN: resumed, it is what it would have been
same_as_whole() {
	[ "$(beside)" = image ] || fail "$1: there is $(beside)"
	cmp d/image whole.img || fail "$1: other bytes"
	rm d/image
}

# ---- SIGKILL at every call of a kind; until there is a record only a file is left ----
# killed CALL LEAST [OPTION OF STRACE]: LEAST of the copies can be resumed, from the first one on
# all
killed() {
	local call=$1 n resumed=0

	for ((n = 1; ; n++)); do
		follow=${3:-} stopped 137 KILL "$call" $n || break
		[ "$(beside)" = image ] || [ "$(beside)" = image.XXXXXX ] || [ -z "$(ls d)" ] ||
			fail "killed at $call $n: there is $(beside)"
		if "$E2BFO" resume d/image > out 2> said; then
			resumed=$((resumed + 1))
			same_as_whole "killed at $call $n, resumed"
		else
			[ $resumed = 0 ] || fail "killed at $call $n: not resumed: $(cat said)"
			[ "$(beside)" != image ] || fail "killed at $call $n: named, but not whole"
			rm -f d/*
		fi
	done
	same_as_whole "not killed"
	[ $resumed -ge "$2" ] || fail "killed at $call: only $resumed of $((n - 1)) resumed"
}
killed pwrite64 15
killed fsync 8
killed renameat2 1
killed sync_file_range 2 -f

# ---- SIGINT and SIGTERM: what is kept is told; killed while it goes on, and again ----
for signal in INT TERM; do
	stopped 32 $signal pwrite64 12 --json
	says 'd/image was not made' \
		"d/image.[a-zA-Z0-9]{6} has what was copied; 'e2bfo resume d/image'"
	[ "$(jq -c '[.complete, .resumable, .target_state, .plan.files, .io.write_requests > 0]' \
		out)" = '[false,true,"not-made",40,true]' ] || fail "SIG$signal: $(cat out)"
	[ "$(jq -r .temporary out)" = "$(ls d/*)" ] || fail "SIG$signal: another file: $(cat out)"
	# shellcheck disable=SC2086
	{ strace ${follow:-} -qq -o log -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=2 \
		"$E2BFO" resume d/image > out 2>&1 || [ $? = 137 ]; } 2> /dev/null
	[ "$(beside)" = image.XXXXXX ] || fail "killed while it goes on: there is $(beside)"
	e2bfo 0 resume --json "$(echo d/image.??????)"
	[ "$(jq -c '[.complete, .resumable, .temporary]' out)" = '[true,false,null]' ] ||
		fail "$(cat out)"
	same_as_whole "SIG$signal, killed, resumed by the other name"
done

# Before there is a record nothing stays.
stopped 32 INT pipe2 2
[ -z "$(ls d)" ] || fail "SIGINT before there was a record: there is $(beside)"

# ---- abort, by either name; nothing else goes ----
echo other > d/image.backup
stopped 137 KILL pwrite64 12
e2bfo 0 abort d/image
[ "$(beside)" = image.XXXXXX ] && [ "$(cat d/image.backup)" = other ] || fail "abort: $(ls d)"
rm d/image.backup
stopped 137 KILL pwrite64 12
e2bfo 0 abort --json "$(echo d/image.??????)"
[ -z "$(ls d)" ] || fail "abort by the other name: $(ls d)"
e2bfo 8 abort d/image
says 'No such file'

# ---- a copy into a file whose name only looks like it stays what it is ----
cp whole.img d/image.backup
tune2fs -U random d/image.backup > tune.log 2>&1
e2fsck -fp d/image.backup > fsck.log || fail "e2fsck -p"
{ strace -qq -o log -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=12 "$E2BFO" copy \
	--memory 1M --from /file-40 --to /more source.img d/image.backup > out 2>&1 ||
	[ $? = 137 ]; } 2> /dev/null
e2bfo 8 resume d/image
e2bfo 8 abort d/image
e2bfo 0 resume -n d/image.backup
e2bfo 0 abort d/image.backup
[ "$(ls d)" = image.backup ] || fail "another file: $(ls d)"
checked d/image.backup
rm d/image.backup

# ---- several; one that somebody works on; the name is taken by now ----
stopped 137 KILL pwrite64 12
first=$(echo d/image.??????)
e2bfo 8 copy --mkfs --size 16M source.img d/image
says "d/image.* has a copy that was interrupted: 'e2bfo resume d/image' goes on" 'force begins anew'
stopped 137 KILL pwrite64 12 --force
second=$(ls d/image.?????? | grep -vF "$first")
for command in resume abort; do
	e2bfo 8 $command d/image
	says "what is to become .*/d/image: there are .*$first.*; name one" "$second"
done
e2bfo 0 abort "$second"
[ "$(echo d/*)" = "$first" ] || fail "abort of the second: $(ls d)"
echo old > d/image
e2bfo 8 resume d/image
says 'give one of them another name'
[ "$(cat d/image)" = old ] && [ -e "$first" ] || fail "resume with a name that is taken: $(ls d)"
rm d/image
mkfifo locked
perl -e 'use Fcntl; open(my $f, "+<", $ARGV[0]) or die;
	my $lock = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
	fcntl($f, 37, $lock) or die "fcntl: $!";
	open(my $o, ">", "locked"); print $o "locked\n"; close($o); sleep 600' "$first" &
echo $! >> .state/processes
[ "$(timeout 60 cat locked)" = locked ] || fail "no lock"
e2bfo 8 resume d/image
says 'another e2bfo works on it'
e2bfo 8 abort d/image
says 'another e2bfo works on it'
kill -KILL $!
wait $! 2> /dev/null || :
e2bfo 0 resume d/image
same_as_whole "after another e2bfo"

# ---- --force: what had the name stays until the end ----
echo old > d/image
stopped 137 KILL pwrite64 12 --force
[ "$(cat d/image)" = old ] || fail "--force: the old file is gone"
e2bfo 0 resume d/image
same_as_whole "--force"

# ---- from another directory, and moved there ----
stopped 137 KILL pwrite64 12
mkdir e
mv d/image.?????? e
(cd e && e2bfo 0 resume image)
mv e/image d
same_as_whole "in another directory"
