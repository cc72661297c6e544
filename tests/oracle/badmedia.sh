#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources that cannot be read everywhere: real read errors of the kernel, in data and in every kind
# of metadata.  What is reported is exactly what was made unreadable, as debugfs tells it of the
# image before; everything else is there; e2fsck is content.  Mapfiles: written, continued, and
# nothing outside of what they have is asked for.
#
# A bad medium: the image is a file in a filesystem, in which some of its blocks are mapped behind
# the end of the device; reading them is an I/O error.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr losetup perl strace

volume whole.img 64M -g 8192 -N 2048 -I 256
mounted whole.img mnt rw,noatime
perl -e '
	sub made { my ($n, $k) = @_; open(my $f, ">", $n) or die "$n: $!"; print $f "$n " x $k; }
	chdir("mnt") or die;
	mkdir($_) or die "$_: $!" for qw(good bad bad/indexed bad/flat bad/nodes);
	made("good/" . ($_ % 2 ? "file" : "gap") . "-$_", 2000) for 1 .. 120;
	made("bad/big", 1500000);
	made("bad/short", 100);
	made("bad/nodes/file-$_", 10) for 1 .. 40;
	symlink("f$_", "bad/nodes/fast-$_") or die for 1 .. 40;
	mkdir("bad/nodes/dir") or die;		# not among the first inodes, as the root is
	made("bad/nodes/dir/child-$_", 10) for 1 .. 3;
	made("bad/indexed/a-rather-long-name-for-an-entry-$_", 0) for 1 .. 400;
	link("bad/indexed/a-rather-long-name-for-an-entry-$_", "good/link-$_") or die for 1 .. 100;
	made("bad/flat/$_", 3) for 1 .. 5;
	made("bad/xattr", 3);
	symlink("t" x 300, "bad/slow") or die;
	open(my $f, ">", "bad/tree") or die;
	for (0 .. 999) { sysseek($f, $_ * 8192, 0); syswrite($f, "block $_" x 10) or die; }'
setfattr -n user.large -v "$(printf 'v%.0s' {1..1000})" mnt/bad/xattr
sync -f mnt
rm mnt/good/gap-*				# gaps between what is read
unmounted mnt
checked whole.img
SIZE=$(stat -c %s whole.img)

# ---- bad media ----

# medium_of IMAGE [BLOCKS]: a medium of so many blocks of 4 KB; IMAGE is the file medium/source.img in
# it, once mounted.
medium_of() {
	blocks=${2:-25600}
	rm -f medium.img medium.good
	truncate -s $((blocks * 4096)) medium.img
	mke2fs -q -F -t ext4 -b 4096 -O ^has_journal medium.img
	device=$(loop medium.img)
	mount "$device" medium
	cp --sparse=never "$1" medium/source.img
	umount medium
	unloop "$device"
	cp --sparse=always medium.img medium.good
}
mkdir medium
medium_of whole.img

# bad BLOCK...: begins anew with a medium on which these blocks of the image cannot be read
bad() {
	local block

	healed
	cp --sparse=always medium.good medium.img
	: > blocks
	for block; do
		echo "$block" >> blocks
		echo "bmap source.img $block $((blocks - 4096 + block % 4096))"
	done > commands
	debugfs -w -f commands medium.img > /dev/null 2>&1
	device=$(loop medium.img)
	mount -o ro "$device" medium
	truncate -s $(((blocks - 4096) * 4096)) medium.img
	losetup -c "$device"
	realpath medium >> "$WORK/.state/mounts"
	for block; do
		! dd if=medium/source.img of=/dev/null bs=4096 skip="$block" count=1 \
			iflag=direct 2> /dev/null || fail "block $block can be read"
	done
}

healed() {
	! mountpoint -q medium || umount medium
	[ ! -s "$WORK/.state/loops" ] || unloop "$(tail -1 "$WORK/.state/loops")"
}

# ---- where things are, by debugfs ----

# block_of PATH N: its Nth block
block_of() {
	ask whole.img "bmap $1 $2"
}

