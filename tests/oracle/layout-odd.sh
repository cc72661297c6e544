#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo layout of odd volumes: empty, tiny, old and new kinds, parts of disks, encrypted and
# casefolded directories; names that JSON and SVG have to escape; pictures that cannot be written.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs tune2fs losetup perl find sfdisk

# fine: the JSON is JSON, the picture well-formed XML, in UTF-8
fine() {
	perl -e '
		use JSON::PP;
		local $/;
		open(my $j, "<", "out") or die;
		my $report = <$j>;
		$report =~ s/\\udc[89a-f][0-9a-f]/?/g;		# no other escape is alone
		decode_json($report);
		open(my $f, "<:raw", $ARGV[0]) or die "no picture";
		my ($svg, @open) = <$f>;
		utf8::decode($svg) or die "no UTF-8\n";
		$svg =~ /[\x00-\x08\x0b-\x1f\x7f]/ and die "control characters\n";
		while ($svg =~ /\G(?:<(\/?)([a-z]+)((?:\s+[a-zA-Z-]+="[^<"&]*")*)(\/?)>|
				(?:[^<&>]|&(?:\#\d+|lt|gt|amp|quot|apos);)+)/gcx) {
			next unless defined($2);
			push(@open, $2) unless $1 || $4;
			!$1 || pop(@open) eq $2 or die "</$2>\n";
		}
		pos($svg) == length($svg) && !@open or die "no XML at ", pos($svg) // 0, "\n";' p.svg ||
		fail "$*"
}

# measured NAME VOLUME FILES DIRECTORIES [PATH]...: so many, by the report in JSON and text
measured() {
	local name=$1 volume=$2 files=$3 dirs=$4

	shift 4
	e2bfo 0 layout "$volume" "$@"
	grep -Eq "^files +$files\$" out && grep -Eq "^directories +$dirs\$" out ||
		fail "$name: $(head -6 out)"
	rm -f p.svg
	e2bfo 0 layout --json --svg p.svg "$volume" "$@"
	[ ! -s said ] || fail "$name: $(cat said)"
	fine "$name"
}

# counted IMAGE: how many files, and directories, the kernel finds; both without lost+found
counted() {
	mounted "$1" mnt
	find mnt -type f -printf '%i\n' | sort -u | wc -l > files
	find mnt -type d | wc -l > dirs
	unmounted mnt
}

volume image 16M
measured empty image 0 2
measured lost+found image 0 1 /lost+found
volume image 256K -b 1024 -N 16 -O ^has_journal
measured tiny image 0 2

kind() {
	volume image 32M -N 2048 "$@"
	mounted image mnt rw,noatime
	perl -e '
		chdir("mnt") or die;
		mkdir($_), mkdir("$_/sub") for qw(a b);
		for my $i (1 .. 300) {
			open(my $f, ">", ($i % 2 ? "a/" : "b/sub/") . "name$i") or die;
			print $f "$i " x ($i * 7 % 2000);
		}'
	unmounted mnt
	counted image
	measured "$*" image "$(cat files)" "$(cat dirs)"
	measured "$*: a part" image 150 1 /b/sub/ b/sub
	measured "$*: a file" image 1 0 /a/name7
}
old=^64bit,^flex_bg,^huge_file,^metadata_csum,^dir_nlink,^extra_isize,^extent
kind -O $old,^has_journal
kind -O $old
kind -O inline_data -I 512
kind -O bigalloc -C 65536
kind -g 512 -G 1

# ---- a part of a disk ----
truncate -s 40M disk
printf 'label: dos\nstart=2048, size=1M\nsize=33M\n' | sfdisk -q --no-tell-kernel disk || fail "sfdisk"
start=$(sfdisk -d disk | sed -n 's/.*disk2 : start= *\([0-9]*\),.*/\1/p')
dd if=image of=disk bs=512 seek="$start" conv=notrunc,sparse status=none
e2bfo 0 layout -q image
tail -n +2 out > expected
e2bfo 0 layout -q 'disk?partition=2'
tail -n +2 out > actual
same expected actual
e2bfo 0 layout -q --partition 2 disk
tail -n +2 out > actual
same expected actual
e2bfo 8 layout 'disk?partition=1'
e2bfo 16 layout --svg disk 'disk?partition=2'
says 'writing disk: that is disk'
cmp -s -n $((32 << 20)) image <(tail -c +$((start * 512 + 1)) disk) || fail "the disk has changed"

# ---- encrypted and casefolded ----
"$IMAGES/folded" image "$JUDGES/dirhash" > inodes || fail "no sample"
e2bfo 0 layout --json --svg p.svg image
fine folded
perl -e 'use JSON::PP; local $/; my $v = decode_json(<STDIN> =~ s/\\udc..//gr)->{volumes}[0];
	$v->{files} == 20 && $v->{readdir_to_inode}{things} > 20 or die "$v->{files} files\n"' < out ||
	fail "folded"

# ---- names ----
volume image 16M
mounted image mnt rw,noatime
perl -e '
	for my $n ("<&>\"q\x27", "\xff\xfe\x80", "\x01\x1b[31m\n\t\x7f", "\xed\xa0\x80", "]]>",
		   "\xf4\x90\x80\x80", "\\", "&#0;", "\xc3\xa4") {
		mkdir("mnt/$n") or die;
		for my $k (1 .. 3) {
			open(my $f, ">", "mnt/$n/$n$k") or die;
			print $f "x" x 9000;
		}
	}'
unmounted mnt
measured names image 27 11
for name in $'<&>"\x01\xff\'' $'\xed\xa0\x80]]>&#0;' $'a\nb\x7f' "$(printf '%0230d' 0 | tr 0 '<')"; do
	cp --sparse=always image "$name"
	e2bfo 0 layout --json --svg p.svg "$name" --against image
	fine "$name"
	rm "$name"
done

# ---- pictures that cannot be written ----
before=$(digest image)
ln -s image link
ln image hard
for to in image ./image link hard; do
	e2bfo 16 layout --svg $to image
	says "writing $to: that is image"
done
e2bfo 8 layout --svg none/p.svg image
says 'No such file or directory while writing none/p.svg'
e2bfo 16 layout --svg . image
e2bfo 8 layout --svg /dev/full image
says 'while writing /dev/full'
unchanged image "$before" 'pictures'
echo "an old picture, and longer than nothing" > p.svg
e2bfo 0 layout -q --svg p.svg image
[ "$(head -c 4 p.svg)" = '<svg' ] || fail "an old picture stays"

# ---- what is not there ----
for path in /none '/]]>/none' '/]]>/]]>1/x' '../x'; do
	e2bfo 8 layout image "$path"
	says "looking for"
done
e2bfo 8 layout image --against none
e2bfo 8 layout none
