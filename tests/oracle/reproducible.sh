#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --reproducible: one tree, unpacked on other filesystems, in other order, by other users, in
# other locales, with holes or zeroes, becomes the same bytes; also from volumes. Whatever counts
# changes them, and verify names what that was. The images are right: e2fsck, the kernel, verify.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs mkfs.xfs tar strace setfattr setfacl setcap setpriv unshare e2fsck debugfs
requires chattr perl

# Others than root have to come here, and need the program.
chmod a+x "$TMPDIR" "$WORK"
cp "$E2BFO" program
E2BFO=$WORK/program

# ---- a tree, and what it is unpacked from ----

# plain DIR: what everybody can unpack
plain() {
	perl -e 'my $top = shift;
		my $n = 0;
		sub dir { mkdir("$top/$_[0]") or die "$_[0]: $!"; }
		sub file {
			my ($path, @pieces) = @_;
			open(my $f, ">", "$top/$path") or die "$path: $!";
			print $f @pieces;
		}
		sub text { join("", map { sprintf("%s %d\n", $_[0], $_) } 1 .. $_[1]) }
		dir($_) for "many", "deep", "deep/er", "deep/er/est", "empty", "zeroes";
		file("many/file-$_", text($_, $_ % 40)) for 1 .. 1500;
		file("file-$_", text("top", 300 * $_)) for 1 .. 30;
		file("deep/er/est/name", "one");
		file("deep/odd \xff\n name", "two");
		file("deep/" . "l" x 255, "three");
		file("nothing");
		my $data = text("d", 20000);
		my $zero = "\0" x 4096;
		file("zeroes/inside", substr($data, 0, 8192), $zero x 3, substr($data, 0, 5000));
		file("zeroes/first", $zero, "x");
		file("zeroes/last", "x" x 4096, $zero x 2);
		file("zeroes/last-part", "x" x 4096, "\0" x 100);
		file("zeroes/all", $zero x 20);
		file("zeroes/few", "\0" x 10);
		file("zeroes/unaligned", "x" x 1000, $zero x 2, "y" x 300);
		file("zeroes/small", ("x" x 1024, "\0" x 1024) x 20);
		link("$top/file-7", "$top/deep/er/link-to-7") or die;
		link("$top/file-7", "$top/a-link-to-7") or die;
		link("$top/many/file-1", "$top/zz-link") or die;
		symlink("target", "$top/fast") or die;
		symlink("s" x 200, "$top/slow") or die;
		system("mkfifo", "$top/deep/fifo") == 0 or die;
		chmod(0600, "$top/file-1");
		chmod(0777, "$top/deep/er");
		chmod(02750, "$top/empty");
		chmod(01777, "$top/many")' "$1"
	find "$1" -exec touch -h -d '2024-02-03 04:05:06.123456789' {} +
	touch -d '1969-12-30 01:02:03.5' "$1/file-2"
	touch -d '2030-01-01 00:00:00.25' "$1/file-3"
	touch -d '2041-01-01 00:00:00.75' "$1/file-4"
	touch -h -d '2023-11-14 22:13:20.5' "$1/fast"	# half a second behind the clamp
}

# more DIR: what only root can
more() {
	mknod "$1/block" b 8 300
	mknod "$1/char" c 500 70000
	cp /bin/true "$1/capable"
	chown 1000:2000 "$1/file-5" "$1/many"
	chown -h 4294967294:70000 "$1/slow"
	chmod 04711 "$1/file-6"
	chmod 0 "$1/file-8"
	touch -h -d '2024-02-03 04:05:06.123456789' "$1/block" "$1/char" "$1/capable" "$1/file-5" "$1"
}

# attributes DIR ORDER: of names that tar has no order for; ORDER is sort or "sort -r"
attributes() {
	local dir=$1 order=${2:-sort} name

	for name in $(printf 'user.%s\n' one two three four five | $order); do
		setfattr -n "$name" -v "value of $name" "$dir/file-9" "$dir/deep"
		setfattr -n "$name" -v "$(printf '%0100d' 7) $name" "$dir/file-10" "$dir/file-11"
	done
	for name in $(printf '%s\n' u:1000:r g:50:rw u:20:rx g:7:x | $order); do
		setfacl -m "$name" "$dir/file-12"
		setfacl -d -m "$name" "$dir/empty"
	done
	touch -d '2024-02-03 04:05:06.123456789' "$dir/empty" "$dir/deep"
}

