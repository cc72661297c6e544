#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources whose data cannot be read everywhere: what is reported is exactly what was made
# unreadable, everything else is there, e2fsck is content.  Mapfiles: written, continued, and
# nothing outside of what they have is asked for.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr losetup perl strace
. "$SRCDIR/tests/media.sh"

# ---- no error where it does not matter: free blocks, bitmaps, journal ----
free=$(debugfs -R 'ffb 3 5000' whole.img 2> /dev/null | sed 's/.*: //')
bitmaps=$(dumpe2fs whole.img 2> /dev/null | sed -n 's/.* bitmap at \([0-9]*\).*/\1/p')
: > expected
bad $free $bitmaps "$(block_of '<8>' 0)" "$(block_of '<8>' 5)"
volume target.img 80M
e2bfo 0 copy medium/source.img target.img
checked target.img
others '/nothing' 'no matter'

# ---- data: stop, zero, skip; a device as well as a file ----
bad $(block_of /bad/big 0) $(block_of /bad/big 3) $(block_of /bad/big 4) \
	$(block_of /bad/big 2900) $(block_of /bad/short 0)
any=$(paste -sd '|' blocks)
volume target.img 80M
ask target.img 'ls -l' > before
e2bfo 8 copy --write-mapfile stopped.map medium/source.img target.img
says 'Input/output error' "reading block ($any) of .*/bad/(big|short), bytes" \
	'on-read-error' 'is as it was before'
checked target.img
ask target.img 'ls -l' > after
same before after
grep -q -- ' -$' stopped.map || fail 'stopped.map has no bad area'

device=$(loop -r --direct-io=on medium/source.img)
e2bfo 1 copy --read-gap 0 --json --on-read-error zero --write-mapfile zero.map "$device" target.img
unloop "$device"
tell unreadable-data /bad/big 0 4096
tell unreadable-data /bad/big 12288 8192
tell unreadable-data /bad/big 11878400 4096
tell unreadable-data /bad/short 0 "$(size_of /bad/short)"
judged zero
checked target.img
zeroed /bad/big 0 3 4 2900
zeroed /bad/short 0
others '/bad/big|/bad/short' zero
cp found found.zero

volume target.img 80M
e2bfo 1 copy --memory 1M --json --on-read-error zero medium/source.img target.img
found
same found.zero found
zeroed /bad/big 0 3 4 2900
zeroed /bad/short 0

volume target.img 80M
e2bfo 1 copy --json --on-read-error skip medium/source.img target.img
sed -i 's/^unreadable-data/unreadable-file/' expected
judged skip
checked target.img
others '/bad/big|/bad/short' skip
for path in /bad/big /bad/short; do
	[ -z "$(inode_of target.img $path)" ] || fail "$path was not skipped"
	ask target.img 'ls -d /bad' > listed
	grep -q tree listed || fail "no /bad in target.img"
	! grep "<.*${path#/bad/}" listed || fail "$path left a trace"
done
# What a mapfile has as read, and cannot be read after all, is new: it ends the copy.
printf '0 ? 1\n0 %s +\n' "$SIZE" > new.map
volume target.img 80M
e2bfo 8 copy --on-read-error skip --mapfile new.map --write-mapfile new.map medium/source.img \
	target.img
says 'this is new: start again with --mapfile' 'is as it was before'
[ "$(grep -c -- ' -$' new.map)" = 1 ] || fail "new.map: $(cat new.map)"
e2bfo 1 copy --mkfs --size min --on-read-error skip medium/source.img packed.img
checked packed.img
says '/bad/big: data cannot be read .inode [0-9]+, bytes 0 to 4095, block'

# ---- mapfiles: what is written, and what is not touched ----

bad_in zero.map > map.blocks
sort -n blocks > blocks.sorted
same map.blocks blocks.sorted
perl -ane 'next if /^#/; if (!$begun++) { die "status: $_" unless /^0x[0-9A-F]+ +\? +1$/; next }
	die "line: $_" unless /^(0x[0-9A-F]{8,})  (0x[0-9A-F]{8,})  ([-+?])$/;
	die "gap at $1\n" unless hex($1) == $end + 0;
	$end += hex($2);
	END { die "it ends at $end\n" unless $end == '"$SIZE"' }' zero.map || fail 'zero.map'

