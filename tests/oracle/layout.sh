#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo layout against the kernel's and e2fsprogs' view of aged volumes: files, fragments and orders
# from readdir(3), stat(2) and FIEMAP; free runs from e2freefrag; steps of each directory from
# readdir; and the model of reading against the requests that the kernel really makes: a reader on a
# cold mount without read-ahead, traced below every cache, in all orders. Nothing is written.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs e2freefrag losetup blockdev perl mount

# ---- the tracer: a tracefs instance of our own ----

trace=$WORK/tracefs/instances/e2bfo-layout-$$

trace_end() {
	echo 0 > "$trace/events/block/block_rq_issue/enable"
	cat "$trace/trace" > trace.out
	cat "$trace"/per_cpu/cpu*/stats > trace.stats
	! grep -q '^overrun: [1-9]' trace.stats || fail "the tracer lost requests"
}

cleanup() {
	local status=$?

	set +e
	[ ! -d "$trace" ] || rmdir "$trace"
	(exit $status)
	test_end
}
trap cleanup EXIT

mkdir tracefs
mount -t tracefs tracefs tracefs
echo "$WORK/tracefs" >> "$WORK/.state/mounts"
mkdir "$trace"
echo 16384 > "$trace/buffer_size_kb"

# traced IMAGE OPTIONS...: requests of a reader that begin in a file's extent, as the kernel has
# listed them (seen), as "requests noncontiguous distance"
traced() {
	local image=$1 device numbers bs

	bs=$(dumpe2fs -h "$image" 2> /dev/null | sed -n 's/^Block size: *//p')

	shift
	device=$(loop -r "$image")
	blockdev --setra 0 "$device"
	mkdir -p mnt
	mount -t ext4 -o ro,noatime "$device" mnt
	realpath mnt >> "$WORK/.state/mounts"
	numbers=$(lsblk -dno MAJ:MIN "$device" | tr -d ' ')
	echo "dev == $((${numbers%:*} << 20 | ${numbers#*:}))" \
		> "$trace/events/block/block_rq_issue/filter"
	echo > "$trace/trace"
	echo 1 > "$trace/events/block/block_rq_issue/enable"
	"$JUDGES/reader" "$@" mnt
	trace_end
	umount mnt
	sed -i "\\,^$(realpath mnt)\$,d" "$WORK/.state/mounts"
	unloop "$device"
	perl -e '
		my ($seen, $bs) = splice(@ARGV, 0, 2);
		my ($owned, $n, $apart, $distance, $last) = ("", 0, 0, 0);
		open(my $in, "<", $seen) or die;
		while (<$in>) {
			for (grep { /^\d+-\d+$/ } split) {
				my ($from, $to) = split(/-/);
				vec($owned, $_, 1) = 1 for $from .. $to;
			}
		}
		while (<>) {
			next unless /block_rq_issue: \d+,\d+ \S+ \d+ \(.*?\) (\d+) \+ (\d+)/ && $2;
			my ($start, $end) = ($1 * 512, ($1 + $2) * 512);
			next unless vec($owned, $start / $bs, 1);
			$n++;
			my $gap = defined $last ? abs($start - $last) : 0;
			$apart++ if $gap;
			$distance += $gap;
			$last = $end;
		}
		printf("%d %d %d\n", $n, $apart + 1, $distance)' seen "$bs" trace.out
}

