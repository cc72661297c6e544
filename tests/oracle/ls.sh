#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo ls against the kernel's view: every path and attribute of trees with oddities, of all kinds
# of filesystems, once as lines and once as JSON; generation, version, project, flags by debugfs.
# Damage is told and does not hide the rest. By an index, also one that breaks off in the middle,
# it says the same as without. Nothing is written.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup perl python3 setfattr lsattr tune2fs stat find

# kernel DIR: of all paths below the mounted DIR, what stat(1) says, a line each
kernel() {
	(cd "$1" && find . -mindepth 1 -print0 | xargs -0 stat --printf \
		'%n\0%i\0%f\0%h\0%u\0%g\0%s\0%b\0%t\0%T\0%y\0%x\0%z\0%w\0' |
	perl -e '
		$/ = undef;
		my @f = split(/\0/, <STDIN>, -1);
		while (@f > 14) {
			my ($n, $i, $mode, $h, $u, $g, $s, $b, $maj, $min, @t) = splice(@f, 0, 14);
			$mode = hex($mode);
			my $is_dev = ($mode & 0170000) == 0020000 || ($mode & 0170000) == 0060000;
			my $dev = $is_dev ? hex($maj) . "," . hex($min) : "";
			my $to = readlink($n) // "";
			$_ eq "-" and $_ = "none" for @t;
			my $line = join("|", substr($n, 1), $i, sprintf("%o", $mode), $h, $u, $g,
					$s, $b, $dev, @t, $to);
			$line =~ s/([^ -~]|%)/sprintf("%%%02x", ord($1))/ge;
			print "$line\n";
		}') | LC_ALL=C sort
}

# from_json FILE: the same lines from --json (bytes stay bytes); and inode numbers ascend in each
# directory
from_json() {
	perl -MJSON::PP -MMIME::Base64 -MEncode=decode,FB_CROAK,LEAVE_SRC -e '
		local $/ = undef;
		my $text = <STDIN>;
		$text =~ s/\\udc([0-9a-f]{2})/\\u00$1/g;
		my $j = JSON::PP->new->latin1->decode($text);
		my %type = (file => 0100000, directory => 0040000, symlink => 0120000,
			fifo => 0010000, socket => 0140000, "character-device" => 0020000,
			"block-device" => 0060000);
		my ($before, $number) = ("", 0);
		for my $e (@{$j->{entries}}) {
			next if $e->{damage};
			my $dev = exists($e->{major}) ? "$e->{major},$e->{minor}" : "";
			my $mode = sprintf("%o", $type{$e->{type}} | oct($e->{mode}));
			# the kernel shows blocks where file data stands in the inode
			$e->{blocks} += $e->{size} + 511 >> 9
				if $e->{type} eq "file" && $e->{flags} & 0x10000000;
			my @t = map { defined ? s/T/ /r =~ s/Z$/ +0000/r : "none" }
				@$e{qw(mtime atime ctime crtime)};
			/T\d\d:\d\d:\d\d\.\d{9}Z$/ or die "$e->{path}: not RFC 3339: $_\n"
				for grep { defined } @$e{qw(mtime atime ctime crtime)};
			my $odd = !eval { decode("UTF-8", $e->{path}, FB_CROAK | LEAVE_SRC); 1 };
			exists($e->{path_bytes}) == $odd &&
				(!$odd || decode_base64($e->{path_bytes}) eq $e->{path})
				or die "$e->{path}: path_bytes\n";
			my $line = join("|", $e->{path}, $e->{inode}, $mode,
				@$e{qw(links uid gid size blocks)}, $dev, @t, $e->{target} // "");
			$line =~ s/([^ -~]|%)/sprintf("%%%02x", ord($1))/ge;
			print "$line\n";
			my $dir = $e->{path} =~ s,/[^/]*$,,r;
			$dir ne $before || $e->{inode} >= $number or die "$e->{path}: order\n";
			($before, $number) = ($dir, $e->{inode});
		}' < "$1" | LC_ALL=C sort
}

# from_lines: of -lR on standard input, the same with the path first (no names with newlines)
from_lines() {
	perl -ne '
		chomp;
		if (/^(\/.*):$/) { $dir = $1 eq "/" ? "" : $1; next }
		next if !length;
		my ($i, $m, $h, $u, $g, $s, $t, $n) =
			/^ *(\d+) (\S{10}) +(\d+) +(\d+) +(\d+) +([\d, ]*\d) (\S+ \S+ \+0000) (.*)$/
			or die "not a line: $_\n";
		$s =~ s/, */,/;
		print "$dir/$n|$i|$m|$h|$u|$g|$s|$t\n"' | LC_ALL=C sort
}

# long DIR: the same by find
long() {
	(cd "$1" && find . -mindepth 1 -printf '%P\0' | xargs -0 stat --printf \
		'/%n\0%i\0%A\0%h\0%u\0%g\0%s\0%t\0%T\0%y\0' | perl -e '
		$/ = undef;
		my @f = split(/\0/, <STDIN>, -1);
		while (@f > 10) {
			my ($n, $i, $m, $h, $u, $g, $s, $a, $b, $t) = splice(@f, 0, 10);
			$s = hex($a) . "," . hex($b) if $m =~ /^[bc]/;
			$n .= " -> " . readlink(substr($n, 1)) if $m =~ /^l/;
			print "$n|$i|$m|$h|$u|$g|$s|$t\n" if $n !~ /\n/;
		}') | LC_ALL=C sort
}

# judge IMAGE [OPTIONS]: everything in it is as the kernel shows it
judge() {
	local image=$1 before

	shift
	before=$(digest "$image")
	mounted "$image" mnt
	kernel mnt > expected
	long mnt > expected.lines
	unmounted mnt
	e2bfo 0 ls -R --json "$@" "$image"
	[ ! -s said ] || fail "$image: $(cat said)"
	from_json out > actual
	same expected actual
	[ "$(wc -l < actual)" -gt 20 ] || fail "$image: too little to compare"
	e2bfo 0 ls -lR "$@" "$image"
	if ! grep -q '%0a' expected; then
		from_lines < out > actual.lines
		same expected.lines actual.lines
		lines=$((${lines:-0} + 1))
	fi
	unchanged "$image" "$before" "ls"
}

# private IMAGE: generation, version, project and flags, which debugfs knows
private() {
	local image=$1

	e2bfo 0 ls -R --json "$image"
	perl -MJSON::PP -e 'local $/ = undef; my $t = <STDIN>; $t =~ s/\\udc../x/g;
		for my $e (@{JSON::PP->new->latin1->decode($t)->{entries}}) {
			$seen{$e->{inode}}++ and next;
			printf("%d %u %x:%x %u %x\n", @$e{qw(inode generation)},
				$e->{version} >> 32, $e->{version} & 0xffffffff,
				@$e{qw(project flags)});
		}' < out | sort -n > actual
	cut -d' ' -f1 actual | sed 's/.*/stat <&>/' > commands
	debugfs -f commands "$image" 2> /dev/null | perl -ne '
		$i = $1, $f = $2 if /^Inode: (\d+) .*Flags: 0x([0-9a-f]+)/;
		if (/^Generation: (\d+) +Version: 0x([0-9a-f]+)(?::([0-9a-f]+))?/) {
			$g = $1;
			@v = defined($3) ? (hex($2), hex($3)) : (0, hex($2));
		}
		if (/^User:.*?(?:Project: *(-?\d+))?\s+Size:/) {
			printf("%d %u %x:%x %u %x\n", $i, $g, @v, ($1 // 0) & 0xffffffff, hex($f));
		}' | sort -n > expected
	same expected actual
}

# named IMAGE LEAST: names of extended attributes as listxattr(2) has them, of LEAST inodes or more,
# and of flags as lsattr(1)
named() {
	e2bfo 0 ls -R --json "$1"
	mounted "$1" mnt
	python3 -c '
import json, os, re, stat, subprocess, sys
seen = 0
for entry in json.load(open("out"))["entries"]:
    path = b"mnt" + os.fsencode(entry["path"])
    wanted = sorted(os.listxattr(path, follow_symlinks=False))
    assert sorted(entry["xattrs"]) == wanted, (path, entry["xattrs"], wanted)
    assert entry["has_xattr"] == bool(wanted), path
    seen += bool(wanted)
    if entry["type"] in ("file", "directory") and re.fullmatch(rb"[-\w./]+", path):
        flags = subprocess.check_output([b"lsattr", b"-dl", path]).decode().split(None, 1)[1].strip()
        assert ", ".join(entry["flag_names"]) == flags.replace("---", ""), (path, flags)
assert seen >= int(sys.argv[1]), seen
' "$2" || fail "$1: names"
	unmounted mnt
}

"$IMAGES/oddities" odd.img
named odd.img 20
judge odd.img
judge odd.img --memory 1M
private odd.img
e2bfo 0 ls --json odd.img /xattrs
grep -q '"has_xattr": true' out || fail "no attributes"
e2bfo 0 ls --json odd.img /files
! grep -q '"has_xattr": true' out || fail "attributes that are not there"

# fill DIR: names of all kinds; hard links in one directory; targets of all lengths
fill() {
	perl -e '
		chdir($ARGV[0]) or die;
		sub put { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[1]; close($f); }
		mkdir("d$_") or die for 1 .. 5;
		put("d1/file$_", "x" x ($_ * 50)) for 1 .. 300;
		link("d1/file7", "d1/hard$_") or die for 1 .. 40;
		link("d1/file9", "d2/other") or die;
		put("d2/" . ("n" x $_), "") for 1, 2, 200, 255;
		put("d2/\xc3\xa4\xe2\x82\xac \\ \"quoted\"", "");
		put("d2/\xff\xfe\x80", "");
		symlink("t" x $_, "d3/link$_") or die for 1, 59, 60, 61, 150, 900;
		symlink("d1/file1", "d3/to") or die;
		mkdir("d4/" . join("/", map { "deep$_" } 1 .. $_)) for 1 .. 20;
		put("d5/small$_", "s" x $_) for 1 .. 60;
		utime(-1000000000 + $_, $_ * 12345678, "d5/small$_") for 1 .. 60;
		system("mknod d3/char c 5 1; mknod d3/block b 700 70000; mkfifo d3/pipe") and die;
		chmod(0, "d5/small1"); chmod(04755, "d5/small2"); chmod(03644, "d5/small3");
		chown(100000, 70000, "d5/small4");
	' "$1"
}

while read -r type bs options; do
	rm -f kind.img
	truncate -s 32M kind.img
	# shellcheck disable=SC2086
	mke2fs -q -F -t "$type" -b "$bs" $options kind.img 2> /dev/null
	mounted kind.img mnt rw
	fill mnt
	unmounted mnt
	judge kind.img
	private kind.img
	! grep -q '"has_xattr": true' out || fail "inline data are shown as an attribute"
done << END
ext2 1024 -I 128 -O ^filetype
ext2 4096 -I 256
ext3 1024 -I 128
ext3 4096
ext4 1024 -O inline_data
ext4 4096 -O inline_data,metadata_csum
ext4 1024 -O ^metadata_csum,^uninit_bg
ext4 4096 -I 512 -O inline_data,^flex_bg
END

# blocks counted in blocks
debug kind.img "sif /d1/file290 flags 0xc0000"
judge kind.img

[ "$lines" = 9 ] || fail "-l was compared $lines times"

# a newline in a name: JSON and the kernel agree
mounted kind.img mnt rw
perl -e 'open(F, ">", "mnt/d1/two\nlines") or die; symlink("a\nb", "mnt/d3/odd") or die'
unmounted mnt
judge kind.img
e2bfo 0 ls kind.img /d1
grep -qx 'lines' out || fail "bytes of names are not kept"
if command -v script > /dev/null; then
	script -qc "'$E2BFO' ls kind.img /d1" /dev/null < /dev/null > terminal
	grep -q 'two\\x0alines' terminal || fail "a terminal gets raw bytes"
fi

# --- paths ---
e2bfo 0 ls kind.img /d1/file7 d3/to //d5/./
sed -n 1,2p out > first
printf '/d1/file7\n/d3/to\n' | cmp -s - first || fail "files as PATH: $(cat first)"
grep -qx '/d5:' out || fail "no header"
e2bfo 8 ls kind.img /nowhere/x /d5
says '^e2bfo: No such file or directory while looking for /nowhere/x on kind.img$'
grep -qx 'small60' out || fail "the other PATH was not listed"
e2bfo 8 ls kind.img /d3/to/x
says 'Not a directory while looking for /d3/to/x on kind.img: symbolic links are not followed'
e2bfo 8 ls kind.img /d1/..
says "'..' is not followed"

# --- damage ---
cp kind.img broken.img
free=$(inode_of broken.img /d1/file30) wrong=$(inode_of broken.img /d1/file31)
debug broken.img "freei <$free>" "clri <$free>" "sif <$wrong> mode 070644"
e2bfo 1 ls --json broken.img /d1
says "/d1/file30: name points to no inode.* \(inode $free\)" "/d1/file31: inode has no valid type"
[ "$(wc -l < said)" = 2 ] || fail "more than two are damaged"
from_json out > actual
[ "$(wc -l < actual)" = 339 ] || fail "$(wc -l < actual) names instead of 339"
grep -q '{"path": "/d1/file30", "damage": "name-inode", "inode": [0-9]*}' out ||
	fail "JSON of damage"

debug broken.img "sif /d3/link900 size 800" "sif /d3/link150 mode 0120755"
e2bfo 1 ls -l broken.img /d3
says '/d3/link900: symbolic link is damaged'
[ "$(wc -l < said)" = 1 ] || fail "more than one is damaged"

# an attribute block that several inodes share, and attributes in an inode
cp odd.img broken.img
e2bfo 0 ls -R --json broken.img
shared=$(perl -MJSON::PP -e '
	local $/ = undef;
	my $text = <STDIN> =~ s/\\udc../x/gr;
	for my $e (@{JSON::PP->new->latin1->decode($text)->{entries}}) {
		my $said = `debugfs -R "stat <$e->{inode}>" broken.img 2> /dev/null`;
		print("$1\n"), exit if $said =~ /File ACL: ([1-9]\d*)/;
	}' < out)
[ -n "$shared" ] || fail "no attribute block"
dd if=/dev/zero of=broken.img bs=4096 seek="$shared" count=1 conv=notrunc status=none
e2bfo 1 ls -R --json broken.img
says "extended attribute block is damaged \(inode [0-9]+, block $shared\)"
grep -q '"xattrs": null' out || fail "names of attributes that cannot be known"
grep -q "\"damage\": \"xattr-block\", \"inode\": [0-9]*, \"block\": $shared" out ||
	fail "no damage in JSON"
e2bfo 0 ls -R broken.img

# a directory block with a wrong checksum, a directory below itself, a name of a system inode
cp kind.img broken.img
block=$(ask broken.img "bmap /d5 0")
printf 'X' | dd of=broken.img bs=1 seek=$((block * 4096 + 4000)) conv=notrunc status=none
debug broken.img "ln /d4 /d4/deep1/again" "ln <8> /d2/journal"
e2bfo 1 ls -R broken.img
says '/d5: checksum of a directory block is wrong .inode [0-9]*, block [0-9]*' \
	'/d4/deep1/again: directory has a second name' '/d2/journal: name points to no inode'
[ "$(wc -l < said)" = 3 ] || fail "more than three are damaged"
[ "$(grep -c '^/d4' out)" = 21 ] || fail "directories are listed twice: $(grep '^/d4' out)"
grep -qx '/d5:' out || fail "a damaged directory has no header"

# --- a journal that has to be replayed ---
rm -f live.img
truncate -s 32M live.img
mke2fs -q -F -t ext4 -b 1024 live.img
mounted live.img mnt rw
fill mnt
sync -f mnt
for _ in $(seq 50); do
	cp --sparse=always live.img dirty.img
	! cmp -s live.img dirty.img || break
done
unmounted mnt
dumpe2fs -h dirty.img 2> /dev/null | grep -q needs_recovery || fail "dirty.img is clean"
cp dirty.img replayed.img
mounted replayed.img mnt rw
unmounted mnt
mounted replayed.img mnt
kernel mnt > expected
unmounted mnt
before=$(digest dirty.img)
e2bfo 0 ls -R --json dirty.img
from_json out > actual
same expected actual
unchanged dirty.img "$before" "ls"
e2bfo 0 ls --ignore-journal dirty.img
says 'its journal was ignored'

# --- by an index ---
rm -f plain.img
truncate -s 64M plain.img
mke2fs -q -F -t ext4 -b 1024 -N 20000 plain.img
mounted plain.img mnt rw
perl -e 'chdir("mnt"); mkdir($_) or die for qw(big small other);
	sub put { open(my $f, ">", $_[0]) or die; print $f "x"; close($f); }
	my $s = 7;
	put("big/name" . ($s = $s * 16807 % 2147483647)) for 1 .. 12000;
	link("big/name117649", "big/link$_") or die for 1 .. 300;
	symlink("t" x (80 + $_), "big/sym$_") or die for 1 .. 100;
	put("other/n$_") for 1 .. 200; put("small/s$_") for 1 .. 3;
	mkdir("big/sub$_") for 1 .. 3'
unmounted mnt
time=1700000000
"$JUDGES/mkitree" plain.img $time 77 > container
cp plain.img tree.img
E2FSPROGS_FAKE_TIME=$time debug tree.img "write container /.e2itree"

# the_same WORD: --json of tree.img, and -R, are those of plain.img; the order is called WORD
the_same() {
	local path

	for path in /big /other; do
		e2bfo 0 ls --json plain.img $path
		sed '1s/.*"entries"//; $d' out > expected
		e2bfo 0 ls --json -v tree.img $path
		grep -q "\"order\": \"$1\"" out || fail "$path: not $1: $(tail -n 1 out; cat said)"
		sed '1s/.*"entries"//; $d' out > actual
		same expected actual
	done
	e2bfo 0 ls -lR plain.img
	grep -v ' \.e2itree$' out > expected
	e2bfo 0 ls -lR tree.img
	grep -v ' \.e2itree$' out > actual
	same expected actual
}
the_same tree
grep -q . said && fail "$(cat said)"
e2bfo 0 ls --json tree.img /big
grep -q '"index": "fresh"' out || fail "the index is not fresh"
e2bfo 0 ls --json tree.img /small /big
grep -q '"order": "both"' out || fail "one block was read by its index"

# damage in any part of the tree of /big: leaves, index nodes
blocks=$(($(stat -c %s container) / 1024))
cp tree.img sound.img
for block in 2 3 5 8 9 20 200 $((blocks / 2)) $((blocks - 30)); do
	cp sound.img tree.img
	at=$(ask tree.img "bmap /.e2itree $block")
	printf 'X' | dd of=tree.img bs=1 seek=$((at * 1024 + 500)) conv=notrunc status=none
	for path in /big /other; do
		e2bfo 0 ls plain.img $path
		mv out expected
		e2bfo 0 ls -v tree.img $path
		same expected out
		! grep -q '1 of them after damage' said || broken="${broken:-} $path"
	done
done
[ "$(wc -w <<< "${broken:-}")" -ge 7 ] ||
	fail "the tree was not read where it is damaged: ${broken:-}"
cp sound.img tree.img
at=$(ask tree.img "bmap /.e2itree 0")
printf 'X' | dd of=tree.img bs=1 seek=$((at * 1024 + 100)) conv=notrunc status=none
the_same sorted
e2bfo 0 ls --json tree.img
grep -q '"index": "damaged"' out || fail "a damaged header is not said"

# a tree that lies: it names an inode that is not in use
cp sound.img tree.img
dead=$(inode_of tree.img /big/sym50)
E2FSPROGS_FAKE_TIME=$time debug tree.img "freei <$dead>" "clri <$dead>"
e2bfo 1 ls --json tree.img /big
grep -q '"order": "tree"' out || fail "not by the index"
says "/big/sym50: name points to no inode"
[ "$(grep -c '"path"' out)" = 12403 ] || fail "$(grep -c '"path"' out) names"

# written to since: by a mount, that changes one directory; by e2fsck
cp sound.img tree.img
mounted tree.img mnt rw
: > mnt/big/new
unmounted mnt
e2bfo 0 ls --json tree.img /big
grep -q '"order": "sorted"' out || fail "an old index was believed"
grep -q '"index": "likely"' out || fail "a mount is not noticed"
[ "$(grep -c '"path": "/big/new"' out)" = 1 ] || fail "the new name is not there"
e2bfo 0 ls --json tree.img /other
grep -q '"order": "tree"' out || fail "a directory that did not change has lost its index"
cp sound.img tree.img
e2fsck -fy tree.img > fsck.log 2>&1 || :
e2bfo 0 ls --json tree.img /big
grep -q '"index": "stale"' out || fail "e2fsck is not noticed"

# --- names of one inode in a casefolded directory: by the hash that such a directory has ---
volume plain.img 8M -b 1024 -N 400 -O casefold
{
	echo 'mkdir folded' && echo 'set_inode_field folded flags 0x40080000'
	echo 'write expected folded/File'
	for name in Able bAKER Charlie dOG Easy fOX George hOW; do
		echo "ln folded/File folded/$name"
	done
	echo 'set_inode_field folded/File links_count 9'
	for name in {1..100}; do
		echo "symlink folded/So-that-there-is-more-than-a-block-$name to"
	done
} > links
debug plain.img < links
cp plain.img tree.img
e2itree 1 -p tree.img
e2bfo 0 ls plain.img /folded
mv out expected
e2bfo 0 ls -v tree.img /folded
says '1 in the order of their index'
same expected out
