#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams: what was sent arrives, as the kernel and verify show it, through a pipe and by way of a
# file; the same tree has the same digest however it is packed.  A stream that is cut or damaged
# leaves its target as it was, or goes on by its token, and then all is there.
# long
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount jq python3 strace

# ---- one of everything ----

"$IMAGES/oddities" source.img
before=$(digest source.img)
"$E2BFO" send -q source.img | "$E2BFO" receive -q --mkfs=-Oproject --size 600M copy.img ||
	fail "send or receive failed"
checked copy.img
e2bfo 0 verify source.img copy.img
manifests source.img was -o projid
manifests copy.img is -o projid
same was.kernel is.kernel
unchanged source.img "$before" send
rm copy.img

# Into a file: the same bytes each time, whatever the memory; other levels, the same digest.
e2bfo 0 copy --json source.img stream:kept
digests=$(jq -r .stream.sha256 out)
e2bfo 0 copy --memory 1M source.img stream:again
cmp kept again || fail "other bytes with little memory"
for level in none fast 5 auto; do
	"$E2BFO" send --json --compress $level source.img > other 2> said ||
		fail "--compress $level: $(cat said)"
	[ "$(jq -r .stream.sha256 said)" = "$digests" ] || fail "--compress $level: another digest"
	e2bfo 0 verify source.img stream:other
done
e2bfo 0 verify source.img kept
e2bfo 0 copy kept kept.tar
e2bfo 0 verify source.img kept.tar
rm again other kept.tar

# It is nothing to format, nor a volume.
e2bfo 8 copy --mkfs source.img kept
says 'it begins as a stream does \(--force'
e2bfo 8 copy source.img kept
says 'Not an ext2, ext3 or ext4 filesystem while opening kept: it holds nothing that is known$'
e2bfo 0 stream kept

# A part of it, from a file and from a pipe; inodes that hold small files; a directory.
volume inline.img 600M -I 512 -O inline_data
e2bfo 0 copy --from /files --to /sub kept inline.img
checked inline.img
volume inline.img 600M -I 512 -O inline_data,project,ea_inode,large_dir
"$E2BFO" receive -q --to /sub inline.img < <(cat kept) || fail "receive --to"
checked inline.img
for part in files links xattrs; do
	e2bfo 0 verify --from /$part --to /sub/$part source.img inline.img
done
rm inline.img kept

# Files that begin with what was never written are sent in the order of their data, too: a pipe's
# receiver with little memory does not ask for what has gone by.
mkdir begun
for i in 1 2 3 4 5 6 7 8; do
	head -c 4000000 /dev/urandom > begun/plain-$i
	fallocate -o 20000 -l 60000 begun/begun-$i
	printf 'in the middle of %s' $i | dd of=begun/begun-$i bs=1 seek=30000 conv=notrunc status=none
done
e2bfo 0 copy --mkfs --size 64M begun begun.img
"$E2BFO" send -q begun.img |
	"$E2BFO" receive -q --memory 1M --mkfs --size 64M copy.img 2> said ||
	fail "files that begin with what was never written: $(cat said)"
checked copy.img
e2bfo 0 verify begun.img copy.img
rm -r begun begun.img copy.img

# ---- broken streams ----

mkdir -p tree/top
cp -r "$SRCDIR/lib/base" tree/top/
python3 - <<- 'END'
	import random
	random.seed(7)
	for i in range(200):
	    open(f"tree/top/small-{i}", "wb").write(random.randbytes(i * 3))
	for i in range(5):
	    open(f"tree/top/large-{i}", "wb").write(random.randbytes(1600000 + i))
END
volume small.img 24M -d tree
volume base.img 32M
"$E2BFO" send -q small.img > whole

# frames: "BYTE KIND" of each, as they stand in `whole`
streams() {
	python3 "$SRCDIR/tests/oracle/streams.py" "$@"
}
streams frames whole > frames
[ "$(grep -c ' 4$' frames)" -ge 4 ] || fail "too few frames of data"

# all_there WHAT: target.img has all of it
all_there() {
	e2fsck -fn target.img > log 2>&1 || fail "$1: $(cat log out said)"
	e2bfo 0 verify --from /top --to /top small.img target.img
}

