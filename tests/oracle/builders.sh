#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What builders of images stumble over, from a directory, an archive and a pipe: files larger than 2
# and 4 GiB, with holes and without; trees whose bytes tell nothing of the size that their image
# needs.  (Directories with too many subdirectories are in subdirs.sh.)
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck dumpe2fs tar perl python3

# built ENDING...: of "tree", which tree.tar holds, made-ENDING.img: by a dir, a tar, a pipe
built() {
	local ending

	for ending; do
		rm -f made-$ending.img
		case $ending in
		dir)
			e2bfo 0 copy --mkfs --size min tree made-dir.img
			e2bfo 0 verify tree made-dir.img
			;;
		tar)
			e2bfo 0 copy --mkfs --size min tree.tar made-tar.img
			e2bfo 0 verify tree.tar made-tar.img
			;;
		pipe)
			fed tree.tar
			e2bfo 0 copy --mkfs --size 8G - made-pipe.img
			;;
		esac
		checked made-$ending.img
	done
}

# ---- large files ----

# part FILE OFFSET: 6,000 bytes of it
part() {
	dd if="$1" iflag=skip_bytes,count_bytes skip="$2" count=6000 status=none
}

# Lines on both sides of 2 GiB, 4 GiB and the end; nothing between them.
mkdir tree
perl -e 'open(my $f, ">", "tree/holes") or die;
	for my $at (0, 2147483000, 4294967000, 5368709120) {
		seek($f, $at, 0);
		print $f "line of $at\n" x 300;
	}'
tar -C tree --sort=name --format=posix -S -cf tree.tar .
built dir tar pipe
for ending in dir tar pipe; do
	viewed made-$ending.img mnt
	[ "$(stat -c %s mnt/holes)" = "$(stat -c %s tree/holes)" ] ||
		fail "$ending: $(stat -c %s mnt/holes) bytes"
	for at in 0 2147483000 4294967000 5368709120; do
		part tree/holes $at > expected
		part mnt/holes $at > actual
		same expected actual
	done
	sectors=$(ask made-$ending.img 'stat /holes' | sed -n 's/.*Blockcount: *//p')
	[ "$sectors" -lt 100 ] || fail "$ending: $sectors sectors"
	unviewed mnt
done
rm -r tree tree.tar made-*

# Without holes, but the tar has them: zeroes between lines, and members behind it.
python3 - <<-END
	import io, tarfile
	size = (2 << 30) + (1 << 20) + 7
	def member(name, size):
	    info = tarfile.TarInfo(name)
	    info.size, info.mtime = size, 1700000000
	    return info.tobuf(tarfile.PAX_FORMAT)
	with open("tree.tar", "wb") as out:
	    out.write(member("dense", size))
	    begin = out.tell()
	    for at in 0, (2 << 30) - 3, size - 8:
	        out.seek(begin + at)
	        out.write(b"line %d\n"[:8] % (at % 10))
	    out.seek(begin + (size + 511) // 512 * 512)
	    out.write(member("behind", 5) + b"last\n".ljust(512, b"\0") + bytes(1024))
END
built tar
viewed made-tar.img mnt
tar -xOf tree.tar dense | cmp - mnt/dense || fail "another file"
[ "$(cat mnt/behind)" = last ] || fail "what is behind a large file is lost"
unviewed mnt
rm tree.tar made-*

# ---- sizes ----

# Small files in many directories, hard links, long names: half as much again is not enough.
mkdir tree
perl -e 'for my $d (1 .. 100) {
		mkdir("tree/$d") or die;
		for my $f (1 .. 25) {
			my $path = "tree/$d/" . "n" x (7 * $f) . $f;
			open(my $o, ">", $path) or die;
			print $o "x" x (20 * $f);
			close($o);
			link($path, "tree/$d/link-$f") or die if $f % 5 == 0;
		}
	}'
bytes=$(find tree -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
tar -C tree --sort=name -cf tree.tar .
rm -f ruled.img
truncate -s $((bytes * 3 / 2)) ruled.img
! mke2fs -q -F -t ext4 -d tree ruled.img > mke2fs.log 2>&1 || fail "that tree is no trap"
built dir tar
for ending in dir tar; do
	free=$(dumpe2fs -h made-$ending.img 2> /dev/null | sed -n 's/^Free blocks: *//p')
	blocks=$(dumpe2fs -h made-$ending.img 2> /dev/null | sed -n 's/^Block count: *//p')
	[ $((free * 512)) -le "$blocks" ] || [ "$free" -le 256 ] ||
		fail "$ending: $free of $blocks blocks are free"
done
