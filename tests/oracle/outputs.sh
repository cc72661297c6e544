#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two outputs of one command are never one file, by whatever names: that is refused as usage, before
# anything is written.  A list on standard output is alone there.  What a list cannot hold is told.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs sha256sum hashdeep script perl python3

mkdir tree other
ln -s tree/new dangling
ln -s . same
seq 1000 > tree/numbers
volume small.img 8M -d tree
volume target.img 8M
e2bfo 0 copy small.img made.tar
ln made.tar hard.tar
e2bfo 0 hash --manifest-out mtree:list small.img
before=$(digest small.img target.img made.tar list)
ls -lRi . > was

# refused ARGUMENTS...: as usage; nothing is there that was not
refused() {
	e2bfo 16 "$@"
	says 'both would be written to one file'
	rm out said
	ls -lRi . > is
	same <(grep -v ' is$\| was$\|^total\| \.$' was) <(grep -v ' is$\| was$\|^total\| \.$' is)
	[ "$(digest small.img target.img made.tar list)" = "$before" ] || fail "$*: something has changed"
}

: > is
rm out said
ls -lRi . > was
refused hash --manifest-out mtree:new --manifest-out sha256sum:new small.img
refused hash --manifest-out mtree:new --manifest-out sha256sum:./new small.img
refused hash --manifest-out mtree:new --manifest-out sha256sum:"$PWD/other/../new" small.img
refused hash --manifest-out mtree:tree/new --manifest-out sha256sum:dangling small.img
refused hash --manifest-out mtree:new --manifest-out sha256sum:same/same/new small.img
refused hash --manifest-out mtree:list --manifest-out sha256sum:same/list small.img
refused hash --manifest-out mtree:- --manifest-out sha256sum:- small.img
refused copy --manifest-out mtree:new.tar small.img new.tar
refused copy --manifest-out mtree:same/new.tar small.img tar:new.tar
refused copy --force --manifest-out mtree:hard.tar small.img made.tar
refused copy --manifest-out mtree:- small.img tar:-
refused copy --mkfs --size 8M --manifest-out mtree:new.img small.img same/new.img
refused copy --mkfs --size 8M --write-mapfile new.img small.img new.img
refused copy --write-mapfile target.img small.img target.img
refused copy -z undo --write-mapfile same/undo small.img target.img
refused copy -z undo --manifest-out mtree:undo small.img target.img
refused copy --metadata-out data --manifest-out mtree:./data small.img other/
refused copy --json --metadata-out data --write-mapfile data small.img other/
status=0
"$E2BFO" copy --manifest-out mtree:stdout small.img tar:- > stdout 2> said || status=$?
[ $status = 16 ] || fail "status $status where standard output is the list"
says 'both would be written to one file'
[ ! -s stdout ] || fail "something was written"
rm stdout

# ---- standard output ----

# What is told goes to standard error then, in text and JSON.
sha256sum < tree/numbers | sed 's|-|./numbers|' > expected
for how in "" --json; do
	rm -f target.img
	volume target.img 8M
	e2bfo 0 copy $how --manifest-out sha256sum:- small.img target.img
	cmp <(grep -v '^#' out) expected || fail "a list and more: $(cat out)"
	says "$([ -z "$how" ] && echo Copied || echo '"status": 0')"
done
e2bfo 0 copy small.img other/ --manifest-out sha256sum:-
cmp <(grep -v '^#' out) expected || fail "a list and more: $(cat out)"
status=0
rm target.img
volume target.img 8M
"$E2BFO" copy --manifest-out sha256sum:- small.img target.img > /dev/full 2> said || status=$?
[ $status = 8 ] || fail "status $status where the list cannot be written"
says 'No space left'
# A long report of which the beginning is lost is no success, either.
mkdir many
for i in {1..400}; do
	: > "many/name-that-is-long-enough-for-more-than-a-buffer-of-output-$i"
done
volume many.img 8M -d many
for how in "hash many.img" "ls many.img"; do
	status=0
	"$E2BFO" $how > /dev/full 2> said || status=$?
	[ $status = "$([ "$how" = "ls many.img" ] && echo 1 || echo 8)" ] || fail "$how: status $status"
	grep -q 'Success' said && fail "$how: $(cat said)"
	says 'standard output|the report could not be written'
