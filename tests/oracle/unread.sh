#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ls and layout of what cannot be read everywhere: all that can be is listed and measured, what
# cannot is named, and the exit status is 1; by read errors, by a mapfile, outside of which nothing
# is asked for, and behind the end of an image.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr losetup perl python3 strace
. "$SRCDIR/tests/media.sh"

# ---- what is lost ----

lose

# judged.py ls|layout: the report in `out` is what `all`, lost-inodes and lost-entries make expect
cat > judged.py <<'EOT'
import json, os, sys

def lines(name):
    return open(name).read().splitlines()

lost = set(map(int, lines("lost-inodes")))
gone = {(int(l.split(" ", 1)[0]), l.split(" ", 1)[1]) for l in lines("lost-entries")}
report = json.load(open("out"))
inode, kind, sound, damage = {}, {}, {"/"}, set()
for line in lines("all"):
    i, k, path = line.split(" ", 2)
    inode[path], kind[path] = int(i), k
for path in sorted(inode, key=lambda p: p.count("/")):
    parent = os.path.dirname(path)
    if path == "/" or parent not in sound or kind[parent] != "d":
        continue
    if (inode[parent], os.path.basename(path)) in gone:
        continue
    if inode[path] in lost:
        damage.add(("unreadable-inode", path, inode[path]))
    elif path == "/bad/slow":
        damage.add(("unreadable-symlink", path, inode[path]))
    else:
        sound.add(path)
damage |= {("unreadable-directory", "/bad/indexed", inode["/bad/indexed"], 8192, 4096),
           ("unreadable-directory", "/bad/flat", inode["/bad/flat"], 0, 4096)}

def found(entries, key):
    return {(e[key], e["path"], e["inode"]) + ((e["offset"], e["length"]) if "offset" in e else ())
            for e in entries}

def same(what, expected, actual):
    if expected != actual:
        sys.exit("%s: missing %s; too many %s" % (what, sorted(expected - actual)[:9],
                                                  sorted(actual - expected)[:9]))

if sys.argv[1] == "ls":
    same("names", sound - {"/"}, {e["path"] for e in report["entries"] if "damage" not in e})
    same("damage", damage | {("unreadable-xattr", "/bad/xattr", inode["/bad/xattr"])},
         found([e for e in report["entries"] if "damage" in e], "damage"))
else:
    volume = report["volumes"][int(sys.argv[2])]
    table = [d for d in volume["damage"] if d["kind"] == "unreadable-inodes"]
    same("inodes", lost, {i for d in table for i in range(d["inode"], d["inode"] + d["inodes"])})
    others = [d for d in volume["damage"] if d["kind"] in ("unreadable-map", "unreadable-xattr")]
    same("parts", {("unreadable-map", "/bad/tree"), ("unreadable-xattr", "/bad/xattr")},
         {(d["kind"], d["path"]) for d in others})
    same("damage", damage, found([d for d in volume["damage"] if d not in table + others], "kind"))
    count = {k: len({inode[p] for p in sound if kind[p] == k}) for k in "fdl"}
    same("counts", {("d", count["d"]), ("f", count["f"]), ("l", count["l"])},
         {("d", volume["directories"]), ("f", volume["files"]), ("l", volume["others"])})
EOT
judged() {
	python3 judged.py "$@" || fail "$*: $(cat said)"
}

# ---- by errors ----

bad $spots
e2bfo 1 ls -R --json medium/source.img
judged ls
says 'source.img: /bad/flat: directory block cannot be read .inode [0-9]+, bytes 0 to 4095, block' \
	'source.img: /bad/nodes/file-20: inode cannot be read'
e2bfo 8 ls -R --on-read-error stop medium/source.img
says 'Input/output error while reading block'
e2bfo 0 ls medium/source.img / /bad/nodes/file-1
e2bfo 1 ls medium/source.img /bad/nodes/file-20
e2bfo 8 ls medium/source.img /bad/nodes/dir/child-1
says "looking for /bad/nodes/dir/child-1 on .*: inode $(inode_of whole.img /bad/nodes/dir) on the way"
e2bfo 1 layout --json medium/source.img
judged layout 0
grep -q '"free": {"known": true' out || fail 'the free space is known'
e2bfo 8 layout --on-read-error stop medium/source.img
says 'Input/output error while reading block'
healed

# ---- by a mapfile ----

cp --sparse=always whole.img rescued.img
map_of $spots > bad.map
perl -pe 's/^(\d+) (\d+) ([-+])$/sprintf("0x%X 0x%X %s", $1, $2, $3)/e' bad.map > hex.map
# asked COMMAND...: nothing that the map lacks is asked for
asked() {
	local status=0

	strace -o trace -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" "$@" > out 2> said \
		< /dev/null || status=$?
	[ $status = 1 ] || fail "$*: exit $status: $(cat said)"
	outside hex.map rescued.img < trace || fail "$*: it was asked for"
}
asked ls -R --json --mapfile bad.map rescued.img
judged ls
asked layout --json --mapfile bad.map rescued.img
judged layout 0
e2bfo 1 layout --json whole.img --against rescued.img --mapfile-b bad.map
judged layout 1
grep -q '"free": {"known": true' out || fail 'the free space is known'
e2bfo 8 ls -R --on-read-error stop --mapfile bad.map rescued.img
says 'as the mapfile says while reading block'
bitmap=$(dumpe2fs whole.img 2> /dev/null | sed -n 's/.*Block bitmap at \([0-9]*\).*/\1/p' | tail -1)
map_of $spots $bitmap > bad.map
perl -pe 's/^(\d+) (\d+) ([-+])$/sprintf("0x%X 0x%X %s", $1, $2, $3)/e' bad.map > hex.map
asked layout --json --mapfile bad.map rescued.img
judged layout 0
says 'the free space is not known: Not readable, as the mapfile says'
grep -q '"free": {"known": false' out || fail 'the free space is not known'

# ---- by a backup of the superblock; an image that ends too early ----

dd if=/dev/zero of=rescued.img bs=1024 seek=1 count=16 conv=notrunc status=none
e2bfo 8 ls rescued.img
e2bfo 0 ls -R -b 8192 rescued.img
mounted whole.img mnt
(cd mnt && find . -mindepth 1 ! -path './lost+found*' -printf '%f\n' | sort) > expected
unmounted mnt
grep -v '^/.*:$\|^$\|^lost+found$' out | sort > actual
same expected actual
# old descriptors have old checksums of bitmaps
e2bfo 1 layout -b 8192 -B 4096 --json rescued.img
grep -q '"damage": \[\]' out || fail "by a backup: $(cat said)"
says 'the free space is not known'
e2bfo 16 ls -B 4096 rescued.img
end=$(printf '%s\n' $tables | sort -n | head -1)
inodes_in $(seq $end $((end + 600))) > lost-inodes
cp --sparse=always whole.img short.img
truncate -s $((end * 4096 + 700)) short.img
for command in 'ls -R' layout; do
	e2bfo 1 $command --json short.img
	says "short.img ends before its filesystem does: it has $((end * 4096 + 700)) bytes"
	grep -q "\"medium\": {\"bytes\": $((end * 4096 + 700))," out || fail "$command: no medium"
done
