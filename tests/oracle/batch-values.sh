#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch sets attributes whose values are too large for inode and block: with the feature
# ea_inode they get inodes of their own.  Equal values of a commit share one; what nobody refers to
# any more goes.  Judged by e2fsck, which adds up references, hashes and quota, by debugfs, by this
# kernel, which reads and removes them, and by the numbers of inodes and blocks that are free.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs dumpe2fs base64

head -c 65536 /dev/urandom > most
head -c 30000 /dev/urandom > large
head -c 3000 /dev/urandom > some
head -c 9000 most > other
head -c 8000 most > idle

# set_line PATH NAME FILE: a line of a script
set_line() {
	printf '{"op": "setxattr", "path": "%s", "name": "%s", "value_bytes": "%s"}\n' "$1" "$2" \
		"$(base64 -w 0 "$3")"
}

# free_of IMAGE: free inodes and blocks
free_of() {
	dumpe2fs -h "$1" 2> /dev/null | grep '^Free \(inodes\|blocks\):'
}

# done_to ARGUMENTS...: the script is done, and the image is sound
done_to() {
	e2bfo 0 batch "$@" image.img script
	checked image.img
}

# holds PATH NAME FILE: the value is FILE's; the kernel says so, too, where it is asked
holds() {
	ask image.img "ea_get -f is $1 $2"
	cmp -s is "$3" || fail "$2 of $1 is not $3"
	! is_root || echo "mnt$1 $2 $3" >> asked
}

lacks() {
	! ask image.img "ea_list $1" | grep -q "^  $2 " || fail "$1 has $2"
}

# The kernel reads all that holds() was told since the last time.
kernel_agrees() {
	local path name file

	is_root || return 0
	mounted image.img mnt
	while read -r path name file; do
		getfattr -h --only-values -n "$name" "$path" 2> /dev/null | cmp -s - "$file" ||
			fail "the kernel: $name of $path is not $file"
	done < asked
	unmounted mnt
	rm asked
}

# inodes IMAGE: how many are in use
inodes() {
	dumpe2fs -h "$1" 2> /dev/null | awk '/^Inode count/ { n = $3 } /^Free inodes/ { n -= $3 }
		END { print n }'
}

# moves MKE2FS-ARGUMENTS...
moves() {
	local before n more

	volume image.img 32M -N 512 "$@"
	printf '%s\n' 'mkdir /dir' 'mknod /keep p' 'chown 7:8 /keep' > script
	printf '{"op": "put", "path": "/%s", "data": "text", "uid": 7}\n' a b c d e f >> script
	done_to
	before=$(free_of image.img)

	# equal values share an inode: 3 of them, and what was set twice leaves none
	{
		set_line /a user.one large
		set_line /b user.one idle
		set_line /b user.one large
		set_line /dir user.dir large
		set_line /keep trusted.most most
		set_line /c user.small text
		set_line /c user.some some
		set_line /c user.other other
		set_line /e user.gone large
		echo 'rm /e'
	} > script
	n=$(inodes image.img)
	done_to
	holds /a user.one large
	holds /b user.one large
	holds /dir user.dir large
	holds /keep trusted.most most
	holds /c user.small text
	holds /c user.some some
	holds /c user.other other
	more=$(($(inodes image.img) - n))	# large, most, other, perhaps some; /e has gone
	[ $more = 2 ] || [ $more = 3 ] || fail "$*: $more inodes more than before"
	kernel_agrees

	# replaced, shared with one that goes, next to others that move; each a commit
	{
		set_line /a user.one other
		set_line /a user.two some
		set_line /b user.three most
		echo 'put -n script /new'
		echo 'rmxattr /dir user.dir'
		set_line /c user.other large
		set_line /d user.one large
	} > script
	done_to --commit-every 1
	holds /a user.one other
	holds /a user.two some
	holds /b user.one large
	holds /b user.three most
	holds /d user.one large
	lacks /dir user.dir
	kernel_agrees

	# a value of another name, a file and a tree: what they alone had goes
	printf '%s\n' 'rmxattr /a user.one' 'rmxattr /a user.two' 'rmxattr /b user.one' \
		'rmxattr /b user.three' 'rmxattr /keep trusted.most' 'rm -r /dir /c /d /new' > script
	done_to
	printf '%s\n' 'mkdir /dir' > script
	printf '{"op": "put", "path": "/%s", "data": "text", "uid": 7}\n' c d e >> script
	done_to
	[ "$(free_of image.img)" = "$before" ] ||
		fail "$*: not all came free: $before, then $(free_of image.img)"
}

echo text > text
: > asked
moves -O ea_inode
moves -O ea_inode -b 1024 -I 128
moves -O ea_inode,quota,inline_data -I 512 -E quotatype=usrquota:grpquota
moves -O ea_inode,bigalloc,quota -C 16384
moves -O ea_inode,^metadata_csum,^64bit,^extents -b 2048

# ---- what the kernel does with them ----

volume image.img 32M -O ea_inode
{
	printf '{"op": "put", "path": "/%s", "data": "text"}\n' a b c
	set_line /a user.one large
	set_line /b user.one large
	set_line /c user.two most
} > script
done_to
if is_root; then
	mounted image.img mnt rw,noatime
	rm mnt/a
	setfattr -n user.two -v short mnt/c
	getfattr --only-values -n user.one mnt/b | cmp -s - large || fail "gone with /a"
	setfattr -n user.kernel -v 0x"$(od -An -v -tx1 large | tr -d ' \n')" mnt/c
	unmounted mnt
	checked image.img
	echo 'rmxattr /c user.kernel' > script
	set_line /b user.more other >> script
	done_to
	lacks /c user.kernel
	holds /b user.one large
fi

# ---- refused ----

head -c 65537 /dev/urandom > over
set_line /b user.over over > script
e2bfo 8 batch image.img script
says 'script:1: No such name, path or value .*/b: user.over would have more than 65536 bytes'
volume image.img 8M
echo 'put text /a' > script
set_line /a user.large large >> script
e2bfo 8 batch image.img script
says 'script:2: Extended attributes are too large for the target .*/a: inode and block have no room for its attributes'
