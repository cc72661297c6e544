#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo stream: a whole stream is told to be whole, and one that is cut or damaged anywhere is not,
# with the place.  What is said to be missing is what is missing, file by file: all else comes out
# of it as it was.  Names, attributes and contents can be looked at as in a volume.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs jq python3

streams() {
	python3 "$SRCDIR/tests/oracle/streams.py" "$@"
}

# ---- what there is: small files that share frames, large ones, some that zstd packs, holes ----

mkdir -p tree/sub tree/empty
python3 - <<- 'END'
	import os, random
	random.seed(11)
	for i in range(60):
	    open(f"tree/sub/small-{i}", "wb").write(random.randbytes(i * 7))
	for i in range(3):
	    open(f"tree/large-{i}", "wb").write(random.randbytes(1400000 + i))
	open("tree/text", "w").write("".join(f"{i * i}\n" for i in range(200000)))
	with open("tree/sparse", "wb") as f:
	    f.write(b"begin")
	    f.seek(3000000)
	    f.write(b"end")
	open(b"tree/sub/tab\tand \xff", "w").write("odd")
	os.symlink("sub/small-3", "tree/link")
	os.link("tree/large-1", "tree/sub/same")
END
volume small.img 24M -d tree -E "root_owner=$(id -u):$(id -g)" -L "$(printf 'a\033b')"
debug small.img 'ea_set /text user.colour blue'
e2bfo 0 copy --json small.img stream:kept
sha256=$(jq -r .stream.sha256 out)
cp kept before

# ---- whole ones ----

# whole FILE: with standard input at hand, that is what is read
whole() {
	"$E2BFO" stream --json "$1" < kept > out 2> said || fail "$1: $(cat said)"
	jq -e --arg sha256 "$sha256" '.whole and .sha256 == $sha256 and .damage == [] and
		.frames_missing == 0 and .status == 0' out > /dev/null || fail "$1: $(cat out)"
}
whole kept
jq -e '.bytes_behind == 0' out > /dev/null || fail "something is behind it: $(cat out)"
# What follows it does not matter, but is told where somebody could look for it.
cat kept kept > two
whole two
jq -e --argjson size "$(stat -c %s kept)" '.bytes_behind == $size' out > /dev/null || fail "$(cat out)"
says "two: $(stat -c %s kept) bytes follow the end of the stream"
"$E2BFO" stream - > out 2>&1 < <(cat two) || fail "two out of a pipe: $(cat out)"
rm two
whole stream:kept
whole -
cat kept | "$E2BFO" stream - > out 2> said || fail "out of a pipe: $(cat said)"
grep -qx -- '-: whole: 72 members, .* of data in [0-9]* frames\.' out || fail "$(cat out)"
grep -qx "SHA-256 of all:      $sha256" out || fail "$(cat out)"
"$E2BFO" stream --salvage kept > out || fail "nothing is missing"
grep -q missing out && fail "something is missing: $(cat out)"

# What it says of itself is what stands there.
e2bfo 0 stream --dump -v --json kept
jq -r '.frames[] | "\(.byte) \(.kind)"' out > dumped
streams frames kept | sed 's/ 1$/ FACTS/; s/ 2$/ TREE/; s/ 3$/ TREE_END/; s/ 4$/ DATA/; s/ 5$/ END/' > is
same is dumped
jq -e --arg sha256 "$sha256" --argjson size "$(stat -c %s kept)" '.sha256 == $sha256 and
	.read_bytes == $size and .facts.members == 72 and .facts.label == "a\u001bb" and
	([.kinds[] | .frames * 40 + .stored] | add) + 48 == $size' out > /dev/null || fail "$(cat out)"
jq -e '.kinds[] | select(.kind == "DATA") | .packed > 0 and .packed < .frames' out > /dev/null ||
	fail "what zstd makes smaller is packed, and nothing else is: $(cat out)"
e2bfo 0 stream --dump kept
grep -qF '"a\x1bb"' out || fail "a control character: $(cat out)"

# ---- names and contents, as of the volume ----

# listed IMAGE: without inode numbers, whose order is another one, sizes of directories, and what a
# volume alone has
listed() {
	e2bfo 0 ls -lR "$1"
	sed -E 's/^ *[0-9]+ //; s/^(d.{10} +[0-9]+ +[0-9]+ +[0-9]+) +[0-9]+ /\1 /' out | sort
}
listed small.img > was
listed kept > is
same was is
e2bfo 0 stream --list kept
sed -E 's/^ *[0-9]+ //; s/^(d.{10} +[0-9]+ +[0-9]+ +[0-9]+) +[0-9]+ /\1 /' out | sort > is
same was is
e2bfo 0 ls --json kept / /sub
jq -r '.entries[] | select(.path | startswith("/sub/")) | .inode' out | sort -c -n ||
	fail "not in the stream's order"
