#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Copying into a filesystem that holds files: what was there stays as it was, byte for byte and
# attribute for attribute; directories that gain names only look as after link(2); new names
# are as in the source; lost+found merges; a name that exists is refused before any write.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr getfattr chattr losetup perl

# tree DIR WHO: what the two sides have in common are directories, no file
tree() {
	local who=$2

	cd "$1"
	mkdir -p home/user srv/data "home/only-$who/sub" lost+found
	echo "$who" > "home/user/file-of-$who"
	echo "$who" > "lost+found/#$who"
	perl -e 'for (1 .. 3000) { open(my $f, ">", "srv/data/$ARGV[0]-$_") or die; print $f $_; }' \
		"$who"
	rm srv/data/"$who"-1[0-9]?0
	ln srv/data/"$who"-7 "home/user/link-of-$who"
	head -c 3000000 /dev/urandom > "home/only-$who/sub/blob"
	setfattr -n user.shared -v "$(printf "$who%.0s" {1..200})" srv/data/"$who"-2??
	ln -s "$who" "home/only-$who/symlink"
	mknod "home/only-$who/null" c 1 3
	touch -d 1999-09-09T09:09:09.090909090Z home/user "home/only-$who/sub" srv/data
	chattr +d "home/only-$who/sub"
	cd ..
}

volume source.img 200M
mounted source.img mnt rw,noatime
tree mnt new
mkdir mnt/opt
echo opt > mnt/opt/file
chmod 0711 mnt
chown 5:6 mnt
setfattr -n user.root -v of-source mnt
unmounted mnt
manifests source.img source

volume target.img 300M
mounted target.img mnt rw,noatime
tree mnt old
chmod 0700 mnt/home
chown 7:8 mnt/lost+found
perl -e 'for (1 .. 2000) { open(my $f, ">", "mnt/ballast-$_") or die; print $f $_ x 5000; }'
rm mnt/ballast-*[13579]	# free space in pieces
unmounted mnt
e2fsck -fy target.img > /dev/null || fail "e2fsck of the target"
cp --sparse=always target.img old.img
manifests old.img old

# without MANIFEST PATTERN [KEY...]: lines whose path matches lose these fields
without() {
	local manifest=$1 paths=$2 key

	shift 2
	for key; do
		sed -i -E "\\,^($paths) ,s/ $key=[^ ]*//" "$manifest"
	done
}

