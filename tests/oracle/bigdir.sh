#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Big directories: one level of index, two levels (long names), names that share a hash, and a
# name with the one hash that a kernel maps to another. Every name is found by lookup, absent
# names are not, readdir order is disk order, and the directories are packed.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup perl

seed=01234567-89ab-cdef-0123-456789abcdef
edge=e359943105		# half-MD4 with that seed: 0xfffffffe, which a kernel takes for 0xfffffffc

volume source.img 400M -N 150000
mounted source.img mnt rw,noatime
mkdir mnt/short mnt/long mnt/mixed mnt/same mnt/edge
perl -e '
	use List::Util "shuffle";
	sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[0] if $_[1]; }
	srand(1);
	make("mnt/short/$_", $_ % 3 == 0) for shuffle(1 .. 30000);
	make("mnt/long/" . "l" x 170 . $_, 0) for shuffle(1 .. 20000);
	make("mnt/mixed/" . substr("m" x 240, rand(240)) . $_, $_ % 7 == 0) for shuffle(1 .. 10000);'
"$JUDGES/collide" $seed 4000000 > colliding
[ "$(wc -l < colliding)" -gt 5000 ] || fail "too few names share a hash"
(cd mnt/same && xargs touch) < colliding
# The edge name last of all, after any number of others: in some it begins a leaf.
perl -e '
	for my $n (100 .. 300) {
		mkdir("mnt/edge/$n") or die "$!";
		open(my $f, ">", "mnt/edge/$n/$ARGV[0]") or die "$!";
		link("mnt/edge/$n/$ARGV[0]", "mnt/edge/$n/n$_") or die "$!" for 1 .. $n;
	}' $edge
unmounted mnt
manifests source.img source

volume target.img 500M -N 160000 -E hash_seed=$seed
e2bfo 0 copy source.img target.img
checked target.img
manifests target.img target
same_trees source target
ordered target.img

# packed DIR: the blocks of DIR are filled to 80 % (the default), give or take the names that
# did not fit, and the index.
packed() {
	perl -e '
		my ($dir, $used, $blocks) = ($ARGV[0], 24, (stat($ARGV[0]))[7] / 4096);
		opendir(my $d, $dir) or die;
		$used += 8 + ((length($_) + 3) & ~3) for grep { !/^\.\.?$/ } readdir($d);
		my $least = $used / 4096;
		die "$dir: $blocks blocks for ${least} blocks of names\n"
			if $blocks > $least / 0.8 * 1.12 + 2 || $blocks < $least;' "$1"
}

mounted target.img mnt
for d in short:30002 long:20002 mixed:10002 "same:$(($(wc -l < colliding) + 2))"; do
	dir=mnt/${d%:*}
	[ "$("$JUDGES/lookup" "$dir" 5000)" = "${d#*:}" ] || fail "lookup $d"
	lsattr -d "$dir" | grep -q '^[^ ]*I' || fail "$dir has no index"
	packed "$dir" || fail "$dir is not packed"
done
for n in {100..300}; do
	[ "$("$JUDGES/lookup" mnt/edge/$n 20)" = $((n + 3)) ] || fail "lookup edge/$n"
done
unmounted mnt
ask target.img 'htree_dump /long' | grep -q 'Indirect levels: 1' || fail "/long has no two levels"

# The same packed to the brim.
volume target.img 500M -N 160000 -E hash_seed=$seed
e2bfo 0 copy --dir-fill 100 source.img target.img
checked target.img
mounted target.img mnt
for d in short:30002 long:20002 mixed:10002; do
	[ "$("$JUDGES/lookup" "mnt/${d%:*}" 1000)" = "${d#*:}" ] || fail "lookup $d, packed full"
done
for n in {100..300}; do
	[ "$("$JUDGES/lookup" mnt/edge/$n 20)" = $((n + 3)) ] || fail "lookup edge/$n, packed full"
done
unmounted mnt