mkdir made
plain made
members() {
	(cd made && find . -print0 | LC_ALL=C sort -z ${1:-})
}
archive() {
	tar -C made --format=posix --pax-option=delete=atime,delete=ctime --no-recursion --null \
		-T - -cf "$1"
}
members > sorted; archive plain.tar < sorted
members -r > reversed; archive plain-reversed.tar < reversed
more made
members > sorted; archive all.tar < sorted
members -r > reversed; archive all-reversed.tar < reversed

# unpacked ARCHIVE DIR [ORDER]: all of it, by root
unpacked() {
	mkdir -p "$2"
	tar -C "$2" --warning=no-timestamp -xpf "$1" --numeric-owner
	[ ! -e "$2/capable" ] || setcap cap_net_raw+ep "$2/capable"
	attributes "$2" "${3:-sort}"
}

# disk NAME SIZE MKFS...: a filesystem that is mounted on NAME
disk() {
	local name=$1 size=$2 device

	shift 2
	truncate -s "$size" "$name.disk"
	quietly "$@" "$name.disk"
	device=$(loop "$name.disk")
	mkdir "$name"
	mount "$device" "$name"
	echo "$WORK/$name" >> .state/mounts
}
disk ext4-4k 100M mke2fs -q -F -t ext4 -b 4096
disk ext4-1k 100M mke2fs -q -F -t ext4 -b 1024
disk xfs 400M mkfs.xfs -q -f
mkdir tmpfs
mount -t tmpfs -o size=100M none tmpfs
echo "$WORK/tmpfs" >> .state/mounts

unpacked all.tar ext4-4k/tree
unpacked all-reversed.tar ext4-1k/tree "sort -r"
unpacked all-reversed.tar xfs/tree
unpacked all.tar tmpfs/tree "sort -r"

# ---- the same bytes ----

# made SOURCE [OPTIONS...]: prints the digest of its image, made.img
made() {
	local source=$1

	shift
	rm -f made.img
	e2bfo 0 copy --mkfs --size min --reproducible "$@" "$source" made.img
	digest made.img
}

# as WHAT SOURCE [OPTIONS...]: the same as $expected
as() {
	local what=$1 now

	shift
	now=$(made "$@")
	[ "$now" = "$expected" ] && return
	"$E2BFO" verify reference.img made.img > differences || :
	fail "$what: other bytes: $(cmp -l reference.img made.img | wc -l) of them; $(head -5 differences)"
}

# shown DIR: contents, links, ACLs and attributes, as the kernel shows them
shown() (
	cd "$1"
	find . -name lost+found -prune -o ! -type l -print0 | LC_ALL=C sort -z > "$WORK/paths"
	find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
	find . -name lost+found -prune -o -printf '%M %U:%G %l %p ' \( -type d -o -printf %n \) -printf '\n' |
		LC_ALL=C sort
	xargs -0 getfacl -np -- < "$WORK/paths"
	xargs -0 getfattr -hd -m '^user\.|^security.capability' -- < "$WORK/paths"
)

# judged SOURCE: reference.img is right
judged() {
	checked reference.img
	"$E2BFO" verify --ignore atime,ctime,crtime,mtime,flags,holes,generation,project "$1" reference.img \
		> differences || fail "verify: $(head -5 differences)"
	mounted reference.img mnt
	shown "$1" > source.shown
	shown mnt > image.shown
	same source.shown image.shown
	unmounted mnt
}

export SOURCE_DATE_EPOCH=1700000000
expected=$(made ext4-4k/tree)
mv made.img reference.img
judged ext4-4k/tree
as "again" ext4-4k/tree
as "blocks of 1 KiB" ext4-1k/tree
as "xfs" xfs/tree
as "tmpfs" tmpfs/tree
LC_ALL=C.UTF-8 TZ=Asia/Tokyo MALLOC_PERTURB_=165 as "another locale" tmpfs/tree --memory 1M
(umask 077; as "another umask" xfs/tree)
sleep 1.1
as "later, by another name" "dir:$WORK/ext4-4k/../xfs/tree/"

