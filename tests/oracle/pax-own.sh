#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Archives of our own, made byte by byte by paxforge, with all that an ext4 has: debugfs finds it in
# the copy, whether the archive is read where it lies, is compressed, or comes out of a pipe, and
# verify finds no difference to the archive.  One that is cut anywhere, or whose headers say what
# cannot be, is refused with the byte, and the target stays as it was.
# long
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs gzip xz zstd python3

forge=$SRCDIR/tests/oracle/paxforge

# has IMAGE PATH LINE...: debugfs shows these lines of the inode, spaces aside
has() {
	local image=$1 path=$2 line

	shift 2
	ask "$image" "stat \"$path\"" | tr -s ' ' | sed 's/^ //; s/ $//' > stat
	for line; do
		grep -qxF -- "$line" stat || fail "$image: $path has no \"$line\": $(cat stat)"
	done
}

# mapped IMAGE PATH EXTENT...: its extents, each FIRST-LAST, with "u" if nothing was written there
mapped() {
	local image=$1 path=$2 is

	shift 2
	# level/depth entry/entries first - last physical [- last] blocks [Uninit]
	is=$(ask "$image" "ex $path" | tr / ' ' | awk '
		NR > 1 && $1 == $2 { printf("%s-%s%s ", $5, $7, /Uninit/ ? "u" : "") }')
	[ "${is% }" = "$*" ] || fail "$image: $path is mapped as \"$is\" instead of \"$*\""
}

# attribute IMAGE PATH NAME HEX: the value of an extended attribute
attribute() {
	rm -f value
	ask "$1" "ea_get -f value \"$2\" $3"
	[ "$(od -An -v -tx1 value | tr -d ' \n')" = "$4" ] || fail "$1: $2 has another $3: $(od -tx1 value)"
}

# content IMAGE PATH SHA256
content() {
	[ "$(ask "$1" "cat \"$2\"" | sha256sum)" = "$3  -" ] || fail "$1: $2 has another content"
}

# pattern SIZE FIRST: what paxforge fills files with
pattern() {
	python3 -c 'import sys
size, first = map(int, sys.argv[1:])
sys.stdout.buffer.write(bytes((first + i // 512) % 251 + 1 for i in range(size)))' "$1" "$2"
}

# behind IMAGE PATH BLOCK... < BYTES: these blocks of a file have these bytes
behind() {
	local image=$1 path=$2 block

	shift 2
	for block; do
		dd if="$image" bs=4096 count=1 skip="$(ask "$image" "bmap $path $block")" status=none
	done > value
	cmp value - || fail "$image: $path has something else behind its end"
}

# judged IMAGE: all of what "paxforge all" says
judged() {
	local image=$1 long all link

	checked "$image"
	has "$image" / 'Generation: 4294967295 Version: 0x00000000:00000000'
	has "$image" /file 'Generation: 123456789 Version: 0xffffffff:ffffffff' \
		'User: 3000000 Group: -2 Project: -294967296 Size: 5000' \
		'mtime: 0xfffffffe:77359400 -- Wed Dec 31 23:59:58 1969' \
		'atime: 0xffffffff:2faf0800 -- Wed Dec 31 23:59:59 1969' \
		'ctime: 0x00000000:00000005 -- Sun Feb 7 06:28:16 2106' \
		'crtime: 0xffffffff:2faf0800 -- Wed Dec 31 23:59:59 1969'
	grep -q 'Mode: 04640 Flags: 0x28880c8$' stat || fail "$image: mode or flags: $(cat stat)"
	attribute "$image" /file user.a=b%c 7800790a7a
	attribute "$image" /file user.a%3D ''
	attribute "$image" /file trusted.bin \
		"$(python3 -c 'print("".join("%02x" % i for i in range(256)))')"
	mapped "$image" /file 0-1 2-2u 4-19u
	content "$image" /file "$(pattern 5000 1 | sha256sum | head -c 64)"
	has "$image" /plain 'Generation: 0 Version: 0x00000000:00000000' \
		'crtime: 0x00000005:00000000 -- Thu Jan 1 00:00:05 1970' \
		'mtime: 0x00000001:00000000 -- Thu Jan 1 00:00:01 1970' \
		'User: 0 Group: 0 Project: 0 Size: 3'
	mapped "$image" /small 0-0u
	has "$image" /named 'User: 0 Group: 0 Project: 0 Size: 0'
	grep -q 'Flags: 0x880090$' stat || fail "$image: flags of /named: $(cat stat)"
	mapped "$image" /holes 0-0u 2-2 4-5u 10-10
	content "$image" /holes "$({ head -c 8192 /dev/zero; pattern 4096 7; head -c 28672 /dev/zero
		pattern 100 8; } | sha256sum | head -c 64)"
	mapped "$image" /none
	has "$image" /none 'User: 0 Group: 0 Project: 0 Size: 1048576'
	mapped "$image" /preallocated 0-3u
	has "$image" /preallocated 'User: 0 Group: 0 Project: 0 Size: 12288'
	mapped "$image" /huge 2097152-2097152 2359295-2359296
	has "$image" /huge 'User: 0 Group: 0 Project: 0 Size: 9663676421'
	ask "$image" "ea_list /acl" > acls
	grep -q 'system.posix_acl_access (28) = 01 00 00 00 01 00 07 00 02 00 05 00 70 11 01 00 04 00 05 00 10 00 07 00 20 00 00 00' acls &&
		grep -q 'system.posix_acl_default (36) = 01 00 00 00 01 00 07 00 02 00 03 00 05 00 00 00 04 00 04 00 08 00 01 00 06 00 00 00 10 00 05 00 20 00 04 00' acls ||
		fail "$image: access control lists: $(cat acls)"
	has "$image" $'/caf\xe9' 'User: 0 Group: 0 Project: 0 Size: 5'
	long=/long$(printf "/$(printf '%0250d' 0)%.0s" {1..16} | tr 0 n)
	content "$image" "$long" "$(printf deep | sha256sum | head -c 64)"
	content "$image" "${long%?}"$'caf\xe9' "$(printf bad | sha256sum | head -c 64)"
	[ "$(inode_of "$image" /linked)" = "$(inode_of "$image" "$long")" ] || fail "$image: /linked"
	content "$image" /link "$(printf 't%.0s' {1..300} | sha256sum | head -c 64)"
	has "$image" /fast 'Links: 2 Blockcount: 0' $'Fast link dest: "caf\xe9"'
	[ "$(inode_of "$image" /fast)" = "$(inode_of "$image" /fast2)" ] || fail "$image: /fast2"
	has "$image" /char '(New-style) Device major/minor number: 4095:1048575 (hex fff:fffff)'
	has "$image" /block 'Device major/minor number: 07:09 (hex 07:09)'
	ask "$image" 'stat /pipe' | grep -q 'Type: FIFO .*Mode:  0622' || fail "$image: /pipe"
	has "$image" /socket 'Generation: 99 Version: 0x00000000:00000000' \
		'User: 4000000 Group: 7 Project: 98 Size: 0' 'Links: 3 Blockcount: 0' \
		'crtime: 0x0000004d:0000001c -- Thu Jan 1 00:01:17 1970'
	grep -q 'Type: socket Mode: 0751' stat || fail "$image: /socket: $(cat stat)"
	attribute "$image" /socket trusted.s 736f636b6574
	all=$(inode_of "$image" /socket)
	for link in /socket2 /socket3; do
		[ "$(inode_of "$image" $link)" = "$all" ] || fail "$image: $link is another inode"
	done
}

# ---- all of it, in every way ----

mkfs=--mkfs="-t ext4 -O project"
"$forge" all all.tar
e2bfo 0 copy "$mkfs" --size 64M all.tar file.img
judged file.img
e2bfo 0 verify all.tar file.img
zstd -q all.tar
gzip -k all.tar
e2bfo 0 copy "$mkfs" --size 64M all.tar.zst packed.img
judged packed.img
e2bfo 0 verify all.tar.zst packed.img
e2bfo 0 verify file.img packed.img
for fed in all.tar all.tar.gz; do
	fed $fed
	e2bfo 0 copy "$mkfs" --size 64M - pipe.img
	judged pipe.img
	e2bfo 0 verify file.img pipe.img
	rm pipe.img
done
fed all.tar.gz
e2bfo 0 copy "$mkfs" --size 64M --spool - spooled.img
e2bfo 0 verify file.img spooled.img
rm spooled.img

# What verify does not see, it cannot call equal.
for change in 'set_inode_field /plain generation 1' 'set_inode_field /plain version 1' \
	'set_inode_field /plain projid 1' 'set_inode_field /plain flags 0x80040' \
	'set_inode_field /plain crtime @77' 'fallocate /plain 1 1'; do
	cp file.img changed.img
	debug changed.img "$change"
	e2bfo 1 verify all.tar changed.img
done

# What has no place is named, and all else comes.
"$forge" odd odd.tar
e2bfo 1 copy --mkfs --size 16M odd.tar odd.img
checked odd.img
says '/: .*no place' '/twice: .*no place' '/strange: .*no place'

# Flags of features come, or are lost as they are from one volume to another.
"$forge" folded folded.tar
e2bfo 0 copy --mkfs="-t ext4 -O casefold" --size 16M folded.tar folded.img
checked folded.img
has folded.img /folded/Inner 'User: 0 Group: 0 Project: 0 Size: 4096'
grep -q 'Flags: 0x400.0000$' stat || fail "flags of /folded/Inner: $(cat stat)"
e2bfo 0 verify folded.tar folded.img
fed folded.tar
e2bfo 0 copy --mkfs="-t ext4 -O casefold" --size 16M - folded2.img
e2bfo 0 verify folded.img folded2.img
rm folded2.img
"$forge" verity verity.tar
zstd -q verity.tar
for archive in verity.tar verity.tar.zst -; do
	rm -f verity.img
	[ $archive != - ] || fed verity.tar
	e2bfo 0 copy --mkfs="-t ext4 -O verity" --size 16M $archive verity.img
	checked verity.img
	content verity.img /verity "$(pattern 5000 1 | sha256sum | head -c 64)"
	mapped verity.img /verity 0-1 2-2u 16-17 18-18u 19-19 20-20u
	mapped verity.img /large 0-0 16-527
	mapped verity.img /holes 2-2
	mapped verity.img /empty 0-0
	pattern 12288 2 | behind verity.img /verity 16 17 19
	pattern 2097152 4 | behind verity.img /large {16..527}
	pattern 4096 5 | behind verity.img /empty 0
	ask verity.img 'ea_list /verity' | grep -q '(4) = 00 01 3d 0a' || fail "no descriptor"
	[ $archive = - ] || e2bfo 0 verify $archive verity.img
	e2bfo 0 copy verity.img again.tar
	e2bfo 0 verify verity.tar again.tar
	"$JUDGES/dbmanifest" -x /lost+found verity.img > is
	rm -f again.img
	e2bfo 0 copy --mkfs="-t ext4 -O verity" --size 16M again.tar again.img
	"$JUDGES/dbmanifest" -x /lost+found again.img | cmp - is || fail "the second copy differs from the first"
	rm again.tar
done
for archive in verity.tar verity.tar.zst -; do
	fed verity.tar
	e2bfo 8 copy --mkfs --size 16M $archive plain.img
	says 'allow-loss=verity'
	fed verity.tar
	e2bfo 1 copy --mkfs --size 16M --allow-loss=verity $archive plain.img
	checked plain.img
	content plain.img /verity "$(pattern 5000 1 | sha256sum | head -c 64)"
	mapped plain.img /verity 0-1 2-2u 18-18u 20-20u
	rm plain.img
done
e2bfo 8 copy --mkfs="-t ext4 -O verity -b 1024" --size 16M verity.tar plain.img
says 'allow-loss=verity'

"$forge" sealed sealed.tar
zstd -q sealed.tar
for archive in sealed.tar sealed.tar.zst -; do
	rm -f sealed.img
	[ $archive != - ] || fed sealed.tar
	e2bfo 0 copy --mkfs="-t ext4 -O encrypt,casefold" --size 16M $archive sealed.img
	checked sealed.img
	"$JUDGES/dbmanifest" -x /lost+found sealed.img > is
	[ "$(grep -ac ^/vault/ is)" = 5 ] || fail "other names: $(cat is)"
	python3 -c 'import sys
image = open("sealed.img", "rb").read()
odd = b"a/b\0..\n/" + bytes(range(200, 208))
for what in (odd, odd + bytes.fromhex("67452301efcdab89"), b"\x10\0" + bytes(range(16))):
    what in image or sys.exit("no %r" % what)' || fail "names, hashes or targets"
	[ $archive = - ] || e2bfo 0 verify $archive sealed.img
	e2bfo 0 copy --force sealed.img again.tar
	e2bfo 0 verify sealed.tar again.tar
done

e2bfo 0 copy --force folded.img again.tar
e2bfo 0 verify folded.tar again.tar
e2bfo 8 copy --mkfs --size 16M folded.tar plain.img
says 'allow-loss=casefold'
e2bfo 1 copy --mkfs --size 16M --allow-loss=casefold folded.tar plain.img
checked plain.img
says '/folded: casefolded' '/folded/Inner: casefolded'

# Blocks of 1024 bytes, of which larger ones would have parts only.
"$forge" fine fine.tar
gzip -k fine.tar
for archive in fine.tar fine.tar.gz; do
	rm -f fine.img
	e2bfo 0 copy --mkfs="-t ext4 -b 1024" --size 16M $archive fine.img
	checked fine.img
	mapped fine.img /fine 0-0u 1-1 3-3u 5-6 8-10u 11-11 12-12u
	e2bfo 0 verify $archive fine.img
done
fed fine.tar
e2bfo 0 copy --mkfs="-t ext4 -b 1024" --size 16M - piped.img
mapped piped.img /fine 0-0u 1-1 3-3u 5-6 8-10u 11-11 12-12u

# In clusters that have data nothing is unwritten.
fed fine.tar
e2bfo 0 copy --mkfs="-t ext4 -b 1024 -O bigalloc -C 4096" --size 16M - clusters.img
checked clusters.img
content clusters.img /fine "$(ask fine.img 'cat /fine' | sha256sum | head -c 64)"
rm clusters.img
fed all.tar
e2bfo 0 copy --mkfs="-t ext4 -O project,bigalloc -C 16384" --size 64M - clusters.img
checked clusters.img
content clusters.img /holes "$(ask file.img 'cat /holes' | sha256sum | head -c 64)"

# A file of 8 GiB without a hole: its size stands in a record, and what follows 8 GiB further on.
"$forge" large large.tar
volume target.img 64M
e2bfo 8 copy -n large.tar target.img
says ': 2097154 blocks of 4096 bytes needed'
rm large.tar

# ---- what is cut, or cannot be ----

# refused ARCHIVE WORDS: the target is as it was; the message has WORDS, and a byte.  (Where links
# lead to, and what directories are, is known in the end.)
before=$(digest target.img)
refused() {
	e2bfo 8 copy "$1" target.img
	says "$2" ' byte [0-9]+|is a hard link to|: the name '
	unchanged target.img "$before" "$1"
}

"$forge" whole whole.tar
"$forge" small small.tar
for archive in whole small; do
	size=$(stat -c %s $archive.tar)
	[ $((size % 10240)) = 0 ] || fail "$archive.tar has $size bytes"
	for ((cut = 1024; cut < size; cut += 512)); do
		head -c $cut $archive.tar > cut.tar
		refused cut.tar 'truncated|its map says|ends within'
	done
	for cut in 1025 $((size / 2 - 1)) $((size - 1)); do
		head -c $cut $archive.tar > cut.tar
		refused cut.tar 'truncated|its map says|ends within'
		gzip < cut.tar > cut.tar.gz
		refused cut.tar.gz 'truncated|its map says|ends within'
		fed cut.tar
		e2bfo 8 copy - target.img
		says 'truncated|its map says|ends within' ' byte [0-9]+'
	done
	gzip < $archive.tar | head -c -3 > cut.tar.gz
	refused cut.tar.gz 'truncated'
	volume target.img 64M
	e2bfo 0 copy $archive.tar target.img
	checked target.img
	volume target.img 64M
	before=$(digest target.img)
done

# The end mark is there, but not the checksum of what is compressed.
"$forge" random random.tar
for packer in gzip xz zstd; do
	$packer < random.tar | head -c -3 > random.cut
	refused random.cut 'random.cut|truncated'
	fed random.cut
	e2bfo 8 copy - target.img
	unchanged target.img "$before" "$packer out of a pipe"
	$packer < random.tar > random.whole
	e2bfo 0 copy -n random.whole target.img
done

mkdir damaged
"$forge" damaged damaged
for archive in damaged/*.tar; do
	refused $archive 'Damage was found'
done
[ "$(ls damaged | wc -l)" -ge 70 ] || fail "too few damaged archives"
while read -r archive words; do
	e2bfo 8 copy damaged/$archive.tar target.img
	says "$words"
done <<< 'key-twice comes twice: E2BFO.project
key-unknown means nothing here: E2BFO.other
sealed-bare without its blocks
sealed-policy no policy says how
sealed-policy-short no policy says how
sealed-fifo encrypted, and nothing that can be
sealed-size no whole blocks
sealed-size-large no whole blocks
size-plain size of an encrypted file
secret-bare is ciphertext, and its directory is not
secret-plain is ciphertext, and its directory is not
secret-implied is ciphertext, and its directory is not
secret-other does not stand for the name
secret-short no encrypted directory can have
secret-later was no ciphertext
secret-padding no valid value of a key: E2BFO.name
hash-plain has hashes, and its directory
hash-short no valid value of a key: E2BFO.hash
cipher-lacks encrypted symbolic link without its target
cipher-other does not stand for the one
cipher-length a target that is no ciphertext
verity-bare without its blocks
verity-flagless without its blocks
verity-directory protected by fs-verity, and no file
verity-two blocks of another size
blocks-odd blocks of a size that there is not
tail-flagless data behind its end
tail-within no whole blocks
tail-missing data behind its end are missing
tail-short a piece of the data behind its end is damaged
tail-member data behind its end are missing
tail-unwritten data where nothing was written
own-xattr-known no name or value of an attribute
own-xattr-twice an attribute that comes twice
folded-bare without its encoding
folded-flagless without its encoding
folded-file casefolded, and no directory
folded-two another encoding
encoding-zero no valid value of a key: E2BFO.encoding
encoding-link a hard link with attributes
version-large no valid value of a key: E2BFO.version
acl-letters no valid value of a key: SCHILY.acl.access
unwritten-data data where nothing was written
sparse-less other data than its map says
extended-large no valid size
format-later format that is not known
socket-bare a socket without its attributes
checksum at byte 1024: the checksum'