size_of() {
	ask whole.img "stat $1" | sed -n 's/^User:.* Size: *//p'
}

# table_of PATH: the block of the inode table that holds its inode
table_of() {
	ask whole.img "imap $1" | sed -n 's/.*located at block \([0-9]*\),.*/\1/p'
}

# ---- judging ----

# found: what the last run reported, a line each: kind path inode offset length inodes
found() {
	perl -e '
		$_ = <STDIN>;
		s/.*"not_kept": \[(.*?)\], "clashes".*/$1/s or die "no report: $_";
		while (/\{(.*?)\}/g) {
			my %f;
			my $record = $1;
			$f{$1} = $2 while $record =~ /"(\w+)": "?((?:[^",\\]|\\.)*)/g;
			print(join(" ", map { $f{$_} // "-" } qw(kind path inode offset length inodes)),
			      "\n");
		}' < out | sort > found
}

# judged WHAT: what was found is what was expected
judged() {
	found
	sort expected > sorted
	diff sorted found > difference || {
		head -20 difference
		fail "$1: reported is not what was made unreadable"
	}
	echo "$1: $(wc -l < found) findings"
}

# tell KIND PATH OFFSET LENGTH: expects this about a part of PATH, or about all of it
tell() {
	echo "$1 $2 $(inode_of whole.img "$2") ${3:--} ${4:--} -" >> expected
}

# others PATTERN WHAT: all that is not affected (paths that do not match) is as in the source
others() {
	mounted whole.img mnt
	"$JUDGES/manifest" -d -x /lost+found -o nlink mnt | grep -Ev "^($1)[ /]" > others.expected ||
		fail "$2: manifest"
	unmounted mnt
	mounted target.img mnt
	"$JUDGES/manifest" -d -x /lost+found -o nlink mnt | grep -Ev "^($1)[ /]" > others.actual ||
		fail "$2: manifest"
	unmounted mnt
	[ "$(wc -l < others.actual)" -gt 60 ] || fail "$2: no others"
	same others.expected others.actual
}

# zeroed PATH BLOCK...: in the target it is what it was, with zeroes for these blocks
zeroed() {
	local path=$1 block size

	shift
	rm -f was is
	ask whole.img "dump $path was"
	ask target.img "dump $path is"
	size=$(stat -c %s was)
	for block; do
		dd if=/dev/zero of=was bs=4096 seek="$block" count=1 conv=notrunc status=none
	done
	truncate -s "$size" was
	cmp was is || fail "$path is not what it was, with zeroes"
}

# ---- no error where it does not matter: free blocks, bitmaps, journal ----
free=$(debugfs -R 'ffb 3 5000' whole.img 2> /dev/null | sed 's/.*: //')
bitmaps=$(dumpe2fs whole.img 2> /dev/null | sed -n 's/.* bitmap at \([0-9]*\).*/\1/p')
: > expected
bad $free $bitmaps "$(block_of '<8>' 0)" "$(block_of '<8>' 5)"
volume target.img 80M
e2bfo 0 copy medium/source.img target.img
checked target.img
others '/nothing' 'no matter'

# ---- data: stop, zero, skip; a device as well as a file ----
bad $(block_of /bad/big 0) $(block_of /bad/big 3) $(block_of /bad/big 4) \
	$(block_of /bad/big 2900) $(block_of /bad/short 0)
lowest=$(sort -n blocks > blocks.sorted; sed 1q blocks.sorted)
volume target.img 80M
ask target.img 'ls -l' > before
e2bfo 8 copy --write-mapfile stopped.map medium/source.img target.img
says 'Input/output error' "reading block $lowest of .*/bad/(big|short), bytes" \
	'on-read-error' 'is as it was before'
checked target.img
ask target.img 'ls -l' > after
same before after
grep -q -- ' -$' stopped.map || fail 'stopped.map has no bad area'