jq -e '.entries[] | select(.path == "/text") | .xattrs == ["user.colour"] and .has_xattr' out \
	> /dev/null || fail "attributes: $(cat out)"
e2bfo 0 ls -d --files-from <(printf '/text\n/sub\n') kept
printf '/sub\n/text\n' > is
sort out | cmp - is || fail "--files-from: $(cat out)"
e2bfo 8 ls kept /text/x
says 'Not a directory'
e2bfo 8 ls kept /sub/../text
says "'\.\.' is not followed"
e2bfo 16 ls --deleted kept
says 'is for volumes'

"$E2BFO" cat kept /large-2 /sub/small-9 /sparse /large-0 | cmp - \
	<(cd tree && cat large-2 sub/small-9 sparse large-0) || fail "cat"
"$E2BFO" cat --range 1399990:20 kept /sub/same | cmp - <(tail -c +1399991 tree/large-1) ||
	fail "cat --range"
"$E2BFO" cat --batch kept /text /large-0 > out || fail "cat --batch"
"$E2BFO" cat --inode "$("$E2BFO" ls --json -d kept /text | jq '.entries[0].inode')" kept |
	cmp - tree/text || fail "cat --inode"
e2bfo 8 cat kept /link /sub /none
says 'symbolic links are not followed'
says 'it is a directory'
e2bfo 0 copy -q --from /sub kept only/
diff -r tree/sub only/sub || fail "a part of it"
tar -C tree -czf kept.tar.gz .
"$E2BFO" cat kept.tar.gz /text | cmp - tree/text || fail "cat of an archive"
listed kept.tar.gz | grep -q 'sub/small-3' || fail "ls of an archive"

# ---- broken ones ----