# What depends on the place is left out: atimes, flags, preallocation, other attributes; and zeroes
# are holes, wherever the source has some.
cp -a ext4-4k/tree ext4-4k/other
(
	cd ext4-4k/other
	fallocate -d zeroes/all
	fallocate -d zeroes/inside
	fallocate -z -o 4096 -l 4096 zeroes/last
	fallocate -n -o 0 -l 128K file-13
	fallocate -n -o 1M -l 64K nothing
	fallocate -p -o 4096 -l 4096 zeroes/unaligned
	touch -d '2024-02-03 04:05:06.123456789' zeroes/* file-13 nothing
	cat file-14 > /dev/null
	touch -a -d 2020-01-01 file-15 empty
	setfattr -n trusted.of-this-machine -v 1 file-16
	setfattr -n security.of-this-machine -v 1 file-17 deep
	setfattr -n user.gone -v "$(printf '%0900d' 1)" file-18
	setfattr -x user.gone file-18
	chattr +dA file-19 many
	chattr +i file-20
	chattr +a file-21
)
e2bfo 1 verify --ignore ctime,crtime,atime,generation,flags ext4-4k/tree ext4-4k/other
grep -q '^/zeroes/all: holes' out && grep -q '^/file-16: xattr' out || fail "not another tree: $(cat out)"
as "holes, preallocation, flags, attributes" ext4-4k/other
chattr -ia ext4-4k/other/file-2[01]

# By another user, who may do less: of what he may make, with the owner that he names.
expected=$(unpacked plain.tar plain-root >&2; made plain-root --owner 0:0)
mv made.img reference.img
mkdir nobodys
cp plain-reversed.tar nobodys/plain.tar
chown 65534:65534 nobodys
cat > nobodys/script <<'END'
cd nobodys
mkdir tree
tar -C tree --warning=no-timestamp -xpf plain.tar
attributes tree "sort -r"
"$E2BFO" copy --mkfs --size min --reproducible --owner root:root tree made.img
"$E2BFO" copy --mkfs --size min --reproducible --map-users 0:0:65534 --map-users 65534:0:1 \
	--map-groups 65534:0:1 --map-groups 0:0:1000 tree mapped.img
END
export -f attributes
quietly setpriv --reuid=65534 --regid=65534 --clear-groups bash -e nobodys/script
[ "$(stat -c %u nobodys/tree/file-3 nobodys/made.img | tr '\n' ' ')" = "65534 65534 " ] || fail "not nobody's"
for image in made mapped; do
	[ "$(digest nobodys/$image.img)" = "$expected" ] || {
		"$E2BFO" verify reference.img nobodys/$image.img > differences || :
		fail "nobody's $image.img has other bytes: $(head -5 differences)"
	}
done

# ---- every field counts, and verify names it ----

rm -rf made
mkdir made
tar -C made --warning=no-timestamp -xpf plain.tar
rm -r made/many
attributes made
touch -d '2024-02-03 04:05:06.123456789' made
expected=$(made made)
mv made.img reference.img
as "again" made

# differs PATH KIND COMMAND...: after COMMAND, in the tree, that is the one difference
differs() {
	local path=$1 kind=$2

	shift 2
	rm -rf changed
	cp -a made changed
	(cd changed && "$@")
	[ "$(made changed)" != "$expected" ] || fail "$kind of $path does not count"
	e2bfo 1 verify --ignore atime,ctime,crtime,nlink reference.img made.img
	head -n 1 out | grep -q "^$path: $kind[ ,]" || fail "verify does not name $kind of $path: $(cat out)"
	[ "$(grep -c "^/" out)" = 1 ] || fail "more than $kind of $path is different: $(cat out)"
}
# dated TIME COMMAND...: for /, whose mtime a new name changes
dated() {
	"$@"
	touch -d '2024-02-03 04:05:06.123456789' .
}
in_place() {
	printf X | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
	touch -d '2024-02-03 04:05:06.123456789' "$1"
}
unset SOURCE_DATE_EPOCH
expected=$(made made)
mv made.img reference.img
differs /file-20 data in_place file-20 17
differs /zeroes/small data in_place zeroes/small 1500
differs /file-20 mode chmod 0640 file-20
differs /empty mode chmod 2751 empty
differs /file-20 uid chown 7 file-20
differs /fast gid chown -h :4000000000 fast
differs /file-20 mtime touch -d '2024-02-03 04:05:06.123456788' file-20
differs / mtime touch -d '2024-02-03 04:05:07.123456789' .
differs /file-2 mtime touch -d '1969-12-30 01:02:03.25' file-2
differs /file-9 xattr setfattr -n user.one -v "another value" file-9
differs /file-20 xattr setfattr -n user.new -v 1 file-20
differs /file-12 xattr setfacl -m u:1000:w file-12
differs /empty xattr setfacl -d -m u:1000:w empty
differs /fast symlink dated bash -c 'ln -sf other! fast; touch -h -d "2023-11-14 22:13:20.5" fast'
differs /new extra dated touch -d '2024-02-03 04:05:06.123456789' new
differs /nothing missing dated rm nothing
differs /file-20 size bash -c 'echo >> file-20; touch -d "2024-02-03 04:05:06.123456789" file-20'
differs /deep/er/link-to-7 links bash -c 'cp -a file-7 x; mv x deep/er/link-to-7
	touch -d "2024-02-03 04:05:06.123456789" deep/er .'

# ---- names, times and what mke2fs is told ----

# uuid IMAGE
uuid() {
	dumpe2fs -h "$1" 2> /dev/null | sed -n 's/^Filesystem UUID: *//p'
}
# another WHAT SOURCE OPTIONS...: other bytes of the same tree
another() {
	local what=$1

	shift
	[ "$(made "$@")" != "$expected" ] || fail "$what: the same bytes"
	checked made.img
	e2bfo 0 verify --ignore mtime,atime,ctime,crtime reference.img made.img
}
another "a seed" made "--reproducible=one"
[ "$(uuid made.img)" != "$(uuid reference.img)" ] || fail "a seed: the same UUID"
cp made.img seeded.img
another "another seed" made "--reproducible=two"
[ "$(uuid made.img)" != "$(uuid seeded.img)" ] || fail "another seed: the same UUID"
[ "$(made made --reproducible=one)" = "$(digest seeded.img)" ] || fail "the same seed: other bytes"
SOURCE_DATE_EPOCH=1700000000 another "a time" made
created=$(dumpe2fs -h reference.img 2> /dev/null | sed -n 's/^Filesystem created: *//p')
[ "$(date -d "$created" +%s)" = "$(date -d '2041-01-01' +%s)" ] || fail "made at $created"
SOURCE_DATE_EPOCH=1700000000 made made > /dev/null
mounted made.img mnt
find mnt -exec stat -c '%.9Y %.9X %.9Z %.9W %n' {} + | old=$(stat -c %.9Y made/file-2) perl -ne '
	my ($m, $a, $c, $b, $path) = /^(-?\d\S*) (\S+) (\S+) (\S+) (.*)/ or next;
	die "$path: $m $a $c $b\n" if "$m $m $m" ne "$a $c $b" || $m > 1700000000;
	die "$path: $m\n" if $path eq "mnt/fast" && $m ne "1700000000.000000000";
	$n++ if $path eq "mnt/file-2" && $m eq $ENV{old};
	END { exit(!$n); }' || fail "times"
