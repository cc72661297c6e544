#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo ls --deleted against debugfs: what the kernel has deleted, as debugfs stat shows it; what
# debugfs has deleted, as its lsdel lists it; files that were open without a name when the image was
# taken, with the list in the superblock and with an orphan file.  Tables full of garbage and tables
# that cannot be read harm nothing.  Nothing is written.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs losetup perl python3

# shown IMAGE NUMBER: what debugfs stat says of an inode
shown() {
	ask "$1" "stat <$2>" | perl -0 -e '
		my $i = 0;
		my %month = map { $_ => ++$i } qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec);
		my $s = <STDIN>;
		my $time = sub {
			$s =~ /^ *$_[0]: 0x\S+ -- \w+ (\w+) +(\d+) (\S+) (\d+)/m or return "none";
			return sprintf("%d-%02d-%02dT%sZ", $4, $month{$1}, $2, $3);
		};
		my ($ino, $type) = $s =~ /^Inode: (\d+) +Type: (.*?) +Mode:/m or die "no inode: $s";
		my ($mode) = $s =~ /Mode: +(\d+)/;
		my ($uid, $gid, $size) = $s =~ /User: +(\d+) +Group: +(\d+).*?Size: (\d+)/s;
		my ($links) = $s =~ /Links: (\d+)/;
		$type = { regular => "file", FIFO => "fifo" }->{$type} // $type;
		print join(" ", $ino, $type, sprintf("%04o", oct($mode)), $links, $uid, $gid, $size,
			map({ $time->($_) } qw(mtime atime ctime crtime dtime))), "\n"'
}

# told FILE: the same of --json
told() {
	python3 - "$1" <<-'END'
		import json, sys
		for e in json.load(open(sys.argv[1]))["entries"]:
		    assert e["checksum_ok"] is True, e
		    times = [e[t][:19] + "Z" if e[t] else "none"
		             for t in ("mtime", "atime", "ctime", "crtime", "dtime")]
		    print(*[e[k] for k in ("inode", "type", "mode", "links", "uid", "gid", "size")], *times)
	END
}

# inodes_of STATE FILE: of --json
inodes_of() {
	python3 - "$@" <<-'END'
		import json, sys
		print(*[e["inode"] for e in json.load(open(sys.argv[2]))["entries"]
		        if e["state"] == sys.argv[1]])
	END
}