device=$(loop -r --direct-io=on medium/source.img)
e2bfo 1 copy --read-gap 0 --json --on-read-error zero --write-mapfile zero.map "$device" target.img
unloop "$device"
tell unreadable-data /bad/big 0 4096
tell unreadable-data /bad/big 12288 8192
tell unreadable-data /bad/big 11878400 4096
tell unreadable-data /bad/short 0 "$(size_of /bad/short)"
judged zero
checked target.img
zeroed /bad/big 0 3 4 2900
zeroed /bad/short 0
others '/bad/big|/bad/short' zero
cp found found.zero

volume target.img 80M
e2bfo 1 copy --memory 1M --json --on-read-error zero medium/source.img target.img
found
same found.zero found
zeroed /bad/big 0 3 4 2900
zeroed /bad/short 0

volume target.img 80M
e2bfo 1 copy --json --on-read-error skip medium/source.img target.img
sed -i 's/^unreadable-data/unreadable-file/' expected
judged skip
checked target.img
others '/bad/big|/bad/short' skip
for path in /bad/big /bad/short; do
	[ -z "$(inode_of target.img $path)" ] || fail "$path was not skipped"
	! ask target.img 'ls -d /bad' | grep -q "<.*${path#/bad/}" || fail "$path left a trace"
done
# What a mapfile has as read, and cannot be read after all, is new: it ends the copy.
printf '0 ? 1\n0 %s +\n' "$SIZE" > new.map
volume target.img 80M
e2bfo 8 copy --on-read-error skip --mapfile new.map --write-mapfile new.map medium/source.img \
	target.img
says 'this is new: start again with --mapfile' 'is as it was before'
[ "$(grep -c -- ' -$' new.map)" = 1 ] || fail "new.map: $(cat new.map)"
e2bfo 1 copy --mkfs --size min --on-read-error skip medium/source.img packed.img
checked packed.img
says '/bad/big: data cannot be read .inode [0-9]+, bytes 0 to 4095, block'

# ---- mapfiles: what is written, and what is not touched ----

# bad_in MAP: the blocks that it calls bad
bad_in() {
	perl -ane 'next unless @F == 3 && $F[2] eq "-";
		for ($b = hex($F[0]); $b < hex($F[0]) + hex($F[1]); $b += 4096) {
			print($b / 4096, "\n") }' "$1" | sort -n
}
bad_in zero.map > map.blocks
sort -n blocks > blocks.sorted
same map.blocks blocks.sorted
perl -ane 'next if /^#/; if (!$begun++) { die "status: $_" unless /^0x[0-9A-F]+ +\? +1$/; next }
	die "line: $_" unless /^(0x[0-9A-F]{8,})  (0x[0-9A-F]{8,})  ([-+?])$/;
	die "gap at $1\n" unless hex($1) == $end + 0;
	$end += hex($2);
	END { die "it ends at $end\n" unless $end == '"$SIZE"' }' zero.map || fail 'zero.map'

