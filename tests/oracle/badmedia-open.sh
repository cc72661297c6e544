#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources whose superblock or journal is what cannot be read: backups, replayed blocks, and what is
# told when such a copy is resumed.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr losetup perl strace
. "$SRCDIR/tests/media.sh"

# ---- by a backup of the superblock ----

# backup NAME BLOCK FILE BLOCKSIZE: destroys the superblock and descriptors of FILE; -b BLOCK
backup() {
	local what=$1 block=$2 image=$3

	manifests "$image" backup
	dd if=/dev/zero of="$image" bs=1024 seek=1 count=16 conv=notrunc status=none
	volume target.img 80M -b "$4"
	e2bfo 8 copy "$image" target.img
	e2bfo 8 copy -b $((block + 1)) "$image" target.img
	says 'Bad magic number .* while opening .* by the superblock at block'
	e2bfo 0 copy -b "$block" "$image" target.img
	checked target.img
	manifests target.img target
	same_trees backup target
}

cp --sparse=always whole.img four.img
backup 'blocks of 4096 bytes' 8192 four.img 4096
volume target.img 80M
e2bfo 0 copy -B 4K -b 8192 four.img target.img
e2bfo 8 copy -B 1K -b 8192 four.img target.img
e2bfo 16 copy -B 4K four.img target.img
volume one.img 64M -b 1024 -O ^metadata_csum,uninit_bg
mounted one.img mnt rw,noatime
cp -a "$SRCDIR/tests" mnt
rm -r mnt/tests/cases				# inodes that are no more
for i in {1..16}; do
	ln -s "$i" "mnt/fast-$i"
done
unmounted mnt
cp --sparse=always one.img stale.img
backup 'blocks of 1024 bytes' 8193 one.img 1024

# Tables that were never made: what is there is not an inode because it looks like one.
# stale FILE BLOCK BLOCKSIZE: that block of an inode table again, in the last table, behind what is
# used
stale() {
	local at

	at=$(dumpe2fs "$1" 2> /dev/null | sed -n 's/.*Inode table at \([0-9]*\)-.*/\1/p' | tail -n 1)
	dd if="$1" of="$1" bs="$3" skip="$2" seek=$((at + 20)) count=1 conv=notrunc status=none
}
cp --sparse=always whole.img four.img
stale four.img "$(table_of /bad/nodes/file-20)" 4096
backup 'stale inodes' 8192 four.img 4096
stale stale.img "$(ask stale.img 'imap /fast-8' | sed -n 's/.*located at block \([0-9]*\),.*/\1/p')" 1024
backup 'stale inodes without checksums' 8193 stale.img 1024

# A journal that has to be replayed is refused, though no backup says so.
cp --sparse=always whole.img four.img
printf '\0\0\0\1' | dd of=four.img bs=1 seek=$(($(block_of '<8>' 0) * 4096 + 28)) conv=notrunc \
	status=none
e2bfo 8 copy -b 8192 four.img target.img
says 'needs its journal replayed' 'e2fsck -b 8192 -B 4096'

# ---- a journal that has to be replayed: what it has is not lost, whatever became of its place ----

content=$(block_of /bad/big 3) table=$(table_of /bad/nodes/file-20) names=$(block_of /bad/flat 0)
small=$(block_of /good/file-51 0)		# is read together with others
perl -e 'print(substr("replayed " x 500, 0, 4096))' > block-content
for block in table names; do
	dd if=whole.img bs=4096 skip="${!block}" count=1 status=none > block-$block
done
cp --sparse=always whole.img dirty.img
debug dirty.img journal_open "journal_write -b $content block-content" \
	"journal_write -b $table block-table" "journal_write -b $names block-names" \
	"journal_write -b $small block-content" journal_close
ask whole.img 'dump /bad/big big.now'
dd if=block-content of=big.now bs=4096 seek=3 conv=notrunc status=none

