#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch: every operation gives what the kernel's does on a mounted twin of the image, in words
# and in JSON, contents to the byte.  Errors name their line and leave the image alone; with commits
# on the way they name the line up to which all is done.  put -r is cp -a, --tar is tar.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount tar python3 jq

# What a twin cannot have alike: times of what was changed, and numbers that are drawn.
ignored=mtime,atime,ctime,crtime,generation,version,holes

mkdir -p old/dir/sub old/etc old/gone/deep
for i in {1..60}; do
	echo "file $i" > old/dir/$i
done
echo 'a sda1' > old/etc/fstab
chmod 640 old/etc/fstab
chown 5:6 old/etc/fstab
head -c 300000 /dev/urandom > old/large
cp old/large old/dir/large
seq 3000 > old/gone/deep/seq
ln old/dir/1 old/dir/linked
ln -s dir/1 old/link
setfattr -n user.old -v kept old/etc/fstab
find old -exec touch -h -d @1000000000 {} +
volume twin-start.img 48M -d old
volume start.img 48M -d old -O inline_data
head -c 500000 /dev/urandom > random
echo text > text
chmod 4751 text
touch -d '2020-02-03 04:05:06.789' text
printf head > sparse
dd if=random of=sparse bs=1000 seek=3000 conv=notrunc status=none
truncate -s 20000001 sparse
chmod 600 sparse
touch -d '2020-02-03 04:05:06.789' sparse
printf 'a b\n' > "it's \"odd\""

# fresh: the image and its twin as they were at first; the twin is mounted on mnt.  (It is without
# inline_data, which some kernels do not survive writing.)
fresh() {
	cp --sparse=always start.img image.img
	cp --sparse=always twin-start.img twin.img
	mounted twin.img mnt rw,noatime
}

# alike [IMAGE]: they are the same now, and sound
alike() {
	unmounted mnt
	checked "${1:-image.img}"
	e2bfo 0 verify --ignore $ignored twin.img "${1:-image.img}"
}

# touched IMAGE: what has changed its content since it was made
touched() {
	mounted "$1" touched
	(cd touched && find . -newermt @1400000000 | sort)
	unmounted touched
}

# ---- all operations, as words ----

fresh
cat > script << 'END'
# comments, and empty lines, mean nothing

put random /dir/random
put -m 0600 -u 1000 -g 100 text '/dir/a name'	# so do those behind a line
put -p text /new/on/the/way
put sparse /sparse
put sparse /dir/large
put "it's \"odd\"" /it\'s
append text /dir/2
append -c text /dir/appended
write -o 5 text /dir/3
write -o 200000 random /large
write -c text /dir/written
truncate 10K /dir/4
truncate 100000 /large
mkdir -m 0700 /made "/made/with blanks"
mkdir -p /made/x/y/z
rm /dir/5 /dir/6
rm -f /nothing
rm -r /gone
mv /dir/7 /made/7
mv /dir/8 /dir/9
mv /dir/sub /made/sub
ln /dir/10 /made/hard
ln -s '../dir/10' /made/soft
mknod -m 0620 /tty c 5 1
mknod /fifo p
mknod /socket s
chmod 0400 /dir/11 /dir/12
chown 7 /dir/11
chown 8:9 /dir/12
chgrp 10 /dir/13
set -m 0711 -u 3 -F 64 /dir/14
setxattr /dir/15 user.name 'a value'
setxattr /dir/15 user.other ''
rmxattr /etc/fstab user.old
END
e2bfo 0 batch image.img script
grep -q '^image.img: operations: 45, .*, commits: 1$' out || fail "$(cat out)"
cp random mnt/dir/random
install -m 600 -o 1000 -g 100 text 'mnt/dir/a name'
cp sparse mnt/sparse
cat sparse > mnt/dir/large
mkdir -p mnt/new/on/the
install -m 4751 text mnt/new/on/the/way
cp "it's \"odd\"" "mnt/it's"
cat text >> mnt/dir/2
cat text > mnt/dir/appended
dd if=text of=mnt/dir/3 bs=1 seek=5 conv=notrunc status=none
dd if=random of=mnt/large bs=100000 seek=2 conv=notrunc status=none
cat text > mnt/dir/written
truncate -s 10K mnt/dir/4
truncate -s 100000 mnt/large
mkdir -m 700 mnt/made 'mnt/made/with blanks'
mkdir -p mnt/made/x/y/z
rm -r mnt/dir/5 mnt/dir/6 mnt/gone
mv mnt/dir/7 mnt/made/7
mv mnt/dir/8 mnt/dir/9
mv mnt/dir/sub mnt/made/sub
ln mnt/dir/10 mnt/made/hard
ln -s ../dir/10 mnt/made/soft
mknod -m 620 mnt/tty c 5 1
mkfifo mnt/fifo
python3 -c 'import os, stat; os.mknod("mnt/socket", stat.S_IFSOCK | 0o644)'
chmod 400 mnt/dir/11 mnt/dir/12
chown 7 mnt/dir/11
chown 8:9 mnt/dir/12
chgrp 10 mnt/dir/13
chmod 711 mnt/dir/14
chown 3 mnt/dir/14
chattr +d mnt/dir/14
setfattr -n user.name -v 'a value' mnt/dir/15
setfattr -n user.other mnt/dir/15
setfattr -x user.old mnt/etc/fstab
alike
touched twin.img > twin.touched
touched image.img > image.touched
[ "$(wc -l < twin.touched)" -gt 20 ] || fail "few are touched"
same twin.touched image.touched
mounted image.img mnt
[ "$(sha256sum < mnt/dir/random)" = "$(sha256sum < random)" ] || fail "dir/random"
[ "$(stat -c %.9Y mnt/new/on/the/way)" = "$(stat -c %.9Y text)" ] || fail "not text's time"
for file in sparse dir/large; do
	[ "$(stat -c %.9Y mnt/$file)" = "$(stat -c %.9Y text)" ] || fail "not sparse's time: $file"
	[ "$(stat -c %b mnt/$file)" -lt 2000 ] || fail "$file has $(stat -c %b mnt/$file) blocks"
