#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo verify: a copy is equal, and one change at a time - by debugfs, by poking bytes - is named
# by path and word, nothing else is, and the exit status is 1. What nobody can see, or what is only
# laid out otherwise, is no difference. Damage is exit 8. Nothing is written. (What a kernel changes
# is in verify-mounted.sh.)
# long
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl
. "$SRCDIR/tests/differences.sh"

# ---- equal ----

begin
before=$(digest a.img)
named 'the same bytes' ''
e2bfo 0 verify a.img b.img
says_out '^Compared [0-9]+ files and [0-9]+ directories, .*: equal\.$'
volume b.img 400M -N 30000
e2bfo 0 copy a.img b.img
named 'a copy' ''
named 'a copy, with little memory' '' --memory 1M

# ---- data ----

# flipped PATH BYTE OPTIONS...
flipped() {
	local path=$1 byte=$2

	shift 2
	begin
	flip "$(byte_at "$path" "$byte")"
	named "byte $byte of $path" "$path: data" "$@"
	says_out ": data differs from byte $byte on\$"
}

for byte in 0 1500000 3145727; do
	flipped /files/three-megabytes $byte
	flipped /files/three-megabytes $byte --memory 1M
done
flipped /files/one-byte 0
flipped /files/block-and-byte 4096
flipped /files/over-4g 4294967300
flipped /files/fifteen-terabytes 16384000000001
flipped /files/depth-two 20480000
begin
flip "$(byte_at /files/three-megabytes 2000000)"
flip "$(byte_at /files/three-megabytes 1000000)"
flip "$(byte_at /files/one-block 7)"
named 'three bytes of two files' '/files/three-megabytes: data
/files/one-block: data' --memory 1M
says_out '^/files/three-megabytes: data differs from byte 1000000 on$'
unchanged a.img "$before" verify
before=$(digest b.img)
e2bfo 1 verify a.img b.img
unchanged b.img "$before" verify
begin
flip "$(byte_at /files/five-fragments 10)"
flip "$(byte_at /files/five-fragments 16390)"
named 'two bytes of one file' '/files/five-fragments: data'
says_out '^/files/five-fragments: data differs from byte 10 on$'
begin
poke "$(byte_at /files/block-and-byte 4097)" 77
named 'a byte behind the end' ''
begin
poke "$(byte_at /files/unwritten 5000)" 77
named 'a byte of an unwritten block' ''

# ---- attributes ----

f=/files/empty
set_f="set_inode_field $f"
changed mode $f "$set_f mode 0100645"
changed uid $f "$set_f uid 1"
changed uid $f "$set_f uid 65536"
changed gid $f "$set_f gid 1"
changed gid $f "$set_f gid 65536"
changed mtime $f "$set_f mtime_extra 5"
changed mtime $f "$set_f mtime 0x7fffffff"
changed atime $f "$set_f atime_extra 4"
changed atime $f "$set_f atime 1"
changed ctime $f "$set_f ctime_extra 4"
changed ctime $f "$set_f ctime 1"
changed crtime $f "$set_f crtime_extra 4"
changed crtime $f "$set_f crtime 1"
changed generation $f "$set_f generation 1"
changed version $f "$set_f version 0x77"
changed version $f "$set_f version_hi 1"
changed flags $f "$set_f flags 0x80040"
changed project $f "$set_f projid 5"
changed nlink $f "$set_f links_count 2"
changed mode / 'set_inode_field / mode 040700'
changed mtime / 'set_inode_field / mtime 1'
changed project /trees 'set_inode_field /trees projid 5'
changed device /special/char-small 'set_inode_field /special/char-small block[0] 0x104'
changed device /special/char-big 'set_inode_field /special/char-big block[1] 0xfffffffe'
changed size /files/hole-only 'set_inode_field /files/hole-only size 1048577'
changed symlink /links/target-58 'set_inode_field /links/target-58 block[0] 0x75757575'
changed mode /links/target-58 'set_inode_field /links/target-58 mode 0120700'

