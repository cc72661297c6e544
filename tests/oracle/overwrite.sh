#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --overwrite and --if-newer onto volumes: things of each kind take the places of things of
# each kind, as with cp -a --remove-destination in directories; e2fsck, which counts blocks, inodes,
# links, quota and references, has no complaint, and a kernel goes on with what came of it. Nothing
# is done where something is in the way. A copy that is killed is resumed to the same, or given up.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr perl python3

# ---- two trees ----

# make DIR KIND NAME: a thing of that kind, with what tells whose it is
make() {
	local dir=$1 kind=$2 name=$3

	case $kind in
	file)	echo "$dir $name" > "$dir/$name" ;;
	empty)	: > "$dir/$name" ;;
	large)	perl -e 'for (0 .. 39) { seek(STDOUT, $_ * 16384, 0); print "$ARGV[0] $_\n" x 900; }' \
			"$dir" > "$dir/$name" ;;
	link)	ln -s "$dir" "$dir/$name" ;;
	long)	ln -s "$(printf "$dir%.0s" {1..60})" "$dir/$name" ;;
	fifo)	mkfifo "$dir/$name" ;;
	device)	as_owner mknod "$dir/$name" c 1 "${#dir}" ;;
	esac
}

kinds='file empty large link long fifo device'
mkdir -p old/many new/many old/deep/er new/deep/er/est old/only
for a in $kinds; do
	for b in $kinds; do
		make old $a "$a-to-$b"
		make new $b "$a-to-$b"
	done
done
for i in {1..300}; do
	echo "old $i" > old/many/$i
	[ $((i % 2)) = 0 ] || echo "new $i" > new/many/$i
done
for i in {301..400}; do
	echo "new $i" > new/many/$i
done
ln old/file-to-large old/only/stays		# a name that nothing takes
ln old/many/7 old/many/seven			# both go, to one file with two names
echo 'new seven' > new/many/seven
ln -f new/many/seven new/many/7
ln new/many/seven new/deep/seven		# and a third, which is new
setfattr -n user.old -v "$(printf 'o%.0s' {1..700})" old/large-to-file old/file-to-link old/many/2
setfattr -n user.new -v "$(printf 'n%.0s' {1..600})" new/file-to-file new/many/9
chmod 4750 new/file-to-file
find old new -exec touch -h -d 2020-01-01T00:00:00Z {} +
touch -h -d 2021-01-01T00:00:00Z new/many/?? new/many/seven new/link-to-* new/*-to-large
touch -h -d 2022-01-01T00:00:00Z old/many/1?

# reference NAME OPTIONS: what cp(1) makes of them, in directory NAME
reference() {
	as_owner cp -a old "$1"
	as_owner cp -a "${@:2}" --remove-destination new/. "$1"
}
reference replaced
reference updated -u

# manifest IMAGE: but for what copies do not keep, or used() changes
manifest() {
	kernel_manifest "$1" -x /lost+found -o ctime -o crtime -o gen -o atime -o layout -o iflags |
		sed -E 's/ (xattr:user\.(shared|value)|disk\.version)=[^ ]*//g
			/ type=d /s/ (mtime|size|nlink)=[^ ]*//g'
}

# used IMAGE: a kernel has used the target before: attribute blocks and values that files share,
# unwritten blocks among written ones, in one cluster, too
used() {
	is_root || return 0
	mounted "$1" mnt rw,noatime
	for f in file-to-fifo many/1 many/3 many/4; do
		setfattr -n user.shared -v "$(printf 's%.0s' {1..500})" "mnt/$f"
	done
	case $1 in ea_inode*)
		for f in many/5 many/6 file-to-device; do
			setfattr -n user.value -v "$(printf 'v%.0s' {1..30000})" "mnt/$f"
		done
		setfattr -n user.value -v "$(printf 'w%.0s' {1..20000})" mnt/large-to-long
	esac
	perl -e 'open(my $f, "+<", "mnt/large-to-empty") or die;
		for (0, 3, 7, 20) { seek($f, 2097152 + $_ * 4096, 0); print $f "x" x 4096; }'
	fallocate -n -o 2097152 -l 131072 mnt/large-to-empty 2> /dev/null || :
	unmounted mnt
}

