#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Damaged journals: bytes are changed in their superblocks, headers, tags, checksums and content.
# What is shown equals, block by block, what debugfs's journal_run makes of the image; what is
# refused, the kernel refuses to mount, and the other way round.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs debugfs dumpe2fs losetup perl

# dirty FILE MOUNT-OPTIONS [mke2fs arguments]: an image whose journal has a few transactions
dirty() {
	local file=$1 options=$2 round

	shift 2
	truncate -s 6M live.img
	mke2fs -q -F -b 1024 -N 200 -J size=1 -E lazy_itable_init=0,lazy_journal_init=0 \
		"$@" live.img
	mounted live.img live "rw,commit=300,$options"
	for round in 1 2 3 4; do
		mkdir live/d$round
		touch live/d$round/{1..20}
		printf '\xc0\x3b\x39\x98 and more %.0s' {1..200} > live/d$round/magic
		[ $round = 1 ] || rm -r live/d$((round - 1))
		sync -f live
	done
	cp live.img "$file"
	unmounted live
}

# journal_blocks FILE: numbers of the blocks of its log in use, and of the two behind
journal_blocks() {
	local last

	last=$(ask "$1" 'logdump' | sed -n 's/.*commit block) at block //p' | tail -1)
	echo 0
	seq 1 $((last + 2))
}

# compared FILE WHAT [commit]: the library, debugfs and the kernel agree about FILE; prints what
# they say. Of a commit block the kernel (since 6.10) forgives what is behind its fields; debugfs
# does not.
compared() {
	local ours=yes kernel=yes first

	"$JUDGES/replayed" "$1" ours.img 2> said || {
		[ $? = 1 ] || { cat said; fail "replayed $1"; }
		ours=no
	}
	if [ $ours = yes ] && [ -z "${3:-}" ]; then
		cp "$1" jr.img
		debugfs -w -R journal_run jr.img 2>&1 | grep -v '^debugfs' > jr.said || :
		[ ! -s jr.said ] || { cat jr.said; fail "debugfs replays otherwise: $2"; }
		# the superblock and the journal's are changed by the replay
		{ cmp -l ours.img jr.img || :; } | perl -ne '
			my ($at) = /(\d+)/;
			my $blk = int(($at - 1) / 1024);
			next if $blk == 1 || $blk == '"$super"';
			print STDERR "block $blk\n"; exit 1' || fail "other content: $2"
	fi
	cp "$1" kernel.img
	[ -z "${unprotected:-}" ] ||
		{		# what the kernel says of damaged inodes is not asked
		echo $ours
		return
	}
	if mounted kernel.img mnt rw 2> /dev/null; then
		unmounted mnt
	else
		kernel=no
	fi
	[ $ours = $kernel ] ||
		{ cat said; dmesg | tail -5; fail "we say $ours, the kernel $kernel: $2"; }
	echo $ours
}

# changes SEED COUNT FILE: COUNT places and values in its journal's blocks, one a line; headers,
# the begin of blocks and their ends are hit more often than the rest
changes() {
	journal_blocks "$3" | perl -e '
		srand(shift);
		my $n = shift;
		chomp(my @blocks = <STDIN>);
		for (1 .. $n) {
			my $k = $_ % 4;
			my $at = $k == 0 ? int(rand(1024)) : $k == 1 ? int(rand(20)) :
				 $k == 2 ? 1020 + int(rand(4)) : 12 + int(rand(64));
			print "$blocks[rand(@blocks)] $at ", 1 + int(rand(255)), "\n";
		}' "$1" "$2"
}

# damaged FILE SEED COUNT
damaged() {
	local blk at value place commits forgiven verdict
	local -A said=([yes]=0 [no]=0)

	commits=$(ask "$1" logdump | sed -n 's/.*commit block) at block //p' | tr '\n' ' ')
	super=$(ask "$1" 'bmap <8> 0')
	[ "$(compared "$1" 'undamaged')" = yes ] || fail "$1 as it is"
	while read -r blk at value; do
		place=$(($(ask "$1" "bmap <8> $blk") * 1024 + at))
		cp "$1" changed.img
		perl -e '
			my ($name, $at, $value) = @ARGV;
			open(my $f, "+<", $name) or die;
			seek($f, $at, 0); read($f, my $b, 1); seek($f, $at, 0);
			print $f chr(ord($b) ^ $value);' changed.img $place "$value"
		[ "$at" -ge 64 ] && [[ " $commits " == *" $blk "* ]] && forgiven=commit || forgiven=
		verdict=$(compared changed.img "$1 block $blk byte $at ^ $value" $forgiven) || {
			echo "$verdict"
			exit 1
		}
		said[$verdict]=$((said[$verdict] + 1))
	done < <(changes "$2" "$3" "$1")
	echo "$1: ${said[yes]} shown, ${said[no]} refused"
	shown=$((shown + said[yes])) refused=$((refused + said[no]))
}

shown=0 refused=0
dirty v3.img data=ordered -t ext4
damaged v3.img "${SEED:-1}" "${COUNT:-100}"
dirty v1.img data=ordered,journal_checksum -t ext4 -O ^metadata_csum,^64bit
damaged v1.img "${SEED:-2}" "${COUNT:-60}"
dirty async.img data=writeback,journal_async_commit -t ext4
damaged async.img "${SEED:-3}" "${COUNT:-60}"
dirty data.img data=journal -t ext4
damaged data.img "${SEED:-4}" "${COUNT:-80}"
[ $shown -ge 5 ] && [ $refused -ge 50 ] || fail "$shown shown, $refused refused"

unprotected=yes
dirty plain.img data=ordered -t ext4 -O ^metadata_csum
damaged plain.img "${SEED:-5}" "${COUNT:-100}"
