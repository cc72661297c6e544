#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --order: every policy puts things where it says, as the kernel's inode numbers and debugfs's
# blocks show; the copy is the same otherwise, the same bytes every time, and can be resumed.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup perl find
. "$SRCDIR/tests/places.sh"

export SOURCE_DATE_EPOCH=1700000000
volume source.img 400M -N 20000
mounted source.img mnt rw,noatime
perl -e '
	srand(6);
	chdir("mnt") or die;
	mkdir("d$_"), mkdir("d$_/sub") for 1 .. 8;
	my @all = map { my $d = $_; map { ("d$d/f$_", "d$d/sub/g$_") } 1 .. 60 } 1 .. 8;
	for my $i (reverse(1 .. $#all)) {
		my $j = int(rand($i + 1));
		@all[$i, $j] = @all[$j, $i];
	}
	for my $f (@all) {
		open(my $out, ">", $f) or die;
		print $out "$f\n" x rand(4000);
		close($out);
		utime(1, 1e9 + rand(1e9) + 0.5, $f) or die;
	}
	for my $d (1 .. 8) {
		link("d$d/f1", "d$d/sub/link") or die;
		symlink("f2", "d$d/symbolic") or die;
		open(my $out, ">", "d$d/empty");
	}
	utime(1, -1e9, "d3/f3") or die;
	sub put {
		open(my $out, ">", $_[0]) or die;
		print $out $_[1];
	}
	put("d1/index.html", "<link rel=stylesheet href=/d4/s.css><img src=\"f7\"><img src=../d2/f%38>");
	put("d4/s.css", "x { background: url(../d5/f9) }");
	put("d1/other.html", "<img src=f7><img src=f11>");
	put("d6/a.c", "#include \"sub/a.h\"\n#include <b.h>\n");
	put("d6/sub/a.h", "#include \"../../d7/b.h\"\n");
	put("d7/b.h", "\n");
	put("d8/Makefile", "f3: f20 f19 nothing\n\ttouch f3\n");
	put("d8/big$_", "big" x 1e7) for 1 .. 6;'
unmounted mnt
checked source.img
manifests source.img source

# what stands on which target
seed=hash_seed=6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c002	# by which no subdirectory is listed last
volume new.img 500M -N 30000 -E $seed
volume used.img 500M -N 30000 -E $seed
mounted used.img mnt rw,noatime
perl -e 'chdir("mnt"); mkdir("old"); for (1 .. 3000) {
	open(my $f, ">", "old/$_") or die; print $f "$_ " x 3000; }
	close($f); $_ % 3 || unlink("old/$_") for 1 .. 3000;'
unmounted mnt
e2fsck -fy used.img > /dev/null || fail "e2fsck"

# everything IMAGE FORMAT: what find -printf says of each inode once, by its number; not
# directories. Of files with two names either may be met first: one of them is taken for both.
everything() {
	mounted "$1" mnt
	(cd mnt && find . -path ./lost+found -prune -o -path ./old -prune -o ! -type d \
		-printf "%i $2\n" | sed 's,/sub/link$,/f1,' | sort -n -u -k 1,1)
	unmounted mnt
}

# ordered_by NAME [OPTIONS]: copies to $NAME-new.img and $NAME-used.img, and looks whether all is
# there
ordered_by() {
	local name=$1 to

	shift
	for to in new used; do
		cp --sparse=always $to.img "$name-$to.img"
		e2bfo 0 copy "$@" source.img "$name-$to.img"
		checked "$name-$to.img"
	done
	e2bfo 0 verify source.img "$name-new.img"
	manifests "$name-new.img" target
	same_trees source target
	mounted "$name-used.img" mnt
	"$JUDGES/manifest" -d -x /old -x /lost+found mnt | grep -v '^/ ' > used.names
	unmounted mnt
	grep -v '^/ ' source.kernel > source.names
	same source.names used.names
}

# together IMAGE: files of a directory stand together, before what is below it?
together() {
	everything "$1" %p | awk '{
			sub("^[0-9]* ", "")
			sub("/[^/]*$", "")
			if ($0 == last) next
			if (done[$0]++) bad = 1
			for (last = above = $0; sub("/[^/]*$", "", above); ) done[above] = 1
			n++
		} END { exit bad || n < 3 }'
}

# ---- list ----
everything source.img %p | sed 's/^[0-9]* \.//' | grep '/[fg][0-9]*$' | grep -v '/f1$' |
	sort | perl -e '
	srand(7); my @all = <STDIN>; for (1 .. 150) { print splice(@all, rand(@all), 1) }' > list
{
	cat list
	sed -n 3p list
	printf '%s\n' /d2 /none /d1/f2/below ../d1/f1
} > list-said
sed 's,^/,,' list-said > list-relative
ordered_by list --order list:list-said
places list-new.img list | rising "list, new target" closely
places list-used.img list | rising "list, used target"
cp --sparse=always new.img relative.img
e2bfo 0 copy --json --order list:list-relative source.img relative.img
cmp relative.img list-new.img || fail "relative names give something else"
grep -q '"policy": "list", "files": 150, "missing": 4' out ||
	fail "the list is not told: $(cat out)"

