#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams of directories that go on (send --state): what arrives is what the first run saw, whatever
# happened meanwhile; what changed is told; a file of --state that is not the right one is refused.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs jq python3 zstd setfattr setfacl
export PYTHONPATH="$SRCDIR/tests/oracle"

# token FILE N: what asks for frame N of the stream in FILE
token() {
	python3 -c 'import sys, streamforge as f
print(f.token(open(sys.argv[1], "rb").read(), int(sys.argv[2])))' "$@"
}

mkdir -p d/top/sub/deep d/top/empty
cp -r "$SRCDIR/lib/base" d/top/sub/
python3 - <<- 'END'
	import random
	random.seed(11)
	for i in range(100):
	    open(f"d/top/small-{i}", "wb").write(random.randbytes(i * 7))
	for i in range(5):
	    open(f"d/top/sub/large-{i}", "wb").write(random.randbytes(1600000 + i))
	    open(f"d/top/sub/deep/large-{i}", "wb").write(random.randbytes(900000 + i))
	with open("d/top/sparse", "wb") as f:
	    f.seek(3000000)
	    f.write(b"end")
END
ln d/top/small-9 d/top/sub/link
ln -s sub/large-1 d/top/symlink
mkfifo d/top/fifo
mknod d/top/null c 1 3
fallocate -l 300000 d/top/allocated
setfattr -n user.some -v thing d/top/small-8
setfacl -m u:77:rwx d/top/small-7
chown 12:34 d/top/small-6
touch -d 1965-04-05T06:07:08.9 d/top/small-5

# ---- in pieces ----

(umask 0; "$E2BFO" send -q --state state d > whole) || fail "the first run"
[ "$(stat -c %a state)" = 600 ] || fail "mode $(stat -c %a state)"
"$E2BFO" send -q --state state --resume "$(token whole 0)" d > rest || fail "from frame 0"
cmp whole rest || fail "other bytes, from frame 0"

# What it is written from walks over the tree twice, and a stream once: the same frames.
python3 - <<- 'END' || fail "other frames of the tree"
	import streamforge as f
	made = [[part for _, kind, part in f.frames_of(open(name, "rb").read()) if kind == f.TREE]
	        for name in ("state", "whole")]
	assert made[0] and made[0] == made[1]
END

volume base.img 64M
parts=0
for cut in 2 7 11; do
	cp base.img target.img
	head -c $((cut * 1048576 + 99999)) whole > stream
	"$E2BFO" receive --json --memory 1M target.img < stream > out 2> said && fail "cut $cut: all came"
	"$E2BFO" send -q --state state --resume "$(jq -r .token out)" d > rest || fail "cut $cut"
	[ "$(stat -c %s rest)" -ge "$(stat -c %s whole)" ] || parts=$((parts + 1))
	"$E2BFO" receive -q target.img < rest || fail "cut $cut: receive"
	e2fsck -fn target.img > log 2>&1 || fail "cut $cut: $(cat log)"
	e2bfo 0 verify --from /top --to /top d target.img
done
[ $parts -ge 1 ] || fail "none went on in the middle"
"$E2BFO" send -q d > plain
"$E2BFO" receive --json < plain base.img > out 2>&1 || fail "without --state"
"$E2BFO" receive -q --to /second --dry-run base.img < whole || fail "the whole"

# What was asked for is in the file: users that have been mapped are not mapped again.
for options in "--exclude *.h --exclude /top/sub/deep" "--owner 5 --exclude large-*" \
	"--map-users 0:100000:90000 --map-groups 0:100000:90000"; do
	rm -f again
	"$E2BFO" send -q --state again $options d > stream || fail "$options"
	"$E2BFO" send -q --state again $options --resume "$(token stream 0)" d > rest ||
		fail "$options: resumed"
	cmp stream rest || fail "$options: other bytes"
done
e2bfo 16 copy --state again --resume "$(token stream 0)" d stream:no
says 'made with other options'
rm again
"$E2BFO" send -q --state again --exclude '*.h' d > stream
e2bfo 16 copy --state again --resume "$(token stream 0)" --exclude '*.h' --exclude '*.c' d stream:no
says 'made with other options'

# ---- what happened meanwhile ----

