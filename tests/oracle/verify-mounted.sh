#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo verify: what the kernel changes, one thing at a time, is named by path and word, and nothing
# else is: access control lists, links, holes and what is preallocated.  A mounted filesystem is
# refused.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr setfacl chattr losetup perl fallocate
. "$SRCDIR/tests/differences.sh"

# by_kernel COMMAND...: in a fresh copy, mounted
by_kernel() {
	begin
	mounted b.img mnt rw,noatime
	(cd mnt && "$@") || fail "$*"
	unmounted mnt
}

# ---- access control lists ----

by_kernel setfacl -n -m u:12345:r xattrs/acl
named 'an ACL' '/xattrs/acl: xattr' --ignore ctime,version
by_kernel setfacl -d -m u:1:r xattrs/default-acl
named 'a default ACL' '/xattrs/default-acl: xattr' --ignore ctime,version

# ---- links ----

by_kernel bash -c 'cp -a files/one-block new && mv new links/harder'
named 'a hard link broken into two files' '/links/harder: links
/files/one-block: nlink
/links/harder: nlink' --ignore $made
says_out '^/links/harder: links with /files/one-block, other with no name before$'
by_kernel bash -c 'cp -a files/one-byte files/twin'
cp --sparse=always b.img twins.img
begin twins.img
mounted b.img mnt rw,noatime
ln -f mnt/files/one-byte mnt/files/twin
unmounted mnt
base=twins.img
named 'two files joined by a hard link' '/files/twin: links
/files/one-byte: nlink
/files/twin: nlink' --ignore $made
base=

# ---- holes ----

by_kernel dd if=/dev/zero of=files/hole-only bs=4096 seek=3 count=1 conv=notrunc status=none
named 'a hole filled with zeroes' '/files/hole-only: holes' --ignore $made
says_out ': holes differ from byte 12288 on$'
by_kernel dd if=/dev/zero of=files/unwritten bs=4096 seek=9 count=1 conv=notrunc status=none
named 'an unwritten block written with zeroes' '/files/unwritten: holes' --ignore $made
mv b.img written.img
begin
poke "$(byte_at /files/unwritten 36865)" 77
mv b.img poked.img
begin written.img
base=poked.img
named 'the same, and what stands in the unwritten block' '/files/unwritten: holes' --ignore $made
base=
by_kernel dd if=/dev/zero of=files/hole-only bs=1M count=1 conv=notrunc status=none
named 'a large hole filled, with little memory' '/files/hole-only: holes' --ignore $made --memory 1M
by_kernel dd if=files/one-block of=files/unwritten bs=4096 seek=9 conv=notrunc status=none
named 'an unwritten block written' '/files/unwritten: data
/files/unwritten: holes' --ignore $made
says_out ': data differs from byte 36864 on$'
by_kernel fallocate -n -o 0 -l 8192 files/one-byte
named 'blocks preallocated past the end' '/files/one-byte: holes' --ignore $made
by_kernel fallocate -n -o 65536 -l 4096 files/hole-only
named 'a hole that becomes unwritten' '/files/hole-only: holes' --ignore $made

# ---- refused ----

begin
mounted b.img mnt rw,noatime
e2bfo 8 verify a.img "$(cat .state/device-mnt)"
says 'mounted'
unmounted mnt
echo "$checks comparisons"
