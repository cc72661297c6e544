#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --order from and to every kind of filesystem, of parts of a tree, of files with holes, of
# encrypted and casefolded ones, and from a medium that cannot be read everywhere: what was ordered
# lies in order, and everything else is as it is without.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs tune2fs losetup perl find strace
. "$SRCDIR/tests/places.sh"
. "$SRCDIR/tests/media.sh"

export SOURCE_DATE_EPOCH=1700000000

# ---- kinds ----

# filled IMAGE: files in a random order, some of them small, with owners; a page and what it needs
filled() {
	mounted "$1" mnt rw,noatime
	perl -e '
		srand(9);
		chdir("mnt") or die;
		mkdir("d$_") or die for 1 .. 6;
		my @all = map { my $d = $_; map { "d$d/f$_" } 1 .. 40 } 1 .. 6;
		for my $i (reverse(1 .. $#all)) {
			my $j = int(rand($i + 1));
			@all[$i, $j] = @all[$j, $i];
		}
		sub put {
			open(my $out, ">", $_[0]) or die "$_[0]: $!";
			print $out $_[1];
			close($out);
			chown(1000 + length($_[1]) % 3, 2000, $_[0]) or die;
			utime(1, 1e9 + rand(1e9), $_[0]) or die;
		}
		put($_, "$_\n" x (rand(4) < 1 ? 5 : rand(6000))) for @all;
		put("d2/index.html", "<img src=../d5/f3><img src=f9>" . " " x 9000 . "<img src=/d1/f2>");
		put("d3/page.htm", "<img src=f4><img src=../d6/f4>");' # the first may stand in its inode
	unmounted mnt
}
printf '/d%d/f%d\n' 4 11 2 30 6 7 1 25 3 18 5 29 2 12 > list
for i in 1 2 3; do
	printf '7 /d6/f20\n8 /d1/f21\n7 /d2/f22\n8 /d5/f23\n7 /d4/f24\n'
done > trace
printf '/d%d/f%d\n' 6 20 2 22 4 24 > traced
printf '/d2/index.html\n/d5/f3\n/d2/f9\n/d1/f2\n' > page
printf '/d3/page.htm\n/d3/f4\n/d6/f4\n' > small-page
all=(--order list:list,refs,trace:trace,mtime)

# source_is [mke2fs arguments]
source_is() {
	volume source.img 64M -N 2048 "$@"
	filled source.img
	checked source.img
}

# tried NAME [mke2fs arguments]: to a filesystem of this kind
tried() {
	local name=$1

	shift
	volume target.img 80M -N 4096 "$@"
	e2bfo 0 copy --json "${all[@]}" source.img target.img
	grep -q '"policy": "refs", "files": 7,.*"policy": "trace", "files": 5,' out ||
		fail "$name: $(cat out)"
	checked target.img
	e2bfo 0 verify source.img target.img
	for group in list page small-page traced; do
		places target.img $group | rising "$name: $group"
	done
}

# both NAME [mke2fs arguments]: from and to one
both() {
	source_is "${@:2}"
	tried "$@"
}
old=^64bit,^flex_bg,^huge_file,^metadata_csum,^dir_nlink,^extra_isize,^extent
both ext2 -O $old,^has_journal
both ext3 -O $old
both groups -g 1024 -G 1
both inline -O inline_data -I 512
both bigalloc -O bigalloc -C 16384
# no kernel here writes to it
tried quota -O quota,project -E quotatype=usrquota:grpquota:prjquota
[ "$(ask target.img 'list_quota user' | grep -c '^ *100[012] ')" = 3 ] || fail "no quota"

# ---- parts of a tree ----
volume target.img 80M -N 4096
e2bfo 0 copy --json --exclude d2/f30 --exclude /d6 "${all[@]}" source.img target.img
checked target.img
grep -q '"policy": "list", "files": 5, "missing": 2' out || fail "excluded: $(cat out)"
grep -v '/d6\|/d2/f30' list > rest
places target.img rest | rising "--exclude"
mounted target.img mnt
[ ! -e mnt/d6 ] && [ ! -e mnt/d2/f30 ] || fail "they are not excluded"
unmounted mnt
printf 'd3\nd2/index.html\nd5/f3\nd4/f11\n' > some
printf '/x/d2/index.html\n/x/d5/f3\n' > page-there
printf '/x/d4/f11\n/x/d3/f18\n' > list-there
e2bfo 0 copy --json --files-from some --to /x "${all[@]}" source.img target.img
checked target.img
grep -q '"policy": "list", "files": 2, "missing": 5.*"policy": "refs", "files": 4,' out ||
	fail "listed: $(cat out)"
places target.img page-there | rising "--files-from: a page"
places target.img list-there | rising "--files-from: the list"
# what find -print0 writes says nothing without --from0
tr '\n' '\0' < list > list0
e2bfo 0 copy -n --json --from0 --order list:list0 --to /y source.img target.img
grep -q '"files": 7, "missing": 0' out || fail "--from0: $(cat out)"
e2bfo 8 copy -n --order list:list0 --to /y source.img target.img
says 'reading list0: .*--from0'
e2bfo 8 copy -n --files-from list0 --to /y source.img target.img
says 'reading list0: .*--from0'

# ---- holes and unwritten blocks refer to nothing, whatever the buffer held before ----
volume source.img 64M
mounted source.img mnt rw,noatime
perl -e '
	chdir("mnt") or die;
	sub put { open(my $f, ">", $_[0]) or die; print $f $_[1]; close($f); }
	for (1 .. 3) {
		mkdir("d$_") or die;
		# in a style sheet it is a comment, in a page it would be an image
		put("d$_/full.css", "/*" . "<img src=picture>" x 61680);
		put("d$_/holes.html", "<html>");
		put("d$_/unwritten.html", "<html>");
		truncate("d$_/holes.html", 1 << 20) or die;
		put("d$_/picture", "picture");
	}'
for i in 1 2 3; do fallocate -l 1M mnt/d$i/unwritten.html; done
unmounted mnt
e2bfo 0 copy -n --json --memory 1M --order refs --to /z source.img target.img
grep -q '"policy": "refs", "files": 0,' out || fail "holes: $(cat out)"

# ---- includes of a file that is 900 folders deep ----
mounted source.img mnt rw,noatime
perl -e '
	chdir("mnt") or die;
	for (1 .. 900) { mkdir("d") && chdir("d") or die; }
	open(my $f, ">", "near.h") or die;
	open($f, ">", "deep.c") or die;
	print $f "#include \"none$_.h\"\n" for 1 .. 20000;
	print $f "#include \"near.h\"\n";'
unmounted mnt
e2bfo 0 copy -n --json --order refs --to /z source.img target.img
grep -q '"policy": "refs", "files": 2,' out || fail "deep: $(cat out)"

# ---- encrypted, casefolded: by what is known without their key ----
inodes=$("$IMAGES/folded" source.img "$JUDGES/dirhash") || fail "no sample"
for order in size mtime name source refs,size; do
	volume target.img 100M -N 4096 -O casefold,encrypt
	e2bfo 0 copy --keep-inodes --order $order source.img target.img
	checked target.img
	e2bfo 0 verify source.img target.img
done
volume source.img 64M -O encrypt
mounted source.img mnt rw,noatime
mkdir mnt/secret
perl -e '
	my ($add, $set) = (0xc0506617, 0x800c6613);
	chdir("mnt/secret") && open(my $d, "<", ".") or die;
	my $arg = pack("LLx32 LLx32 C64", 2, 0, 64, 0, map { $_ * 37 & 255 } 1 .. 64);
	ioctl($d, $add, $arg) or die "adding a key: $!";
	my $policy = pack("CCCCCx3a16", 2, 1, 4, 3, 0, substr($arg, 8, 16));
	ioctl($d, $set, $policy) or die "encryption policy: $!";
	for (1 .. 60) {
		open(my $f, ">", "page$_.html") or die;
		print $f "<img src=page", $_ + 1, ".html>" x ($_ * 37 % 61 * 200 + 1);
	}'
unmounted mnt
volume target.img 100M -N 4096 -O encrypt
e2bfo 0 copy --json --order refs,size source.img target.img
checked target.img
grep -q '"policy": "refs", "files": 0' out || fail "encrypted pages: $(cat out)"
e2bfo 0 verify source.img target.img
mounted target.img mnt
find mnt/secret -type f -printf '%s %i\n' | sort -n > sizes
unmounted mnt
[ "$(wc -l < sizes)" = 60 ] || fail "$(wc -l < sizes) encrypted files"
cut -d ' ' -f 2 sizes | sort -n -c || fail "encrypted files are not in the order of sizes"

# ---- a bad medium ----
mounted whole.img mnt rw,noatime
perl -e 'open(my $f, ">", "mnt/good/page.html") or die;
	print $f map { "<img src=file-$_>" . " " x 4080 } qw(1 3 5);'
unmounted mnt
medium_of whole.img
bad "$(block_of /good/page.html 1)" "$(block_of /bad/big 3)" "$(block_of /bad/indexed 1)" \
	"$(table_of /bad/nodes/file-20)"
printf '/good/page.html\n/good/file-1\n/good/file-5\n' > page
printf '/good/file-9\n/bad/big\n/good/file-7\n' > list
for mode in zero skip; do
	volume target.img 80M
	e2bfo 1 copy --json --on-read-error $mode --write-mapfile $mode.map \
		--order refs,list:list,mtime \
		medium/source.img target.img
	checked target.img
	files=$([ $mode = zero ] && echo '3, .*"policy": "list", "files": 3, "missing": 0' ||
		echo '0, .*"policy": "list", "files": 2, "missing": 1')
	grep -q '"policy": "refs", "files": '"$files" out ||
		fail "$mode: $(grep -o "\"order\": .*" out)"
	[ $mode = skip ] || places target.img page | rising "a page that is read in part"
	if [ $mode = skip ]; then grep -v bad list; else cat list; fi > rest
	places target.img rest | rising "a list, $mode"
	others '/bad/.*|/good/page.html|/good/link-.*' $mode
done
cp --sparse=always whole.img rescued.img
volume target.img 80M
status=0
strace -o calls -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" copy --json \
	--on-read-error zero --mapfile zero.map --order refs,mtime rescued.img target.img \
	> out 2> said < /dev/null || status=$?
[ $status = 1 ] || fail "mapfile: exit $status: $(cat said)"
checked target.img
outside zero.map rescued.img < calls || fail "it was asked for"
places target.img page | rising "a page of a mapfile"
