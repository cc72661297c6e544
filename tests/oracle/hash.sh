#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo hash, copy --manifest-out and verify FORMAT:FILE, judged by sha256sum, mtree and hashdeep on
# what the kernel shows: all kinds of filesystems, holes, preallocation, inline data, links; targets
# with other blocks and inodes; trees and lists that are not the same.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup perl sha256sum mtree hashdeep fallocate bsdtar

# sums DIR: what sha256sum says of all files below DIR
sums() {
	(cd "$1" && find . -xdev -type f -print0 | sort -z | xargs -0 sha256sum)
}

# digests FILE: a list by sha256sum without comments, by names
digests() {
	grep -v '^#' "$1" | sort -k 2
}

mkdir tree
cp -r "$SRCDIR/lib" tree/
perl -e 'open(my $f, ">", "tree/sparse"); for (1 .. 40) { seek($f, $_ * 40000, 0); print $f "line $_\n" x 700; }
	open($f, ">", "tree/tiny"); print $f "tiny";'
perl -e 'open(my $f, ">", "tree/hole"); seek($f, 10 << 20, 0); print $f "x"; truncate($f, 20 << 20)'
: > tree/empty
ln tree/tiny tree/lib/again
ln -s tiny tree/link
ln -s "$(printf 'long%.0s' {1..200})" tree/long
mkfifo tree/pipe
mknod tree/null c 1 3
seq 300000 > tree/numbers
volume small.img 60M -b 1024 -O none -d tree
volume clusters.img 60M -O bigalloc -C 16384 -d tree
volume inline.img 60M -I 512 -O inline_data -d tree
volume large.img 60M -b 4096 -d tree
# Preallocated in the middle and behind the end; a last block that is full.
mounted large.img mnt rw
fallocate -o 1M -l 1M mnt/sparse
fallocate -n -o 2M -l 1M mnt/sparse
head -c 8192 mnt/numbers > mnt/whole
unmounted mnt

for image in small clusters inline large; do
	before=$(digest $image.img)
	mounted $image.img mnt
	e2bfo 0 hash $image.img
	cp out $image.sha256
	(cd mnt && sha256sum --strict --quiet -c ../$image.sha256) || fail "$image: sha256sum -c"
	sums mnt | sort -k 2 > expected
	digests out | cmp - expected || fail "$image: other digests or names"
	e2bfo 0 hash --memory 1M $image.img
	cmp out $image.sha256 || fail "$image: another list with little memory"
	e2bfo 0 hash --manifest-out mtree:$image.mtree --manifest-out hashdeep:$image.hashdeep \
		$image.img
	(cd mnt && mtree -f ../$image.mtree) > mtree.log || fail "$image: mtree: $(cat mtree.log)"
	(cd mnt && hashdeep -r -l -o f -a -v -k ../$image.hashdeep .) > hashdeep.log ||
		fail "$image: hashdeep: $(cat hashdeep.log)"
	unmounted mnt
	for list in sha256sum:$image.sha256 mtree:$image.mtree hashdeep:$image.hashdeep; do
		e2bfo 0 verify $image.img $list
		grep -q 'as the list says' out || fail "$image: $list"
	done
	unchanged $image.img "$before" hash
done

# ---- of a part ----

e2bfo 0 hash large.img /lib/base /tiny
grep ' \./\(lib/base/.*\|tiny\)$' large.sha256 > expected
digests out | cmp - expected || fail "another part"
e2bfo 0 hash --manifest-out mtree:part.mtree large.img /tiny
grep -q '^\./tiny .* nlink=1 ' part.mtree || fail "names that are not in the list count: $(cat part.mtree)"
e2bfo 0 verify --from /tiny large.img mtree:part.mtree
e2bfo 0 hash --exclude '*.c' --exclude /hole large.img
grep -v '\.c$\|/hole$' large.sha256 > kept
digests kept > expected
digests out | cmp - expected || fail "what was excluded comes, or more is missing"
e2bfo 0 hash tree
digests out > expected
e2bfo 0 hash small.img
digests out | cmp - expected || fail "of the directory, other digests"
tar -C tree -cf tree.tar .
e2bfo 0 hash tree.tar
digests out | cmp - expected || fail "of the archive, other digests"