# broken WHAT: `stream` is refused, and the target is as before, or what is left of it comes by the
# token that is told
resumed=0
broken() {
	local token status=0

	cp base.img target.img
	"$E2BFO" receive --json --memory 1M target.img < stream > out 2> said || status=$?
	[ $status = 8 ] || fail "$1: status $status"
	grep -qE 'while (reading|opening) standard input: ' said || fail "$1: no place: $(cat said)"
	token=$(jq -r '.token // empty' out)
	if [ -z "$token" ]; then
		e2fsck -fn target.img > log 2>&1 || fail "$1: $(cat log out said)"
		[ -z "$(debugfs -R 'stat /top' target.img 2> /dev/null)" ] || fail "$1: part is there"
		return 0
	fi
	"$E2BFO" resume -n target.img < /dev/null > out || fail "$1: resume -n"
	grep -qF -e "--resume $token " out || fail "$1: resume -n tells another token: $(cat out)"
	grep -qx "e2bfo: target.img is as it was before, and keeps what has arrived; 'e2bfo abort' .*" \
		said || fail "$1: it is told to go on in another way: $(cat said)"
	"$E2BFO" send -q --resume "$token" small.img > rest
	"$E2BFO" receive -q target.img < rest 2> said || fail "$1: resumed: $(cat said)"
	all_there "$1"
	[ "$(stat -c %s rest)" -ge "$(stat -c %s whole)" ] || resumed=$((resumed + 1))
}

# What comes of it when data came, and when the tree did: cut behind each frame, and in the middle
# of each; a byte of each head and of what follows damaged; frames lost, twice, and exchanged.
while read -r at kind; do
	for to in $at $((at + 1000)); do
		[ "$to" -lt "$(stat -c %s whole)" ] || continue
		head -c $to whole > stream
		broken "cut at $to"
	done
	for to in $((at + 25)) $((at + 60)); do
		streams flip whole $to stream
		broken "damaged at $to"
	done
done < frames
[ $resumed -ge 3 ] || fail "only $resumed went on in the middle"

streams mixed whole
for kind in lost twice exchanged no-tree no-end other-end other-tree empty; do
	cp $kind stream
	broken "frames $kind"
done

# ---- what is not known here ----

# `whole` with another frame behind its head, of a kind that may be passed over or not; with a
# feature; with another digest
streams forged whole known kind100
e2bfo 0 verify small.img known
streams forged whole unknown kind200
e2bfo 8 verify small.img unknown
says 'a frame of a kind that has to be known'
streams forged whole compat word20
e2bfo 0 verify small.img compat
streams forged whole incompat word28
e2bfo 8 verify small.img incompat
says 'features 0x40000000'
streams forged whole tree-digest digest3
e2bfo 8 verify small.img tree-digest
says 'the tree is not what its digest says'
streams forged whole end-digest digest5
e2bfo 8 copy end-digest out.tar
says 'the data are not what their digest says'

# ---- who goes on with what ----

cut=$(($(stat -c %s whole) / 2))
cp base.img target.img
head -c $cut whole > stream
"$E2BFO" receive --json --memory 1M target.img < stream > out 2> said || :
token=$(jq -r .token out)

# What reads nothing is told how, whatever the target is called; so is where the token is asked for.
e2bfo 8 resume target.img
says "^e2bfo: to go on: e2bfo send --resume $token SOURCE \\| e2bfo receive "
grep -q -e --source said && fail "the source is asked for where nobody has it: $(cat said)"
cp target.img "o'dd name"
e2bfo 0 resume -n "o'dd name"
grep -qF -e "--resume $token SOURCE | e2bfo receive 'o'\\''dd name'" out || fail "resume -n: $(cat out)"
"$E2BFO" receive "o'dd name" < stream > out 2> said && fail "half of it went on"
grep -qF "SOURCE | e2bfo receive '$PWD/o'\\''dd name'" said || fail "no word of it: $(cat said)"

# What begins in the middle is for what has the beginning: nothing is formatted for it.
"$E2BFO" send -q --resume "$(streams token whole 3)" small.img > rest
truncate -s 32M blank.img
before=$(digest blank.img base.img)
for target in "--mkfs blank.img" base.img; do
	for how in "" -n; do
		cat rest | "$E2BFO" receive $how $target > out 2> said && fail "the end alone: $target"
		says "with frame 3 of a stream that broke, of which ${target#* } has nothing"
	done
done
[ "$(digest blank.img base.img)" = "$before" ] || fail "the end alone: something was written"

# Nor is it what goes on with a copy of something else.
cp base.img other.img
strace -qq -o log -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=12 \
	"$E2BFO" copy --memory 1M small.img other.img > out 2>&1 || [ $? = 137 ]