cmp kept before || fail "it was written"
"$E2BFO" send -q --compress none small.img > raw
python3 - <<- 'END' || fail "broken streams"
	import json, os, subprocess, sys
	sys.path.insert(0, os.environ["SRCDIR"] + "/tests/oracle")
	import streams

	program = os.environ["E2BFO"]
	files = {}
	for folder, _, names in os.walk(b"tree"):
	    for name in names:
	        path = os.path.join(folder, name)
	        if not os.path.islink(path):
	            files[path[4:]] = open(path, "rb").read()

	def run(status, *args, **more):
	    r = subprocess.run([program, *args], capture_output=True, **more)
	    assert r.returncode == status, (args, r.returncode, r.stdout, r.stderr)
	    return r

	def path_of(hole):
	    return hole["path"].encode("utf-8", "surrogateescape")

	def taken_out(what, how, holes):
	    """Files that a copy takes out of `stream`."""
	    run(bool(holes), "copy", "-q", "--exclude", "lost+found", "--on-read-error=" + how,
	        "stream", "out-" + what + "/")
	    return {path: open(b"out-" + what.encode() + path, "rb").read() for path in files
	            if os.path.exists(b"out-" + what.encode() + path)}

	def check_holes(what, holes):
	    """What is not in a hole is as it was, what is in one is zeroes; files without holes come."""
	    bare = {}
	    for hole in holes:
	        bare.setdefault(path_of(hole), []).append((hole["from"], hole["to"]))
	        assert hole["size"] == len(files[path_of(hole)]), hole
	    zero = taken_out(what, "zero", holes)
	    assert zero.keys() == files.keys()
	    for path, was in files.items():
	        should = bytearray(was)
	        # a file with two names has its holes by one
	        other = {b"/large-1": b"/sub/same", b"/sub/same": b"/large-1"}.get(path)
	        for begin, end in bare.get(path, []) + bare.get(other, []):
	            should[begin:end] = bytes(end - begin)
	        assert zero[path] == should, (what, path)
	    missing = sum(end - begin for parts in bare.values() for begin, end in parts)
	    skip = taken_out(what + "-skip", "skip", holes)
	    twice = {b"/large-1", b"/sub/same"}
	    if twice & bare.keys():
	        bare.update({path: [] for path in twice})
	    assert skip == {path: was for path, was in files.items() if path not in bare}, what
	    return missing

	def broken(what, data, begin, end, in_tree, copies):
	    """It is told, with a place from BEGIN to END; so is what is missing."""
	    open("stream", "wb").write(data)
	    r = json.loads(run(8, "stream", "--json", "stream").stdout)
	    assert not r["whole"], what
	    if in_tree:
	        place = int(r["while"].split("at byte ")[1].split(":")[0])
	        assert "damage" not in r and begin <= place <= end, (what, r)
	        run(8, "stream", "--salvage", "stream")
	        return
	    assert begin <= r["damage"][0]["byte"] <= end, (what, r)
	    by_pipe = run(8, "stream", "-", input=data)
	    assert b"while reading standard input: at byte " in by_pipe.stderr, by_pipe
	    s = run(1, "stream", "--json", "--salvage", "-", input=data)
	    holes = json.loads(s.stdout)["holes"]
	    assert bool(holes) == bool(r["frames_missing"]), what
	    if copies:
	        missing = check_holes(what, holes)
	        assert missing > 0 or not holes, what

	for name in "kept", "raw":
	    whole = open(name, "rb").read()
	    frames = streams.frames(whole)
	    first = min(at for at, kind, _ in frames if kind == streams.DATA)
	    for i, (at, kind, n) in enumerate(frames):
	        in_tree = kind < streams.DATA
	        copies = i % 4 if name == "kept" else 0
	        broken(f"{name}-head-{i}", streams.flipped(whole, at + 9), at, at, in_tree, copies == 2)
	        broken(f"{name}-bytes-{i}", streams.flipped(whole, at + n - 3), at, at, in_tree, copies == 1)
	        broken(f"{name}-cut-{i}", whole[:at + n // 2], at, at, in_tree, copies == 3)
	        broken(f"{name}-end-{i}", whole[:at], at, at, at < first, 0)
	for what, data in streams.mixed(open("kept", "rb").read()).items():
	    broken(what, data, 0, len(whole), what in ("no-tree", "other-tree", "empty"),
	           what in ("lost", "exchanged"))
	open("stream", "wb").write(streams.mixed(open("kept", "rb").read())["exchanged"])
	assert json.loads(run(8, "stream", "--json", "stream").stdout)["frames_missing"] == 0
END

# A stream among the data has frames, too: none of them is taken for one of the outer stream, though
# several are in one frame of that, whole and with numbers that it has.
mkdir -p dense nest
head -c 4000000 /dev/zero > dense/zeroes
"$E2BFO" send -q --compress 3 dense > inner
[ "$(stat -c %s inner)" -lt 100000 ] || fail "the inner one is too large"
cat inner tree/large-* > nest/inner
"$E2BFO" send -q --compress none nest > outer
at=$(streams frames outer | awk '$2 == 4 && !n++ { print $1 }')
streams flip outer "$at" nested
e2bfo 1 copy -q --on-read-error=zero nested unnested/
cmp -s <(tail -c +1048577 unnested/inner) <(tail -c +1048577 nest/inner) ||
	fail "the data of the inner one"
cmp -s <(head -c 1048576 unnested/inner) <(head -c 1048576 /dev/zero) || fail "no zeroes"

# Nor is one of another stream that has got in between, though it has the number that it should.
python3 - <<- 'END' || fail "another stream's frame"
	import os, subprocess, sys
	sys.path.insert(0, os.environ["SRCDIR"] + "/tests/oracle")
	import streams
	a, b = open("outer", "rb").read(), open("raw", "rb").read()
	at, _, n = [f for f in streams.frames(a) if f[1] == streams.DATA][1]
	other, _, m = [f for f in streams.frames(b) if f[1] == streams.DATA][1]
	assert n == m
	r = subprocess.run([os.environ["E2BFO"], "stream", "-"], input=a[:at] + b[other:other + m] + a[at + n:],
	                   capture_output=True)
	assert r.returncode == 8 and b"at byte %d: a frame of another stream" % at in r.stderr, r
END

# Into inodes, too, what is missing is told; so it is by cat.
at=$(streams frames kept | awk '$2 == 4 && !n++ { print $1 }')
streams flip kept $((at + 50)) bad
volume inline.img 24M -I 512 -O inline_data
e2bfo 8 copy bad inline.img
says 'goes on$'
e2bfo 0 abort inline.img
e2bfo 1 copy --json --on-read-error=zero bad inline.img
# (a file with two names is told by one of them)
jq -r '.not_kept[] | select(.kind == "unreadable-data") | .path' out | sed 's,^/sub/same,/large-1,' |
	sort > is
e2bfo 1 stream --salvage --json bad
jq -r '.holes[].path' out | sed 's,^/sub/same,/large-1,' | sort > was
same was is
checked inline.img
path=$(sed -n 1p is)
"$E2BFO" cat --on-read-error=zero bad "$path" > out 2> said && fail "cat of zeroes"
says 'cannot be read, and are zeroes'
e2bfo 8 cat bad "$path"
# Who wants other files does not come by it.
n=0
for name in text large-0 sparse large-1 large-2; do
	grep -qx "/$name" was && continue
	"$E2BFO" cat bad "/$name" | cmp - "tree/$name" || fail "cat of /$name, which is whole"
	n=$((n + 1))
done
[ $n -ge 2 ] || fail "all files are damaged: $(cat was)"

# What begins in the middle is told to be a part.
"$E2BFO" send -q --resume "$(streams token kept 3)" small.img > rest
e2bfo 1 stream --json rest
jq -e '.first_frame == 3 and .frames_missing == 3 and .damage == [] and (.whole | not)' out > /dev/null || fail "$(cat out)"