# ---- on the way ----

# entries FILE: of a list by mtree, but lost+found, which a target has by itself
entries() {
	grep -v '^#\|^\./lost+found ' "$1"
}

# on_the_way SOURCE ARGUMENTS...: lists of a copy are those of the source
on_the_way() {
	local source=$1

	shift
	rm -f target.img way.*
	e2bfo 0 copy "$@" --manifest-out sha256sum:way.sha256 --manifest-out mtree:way.mtree \
		"$source" target.img
	checked target.img
	cmp <(entries way.mtree) <(entries "${source%.img}.mtree") || fail "copy $*: another list (mtree)"
	cmp way.sha256 "${source%.img}.sha256" || fail "copy $*: another list"
	e2bfo 0 verify target.img mtree:way.mtree
}

for image in small clusters inline large; do
	on_the_way $image.img --mkfs --size 80M
	on_the_way $image.img --mkfs='-b 1024' --size 80M --memory 2M
	on_the_way $image.img --mkfs='-b 4096 -I 1024 -O inline_data' --size 80M
done
volume merged.img 80M
e2bfo 0 copy --from /lib --to /old --manifest-out sha256sum:part.sha256 large.img merged.img
mounted merged.img mnt
sums mnt | sort -k 2 > expected
unmounted mnt
digests part.sha256 | cmp - expected || fail "the list of a part has other names than the target"

# ---- what is not the same ----

# differs STATUS TEXT: what verify says of large.img and mtree:other
differs() {
	e2bfo "$1" verify large.img mtree:other
	grep -q "$2" out said || fail "not said: $2: $(cat out said)"
}

same_but() {
	sed "$1" large.mtree | grep -v '^# sha256' > other
	! cmp -s other <(grep -v '^# sha256' large.mtree) || fail "$1 changes nothing"
}

same_but '/^\.\/tiny /d'
differs 1 '^/tiny: missing, only in large.img'
same_but 's|^\./tiny |./tony |'
differs 1 '^/tony: extra, only in mtree:other'
same_but '/^\.\/tiny /s/mode=0644/mode=0600/'
differs 1 '^/tiny: mode 0644, other 0600'
same_but '/^\.\/tiny /s/mode=0644/mode=4644/'
differs 1 '^/tiny: mode 0644, other 4644'
same_but '/^\.\/tiny /s/uid=0/uid=5/'
differs 1 '^/tiny: uid 0, other 5'
same_but '/^\.\/tiny /s/gid=0/gid=7/'
differs 1 '^/tiny: gid 0, other 7'
same_but '/^\.\/tiny /s/size=4/size=5/'
differs 1 '^/tiny: size 4, other 5'
same_but '/^\.\/tiny /s/nlink=2/nlink=3/'
differs 1 '^/tiny: nlink 2, other 3'
same_but "/^\.\/tiny /s/sha256digest=.*/sha256digest=$(printf '0%.0s' {1..64})/"
differs 1 '^/tiny: data '
same_but '/^\.\/link /s/link=tiny/link=tina/'
differs 1 '^/link: symlink "tiny", other "tina"'
same_but '/^\.\/pipe /s/type=fifo/type=socket/'
differs 1 '^/pipe: type fifo, other socket'
same_but '/^\.\/null /s/device=[^ ]*/device=native,1,5/'
differs 1 '^/null: device 1:3, other 1:5'
e2bfo 1 verify --json large.img mtree:other
grep -qF '"differences": [{"kind": "device", "path": "/null", "value": "1:3", "other": "1:5"}], "damage": [],' \
	out || fail "--json: $(cat out)"