unmounted mnt

cat > odd.conf <<'END'
[defaults]
	base_features = sparse_super,large_file,filetype,ext_attr,sparse_super2
	default_features = ^has_journal
	default_mntopts = journal_data
	enable_periodic_fsck = 1
	blocksize = 1024
	inode_size = 128
	inode_ratio = 4096
	reserved_ratio = 20
	hash_alg = tea
	lazy_itable_init = 0
[fs_types]
	ext4 = {
		features = has_journal,extent,^64bit,^metadata_csum
		hash_alg = legacy
		flex_bg_size = 2
	}
	small = {
		blocksize = 1024
		inode_ratio = 1024
	}
END
MKE2FS_CONFIG=$WORK/odd.conf as "MKE2FS_CONFIG" made
requires /etc/mke2fs.conf
cat > below <<'END'
mount --bind odd.conf /etc/mke2fs.conf
mke2fs -n -F -t ext4 odd.img 8M | grep ' 1k blocks'
"$E2BFO" copy --mkfs --size min --reproducible made below.img
END
truncate -s 8M odd.img
quietly unshare -m bash -e below
[ "$(digest below.img)" = "$expected" ] || fail "another mke2fs.conf: other bytes"

# What is not copied does not count.
cp -a made changed-much
rm -rf changed-much/deep/er
touch -d '2024-02-03 04:05:06.123456789' changed-much/deep
expected=$(made made --exclude deep/er/ --exclude '/new*')
mv made.img reference.img
as "a directory that is not there" changed-much --exclude deep/er/ --exclude '/new*'
echo 1 > changed-much/new-1
touch -d '2055-01-01' changed-much/new-1
touch -d '2024-02-03 04:05:06.123456789' changed-much
as "a file that is excluded" changed-much --exclude deep/er/ --exclude '/new*'
as "from / to /" made --exclude deep/er/ --exclude '/new*' --from / --to /

