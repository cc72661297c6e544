#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Values of attributes that fit where they are in the source, and neither inode nor block of a
# target with ea_inode, get inodes of their own there.  Judged by e2fsck, which adds up references
# and quota, by this kernel, which reads and deletes them, and by the values that were set.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs setfattr getfattr losetup perl

# value NAME BYTES SEED: a file of that many bytes
value() {
	perl -e 'srand($ARGV[1]); print map { chr(int(rand(256))) } 1 .. $ARGV[0]' "$2" "$3" > "$1"
}

# ---- a source of large blocks; only debugfs fills it ----

mkdir tree tree/dir tree/dir/sub
for f in big same twice many small mixed nearly dir/file; do
	echo "$f" > "tree/$f"
done
ln -s "$(printf 'l%.0s' {1..100})" tree/link
for f in {1..5}; do
	head -c 3000000 /dev/zero | tr '\0' x > tree/pad$f	# stays in buffers
done
value big.value 60000 1
value other.value 30000 2
value medium.value 1100 3
value small.value 30 4
rm -f large.img
truncate -s 64M large.img
mke2fs -q -F -t ext4 -b 65536 -O ^has_journal -d tree large.img 2> /dev/null

# wants: the attributes that are set, a line each: PATH NAME FILE
wants() {
	local n

	cat <<- END
		big user.big big.value
		same user.big big.value
		same trusted.small small.value
		twice user.one other.value
		twice user.two other.value
		mixed user.medium medium.value
		mixed user.large other.value
		mixed user.small small.value
		mixed security.small small.value
		small user.small small.value
		dir user.big big.value
		dir/sub trusted.medium medium.value
		dir/file user.medium medium.value
		link trusted.big big.value
	END
	for n in {10..49}; do
		echo "many user.n$n many$n.value"
	done
}
for n in {10..49}; do
	value many$n.value $((n * 25)) "$n"
done
wants > wanted
while read -r path name file; do
	echo "ea_set -f $file /$path $name"
done < wanted > commands
cat >> commands << END
sif /big uid 1000
sif /same uid 1001
sif /twice gid 77
sif /many uid 1001
END
debug large.img < commands
checked large.img

# stored IMAGE: debugfs sees the wanted attributes, and no others.
stored() {
	local path name file

	while read -r path name file; do
		ask "$1" "ea_get -f is /$path $name"
		cmp -s is "$file" || fail "$name of $path differs"
	done < wanted
	cut -d ' ' -f 1,2 wanted | sort > names.expected
	cut -d ' ' -f 1 wanted | sort -u | while read -r path; do
		ask "$1" "ea_list /$path" | sed -n "s,^  \([^ ]*\) (.*,$path \1,p"
	done | grep -v ' system\.data$' | sort > names
	same names.expected names
}

# holds DIR: what is mounted there has the wanted attributes, and no others.
holds() {
	local path name file

	while read -r path name file; do
		getfattr -h --only-values -n "$name" "$1/$path" 2> /dev/null | cmp -s - "$file" ||
			fail "$name of $path differs"
	done < wanted
	cut -d ' ' -f 1,2 wanted | sort > names.expected
	(cd "$1" && getfattr -R -P -h -m - . 2> /dev/null) | perl -ne '
		$path = $1 if m,^# file: (.*),; print "$path $_" if /^[a-z]+\./' | sort > names
	same names.expected names
}

# values IMAGE: how many inodes hold values
values() {
	seq -f 'stat <%.0f>' 12 400 | debugfs -f - "$1" 2> /dev/null |
		grep -c 'Flags: 0x[0-9a-f]*[23]00000$\|Flags: 0x[0-9a-f]*[2a]80000$'
}

# taken TARGET: it has all, and the kernel can take that away again, if it can write there: this one
# may know no quota.
taken() {
	local n

	checked "$1"
	is_root || { stored "$1"; return; }
	(mounted "$1" mnt rw,noatime && unmounted mnt) 2> /dev/null || {
		dumpe2fs -h "$1" 2> /dev/null | grep -q '^Filesystem features:.* quota' ||
			fail "cannot be mounted"
		mounted "$1" mnt
		holds mnt
		unmounted mnt
		return
	}
	mounted "$1" mnt rw,noatime
	holds mnt
	rm mnt/big mnt/mixed
	setfattr -x user.two mnt/twice
	for n in {10..30}; do
		setfattr -n "user.n$n" -v short mnt/many
	done
	getfattr --only-values -n user.one mnt/twice | cmp -s - other.value ||
		fail "a value went with another's name"
	getfattr -h --only-values -n trusted.big mnt/link | cmp -s - big.value ||
		fail "a value went with another file"
	rm -r mnt/many mnt/dir mnt/link
	unmounted mnt
	checked "$1"
}

# moved SOURCE VALUES BLOCK INODE MKE2FS-ARGUMENTS...: a copy; VALUES inodes are made for values.
moved() {
	local source=$1 values=$2 block=$3 inode=$4 lost=

	shift 4
	[ "$inode" != 128 ] || lost="--allow-loss=nanoseconds,birth-time,version,time-range"
	rm -f target.img
	truncate -s 48M target.img
	mke2fs -q -F -b "$block" -I "$inode" "$@" target.img > /dev/null 2>&1 ||
		fail "mke2fs $*"
	e2bfo "$([ -n "$lost" ] && echo 1 || echo 0)" copy --verify $lost "$source" target.img
	"$E2BFO" verify ${lost:+--ignore mtime,atime,ctime,crtime} "$source" target.img \
		> different 2>&1 || fail "verify: $(cat different)"
	[ "$(values target.img)" = "$values" ] ||
		fail "-b $block -I $inode $*: $(values target.img) values in inodes, not $values"
	taken target.img
	echo "-b $block -I $inode $*: $values"
}

