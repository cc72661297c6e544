#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Journals made by debugfs, so that they hold exactly what is asked about: revokes before, in and
# after the transaction that logged a block, blocks that look like the journal's own, checksums of
# version 2, the superblock in a transaction; orphans that are to be cut off; --ignore-journal; an
# aborted journal; one that is empty; what targets are still refused for.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs dumpe2fs tune2fs sha256sum perl

old_blocks() {
	perl -e 'print substr("old block $_ " x 400, 0, 4096) for 0 .. 9'
}

# source_image FILE [mke2fs arguments]: a filesystem with the file /data, of ten blocks
source_image() {
	local file=$1

	shift
	volume "$file" 32M "$@"
	old_blocks > data
	debug "$file" 'write data data'
}

# block FILE N: where block N of /data is
block() {
	ask "$1" "bmap data $2"
}

# content WORD [MAGIC]: a block
content() {
	perl -e '
		my $b = $ARGV[1] ? "\xc0\x3b\x39\x98" : "";
		$b .= "$ARGV[0] " x 1024;
		print substr($b, 0, 4096);' "$@" > "block-$1"
}

# shown SOURCE N WORD: block N of /data in a copy of SOURCE
shown() {
	rm -rf target.img out.data
	e2bfo 0 copy --mkfs --size 32M "$1" target.img
	checked target.img
	ask target.img 'dump /data out.data'
	[ "$(dd if=out.data bs=4096 skip="$2" count=1 status=none | sha256sum)" = \
	  "$(sha256sum < "block-$3")" ] || fail "$1: block $2 is not $3"
}

# logged FILE COMMAND...: journal transactions; agrees with what debugfs replays
logged() {
	local file=$1

	shift
	debug "$file" "$@"
	dumpe2fs -h "$file" 2> /dev/null | grep -q needs_recovery || fail "$file needs no recovery"
	"$JUDGES/replayed" "$file" ours.img || fail "refused"
	cp "$file" jr.img
	debugfs -w -R journal_run jr.img 2>&1 | grep -v '^debugfs' || :
	{ cmp -l ours.img jr.img || :; } | perl -ne '
		/(\d+)/; my $b = int(($1 - 1) / 4096);
		$b == 0 or $b == '"$(ask "$file" 'bmap <8> 0')"' or die "block $b\n"' ||
		fail "debugfs replays otherwise"
}

for word in one two three; do content $word; done
content magic yes
cat block-one block-one block-one > ones
cat block-magic block-magic > magics
old_blocks > old-blocks		# not by a pipe, which dd would break
dd if=old-blocks bs=4096 skip=1 count=1 status=none > block-old1

for kind in '-O metadata_csum' '-O ^metadata_csum' '-O ^metadata_csum,^64bit' \
	'-O ^extent,^64bit,^metadata_csum,^flex_bg'; do
	for checksums in '' '-c -v 2' '-c -v 3'; do
		case "$kind $checksums" in
		*^metadata_csum*-c*) continue ;;
		esac
		source_image made.img $kind
		a=$(block made.img 0) b=$(block made.img 1) c=$(block made.img 2)
		d=$(block made.img 3) e=$(block made.img 4)
		logged made.img \
			"journal_open $checksums" \
			"journal_write -b $a,$b,$c ones" \
			"journal_write -b $a block-two" \
			"journal_write -r $b,$c" \
			"journal_write -b $c,$d magics" \
			"journal_write -r 8000,8001" \
			"journal_write -b $e block-magic" \
			"journal_write -b $e block-three" \
			'journal_close'
		[ -z "$checksums" ] || dumpe2fs -h made.img 2> /dev/null |
			grep -q "^Journal features:.*checksum_v${checksums#*v }" ||
				fail "$checksums"
		shown made.img 0 two
		shown made.img 1 old1
		shown made.img 2 magic
		shown made.img 3 magic
		shown made.img 4 three
		grep -q 'leaves it: 7 transactions, 4 blocks' out || { cat out; fail "count"; }
	done
done

# ---- inside of something else; on a device that cannot be written ----

(head -c 1M /dev/zero; cat made.img) > inside.img
device=
! is_root || device=$(loop -r made.img)
for name in 'inside.img?offset=1048576' $device; do
	rm -f target.img
	e2bfo 0 copy --mkfs --size 32M "$name" target.img
	ask target.img 'dump /data out.data'
	[ "$(dd if=out.data bs=4096 count=1 status=none | sha256sum)" = "$(sha256sum < block-two)" ] ||
		fail "$name: block 0"
	e2bfo 0 verify "$name" made.img
done
! is_root || unloop "$device"
rm inside.img

# ---- the superblock is in a transaction ----

source_image super.img
cp super.img other.img
debug other.img 'set_super_value volume_name afterwards' 'set_super_value mkfs_time 0'
dd if=other.img bs=4096 count=1 status=none > block-super
logged super.img 'journal_open' 'journal_write -b 0 block-super' 'journal_close'
rm -f target.img
e2bfo 0 copy --mkfs --size 32M super.img target.img
[ "$(e2label target.img)" = afterwards ] || fail "the label is $(e2label target.img)"