# ... the rest stands as it does without
sed 's,^,.,' list > taken
for name in list readdir; do
	[ $name = list ] || {
		cp --sparse=always new.img readdir-new.img
		e2bfo 0 copy --order readdir source.img readdir-new.img
	}
	everything $name-new.img %p | sed 's/^[0-9]* //' | grep -vxF -f taken > rest-$name
done
cp --sparse=always new.img plain.img
e2bfo 0 copy source.img plain.img
cmp plain.img readdir-new.img || fail "readdir is not what is done without --order"
same rest-readdir rest-list
! cmp -s plain.img list-new.img || fail "the list changes nothing"

# ---- size, mtime, and both after a list ----
ordered_by size --order size
ordered_by mtime --order mtime
for to in new used; do
	everything size-$to.img %s | awk '$2 < last { exit 1 } { last = $2 }' || fail "size: $to"
	everything mtime-$to.img %T@ | awk 'NR > 1 && $2 < last { bad = 1 }
		NR == 1 || $2 > last { n++; last = $2 }
		END { exit bad || n < 900 }' || fail "mtime: $to"
	for name in size mtime; do
		everything $name-$to.img %p | sed 's/^[0-9]* \.//' > all
		places $name-$to.img all | rising "$name: blocks, $to"
	done
done
cp --sparse=always new.img both.img
e2bfo 0 copy --order list:list-said --order size source.img both.img
checked both.img
places both.img list | rising "list before size" closely
everything both.img '%s %p' | sed '1,150d' | awk '$2 < last { exit 1 } { last = $2 }' ||
	fail "size after a list"

# ---- dir: files of a directory are together, and come before its subdirectories ----
ordered_by dir --order dir
for to in new used; do
	together dir-$to.img || fail "dir: $to"
done
! together plain.img || fail "readdir has files together"

# ---- source ----
ordered_by source --order source
everything source.img %p | sed 's/^[0-9]* \.//' > all
grep '/[fg][0-9]*$' all > files
for to in new used; do
	places source-$to.img all | cut -d ' ' -f 1 | sort -n -c -u || fail "source: numbers, $to"
	places source.img files | awk '$2 != "-"' | sort -n -k 2 > by-block
	cut -d ' ' -f 4 by-block > files-by-block
	places source-$to.img files-by-block | cut -d ' ' -f 2 | sort -n -c -u ||
		fail "source: blocks, $to"
done
cp --sparse=always new.img kept.img
e2bfo 0 copy --keep-inodes --order list:list,source source.img kept.img
checked kept.img
everything source.img %p > numbers-source
everything kept.img %p > numbers-kept
same numbers-source numbers-kept
places kept.img list | cut -d ' ' -f 2 | grep -v - | sort -n -c -u || fail "kept numbers: blocks"
cp --sparse=always new.img both.img
e2bfo 0 copy --order list:list,source source.img both.img
checked both.img
places both.img list | rising "list before source" closely
grep -vxF -f list all > others
places both.img others | cut -d ' ' -f 1 | sort -n -c -u || fail "source after a list: numbers"

# ---- name ----
ordered_by name --order name
for to in new used; do
	mounted name-$to.img mnt
	perl -e '
		my %seen;
		my $last = 0;
		sub walk {
			my ($dir) = @_;
			opendir(my $d, $dir) or die;
			for my $name (sort(grep { !/^(\.\.?|lost\+found|old)$/ } readdir($d))) {
				my ($ino, $mode) = (lstat("$dir/$name"))[1, 2];
				next if $seen{$ino}++;
				die "$dir/$name: $ino after $last\n" if $ino <= $last;
				$last = $ino;
				print substr("$dir/$name", 3), "\n" if ($mode & 0170000) == 0100000;
				walk("$dir/$name") if ($mode & 0170000) == 0040000;
			}
		}
		walk("mnt");' > by-name || fail "name: numbers, $to"
	unmounted mnt
	places name-$to.img by-name | rising "name: $to"
done

# ---- trace ----
for i in 1 2 3; do
	printf '%s\n' "1 /mnt/d3/f9" "2 /mnt/d5/sub/g2" "1 /mnt/d1/f30" "2 /mnt/d2/f31" "1 /mnt/d8/sub/g7" \
		"2 /mnt/none" "1 /usr/d3/f2"
done > trace
printf '/d3/f9\n/d1/f30\n/d8/sub/g7\n' > first
printf '/d5/sub/g2\n/d2/f31\n' > second
ordered_by trace --order trace:trace --order-mount /mnt/
for to in new used; do
	close=$([ $to = used ] || echo closely)
	places trace-$to.img first | rising "trace: $to" $close
	places trace-$to.img second | rising "trace: $to" $close
	cat first second > both
	places trace-$to.img both | rising "trace: both, $to"
done
for path in /f9 /sub/g2 /f9 /sub/g2; do
	printf '10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET %s HTTP/1.0" 200 2326\n' $path