# Of `many`, whose names take 800 bytes, what remains are the smallest values, as many as there is
# room for; 30000 and 60000 bytes always move, 1100 bytes from 1k blocks, if the inode has no room.
quotas="-E quotatype=usrquota:grpquota:prjquota"
moved large.img 42 1024 256 -t ext4 -O ea_inode
moved large.img 42 1024 256 -t ext4 -O ea_inode,quota,project $quotas
moved large.img 43 1024 128 -t ext4 -O ea_inode,quota
moved large.img 40 1024 1024 -t ext4 -O ea_inode
moved large.img 38 2048 256 -t ext4 -O ea_inode
moved large.img 33 4096 256 -t ext4 -O ea_inode,^metadata_csum
moved large.img 33 4096 256 -t ext4 -O ea_inode,inline_data,metadata_csum_seed
moved large.img 42 1024 256 -t ext4 -O ea_inode,inline_data,quota
moved large.img 42 1024 256 -t ext4 -O ea_inode,bigalloc,quota -C 16384
moved large.img 42 1024 256 -t ext3 -O ea_inode

# ---- the way back, and what does not fit at all ----

SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
"$E2BFO" copy -q --memory 1M --mkfs='-b 1024 -t ext4 -O ea_inode -U 2c5e0c2e-9a0f-4f7e-8a6a-3a2c8f0d9b11' \
	--size 48M large.img one.img 2> said || fail "--mkfs: $(cat said)"
"$E2BFO" copy -q --mkfs='-b 1024 -t ext4 -O ea_inode -U 2c5e0c2e-9a0f-4f7e-8a6a-3a2c8f0d9b11' \
	--size 48M large.img two.img 2> said || fail "--mkfs: $(cat said)"
[ "$(digest one.img)" = "$(digest two.img)" ] || fail "the result depends on --memory"
taken one.img
e2bfo 0 copy --mkfs='-b 1024 -t ext4 -O ea_inode' --size min large.img min.img
[ "$(values min.img)" = 42 ] || fail "--size min"
taken min.img
e2bfo 0 copy --keep-inodes two.img --mkfs='-b 4096 -O ea_inode' --size 48M keep.img
[ "$(inode_of keep.img /many)" = "$(inode_of two.img /many)" ] || fail "--keep-inodes"
taken keep.img
e2bfo 0 copy --keep-inodes --mkfs='-b 1024 -t ext4 -O ea_inode' --size 48M large.img keep1.img
[ "$(inode_of keep1.img /many)" = "$(inode_of large.img /many)" ] || fail "--keep-inodes"
taken keep1.img

volume lacking.img 48M -b 1024
e2bfo 8 copy two.img lacking.img
says 'xattr-space'
e2bfo 1 copy --allow-loss=xattr-space two.img lacking.img
checked lacking.img

# 200 names, 20 bytes each with its entry: as many remain as a block and an inode take.
cp --sparse=always large.img names.img
for n in {100..299}; do
	echo "ea_set -f small.value /nearly user.n$n"
done > commands
debug names.img < commands
volume target.img 48M -b 1024 -O ea_inode
e2bfo 8 copy names.img target.img
says 'xattr-space'
e2bfo 1 copy --allow-loss=xattr-space names.img target.img
checked target.img
[ "$(ask target.img 'ea_list /nearly' | grep -c '^  user\.n')" = 53 ] || fail "not all the names that fit"
if is_root; then
	mounted target.img mnt
	for n in $(getfattr -m - mnt/nearly | sed -n 's/^user\.n//p'); do
		getfattr --only-values -n "user.n$n" mnt/nearly | cmp -s - small.value ||
			fail "user.n$n of nearly differs"
	done
	unmounted mnt
fi

# ---- a source that the kernel fills: blocks with one value, shared by more than one takes ----
if is_root; then
	volume source.img 64M -N 8192 -O ea_inode
	value shared.value 3000 5
	value huge.value 64000 6
	mounted source.img mnt rw,noatime
	perl -e 'open(my $f, "<", $ARGV[1]) or die; local $/; my $v = <$f>; my $name = "user.shared";
		for (1 .. 1500) {
			my $path = "$ARGV[0]/f$_";
			open(my $g, ">", $path) or die;
			syscall(188, $path, $name, $v, length($v), 0) == 0 or die $!;
		}' mnt shared.value
	setfattr -n user.huge -v "0x$(perl -0777 -ne 'print unpack("H*")' huge.value)" mnt/f1500
	setfattr -n user.small -v small mnt/f1500
	unmounted mnt
	for inode in 128 256; do
		volume target.img 64M -b 1024 -I $inode -N 8192 -O ea_inode
		[ $inode = 256 ] && loss= || loss="--allow-loss=nanoseconds,birth-time"
		e2bfo "$([ $inode = 256 ] && echo 0 || echo 1)" copy --verify $loss source.img target.img
		checked target.img
		"$E2BFO" verify --ignore atime,ctime,mtime,crtime source.img target.img > out ||
			fail "verify: $(head -3 out)"
		for what in source target; do
			mounted $what.img mnt
			(cd mnt && find . -type f | sort | xargs getfattr -d -m - -e hex) \
				> $what.values
			unmounted mnt
		done
		same source.values target.values
		mounted target.img mnt rw,noatime
		rm mnt/f1500 mnt/f1 mnt/f77
		unmounted mnt
		checked target.img
	done
	[ "$(grep -c '^user.shared' target.values)" = 1500 ] || fail "no values at all"
fi
