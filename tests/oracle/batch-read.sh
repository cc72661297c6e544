#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many paths at once, of cat and of ls -d --files-from, against the kernel: through indexes of two
# and three levels, names that share a hash over several leaves, short directories; also where an
# index is damaged or cannot be read. What was read is counted by the program: the directories'
# leaves that are needed, not the directories; 128 files of 10^7 inodes; a fifth of many files in
# few requests.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs losetup perl stat shuf

seed=01234567-89ab-cdef-0123-456789abcdef

# counted: what the last run has read becomes $requests and $blocks
counted() {
	read -r requests blocks < <(
		sed -n 's/^e2bfo: read from .*: \([0-9]*\) requests, \([0-9]*\) blocks$/\1 \2/p' said)
}

# at_most REQUESTS BLOCKS WHAT
at_most() {
	counted
	[ "$requests" -le "$1" ] && [ "$blocks" -le "$2" ] ||
		fail "$3: $requests requests for $blocks blocks, not at most $1 for $2"
}

# stats LIST [OPTIONS]: in $image each path of LIST (NUL), once, has the inode that the kernel says
stats() {
	(cd mnt && xargs -0 stat --printf '%i /%n\n' < "../$1") | sort > expected
	sed -z 's,^,/,' < "$1" > paths
	e2bfo 0 ls -dlv --from0 --files-from paths "${@:2}" "$image"
	perl -ne '/^ *(\d+) .* \+0000 (.*)$/ or die "not a line: $_"; print "$1 $2\n"' < out > actual
	sort -s -c -n -k 1,1 actual || fail "$1: not in the order of inode numbers"
	sort actual | same expected /dev/stdin
}

# levels DIR: of nodes below the root of its index
levels() {
	local blk

	blk=$(ask deep.img "bmap $1 0")
	dd if=deep.img bs=1 skip=$((blk * 1024 + 30)) count=1 status=none | od -An -tu1 | tr -d ' '
}

volume deep.img 100M -b 1024 -N 2000 -O ^has_journal,large_dir -E hash_seed=$seed
mounted deep.img mnt rw,noatime
"$JUDGES/collide" $seed 1500000 > colliding
perl -e '
	mkdir("mnt/$_") or die "$!" for qw(deep flat same few few/sub);
	for (0 .. 19) { open(my $f, ">", "mnt/few/$_") or die "$!"; print $f "$_\n" x (300 * $_); }
	sub name { link("mnt/few/" . $n++ % 20, "mnt/$_[0]") or die "$_[0]: $!"; }
	name("deep/" . "d" x 245 . $_) for 10001 .. 66000;
	name("flat/" . "f" x 90 . $_) for 10001 .. 25000;
	open(my $c, "<", "colliding") or die; chomp(my @same = <$c>);
	name("same/$_") for @same;
	name("same/" . "s" x 190 . $_) for 10001 .. 16000;
	link("mnt/few/1", "mnt/few/sub/one") or die;' 
unmounted mnt
[ "$(levels /deep)" = 2 ] || fail "/deep has $(levels /deep) levels of nodes"
[ "$(levels /flat)" = 1 ] || fail "/flat has $(levels /flat) levels of nodes"
[ "$(wc -l < colliding)" -gt 500 ] || fail "too few names share a hash"

image=deep.img
mounted deep.img mnt
(cd mnt && find deep flat same few -mindepth 1 -print0) > all
shuf -z -n 2000 --random-source=all all > list
sed 's,^,same/,' colliding | tr '\n' '\0' >> list
shuf -z --random-source=all list > shuffled
stats shuffled
# Gaps are read over: all of the directories, in large requests.
at_most 150 100000 "2,000 names and more of three directories"
(grep -z '^deep' all || :) | shuf -z -n 10 --random-source=all > ten
stats ten
at_most 60 2000 "ten names of a directory of 20,000 blocks"
stats ten --on-read-error stop

# ---- contents ----

e2bfo 0 cat -v --batch -0 --from0 --files-from paths deep.img
at_most 100 4000 "ten files"
perl -0777 -e '
	my $text = <STDIN>;
	my $n = 0;
	while ($text =~ /\G(\d+) (\d+) ([^\0]*)\0/gc) {
		open(my $f, "<", "mnt$3") or die "$3: $!";
		my $data = <$f> // "";
		die "$3: other bytes\n" if $2 != length($data) || substr($text, pos($text), $2 + 1) ne "$data\n";
		pos($text) += $2 + 1;
		$n++;
	}
	die "$n files\n" if $n != 10;' < out || fail "cat"
unmounted mnt

# ---- what is not there, or cannot be found ----

tr '\0' '\n' < paths > lines
printf '%s\n' /deep/nothing "/flat/$(printf 'f%.0s' {1..90})1000" "/deep/$(printf 'd%.0s' {1..300})" \
	/few/1/x /few/sub/../1 /same/name-x / /few/sub//one/ >> lines
