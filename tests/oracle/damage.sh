#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Damage in the source, one kind at a time, below /bad: exit 1, a report with inode number and
# path, the damaged thing not in the target, everything else there, e2fsck content.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs losetup perl

# tree NAME [mke2fs arguments]: NAME.img and its manifest
tree() {
	local name=$1

	shift
	filling "$name.img" mnt 48M "$@"
	perl -e '
		sub made { my $n = shift; open(my $f, ">", $n) or die "$n: $!"; print $f "$n " x 500; }
		chdir("mnt") or die;
		mkdir($_) or die "$_: $!"
			for qw(good good/sub bad bad/dir bad/names bad/sub bad/big bad/other);
		made("good/file-$_"), made("good/sub/file-$_") for 1 .. 50;
		link("good/file-1", "good/sub/link") or die;
		symlink("s" x 200, "good/symlink") or die;
		made("bad/$_") for qw(file second third xattr);
		made("bad/dir/file-$_") for 1 .. 20;
		made("bad/names/$_") for qw(..Xescape dup1 dup2 slashXname nulXname dots short okay);
		made("bad/sub/file-$_") for 1 .. 3;
		symlink("t" x 30, "bad/fast") or die;
		symlink("t" x 300, "bad/slow") or die;
		made("bad/big/entry-$_") for 1 .. 1000;
		open(my $tiny, ">", "bad/tiny") or die;
		print $tiny "tiny";
		open(my $f, ">", "bad/tree") or die;
		for (0 .. 999) { sysseek($f, $_ * 8192, 0); syswrite($f, "block $_") or die; }'
	is_filled mnt
	debug "$name.img" "ea_set /bad/xattr user.large $(printf 'v%.0s' {1..1000})"
	checked "$name.img"
	manifests "$name.img" "$name"
}

tree sums
tree plain -O ^metadata_csum
tree inline -O ^metadata_csum,inline_data

# begin BASE: a fresh copy to damage
begin() {
	base=$1
	cp --sparse=always "$base.img" source.img
}

# poke OFFSET HEX...: bytes of the source
poke() {
	local at=$1

	shift
	printf "$(printf '\\x%s' "$@")" |
		dd of=source.img bs=1 seek="$at" conv=notrunc status=none
}

# flip OFFSET: one bit
flip() {
	poke "$1" "$(printf %02x $(($(od -An -tu1 -j "$1" -N 1 source.img) ^ 64)))"
}

# inode_at PATH: the offset of its inode
inode_at() {
	ask source.img "imap $1" | perl -ne '
		printf("%d\n", $1 * 4096 + hex($2)) if /block (\d+), offset 0x([0-9a-f]+)/'
}

# block_at PATH N: the offset of its Nth block
block_at() {
	echo $(($(ask source.img "bmap $1 $2") * 4096))
}

# leaf_of PATH: the first leaf block of its extent tree
leaf_of() {
	ask source.img "extents $1" | awk '$1 ~ /^0\// { print $8; exit }'
}

# entry_at DIRECTORY NAME: the offset of its directory entry in the first block
entry_at() {
	local at

	at=$(block_at "$1" 0)
	dd if=source.img bs=4096 skip=$((at / 4096)) count=1 status=none | perl -0777 -e '
		my ($block, $at) = (scalar(<STDIN>), 0);
		while ($at < 4096) {
			my ($ino, $len, $n) = unpack("VvC", substr($block, $at, 8));
			print($ARGV[1] + $at), exit if substr($block, $at + 8, $n) eq $ARGV[0];
			$at += $len || die("no such entry\n");
		}
		die("no such entry: $ARGV[0]\n");' "$2" "$at"
}

# number PATH...: inode numbers, as an extended expression
number() {
	local path list=

	for path; do
		list="$list|$(inode_of "$base.img" "$path")"
	done
	echo "${list#|}"
}