# ---- --ignore-journal ----

before=$(sha256sum < made.img)
rm -f target.img
e2bfo 0 copy --ignore-journal --mkfs --size 32M made.img target.img
says 'warning: made\.img was not unmounted cleanly, and its journal was ignored'
ask target.img 'dump /data out.data'
cmp data out.data || fail "--ignore-journal shows the journal"
[ "$(sha256sum < made.img)" = "$before" ] || fail "made.img has changed"
e2bfo 0 verify --ignore-journal made.img target.img
e2bfo 0 ls made.img
says '^e2bfo: made.img was read as its journal leaves it: 7 transactions, 4 blocks$'
e2bfo 1 verify --json made.img target.img
grep -q '"journal_a": {"ignored": false, "transactions": 7, "blocks": 4, "aborted": false' out ||
	{ cat out; fail "JSON"; }
grep -q '"kind": "data"' out || fail "no other data"

# ---- orphans: one without a name, one to be cut off ----

for list in last_orphan orphan_file; do
	source_image orphans.img $([ $list = last_orphan ] || echo -O orphan_file,^metadata_csum)
	debug orphans.img 'write data cut' 'write data gone' 'set_inode_field cut size 5000'
	cut=$(inode_of orphans.img cut) gone=$(inode_of orphans.img gone)
	debug orphans.img 'unlink gone' "set_inode_field <$gone> links_count 0"
	if [ $list = last_orphan ]; then
		debug orphans.img "set_inode_field <$cut> dtime $gone" \
			"set_super_value last_orphan $cut" 'feature needs_recovery' 'quit'
	else
		file=$(dumpe2fs -h orphans.img 2> /dev/null | sed -n 's/^Orphan file inode: *//p')
		perl -e '
			open(my $f, "+<", "orphans.img") or die;
			seek($f, 4096 * shift, 0); print $f pack("V*", 0, @ARGV);' \
			"$(ask orphans.img "bmap <$file> 1")" "$cut" "$gone"
		debug orphans.img 'feature needs_recovery orphan_present'
	fi
	e2bfo 0 copy --json --mkfs --size 32M --force orphans.img target.img
	grep -q "\"open_unlinked\": \[$gone\]" out || { cat out; fail "$list: no unlinked file"; }
	e2bfo 0 ls --json orphans.img
	grep -q "\"open_unlinked\": \[$gone\]" out ||
		fail "$list: ls has no unlinked file: $(cat out)"
	e2bfo 0 ls orphans.img
	says '^e2bfo: 1 file was deleted while still open on orphans.img: without a name, left out$'
	e2bfo 0 ls -q orphans.img
	[ ! -s said ] || fail "ls -q: $(cat said)"
	checked target.img
	ask target.img 'stat cut' | grep -q 'Size: 5000$' || fail "$list: size"
	ask target.img 'stat cut' | grep -q 'Blockcount: 16$' || fail "$list: blocks"
done

# ---- an aborted journal, an empty one, strange ones ----

# changed FILE BYTE HEX: bytes of the journal's superblock
changed() {
	perl -e '
		open(my $f, "+<", shift) or die;
		seek($f, 4096 * shift() + shift, 0); print $f pack("H*", shift);' \
		"$1" "$(ask "$1" 'bmap <8> 0')" "$2" "$3"
}

# refused FILE PATTERN
refused() {
	rm -f target.img
	e2bfo 8 copy --mkfs --size 32M "$1" target.img
	says "$2"
	[ ! -e target.img ] || fail "a target was made"
}

source_image first.img -O ^metadata_csum
debug first.img 'journal_open' "journal_write -b $(block first.img 1) block-one" 'journal_close'
cp first.img strange.img
changed strange.img 32 fffffffb
shown strange.img 1 one
says 'warning: strange\.img: the kernel gave up writing its journal \(Input/output error\)'
cp first.img strange.img
changed strange.img 28 00000000
rm -f target.img
e2bfo 0 copy --mkfs --size 32M strange.img target.img
! grep 'leaves it' out || fail "an empty journal was replayed"
cp first.img strange.img
changed strange.img 40 00000041
refused strange.img 'features that are not handled while reading the journal .* 0x40'
cp first.img strange.img
changed strange.img 44 00000001
refused strange.img 'features that are not handled .* read-only compatible 0x1'
cp first.img strange.img
changed strange.img 28 00010000
refused strange.img 'Journal is damaged while .* its log begins outside'
cp first.img strange.img
changed strange.img 16 00100000
refused strange.img 'shorter than its superblock says'
cp first.img strange.img
changed strange.img 0 00
refused strange.img 'no valid superblock'
cp first.img strange.img
debug strange.img 'set_inode_field <8> links_count 0'
refused strange.img 'Damage was found while reading inode 8'
cp first.img strange.img
debug strange.img 'set_inode_field <8> size 2147483648'
refused strange.img 'Damage was found while reading'

# ---- targets, as ever ----

volume clean.img 32M
e2bfo 8 copy clean.img first.img
says 'needs its journal replayed while opening first\.img'
e2bfo 8 copy --ignore-journal clean.img first.img
says 'needs its journal replayed while opening first\.img'