# ---- other targets: each the same, wherever the tree comes from ----

export SOURCE_DATE_EPOCH=1700000000
# everywhere OPTIONS...
everywhere() {
	local place

	rm -f made.img
	e2bfo 0 copy --reproducible "$@" ext4-4k/tree made.img
	checked made.img
	expected=$(digest made.img)
	mv made.img reference.img
	for place in ext4-1k xfs tmpfs; do
		e2bfo 0 copy --reproducible "$@" $place/tree made.img
		[ "$(digest made.img)" = "$expected" ] || {
			"$E2BFO" verify reference.img made.img > differences || :
			fail "$*: $place gives other bytes: $(head -5 differences)"
		}
		rm made.img
	done
}
everywhere --mkfs --size 64M
everywhere --mkfs --size min+3M --inodes used+10% --itree --order name
everywhere --mkfs='-b 1024' --size min
everywhere --mkfs='-t ext3 -b 2048' --size min
everywhere --mkfs='-O bigalloc,inline_data,quota -C 16384' --size min
everywhere --mkfs='-O ^has_journal,ea_inode -m 0 -L name -U 01234567-89ab-cdef-0123-456789abcdef' \
	--size min --from /many --from /file-10 --to /some/where

# ---- interrupted and resumed ----

# stopped N OPTIONS...: killed at its Nth write, and resumed. (What is not on the disk yet gets a
# place there meanwhile.)
sync -f xfs
stopped() {
	local n=$1

	shift
	{ strace -qq -o log -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when="$n" \
		"$E2BFO" copy --reproducible --memory 1M "$@" xfs/tree made.img > out 2>&1 ||
		[ $? = 137 ]; } 2> /dev/null
	[ ! -e made.img ] || fail "it was not stopped"
	e2bfo 0 resume made.img
	[ "$(digest made.img)" = "$expected" ] || fail "stopped at write $n and resumed: other bytes"
}
everywhere --mkfs='-b 1024' --size min
stopped 12 --mkfs='-b 1024' --size min
unset SOURCE_DATE_EPOCH
everywhere --mkfs --size 64M
stopped 12 --mkfs --size 64M

# ---- from volumes ----

# filled IMAGE ARCHIVE: a volume with the tree at its top, of its own history
filled() {
	mounted "$1" mnt rw
	unpacked "$2" mnt ${3:-sort}
	unmounted mnt
}
export SOURCE_DATE_EPOCH=1700000000
volume one.img 64M
volume two.img 64M
filled one.img all.tar
mounted two.img mnt rw
for n in {1..400}; do head -c $((n * 20)) /bin/bash > mnt/junk-$n; done
sync -f mnt
rm mnt/junk-*[13579]
sync -f mnt
unpacked all-reversed.tar mnt "sort -r"
rm mnt/junk-*
chattr +d mnt/file-17
setfattr -n trusted.t -v 1 mnt/file-17
dd if=/dev/zero of=mnt/zeroes/first conv=notrunc bs=4096 count=1 status=none
touch -d '2024-02-03 04:05:06.123456789' mnt mnt/zeroes/first
unmounted mnt
debug two.img "sif /file-16 generation 77" "sif /file-16 version 7"
block=$(ask two.img "blocks /zeroes/last-part" | cut -d ' ' -f 2)	# of which 100 bytes are the file's
printf X | dd of=two.img bs=1 seek=$((block * 4096 + 200)) conv=notrunc status=none
expected=$(made one.img)
mv made.img reference.img
checked reference.img
as "another volume" two.img
as "by its root" two.img --from /
as "the image itself" reference.img
mounted one.img mnt
as "the volume, mounted" mnt
unmounted mnt
