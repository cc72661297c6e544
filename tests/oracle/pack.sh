#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo pack and unpack: a tree that is packed and unpacked is the one that it was, by e2bfo verify
# and by the kernel's mount; composite files are immutable and show nothing that is not allowed; a
# copy of one is unpacked by extras/unpack.py; what is not packed is named; what cannot be done
# changes nothing.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr getfattr python3

unpack_py=$SRCDIR/extras/unpack.py

# ---- a tree ----

filling start.img tree 48M -I 256
mkdir -p tree/mail/sub tree/alone
for n in {1..60}; do
	head -c $((n * 700)) /dev/urandom > "tree/mail/$n.eml"
	printf '%s\n' "$n" > "tree/mail/sub/note-$n"
done
: > tree/mail/empty
printf 'tab\ttwo\n' > $'tree/mail/ta\tb\xff'
ln tree/mail/3.eml tree/mail/link
ln tree/mail/sub/note-1 tree/mail/sub/zz
ln tree/mail/4.eml tree/outside
setfattr -n user.note -v hello tree/mail/5.eml tree/mail/6.eml
setfattr -n user.a -v "$(head -c 900 /dev/urandom | base64 -w 0)" tree/mail/6.eml
setfattr -n user.empty tree/mail/7.eml
chmod 0750 tree/mail/8.eml
chmod 0600 tree/mail/9.eml
chmod 4755 tree/mail/10.eml
chmod 1644 tree/mail/11.eml
truncate -s 30000 tree/mail/12.eml
head -c 200000 /dev/urandom > tree/mail/large
echo only > tree/alone/file
touch -d '2001-02-03 04:05:06.789012345' tree/mail/13.eml
touch -d '1950-02-03 04:05:06.789012345' tree/mail/14.eml
if is_root; then
	chown 1000:1000 tree/mail/{20,21,22}.eml
	chown 1000:1001 tree/mail/23.eml
	setfacl -m u:5:r tree/mail/24.eml
	setcap cap_net_raw+ep tree/mail/25.eml
	setfattr -n trusted.x -v y tree/mail/26.eml
	chattr +i tree/mail/27.eml
	chattr +a tree/mail/28.eml
	chattr +d tree/mail/29.eml
	mkdir tree/fixed
	echo 1 > tree/fixed/1
	echo 2 > tree/fixed/2
	chattr +i tree/fixed
fi
is_filled tree

# ---- what is told ----

cp start.img image.img
e2bfo 0 pack -n -r image.img /
same start.img image.img
grep -q 'would pack' out || fail "a dry run says: $(cat out)"
e2bfo 0 pack --dry-run --json -r image.img /
python3 - << 'END' || fail "the report of a dry run"
import json
report = json.load(open("out"))
left = {line["path"]: line["reason"] for line in report["left_out"]}
assert report["dry_run"] and report["status"] == 0, report
for name, reason in (("outside", "linked"), ("mail/4.eml", "linked"), ("mail/10.eml", "set-id"),
                     ("mail/11.eml", "set-id"), ("mail/12.eml", "sparse")):
    assert left["/" + name] == reason, (name, left)
assert report["not_packed"]["large"] == 1 and report["not_packed"]["alone"] >= 1, report
assert sum(report["not_packed"].values()) == len(left) + report["not_packed"]["large"] + \
    report["not_packed"]["alone"]
assert sum(x["members"] for x in report["composites"]) == report["members"]
END
if is_root; then
	python3 - << 'END' || fail "reasons"
import json
left = {line["path"]: line["reason"] for line in json.load(open("out"))["left_out"]}
for n, reason in ((24, "acl"), (25, "capability"), (26, "xattr"), (27, "immutable"),
                  (28, "append-only"), (29, "flags")):
    assert left[f"/mail/{n}.eml"] == reason, (n, left)
assert left["/fixed"] == "directory"
END
fi

# ---- packed ----

e2bfo 0 pack --json -r --pack-size 512K image.img /
checked image.img
python3 -c '
import json
for x in json.load(open("out"))["composites"]:
    print(x["path"], x["members"], x["names"], x["bytes"])' > composites
[ "$(wc -l < composites)" -ge 4 ] || fail "composite files: $(cat composites)"
ask image.img 'ls /mail' > names
grep -q 'packed-1.e2pack' names || fail "no composite file"
! grep -q '13.eml' names || fail "a member has its name still"

# what the tree had, by what unpack.py makes of copies of the composite files
mkdir copies
n=0
while read -r path _; do
	n=$((n + 1))
	e2bfo 0 cat image.img "$path"
	mv out "copies/$n"
	python3 "$unpack_py" "copies/$n" "py${path%/*}" || fail "unpack.py of $path"
