#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# verify of what cannot be read everywhere: what cannot be compared is named, and is no difference;
# all else is compared, differences are found, and the exit status is 8.  By read errors, by
# mapfiles, outside of which nothing is asked for, behind the end of an image; of A, of B, of both.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr losetup perl python3 strace
. "$SRCDIR/tests/media.sh"

# ---- what is lost ----

lose
set -- $(ask whole.img 'extents /bad/tree' | awk '$1 ~ /^0\// { n++; if (n == 2 || n == 3) print $5 }')
map_from=$1 map_to=$2
data="$(block_of /bad/big 0) $(block_of /bad/big 3) $(block_of /bad/big 4) $(block_of /bad/big 2900)
	$(block_of /bad/short 0)"

# expected.py SIDE: what cannot be compared if SIDE (a, b) has lost all that
cat > expected.py <<'EOT'
import os, sys

def lines(name):
    return open(name).read().splitlines()

side, map_from, map_to, short = sys.argv[1], *map(int, sys.argv[2:])
other = "b" if side == "a" else "a"
lost = set(map(int, lines("lost-inodes")))
gone = {(int(l.split(" ", 1)[0]), l.split(" ", 1)[1]) for l in lines("lost-entries")}
inode, kind, sound = {}, {}, {"/"}
for line in lines("all"):
    i, k, path = line.split(" ", 2)
    inode[path], kind[path] = int(i), k
for path in sorted(inode, key=lambda p: p.count("/")):
    parent = os.path.dirname(path)
    if path == "/" or parent not in sound or kind[parent] != "d":
        continue
    if (inode[parent], os.path.basename(path)) in gone:
        print("not-compared", other, path, "-", "-")
    elif inode[path] in lost:
        print("unreadable-inode", side, path, "-", "-")
    elif path == "/bad/slow":
        print("unreadable-symlink", side, path, "-", "-")
    else:
        sound.add(path)
print("unreadable-directory", side, "/bad/indexed", 8192, 4096)
print("unreadable-directory", side, "/bad/flat", 0, 4096)
print("unreadable-xattr", side, "/bad/xattr", "-", "-")
print("unreadable-map", side, "/bad/tree", map_from * 4096, (map_to - map_from) * 4096)
for at, n in ((0, 4096), (12288, 8192), (11878400, 4096)):
    print("unreadable-data", side, "/bad/big", at, n)
print("unreadable-data", side, "/bad/short", 0, short)
EOT
for side in a b; do
	python3 expected.py $side "$map_from" "$map_to" "$(size_of /bad/short)" | sort > expected.$side
done

# found.py: what verify tells in `out`: damage to `found`, differences to `differ`, missed bytes
cat > found.py <<'EOT'
import json
report = json.load(open("out"))
with open("found", "w") as f:
    f.writelines(sorted("%s %s %s %s %s\n" % (d["kind"], d["volume"], d["path"],
                 d.get("offset", "-"), d.get("length", "-")) for d in report["damage"]))
with open("differ", "w") as f:
    f.writelines("%s %s\n" % (d["kind"], d["path"]) for d in report["differences"])
print(report["missed_bytes"])
EOT
# compared STATUS EXPECTED MISSED ARGUMENTS...: no difference, but in `differences`
: > differences
compared() {
	local status=$1 expected=$2 missed=$3

	shift 3
	e2bfo "$status" verify --json "$@"
	[ "$(python3 found.py)" = "$missed" ] ||
		fail "$*: missed $(python3 found.py) bytes, not $missed"
	same "$expected" found
	same differences differ
}
# What of /bad/tree is lost has data in every second block.
missed=$((5 * 4096 - 4096 + $(size_of /bad/short) + (map_to - map_from) / 2 * 4096))

# B is a copy whose blocks, inodes and places are others, and all that is small stands in inodes.
volume other.img 96M -b 1024 -O inline_data,ea_inode
e2bfo 0 copy whole.img other.img
e2bfo 0 verify whole.img other.img

# ---- by errors ----