# With the map, nothing that it lacks is asked for, on a medium that could be read by now.
healed
cp --sparse=always whole.img rescued.img
cp zero.map known.map
for mode in zero skip; do
	volume target.img 80M
	status=0
	strace -o trace -e trace=openat,open,read,pread64,preadv,lseek "$E2BFO" copy --json \
		--on-read-error $mode --mapfile known.map --write-mapfile known.map rescued.img \
		target.img > out 2> said < /dev/null || status=$?
	[ $status = 1 ] || fail "mapfile, $mode: exit $status: $(cat said)"
	found
	sed "s/^unreadable-[a-z]*/unreadable-$([ $mode = zero ] && echo data || echo file)/" \
		expected | sort > sorted
	same sorted found
	outside zero.map rescued.img < trace || fail "mapfile, $mode: it was asked for"
	checked target.img
	others '/bad/big|/bad/short' "mapfile, $mode"
	grep -v '^#' zero.map > a
	grep -v '^#' known.map > b
	same a b
done
volume target.img 80M
e2bfo 8 copy --mapfile zero.map rescued.img target.img
says 'as the mapfile says while reading block' 'on-read-error'
e2bfo 8 copy --on-read-error zero --write-mapfile zero.map rescued.img target.img
says 'File exists' 'continues it'

# A plan with `zero` tells what the map says will be lost, and writes nothing.
volume target.img 80M
cp target.img before.img
e2bfo 1 copy -n --json --on-read-error zero --mapfile zero.map rescued.img target.img
sed 's/^unreadable-[a-z]*/unreadable-data/' expected | sort > sorted
found
same sorted found
cmp before.img target.img || fail 'a plan was written'

# A map that ends before the filesystem does, and a source that is marked, are warned about.
printf '0 ? 1\n0 %s +\n' $((SIZE - 4096)) > early.map
for command in copy 'copy --dry-run' 'verify rescued.img' layout ls; do
	[ "${command#verify}" = "$command" ] && option=--mapfile || option=--mapfile-b
	volume target.img 80M
	e2bfo 0 $command --json $option early.map rescued.img \
		$([ "${command%% *}" != copy ] || echo target.img)
	says "the mapfile ends at byte $((SIZE - 4096)), before the filesystem of rescued.img does, at byte $SIZE "
	grep -q "\"missing_bytes\": 0, \"mapfile_bytes\": $((SIZE - 4096))}" out ||
		fail "$command: no mapfile_bytes"
done
printf '0 ? 1\n0 %s +\n' "$SIZE" > whole.map
e2bfo 0 ls --mapfile whole.map rescued.img
[ ! -s said ] || fail "of a whole map: $(cat said)"
cp --sparse=always whole.img marked.img
debug marked.img 'set_super_value state 3'
for command in copy 'copy -n' 'verify marked.img' layout ls; do
	volume target.img 80M
	e2bfo 0 $command --json marked.img $([ "${command%% *}" != copy ] || echo target.img)
	says 'marked.img: its superblock says that the kernel has found errors in it'
	grep -q '"with_errors": true' out || fail "$command: not marked"
done

# Positions count from the beginning of the file, whatever lies before the filesystem.
truncate -s 1M shifted.img
cat whole.img >> shifted.img
perl -pe 's/^(0x\w+)( .*[-+?])$/sprintf("0x%X%s", hex($1) + 1048576, $2)/e' zero.map > shifted.map
volume target.img 80M
e2bfo 1 copy --json --on-read-error zero --mapfile shifted.map --write-mapfile again.map \
	'shifted.img?offset=1048576' target.img
sed 's/^unreadable-[a-z]*/unreadable-data/' expected | sort > sorted
found
same sorted found

# The superblock, the descriptors; not a mapfile.
printf '0 ? 1\n0 4096 -\n4096 %s +\n' $((SIZE - 4096)) > a.map
e2bfo 8 copy --on-read-error zero --mapfile a.map rescued.img target.img
says 'as the mapfile says while reading the superblock'
printf '0 ? 1\n0 4096 +\n4096 512 -\n4608 %s +\n' $((SIZE - 4608)) > a.map
e2bfo 8 copy --on-read-error zero --mapfile a.map rescued.img target.img
says 'as the mapfile says while reading the group descriptors'
e2bfo 8 copy --mapfile target.img rescued.img target.img
says 'Not a mapfile of ddrescue while reading line'