done < composites
! python3 "$unpack_py" "copies/1" py/mail 2> /dev/null || fail "unpack.py has overwritten files"

# listed DIR: files as stat(1) has them, with contents and attributes
listed() {
	(
		cd "$1"
		find mail -type f ! -name '*.e2pack' -printf '%p %m %s %T@ %A@ %n\n' | sort
		find mail -type f ! -name '*.e2pack' -exec md5sum {} + | sort -k 2
		find mail -type f ! -name '*.e2pack' -exec getfattr -d -m 'user[.]' {} + 2> /dev/null |
			tr '\n' ' ' | sed 's/  */ /g; s/# file:/\n/g' | sort
	)
}

if is_root; then
	mounted start.img start
	listed start > was
	unmounted start
	mounted image.img now
	(cd now && tar -cf - --exclude='*.e2pack' mail) | tar -C py -xf - --atime-preserve
	(cd now && find mail -type f ! -name '*.e2pack' -exec touch -r {} ../py/{} \;)
	while read -r path _; do
		cmp -s "now$path" "copies/$(grep -n "^$path " composites | cut -d : -f 1)" ||
			fail "e2bfo cat and the kernel see another $path"
		lsattr "now$path" | grep -q '^....i' || fail "$path is not immutable"
	done < composites
	# of 1000:1000: three files, which anybody may read; of 9.eml nobody else
	[ "$(find now/mail -name 'packed-*' -perm 0600 -uid 0 | wc -l)" = 1 ] ||
		fail "permissions: $(ls -l now/mail/packed-*)"
	[ "$(find now/mail -name 'packed-*' -perm 0644 -uid 1000 -gid 1000 | wc -l)" = 1 ] ||
		fail "owners: $(ls -ln now/mail/packed-*)"
	unmounted now
	listed py > is
	# names outside, and what no filesystem of today keeps in a copy
	sed -i 's/^\(mail\/4.eml .*\) 2$/\1 1/' was
	same was is
fi

# ---- and unpacked ----

# unpacked_again: image.img is what it was, but for what its directories tell about inodes
unpacked_again() {
	e2bfo 0 unpack -r image.img /
	checked image.img
	e2bfo 1 verify start.img image.img
	grep -v '^Compared' out | grep -vE '^/(mail|mail/sub|alone|)?: (ctime|version) ' > differences || :
	[ ! -s differences ] || fail "not what it was: $(cat differences)"
	grep -q '^/mail: ctime' out || fail "the ctime of a directory stands still"
}

manifests start.img was -o ctime
unpacked_again
manifests image.img is -o ctime
sed -i "/ type=d /s/ disk.version=[^ ]*//" was.kernel is.kernel	# a count of changes
same was.kernel is.kernel

# twice, in other pieces
e2bfo 0 pack -q --max-size 1K -r image.img /
e2bfo 0 pack -q -r image.img /mail/ /mail
checked image.img
ask image.img 'ls /mail' > names
grep -q 'packed-2.e2pack' names || fail "the second one has no name of its own"
unpacked_again
e2bfo 0 unpack image.img /mail
grep -q 'unpacked 0 files' out || fail "something was unpacked: $(cat out)"

# ---- what is refused ----

# refuse STATUS PATTERN ARGUMENTS...: image.img stays what it is
refuse() {
	local expect=$1 pattern=$2

	shift 2
	cp image.img kept.img
	e2bfo "$expect" "$@"
	says "$pattern"
	cmp -s image.img kept.img || fail "$*: it has changed"
}

cp start.img image.img
refuse 8 'no such file' pack image.img /nothing
refuse 8 'not a directory' pack image.img /outside
refuse 8 'not a directory' unpack image.img /outside
refuse 16 'takes an IMAGE and a PATH' pack image.img
refuse 16 'less than --max-size' pack --pack-size 32K image.img /mail
refuse 16 'out of range' pack --max-size 17M image.img /mail
! is_root || refuse 8 'immutable' pack image.img /fixed

# a name that somebody else has got; then it goes
e2bfo 0 pack -q image.img /mail
debug image.img 'cd /mail' 'mknod empty p'
refuse 8 'exists already while unpacking empty' unpack image.img /mail
echo 'rm /mail/empty' > script
e2bfo 0 batch image.img script