# fill DIR: files of all types and owners; "gone" has the numbers of those that are deleted
fill() {
	mkdir "$1/dir" "$1/dir/below"
	head -c 100000 /dev/zero > "$1/dir/file"
	echo kept > "$1/kept"
	ln -s somewhere "$1/dir/link"
	mkfifo -m 640 "$1/dir/pipe"
	chown 70000:80000 "$1/dir/file"
	chmod 4711 "$1/dir/file"
	touch -h -d 2001-02-03T04:05:06Z "$1"/dir/*
	(cd "$1" && stat -c %i dir dir/*) | sort -n > gone
	rm -r "$1/dir"
}

# judged IMAGE: e2bfo says of each deleted inode, those in gone, what debugfs says
judged() {
	local before ino

	before=$(digest "$1")
	e2bfo 0 ls --deleted --json "$1"
	told out > told
	while read -r ino; do
		shown "$1" "$ino"
	done < gone > shown
	same told shown
	[ "$(inodes_of orphan out)" = "" ] || fail "$1: there are no orphans"
	unchanged "$1" "$before" "ls --deleted"
}

# What the kernel has deleted; with inodes of 128 bytes, too, which have no time of creation.
for features in '' '-I 128 -O ^metadata_csum,^extent,^64bit,^uninit_bg' \
	'-I 128 -O ^metadata_csum,^extent,^64bit,^uninit_bg,^has_journal'; do
	# shellcheck disable=SC2086 # words
	quietly volume a.img 64M $features
	mounted a.img mnt rw
	fill mnt
	unmounted mnt
	judged a.img
done

# A line of each kind; what is in use is in none.  Of 70000 and 80000 the kernel leaves 16 bits.
volume a.img 64M
mounted a.img mnt rw
fill mnt
unmounted mnt
e2bfo 0 ls --deleted a.img
[ "$(sed -nE 's/^ *([0-9]+) .*<([0-9]+)> \(deleted [-0-9]+ [0-9:.]+ \+0000\)$/\1=\2/p' out)" = \
	"$(sed 's/.*/&=&/' gone)" ] || fail "lines: $(cat out)"
grep -q -- ' -rws--x--x   0  4464 14464           0 2001-02-03 04:05:06.000000000 +0000 <' out ||
	fail "line: $(cat out)"
e2bfo 0 ls --deleted --json a.img
python3 - out <<-'END' > lines
	import calendar, json, sys, time
	letter = {"file": "r", "directory": "d", "symlink": "l", "fifo": "p"}
	def seconds(t):
	    return calendar.timegm(time.strptime(t[:19], "%Y-%m-%dT%H:%M:%S"))
	for e in json.load(open(sys.argv[1]))["entries"]:
	    mode = int(e["mode"], 8)
	    rwx = "".join(c if mode >> 8 - i & 1 else "-" for i, c in enumerate("rwxrwxrwx"))
	    if mode & 0o4000:
	        rwx = rwx[:2] + "s" + rwx[3:]
	    print(0, "<%d> (deleted)" % e["inode"], e["inode"], "-/" + letter[e["type"]] + rwx,
	          e["uid"], e["gid"], e["size"],
	          *[seconds(e[t]) for t in ("atime", "mtime", "ctime", "crtime")], sep="|")
END
e2bfo 0 ls --deleted --bodyfile a.img
same out lines

# What debugfs deletes keeps its size and blocks, and its lsdel lists it; kill_file leaves links, so
# only the bitmap tells.  A time of deletion alone makes nobody deleted.
volume b.img 64M
mounted b.img mnt rw
for i in 1 2 3 4; do
	head -c 50000 /dev/urandom > mnt/file$i
done
(cd mnt && stat -c %i file1 file2 | sort -n) > gone
unmounted mnt
used=$(inode_of b.img /file3)
debug b.img 'rm file1' 'kill_file file2' "sif file3 dtime 1000000000"
[ "$(ask b.img lsdel | awk '$1 + 0 && NF > 5 { print $1 }' | sort -n)" = "$(cat gone)" ] ||
	fail "lsdel: $(ask b.img lsdel)"
judged b.img
grep -q "^$used " told && fail "a file in use is called deleted"
[ "$(awk '{ print $7 }' told | uniq)" = 50000 ] || fail "sizes: $(cat told)"

# Open, without a name, when the image was taken: the list, and the orphan file; and what was
# deleted before is deleted.
for features in ^orphan_file orphan_file; do
	volume c.img 64M -O "$features"
	mounted c.img mnt rw
	echo open > mnt/open
	echo other > mnt/other
	fill mnt
	open=$(stat -c %i mnt/open)
	other=$(stat -c %i mnt/other)
	exec 7< mnt/open 8< mnt/other
	rm mnt/open mnt/other
	sync -f mnt
	cp c.img d.img
	exec 7<&- 8<&-
	unmounted mnt
	e2bfo 0 ls --deleted --json d.img
	[ "$(inodes_of orphan out)" = "$open $other" ] || fail "$features: orphans: $(cat out)"
	inodes_of deleted out | tr ' ' '\n' > deleted
	same deleted gone
	e2bfo 0 ls --deleted d.img
	grep -q "<$open> (open when the filesystem was last in use)\$" out ||
		fail "$features: no line of it: $(cat out)"
done

# What cannot be read is told as one, and the rest is there.
volume e.img 64M
mounted e.img mnt rw
touch mnt/file{1..100}
rm mnt/file*
unmounted mnt
e2bfo 0 ls --deleted e.img
mv out whole
[ "$(wc -l < whole)" = 100 ] || fail "deleted: $(wc -l < whole)"
table=$(dumpe2fs e.img 2> /dev/null | sed -n '/^Group 0/,/table at/s/.*table at \([0-9]*\)-.*/\1/p')
printf '0x0 +\n0x0 0x%x +\n0x%x 0x2000 -\n0x%x 0x%x +\n' $(((table + 1) * 4096)) \
	$(((table + 1) * 4096)) $(((table + 3) * 4096)) $((64 * 1048576 - (table + 3) * 4096)) > map
e2bfo 1 ls --deleted --mapfile map e.img
says '<17-48>: part of an inode table cannot be read'
[ "$(grep -c 'part of an inode table' said)" = 1 ] || fail "told in pieces"
awk '$1 < 17 || $1 > 48' whole > rest
same out rest
e2bfo 8 ls --deleted --mapfile map --on-read-error=stop e.img

# Garbage is shown as that, without harm, where inodes ever were; behind them nobody looks.
python3 - e.img "$((table * 4096))" <<-'END'
	import random, sys
	with open(sys.argv[1], "r+b") as f:
	    r = random.Random(1)
	    for ino in [*range(17, 49), 500]:
	        raw = bytearray(r.randbytes(256))
	        raw[1] = raw[1] & 0x0f | (ino & 15) << 4	# any type there could be
	        raw[26:28] = b"\0\0"
	        f.seek(int(sys.argv[2]) + (ino - 1) * 256)
	        f.write(raw)
END
for how in --json --bodyfile --quiet; do
	e2bfo 0 ls --deleted "$how" e.img
	[ "$(grep -cE '"inode": |<[0-9]+>' out)" = 100 ] || fail "garbage, $how: $(cat out)"
done
[ "$(grep -c ', wrong checksum)$' out)" = 32 ] || fail "garbage: $(cat out)"
grep -qE '^ *32 \?.*<32> ' out || fail "no type: $(cat out)"

# Usage.
for options in '-R --deleted' '--deleted -a' '--deleted -0' '-d --deleted' '--bodyfile' \
	'--deleted --bodyfile --json'; do
	# shellcheck disable=SC2086 # words
	e2bfo 16 ls $options a.img
done
e2bfo 16 ls --deleted a.img /
