#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Containers that are damaged, forged, of another filesystem, or none at all: e2itree -n tells, -p
# mends, and nothing crashes, hangs or trusts them; e2bfo copies what else is there.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup chattr setfattr getfattr perl

forge=$SRCDIR/tests/oracle/itreeforge
size=1024
uuid=01234567-89ab-cdef-0123-456789abcdef

# filled DIR SALT: two directories with names that need index nodes, and one without
filled() {
	mkdir -p "$1"
	perl -e '
		chdir($ARGV[0]); mkdir($_) for qw(one two few);
		for my $d (qw(one two)) {
			open(my $f, ">", "$d/$ARGV[1]-file-$_-" . "n" x ($_ % 25)) for 1 .. 60;
		}
		for (1 .. 5) { open(my $f, ">", "few/$_"); print $f $_; }' "$1" "$2"
}

# made IMAGE TREE
made() {
	rm -f "$1"
	truncate -s 8M "$1"
	quietly mke2fs -q -F -t ext4 -b $size -N 400 -J size=1 -E hash_seed=$uuid -U $uuid \
		-d "$2" "$1"
}

filled tree first
filled other other
made plain tree
cp plain whole
e2itree 1 -p whole
checked whole
"$forge" tell whole $size > blocks
[ "$(wc -l < blocks)" -ge 8 ] || fail "too few blocks: $(cat blocks)"
grep -q node blocks || fail "no index nodes"

# fresh: "image" is whole again
fresh() {
	rm -f image
	cp --sparse=always whole image
}

# mended WHAT: e2itree mends "image"
mended() {
	e2itree 1 -p image
	checked image
	e2itree 0 -n image
	e2itree 0 -l image
	[ "$(grep -c ' fresh ' out)" = 2 ] || fail "$1: $(cat out)"
}

# seen WHAT: -n reports, other ways to look end in time, -p mends
seen() {
	local how status

	for how in "-n" "-n --json" "-l" "-l --json" "-d /one" "-d /two" "-r -n"; do
		status=0
		timeout 20 "$E2ITREE" $how image > out 2> said || status=$?
		[ $status -lt 32 ] || fail "$1: e2itree $how: status $status"
		[ "$how" != -n ] || [ $status = 4 ] ||
			fail "$1: e2itree -n: status $status: $(cat out said)"
	done
	mended "$1"
}

# ---- every byte ----

# All bytes are seen, used or not.
fresh
while read -r block what used; do
	first=$((block * size)) end=$(((block + 1) * size))
	case $what in
	header | catalogue | leaf:0:0 | node:0:*) step=1 ;;
	*) step=17 ;;
	esac
	"$forge" flip image $size $first $((block * size + used)) $step "$E2ITREE" -n > seen
	"$forge" flip image $size $((block * size + used)) $end 61 "$E2ITREE" -n >> seen
	grep -qv '^4 ' seen && fail "a flip in block $block, $what: $(tr '\n' ',' < seen)"
	"$forge" flip image $size $first $((block * size + used)) 97 "$E2ITREE" -l > seen
	grep -qv '^0 ' seen && fail "-l: a flip in block $block, $what: $(tr '\n' ',' < seen)"
	"$forge" flip image $size $first $((block * size + used)) 97 "$E2ITREE" -d /one > seen
	grep -qv '^[08] ' seen && fail "-d: a flip in block $block, $what: $(tr '\n' ',' < seen)"
	"$forge" flip image $size $first $end 389 bash -c \
		'cp --sparse=always "$2" flipped; "$1" -p flipped; [ $? = 1 ] && "$1" -n flipped &&
		e2fsck -fn flipped' - "$E2ITREE" > seen
	grep -qv '^0 ' seen && fail "-p: a flip in block $block, $what: $(tr '\n' ',' < seen)"
done < blocks
cmp -s image whole || fail "not all flips were taken back"

# ---- what checksums do not tell ----

# forged WHAT ARGUMENTS: for itreeforge set
forged() {
	local what=$1

	shift
	fresh
	"$forge" set image $size "$@" || fail "$what: forging"
	cmp -s image whole && fail "$what: nothing is forged"
	seen "$what"
}