# judged WHAT NUMBERS PATH [manifest options]: copies, and judges. PATH has been damaged.
judged() {
	local what=$1 numbers=$2 path=$3 status=0 line

	shift 3
	e2fsck -fn source.img > /dev/null 2>&1 && fail "$what: there is no damage"
	volume target.img 64M
	"$E2BFO" copy source.img target.img > out 2> said < /dev/null || status=$?
	[ $status = 1 ] || fail "$what: exit $status, expected 1: $(cat out said)"
	line=$(grep -F -e "$path" said | grep -Ew "($numbers)") ||
		fail "$what: not reported with number ($numbers) and path $path: $(cat said)"
	echo "$what: $line" | head -3
	checked target.img
	kernel_manifest "$base.img" -x /lost+found "$@" > expected
	kernel_manifest target.img -x /lost+found "$@" > actual
	! grep -E '^(/bad)?/escape ' actual || fail "$what: a name has escaped"
	same expected actual
}

# gone PATH: the target has no such name
gone() {
	[ -z "$(inode_of target.img "$1")" ] || fail "$1 is in the target"
}

# ---- checksums ----
begin sums
flip $(($(inode_at /bad/file) + 17))
judged 'inode checksum' "$(number /bad/file)" /bad/file -x /bad/file
gone /bad/file

begin sums
flip $(($(inode_at /bad/dir) + 17))
judged 'inode checksum of a directory' "$(number /bad/dir)" /bad/dir -x /bad/dir -o nlink

begin sums
flip $(($(block_at /bad/dir 0) + 60))
judged 'directory block checksum' "$(number /bad/dir)" /bad/dir -x /bad/dir -o nlink

begin sums
flip $(($(block_at /bad/big 2) + 60))
judged 'directory block checksum, one of several' "$(number /bad/big)" /bad/big -x /bad/big -o nlink

begin sums
leaf=$(leaf_of /bad/tree)
flip $((leaf * 4096 + 100))
judged 'extent block checksum' "$(number /bad/tree)" /bad/tree -x /bad/tree
gone /bad/tree

begin sums
block=$(ask source.img 'stat /bad/xattr' | sed -n 's/^File ACL: //p')
flip $((block * 4096 + 4000))
judged 'xattr block checksum' "$(number /bad/xattr)" /bad/xattr -x /bad/xattr

# ---- structures, without checksums to tell ----
begin plain
leaf=$(leaf_of /bad/tree)
poke $((leaf * 4096)) 00 00
judged 'extent block magic' "$(number /bad/tree)" /bad/tree -x /bad/tree
gone /bad/tree

begin plain
poke $((leaf * 4096 + 12 + 8)) ff ff ff 7f
judged 'extent beyond the end' "$(number /bad/tree)" /bad/tree -x /bad/tree

begin plain
poke $((leaf * 4096 + 12 + 12)) 00 00 00 00
judged 'extents out of order' "$(number /bad/tree)" /bad/tree -x /bad/tree

begin plain
poke $(($(inode_at /bad/tree) + 40 + 12 + 4)) "$(printf %02x $((leaf & 255)))" ff ff 7f
judged 'index beyond the end' "$(number /bad/tree)" /bad/tree -x /bad/tree

begin plain
poke $(($(inode_at /bad/file) + 40)) ff ff
judged 'extent root magic' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
poke $(($(inode_at /bad/file) + 40 + 2)) ff 00
judged 'extent root count' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
poke $(($(inode_at /bad/file) + 108)) ff ff ff ff
judged 'size beyond any file' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
poke $(($(inode_at /bad/file) + 0)) 00 00
judged 'mode of no type' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
poke $(($(inode_at /bad/slow) + 4)) ff ff 00 00
judged 'symlink longer than a block' "$(number /bad/slow)" /bad/slow -x /bad/slow

begin plain
block=$(ask source.img 'stat /bad/xattr' | sed -n 's/^File ACL: //p')
poke $((block * 4096)) 00 00 00 00
judged 'xattr block magic' "$(number /bad/xattr)" /bad/xattr -x /bad/xattr

