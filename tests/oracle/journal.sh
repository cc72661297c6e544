#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources that were not unmounted: images copied while the kernel has them mounted and works on
# them, with every kind of journal. What is copied is what the kernel shows after its replay, and
# what e2fsck leaves after its own; the source stays as it is. Then transactions by debugfs.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs dumpe2fs losetup perl setfattr

# busy MNT ROUND: names and data come and go; blocks of deleted directories become data.
busy() {
	perl -e '
		my ($m, $r) = @ARGV;
		my $magic = "\xc0\x3b\x39\x98";
		chdir($m) or die;
		sub put { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[1]; close($f); }
		my $old = "round" . ($r - 1);
		mkdir("round$r") or die;
		for my $d (1 .. 12) {
			mkdir("round$r/$d") or die;
			put("round$r/$d/" . ("n" x ($_ % 90)) . $_, "x" x ($_ * 37)) for 1 .. 60;
		}
		put("round$r/magic$_", ($magic . "m" x (4092 - $_)) x $_) for 1 .. 4;
		put("round$r/short$_", $magic . ("s" x 1020 . $magic) x $_) for 1 .. 4;
		symlink("l" x 900, "round$r/link") or die;
		open(my $h, ">", "round$r/holes") or die;
		for (1 .. 20) { seek($h, $_ * 70000, 0); print $h "hole $_"; }
		close($h);
		exit 0 if !-d $old;
		for my $d (1 .. 6) { unlink(glob("$old/$d/*")); rmdir("$old/$d") or die "$old/$d: $!"; }
		rename("$old/7", "round$r/moved") or die;
		link($_, "round$r/hard" . ++$n) or die for glob("$old/8/*");
		put("round$r/reuse$_", ("r$_" x 2048) x 3) for 1 .. 60;
		truncate("$old/magic4", 5000) or die;
		chmod(0640, glob("$old/9/*"));
		utime(1e9, 1e9, glob("$old/10/*"));
	' "$1" "$2"
	setfattr -n user.round -v "$(printf 'v%.0s' $(seq 300))" "$1/round$2/1"
}

# snapshot FILE COPY: a copy of a file that may change meanwhile, as it was at some moment.
snapshot() {
	for _ in $(seq 50); do
		cp --sparse=always "$1" "$2"
		! cmp -s "$1" "$2" || return 0
	done
	fail "$1 does not keep still"
}

# replayed FILE NAME: manifests of FILE, after somebody replayed its journal
replayed() {
	checked "$1"
	manifests "$1" "$2"
	rm "$1"
}

# by_kernel NAME, by_e2fsck NAME: what becomes of NAME.img when its journal is replayed
by_kernel() {
	local options=rw device=

	cp --sparse=always "$1.img" kernel.img
	if [ -e "$1.journal" ]; then
		cp "$1.journal" kernel.journal
		device=$(loop kernel.journal)
		options=rw,journal_path=$device
	fi
	mounted kernel.img mnt "$options"
	unmounted mnt
	[ -z "$device" ] || {
		tune2fs -f -O ^has_journal kernel.img > /dev/null 2>&1 || fail "no journal"
		unloop "$device"
	}
	replayed kernel.img kernel
}

by_e2fsck() {
	local journal= status=0

	cp --sparse=always "$1.img" e2fsck.img
	[ ! -e "$1.journal" ] || {
		cp "$1.journal" e2fsck.journal
		journal="-j e2fsck.journal"
	}
	e2fsck -fy $journal e2fsck.img > fsck.log 2>&1 || status=$?
	[ $status -le 1 ] || {
		head -40 fsck.log
		fail "e2fsck -fy $1.img: status $status"
	}
	orphans=$(grep -c '^Clearing orphaned inode' fsck.log || :)
	[ -z "$journal" ] || tune2fs -f -O ^has_journal e2fsck.img > /dev/null 2>&1
	replayed e2fsck.img e2fsck
}

# needs_recovery IMAGE
needs_recovery() {
	dumpe2fs -h "$1" 2> /dev/null | grep -q needs_recovery || fail "$1 needs no recovery"
}

# judged NAME [options of copy]: NAME.img arrives as both judges see it, and stays as it is
judged() {
	local name=$1 before

	shift
	needs_recovery "$name.img"
	before=$(digest "$name.img")
	[ ! -e "$name.journal" ] || set -- --journal "$name.journal" "$@"
	rm -f target.img
	e2bfo 0 copy --mkfs='-J size=4 -O has_journal' --size 64M "$@" "$name.img" target.img
	grep -q "^$name.img was read as its journal leaves it: [1-9]" out || fail "$name: no word"
	unchanged "$name.img" "$before" "$name"
	checked target.img
	manifests target.img target
	e2bfo 0 verify "$@" "$name.img" target.img
	by_kernel "$name"
	same_trees kernel target
	by_e2fsck "$name"
	same_trees e2fsck target
	[ "$orphans" -ge 2 ] || fail "$name: $orphans orphans"
	grep -q "^$orphans files were deleted while still open on $name.img" out ||
		fail "$name: not $orphans open files"
}