done
unmounted mnt
cp image.img words.img

# ---- the same in JSON: every line by the words that the page has for options and operands ----

cp --sparse=always start.img image.img
python3 - > script.json << 'END'
import json, shlex
FIELDS = {"put": "local path", "append": "local path", "write": "local path", "rm": "*path",
          "truncate": "size path", "mkdir": "*path", "mv": "path to", "ln": "target path",
          "mknod": "path type major minor", "chmod": "mode *path", "chown": "uid *path",
          "chgrp": "gid *path", "set": "*path", "setxattr": "path name value", "rmxattr": "path name"}
OPTIONS = {"m": "mode", "u": "uid", "g": "gid", "P": "project", "F": "flags", "o": "offset"}
FLAGS = {"p": "parents", "c": "create", "f": "force", "r": "recursive", "s": "symbolic"}
for line in open("script"):
    words = shlex.split(line, comments=True)
    if not words:
        continue
    op = {"op": words.pop(0)}
    while words[0][0] == "-":
        letter = words.pop(0)[1]
        op.update({FLAGS[letter]: True} if letter in FLAGS else {OPTIONS[letter]: words.pop(0)})
    for field in FIELDS[op["op"]].split():
        if words:
            op[field.strip("*")] = words if field[0] == "*" else words.pop(0)
    if op["op"] == "chown" and ":" in op["uid"]:
        op["uid"], op["gid"] = op["uid"].split(":")
    print(json.dumps(op))
END
e2bfo 0 batch image.img script.json
checked image.img
e2bfo 0 verify --ignore $ignored words.img image.img

# ---- what this kernel does not mount to write: projects, quota ----

volume project.img 16M -d old/dir -O project,quota
repaired project.img			# mke2fs -d counts nothing
echo 'set -P 42 /1' > script
e2bfo 0 batch project.img script
ask project.img 'stat /1' > stat
grep -q 'Project: *42 ' stat || fail "no project"
checked project.img

# ---- contents in JSON, names that are no UTF-8, standard input ----

fresh
printf '%s\n' '{"op": "put", "path": "/\udcff", "data": "\u00fc\udc80\u0000"}' \
	'{"op": "put", "path_bytes": "L//+", "data_bytes": "AAH/"}' 'put - /stdin' > script
fed random
e2bfo 0 batch image.img script
printf '\303\274\200\0' > $'mnt/\xff'
printf '\0\1\377' > $'mnt/\xff\xfe'
cp random mnt/stdin
alike

# ---- a file that is there keeps what it is ----

fresh
printf '%s\n' 'filter /etc/fstab sed s/sda/vda/' 'put text /dir/1' 'put -m 0600 text /dir/2' > script
e2bfo 0 batch --allow-commands image.img script
sed -i.was s/sda/vda/ old/etc/fstab
cat old/etc/fstab > mnt/etc/fstab
cat text > mnt/dir/1
cat text > mnt/dir/2
chmod 600 mnt/dir/2
alike
for path in /etc/fstab /dir/1; do
	[ "$(inode_of image.img $path)" = "$(inode_of start.img $path)" ] || fail "$path moved"