begin
flip "$(byte_at /links/target-255 254)"
named 'a long symlink' '/links/target-255: symlink'
says_out ' \(255 bytes\), other ".*" \(255 bytes\), from byte 254 on$'
begin
debug b.img 'set_inode_field /times/pipe-1 mode 0140644'
named 'another type' '/times/pipe-1: type'
begin
debug b.img "$set_f mtime 1" "$set_f mtime_extra 0" "$set_f mode 0107777" "$set_f uid 9"
named 'four at once' "$f: mtime
$f: mode
$f: uid"
says_out "^$f: mtime [-0-9]* [0-9:]*\\.[0-9]{9} \\+0000, other 1970-01-01 00:00:01\\.0{9} \\+0000\$"

# ---- extended attributes ----

x=/xattrs/inside-1
changed xattr $x "ea_set $x user.short other"
says_out "^$x: xattr user.short \"value 1\", other \"other\"\$"
changed xattr $x "ea_rm $x user.short"
says_out "^$x: xattr user.short \"value 1\", other none\$"
changed xattr $x "ea_set $x user.more \"\""
says_out "^$x: xattr user.more none, other \"\"\$"
changed xattr /xattrs/both 'ea_set /xattrs/both user.large short'
changed xattr /xattrs/both 'ea_set /xattrs/both user.small INSIDE'
changed xattr /xattrs/empty-value 'ea_set /xattrs/empty-value user.empty 1'
changed xattr /shared/s700 'ea_rm /shared/s700 user.shared'
begin
debug b.img "ea_rm $x user.short" "ea_set $x user.Short \"value 1\""
named "an attribute's name" "$x: xattr
$x: xattr"

# ---- names and links ----

changed missing /names/nn 'unlink /names/nn'
says_out '^/names/nn: missing, only in a.img$'
changed missing /trees 'unlink /trees'
changed extra /trees/new 'link /files/empty /trees/new'
says_out '^/trees/new: extra, only in b.img$'
changed links /links/harder 'unlink /links/harder' 'link /files/empty /links/harder'
says_out '^/links/harder: links with /files/one-block, other with /files/empty$'

# ---- every kind can be ignored, alone ----

begin
debug b.img "$set_f mode 0100600" "$set_f uid 5" "$set_f gid 6" "$set_f projid 7"
for kind in mode uid gid project; do
	named "without $kind" "$(printf "$f: %s\n" mode uid gid project | grep -v ": $kind\$")" \
		--ignore $kind
done
named 'without four kinds' '' --ignore mode,uid --ignore gid,project
begin
flip "$(byte_at /files/three-megabytes 5)"
named 'without data' '' --ignore data

# ---- parts ----

begin
debug b.img "$set_f uid 5" "set_inode_field /trees/wide uid 6"
named 'a part' '/trees/wide: uid' --from /trees --to /trees
named 'a part that is equal' '' --from /xattrs --to xattrs/
named 'a file' "$f: uid" --from $f --to $f
named 'a part of the part' '/trees/wide: uid' --from /trees/wide --to //trees/./wide/
volume b.img 400M -N 30000
e2bfo 0 copy --from /links --to /old/place a.img b.img
named 'a part somewhere else' '/links/hard: nlink
/links/hard-block: nlink
/links/hard-pipe: nlink
/links/hard-socket: nlink' --from /links --to /old/place/links
e2bfo 8 verify --from /links/none a.img b.img
says 'No such file or directory while looking for /links/none in a.img'
e2bfo 8 verify --from /files/empty/x a.img b.img
says 'Not a directory while'

# ---- other geometries: mke2fs -d puts one tree into all ----

mkdir tree tree/d
perl -e '
	sub made { my $n = shift; open(my $f, ">", $n) or die; print $f shift; $f }
	made("tree/d/$_", "content $_\n" x (7 * $_)) for 1 .. 600;
	my $f = made("tree/sparse", "");
	for (0, 4096 * 3 + 100, 4096 * 9, 4096 * 40 - 2) { sysseek($f, $_, 0); syswrite($f, "x") }
	symlink("s" x 300, "tree/slow"); symlink("s" x 20, "tree/fast");'
