#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories as targets, what keeps a copy from beginning, or from ending: whatever is in the way
# is listed, all of it, and nothing changes; too little room is told before; signals, however many,
# are one request; names that look like those of unfinished things are ordinary ones.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs debugfs mount strace setpriv python3 chattr jq truncate

mkdir -p tree/dir/sub tree/closed tree/plain
for i in {1..40}; do
	seq "$i" 3000 > tree/plain/$i
done
for name in dir/file dir/sub/x closed/new frozen grown over linked; do
	echo "new $name" > tree/$name
done
ln tree/over tree/dir/again
ln -s nowhere tree/dir/link
mknod tree/dir/null c 1 3
mkfifo tree/dir/pipe
volume source.img 16M -d tree -O ^has_journal

# state DIR: all that may not change
state() {
	(cd "$1" && find . -printf '%p %y %i %s %m %U %T@ %C@ %l\n' | sort &&
		lsattr -aR . 2> /dev/null | sort && find . -type f -exec cat {} +)
}

# refused ARGUMENTS...: exit 8, and nothing in place has changed
refused() {
	state place > was.state
	e2bfo 8 copy "$@"
	state place > is.state
	same was.state is.state
}

# ---- what is in the way ----

volume place.img 24M
mounted place.img place rw
fill() {
	mkdir -p place/dir place/closed place/grown place/plain/7
	echo old > place/dir/sub
	echo old > place/frozen
	echo old > place/linked
	echo old > place/over
	mount -t tmpfs tmpfs place/plain/7
	chattr +i place/frozen place/closed
	chattr +a place/linked
}
fill
realpath place/plain/7 >> .state/mounts
refused --json --overwrite source.img place/
jq -c '[.clashes, .clash_kinds] | transpose | sort' out > list
[ "$(cat list)" = "$(jq -cn '[["closed", "immutable"], ["dir/sub", "no-directory"],
	["frozen", "immutable"], ["grown", "directory"], ["linked", "immutable"],
	["plain/7", "mount"]]')" ] || fail "in the way: $(cat list)"
refused --overwrite source.img place/
says '^e2bfo: is immutable or append-only: frozen$' '^e2bfo: is immutable or append-only: closed$' \
	'^e2bfo: something is mounted there: plain/7$' 'as a directory: grown$' \
	'and is no directory: dir/sub$' 'in the way of what is to be copied: 6$'
refused --skip-existing --json source.img place/
jq -e '(.clashes | sort) == ["closed", "dir/sub", "grown", "plain/7"]' out > /dev/null ||
	fail "--skip-existing: $(jq -c .clashes out)"
refused --json source.img place/
jq -e '[.clash_kinds[] | select(. == "exists")] | length == 3' out > /dev/null ||
	fail "no option: $(jq -c .clash_kinds out)"
