#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The archives that we write, judged by others: by their bytes, by Python's tarfile, and by what GNU
# tar and bsdtar make of them on an ext4.  The tree has what is hard to keep: names of all lengths
# and bytes, holes, times, attributes.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs mount tar bsdtar python3 zstd

writer() {
	"$JUDGES/tarwriter" "$@" < items 2> noted || fail "tarwriter $*: $(cat noted)"
}

judge() {
	"$SRCDIR/tests/oracle/tarjudge" "$@" || fail "tarjudge $*"
}

# extracted READER COMMAND...: into an empty ext4, as its judge wants it; what it says is in said
extracted() {
	local reader=$1

	shift
	volume target.img 400M -O ea_inode -I 256
	mounted target.img target rw
	"$@" -C target > said 2>&1 || fail "$*: $(head -5 said)"
	judge tree target "$reader"
	unmounted target
}

judge items > items
writer > all.tar
judge archive all.tar
[ "$(cat noted)" = "members 147 bytes $(stat -c %s all.tar) written $(stat -c %s all.tar) sockets 0" ] ||
	fail "notes: $(cat noted)"
writer -p > portable.tar
judge archive portable.tar portable
grep -q 'members 145 .* sockets 2$' noted || fail "notes: $(cat noted)"

extracted gnu tar --xattrs --xattrs-include='*' --acls --numeric-owner --warning=no-unknown-keyword -xpf all.tar
extracted gnu tar --xattrs --xattrs-include='*' --acls --numeric-owner -xpf portable.tar
extracted bsd bsdtar --numeric-owner -xpf all.tar
LC_ALL=C.UTF-8 extracted bsd bsdtar --numeric-owner -xpf all.tar