as_owner mknod tree/device b 300 70000
geometries=0
export E2FSPROGS_FAKE_TIME=1767225600
for how in '-t ext4 -b 4096 -I 1024' '-t ext4 -b 1024 -I 128' '-t ext2 -b 1024 -I 128' \
	'-t ext3 -b 2048 -I 256' '-t ext4 -b 2048 -O ^metadata_csum,^64bit'; do
	for image in base b; do
		rm -f $image.img
		truncate -s 64M $image.img
		[ $image = b ] || how2='-t ext4 -b 4096 -I 256'
		as_owner mke2fs -q -F $([ $image = b ] && echo "$how" || echo "$how2") -d tree $image.img \
			2> /dev/null
	done
	for image in base b; do
		debug $image.img 'ea_set /d/1 user.x value' \
			"ea_set /d/2 user.y $(printf 'y%.0s' {1..400})"
	done
	base=base.img
	named "mke2fs $how" '' --ignore atime,crtime,generation
	flip "$(byte_at /sparse 36864 "$(echo "$how" | sed 's/.*-b \([0-9]*\).*/\1/')")"
	named "a bit, mke2fs $how" '/sparse: data' --ignore atime,crtime,generation
	says_out ': data differs from byte 36864 on$'
	geometries=$((geometries + 1))
done
[ $geometries = 5 ]
unset E2FSPROGS_FAKE_TIME

# ---- pokes, and damage: no checksums to stop them ----

base=plain.img
volume $base 32M -O ^metadata_csum -d tree
# entry_at NAME: its directory entry in the root's block
entry_at() {
	local at

	at=$(($(ask b.img 'bmap / 0') * 4096))
	echo $((at + $(dd if=b.img bs=4096 skip=$((at / 4096)) count=1 status=none |
		grep -abo "$1" | head -1 | cut -d: -f1) - 8))
}
# leads NAME OTHER: NAME's entry gets the inode that OTHER has in $base
leads() {
	local ino

	ino=$(inode_of $base "/$2")
	poke "$(entry_at "$1")" "$(printf %02x $((ino % 256)))" "$(printf %02x $((ino / 256)))"
}

begin $base
poke $(($(entry_at sparse) + 8)) 53
named 'a letter of a name' '/Sparse: extra
/sparse: missing'
begin $base
leads fast slow
leads slow fast
named 'two names changed places' '/fast: size
/fast: symlink
/slow: size
/slow: symlink' --ignore $made

# damaged WHAT PATTERN
damaged() {
	e2bfo 8 verify "$base" b.img
	says "$2"
	e2bfo 8 verify b.img "$base"
	says "$2"
	checks=$((checks + 1))
}
begin $base
debug b.img 'set_inode_field /d/7 mode 0170644'
damaged 'a file of no type' '^e2bfo: b.img: /d/7: inode has no valid type'
says_out '1 damaged, no further difference\.$'
begin $base
poke $(($(entry_at sparse) + 4)) 03
damaged 'an entry of no length' '^e2bfo: b.img: /: directory block is damaged'
begin $base
poke "$(entry_at sparse)" ff ff
damaged 'a name of no inode' '^e2bfo: b.img: /sparse: name points to no inode'
says_out '/sparse: (missing|extra), only in plain.img'
begin $base
leads sparse d
damaged 'a second name of a directory' '^e2bfo: b.img: /(d|sparse): directory has a second name'
begin $base
truncate -s 16M b.img
damaged 'a device that is too small' 'warning: b.img ends before its filesystem does'

# ---- refused, stopped ----

status=0
"$E2BFO" verify --progress none $base /dev/null > out 2> said || status=$?
[ $status = 8 ] || fail "not a filesystem: exit $status"

# It is held at its first word about progress, by a pipe that is full; then SIGINT comes.
status=0
perl -e '
	pipe(my $read, my $write) or die;
	fcntl($write, 1031, 4096) or die "F_SETPIPE_SZ: $!";
	syswrite($write, "." x 4096) == 4096 or die;
	my $pid = fork() // die;
	if (!$pid) {
		$SIG{INT} = "DEFAULT";
		open(STDERR, ">&", $write) or die;
		exec(@ARGV);
	}
	close($write);
	my $caught = 0;
	while (!$caught) {
		open(my $f, "<", "/proc/$pid/status") or die "it has ended";
		/^SigCgt:\s*\S*([0-9a-f])$/ && hex($1) & 2 and $caught = 1 while <$f>;
	}
	kill("INT", $pid);
	1 while sysread($read, my $said, 4096);
	waitpid($pid, 0);
	exit($? >> 8);' "$E2BFO" verify --progress bar a.img a.img > out || status=$?
[ $status = 32 ] || fail "stopped by SIGINT: exit $status"
[ ! -s out ] || fail "stopped, and yet it said: $(cat out)"
echo "$checks comparisons"