"$E2BFO" receive other.img < whole > out 2> said && fail "a stream went on with a copy of a volume"
says "it is not one of a stream: 'e2bfo resume' goes on with it"
grep -q 'to go on' said && fail "it is told to go on with a stream: $(cat said)"
e2bfo 0 resume other.img
e2bfo 0 verify --from /top --to /top small.img other.img

rm rest
# Another tree, a token that was mistyped, a directory, a stream: none of these goes on.
cp small.img changed.img
debug changed.img 'set_inode_field /top/large-0 mode 0100600'
e2bfo 8 copy --resume "$token" changed.img stream:rest
says 'names or attributes are not what they were'
e2bfo 16 copy --resume "${token%?????}xxxxx" small.img stream:rest
says 'is no token'
# Each of its characters counts.
for ((i = 0; i < ${#token}; i++)); do
	edited=${token:0:i}$(tr 'A-Za-z0-9_:-' 'B-ZAb-za1-90:\-_' <<< "${token:i:1}")${token:i + 1}
	[ "$edited" != "$token" ] || fail "character $i is the same"
	e2bfo 16 copy --resume "$edited" small.img stream:rest
	says 'is no token'
done
e2bfo 16 copy --resume "$token" tree stream:rest
says 'only a volume, an archive in a file, or a directory with --state'
e2bfo 16 copy whole stream:rest
says 'it is a stream already'
[ ! -e rest ] || fail "part of a stream was left"
"$E2BFO" send -q changed.img > other
"$E2BFO" receive target.img < other > out 2> said && fail "another stream went on"
says 'another stream has come'
"$E2BFO" receive -q target.img < whole || fail "the whole stream, once more"
all_there "the whole stream, once more"

# Two streams, one behind the other: each receiver takes one, if there is a way back to what it has
# read ahead.  Out of a pipe the second one finds nothing that begins as a stream.
volume second.img 24M -d "$SRCDIR/lib/wire"
"$E2BFO" send -q second.img > stream
cat whole stream stream > three
for i in 1 2 3; do
	volume part-$i.img 32M
done
{
	"$E2BFO" receive -q part-1.img && "$E2BFO" receive -q --memory 1M part-2.img &&
		"$E2BFO" receive -q part-3.img
} < three || fail "streams in one file"
e2bfo 0 verify --from /top --to /top small.img part-1.img
for i in 2 3; do
	checked part-$i.img
	e2bfo 0 verify --from /frames.c --to /frames.c second.img part-$i.img
done
volume part-1.img 32M
cat whole stream | { "$E2BFO" receive -q part-1.img && ! "$E2BFO" receive part-3.img 2> said; } ||
	fail "streams in one pipe: $(cat said)"
says 'while (opening|reading) standard input'
rm three part-?.img second.img
# A pipe with a name is an archive, and what is none says so.
e2bfo 8 verify small.img <(cat whole)
says "it is a stream; 'stream:' before its name says so"
e2bfo 8 copy <(cat whole) base.img
says "it is a stream; 'stream:' before its name says so"
e2bfo 0 verify small.img stream:<(cat whole)

# A dry run reads all of it, also where standard input is a file: what is wrong at the end is told.
head -c -1 whole > stream
"$E2BFO" receive -n --mkfs --size 32M new.img < stream > out 2> said && fail "a dry run"
grep -q 'reading standard input: ' said || fail "a dry run: $(cat said)"
cat whole | "$E2BFO" receive -n --mkfs --size 32M new.img > out 2> said || fail "$(cat said)"
"$E2BFO" receive -n --mkfs --size 32M new.img < whole > out 2> said || fail "$(cat said)"

# Of a directory nothing can go on: its target is as before.
cp base.img target.img
"$E2BFO" send -q tree > directory
head -c $cut directory > stream
"$E2BFO" receive --memory 1M target.img < stream > out 2> said && fail "half a directory"
says 'this stream cannot be resumed'
e2fsck -fn target.img > log 2>&1 || fail "half a directory: $(cat log)"
[ -z "$(debugfs -R 'stat /top' target.img 2> /dev/null)" ] || fail "half a directory: part is there"
"$E2BFO" resume -n target.img > out 2>&1 && fail "half a directory: there is a record"

# An image file that is made has its name when it is complete.
head -c $cut whole | "$E2BFO" receive --json --memory 1M --mkfs --size 32M new.img > out 2> said || :
[ ! -e new.img ] || fail "it is not complete, and has its name"
"$E2BFO" send -q --resume "$(jq -r .token out)" small.img | "$E2BFO" receive -q new.img ||
	fail "an image file, resumed"
checked new.img
e2bfo 0 verify small.img new.img