begin plain
poke $((block * 4096 + 32 + 2)) ff ff
judged 'xattr value outside' "$(number /bad/xattr)" /bad/xattr -x /bad/xattr

begin plain
poke $((block * 4096 + 32)) ff
judged 'xattr name outside' "$(number /bad/xattr)" /bad/xattr -x /bad/xattr

begin plain
poke $(($(inode_at /bad/xattr) + 104)) ff ff ff 7f
judged 'xattr block beyond the end' "$(number /bad/xattr)" /bad/xattr -x /bad/xattr

begin plain
debug source.img 'sif /bad/file size 6' 'sif /bad/file mode 0120644'
judged 'a file that became a short symlink' "$(number /bad/file)" /bad/file -x /bad/file
gone /bad/file

begin inline
debug source.img 'sif /bad/tiny mode 0140644'
judged 'a file that became a socket, with content in its inode' "$(number /bad/tiny)" /bad/tiny \
	-x /bad/tiny -o iflags
[ -n "$(inode_of target.img /bad/tiny)" ] || fail "the socket is not in the target"

begin inline
debug source.img 'sif /bad/tiny mode 0140644' 'sif /bad/tiny size 0'
judged 'a socket that claims to have content' "$(number /bad/tiny)" /bad/tiny -x /bad/tiny -o iflags

# ---- names ----
names="$(number /bad/names)"
begin plain
poke $(($(entry_at /bad/names ..Xescape) + 8 + 2)) 2f
judged 'name ../escape' "$names|$(number /bad/names/..Xescape)" /bad/names -x /bad/names/..Xescape

begin plain
poke $(($(entry_at /bad/names slashXname) + 8 + 5)) 2f
judged 'name with a slash' "$names|$(number /bad/names/slashXname)" /bad/names \
	-x /bad/names/slashXname

begin plain
poke $(($(entry_at /bad/names nulXname) + 8 + 3)) 00
judged 'name with a NUL' "$names|$(number /bad/names/nulXname)" /bad/names -x /bad/names/nulXname

begin plain
poke $(($(entry_at /bad/names dots) + 6)) 02 01 2e 2e
judged 'a second ..' "$names|$(number /bad/names/dots)" /bad/names -x /bad/names/dots

begin plain
poke $(($(entry_at /bad/names dots) + 6)) 01 01 2e
judged 'a second .' "$names|$(number /bad/names/dots)" /bad/names -x /bad/names/dots

begin plain
poke $(($(entry_at /bad/names short) + 6)) 00
judged 'an empty name' "$names|$(number /bad/names/short)" /bad/names -x /bad/names/short

begin plain
poke $(($(entry_at /bad/names short) + 6)) ff
judged 'a name longer than its entry' "$names|$(number /bad/names/short)" /bad/names -x /bad/names \
	-o nlink

begin plain
poke $(($(entry_at /bad/names dup2) + 8 + 3)) 31
judged 'duplicate names' "$names|$(number /bad/names/dup1)|$(number /bad/names/dup2)" /bad/names \
	-x /bad/names/dup1 -x /bad/names/dup2
gone /bad/names/dup2

begin plain
poke $(($(entry_at /bad/names dots) + 4)) 00 00
judged 'an entry of no length' "$names" /bad/names -x /bad/names -o nlink

begin plain
poke $(($(entry_at /bad/names dots) + 4)) 0d 00
judged 'an entry of odd length' "$names" /bad/names -x /bad/names -o nlink

begin plain
poke "$(entry_at /bad/names dots)" ff ff ff 7f
judged 'an inode beyond the last' "$names|2147483647" /bad/names -x /bad/names/dots

begin plain
poke "$(entry_at /bad/names dots)" 07 00 00 00
judged 'a reserved inode' "$names|7" /bad/names -x /bad/names/dots

begin plain
debug source.img "clri /bad/second"
judged 'a free inode' "$(number /bad/second /bad)" /bad -x /bad/second
gone /bad/second