e2bfo 8 ls -dl --files-from lines deep.img
[ "$(wc -l < out)" = 12 ] || fail "not twelve lines: $(cat out)"
[ "$(wc -l < said)" = 6 ] || fail "not six that are missing: $(cat said)"
says 'nothing' 'f1000 ' "looking for /few/1/x" "'..' is not followed" '/same/name-x'
for wrong in "--files-from lines deep.img" "-d --from0 deep.img /few" "-dR --deleted --files-from lines deep.img"; do
	eval "e2bfo 16 ls $wrong"
done
e2bfo 0 ls -d --files-from /dev/null deep.img
[ ! -s out ] || fail "an empty list lists something"
e2bfo 0 ls -d --files-from - deep.img / < /dev/null
[ "$(cat out)" = / ] || fail "not the root"

# A node of an index that is none: the directory is read as a whole.
mounted deep.img mnt
(grep -z '^flat' all || :) | shuf -z -n 300 --random-source=all > some
image=broken.img
for damage in '-o 32 -l 4' '-o 29 -l 1' '-o 30 -l 1' '-o 36 -l 200'; do
	cp deep.img broken.img
	debug broken.img "zap_block -f /flat $damage -p 255 0"
	stats some
	counted
	[ "$blocks" -gt 1500 ] || fail "$damage: only $blocks blocks were read"
done
image=deep.img

# Blocks that cannot be read: of the index; of the half of a directory's leaves.
bad_from() {
	local blk

	blk=$(ask deep.img "bmap /deep $1")
	printf '# Mapfile\n0x0 + 1\n0x0 %#x +\n%#x %#x -\n%#x 0x10000000 +\n' $((blk * 1024)) \
		$((blk * 1024)) $(($2 * 1024)) $(((blk + $2) * 1024)) > map
}
bad_from 0 1
stats ten --mapfile map
bad_from 9000 4000
(grep -z '^deep' all || :) | shuf -z -n 40 --random-source=all | tr '\0' '\n' | sed 's,^,/,' > lines
e2bfo 8 ls -d --mapfile map --files-from lines deep.img
grep ': a directory on the way is damaged, or cannot be read$' said > bad
[ -s bad ] && [ -s out ] && [ $(($(wc -l < bad) + $(wc -l < out))) = 40 ] ||
	fail "$(wc -l < bad) bad, $(wc -l < out) listed: $(head -3 said)"
unmounted mnt

# ---- all inode tables ----

# Where these are read as a whole, a block of them that nobody needs may be bad.
volume small.img 20M -N 1024
mounted small.img mnt rw
perl -e 'mkdir("mnt/$_") or die for qw(a a/b); open(my $f, ">", "mnt/a/b/file") or die; print $f "content\n";
	open($f, ">", "mnt/$_") or die for 1 .. 900;'
unmounted mnt
table=$(dumpe2fs small.img 2> /dev/null | sed -n '0,/Inode table at/s/.*Inode table at \([0-9]*\)-.*/\1/p')
printf '# Mapfile\n0x0 + 1\n0x0 %#x +\n%#x 0x1000 -\n%#x 0x10000000 +\n' $(((table + 40) * 4096)) \
	$(((table + 40) * 4096)) $(((table + 41) * 4096)) > map
e2bfo 0 cat -v small.img /a/b/file
counted
[ "$blocks" -gt 50 ] || fail "only $blocks blocks: not all tables were read"
e2bfo 0 cat --mapfile map small.img /a/b/file
[ "$(cat out)" = content ] || fail "something else came"
e2bfo 8 cat --mapfile map --inode 645 small.img /a/b/file

# ---- a large volume, in few places ----

truncate -s 60G huge.img
mke2fs -q -F -t ext4 -b 4096 -N 10000000 -E nodiscard,hash_seed=$seed \
	-O ^has_journal,^uninit_bg,^metadata_csum,^resize_inode huge.img
mounted huge.img mnt rw,noatime
for n in {1..128}; do
	mkdir mnt/$n
	echo "$n" > mnt/$n/file
	echo "/$n/file"
done > lines
unmounted mnt
e2bfo 0 cat -v --files-from lines huge.img
seq 128 | same /dev/stdin out
at_most 700 4000 "128 files of 10,000,000 inodes"
e2bfo 0 ls -dlv --files-from lines huge.img
at_most 550 3500 "128 inodes of 10,000,000"

# ---- a fifth of many files ----

volume many.img 200M -N 20000 -O ^has_journal
mounted many.img mnt rw,noatime
perl -e '
	for my $d (1 .. 50) {
		mkdir("mnt/$d") or die;
		for (1 .. 300) { open(my $f, ">", "mnt/$d/file-$_") or die; print $f "$d $_\n"; }
	}'
unmounted mnt
for n in {1..50}; do
	seq -f "/$n/file-%.0f" 300
done | shuf -n 3000 --random-source=all > lines
tr -d '/' < lines | sed 's/file-/ /' > expected
e2bfo 0 cat -v --files-from lines many.img
same expected out
at_most 300 25000 "3,000 of 15,000 files"
e2bfo 0 ls -dlv --files-from lines many.img
at_most 60 3000 "3,000 of 15,000 inodes"
