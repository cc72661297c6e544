#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Archives as targets.  Back in a filesystem, everything is as it was, as the kernel and verify
# show it, from all kinds of filesystems; GNU tar and bsdtar unpack what they know, and complain of
# nothing that is portable.  The same source makes the same bytes.  What fails leaves nothing.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount tar bsdtar zstd python3 fallocate strace

# back NAME OPTIONS...: NAME.img goes to an archive and back, into a filesystem like it; OPTIONS for
# copy
back() {
	local name=$1

	shift
	e2bfo 0 copy "$@" "$name.img" "$name.tar"
	e2bfo 0 verify "$name.img" "$name.tar"
	e2bfo 0 copy --force --mkfs='-I 256 -O extents,ea_inode,project,large_dir' --size 600M "$name.tar" \
		copy.img
	checked copy.img
	e2bfo 0 verify "$name.img" copy.img
}

# ---- one of everything ----

"$IMAGES/oddities" source.img
before=$(digest source.img)
back source
unchanged source.img "$before" copy
# (Its inodes have projects, which a kernel shows of filesystems that have the feature.)
manifests source.img was -o projid
manifests copy.img is -o projid
same was.kernel is.kernel

# The same bytes, whatever the memory; of what is compressed, the same bytes inside.
e2bfo 0 copy --memory 1M source.img again.tar
cmp source.tar again.tar || fail "other bytes with little memory"
e2bfo 0 copy source.img packed.tar.zst
zstd -q -dc packed.tar.zst | cmp - source.tar || fail "other bytes in the compressed one"
strace -f -y -o trace -e trace=fsync,renameat2 "$E2BFO" copy source.img durable.tar > out
[ "$(grep -oE '(fsync|renameat2).*durable\.tar\.' trace | cut -d '(' -f 1 | paste -sd ' ')" = 'fsync renameat2' ] ||
	fail "it has its name before it is durable: $(cat trace)"
rm durable.tar
"$E2BFO" copy source.img tar:- 2> said | cmp - source.tar || fail "other bytes on standard output"
e2bfo 0 copy --mkfs="-O project" --size 600M --force packed.tar.zst copy.img
e2bfo 0 verify source.img copy.img
rm again.tar packed.tar.zst copy.img

# ---- other filesystems ----

mkdir tree
cp -r "$SRCDIR/lib" tree/
perl -e 'open(my $f, ">", "tree/sparse"); for (1 .. 40) { seek($f, $_ * 40000, 0); print $f "line $_\n" x 700; }
	open($f, ">", "tree/tiny"); print $f "tiny";'
ln tree/tiny tree/lib/again
ln -s "$(printf 'long%.0s' {1..200})" tree/long
setfattr -n user.large -v "$(printf 'v%.0s' {1..3000})" tree/tiny
volume small.img 60M -b 1024 -O none -d tree
volume two.img 60M -O none -I 128 -d tree
volume clusters.img 60M -O bigalloc -C 16384 -d tree
volume inline.img 60M -I 1024 -O inline_data -d tree
volume values.img 60M -O ea_inode -I 512 -d tree
mounted values.img mnt rw
setfattr -n user.huge -v "$(printf 'h%.0s' {1..30000})" mnt/sparse
setfattr -n user.huger -v "$(printf 'g%.0s' {1..50000})" mnt/sparse
fallocate -o 100K -l 1M -n mnt/sparse
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("mnt/socket")'
ln mnt/socket mnt/lib/socket
chattr +ia mnt/lib/Makefile.in
unmounted mnt
# (This kernel has no projects.)
quietly tune2fs -O project values.img
debug values.img 'sif lib projid 4711'
for image in small two clusters inline values; do
	back $image
done
e2bfo 0 copy --from /lib/base --to /deep/er values.img part.tar
tar -tf part.tar 2> /dev/null > list
grep -qx 'deep/er/base/vec.c' list || fail "--to is not where it lands"
[ "$(grep -vc '^deep/er/base\|^deep/$\|^deep/er/$\|^\./$' list)" = 0 ] || fail "more than a part"

# ---- what others make of it ----

# unpacked COMMAND...: manifest of what COMMAND unpacks in mnt, whose root not all of them set
unpacked() {
	volume other.img 400M -O ea_inode
	mounted other.img mnt rw
	(cd mnt && "$@") > unpack.log 2>&1 || fail "$*: $(tail -n 3 unpack.log)"
	"$JUDGES/manifest" -d "${omit[@]}" mnt | sed 1d > is
	unmounted mnt
	checked other.img
}