# outside MAP OFFSET: reads of the source, as strace saw them, that MAP (positions behind OFFSET) lacks
outside() {
	perl -e '
		my ($map, $name) = @ARGV;
		my @good;
		open(my $m, "<", $map) or die;
		while (<$m>) { push(@good, [hex($1), hex($1) + hex($2)])
			if /^(0x\w+)\s+(0x\w+)\s+\+$/ }
		my (%fd, $reads, %at);
		while (<STDIN>) {
			if (/open(?:at)?\(.*"([^"]*)".*= (\d+)$/) {
				$at{$2} = 0;
				$fd{$2} = $1 eq $name;
			}
			my ($fd, $at, $len);
			($fd, $len, $at) = ($1, $3, $2)
				if /\bp(?:read64|readv)\((\d+),.*, (\d+)\) = (\d+)/;
			($fd, $len, $at) = ($1, $2, $at{$1}), $at{$1} += $len
				if /\bread\((\d+),.*= (\d+)$/ && defined($at{$1});
			$at{$1} = $2 if /\blseek\((\d+), (\d+), SEEK_SET/;
			next unless defined($fd) && $fd{$fd} && $len;
			$reads++;
			next if grep { $at >= $_->[0] && $at + $len <= $_->[1] } @good;
			die "read of $len bytes at $at\n";
		}
		die "no reads seen\n" unless $reads > 8;
		print "$reads reads\n";' "$1" "$2"
}

# With the map, nothing that it lacks is asked for, on a medium that could be read by now.
healed
cp --sparse=always whole.img rescued.img
cp zero.map known.map
for mode in zero skip; do
	volume target.img 80M
	status=0
	strace -o trace -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" copy --json \
		--on-read-error $mode --mapfile known.map --write-mapfile known.map rescued.img \
		target.img > out 2> said < /dev/null || status=$?
	[ $status = 1 ] || fail "mapfile, $mode: exit $status: $(cat said)"
	found
	sed "s/^unreadable-[a-z]*/unreadable-$([ $mode = zero ] && echo data || echo file)/" \
		expected | sort > sorted
	same sorted found
	outside zero.map rescued.img < trace || fail "mapfile, $mode: it was asked for"
	checked target.img
	others '/bad/big|/bad/short' "mapfile, $mode"
	grep -v '^#' zero.map > a
	grep -v '^#' known.map > b
	same a b
done
volume target.img 80M
e2bfo 8 copy --mapfile zero.map rescued.img target.img
says 'as the mapfile says while reading block' 'on-read-error'
e2bfo 8 copy --on-read-error zero --write-mapfile zero.map rescued.img target.img
says 'File exists' 'continues it'

# Positions count from the beginning of the file, whatever lies before the filesystem.
truncate -s 1M shifted.img
cat whole.img >> shifted.img
perl -pe 's/^(0x\w+)( .*[-+?])$/sprintf("0x%X%s", hex($1) + 1048576, $2)/e' zero.map > shifted.map
volume target.img 80M
e2bfo 1 copy --json --on-read-error zero --mapfile shifted.map --write-mapfile again.map \
	'shifted.img?offset=1048576' target.img
sed 's/^unreadable-[a-z]*/unreadable-data/' expected | sort > sorted
found
same sorted found

# The superblock, the descriptors; not a mapfile.
printf '0 ? 1\n0 4096 -\n4096 %s +\n' $((SIZE - 4096)) > a.map
e2bfo 8 copy --on-read-error zero --mapfile a.map rescued.img target.img
says 'as the mapfile says while reading the superblock'
printf '0 ? 1\n0 4096 +\n4096 512 -\n4608 %s +\n' $((SIZE - 4608)) > a.map
e2bfo 8 copy --on-read-error zero --mapfile a.map rescued.img target.img
says 'as the mapfile says while reading the group descriptors'
e2bfo 8 copy --mapfile target.img rescued.img target.img
says 'Not a mapfile of ddrescue while reading line'

# ---- metadata ----

ipg=$(dumpe2fs -h whole.img 2> /dev/null | sed -n 's/^Inodes per group: *//p')

# inodes_in BLOCK...: the numbers of all inodes in these blocks of the tables
inodes_in() {
	local block table

	for block; do
		dumpe2fs whole.img 2> /dev/null |
			sed -n 's/.*Inode table at \([0-9]*\)-\([0-9]*\).*/\1 \2/p' |
			awk -v b="$block" -v ipg="$ipg" '
				$1 <= b && b <= $2 { f = (NR - 1) * ipg + (b - $1) * 16 + 1
				for (i = f; i < f + 16; i++) print i }'
	done
}
# entries_in BLOCK: "inode name" of the entries in a block of a directory
entries_in() {
	dd if=whole.img bs=4096 skip="$1" count=1 status=none | perl -0777 -e '
		my ($block, $at) = (scalar(<STDIN>), 0);
		while ($at < 4084) {
			my ($ino, $len, $n) = unpack("VvC", substr($block, $at, 8));
			my $name = substr($block, $at + 8, $n);
			print("$ino $name\n") if $ino && $name ne "." && $name ne "..";
			$at += $len || die;
		}'
}

# lost LOST-INODES LOST-ENTRIES: adds to `expected` what is unreadable, unreached, or has fewer links
lost() {
	mounted whole.img mnt
	(cd mnt && find . -printf '%i %n %y %P\n') > all
	unmounted mnt
	perl -e '
		my (%lost, %gone, %seen, %ino, %links, %type);
		open(my $f, "<", $ARGV[0]); while (<$f>) { chomp; $lost{$_} = 1 }
		open($f, "<", $ARGV[1]); while (<$f>) { chomp; $gone{$_} = 1 }	# dir inode name
		open($f, "<", "all");
		my @all = map { chomp; [split(/ /, $_, 4)] } <$f>;
		my (%visible, %count);
		$ino{""} = 2;
		$visible{""} = 1;
		for (@all) {
			my ($i, $n, $t, $p) = @$_;
			$ino{$p} = $i;
			$links{$i} = $n;
			$type{$i} = $t;
			next if $p eq "";
			my ($dir, $name) = $p =~ m,^(?:(.*)/)?([^/]*)$,;
			$dir //= "";
			$visible{$p} = $visible{$dir} && !$lost{$i} && !$gone{"$ino{$dir} $name"};
			$count{$i}++ if $visible{$p};
			print("unreadable-inode /$p $i - - -\n") if $lost{$i} && !$lost{$ino{$dir}} &&
				!$gone{"$ino{$dir} $name"};
		}
		for (sort keys %links) {
			next if $lost{$_} || $_ == 2;
			print("unreached $_\n") if !$count{$_};
			print("link-count $_\n") if $count{$_} && $type{$_} ne "d" &&
				$count{$_} != $links{$_};
		}' "$1" "$2" >> expected
}

# The paths of these are made of inode numbers, or one of several: the number is enough.
plainly() {
	sed -E 's/^(unreached|link-count) .* ([0-9]+) - - -$/\1 \2/' found | sort > found.plain
	mv found.plain found
	sort expected > sorted
	diff sorted found > difference || {
		head -20 difference
		fail "$1: reported is not what was made unreadable"
	}
	echo "$1: $(wc -l < found) findings"
}

# An inode table block with files, one with fast symbolic links, one with a directory
: > expected
: > no-entries
tables="$(table_of /bad/nodes/file-20) $(table_of /bad/nodes/fast-20) $(table_of /bad/nodes/dir)"
tables=$(echo $tables | tr ' ' '\n' | sort -un)
for table in $tables; do
	inodes_in $table > in-table
	cat in-table
	echo "unreadable-inodes <$(head -1 in-table)-$(tail -1 in-table)> $(head -1 in-table) - - 16" \
		>> expected
done > lost-inodes
sort -n lost-inodes | uniq > numbers
lost numbers no-entries
bad $tables
volume target.img 80M
e2bfo 8 copy medium/source.img target.img
says 'Input/output error while reading block'
e2bfo 1 copy --json --on-read-error zero medium/source.img target.img
found
plainly 'inode tables'
checked target.img
others "$(sed -n 's/^unreadable-inode \([^ ]*\) .*/\1/p' expected | paste -sd '|')|/bad/nodes" \
	'inode tables'

# The tables are read once more for other inodes, for quota
for options in '-I 128 -b 1024' '-O quota'; do
	volume target.img 80M $options
	e2bfo 1 copy --json --allow-loss all --on-read-error zero medium/source.img target.img
	checked target.img
	found
	[ "$(grep -c ^unreadable found)" = "$(grep -c ^unreadable expected)" ] ||
		fail "target with $options: $(cat found)"
done

# Blocks of directories: a leaf, the root of an index, the only one
: > expected
: > numbers
leaf=$(block_of /bad/indexed 2)
bad "$leaf" "$(block_of /bad/indexed 0)" "$(block_of /bad/flat 0)"
entries_in "$leaf" | sed "s/^[0-9]*/$(inode_of whole.img /bad/indexed)/" > entries
entries_in "$(block_of /bad/flat 0)" | sed "s/^[0-9]*/$(inode_of whole.img /bad/flat)/" >> entries
lost numbers entries
tell unreadable-directory /bad/indexed 8192 4096
tell unreadable-directory /bad/flat 0 4096
tell dots /bad/indexed
volume target.img 80M
e2bfo 1 copy --json --on-read-error skip medium/source.img target.img
found
plainly directories
checked target.img
others '/bad/flat|/bad/indexed|/good/link-[0-9]*' directories

# A leaf of an extent tree, an attribute block, a slow symbolic link
: > expected
leaf=$(ask whole.img 'extents /bad/tree' | awk '$1 ~ /^0\// { n++; if (n == 2) print $8 }')
range=$(ask whole.img 'extents /bad/tree' | awk '$1 ~ /^0\// { n++; if (n == 2) print $5, $7 }')
set -- $range
bad "$leaf" "$(ask whole.img 'stat /bad/xattr' | sed -n 's/^File ACL: //p')" \
	"$(block_of /bad/slow 0)"
size=$(size_of /bad/tree)
end=$((($2 + 1) * 4096))
next=$(ask whole.img 'extents /bad/tree' | awk '$1 ~ /^0\// { n++; if (n == 3) print $5 }')
[ -z "$next" ] || end=$((next * 4096))
[ $end -lt "$size" ] || end=$size
tell unreadable-map /bad/tree $(($1 * 4096)) $((end - $1 * 4096))
tell unreadable-xattr /bad/xattr
tell unreadable-symlink /bad/slow
volume target.img 80M
e2bfo 1 copy --json --on-read-error zero medium/source.img target.img
judged 'extents, attributes, symbolic link'
checked target.img
zeroed /bad/tree $(seq "$1" $(((end + 4095) / 4096 - 1)))
others '/bad/tree|/bad/xattr|/bad/slow' 'extents, attributes, symbolic link'
sed -i 's/^unreadable-map/unreadable-file/' expected
volume target.img 80M
e2bfo 1 copy --json --on-read-error skip medium/source.img target.img
judged 'the same, skipped'
checked target.img
[ -z "$(inode_of target.img /bad/tree)" ] || fail 'half a file was not skipped'
healed

# A value of an attribute in an inode of its own: nothing of it can be used
volume values.img 64M -O ea_inode
mounted values.img mnt rw,noatime
touch mnt/file mnt/other
perl -e 'print("v" x 20000)' > value
setfattr -n user.lost -v "$(cat value)" mnt/file
setfattr -n user.kept -v "$(tr v w < value)" mnt/other
unmounted mnt
set -- $(for i in $(seq 11 40); do
	! ask values.img "stat <$i>" | grep 'Size: 20000' > is-value || echo "$i"
done)
[ $# = 2 ] || fail 'no values in inodes'
block=$(ask values.img "bmap <$1> 2")
printf '0 ? 1\n0 %s +\n%s 4096 -\n%s %s +\n' $((block * 4096)) $((block * 4096)) \
	$(((block + 1) * 4096)) $((SIZE - (block + 1) * 4096)) > a.map
volume target.img 80M -O ea_inode
e2bfo 1 copy --on-read-error zero --mapfile a.map values.img target.img
says '/(file|other): extended attribute'
[ "$(grep -c . said)" = 1 ] || fail "one was to be reported: $(cat said)"
checked target.img
mounted target.img mnt
[ "$(cat mnt/file mnt/other | wc -c)" = 0 ] || fail 'files have no data'
[ "$(getfattr -R -d mnt 2> /dev/null | grep -c '^user')" = 1 ] || fail 'one value was to be kept'
unmounted mnt

# ---- by a backup of the superblock ----

# backup NAME BLOCK FILE BLOCKSIZE: destroys the superblock and descriptors of FILE; -b BLOCK
backup() {
	local what=$1 block=$2 image=$3

	manifests "$image" backup
	dd if=/dev/zero of="$image" bs=1024 seek=1 count=16 conv=notrunc status=none
	volume target.img 80M -b "$4"
	e2bfo 8 copy "$image" target.img
	e2bfo 8 copy -b $((block + 1)) "$image" target.img
	says 'Bad magic number .* while opening .* by the superblock at block'
	e2bfo 0 copy -b "$block" "$image" target.img
	checked target.img
	manifests target.img target
	same_trees backup target
}

cp --sparse=always whole.img four.img
backup 'blocks of 4096 bytes' 8192 four.img 4096
volume target.img 80M
e2bfo 0 copy -B 4K -b 8192 four.img target.img
e2bfo 8 copy -B 1K -b 8192 four.img target.img
e2bfo 16 copy -B 4K four.img target.img
volume one.img 64M -b 1024 -O ^metadata_csum,uninit_bg
mounted one.img mnt rw,noatime
cp -a "$SRCDIR/tests" mnt
rm -r mnt/tests/cases				# inodes that are no more
for i in {1..16}; do
	ln -s "$i" "mnt/fast-$i"
done
unmounted mnt
cp --sparse=always one.img stale.img
backup 'blocks of 1024 bytes' 8193 one.img 1024

# Tables that were never made: what is there is not an inode because it looks like one.
# stale FILE BLOCK BLOCKSIZE: that block of an inode table again, in the last table, behind what is used
stale() {
	local at

	at=$(dumpe2fs "$1" 2> /dev/null | sed -n 's/.*Inode table at \([0-9]*\)-.*/\1/p' | tail -n 1)
	dd if="$1" of="$1" bs="$3" skip="$2" seek=$((at + 20)) count=1 conv=notrunc status=none
}
cp --sparse=always whole.img four.img
stale four.img "$(table_of /bad/nodes/file-20)" 4096
backup 'stale inodes' 8192 four.img 4096
stale stale.img "$(ask stale.img 'imap /fast-8' | sed -n 's/.*located at block \([0-9]*\),.*/\1/p')" 1024
backup 'stale inodes without checksums' 8193 stale.img 1024

# A journal that has to be replayed is refused, though no backup says so.
cp --sparse=always whole.img four.img
printf '\0\0\0\1' | dd of=four.img bs=1 seek=$(($(block_of '<8>' 0) * 4096 + 28)) conv=notrunc \
	status=none
e2bfo 8 copy -b 8192 four.img target.img
says 'needs its journal replayed' 'e2fsck -b 8192 -B 4096'

# ---- a journal that has to be replayed: what it has is not lost, whatever became of its place ----

content=$(block_of /bad/big 3) table=$(table_of /bad/nodes/file-20) names=$(block_of /bad/flat 0)
small=$(block_of /good/file-51 0)		# is read together with others
perl -e 'print(substr("replayed " x 500, 0, 4096))' > block-content
for block in table names; do
	dd if=whole.img bs=4096 skip="${!block}" count=1 status=none > block-$block
done
cp --sparse=always whole.img dirty.img
debug dirty.img journal_open "journal_write -b $content block-content" \
	"journal_write -b $table block-table" "journal_write -b $names block-names" \
	"journal_write -b $small block-content" journal_close
ask whole.img 'dump /bad/big big.now'
dd if=block-content of=big.now bs=4096 seek=3 conv=notrunc status=none

# big [ZEROED-BLOCK]: /bad/big is in the target as the journal leaves it
big() {
	cp big.now was
	[ $# = 0 ] || dd if=/dev/zero of=was bs=4096 seek="$1" count=1 conv=notrunc status=none
	rm -f is
	ask target.img 'dump /bad/big is'
	cmp was is || fail '/bad/big is not what the journal leaves'
	ask target.img 'dump /good/file-51 is'
	head -c 4096 is | cmp - block-content || fail '/good/file-51 is not what the journal leaves'
}

medium_of dirty.img
bad "$content" "$table" "$names"
volume target.img 80M
e2bfo 0 copy medium/source.img target.img
grep -q 'as its journal leaves it: 4 transactions, 4 blocks' out || fail "not replayed: $(cat out)"
checked target.img
others '/bad/big|/good/file-51' 'all bad blocks replayed'
big

# Bad blocks elsewhere are lost as ever, and only they; by errors, then by the map.
bad "$content" "$table" "$names" "$(block_of /bad/big 7)"
: > expected
tell unreadable-data /bad/big $((7 * 4096)) 4096
volume target.img 80M
e2bfo 1 copy --json --on-read-error zero --write-mapfile dirty.map medium/source.img target.img
judged 'one bad block more'
checked target.img
others '/bad/big|/good/file-51' 'one bad block more'
big 7
bad_in dirty.map > map.blocks
block_of /bad/big 7 > blocks.sorted
same map.blocks blocks.sorted
for block in $content $table $names; do
	perl -ane 'BEGIN { $b = shift(@ARGV) * 4096 }
		exit(1) if @F == 3 && /^0x/ && $F[2] eq "+" && hex($F[0]) <= $b &&
			$b < hex($F[0]) + hex($F[1])' "$block" dirty.map ||
		fail "block $block was not read, and dirty.map says it was"
done
volume target.img 80M
e2bfo 1 copy --json --on-read-error skip medium/source.img target.img
sed -i 's/^unreadable-data/unreadable-file/' expected
judged 'the same, skipped'

healed
for mode in zero skip; do
	volume target.img 80M
	status=0
	strace -o trace -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" copy --json \
		--on-read-error $mode --mapfile dirty.map dirty.img target.img > out 2> said \
		< /dev/null || status=$?
	[ $status = 1 ] || fail "replayed with a mapfile, $mode: exit $status: $(cat said)"
	sed -i "s/^unreadable-[a-z]*/unreadable-$([ $mode = zero ] && echo data || echo file)/" expected
	judged "replayed with a mapfile, $mode"
	outside dirty.map dirty.img < trace || fail "replayed, $mode: it was asked for"
	checked target.img
done

# What of the journal cannot be read, nobody knows: no mode goes on, but it can be ignored.
bad "$(block_of '<8>' 8)"			# a transaction is a descriptor, a block, a commit
for mode in stop zero skip; do
	volume target.img 80M
	e2bfo 8 copy --on-read-error $mode medium/source.img target.img
	says 'Journal cannot be read while reading block 8 of the journal of .*source.img' \
		'Input/output error' 'ignore-journal'
done
e2bfo 0 copy --ignore-journal medium/source.img target.img
checked target.img
healed
at=$(($(block_of '<8>' 4) * 4096))
printf '0 ? 1\n0 %s +\n%s 512 -\n%s %s +\n' $at $at $((at + 512)) $((SIZE - at - 512)) > a.map
volume target.img 80M
e2bfo 8 copy --on-read-error zero --mapfile a.map dirty.img target.img
says 'Journal cannot be read while reading block 4 of the journal' 'as the mapfile says'

# ---- a copy that is resumed tells also what was lost before it was interrupted ----

volume whole.img 1100M
mounted whole.img mnt rw,noatime
perl -e 'my $line = "0123456789abcde\n" x 65536;
	for my $n (1 .. 4) { open(my $f, ">", "mnt/large-$n") or die; print $f $line for 1 .. 240 }'
unmounted mnt
medium_of whole.img 400000
bad $(for n in 1 2 3 4; do block_of /large-$n 7; done)
: > expected
for n in 1 2 3 4; do
	tell unreadable-data /large-$n $((7 * 4096)) 4096
done
volume target.img 1200M
begun=$(du -k target.img | cut -f 1)
"$E2BFO" copy --memory 8M --on-read-error zero --write-mapfile lost.map medium/source.img \
	target.img > out 2> said < /dev/null &
pid=$!
echo $pid >> .state/processes
while kill -0 $pid 2> /dev/null; do
	[ $(($(du -k target.img | cut -f 1) - begun)) -lt 600000 ] || break
done
kill -KILL $pid 2> /dev/null || fail "it ended before: $(cat said)"
wait $pid || :
printf '0 ? 1\n0 0x44C00000 ?\n' > lost.map	# as an interrupted copy leaves it
e2bfo 1 resume --json target.img
judged resumed
checked target.img
for n in 1 2 3 4; do
	zeroed /large-$n 7
done
bad_in lost.map > map.blocks
sort -n blocks > blocks.sorted
same map.blocks blocks.sorted
healed
