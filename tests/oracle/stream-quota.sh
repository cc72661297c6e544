#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Limits of quota in streams: a target that is formatted for a stream has those of its source, and
# e2fsck counts what is used; what is none is refused, or told.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl python3
export PYTHONPATH="$SRCDIR/tests/oracle"

mkdir -p tree/d
for i in {1..20}; do
	head -c $((i * 3000)) /dev/urandom > tree/d/file-$i
done
head -c 4000000 /dev/urandom > tree/large
volume source.img 32M -O quota,project -E quotatype=usrquota:grpquota:prjquota -d tree
for i in {1..20}; do
	printf 'sif /d/file-%s uid %s\nsif /d/file-%s gid %s\nsif /d/file-%s projid %s\n' $i $((i * 1000)) \
		$i $((i * 10)) $i $i
done > commands
debug source.img < commands
e2fsck -fy source.img > log 2>&1 || [ $? = 1 ] || fail "$(cat log)"
for inode in $(quota_inodes source.img); do
	[ "$(quota_limit source.img "$inode")" != 0 ] || fail "no limits"
done
checked source.img
quota_limits source.img > limits

"$E2BFO" send -q --compress none source.img > stream
"$E2BFO" receive -q --mkfs --size 32M new.img < stream || fail "receive"
checked new.img
quota_limits new.img > limits-now
same limits limits-now

# One that broke and goes on; by way of a file; a target that has limits of its own keeps these.
head -c 3000000 stream > part
"$E2BFO" receive --json --memory 1M --mkfs --size 32M again.img < part > out 2> said && fail "half"
token=$(python3 -c 'import json; print(json.load(open("out"))["token"])')
"$E2BFO" send -q --resume "$token" source.img | "$E2BFO" receive -q again.img || fail "resumed"
checked again.img
quota_limits again.img > limits-now
same limits limits-now
volume old.img 32M -O quota,project -E quotatype=usrquota:grpquota:prjquota
quota_limits old.img > old-limits
e2bfo 0 copy stream old.img
checked old.img
quota_limits old.img > limits-now
same old-limits limits-now

# What is none, and what is not known here.
python3 - <<- 'END'
	import streamforge as f
	data = open("stream", "rb").read()
	found = [part for _, _, part in f.frames_of(data)]
	assert [part[4] for part in found[:5]] == [1, 7, 7, 7, 2]
	def put(name, part, at=1, head=data[:48]):
	    parts = found[:at] + ([part] if part else [found[at]]) + found[at + 1:]
	    open(name, "wb").write(head + b"".join(parts))
	body = found[1][40:]
	put("type", f.frame(7, 1, b"\3\0\0\0" + body[4:]))
	put("empty", f.frame(7, 1, b"\0\0\0\0"))
	put("damaged", f.frame(7, 1, body[:1024] + b"\xff" * 1024 + body[2048:]))
	# The tree in two frames is one, but not with limits between them.
	tree, half = found[4][40:], len(found[4]) // 2
	for name, between in ("split", []), ("late", [body]):
	    parts = [f.frame(2, 4, tree[:half])] + [f.frame(7, 5, b) for b in between]
	    parts.append(f.frame(2, 4 + len(parts), tree[half:], half))
	    rest = [p if p[4] == 4 else f.numbered(p, n + len(parts) - 1)
	            for n, p in zip([5] + len(found) * [6], found[5:])]
	    open(name, "wb").write(data[:48] + b"".join(found[:4] + parts + rest))
	rest = [p if p[4] == 4 else f.numbered(p, 7) for p in found[6:]]
	open("behind", "wb").write(data[:48] + b"".join(found[:6] + [f.frame(7, 6, body)] + rest))
	put("newer", None, head=f.preamble(warn=1 << 30 | 1))
END
for name in type empty damaged late; do
	"$E2BFO" receive --mkfs --size 32M bad.img < $name > out 2> said && fail "$name was taken"
	says 'while reading (limits of quota in|standard input: at byte)'
	[ ! -e bad.img ] || fail "$name: part is there"
done
"$E2BFO" receive --mkfs --size 32M behind.img < behind > out 2> said && fail "behind was taken"
says 'while reading standard input: at byte'
e2bfo 8 stream behind
says 'no frame of this stream begins here'
e2bfo 0 stream split
e2bfo 0 copy --mkfs --size 32M split bad.img
rm bad.img
e2bfo 1 copy --mkfs --size 32M newer bad.img
says 'stream has what this e2bfo does not know'
checked bad.img
