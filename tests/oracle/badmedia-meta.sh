#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources whose inode tables, directories, extent and attribute blocks cannot be read everywhere:
# what is reported is exactly what was lost, as debugfs tells it of the image before.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr losetup perl strace
. "$SRCDIR/tests/media.sh"

# ---- metadata ----

# lost LOST-INODES LOST-ENTRIES: adds to `expected` what is unreadable, unreached, or has fewer
# links
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
	inodes_in $table
done > lost-inodes
sort -n lost-inodes | uniq > numbers
# what meets is one finding
perl -ne 'chomp; if (defined($last) && $_ == $last + 1) { $last = $_; next }
	found(); $first = $last = $_;
	sub found { print("unreadable-inodes <$first-$last> $first - - ", $last - $first + 1, "\n")
		if defined($last) }
	END { found() }' numbers >> expected
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
