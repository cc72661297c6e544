# SPDX-License-Identifier: GPL-2.0-or-later
# A source on a bad medium, for tests/oracle/badmedia*.sh, which source it after lib.sh.
#
# The image is a file in a filesystem, in which some of its blocks are mapped behind the end of the
# device; reading them is an I/O error of the kernel.  whole.img is the image before, `expected` and
# the target what e2bfo is to make of it.

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

# medium_of IMAGE [BLOCKS]: a medium of so many blocks of 4 KB; IMAGE is the file medium/source.img
# in it, once mounted.
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
	debug medium.img < commands
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

# ---- mapfiles ----

# bad_in MAP: the blocks that it calls bad
bad_in() {
	perl -ane 'next unless @F == 3 && $F[2] eq "-";
		for ($b = hex($F[0]); $b < hex($F[0]) + hex($F[1]); $b += 4096) {
			print($b / 4096, "\n") }' "$1" | sort -n
}

# outside MAP OFFSET: reads of the source, as strace saw them, that MAP (positions behind OFFSET)
# lacks
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

# ---- some of everything ----

# map_of BLOCK...: all but these were read
map_of() {
	printf '%s\n' "$@" | sort -un | awk -v size="$SIZE" '
		BEGIN { print "0x0 ? 1" }
		function area(from, to, status) {
			if (to > from)
				printf("0x%X 0x%X %s\n", from * 4096, (to - from) * 4096, status) }
		{ area(end, $1, "+"); area($1, $1 + 1, "-"); end = $1 + 1 }
		END { area(end, size / 4096, "+") }'
}

# lose: sets leaf, flat, slow, tables, map, xattr and all of them, spots: blocks whose loss costs
# names, inodes, a target, a part of a block map and attributes.  lost-inodes has the inodes in
# them, lost-entries the names ("DIRECTORY ..."), all the inode, type and path of whatever there is.
lose() {
	local dir block

	leaf=$(block_of /bad/indexed 2) flat=$(block_of /bad/flat 0) slow=$(block_of /bad/slow 0)
	tables="$(table_of /bad/nodes/file-20) $(table_of /bad/nodes/fast-20) $(table_of /bad/nodes/dir)"
	map=$(ask whole.img 'extents /bad/tree' | awk '$1 ~ /^0\// { n++; if (n == 2) print $8 }')
	xattr=$(ask whole.img 'stat /bad/xattr' | sed -n 's/^File ACL: //p')
	spots="$tables $leaf $flat $slow $map $xattr"
	# shellcheck disable=SC2086
	inodes_in $tables | sort -nu > lost-inodes
	for dir in indexed flat; do
		[ $dir = indexed ] && block=$leaf || block=$flat
		entries_in "$block" | sed "s/^[0-9]*/$(inode_of whole.img /bad/$dir)/"
	done > lost-entries
	mounted whole.img mnt
	(cd mnt && find . -printf '%i %y /%P\n') > all
	unmounted mnt
}