# damage: in a content, in the table, in the header; and a flag that is lost
cp image.img packed.img
block=$(ask packed.img 'bmap /mail/packed-1.e2pack 1')
size=$(ask packed.img 'stat /mail/packed-1.e2pack' | sed -n 's/^User:.* Size: *//p')
last=$(ask packed.img "bmap /mail/packed-1.e2pack $(((size - 1) / 4096))")
# damaged BLOCK BYTE PATTERN
damaged() {
	cp packed.img image.img
	printf '\xa5\x5a' | dd of=image.img bs=1 seek=$(($1 * 4096 + $2)) conv=notrunc status=none
	refuse 8 "$3" unpack image.img /mail
	e2bfo 0 cat image.img /mail/packed-1.e2pack
	status=0
	python3 "$unpack_py" out py-damaged 2> said || status=$?
	[ $status = 1 ] || fail "unpack.py: exit $status"
	says damaged
	[ ! -e py-damaged ] || fail "unpack.py has made files of damage"
}
damaged "$block" 7 'damage.*packed-1.e2pack: a content is not what'
damaged "$last" $(((size - 1) % 4096)) 'damage.*packed-1.e2pack: the checksum of its table'
damaged $((block - 1)) 61 'damage.*packed-1.e2pack: the checksum of its header'
cp packed.img image.img
echo 'set -F 0 /mail/packed-1.e2pack' > script
e2bfo 0 batch image.img script
e2bfo 0 unpack -q image.img /mail
e2bfo 0 ls image.img /mail
grep -q packed-1.e2pack out || fail "what has lost its flag was unpacked"
e2bfo 0 cat image.img /mail/packed-1.e2pack
python3 "$unpack_py" out py-flag || fail "unpack.py"
[ -e py-flag/empty ] || fail "a member is missing"

# those that somebody has made up: one with set-id bits, one without members
python3 - << 'END'
import struct
data = open("out", "rb").read()
table = list(range(256))
for _ in range(8):
    table = [c >> 1 ^ (0x82F63B78 if c & 1 else 0) for c in table]
def crc(part):
    value = 0xFFFFFFFF
    for byte in part:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return struct.pack("<I", value)
def forge(name, head, contents, table):
    head[24:44] = struct.pack("<QQI", 128 + len(contents) + len(table), 128 + len(contents), len(table))
    head[44:48] = crc(table)
    head[124:128] = crc(head[:124])
    open(name, "wb").write(head + contents + table)
at, = struct.unpack("<Q", data[32:40])
first, = struct.unpack("<I", data[at:at + 4])
forge("forged", bytearray(data[:128]), data[128:at],
      data[at:at + 8] + struct.pack("<H", 0o4755) + data[at + 10:])
forge("nobody", bytearray(data[:48] + bytes(8) + data[56:128]), b"", data[at:at + first])
END
cp start.img image.img
printf '%s\n' 'put forged /mail/forged' 'set -F 16 /mail/forged' > script
e2bfo 0 batch image.img script
refuse 8 'forged: a member is more than a file without set-id bits' unpack image.img /mail
status=0
python3 "$unpack_py" forged py-forged 2> said || status=$?
[ $status = 1 ] || fail "unpack.py of set-id bits: exit $status"
says 'set-id'

cp start.img image.img
printf '%s\n' 'put nobody /mail/sub/nobody' 'set -F 16 /mail/sub/nobody' > script
e2bfo 0 batch image.img script
e2bfo 0 unpack image.img /mail/sub
grep -q 'unpacked 0 files out of 1 composite file,' out || fail "without members: $(cat out)"
checked image.img
e2bfo 0 ls image.img /mail/sub
! grep nobody out || fail "it is still there"

# ---- indexes of directories stay right ----

cp start.img image.img
e2itree 1 -p -m 2 image.img
e2bfo 0 pack -q image.img /mail
e2itree 0 -n image.img
e2bfo 0 unpack -q image.img /mail
e2itree 0 -n image.img
checked image.img

# ---- a volume that is full: refused before anything is written ----

volume image.img 8M -O ^has_journal
head -c 60000 /dev/urandom > small
{
	echo 'mkdir /small'
	for n in {1..40}; do
		echo "put small /small/$n"
	done
} > script
e2bfo 0 batch --not-atomic image.img script
free=$(dumpe2fs -h image.img 2> /dev/null | sed -n 's/^Free blocks: *//p')
head -c $(((free - 3) * 4096)) /dev/zero | tr '\0' x > fill
echo 'put fill /fill' > script
e2bfo 0 batch --not-atomic image.img script
checked image.img
refuse 8 'no journal' pack image.img /small
refuse 8 'not enough free blocks.*and [0-9]+ are free' pack --not-atomic image.img /small
export FAULT_TARGET=$PWD/image.img
[ "$(events write pack --not-atomic image.img /small || true)" = 0 ] || fail "something is written"