bad $spots $data
compared 8 expected.a $missed -v medium/source.img other.img
says 'source.img: /bad/big: data cannot be read .inode [0-9]+, bytes 0 to 4095, block' \
	'other.img: /bad/flat/[0-9]: part of the directory on the other side, where its name may stand'
cp out out.plain
compared 8 expected.a $missed --memory 1M medium/source.img other.img
same out.plain out
compared 8 expected.a $missed --on-read-error skip medium/source.img whole.img
compared 8 expected.b $missed other.img medium/source.img
e2bfo 8 verify medium/source.img other.img
n=$(wc -l < expected.a)
grep -Eq ": $n unreadable \([0-9.]+ [KM]iB of data not compared\), no further difference\.$" out ||
	fail "no such summary: $(cat out)"
e2bfo 8 verify --on-read-error stop medium/source.img other.img
says 'Input/output error while reading block'
! grep 'Compared' out || fail 'stop went on'
e2bfo 8 verify --from /bad/nodes/dir medium/source.img --to /bad/nodes/dir other.img
says 'No such file or directory while looking for /bad/nodes/dir in .*source.img: what leads there cannot'
e2bfo 0 verify --from /good/file-119 --to /good/file-119 medium/source.img other.img
[ ! -s said ] || fail "of what was not compared: $(cat said)"

# Differences are found beside what cannot be read, before and behind it; not in it.
cp --sparse=always other.img changed.img
poke() {
	local block

	block=$(ask changed.img "bmap $1 $(($2 / 1024))")
	[ "$block" -gt 0 ] || fail "$1 has no block for byte $2"
	printf '\377' | dd of=changed.img bs=1 seek=$((block * 1024 + $2 % 1024)) conv=notrunc status=none
}
poke /bad/big $((3 * 4096 + 5))
poke /bad/big $((4 * 4096 + 4095))
compared 8 expected.a $missed medium/source.img changed.img
poke /bad/big $((5 * 4096))
poke /bad/big $((2900 * 4096 + 1))
grep -v "^unreadable-data a /bad/big 11878400" expected.a > expected.changed
debug changed.img 'set_inode_field /good/file-1 mode 0100600' 'unlink /good/file-3' \
	'unlink /bad/flat/1' 'ea_rm /bad/xattr user.large' 'ea_set /bad/xattr user.new value'
sed -i '/^not-compared b \/bad\/flat\/1 /d' expected.changed
printf '%s\n' 'missing /good/file-3' 'mode /good/file-1' 'data /bad/big' > differences
compared 8 expected.changed $((missed - 4096)) --ignore nlink,ctime medium/source.img changed.img
: > differences
healed

# ---- by mapfiles ----

cp --sparse=always whole.img rescued.img
map_of $spots $data > bad.map
# asked NAME ARGUMENTS...: nothing that the map lacks is asked for of NAME
asked() {
	local name=$1 status=0

	shift
	strace -o trace -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" verify --json "$@" \
		> out 2> said < /dev/null || status=$?
	[ $status = 8 ] || fail "$*: exit $status: $(cat said)"
	outside bad.map "$name" < trace || fail "$*: it was asked for"
	python3 found.py > missed
}
asked rescued.img --mapfile bad.map rescued.img other.img
same expected.a found
same differences differ
asked rescued.img --mapfile-b bad.map other.img rescued.img
same expected.b found
same differences differ
[ "$(cat missed)" = $missed ] || fail "missed $(cat missed) bytes, not $missed"
e2bfo 8 verify --on-read-error stop --mapfile-b bad.map other.img rescued.img
says 'as the mapfile says while reading block [0-9]+ of rescued.img'
e2bfo 16 verify --mapfile '' -B 4096 whole.img other.img