same_but '/^\.\/link /d'
e2bfo 1 verify --json large.img mtree:other
grep -qF '"differences": [{"kind": "missing", "path": "/link"}], "damage": [],' out || fail "--json: $(cat out)"
same_but '/^\.\/tiny /s/\(time=[0-9]*\.\)[0-9]*/\1123456789/'
differs 1 '^/tiny: mtime '
e2bfo 0 verify --ignore mtime large.img mtree:other
sed 's/size=4 /size=5 /' large.mtree > other
differs 8 'of other: the lines above it were changed'
e2bfo 8 verify large.img mtree:nowhere
: > other
differs 8 'empty\|no'

# Data that are not what they were.
cp large.img other.img
block=$(ask other.img 'bmap /numbers 3')
printf X | dd of=other.img bs=1 seek=$((block * 4096 + 7)) conv=notrunc status=none
e2bfo 1 verify other.img sha256sum:large.sha256
[ "$(grep -c ': data ' out)" = 1 ] || fail "not one file: $(cat out)"
grep -q '^/numbers: data ' out || fail "not /numbers: $(cat out)"

# What is damaged is no difference alone.
cp large.img other.img
debug other.img 'set_inode_field /whole mode 0170000'
e2bfo 8 verify --json other.img mtree:large.mtree
grep -qF '"damage": [{"kind": "inode-mode", "volume": "a", "path": "/whole", ' out || fail "--json: $(cat out)"
says 'other.img: /whole: inode has no valid type'

# A list without digests.
(cd tree && bsdtar -cf ../plain --format=mtree --options='!md5,!sha256' .)
e2bfo 0 verify --ignore mtime small.img mtree:plain
printf '#mtree\n. type=dir mode=0755\n' > plain
e2bfo 1 verify -v small.img mtree:plain
grep -q '^/tiny: missing' out || fail "not said: $(cat out)"
e2bfo 16 verify small.img bodyfile:plain
says 'a bodyfile is written, not read'

# A hole that would take minutes can be cancelled.
truncate -s 10T tree/endless
volume endless.img 60M -d tree
rm tree/endless
for how in "hash endless.img" "copy --manifest-out sha256sum:way endless.img target2.img"; do
	rm -f target2.img
	volume target2.img 60M
	"$E2BFO" $how > out 2> said &
	process=$!
	# half a second of the processor: all else is read in less
	until [ "$(awk '{ print $14 }' /proc/$process/stat)" -gt 50 ]; do
		:
	done
	kill -TERM $process
	status=0
	wait $process || status=$?
	[ $status = 32 ] || fail "$how: status $status, cancelled in a hole: $(cat said)"
	[ ! -e way ] || fail "a list of what was not read"
done

# ---- what cannot be ----

for wrong in mtree nonsense:x mtree: sha512sum:x; do
	e2bfo 16 hash --manifest-out $wrong large.img
	says "$wrong.*no FORMAT:FILE"
done
e2bfo 8 hash --manifest-out mtree:large.mtree large.img
says 'making manifest large.mtree'
e2bfo 8 hash --manifest-out mtree:nowhere/list large.img
e2bfo 16 hash
for wrong in '' / //; do
	e2bfo 16 hash --exclude "$wrong" large.img
	says "exclude '$wrong': no pattern"
done
e2bfo 8 hash nowhere.img
e2bfo 8 hash large.img /nowhere
says '/nowhere'
# A copy that fails leaves no list, and nothing of one.
volume full.img 2M
e2bfo 8 copy --manifest-out mtree:left large.img full.img
[ -z "$(ls -A | grep '^left')" ] || fail "a list of what was not copied"
status=0
"$E2BFO" hash large.img > /dev/full 2> said || status=$?
[ $status = 8 ] || fail "status $status where nothing can be written"
says 'No space left on device'
status=0
"$E2BFO" hash large.img >&- 2> said || status=$?
[ $status = 8 ] || fail "status $status where standard output is closed"