root=$(sed -n 's/.* node:0:\([0-9]*\) .*/\1/p' blocks | tail -1)
blocks=$(wc -l < blocks)
forged "version" header 8 4 2
forged "block size" header 0x20 4 4096
forged "block size 0" header 0x20 4 0
forged "seed" header 0x24 4 1
forged "trees" header 0x3c 4 0xffffffff
forged "no trees" header 0x3c 4 0
forged "one tree less" header 0x3c 4 1
forged "trees in an absurd catalogue" header 0x3c 4 0xfffffff0 header 0x58 4 286331153 \
	header 0x50 4 0xffffffff
forged "blocks" header 0x50 4 0xffffffff
forged "no blocks" header 0x50 4 0
forged "one block less" header 0x50 4 $((blocks - 1))
forged "catalogue at 0" header 0x54 4 0
forged "catalogue behind the end" header 0x54 4 $blocks
forged "catalogue elsewhere" header 0x54 4 2
forged "hash" header 0x38 4 77
forged "hash seed" header 0x40 4 5
forged "entries in the catalogue" catalogue:0 4 2 65535
forged "entries in the catalogue, fewer" catalogue:0 4 2 1
for field in "inode 0x10 4 0" "inode 0x10 4 0xffffffff" "inode 0x10 4 2" "inode 0x50 4 11" \
	"generation 0x14 4 99" "levels 0x2c 4 0" "levels 0x2c 4 2" "levels 0x2c 4 8" \
	"levels 0x2c 4 0xffffffff" "set 0x30 8 1" "entries 0x38 8 0" \
	"entries 0x38 8 0x7fffffffffffffff" "first 0x40 4 0" "first 0x40 4 1" "first 0x40 4 3" \
	"first 0x40 4 0xffffffff" "blocks 0x44 4 0" "blocks 0x44 4 0xffffffff" \
	"blocks 0x44 4 1" "blocks 0x44 4 500" "root 0x48 4 0" "root 0x48 4 0xffffffff" \
	"leaves 0x4c 4 0" "leaves 0x4c 4 1" "leaves 0x4c 4 0xffffffff"; do
	set -- $field
	forged "catalogue: $field" catalogue:0 "$2" "$3" "$4"
done
for field in "count 0 2 0" "count 0 2 65535" "count 0 2 1" "limit 2 2 3" "limit 2 2 65535" \
	"level 8 1 1" "level 8 1 255" "loop 17 8 $root" "outside 17 8 0xffffffffffffffff" \
	"twice 35 8 0" "key 9 4 0xffffffff" "fullness 25 1 0" "flags 26 1 1" "flags 26 1 255"; do
	set -- $field
	forged "node: $field" node:0:$root "$2" "$3" "$4"
done
for field in "used 4 2 0" "used 4 2 8" "used 4 2 9" "used 4 2 65535" "used 4 2 1028" \
	"hash 8 4 1" "inode 12 4 0" "inode 12 4 0xffffffff" "rec_len 16 2 0" "rec_len 16 2 4" \
	"rec_len 16 2 8" "rec_len 16 2 65535" "rec_len 16 2 1020" "name_len 18 1 0" \
	"name_len 18 1 255" "name 20 1 47" "name 20 1 0" "name 20 1 120"; do
	set -- $field
	forged "leaf: $field" leaf:0:0 "$2" "$3" "$4"
done

fresh
"$forge" set image $size catalogue:0 0x44 4 7
e2itree 4 -n image
grep -q 'two trees overlap' out || fail "trees that overlap: $(cat out)"

# A loop of levels: a node that is its own child at the level below.
fresh
"$forge" set image $size node:0:$root 8 1 1 node:0:$root 17 8 "$root" catalogue:0 0x2c 4 2
seen "a node below itself"

# ---- its file ----

# e2fsck does not mind a block past the end.
for bytes in $(((blocks - 1) * size)) $((blocks * size - 1)) 3000; do
	fresh
	debug image "sif /.e2itree size $bytes"
	seen "size $bytes"