# field JSON-FILE EXPRESSION...: values of the first volume
field() {
	perl -MJSON::PP -e '
		my $file = shift;
		open(my $in, "<", $file) or die;
		local $/ = undef;
		my $text = <$in>;
		$text =~ s/\\udc([0-9a-f]{2})/\\u00$1/g;
		my $v = JSON::PP->new->latin1->decode($text)->{volumes}[0];
		print join(" ", map { my $x = eval "\$v->$_"; $x // "null" } @ARGV), "\n"' "$@"
}

# near WHAT EXPECTED ACTUAL: within five percent
near() {
	awk -v a="$2" -v b="$3" \
		'BEGIN { d = a > b ? a - b : b - a; exit !(a > 0 && d <= a * 0.05) }' ||
		fail "$1: the kernel made $2, the model says $3"
}

# modelled IMAGE: what the kernel requests is what the model says
modelled() {
	local image=$1 how order size real model

	while read -r size how; do
		e2bfo 0 layout --json --read-size "$size" "$image"
		for order in readdir name inode; do
			# shellcheck disable=SC2086
			real=$(traced "$image" -o $order -b "$size" $how)
			model=$(field out "{reading}{$order}{requests}" \
				"{reading}{$order}{noncontiguous}" "{reading}{$order}{distance}")
			echo "$image, $size $how, $order: traced $real, modelled $model"
			# shellcheck disable=SC2086
			set -- $real $model
			near "$image, $order, $size: requests" "$1" "$4"
			near "$image, $order, $size: requests that are not contiguous" "$2" "$5"
			near "$image, $order, $size: distance" "$3" "$6"
		done
	done <<- END
		131072 -d
		4096
	END
}

# counted IMAGE: files, fragments, orders
counted() {
	local image=$1

	mounted "$image" mnt
	"$JUDGES/reader" -p mnt > seen
	"$JUDGES/readdir" mnt > steps || :
	unmounted mnt
	perl -ne '
		sub agree {
			my @at = @_;
			my ($up, $sum, @rank) = (0, 0, sort { $at[$a] <=> $at[$b] } 0 .. $#at);
			$up += $at[$_] > $at[$_ - 1] for 1 .. $#at;
			$sum += ($_ - $rank[$_]) ** 2 for 0 .. $#at;
			my $rho = 1 - 6 * $sum / (@at * (@at ** 2 - 1));
			return sprintf("%.6g %.6g", $up / $#at, $rho);
		}
		my ($ino, $type, $links, @rest) = split;
		my @extents = grep { /^\d+-\d+$/ } @rest;
		push(@walk, $ino) if $type eq "d" || $links == 1;
		$type eq "d" and $dirs++, next;
		$type eq "o" and $others++, next;
		$files++;
		my ($n, $last) = (0, -1);
		for (@extents) {
			my ($from, $to) = split(/-/);
			$n++ if $from != $last + 1;
			$last = $to;
			$blocks += $to - $from + 1;
		}
		$n or next;
		$fragments += $n;
		$whole += $n == 1;
		$data{$ino} = (split(/-/, $extents[0]))[0] if $links == 1;
		END {
			my @data = map { $data{$_} } sort { $a <=> $b } keys %data;
			printf("%d %d %d %d %d %d %s %s\n", $files, $dirs + 1, $others,
			       $fragments, $whole, $blocks, agree(2, @walk), agree(@data));
		}' seen > expected
	e2bfo 0 layout --json "$image"
	field out '{files}' '{directories}' '{others}' '{fragments}' '{contiguous}' '{blocks}' \
		'{readdir_to_inode}{ascending}' '{readdir_to_inode}{correlation}' \
		'{inode_to_data}{ascending}' '{inode_to_data}{correlation}' > actual
	echo "$image: $(cat actual)"
	same expected actual
	# each directory
	perl -MJSON::PP -e 'local $/ = undef; my $t = <STDIN>; $t =~ s/\\udc../x/g;
		for my $d (@{JSON::PP->new->latin1->decode($t)->{volumes}[0]{by_directory}}) {
			printf("%.4f %s\n", $d->{readdir_to_inode}{ascending} // 1, $d->{path}) }' \
		< out | sort > actual
	awk '{ print $1, $4 }' steps | sort > expected
	same expected actual
}

# freed IMAGE: free blocks, runs, the largest, and all their sizes
freed() {
	local bs

	bs=$(dumpe2fs -h "$1" 2> /dev/null | sed -n 's/^Block size: *//p')
	e2freefrag "$1" > freefrag
	perl -ne '
		print "blocks $1\n" if /^Free blocks: (\d+)/;
		print "runs $1\n" if /^Num. free extent: (\d+)/;
		$max = $1 if /^Max. free extent: (\d+) KB/;
		push(@rows, "$1 $2") if /^[^:]*:\s+(\d+)\s+(\d+)\s+[\d.]+%/;
		END { print "largest $max\n", map { "$_\n" } @rows }' freefrag > expected
	e2bfo 0 layout --json "$1"
	perl -MJSON::PP -e 'my $bs = shift; local $/ = undef; my $t = <STDIN>; $t =~ s/\\udc../x/g;
		my $f = JSON::PP->new->latin1->decode($t)->{volumes}[0]{free};
		printf("blocks %d\nruns %d\n", $f->{blocks}, $f->{runs});
		printf("largest %d\n", $f->{largest} * $bs / 1024);
		printf("%d %d\n", $_->{count}, $_->{sum}) for @{$f->{runs_by_blocks}}
		' "$bs" < out > actual
	same expected actual
	[ "$(wc -l < actual)" -gt 5 ] || fail "$1: too little free space to compare"
}

# ---- volumes ----

# fill DIR COUNT: files of all sizes, some removed again, some in pieces, sparse, linked
fill() {
	perl -e '
		my ($dir, $count) = @ARGV;
		chdir($dir) or die;
		srand(6);
		sub put { open(my $f, ">", $_[0]) or die; print $f $_[1]; close($f) or die; }
		mkdir("d$_") or die for 1 .. 12;
		for my $round (1 .. 3) {
			for (1 .. $count) {
				my $d = 1 + int(rand(12));
				put("d$d/file-$round-$_", "x" x int(exp(rand(12))));
			}
			system("sync", "-f", ".");
			for (glob("d*/file-*")) { unlink($_) or die if rand() < 0.4; }
		}
		for my $i (0 .. 400) {			# in pieces
			for my $n (0 .. 5) {
				open(my $f, ">>", "d1/pieces$n") or die;
				syswrite($f, "y" x (4096 * (1 + $i % 7 % ($n + 1))));
				$f->IO::Handle::sync if $i % 4 == 0;
				close($f);
			}
		}
		open(my $f, ">", "d2/sparse") or die;
		for (1 .. 60) { sysseek($f, $_ * 50000, 0); syswrite($f, "z" x 9000); }
		close($f);
		link((glob("d3/file*"))[0], "d4/link") or die;
		symlink("t" x 100, "d5/symlink") or die;
		put("d6/empty", "");
		mkdir("long");				# a directory of many blocks
		for (1 .. 600) { put("long/" . "n" x 60 . $_, "l" x rand(6000)); }
		unlink("long/" . "n" x 60 . $_) for grep { $_ % 3 } 1 .. 300;
		for (1 .. 100) { put("long/" . "m" x 70 . $_, "l" x rand(6000)); }
		' -MIO::Handle "$1" "$2"
}

# reserve DIR: preallocated files
reserve() {
	fallocate -l 3000000 "$1/d7/reserved"
	echo begun > "$1/d7/half"
	fallocate -n -l 700000 "$1/d7/half"
}

# swap IMAGE: a directory without index whose blocks do not ascend on the disk
swap() {
	local one two

	one=$(ask "$1" "bmap /long 1") two=$(ask "$1" "bmap /long 2")
	[ "$one" -lt "$two" ] || fail "blocks of /long: $one, $two"
	debug "$1" "sif /long block[1] $two" "sif /long block[2] $one"
	checked "$1"
}

while read -r name type options; do
	rm -f "$name.img"
	truncate -s 128M "$name.img"
	# shellcheck disable=SC2086
	mke2fs -q -F -t "$type" $options "$name.img"
	mounted "$name.img" mnt rw
	fill mnt 400
	[ "$type" = ext2 ] || reserve mnt
	unmounted mnt
	[ "$type" != ext2 ] || swap "$name.img"
	before=$(digest "$name.img")
	counted "$name.img"
	freed "$name.img"
	modelled "$name.img"
	unchanged "$name.img" "$before" layout
done << END
four ext4 -b 4096
one ext4 -b 1024
old ext2 -b 4096 -O ^dir_index
END

# after a copy it lies in order, and is said to
truncate -s 128M copied.img
e2bfo 0 copy --mkfs four.img copied.img
counted copied.img
modelled copied.img
[ "$(field out '{contiguous}')" = "$(field out '{files_with_data}')" ] || fail "not contiguous"

# --- parts ---
e2bfo 0 layout --json four.img /d2 d3/
[ "$(field out '{directories}')" = 2 ] || fail "$(field out '{directories}') directories"
files=$(field out '{files}')
expected=$(ask four.img "ls -l /d2"; ask four.img "ls -l /d3")
[ "$files" = "$(grep -c ' (1) ' <<< "$expected")" ] || fail "$files files in /d2 and /d3"
e2bfo 0 layout --json four.img /d2 /d2/ /
[ "$(field out '{directories}')" = 15 ] || fail "what is asked for twice is counted twice"

# --- a journal that has to be replayed ---
mounted four.img mnt rw
perl -e 'for (1 .. 50) { open(my $f, ">", "mnt/d9/late$_") or die; print $f "x" x 9000 }'
sync -f mnt
for _ in $(seq 50); do
	cp --sparse=always four.img dirty.img
	! cmp -s four.img dirty.img || break
done
unmounted mnt
dumpe2fs -h dirty.img 2> /dev/null | grep -q needs_recovery || fail "dirty.img is clean"
cp dirty.img replayed.img
mounted replayed.img mnt rw
unmounted mnt
e2bfo 0 layout -q replayed.img
sed 's/replayed.img/   dirty.img/' out > expected
before=$(digest dirty.img)
e2bfo 0 layout -q dirty.img
grep -v '^dirty.img was read as its journal' out > actual
same expected actual
unchanged dirty.img "$before" layout

# --- damage ---
e2bfo 0 layout four.img
grep '^files  ' out > expected
cp four.img broken.img
bitmap=$(dumpe2fs broken.img 2> /dev/null |
	sed -n 's/.*Block bitmap at \([0-9]*\) .*/\1/p' | sed -n 1p)
printf 'X' | dd of=broken.img bs=1 seek=$((bitmap * 4096 + 100)) conv=notrunc status=none
e2bfo 1 layout broken.img
says 'broken.img: the free space is not known'
grep -q '^free  *not known' out || fail "free space was told: $(grep ^free out)"
grep '^files  ' out > actual
same expected actual
cp four.img broken.img
debug broken.img "ln /d4 /d5/again" "ln <8> /d2/journal"
e2bfo 1 layout --json broken.img
says '(/d4|/d5/again): directory has a second name' '/d2/journal: name points to no inode'
[ "$(field out '{directories}')" = 15 ] || fail "a directory was counted twice"
e2bfo 0 layout --json broken.img /d7
[ ! -s said ] || fail "what lies elsewhere was told"

# any byte may be wrong: no crash, no hang
perl -e '
	my ($image, $program) = @ARGV;
	srand(11);
	for (1 .. 25) {
		system("cp", "--sparse=always", $image, "hurt.img") and die;
		open(my $f, "+<", "hurt.img") or die;
		for (1 .. 40) {
			sysseek($f, 4096 * int(rand(3000)) + int(rand(1000)) , 0);
			syswrite($f, chr(rand(256)) x (1 + rand(4)));
		}
		close($f);
		system("timeout 60 \"$program\" layout -q --svg hurt.svg hurt.img > hurt.out 2>&1");
		my $status = $? >> 8;
		$? & 127 and die "killed by $?\n";
		$count{$status}++;
		$status == 0 || $status == 1 || $status == 8 or die "status $status\n";
	}
	$count{1} or die "no damage was found\n"' one.img "$E2BFO"

# --- the picture ---
e2bfo 0 layout --svg both.svg four.img --against copied.img
perl -0ne '
	my @open;
	while (/<(\/?)(\w+)([^<>]*?)(\/?)>/g) {
		if ($1) { pop(@open) eq $2 or die "</$2>\n" }
		elsif (!$4) { push(@open, $2) }
		for my $n ("$3" =~ /"([^"]*)"/g) { $n =~ /nan|inf|1e/ and die "number $n\n" }
	}
	@open and die "@open left open\n";
	/script|href|url\(|font-face/ and die "not self-contained\n"' both.svg
dots=$(grep -c '<circle' both.svg)
[ "$dots" -gt 1000 ] || fail "$dots points"