done
# Nobody reads: an error, and no death without a word.
for how in "copy small.img tar:-" "copy --manifest-out mtree:- small.img tar.tar" "send small.img"; do
	status=0
	perl -e '$SIG{PIPE} = "DEFAULT"; pipe(my $r, my $w) or die; close($r);
		open(STDOUT, ">&", $w) or die; exec(@ARGV)' "$E2BFO" $how 2> said || status=$?
	[ $status = 8 ] || fail "$how: status $status where nobody reads"
	says 'Broken pipe'
	[ ! -e tar.tar ] || fail "an archive of which the list is lost"
done
for how in "copy small.img tar:-" "send small.img"; do
	script -qec "'$E2BFO' $how; echo status \$?" /dev/null > terminal < /dev/null
	grep -q 'status 16' terminal || fail "$how to a terminal: $(cat -v terminal | head)"
	grep -q 'it is a terminal' terminal || fail "$how: not said: $(cat -v terminal | head)"
	! grep -aq 'E2BFO' terminal || fail "$how: something on a terminal"
done
# Nothing is read from a terminal, either.
for how in "receive new.img" "stream -" "copy - new.tar" "copy --mkfs --size 8M - new.img"; do
	script -qec "'$E2BFO' $how; echo status \$?" /dev/null > terminal < /dev/null
	grep -q 'status 16' terminal || fail "$how from a terminal: $(cat -v terminal | head)"
	grep -q 'it is a terminal' terminal || fail "$how: not said: $(cat -v terminal | head)"
	[ ! -e new.img ] && [ ! -e new.tar ] || fail "$how from a terminal: something was made"
done
# The other machine's names are for copy alone.
for how in "verify small.img ssh://host/x" "ls ssh://host/x" "hash ssh://host/x" \
	"send ssh://host/x" "receive ssh://host/x" "cat ssh://host/x /f"; do
	e2bfo 16 $how < /dev/null
	says 'an end that is ssh://HOST/PATH is for e2bfo copy'
done

# The file that standard output goes to is none of the directory that is read.
mkdir inside
echo text > inside/file
for how in "send ." "copy . tar:-"; do
	rm -f inside/made
	(cd inside && "$E2BFO" $how > made 2> ../said) || fail "$how into the source: $(cat said)"
	e2bfo 0 ls inside/made
	[ "$(cat out)" = file ] || fail "$how into the source: it has $(cat out)"
done

# ---- lists ----

# Names that a list cannot have are left out, told with their number, and no success.
mkdir odd
for name in $'new\nline' $'return\r' $'back\\slash' $'re\rturn' plain $'\n'; do
	printf '%s' "$name" > "odd/$name"
done
volume odd.img 8M -d odd
e2bfo 1 hash --manifest-out hashdeep:odd.hash --manifest-out sha256sum:odd.sha256 odd.img
says 'odd.hash: names that a list of hashdeep cannot have: 3; left out'
(cd odd && sha256sum --strict --quiet -c ../odd.sha256) || fail "sha256sum -c"
[ "$(grep -c -v '^#' odd.sha256)" = 6 ] || fail "not all files: $(cat odd.sha256)"
e2bfo 1 copy --manifest-out hashdeep:odd2.hash odd.img odd.tar
says 'odd2.hash: names that a list of hashdeep cannot have: 3; left out'
same odd.hash odd2.hash
e2bfo 1 copy --force --json --manifest-out hashdeep:odd3.hash --manifest-out mtree:odd.mtree \
	odd.img odd.tar
grep -qF '"manifests": [{"format": "hashdeep", "file": "odd3.hash", "names_left_out": 3}, '\
'{"format": "mtree", "file": "odd.mtree", "names_left_out": 0}]' out ||
	fail "--json: $(cat out)"

# ---- what was made ----

mkdir kinds kinds/below
seq 10000 > kinds/file
truncate -s 1M kinds/sparse
printf tail >> kinds/sparse
ln kinds/file kinds/below/again
ln kinds/file kinds/third
ln -s file kinds/link
mkfifo kinds/fifo
mknod kinds/null c 1 3
mknod kinds/disk b 7 0
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("kinds/socket")'
volume kinds.img 16M -d kinds
e2bfo 0 copy kinds.img kinds.tar
grep -qx 'The archive has 12 members: 2 files, 3 directories, 1 symbolic link, 2 devices, 1 fifo, 1 socket, 2 further hard links; 47.8 KiB of data, 70.0 KiB in all.' out ||
	fail "other counts: $(cat out)"
e2bfo 0 copy --json --force kinds.img kinds.tar
grep -qF '"archive": {"members": 12, "files": 2, "directories": 3, "symlinks": 1, "devices": 2, "fifos": 1, "sockets": 1, "hard_links": 2, "data_bytes": 48898, "raw_bytes": 71680, ' out ||
	fail "--json: $(cat out)"
