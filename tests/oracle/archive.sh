#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Archives as sources, judged by the kernel: one of everything that tar(1) can hold comes as it was,
# from each format, compressed or not, from a file or from a pipe; verify finds nothing.  What is
# truncated or damaged leaves the target as it was, and the message has member and byte.
# more as root
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck mount tar setfacl cpio gzip bzip2 xz zstd lz4 python3

# left_out KEY...: what the archive does not have, for manifests.  (tar does not know that two
# devices or pipes are one.)
left_out() {
	local key

	omit=()
	for key; do
		omit+=(-o "$key")
	done
	for key in /lost+found /files/fifteen-terabytes {/special/,/links/hard-}{socket,pipe} \
		/special/block-big /links/hard-block /times/{file,dir,link,pipe}-3 \
		/xattrs/acl; do
		omit+=(-x "$key")
	done
}

# faithful TREE ARCHIVE [-]: the archive is of TREE, but for what KEYS names; -: by way of a pipe
faithful() {
	local tree=$1 archive=$2

	if [ "${3:-}" = - ]; then
		cat "$archive" | "$E2BFO" copy --spool --mkfs --size 400M - copy.img > out 2>&1 ||
			fail "$archive by way of a pipe: $(cat out)"
	else
		e2bfo 0 copy --mkfs --size 400M "$archive" copy.img
	fi
	checked copy.img
	left_out "${KEYS[@]}"
	"$JUDGES/manifest" -d "${omit[@]}" "$tree" > was || fail "manifest of $tree"
	kernel_manifest copy.img "${omit[@]}" | sed 's/ disk\..*//' > is
	same was is
	e2bfo 0 verify "$archive" copy.img
	rm copy.img
}

# pack TREE OPTIONS...: all of it that a tar can hold, to standard output
pack() {
	local tree=$1

	shift
	tar -C "$tree" --exclude=./lost+found --exclude=./files/fifteen-terabytes \
		--exclude=./xattrs/acl --sort=name \
		--numeric-owner "$@" -cf - . 2> tar.log || fail "tar: $(cat tar.log)"
}

KEYS=(crtime ctime atime gen projid iflags attr layout)
if is_root; then
	"$IMAGES/oddities" source.img
	mounted source.img oddities
	pack oddities --format=pax -S --xattrs --xattrs-include='*' --acls > sparse.tar
	faithful oddities sparse.tar
	zstd -q -1 sparse.tar
	faithful oddities sparse.tar.zst -
fi

# Without --numeric-owner GNU tar writes access control lists with names.  Numbers are in the
# attributes that stand beside them, if it is told to write these; else the lists are lost, and that
# is told.
volume lists.img 8M
mounted lists.img lists rw
echo content > lists/file
mkdir lists/dir
setfacl -m u:daemon:rw,g::x,m::r lists/file
setfacl -d -m g:daemon:rx lists/dir
tar -C lists --exclude=./lost+found --xattrs --acls -cf lists.tar .
tar -C lists --exclude=./lost+found --acls -cf names.tar .
unmounted lists
grep -aq '^user:daemon:rw-' lists.tar || fail "GNU tar writes other lists"
e2bfo 0 copy --mkfs --size 8M lists.tar copy.img
e2bfo 0 verify --ignore atime,ctime,crtime,generation,version lists.img copy.img
e2bfo 1 copy --mkfs --force --size 8M names.tar copy.img
says 'file: extended attribute .* no place' 'dir: extended attribute .* no place'
rm copy.img

# A smaller tree for all the other kinds, which know neither extended attributes nor fractions.
mkdir tree
(
	cd tree
	mkdir -p dir/deep lost+found
	seq 100000 > dir/numbers
	seq 20 > small
	ln dir/numbers linked
	ln -s dir/numbers symbolic
	: > dir/deep/empty
	mkfifo -m 0600 dir/pipe
	! is_root || mknod dir/device c 1 3
	head -c 70000 /dev/urandom > dir/deep/random
	printf x > $'odd \xff name'
	! is_root || chown -R 1234:5678 .
	chmod 4711 small
	find . -exec touch -hd '2020-02-02 02:02:02 UTC' {} +
)
KEYS+=(xattr)
pack tree --format=ustar > ustar.tar
pack tree --format=gnu > gnu.tar
(cd tree && find . -depth ! -path ./lost+found | cpio -o -H newc --quiet) > newc.cpio
(cd tree && find . -depth ! -path ./lost+found | cpio -o -H odc --quiet) > odc.cpio
for archive in ustar.tar gnu.tar newc.cpio odc.cpio; do
	faithful tree $archive
done
for packer in gzip bzip2 xz lz4; do
	$packer -1 -c < ustar.tar > ustar.$packer
	faithful tree ustar.$packer
done
gzip < newc.cpio > newc.gzip
faithful tree newc.gzip -

# refused ARCHIVE TEXT: the target is as it was, and the message has TEXT
refused() {
	volume target.img 64M
	e2bfo 8 copy "$1" target.img
	says "$2"
	checked target.img
	[ "$(ask target.img 'ls -l /' | grep -c small)" = 0 ] || fail "$1 has left something"
}

size=$(stat -c %s ustar.tar)
head -c $((size - 10240 - 5000)) ustar.tar > cut.tar
refused cut.tar 'member .* at byte [0-9]* of .*cut.tar: '
for packer in gzip bzip2 xz lz4; do
	head -c $(($(stat -c %s ustar.$packer) - 3)) ustar.$packer > cut.$packer
	refused cut.$packer 'member .* at byte [0-9]* of .*cut'
done
zstd -q -k ustar.tar
for archive in *.tar.zst; do
	printf x | dd of=$archive bs=1 seek=$(($(stat -c %s $archive) / 2)) conv=notrunc status=none
	refused $archive "member .* at byte [0-9]* of .*$archive"
done

# An archive is no target: it may be all that somebody has.
gzip -k ustar.tar
for target in ustar.tar ustar.tar.gz; do
	before=$(sha256sum < $target)
	e2bfo 8 copy --mkfs tree $target
	says 'begins as an archive'
	[ "$(sha256sum < $target)" = "$before" ] || fail "$target was written"
done
truncate -s 20M ustar.tar
e2bfo 0 copy --mkfs --force tree ustar.tar
checked ustar.tar