umount place/plain/7
chattr -i place/closed place/frozen
chattr -a place/linked
rm -r place/*
# The directory itself, and the one above a new one.
chattr +i place
refused --json source.img place/
jq -e '.clashes == ["/"]' out > /dev/null || fail "an immutable directory: $(cat out)"
refused source.img place/new/
says 'opening place/new/: the directory above it is immutable'
chattr -i place
# As nobody: directories and files of others.
chmod 755 .
cp "$E2BFO" program
cp source.img public.img
chmod 644 public.img
mkdir place/dir place/plain
echo theirs > place/over
chown 65534:65534 place place/plain
chmod 1777 place/plain
echo theirs > place/plain/1
state place > was.state
status=0
setpriv --reuid=65534 --regid=65534 --clear-groups ./program copy --json --overwrite public.img \
	place/ > out 2> said || status=$?
[ $status = 8 ] || fail "as nobody: status $status"
jq -e '[.clashes, .clash_kinds] == [["dir"], ["denied"]]' out > /dev/null ||
	fail "as nobody: $(jq -c '[.clashes, .clash_kinds]' out)"
chown 65535 place/plain place
chmod 1777 place
status=0
setpriv --reuid=65534 --regid=65534 --clear-groups ./program copy --json --overwrite public.img \
	place/ > out 2> said || status=$?
jq -e '[(.clashes | sort), .clash_kinds] == [["dir", "over", "plain/1"],
	["denied", "denied", "denied"]]' out > /dev/null ||
	fail "as nobody, sticky: $(jq -c '[.clashes, .clash_kinds]' out)"
rm -r place/*
chown 0 place
chmod 755 place

# ---- where there is nothing to begin with ----

e2bfo 8 copy source.img nothing
says 'opening nothing; nothing/ would be a directory, which is made'

e2bfo 8 copy source.img place/no/where/
says 'opening place/no/where/: the directory above it is missing, too'
ln -s nowhere place/link
e2bfo 8 copy source.img place/link/
says 'opening place/link/: it is a link that leads nowhere'
rm place/link
e2bfo 8 copy source.img tree/over/
says 'Not a directory while opening'
mount -o remount,ro place
e2bfo 8 copy source.img place/
says 'Read-only'
mount -o remount,rw place

# ---- the source itself ----

mkdir -p own/own/own
echo other > own/own.img
volume place/own.img 8M -d own -O ^has_journal
before=$(digest place/own.img)
e2bfo 8 copy --overwrite place/own.img place/
says '^e2bfo: is the source itself: own.img$'
unchanged place/own.img "$before" "a copy over itself"
rm place/own.img
ls -AlRi --time-style=full-iso own > untouched
for target in own/ own/new/ own/own/ own/own/new/; do
	e2bfo 8 copy own $target
	says "comparing own and $target: the target lies in the source"
done
e2bfo 8 copy --overwrite own/own/ own/
says '^e2bfo: is the source itself: own$'
ls -AlRi --time-style=full-iso own | cmp - untouched || fail "a source that is a directory has changed"

# ---- counts; twice ----

e2bfo 0 copy source.img place/to/
grep -qx 'Made: 47 files, 6 directories, 1 symbolic link, 1 device, 1 fifo, 1 further hard link.' \
	out || fail "counts: $(cat out)"
e2bfo 8 copy source.img place/to/
says 'in the way of what is to be copied: 51 \(--skip-existing leaves files'
e2bfo 0 copy --skip-existing source.img place/to/
grep -qx 'Made: nothing.' out || fail "twice: $(cat out)"
grep -qx 'Names that exist, and stay as they are: 51.' out || fail "twice: $(cat out)"
touch -d '2001-01-01' place/to/plain/{1..9}
e2bfo 0 copy --json --if-newer source.img place/to/
jq -e '.plan.skipped == 42 and .made.replaced == 9 and .made.files == 9 and
	.made.directories_that_existed == 6' out > /dev/null || fail "--if-newer: $(jq -c .made out)"
e2bfo 0 copy --json --overwrite --dry-run source.img place/to/
jq -e '.made.replaced == 51 and .made.hard_links == 1 and .made.devices == 1' out > /dev/null ||
	fail "--dry-run: $(jq -c .made out)"
diff -r --no-dereference -x null -x pipe -x lost+found tree place/to || fail "not the same"

# ---- room ----

rm -r place/to
free=$(stat -f -c %f place)
truncate -s 100M large
volume large.img 120M
mounted large.img mnt rw
head -c $(((free + 3) * 4096)) /dev/zero > mnt/large
truncate -s 1T mnt/hole
unmounted mnt
refused --json --from /large --from /hole large.img place/
jq -e --argjson free "$free" '.code == "BFO_ET_NO_SPACE" and .shortage.needed == $free + 3 and
	.shortage.free == $free and .target_state == "as-before"' out > /dev/null ||
	fail "blocks: $(jq -c '[.code, .shortage]' out) of $free"
refused --from /large large.img place/new/
says 'at least [0-9]* blocks of 4096 bytes needed, [0-9]* free, 3 missing'
mkdir few
mount -t tmpfs -o nr_inodes=20 tmpfs few
realpath few >> .state/mounts
e2bfo 8 copy --json source.img few/
jq -e '.code == "BFO_ET_NO_INODES" and .shortage.needed == 55' out > /dev/null ||
	fail "inodes: $(jq -c '[.code, .shortage]' out)"
[ -z "$(ls -A few)" ] || fail "too few inodes: something was made"
# What is to be replaced makes room for what replaces it.
volume tight.img 8M -O ^has_journal
mounted tight.img tight rw
head -c 5M /dev/zero > tight/big
mkdir big
head -c 5M /dev/urandom > big/big
volume big.img 8M -d big -O ^has_journal
e2bfo 8 copy --overwrite big.img tight/
says 'No space left on device'
head -c 2M big/big > tight/other
e2bfo 8 copy --skip-existing --from /big --to /sub big.img tight/
says 'Not enough free blocks'
rm tight/other
head -c 2M /dev/zero > tight/big
e2bfo 0 copy --overwrite big.img tight/
cmp tight/big big/big || fail "it was not replaced"

# ---- signals ----

# signalled INJECTION... -- ARGUMENTS...: e2bfo, into which strace injects that.  Where it stops,
# the process gets two signals, whichever thread has made the call, and goes on.  Sets $status.
signalled() {
	local injected=() thread word

	while [ "$1" != -- ]; do
		injected+=(-e "inject=$1")
		shift
	done
	rm -f calls
	mkfifo calls
	strace -f -o calls -e trace=fchmod,fchownat,mkdirat,pwrite64,unlinkat "${injected[@]}" \
		"$E2BFO" "${@:2}" > out 2> said < /dev/null &
	echo $! >> .state/processes
	while read -r thread _ word _; do
		[ "$word" = SIGSTOP ] || continue
		kill -INT "$thread"
		kill -TERM "$thread"
		kill -CONT "$thread"
	done < calls
	status=0
	wait $! || status=$?
}

for call in pwrite64 mkdirat fchownat; do
	rm -rf place/*
	mkdir place/plain
	signalled $call:signal=STOP:when=3+1 fchmod:signal=STOP:when=2+1 \
		unlinkat:signal=STOP:when=1+1 -- copy source.img place/
	[ $status = 32 ] || fail "signals at $call: status $status: $(cat said)"
	[ -z "$(find place -name '.e2bfo*')" ] || fail "signals at $call: something is left"
done
# Where something cannot be removed it is said who does.
rm -rf place/*
mkdir place/plain
signalled pwrite64:signal=STOP:when=9+1 unlinkat:error=EIO:when=1+1 -- copy --json source.img place/
[ $status = 32 ] || fail "nothing can be removed: status $status"
jq -e '.target_state == "unfinished-names"' out > /dev/null || fail "state: $(jq .target_state out)"
says "'e2bfo abort' removes them"
e2bfo 0 abort place/
[ -z "$(find place -name '.e2bfo*')" ] || fail "abort leaves something"

# ---- names that look so ----

mkdir -p alike/.e2bfo-abcdef/.e2bfo-ABC123 alike/d
echo ours > alike/.e2bfo-abcdef/.e2bfo-ABC123/.e2bfo-zzzzzz
echo ours > alike/.e2bfo-123456
echo ours > alike/d/.e2bfo-qwerty
volume alike.img 16M -d alike
for target in place/ place/in/; do
	rm -rf place/* place/.e2bfo-*
	e2bfo 0 copy alike.img $target
	diff -r -x lost+found alike $target || fail "alike in $target"
	status=0
	strace -f -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=9 \
		"$E2BFO" copy --from /plain source.img $target > out 2>&1 || status=$?
	[ $status = 137 ] || fail "it was not killed: $status"
	[ "$(find place -name '.e2bfo-*' | wc -l)" -gt 5 ] || fail "nothing is left"
	e2bfo 0 abort $target
	grep -q '1 unfinished name removed; names that look alike, .* made there: 5, which stay' out ||
		fail "abort: $(cat out)"
	diff -r -x lost+found alike $target || fail "abort in $target removes others'"
done
# Of a directory that was to be made the rest lies above it.
rm -rf place/* place/.e2bfo-*
status=0
strace -f -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=9 \
	"$E2BFO" copy source.img place/new/ > out 2>&1 || status=$?
[ "$(find place -maxdepth 1 -name '.e2bfo-*' | wc -l)" = 1 ] || fail "nothing is left above"
e2bfo 0 abort place/new/
[ -z "$(find place -name '.e2bfo-*')" ] || fail "abort leaves something above"

# Of what is not there nothing is left, as a directory or as a file that was meant as one.
e2bfo 8 abort nowhere/
says 'No such file or directory while looking for what a copy has left of nowhere/'
e2bfo 8 abort nowhere
says 'No such file or directory .* \(a directory that is not there yet is nowhere/\)'
