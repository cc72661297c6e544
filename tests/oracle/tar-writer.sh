#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The archives that we write, judged by others: by their bytes, by Python's tarfile, and by what GNU
# tar and bsdtar make of them on an ext4.  The tree has what is hard to keep: names of all lengths
# and bytes, holes, times, attributes.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs tar bsdtar python3 strace zstd

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

# quiet: nothing was said but that times are odd
quiet() {
	! grep -vE 'tar: times/[^:]*: (implausibly old time stamp|time stamp .* in the future)' said ||
		fail "$1 complains"
}

gnu=(tar --xattrs --xattrs-include='*' --acls --numeric-owner)

judge items > items
writer > all.tar
judge archive all.tar
[ "$(cat noted)" = "members 147 bytes $(stat -c %s all.tar) written $(stat -c %s all.tar) sockets 0" ] ||
	fail "notes: $(cat noted)"
writer -p > portable.tar
judge archive portable.tar portable
grep -q '^members 145 .* sockets 2$' noted || fail "notes: $(cat noted)"

if is_root; then
	extracted gnu "${gnu[@]}" --warning=no-unknown-keyword -xpf all.tar
	quiet "GNU tar, but for keywords,"
	extracted gnu "${gnu[@]}" -xpf portable.tar
	quiet "GNU tar of a portable archive"
	extracted bsd bsdtar --numeric-owner -xpf all.tar
	quiet bsdtar
	LC_ALL=C.UTF-8 extracted bsd bsdtar --numeric-owner -xpf all.tar
	quiet "bsdtar in UTF-8"
fi

# Compressed: the same bytes by any number of threads; frames that know their size and have sums.
writer -z -t 1 > one.zst
writer -z -t 5 > five.zst
cmp one.zst five.zst || fail "threads make a difference"
writer -z -l 3 | cmp - one.zst || fail "the level is not 3"
writer -z -l 9 > nine.zst
! cmp -s nine.zst one.zst || fail "levels make no difference"
bytes=$(stat -c %s all.tar)
[ "$(cat noted)" = "members 147 bytes $bytes written $(stat -c %s nine.zst) sockets 0" ] ||
	fail "notes: $(cat noted)"
for file in one.zst nine.zst; do
	zstd -dcq $file | cmp - all.tar || fail "$file is not what it was made of"
done
frames=$(((bytes + 4194303) / 4194304))
zstd -lv one.zst > list 2>&1
grep -q "^# Zstandard Frames: $frames$" list || fail "not $frames frames: $(cat list)"
grep -q '^Decompressed Size: .*('"$bytes"' B)$' list || fail "sizes are not known: $(cat list)"
grep -q '^Check: XXH64' list || fail "no sums: $(cat list)"
bsdtar -tf one.zst > /dev/null || fail "bsdtar does not read it"

# A file is durable at the end, and what is no file need not be.
strace -o calls -e trace=fsync "$JUDGES/tarwriter" < items > all.again 2> said || fail "$(cat said)"
cmp all.tar all.again || fail "two archives of one tree differ"
[ "$(grep -c '^fsync(1) *= 0$' calls)" = 1 ] || fail "fsync: $(cat calls)"
strace -o calls -e trace=fsync "$JUDGES/tarwriter" < items 2> said | cat > all.again
cmp all.tar all.again || fail "by way of a pipe it differs"
! grep -q '^fsync' calls || fail "fsync of a pipe"

# What cannot be written is an error; what was read by nobody, too.
for options in "" -z; do
	! "$JUDGES/tarwriter" $options < items > /dev/full 2> said || fail "a full device is fine"
	says "^tarwriter: No space left on device while writing standard output$"
	{ "$JUDGES/tarwriter" $options < items 2> said && fail "a closed pipe is fine" || :; } | :
	says "^tarwriter: Broken pipe while writing standard output$"
done