# crashed NAME MOUNT-OPTIONS [mke2fs arguments]: NAME.img and NAME.2.img, two moments of work
crashed() {
	local name=$1 options=$2 device=

	shift 2
	truncate -s 64M live.img
	if [ "$1" = external ]; then
		shift
		truncate -s 8M live.journal
		mke2fs -q -F -b 4096 -O journal_dev live.journal
		device=$(loop live.journal)
		set -- -t ext4 -J "device=$device"
		options=$options,journal_path=$device
	fi
	mke2fs -q -F -N 12000 -E lazy_itable_init=0,lazy_journal_init=0 "$@" live.img
	mounted live.img live "rw,commit=300,$options"
	busy live 1
	sync -f live
	busy live 2
	exec 7> live/held 8> live/held2 9> live/cut
	echo "nobody sees this" >&7
	head -c 100000 /dev/zero | tee /dev/fd/8 >&9
	rm live/held live/held2
	truncate -s 10 live/cut
	sync -f live
	busy live 3			# of this the journal knows nothing yet, or a part
	snapshot live.img "$name.img"
	[ -z "$device" ] || snapshot live.journal "$name.journal"
	for round in 4 5 6 7; do
		busy live $round
		sync -f live
	done
	rm -r live/round5
	sync live/round6/magic1
	snapshot live.img "$name.2.img"
	[ -z "$device" ] || snapshot live.journal "$name.2.journal"
	exec 7>&- 8>&- 9>&-
	unmounted live
	[ -z "$device" ] || unloop "$device"
}

# features NAME WORD...: its journal has these features
features() {
	local name=$1 word

	shift
	for word; do
		dumpe2fs -h "$name.img" 2> /dev/null | grep -q "^Journal features:.*$word" ||
			fail "$name: no $word"
	done
}

# kind NAME MOUNT-OPTIONS FEATURES [mke2fs arguments]: both moments are judged
kind() {
	local name=$1

	crashed "$name" "$2" "${@:4}"
	features "$name" $3
	judged "$name"
	! ask "$name.2.img" logdump | grep -c '(revoke table)' > /dev/null || revoking+=("$name")
	judged "$name.2"
	rm "$name.2.img"
}

revoking=()
kind ext4 data=ordered 'journal_checksum_v3 journal_64bit' -t ext4
kind plain data=ordered journal_64bit -t ext4 -O ^metadata_csum
kind narrow data=ordered "" -t ext4 -O ^metadata_csum,^64bit
kind version1 data=ordered,journal_checksum journal_checksum -t ext4 -O ^metadata_csum,^64bit
kind ext3 data=ordered "" -t ext3
kind small data=ordered journal_checksum_v3 -t ext4 -b 1024 -J size=1
kind wrapped data=ordered journal_checksum_v3 -t ext4 -J size=4
kind data data=journal journal_checksum_v3 -t ext4 -J size=16
kind data1k data=journal journal_64bit -t ext4 -b 1024 -O ^metadata_csum -J size=8
kind async data=writeback,journal_async_commit journal_async_commit -t ext4
kind async1 data=writeback,journal_async_commit,journal_checksum journal_async_commit \
	-t ext4 -O ^metadata_csum
kind orphans data=ordered journal_checksum_v3 -t ext4 -O orphan_file
[ ${#revoking[@]} -ge 6 ] || fail "only ${revoking[*]} revoke blocks"
dumpe2fs -h orphans.img 2> /dev/null | grep -q orphan_present || fail "no orphan_present"

# ---- an external journal ----

crashed ext data=ordered external
judged ext
judged ext.2
e2bfo 8 copy --mkfs --size 64M ext.img none.img
says 'External journal is missing while looking for the journal of ext\.img \(UUID=.*--journal'
truncate -s 8M other.journal
mke2fs -q -F -b 4096 -O journal_dev other.journal
e2bfo 8 copy --journal other.journal --mkfs --size 64M ext.img none.img
says 'missing while .*other\.journal has not'
e2bfo 0 copy --journal other.journal --journal ext.journal -n --mkfs --size 64M ext.img none.img
e2bfo 8 copy --journal ext.journal --force --mkfs ext.img ext.journal
says 'same volume'

# ---- fast commits ----

crashed fast data=ordered -t ext4 -O fast_commit
judged fast				# after a full commit
mounted fast.img live rw,commit=300
echo 1 > live/one
sync -f live
echo 2 > live/two
sync live/two
snapshot live.img fast.2.img
snapshot fast.img fast.2.img
unmounted live
needs_recovery fast.2.img
e2bfo 8 copy --mkfs --size 64M fast.2.img none.img
says 'journal of fast\.2\.img: it has fast commits; mount .* e2fsck -p .*--ignore-journal'
[ ! -e none.img ] || fail "a target was made"