omit=(-o attr -o ctime -o crtime -o gen -o projid -o iflags -o atime -o layout
      -x /lost+found -x /socket -x /lib/socket)
mounted values.img was
"$JUDGES/manifest" -d "${omit[@]}" was | sed 1d > was.expected
unmounted was
for how in "" --portable; do
	e2bfo "$([ -z "$how" ] && echo 0 || echo 1)" copy $how --force values.img values.tar
	unpacked tar --warning=no-unknown-keyword --xattrs --xattrs-include='*' --acls \
		-xpf ../values.tar
	same was.expected is
done
says 'socket.*: 2'
tar -tvf values.tar > list 2> complaints
[ ! -s complaints ] || fail "GNU tar complains: $(head -3 complaints)"
unpacked bsdtar -xpf ../values.tar
same was.expected is
python3 - <<-'END' || fail "tarfile"
	import tarfile
	archive = tarfile.open("values.tar")
	names = [m.name for m in archive]
	assert "lib/base/vec.c" in names and len(names) > 300, names
	# --portable has nothing that is ours
	said = [archive.pax_headers] + [m.pax_headers for m in archive]
	assert not any("E2BFO" in key + value for all in said for key, value in all.items()), said[0]
END

# ---- what cannot be ----

e2bfo 8 copy values.img values.tar
says '\-\-force replaces it'
e2bfo 8 copy values.img nowhere/x.tar
e2bfo 16 copy values.img -
says 'tar:-'
for option in --keep-inodes --itree --verify --trust --not-atomic "-z undo" "--order size" --overwrite \
	--no-suid; do
	e2bfo 16 copy $option values.img no.tar
	says 'is for|are not for archives'
done
status=0
"$E2BFO" copy values.img tar:- > /dev/full 2> said || status=$?
[ $status = 8 ] || fail "status $status where nothing can be written"
says 'No space left on device'
mkdir full
mount -t tmpfs -o size=1M tmpfs full
realpath full >> .state/mounts
e2bfo 8 copy values.img full/x.tar
says 'No space left'
[ -z "$(ls -A full)" ] || fail "something is left: $(ls -A full)"
# The source is never written, by whatever name.
cp small.img odd.img
cp values.tar odd2.tar
ln odd.img link.img
device=$(loop odd.img)
before=$(digest odd.img odd2.tar)
e2bfo 8 copy --force odd.img tar:odd.img
says 'the same volume'
e2bfo 8 copy --force link.img tar:odd.img
e2bfo 8 copy --force "$device" tar:odd.img
e2bfo 8 copy --force odd2.tar odd2.tar
FROM=odd2.tar e2bfo 8 copy --force - odd2.tar
for target in odd.img odd2.tar; do
	status=0
	"$E2BFO" copy $target tar:- 1<> $target 2> said || status=$?
	[ $status = 8 ] || fail "status $status where $target is source and standard output"
	says 'the same volume'
done
[ "$(digest odd.img odd2.tar)" = "$before" ] || fail "a source has changed"
unloop "$device"
# Standard output that is closed, and a pipe that breaks.
status=0
"$E2BFO" copy small.img tar:- >&- 2> said || status=$?
[ $status = 8 ] || fail "status $status where standard output is closed"
status=0
echo 0 > status
(trap '' PIPE; "$E2BFO" copy small.img tar:- 2> said || echo $? > status) | head -c 1000 > /dev/null
[ "$(cat status)" = 8 ] || fail "status $(cat status) where nobody reads"
says 'tar:- has got a part of what was to come'
# Attributes that no archive can hold are told, and the others come.
volume bad.img 40M -O ^metadata_csum -d tree
debug bad.img 'ea_set /sparse user.kept yes' 'ea_set /sparse user.zqzq yes'
perl -0777 -pi -e 's/zqzq/z\0zq/ == 1 or die' bad.img
e2bfo 1 copy bad.img bad.tar
says '^e2bfo: sparse: attributes that no archive can hold: 1 in all'
tar --xattrs --xattrs-include='*' -tvvf bad.tar sparse 2> /dev/null | grep -q user.kept ||
	fail "the other attribute is lost"
# An archive with a name that says so, and a filesystem in it, is a filesystem.
cp small.img odd.tar
e2bfo 8 copy two.img odd.tar
says 'exist already'
cmp small.img odd.tar || fail "it was overwritten"