# big [ZEROED-BLOCK]: /bad/big is in the target as the journal leaves it
big() {
	cp big.now was
	[ $# = 0 ] || dd if=/dev/zero of=was bs=4096 seek="$1" count=1 conv=notrunc status=none
	rm -f is
	ask target.img 'dump /bad/big is'
	cmp was is || fail '/bad/big is not what the journal leaves'
	ask target.img 'dump /good/file-51 is'
	head -c 4096 is | cmp - block-content || fail '/good/file-51 is not what the journal leaves'
}

medium_of dirty.img
bad "$content" "$table" "$names"
volume target.img 80M
e2bfo 0 copy medium/source.img target.img
grep -q 'as its journal leaves it: 4 transactions, 4 blocks' out || fail "not replayed: $(cat out)"
checked target.img
others '/bad/big|/good/file-51' 'all bad blocks replayed'
big

# Bad blocks elsewhere are lost as ever, and only they; by errors, then by the map.
bad "$content" "$table" "$names" "$(block_of /bad/big 7)"
: > expected
tell unreadable-data /bad/big $((7 * 4096)) 4096
volume target.img 80M
e2bfo 1 copy --json --on-read-error zero --write-mapfile dirty.map medium/source.img target.img
judged 'one bad block more'
checked target.img
others '/bad/big|/good/file-51' 'one bad block more'
big 7
bad_in dirty.map > map.blocks
block_of /bad/big 7 > blocks.sorted
same map.blocks blocks.sorted
for block in $content $table $names; do
	perl -ane 'BEGIN { $b = shift(@ARGV) * 4096 }
		exit(1) if @F == 3 && /^0x/ && $F[2] eq "+" && hex($F[0]) <= $b &&
			$b < hex($F[0]) + hex($F[1])' "$block" dirty.map ||
		fail "block $block was not read, and dirty.map says it was"
done
volume target.img 80M
e2bfo 1 copy --json --on-read-error skip medium/source.img target.img
sed -i 's/^unreadable-data/unreadable-file/' expected
judged 'the same, skipped'

healed
for mode in zero skip; do
	volume target.img 80M
	status=0
	strace -o trace -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" copy --json \
		--on-read-error $mode --mapfile dirty.map dirty.img target.img > out 2> said \
		< /dev/null || status=$?
	[ $status = 1 ] || fail "replayed with a mapfile, $mode: exit $status: $(cat said)"
	sed -i "s/^unreadable-[a-z]*/unreadable-$([ $mode = zero ] && echo data || echo file)/" expected
	judged "replayed with a mapfile, $mode"
	outside dirty.map dirty.img < trace || fail "replayed, $mode: it was asked for"
	checked target.img
done

# What of the journal cannot be read, nobody knows: no mode goes on, but it can be ignored.
bad "$(block_of '<8>' 8)"			# a transaction is a descriptor, a block, a commit
for mode in stop zero skip; do
	volume target.img 80M
	e2bfo 8 copy --on-read-error $mode medium/source.img target.img
	says 'Journal cannot be read while reading block 8 of the journal of .*source.img' \
		'Input/output error' 'ignore-journal'
done
e2bfo 0 copy --ignore-journal medium/source.img target.img
checked target.img
healed
at=$(($(block_of '<8>' 4) * 4096))
printf '0 ? 1\n0 %s +\n%s 512 -\n%s %s +\n' $at $at $((at + 512)) $((SIZE - at - 512)) > a.map
volume target.img 80M
e2bfo 8 copy --on-read-error zero --mapfile a.map dirty.img target.img
says 'Journal cannot be read while reading block 4 of the journal' 'as the mapfile says'

# ---- a copy that is resumed tells also what was lost before it was interrupted ----

volume whole.img 1100M
mounted whole.img mnt rw,noatime
perl -e 'my $line = "0123456789abcde\n" x 65536;
	for my $n (1 .. 4) { open(my $f, ">", "mnt/large-$n") or die; print $f $line for 1 .. 240 }'
unmounted mnt
medium_of whole.img 400000
bad $(for n in 1 2 3 4; do block_of /large-$n 7; done)
: > expected
for n in 1 2 3 4; do
	tell unreadable-data /large-$n $((7 * 4096)) 4096
done
volume target.img 1200M
begun=$(du -k target.img | cut -f 1)
"$E2BFO" copy --memory 8M --on-read-error zero --write-mapfile lost.map medium/source.img \
	target.img > out 2> said < /dev/null &
pid=$!
echo $pid >> .state/processes
while kill -0 $pid 2> /dev/null; do
	[ $(($(du -k target.img | cut -f 1) - begun)) -lt 600000 ] || break
done
kill -TERM $pid 2> /dev/null || fail "it ended before: $(cat said)"
status=0
wait $pid || status=$?
[ $status = 32 ] || fail "stopped: exit $status: $(cat said)"
printf '0 ? 1\n0 0x44C00000 ?\n' > lost.map	# as an interrupted copy leaves it
e2bfo 1 resume --json target.img
perl -ne 'exit(!/"resumed_bytes": (\d+)/ || $1 < 250e6)' out ||
	fail "too little was there: $(cat out)"
judged resumed
checked target.img
for n in 1 2 3 4; do
	zeroed /large-$n 7
done
bad_in lost.map > map.blocks
sort -n blocks > blocks.sorted
same map.blocks blocks.sorted
healed