# old_stays GAINED [BUT]: old paths have their old lines, but for times and counts of those
# directories (an extended expression) that gained names, and all of those that match BUT.
old_stays() {
	local judge file

	checked target.img
	manifests target.img target
	for judge in kernel disk; do
		awk 'NR == FNR { old[$1]; next } $1 in old' old.$judge target.$judge > old-after.$judge
		cp old.$judge old-before.$judge
		for file in old-after.$judge old-before.$judge; do
			without $file "$1" mtime ctime nlink links version version_hi \
				mtime_extra ctime_extra
			[ $# = 1 ] || sed -i -E "\\,^($2) ,d" $file
		done
	done
	same_trees old-before old-after
}

# new_arrived PREFIX: all other paths are those of the source, with their lines.
new_arrived() {
	local judge

	for judge in kernel disk; do
		awk 'NR == FNR { old[$1]; next } !($1 in old)' old.$judge target.$judge > new.$judge
		awk 'NR == FNR { old[$1]; next } !($1 in old)' old.$judge source.$judge |
			grep -E "^($1)[/ ]" > expected.$judge
	done
	same_trees expected new
}

# field LINE-PATH MANIFEST KEY
field() {
	sed -n "s,^$1 .* $3=\\([^ ]*\\).*,\\1,p" "$2"
}

# Two directories of the source; /srv gains nothing itself, nor does the root.
begun=$(($(date +%s) - 1))		# time(2) lags behind by up to a tick
e2bfo 0 copy --from /home --from /srv source.img target.img
old_stays '/home|/home/user|/srv/data'
new_arrived '/home|/srv'
for dir in /home /home/user /srv/data; do
	time=$(field $dir target.kernel mtime)
	[ "${time%.*}" -ge "$begun" ] || fail "$dir has gained names, and its mtime is $time"
	[ "$time" = "$(field $dir target.kernel ctime)" ] || fail "$dir: mtime is not ctime"
	[ $((0x$(field $dir target.disk version))) -gt $((0x$(field $dir old.disk version))) ] ||
		fail "$dir has gained names, and its i_version is not higher"
done
[ "$(field /srv/data target.kernel crtime)" = "$(field /srv/data old.kernel crtime)" ] ||
	fail "a merged directory was born again"
mounted target.img mnt
names=$(($(grep -c '^/srv/data/' source.kernel) + $(grep -c '^/srv/data/' old.kernel) + 2))
[ "$("$JUDGES/lookup" mnt/srv/data 1000)" = $names ] || fail "lookup in a merged directory"
ls mnt/lost+found > names
[ "$(cat names)" = '#old' ] || fail "lost+found: $(cat names)"
unmounted mnt

# A second copy into the same target, into directories that are not there yet.
e2bfo 0 copy --from /opt --from /home/user/file-of-new --to /made/on/the/way source.img target.img
old_stays '/|/home|/home/user|/srv/data'
mounted target.img mnt
[ "$(cat mnt/made/on/the/way/opt/file mnt/made/on/the/way/file-of-new)" = $'opt\nnew' ] ||
	fail "--to"
unmounted mnt

# Everything, / to /: the root takes the attributes of the source's, lost+found merges.
cp --sparse=always old.img target.img
e2bfo 0 copy source.img target.img
old_stays '/home|/home/user|/srv/data' /
new_arrived '.*'
for key in mode uid gid xattr:user.root; do
	[ "$(field / target.kernel $key)" = "$(field / source.kernel $key)" ] || fail "root: $key"
done
mounted target.img mnt
ls mnt/lost+found > names
[ "$(cat names)" = $'#new\n#old' ] || fail "lost+found: $(cat names)"
[ "$(stat -c %u:%g:%i mnt/lost+found)" = 7:8:11 ] || fail "lost+found is not the target's"
unmounted mnt
mounted target.img mnt rw,errors=remount-ro
perl -e 'for (1 .. 3000) { open(my $f, ">", "mnt/srv/data/later-$_") or die; }'
rm mnt/srv/data/old-*
rm -r mnt/home/only-new mnt/home/only-old
unmounted mnt
checked target.img

# Names that exist: all are listed, nothing is written.
mounted source.img mnt rw
echo clash > mnt/home/user/file-of-old
echo clash > mnt/srv/data/old-5
echo clash > mnt/home/only-old
mkdir mnt/ballast-2 mnt/srv/elsewhere mnt/opt/elsewhere
echo 1 > mnt/srv/elsewhere/twice
echo 2 > mnt/opt/elsewhere/twice
unmounted mnt
cp --sparse=always old.img target.img
before=$(digest target.img)
e2bfo 8 copy source.img target.img
for name in /home/user/file-of-old /srv/data/old-5 /home/only-old /ballast-2; do
	says "$name( |$|[^a-z0-9-])"
done
unchanged target.img "$before" "a clash"
e2bfo 8 copy --from /srv/elsewhere/twice --from /opt/elsewhere/twice source.img target.img
says twice
unchanged target.img "$before" "a clash between two --from"
e2bfo 8 copy --from /opt --to /home/user/file-of-old source.img target.img
says /home/user/file-of-old
unchanged target.img "$before" "--to a file"
e2bfo 8 copy --from /opt --from /no/such/path source.img target.img
says /no/such/path
unchanged target.img "$before" "--from a missing path"

# ---- a directory whose attribute has an inode of its own goes on paying for it ----
volume source.img 32M
mounted source.img mnt rw
mkdir mnt/dir
touch mnt/dir/new-{1..600}
unmounted mnt
for options in '-O ea_inode' '-O ea_inode,bigalloc -C 16384'; do
	volume target.img 64M $options
	mounted target.img mnt rw
	mkdir mnt/dir
	setfattr -n user.large -v "$(printf 'large%.0s' {1..4000})" mnt/dir
	touch mnt/dir/old-{1..600}
	unmounted mnt
	e2fsck -fy target.img > /dev/null || :
	checked target.img
	e2bfo 0 copy source.img target.img
	checked target.img
	mounted target.img mnt rw
	[ "$(getfattr --only-values -n user.large mnt/dir | wc -c)" = 20000 ] ||
		fail "$options: the attribute"
	setfattr -x user.large mnt/dir
	unmounted mnt
	checked target.img
done

# ---- directories of the target that stand in their inodes get blocks ----
volume target.img 64M -O inline_data
mounted target.img mnt rw
mkdir -p mnt/dir mnt/other
touch mnt/dir/a mnt/other/b
setfattr -n user.kept -v kept mnt/dir
unmounted mnt
e2fsck -fy target.img > /dev/null || :
checked target.img
e2bfo 0 copy source.img target.img
checked target.img
e2fsck -fy target.img > /dev/null || fail "e2fsck"
e2bfo 0 copy --from /dir --to /other source.img target.img
checked target.img
mounted target.img mnt rw
[ "$(ls mnt/dir | wc -l)" = 601 ] && [ -e mnt/other/b ] && [ -e mnt/other/dir/new-600 ] ||
	fail "names are missing"
[ "$(getfattr --only-values -n user.kept mnt/dir)" = kept ] || fail "the attribute is gone"
rm mnt/other/b
unmounted mnt
checked target.img