# Both at once: what either lacks is not compared; what both lack is told of both, and counted once.
block_of /bad/big 3 > once
map_of $(cat once) "$(block_of /bad/big 9)" > a.map
map_of $(cat once) "$(block_of /bad/big 10)" "$(block_of /good/file-51 0)" > b.map
cat > expected <<EOT
unreadable-data a /bad/big 12288 4096
unreadable-data a /bad/big 36864 4096
unreadable-data b /bad/big 12288 4096
unreadable-data b /bad/big 40960 4096
unreadable-data b /good/file-51 0 4096
EOT
compared 8 expected 16384 --mapfile a.map --mapfile-b b.map rescued.img whole.img
# A map that ends too early is warned about, of either.
printf '0 ? 1\n0 0x%X +\n' $((SIZE - 4096)) > early.map
: > expected
compared 0 expected 0 --mapfile-b early.map whole.img rescued.img
says "the mapfile ends at byte $((SIZE - 4096)), before the filesystem of rescued.img does"
grep -q "\"medium_b\": {\"bytes\": $SIZE, \"missing_bytes\": 0, \"mapfile_bytes\": $((SIZE - 4096))}" out ||
	fail 'no medium_b'

# ---- what stands in an inode on one side only ----

block=$(block_of /bad/flat/2 0)
map_of $block > a.map
printf 'unreadable-data a /bad/flat/2 0 33\n' > expected
compared 8 expected 33 --mapfile a.map rescued.img other.img
printf 'unreadable-data b /bad/flat/2 0 33\n' > expected
compared 8 expected 33 --mapfile-b a.map other.img rescued.img

# ---- values of attributes in inodes of their own ----

# Files, values, a file and its value in inodes of one block each.
volume values.img 64M -O ea_inode
mounted values.img mnt rw,noatime
perl -e 'print("v" x 20000)' > value
touch mnt/file
setfattr -n user.lost -v "$(cat value)" mnt/file
setfattr -n user.kept -v "$(tr v w < value)" mnt/file
touch mnt/{1..20}
setfattr -n user.gone -v "$(tr v x < value)" mnt/1
unmounted mnt
# value_of LETTER: the inode of the value that is made of it
value_of() {
	local i

	for i in $(seq 12 60); do
		ask values.img "cat <$i>" > is-value
		[ "$(head -c 1 is-value)$(stat -c %s is-value)" != "${1}20000" ] || echo "$i"
	done
}
lost=$(value_of v) gone=$(value_of x)
[ -n "$lost" ] && [ "$gone" -gt 32 ] || fail "values in inodes $lost, $gone"
cp --sparse=always values.img same.img
table=$(ask values.img "imap <$gone>" | sed -n 's/.*located at block \([0-9]*\),.*/\1/p')
map_of "$(ask values.img "bmap <$lost> 2")" "$table" > a.map
debug same.img 'ea_rm /file user.kept'
for i in {1..20}; do
	[ "$(inode_of values.img "/$i")" -lt $(((gone - 1) / 16 * 16 + 1)) ] ||
		echo "unreadable-inode a /$i - -"
done | sort > expected
printf 'unreadable-xattr a %s - -\n' /1 /file >> expected
echo 'xattr /file' > differences
compared 8 expected 0 --mapfile a.map --ignore ctime values.img same.img
: > differences

# ---- images that end too early ----

end=$(block_of /bad/big 1000)
cp --sparse=always whole.img short.img
truncate -s $((end * 4096 + 700)) short.img
map_of $(seq "$end" $((SIZE / 4096 - 1))) > short.map
e2bfo 8 verify --json --mapfile short.map whole.img other.img
python3 found.py > missed
[ -s found ] && [ ! -s differ ] || fail "by a map: $(cat said)"
sed -E 's/^([a-z-]* )a /\1/' found > expected
for sides in 'short.img other.img' 'other.img short.img'; do
	[ "$sides" = 'short.img other.img' ] && side=a || side=b
	sed -E "s/^(unreadable-[a-z]*) /\1 $side /" expected > expected.$side
	compared 8 expected.$side "$(cat missed)" $sides
	says "short.img ends before its filesystem does: it has $((end * 4096 + 700)) bytes"
	grep -q "\"medium_$side\": {\"bytes\": $((end * 4096 + 700))," out || fail "no medium_$side"
done
cp --sparse=always whole.img short.img
truncate -s $((SIZE - 4096)) short.img		# nothing lies there
: > expected
compared 0 expected 0 --on-read-error stop whole.img short.img