# ---- the shape of the tree ----
begin plain
debug source.img 'ln /bad/sub /bad/other/again'
judged 'a directory linked twice' "$(number /bad/sub /bad /bad/other)" /bad/ \
	-x /bad/sub -x /bad/other/again -o nlink

begin plain
debug source.img 'ln /bad /bad/sub/cycle'
judged 'a directory below itself' "$(number /bad /bad/sub)" /bad/sub -x /bad/sub/cycle -o nlink

begin plain
debug source.img 'ln / /bad/sub/cycle'
judged 'the root below itself' "2|$(number /bad/sub)" /bad/sub -x /bad/sub/cycle -o nlink

begin plain
poke "$(block_at /bad/sub 0)" "$(printf %02x $(($(number /bad/other) & 255)))"
judged "'.' of another directory" "$(number /bad/sub)" /bad/sub -x /nothing

begin plain
poke $(($(block_at /bad/sub 0) + 12)) 02 00 00 00
judged "'..' to the root" "$(number /bad/sub)" /bad/sub -x /nothing

begin plain
debug source.img "set_inode_field /bad/big size 4096"
judged 'a directory shorter than its blocks' "$(number /bad/big)" /bad/big -x /bad/big -o nlink

# ---- blocks that two things claim: both are copied as they read, and both are reported ----
# claim PATH BLOCK: PATH's first extent begins there
claim() {
	local at=$(($(inode_at "$1") + 40 + 12 + 8))

	poke $at $(printf '%08x' "$2" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4 \3 \2 \1/')
}

begin plain
claim /bad/file $(($(block_at /bad/second 0) / 4096))
judged 'a block of two files' "$(number /bad/file)" /bad/file -x /bad/file
grep -q "^e2bfo: /bad/second: .*inode $(number /bad/second)" said ||
	fail "the other is not reported"
ask target.img 'cat /bad/file' > one
ask plain.img 'cat /bad/second' > other
cmp -n 4500 one other || fail "it is not copied as it reads"

begin plain
table=$(dumpe2fs plain.img 2> /dev/null | sed -n 's/.*Inode table at \([0-9]*\)-.*/\1/p' | head -1)
claim /bad/file $((table + 1))
judged 'a block of the inode table' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
claim /bad/file "$(ask plain.img 'bmap <8> 5')"
judged 'a block of the journal' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
claim /bad/file 1
judged 'a block of the descriptors' "$(number /bad/file)" /bad/file -x /bad/file

begin plain
claim /bad/file "$leaf"
judged 'a block of an extent tree' "$(number /bad/file)" /bad/file -x /bad/file
grep -q "^e2bfo: /bad/tree: .*inode $(number /bad/tree)" said || fail "its owner is not reported"

# ---- damage that is not in what is copied is nobody's business ----
begin sums
flip $(($(inode_at /bad/file) + 17))
flip $(($(block_at /bad/dir 0) + 60))
flip $(($(leaf_of /bad/tree) * 4096 + 100))
volume target.img 64M
e2bfo 0 copy --from /good source.img target.img
[ ! -s said ] || fail "reported damage that is elsewhere: $(cat said)"
e2bfo 1 copy --from /bad --to /other source.img target.img
[ "$(grep -c . said)" = 3 ] || fail "three were to be reported: $(cat said)"
e2bfo 1 copy --from / --to /third source.img target.img
[ "$(grep -c . said)" = 3 ] || fail "three were to be reported: $(cat said)"
checked target.img

# ---- both of several ----
begin sums
flip $(($(inode_at /bad/file) + 17))
flip $(($(inode_at /bad/second) + 17))
flip $(($(inode_at /bad/fast) + 41))
judged 'several' "$(number /bad/second)" /bad/second -x /bad/file -x /bad/second -x /bad/fast
for path in /bad/file /bad/second /bad/fast; do
	grep -F -e "$path" said | grep -qw "$(number $path)" ||
		fail "several: $path is not reported"
done