done

# ---- put -r is cp -a, --tar is tar ----

mkdir -p tree/a/b tree/many
for i in {1..300}; do
	echo "$i" > tree/many/a-name-of-some-length-$i
done
cp -a random tree/a/random
ln tree/a/random tree/a/b/again
ln -s nowhere tree/a/dangling
mknod tree/a/null c 1 3
mkfifo tree/a/b/fifo
chown -h 5:6 tree/a/dangling tree/a/b
setfattr -n user.x -v y tree/a/random
setfacl -m u:1000:rwx tree/a/b
touch -d @1500000000 tree/a/b tree/many tree
fresh
echo 'put -rp tree /x/tree' > script
e2bfo 0 batch image.img script
mkdir mnt/x
cp -a tree mnt/x
alike
mounted image.img image
[ "$(stat -c %Y image/x/tree/many image/x/tree)" = $'1500000000\n1500000000' ] || fail "times"
unmounted image
fresh
e2bfo 0 copy tree tree.tar
tar -C mnt --xattrs --acls -xpf tree.tar
e2bfo 0 batch --tar tree.tar image.img
alike
mounted image.img image
[ "$(stat -c %Y image/many image)" = $'1500000000\n1500000000' ] || fail "times of directories"
unmounted image
tar -C tree --acls --format=pax -cf - . > names.tar		# as text, with names
e2bfo 1 batch --tar names.tar image.img
says 'attributes that ext4 cannot store: 1; left out'
fresh
echo other > mnt/large
echo 'put text /a' > script
e2bfo 0 batch image.img script
tar -C mnt -xpf tree.tar --no-xattrs --no-acls
rm mnt/large
cp old/large mnt/large
chown 0:0 mnt/large
tar -C tree --format=pax -cf - . > plain.tar
fed plain.tar
e2bfo 0 batch --tar - image.img
alike

# ---- errors: the line, why, and that nothing was changed ----

cp --sparse=always start.img image.img
before=$(digest image.img)

# wrong LINE PATTERN...: the line fails as it should
wrong() {
	local line=$1

	shift
	printf '%s\n' 'put text /good' '' "$line" > script
	e2bfo 8 batch image.img script
	says '^e2bfo: script:3: ' 'image.img: nothing was changed' "$@"
	unchanged_tree
}

# (free blocks may have been written to)
unchanged_tree() {
	checked image.img
	e2bfo 0 verify start.img image.img
}

wrong 'put nothing /x' 'No such file or directory while opening nothing'
wrong 'put text /no/such' 'No such file or directory'
wrong 'put text relative' "No such name, path or value .* relative: it does not begin with '/'"
wrong 'put text /dir/../x' "No such name, path or value .*: '.' and '..' are not followed"
wrong 'put text /dir/.' "'.' and '..' are not followed"
wrong "put text /$(printf 'n%.0s' {1..256})" 'a name in it has 256 bytes, and 255 are the most'
wrong 'rm /' 'No such name, path or value .* /: it is the root'
wrong 'mv / /x' 'it is the root'
wrong 'mv /dir /dir/x' 'No such name, path or value .*: /dir/x lies in it'
wrong 'put -n text /dir/1' 'exists already'
wrong 'put text /dir' 'Is a directory'
wrong 'put text /link/x' 'Not a directory'
wrong 'put old /x' 'Is a directory while opening old'
wrong 'append text /nothing' 'No such file'
wrong 'rm /dir' 'not empty'
wrong 'rm /nothing' 'No such file'
wrong 'mv -n /dir/1 /dir/2' 'exists already'
wrong 'mv /dir /dir/below' 'script:3'
wrong 'mkdir /dir' 'exists already'
wrong 'ln /dir /x' 'Is a directory'
wrong 'setxattr /dir/1 wrong.name x' 'script:3'
wrong 'filter /etc/fstab cat' 'for --allow-commands alone'
wrong 'nothing' "no operation is called 'nothing'"
wrong 'put text' 'put wants more operands'
wrong "put 'text" "a ' is not closed"
wrong '{"op": "put"' "no ',' or '}'"
wrong '{"op": "put", "path": "/x", "data": "x", "local": "y"}' 'exclude each other'
printf '%s\n' 'put text /x' 'filter /x false' > script
e2bfo 8 batch --allow-commands image.img script
says 'script:2: Command failed while running false: exit status 1'
printf '%s\n' 'filter /dir/1 /no/such/command' > script
e2bfo 8 batch --allow-commands image.img script
says 'script:1: No such file or directory while running /no/such/command'
echo 'put - /x' > script
fed script
e2bfo 8 batch image.img
says 'it is the script'
e2bfo 8 batch image.img no-such-script
says 'No such file or directory while opening no-such-script'
unchanged_tree