# goes_on_living IMAGE: names come, move and go in what was written
goes_on_living() {
	is_root || return 0
	mounted "$1" mnt rw,errors=remount-ro
	perl -e 'for (1 .. 300) { open(my $f, ">", "mnt/many/later-$_") or die "$_: $!"; print $f $_; }'
	mv mnt/many/later-1 mnt/many/9
	mv mnt/file-to-file mnt/deep/moved
	rm -f mnt/many/[12]* mnt/large-to-* mnt/*-to-large
	rm -r mnt/deep mnt/only
	unmounted mnt
	checked "$1"
}

head -c 30000 /dev/zero | tr '\0' v > old-value
volume source.img 32M -b 1024 -N 2048 -d new
volume replaced.img 32M -d replaced
volume updated.img 32M -d updated
manifest replaced.img > replaced.list
manifest updated.img | grep -v '^/large-to-empty ' > updated.list

# NAME mke2fs arguments; "no": this kernel may not write it
while read -r name use arguments; do
	# shellcheck disable=SC2086
	volume $name.img 32M -N 2048 $arguments -d old
	if [ $use = no ]; then
		for f in many/5 many/6 file-to-device; do
			debug $name.img "ea_set -f old-value $f user.value"
		done
		repaired $name.img	# mke2fs does not count what it copies,
		repaired $name.img	# nor e2fsck what it makes
	else
		used $name.img
	fi
	cp $name.img $name-updated.img
	e2bfo 0 copy --overwrite --json source.img $name.img
	python3 -c 'import json; r = json.load(open("out")); assert r["plan"]["replaced"] == 200 and \
		r["plan"]["skipped"] == 0, r["plan"]'
	checked $name.img
	manifest $name.img > list
	same list replaced.list
	e2bfo 0 copy --if-newer source.img $name-updated.img
	checked $name-updated.img
	# used() has written to one that stays
	manifest $name-updated.img | grep -v '^/large-to-empty ' > list
	same list updated.list
	[ $use = no ] || goes_on_living $name.img
done << 'END'
ext4		yes
ext4-1k		yes	-b 1024
ext3		yes	-O ^extent,^64bit,^flex_bg,^metadata_csum,^huge_file,^dir_nlink
ext2-1k		yes	-O ^extent,^64bit,^has_journal,^metadata_csum -b 1024 -I 256
no-journal	yes	-O ^has_journal
no-csum		yes	-O ^metadata_csum,^64bit,^flex_bg
bigalloc	yes	-O bigalloc -C 16384
inline		yes	-O inline_data
ea_inode	yes	-O ea_inode
quota		no	-O quota,project,ea_inode -E quotatype=usrquota:grpquota:prjquota
END

# ---- indexes; what cannot be read ----

volume some.img 32M -N 2048 -d old
e2itree 1 -p -m 100 some.img
blk=$(ask source.img 'bmap many/9 0')
printf '0x0 ? 1\n0x0 0x%x +\n0x%x 0x400 -\n0x%x 0x%x +\n' $((blk * 1024)) $((blk * 1024)) \
	$(((blk + 1) * 1024)) $(((32 << 20) - (blk + 1) * 1024)) > map
e2bfo 1 copy --overwrite --on-read-error skip --mapfile map source.img some.img
grep -q '^Names whose files were replaced: 199\.' out || fail "all but one: $(cat out)"
checked some.img
e2itree 0 -n some.img
manifest some.img > list
grep -v '^/\(.e2itree\|many/9\) ' list > list.others
grep -v '^/many/9 ' replaced.list > replaced.others
same list.others replaced.others
ask some.img 'cat many/9' | grep -qx 'old 9' || fail "what is not copied took a place"

# ---- refused, as it was before ----

# refused IMAGE OPTION PATTERN...: nothing is done
refused() {
	cp "$1" was.img
	e2bfo 8 copy "$2" source.img "$1"
	says "${@:3}"
	cmp "$1" was.img || fail "$1 has changed: ${*:3}"
}

# What is no file on one side; what cannot be replaced, but may stay.
volume clash.img 32M -N 2048 -O verity -d old
debug clash.img 'mkdir new-directory' 'sif empty-to-file flags 0x80010' 'sif file-to-fifo flags 0x80020' \
	'sif many/1 flags 0x180000' 'sif deep flags 0x80010'
mkdir clashing clashing/link-to-file clashing/deep
for name in new-directory empty-to-file file-to-fifo deep/file; do
	echo clash > clashing/$name
	touch -d 2037-01-01T00:00:00Z clashing/$name
done
mkdir clashing/many
echo clash > clashing/many/1
touch -d 2000-01-01T00:00:00Z clashing/many/1
echo sealed > old-deep-file
debug clash.img 'write old-deep-file deep/file'
cp source.img other.img
volume source.img 32M -d clashing
refused clash.img --overwrite 'exists already, as a directory: /new-directory' \
	'exists already, and is no directory: /link-to-file' \
	'is immutable or append-only: /empty-to-file' 'is immutable or append-only: /file-to-fifo' \
	'is protected by fs-verity: /many/1' \
	'lies in what is immutable or append-only: /deep/file' 'in the way of what is to be copied: 6$'
refused clash.img --if-newer 'in the way of what is to be copied: 5$'
mv other.img source.img
# A directory that is immutable gains no name; without one to gain, it does not matter.
volume sealed.img 32M -N 2048 -d old
debug sealed.img 'sif many flags 0x80010' 'sif only flags 0x80010'
mkdir -p gaining/many gaining/only
echo gained > gaining/many/gained
cp source.img other.img
volume source.img 32M -d gaining
refused sealed.img --overwrite "File is immutable while merging /many .*: directory with inode $(
	inode_of sealed.img /many) of the target; clear its flag i before"
debug sealed.img 'sif many flags 0x80000'
e2bfo 0 copy --overwrite source.img sealed.img
checked sealed.img
mv other.img source.img
# What is freed is not used before all is in place: it does not count.
volume full.img 32M -N 2048 -d old
free=$(dumpe2fs -h full.img 2> /dev/null | sed -n 's/^Free blocks: *//p')
head -c $(((free - 100) * 4096)) /dev/zero | tr '\0' x > filler
debug full.img 'write filler filler'
refused full.img --overwrite 'blocks of 4096 bytes needed'
# Inodes that are freed go through the journal, a table block each four of them here.
mkdir small-old
seq 4200 | sed 's,^,small-old/,' | xargs touch -d 2020-01-01T00:00:00Z
volume journal.img 64M -N 10000 -I 1024 -J size=4 -d small-old
mv source.img other.img
volume source.img 64M -N 10000 -I 1024 -d small-old
refused journal.img --overwrite 'it would take [0-9]* KiB of the journal of journal.img, which has'
e2bfo 0 copy --overwrite --not-atomic source.img journal.img
grep -q '^Names whose files were replaced: 4200\.' out || fail "in place: $(cat out)"
checked journal.img
mv other.img source.img
# Two files with one block: nobody else may lose it.
volume shared.img 32M -N 2048 -O ^extent,^64bit,^metadata_csum -d old
blk=$(ask shared.img 'bmap many/1 0')
debug shared.img "sif many/3 block[0] $blk"
cp shared.img was.img
e2bfo 8 copy --overwrite --trust source.img shared.img
says 'it shares blocks with another one; please run e2fsck -f'
cmp shared.img was.img || fail "shared.img has changed"

# ---- killed, and resumed, or given up ----

export SOURCE_DATE_EPOCH=1800000000 FAULT_TARGET=part.img
volume before.img 32M -N 2048 -d old
cp before.img whole.img
e2bfo 0 copy -n --overwrite source.img whole.img
grep -q '^Names whose files are to be replaced: 200\.' out || fail "dry run: $(cat out)"
cmp before.img whole.img || fail "a dry run has changed the target"
e2bfo 0 copy --overwrite source.img whole.img
cp before.img part.img
n=$(events write copy --overwrite source.img part.img)
cp before.img part.img
struck write kill $((n / 4)) copy --overwrite source.img part.img
[ $status = 137 ] || fail "it was not killed: $status"
cp part.img given-up.img
e2bfo 0 resume part.img
grep -q '^Names whose files were replaced: 200\.' out || fail "resumed: $(cat out)"
checked part.img
e2bfo 0 verify whole.img part.img
e2bfo 0 abort given-up.img
checked given-up.img
manifest before.img > before.list
manifest given-up.img > list
same list before.list
# Behind its commit it only has to be replayed.
cp before.img part.img
struck write kill $((n - 10)) copy --overwrite source.img part.img
e2bfo 0 resume part.img
checked part.img
e2bfo 0 verify whole.img part.img