done > log
printf '/d3/f9\n/d3/sub/g2\n' > first
cp --sparse=always new.img log.img
e2bfo 0 copy --order trace:log --order-root /d3 source.img log.img
places log.img first | rising "a web server's log" closely
e2bfo 0 copy -n --json --order trace:trace --order-mount /mnt --order-support 100 --order-window 1 \
	source.img new.img
grep -q '"policy": "trace", "files": 5, "missing": 6' out || fail "trace with options: $(cat out)"

# ---- refs ----
ordered_by refs --order refs:2
printf '%s\n' /d1/index.html /d4/s.css /d5/f9 /d1/f7 /d2/f8 > pages
printf '%s\n' /d1/other.html /d1/f11 > others
printf '%s\n' /d6/a.c /d6/sub/a.h /d7/b.h > sources
printf '%s\n' /d8/f3 /d8/f20 /d8/f19 > made
for to in new used; do
	close=$([ $to = used ] || echo closely)
	for group in pages others sources made; do
		places refs-$to.img $group | rising "refs: $group, $to" $close
	done
done
e2bfo 0 copy -n --json --order refs source.img new.img
grep -q '"/d1/index.html", "/d4/s.css", "/d1/f7", "/d2/f8"\]' out ||
	fail "refs: depth 1: $(cat out)"

# ---- merged directories, other features of source and target ----
cp --sparse=always used.img merged.img
mounted merged.img mnt rw,noatime
mkdir -p mnt/d1/sub mnt/d3
for i in 1 2 3; do echo theirs > mnt/d1/sub/theirs$i; done
echo theirs > mnt/d3/theirs
unmounted mnt
e2fsck -fy merged.img > /dev/null || fail "e2fsck"
printf '/d1/sub/g5\n/d3/theirs\n/d3/f9\n/d1/f12\n' > list-merged
grep -v theirs list-merged > expected
for order in list:list-merged list:list-merged,name list:list-merged,refs,source; do
	cp --sparse=always merged.img target.img
	e2bfo 0 copy --json --order $order source.img target.img
	grep -q '"policy": "list", "files": 3, "missing": 1' out || fail "merged: $(cat out)"
	checked target.img
	places target.img expected | rising "merged: $order"
done
cp --sparse=always merged.img target.img
e2bfo 0 copy --from /d1 --from /d3 --to /x --order list:list-merged source.img target.img
checked target.img
sed 's,^,/x,' expected > moved
places target.img moved | rising "--from, --to"
truncate -s 450M other.img
mke2fs -q -F -t ext4 -b 1024 -I 512 -O inline_data,^extent,^64bit -N 30000 other.img
e2bfo 0 copy --order refs:2,trace:trace,mtime --order-mount /mnt source.img other.img
checked other.img
e2bfo 0 verify source.img other.img
places other.img pages | cut -d ' ' -f 1 | sort -n -c -u || fail "refs, small blocks"
# ... and back: contents in inodes have references, too
cp --sparse=always new.img target.img
e2bfo 0 copy --order refs:2 other.img target.img
checked target.img
places target.img pages | rising "refs in inline data" closely

# ---- the same bytes ----
all=(--order list:list-said,trace:trace,refs:2,mtime,source --order-mount /mnt)
cp --sparse=always used.img first.img
e2bfo 0 copy "${all[@]}" source.img first.img
cp --sparse=always used.img second.img
e2bfo 0 copy "${all[@]}" --memory 8M source.img second.img
cmp first.img second.img || fail "--memory makes a difference"
cp --sparse=always used.img second.img
MALLOC_PERTURB_=165 e2bfo 0 copy "${all[@]}" --memory 1M source.img second.img
cmp first.img second.img || fail "not the same bytes again"

# ---- resume ----
# stopped SIGNAL KILOBYTES: a copy that gets SIGNAL when this much of target.img was written
stopped() {
	local pid begun

	cp --sparse=always used.img target.img
	begun=$(du -k target.img | cut -f 1)
	perl -e '$SIG{INT} = "DEFAULT"; exec(@ARGV)' "$E2BFO" copy "${all[@]}" --memory 8M source.img \
		target.img > out 2> said < /dev/null &
	pid=$!
	echo $pid >> .state/processes
	while kill -0 $pid 2> /dev/null; do
		[ $(($(du -k target.img | cut -f 1) - begun)) -lt "$2" ] || break
	done
	kill -"$1" $pid 2> /dev/null || fail "it ended before $2 KB were written: $(cat said)"
	wait $pid || :
}
for signal in INT KILL; do
	stopped $signal 20000
	# A list that says something else now makes another plan.
	mv list-said list-moved
	(cd /; e2bfo 8 resume "$WORK/target.img" > /dev/null 2>&1) || fail "resume without the list"
	tac list-moved > list-said
	e2bfo 8 resume target.img
	mv list-moved list-said
	mkdir -p elsewhere
	(cd elsewhere && e2bfo 0 resume ../target.img) || fail "resume after SIG$signal"
	cmp target.img first.img ||
		fail "resume after SIG$signal: not the bytes of a copy in one go"
done