cp -a d e
rm -f again
"$E2BFO" send -q --state again e > stream
echo secret > secret
echo other > e/top/small-20
rm e/top/small-30
cp -p --remove-destination d/top/small-40 e/top/small-40
ln -sf ../../secret e/top/small-50
mv e/top/sub/deep e/top/sub/was-deep
ln -s ../../../d/top/sub/deep e/top/sub/deep
chmod 600 e/top/small-60
echo new > e/top/new
touch e/top/small-99 e/top/empty/new
status=0
"$E2BFO" send --json --state again --resume "$(token stream 0)" e > rest 2> report || status=$?
[ $status = 1 ] || fail "changed: status $status"
sed -n '/^{/,$p' report | jq -r '.not_kept[] | "\(.kind) \(.path)"' | sort > findings
{
	for name in small-20 small-30 small-40 small-50 small-60 small-99; do
		echo "changed /top/$name"
	done
	for i in 0 1 2 3 4; do
		echo "changed /top/sub/deep/large-$i"
	done
} > expected
same expected findings
[ "$(stat -c %s rest)" -gt 1000000 ] || fail "not all was sent"
"$E2BFO" receive -q --mkfs --size 64M changed.img < rest || fail "changed: receive"
checked changed.img
for name in small-60 small-61 sub/large-3 sub/base/vec.h; do
	ask changed.img "dump /top/$name got"
	cmp got "d/top/$name" || fail "$name, whose data are the same"
done
[ "$(ask changed.img 'stat /top/small-60' | grep -o 'Mode:  0[0-9]*')" = "Mode:  0644" ] ||
	fail "the mode that it got later"
[ -z "$(ask changed.img 'cat /top/small-50' | grep secret)" ] || fail "a link was followed"
[ -z "$(ask changed.img 'stat /top/new')" ] || fail "a file that was made later"
[ "$(ask changed.img 'cat /top/sub/deep/large-0' | tr -d '\0' | wc -c)" = 0 ] ||
	fail "a directory that became a link was followed"

# ---- what is none ----

# refused STATUS TEXT [OPTIONS]: with the file `bad`
refused() {
	"$E2BFO" send --state bad --resume "$token" "${@:3}" d > rest 2> said && fail "$2: it went on"
	[ ! -s rest ] || fail "$2: something was sent"
	says "$2"
}
token=$(token whole 1)
e2bfo 8 copy --state state d stream:no
says 'belongs to another stream'
cp state bad
"$E2BFO" send --state bad --resume "$(token stream 1)" d > rest 2> said && fail "another token"
says 'another token belongs to it'
cp again bad
refused 8 'it is not the directory that bad is of'
rm bad
refused 8 'No such file'
echo nonsense > bad
refused 8 'too early while reading bad'
cp whole bad
refused 8 'not followed by what should be there'
python3 - <<- 'END'
	import subprocess
	import streamforge as f
	data = open("state", "rb").read()
	frames = f.frames_of(data)
	assert [k for _, k, _ in frames] == [1, 2, 3, 6], frames
	ends = [at for at, _, _ in frames] + [len(data)]
	n = 0
	def put(text):
	    global n
	    open(f"bad-{n}", "wb").write(text)
	    n += 1
	for at in ends[:-1]:                     # cut before, in, and behind heads
	    for to in at, at + 7, at + 41:
	        put(data[:to])
	for at in ends[:-1]:                     # a bit in each head, and behind it
	    for to in at + 4, at + 16, at + 30, at + 44, at + 70:
	        text = bytearray(data)
	        text[to] ^= 16
	        put(bytes(text))
	kept = frames[3][2][40:]
	if frames[3][2][5]:
	    kept = subprocess.run(["zstd", "-dc"], input=kept, stdout=subprocess.PIPE, check=True).stdout
	for other in kept[:-24], kept + kept[-24:], kept[:3], b"\xff\xff\xff\xff" + kept[4:]:
	    put(data[:ends[3]] + f.frame(6, int.from_bytes(frames[3][2][8:12], "little"), other))
END
for file in bad-*; do
	cp "$file" bad
	refused 8 'while reading bad: at byte|while reading (member|the first member).* of bad'
done
e2bfo 16 copy --state none --from /top d stream:no
says 'no --from, no --to, and no --hard-dereference'
e2bfo 16 copy --state none --to /x d stream:no
says 'no --to'
e2bfo 16 copy --state none --hard-dereference d stream:no
says 'no --hard-dereference'
e2bfo 16 copy --state none base.img stream:no
says 'state is for directories'
e2bfo 16 copy --state none d no.tar
says 'state is for streams'
e2bfo 8 copy --state d/top/no d stream:no
says 'lies in the source'
e2bfo 16 copy --resume "$token" d stream:no
says 'a directory with --state'
[ ! -e no ] && [ ! -e none ] && [ ! -e d/top/no ] || fail "something was left"
[ -z "$(ls | grep -E '^(state|again)\.')" ] || fail "a temporary file was left"
