#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo pack --order: what a list, references or a trace put next to each other becomes members of
# composite files, in that order, as e2bfo order lists it; those of a group that crosses directories
# lie next to each other; all else is packed only if somebody asks for that.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs python3

# ---- a web site, and other files ----

mkdir -p tree/www/css tree/www/img tree/other
cat > tree/www/index.html << 'EOF'
<link rel="stylesheet" href="css/z.css"> <img src="img/9.png"> <img src="img/1.png">
<a href="a.html">a</a>
EOF
cat > tree/www/page.html << 'EOF'
<link rel="stylesheet" href="css/y.css"> <img src="img/5.png"> <img src="img/4.png">
EOF
echo '<p>a</p>' > tree/www/a.html
for n in {1..9}; do
	head -c $((n * 900)) /dev/urandom > "tree/www/img/$n.png"
	printf '%s\n' "$n" > "tree/other/$n"
done
for n in w x y z; do
	head -c 3000 /dev/urandom > "tree/www/css/$n.css"
done
head -c 100000 /dev/urandom > tree/www/img/large.png
find tree -exec touch -h -d @1500000000 {} +
truncate -s 32M start.img
mke2fs -q -F -t ext4 -b 4096 -d tree start.img
e2fsck -fyD start.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"

# ---- what composite files have ----

# composites IMAGE: of the last report, with --json, in `out`: first block, blocks, and the paths of
# the members, in their order; a line each, as they lie
composites() {
	local path copy n=0

	rm -rf copies
	mkdir copies
	python3 -c '
import json
for x in json.load(open("out"))["composites"]:
    print(x["path"])' > paths
	while read -r path; do
		n=$((n + 1))
		copy=copies/$n
		ask "$1" "dump $path $copy"
		printf '%s %s %s\n' "$(ask "$1" "bmap $path 0")" "$copy" "$path"
	done < paths | sort -n > lines
	python3 -c '
import os, struct
for line in open("lines"):
    block, copy, path = line.split()
    data = open(copy, "rb").read()
    at, = struct.unpack("<Q", data[32:40])
    names, at = [], at + struct.unpack("<I", data[at:at + 4])[0]
    while at < len(data):
        length, = struct.unpack("<I", data[at:at + 4])
        fields, = struct.unpack("<H", data[at + 28:at + 30])
        skip = 32 + sum(n for i, n in enumerate((2, 12, 12, 12, 12, 8, 4)) if fields >> i & 1)
        names.append(data[at + skip + 1:at + skip + 1 + data[at + skip]].decode())
        at += length
    print(block, -(-len(data) // 4096), *(os.path.dirname(path) + "/" + name for name in names))'
}

# packed ARGUMENTS...: start.img, packed; its composite files are in `made`
packed() {
	cp start.img image.img
	e2bfo 0 pack --json -r "$@" image.img /
	checked image.img
	cp out report
	composites image.img > made
}

# beside MEMBER OTHER: the composite file that ends with OTHER begins where MEMBER's ends
beside() {
	awk -v a="$1" -v b="$2" '
		{ for (i = 3; i <= NF; i++)
			{ if ($i == a) end = $1 + $2; if ($i == b) begin = $1 } }
		END { exit !(end && end == begin) }' made || fail "$1 is not beside $2: $(cat made)"
}

# has MEMBERS...: a composite file has these and no other, in this order
has() {
	cut -d ' ' -f 3- made | grep -qxF "$*" || fail "no composite file has $*: $(cat made)"
}

# left REASON N
left() {
	python3 -c '
import json, sys
left = json.load(open("report"))["not_packed"]
assert left[sys.argv[1]] == int(sys.argv[2]), left' "$1" "$2" || fail "not packed, $1"
}

# ---- a list ----

cat > list << 'EOF'
/www/img/7.png
/www/css/x.css
/www/img/3.png
/www/css/w.css

/other/9
/other/2
/other/5

/www/a.html
EOF
packed --order list:list
[ "$(wc -l < made)" = 3 ] || fail "composite files: $(cat made)"
has /www/img/7.png /www/img/3.png
has /www/css/x.css /www/css/w.css
has /other/9 /other/2 /other/5
beside /www/img/7.png /www/css/x.css
left no-group $((3 + 7 + 2 + 6))
left large 1

# and all else behind that, by name
packed --order list:list,name
has /other/9 /other/2 /other/5
has /other/1 /other/3 /other/4 /other/6 /other/7 /other/8
has /www/a.html /www/index.html /www/page.html
left no-group 0
[ "$(tail -n 1 made)" != "$(grep ' /other/9 ' made)" ] || fail "the group lies last"

# one file of a group in a directory has a composite file of its own, unless no other is packed
printf '%s\n' /other/1 /www/a.html '' /other/4 /www/img/large.png > list
packed --order list:list
[ "$(wc -l < made)" = 2 ] || fail "composite files: $(cat made)"
has /other/1
has /www/a.html
beside /other/1 /www/a.html
left alone 1

# a group that is too large for one composite file has several, one behind the other
printf '%s\n' /www/img/{9,8,7,6,5,4,3,2,1}.png > list
packed --order list:list --pack-size 16K --max-size 16K
[ "$(wc -l < made)" -ge 3 ] || fail "composite files: $(cat made)"
[ "$(cut -d ' ' -f 3- made | tr '\n' ' ')" = "$(tr '\n' ' ' < list)" ] || fail "order: $(cat made)"

# ---- references, and a trace: the groups that e2bfo order has ----

# agree ARGUMENTS...: for each group, what composite files have is what it has, directory by
# directory, in its order
agree() {
	python3 -c '
import os
groups = [g.split("\n") for g in open("groups").read().strip("\n").split("\n\n")]
made = [line.split()[2:] for line in open("made")]
want = []
for group in groups:
    dirs = {}
    if len(group) < 2:
        continue
    for path in group:
        if not path.endswith("large.png"):
            dirs.setdefault(os.path.dirname(path), []).append(path)
    want += dirs.values()
assert groups[0][0] and made == want, (made, want)' || fail "$*: $(cat groups made)"
}

e2bfo 0 order --refs start.img
mv out groups
packed --order refs
agree refs
grep -q ' /www/index.html' made || fail "no index.html: $(cat made)"

for n in 1 2 3 4 5 6; do
	printf '%s\n' /www/page.html /www/img/{2,8}.png /other/$n /www/index.html /www/css/w.css
done > trace
e2bfo 0 order --trace trace start.img
mv out groups
packed --order trace:trace
agree trace

# ---- what was packed is what was there ----

packed --order refs,trace:trace,size
e2bfo 0 unpack -q -r image.img /
checked image.img
e2bfo 1 verify start.img image.img
grep -v '^Compared' out | grep -vE '^/(www|www/css|www/img|other): (ctime|version) ' > differences || :
[ ! -s differences ] || fail "not what it was: $(cat differences)"

# ---- what cannot be ----

cp start.img image.img
e2bfo 16 pack --order nothing image.img /
says 'not readdir, source'
e2bfo 16 pack --order-support 3 image.img /
says 'order-support goes with --order trace:FILE'
e2bfo 8 pack --order trace:none image.img /
says 'reading none'
echo nothing > none
e2bfo 8 pack --order trace:none image.img /
same start.img image.img