done
fresh
debug image "sif /.e2itree size 0"
e2itree 8 -n image
e2itree 8 -p image
says 'is no container'
repaired image
seen "size 0, and e2fsck"
for range in "1 1" "3 4" "$((blocks - 1)) $((blocks - 1))"; do
	fresh
	debug image "punch /.e2itree $range"
	seen "punched $range"
done

# Others have given it a name, or an attribute: it is not removed; the attribute stays.
for what in name attribute; do
	fresh
	mounted image mnt rw,noatime
	chattr -i mnt/.e2itree
	case $what in
	name)	ln mnt/.e2itree mnt/few/name ;;
	attribute) setfattr -n user.large -v "$(printf 'v%.0s' {1..500})" mnt/.e2itree ;;
	esac
	chattr +i mnt/.e2itree
	touch mnt/one/new
	unmounted mnt
	repaired image
	before=$(digest image)
	e2itree 8 -r -y image
	says 'remove it in a mount, with chattr -i and rm'
	unchanged image "$before" "another $what"
	seen "another $what"
done
mounted image mnt
getfattr -n user.large mnt/.e2itree > /dev/null || fail "no attribute"
unmounted mnt

# ---- another filesystem's ----

fresh
"$forge" set image $size header 0x10 8 0x1122334455667788
seen "another UUID"

# Both have the same UUID, inode numbers, generations (0) and counts.
made theirs other
e2itree 1 -p theirs
ask theirs "dump /.e2itree container"
for where in other same; do
	fresh
	mounted image mnt rw,noatime
	chattr -i mnt/.e2itree
	cat container > mnt/.e2itree
	chattr +i mnt/.e2itree
	unmounted mnt
	[ $where = same ] || "$forge" set image $size header 0x10 8 0x1122334455667788
	repaired image
	e2itree 0 -l image
	grep -q ' fresh ' out && fail "another filesystem's container is fresh"
	seen "$where filesystem's container"
done

# ---- copies of damaged sources ----

manifest_of() {
	manifests "$1" "$2" -x /.e2itree
	sed -i 's,^/ .*,/,' "$2.kernel" "$2.disk"
}

mke2fs_target() {
	volume target 32M -b 1024
}

manifest_of plain plain
for what in "" "header 8 4 2" "header 0x50 4 0xffffffff" "catalogue:0 0x40 4 0" \
	"node:0:$root 17 8 $root" "leaf:0:0 16 2 0" "leaf:0:0 20s 1 1" "catalogue:0 20s 1 1" \
	"header 20s 1 1"; do
	fresh
	[ -z "$what" ] || "$forge" set image $size $what
	before=$(digest image)
	mke2fs_target
	e2bfo 0 copy image target
	unchanged image "$before" "the source"
	checked target
	[ -z "$(inode_of target /.e2itree)" ] || fail "$what: the container was copied"
	manifest_of target target
	same plain.kernel target.kernel
	e2bfo 0 verify image target
done

# ---- things of that name ----

for what in file directory symlink empty; do
	cp --sparse=always plain image
	mounted image mnt rw,noatime
	case $what in
	file)	seq 1000 > mnt/.e2itree ;;
	empty)	: > mnt/.e2itree ;;
	directory) mkdir mnt/.e2itree; touch mnt/.e2itree/name ;;
	symlink) ln -s few/1 mnt/.e2itree ;;
	esac
	unmounted mnt
	repaired image
	before=$(digest image)
	for how in -n -p -y "-f -y" "-r -y" "-d /one" -l; do
		e2itree 8 $how image
		says 'e2itree: '
		unchanged image "$before" "$what, e2itree $how"
	done
	manifests image source
	mke2fs_target
	e2bfo 0 copy image target
	checked target
	manifests target target
	same_trees source target
	grep -q '^/.e2itree ' target.kernel || fail "$what was not copied"
	e2bfo 0 verify image target
	mke2fs_target
	before=$(digest target)
	e2bfo 8 copy --itree image target
	unchanged target "$before" "$what, and --itree"
done