mounted image.img mnt rw
e2bfo 8 batch image.img script
says 'mounted'
unmounted mnt

# ---- commits on the way ----

printf '%s\n' 'put text /one' 'put text /two' commit 'put text /three' 'rm /nothing' > script
e2bfo 8 batch --json image.img script
says '^e2bfo: image.img: done up to line 2 of script, and that stays'
[ "$(jq -c '[.durable_lines, .failed_line, .commits, .code]' out)" = \
	'[2,5,1,"BFO_ET_NO_PATH"]' ] || fail "$(cat out)"
checked image.img
ask image.img 'ls -p /' > names
grep -q '/one/' names && grep -q '/two/' names && ! grep -q '/three/' names || fail "$(cat names)"
seq -f 'put text /dir/new%.0f' 1000 > script
echo 'rm /nothing' >> script
e2bfo 8 batch --commit-every 300 image.img script
says 'done up to line 900 of script'
checked image.img
[ "$(ask image.img 'ls -p /dir' | grep -c /new)" = 900 ] || fail "not 900 new ones"

for i in {1..10}; do
	echo "put random /large$i"
done > script
e2bfo 0 batch --commit-every 2M image.img script
grep -q 'contents: 10 (4.8 MiB), commits: 2$' out || fail "$(cat out)"

# part of a line, and a line that is done: which of them are, the message says
printf '%s\n' 'put text /dir/4' 'mkdir /some /of /dir' > script
e2bfo 8 batch --commit-every 1 image.img script
says 'done up to line 1 of script, and part of the next one, and that stays'
ask image.img 'ls -p /' > names
grep -q '/some/' names && grep -q '/of/' names || fail "$(cat names)"

# ---- a pipe: what waits is committed when nothing more is there to be read ----

# appears IMAGE NAME: in its root, while nothing is written to the pipe
appears() {
	local tries

	for tries in {1..2000}; do
		ask "$1" 'ls -p /' > names
		! grep -q "/$2/" names || return 0
	done
	fail "nothing was committed while the pipe was empty"
}

cp --sparse=always start.img image.img
mkfifo pipe
"$E2BFO" batch --commit-every auto image.img < pipe > out 2> said &
exec 9> pipe
echo 'put text /piped' >&9
appears image.img piped
echo 'put text /later' >&9
exec 9>&-
wait $! || fail "$(cat said)"
grep -q 'commits: 2$' out || fail "$(cat out)"
checked image.img
e2bfo 0 cat image.img /later
cmp out text

# A file with holes is one for it, though it comes in pieces; so is a member of an archive.
# Files of /proc have content, whatever their size says.
cp --sparse=always start.img image.img
for i in 0 1 2 3; do
	dd if=/dev/urandom of=holes bs=64k count=1 seek=$((i * 4)) conv=notrunc status=none
done
truncate -s 2M holes
echo 'put -t @1500000000 holes /holes' > script
e2bfo 0 batch --json --commit-every 1 image.img script
[ "$(jq .commits out)" = 1 ] && [ "$(jq .operations out)" -gt 4 ] || fail "$(cat out)"
tar -cf one.tar -S holes
e2bfo 0 batch --json --commit-every 1 --tar one.tar image.img
[ "$(jq .commits out)" = 1 ] || fail "$(cat out)"
echo 'put /proc/version /version' > script
e2bfo 0 batch image.img script
checked image.img
e2bfo 0 cat image.img /version
cmp out /proc/version
e2bfo 0 cat image.img /holes
cmp out holes

# So it is after some time, if that was asked for; and a signal ends it, though no line comes.
cp --sparse=always start.img image.img
"$E2BFO" batch --commit-every 0.01s image.img < pipe > out 2> said &
exec 9> pipe
echo 'put text /piped' >&9
appears image.img piped
kill -TERM $!
status=0
wait $! || status=$?
exec 9>&-
[ $status = 32 ] || fail "exit $status after a signal: $(cat said)"
says 'Cancelled' 'done up to line 1 of standard input, and that stays'
checked image.img
