#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Manifests of a directory, judged by the tools that they are for: these pass on the same directory,
# with odd names, and fail on a changed one.  What other programs write about it is read as what we
# write.
# more as root
. "$(dirname "$0")/../lib.sh"
requires sha256sum mtree hashdeep xmllint bsdtar fls fiwalk mactime mke2fs perl
listing=$JUDGES/listing

# Names that some format has its trouble with, each with contents of its own.
mkdir -p tree/sub/deeper tree/empty
i=0
for name in plain ' leading blank' 'trailing blank ' $'tab\tinside' 'back\slash' 'trailing\' \
	'\n' $'nfd u\xcc\x88' $'nfc \xc3\xbc' $'latin \xfc' $'esc \033[31m' $'\x01' $'del \x7f' \
	'com,ma' '"quoted"' "it's" 'per%cent' '%41' '#hash' '-dash' 'a=b' 'pi|pe' '<&>' \
	'sub/same' 'sub/deeper/~tilde' '...' $'c1 \xc2\x85' $'ffff \xef\xbf\xbf' 'a -> b' '(x) = y'
do
	printf '%s' "contents $i" > "tree/$name"
	i=$((i + 1))
done
mkdir 'tree/sub/odd dir #'
echo inside > 'tree/sub/odd dir #/file'
seq 100000 > tree/numbers
truncate -s 3M tree/hole
: > tree/nothing
ln tree/plain tree/sub/linked
ln -s plain tree/link
ln -s $'a b#\\\n\xff' tree/sub/odd-link
mkfifo -m 0640 tree/pipe
! is_root || mknod tree/char c 300 70000
! is_root || mknod tree/block b 7 1
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("tree/socket")'
chmod 4751 tree/numbers
chmod 2710 tree/sub
chmod 1777 tree/empty
! is_root || chown -h 70000:80000 tree/link tree/numbers
touch -h -d '1965-03-04 05:06:07.000000008' tree/hole
touch -h -d '2300-01-01 00:00:00.250000000' tree/nothing
touch -h -d '2001-02-03 04:05:06.7' tree/link

# mtree takes these for patterns, hashdeep cannot have those: they are in a tree of their own.
cp -a tree hard
printf a > hard/$'new\nline'
printf b > hard/$'return\r'
printf c > hard/$'re\rturn'
printf d > 'hard/g*ob[x]?'

# written FORMAT TREE [LEFT OUT]: TREE.FORMAT
written() {
	"$listing" write "$1:$2.$1" "$2" 2> said || fail "$1: $(cat said)"
	[ "$(cat said)" = "${3:+left out: $3}" ] || fail "$1 of $2: $(cat said)"
}

# verify FORMAT TREE: by the tool it is for
verify() {
	case $1 in
	mtree)		(cd "$2" && mtree -f "../$2.mtree" -p .) ;;
	sha256sum)	(cd "$2" && sha256sum --strict --quiet -c "../$2.sha256sum") ;;
	hashdeep)	(cd "$2" && hashdeep -r -l -o f -a -v -k "../$2.hashdeep" .) ;;
	esac
}

passes() {
	verify "$@" > out 2>&1 || fail "$1 does not accept $2: $(head -20 out)"
}

fails() {
	if verify "$1" "$2" > out 2>&1; then
		fail "$1 accepts $2 $3"
	fi
}

for format in mtree sha256sum hashdeep; do
	written $format tree
	passes $format tree
done
grep -q 'extra\|missing' out && fail "mtree: $(cat out)"
written mtree hard
passes mtree hard
written sha256sum hard
passes sha256sum hard
written hashdeep hard 2
rm hard/$'new\nline' hard/$'return\r'
passes hashdeep hard

# changed WHAT FORMAT...: these see it, in a copy of the tree, whose own lists are gone again
changed() {
	local what=$1 format

	shift
	for format; do
		cp tree.$format changed.$format
		fails $format changed "$what"
	done
	rm -r changed
	cp -a tree changed
}

cp -a tree changed
printf 'contents O' > changed/plain
touch -r tree/plain changed/plain
changed 'with other bytes' mtree sha256sum hashdeep
printf x >> changed/$'latin \xfc'
changed 'with a longer file' mtree sha256sum hashdeep
rm changed/sub/same
changed 'without a file' mtree sha256sum hashdeep
mv 'changed/back\slash' changed/backslash
changed 'with a moved file' sha256sum hashdeep
chmod 755 changed/numbers
changed 'with another mode' mtree
if is_root; then
	chown 1 changed/numbers
	changed 'with another owner' mtree
fi
touch -d '1965-03-04 05:06:07.000001008' changed/hole
changed 'a microsecond later' mtree
ln -sfn $'a b#\\\n\xfe' changed/sub/odd-link
changed 'with another link' mtree
if is_root; then
	rm changed/char
	mknod changed/char c 300 70001
	touch -r tree/char changed/char
	changed 'with another device' mtree
fi
rm -r changed/empty
changed 'without a directory' mtree

# The trailer is of the lines above it, and the reader sees what was changed in them.
for format in mtree sha256sum hashdeep; do
	sum=$(sed '$d' tree.$format | sha256sum | cut -c 1-64)
	[ "$(tail -n 1 tree.$format)" = "# sha256 of the lines above: $sum" ] || fail "$format: no trailer"
	"$listing" read $format:tree.$format > said || fail "$format: cannot be read"
	[[ "$(tail -n 1 said)" == *' entries, sealed' ]] || fail "$format: $(tail -n 1 said)"
	sed 's/nothing/Nothing/' tree.$format > edited
	if "$listing" read $format:edited > out 2> said; then
		fail "$format: an edited line is taken"
	fi
	says "damage was found while reading line $(wc -l < edited) of edited: the lines above it were changed"
done

# DFXML is XML, and says the same as mtree; names that XML cannot hold come through.
written dfxml tree
written dfxml hard
xmllint --noout tree.dfxml hard.dfxml || fail "not XML"
written mtree hard
for tree in tree hard; do
	for format in mtree dfxml; do
		"$listing" read $format:$tree.$format | sed '$d' > $tree.$format.read
	done
	same $tree.mtree.read $tree.dfxml.read
	[ "$(wc -l < $tree.mtree.read)" = "$(find $tree -print0 | tr -dc '\0' | wc -c)" ] ||
		fail "$tree: not all names"
done
[ "$(xmllint --xpath "count(//*[local-name() = 'fileobject']/*[local-name() = 'hashdigest'])" \
	tree.dfxml)" = $((2 * $(find tree -type f -print0 | tr -dc '\0' | wc -c))) ] ||
	fail "DFXML: not all digests"

# digests FORMAT FILE...: what is read of it, names and digests
digests() {
	"$listing" read "$1:$2" > read || fail "$2: cannot be read"
	sed -n 's/^\(.*\) sha256=/\1 /p' read | sed 's/ \(type\|size\|md5\)=.* / /' | sort
}

# The same names and digests from all of ours, and from what other programs write.
digests mtree tree.mtree > all
for format in sha256sum hashdeep dfxml; do
	digests $format tree.$format > some
	same all some
done
(cd tree && find . -type f -print0 | xargs -0 sha256sum) > by-sha256sum
(cd tree && find . -type f -print0 | xargs -0 sha256sum --tag) > by-tag
(cd tree && find . -type f -print0 | xargs -0 sha256sum -b) > by-binary
(cd tree && hashdeep -r -l -o f -c md5,sha1,sha256 .) > by-hashdeep
for by in by-sha256sum by-tag by-binary; do
	digests sha256sum $by > some
	same all some
done
digests hashdeep by-hashdeep > some
same all some
(cd tree && find . -type f -print0 | xargs -0 md5sum) > by-md5sum
"$listing" read sha256sum:by-md5sum | sed '$d' | sort > some
sed -n 's/^\(.*\) type=.* \(md5=[0-9a-f]*\) .*/\1 \2/p' tree.mtree.read | sort > all-md5
same all-md5 some

# attributes FILE: of what is read, all that bsdtar and mtree have, too
attributes() {
	"$listing" read "mtree:$1" > read || fail "$1: cannot be read"
	sed '$d' read | sed 's/ md5=[0-9a-f]*//; /type=4/s/ nlink=[0-9]*//' | sort
}

attributes tree.mtree > all
bsdtar -cf by-bsdtar --format=mtree --options='mtree:all' -C tree .
attributes by-bsdtar > some
sed 's/ nlink=1 / /' all > all-but-one
same all-but-one some
(cd tree && mtree -c -k type,mode,uid,gid,nlink,size,time,link,device,sha256) > by-mtree
attributes by-mtree > some
same all some

# bodyfile: what fls(1) says of an image that was made of the tree, but for numbers of inodes and
# times that making it has changed; mactime(1) knows all names.
rm tree/hole tree/nothing
written bodyfile tree
grep -q '^0|/\$Superblock (made)|0|V/V---------|0|0|0|1000000000|1000000000|1000000000|1000000000$' \
	tree.bodyfile || fail "no time of the volume"
quietly mke2fs -q -F -t ext4 -d tree image 64M
fls -r -m / image > by-fls
# lines FILE: name, mode, owner, group, size, modification
lines() {
	grep -va '|V/V\|lost+found' "$1" | awk -F '|' -v OFS='|' '{
		if ($4 ~ /^d/) $7 = 0
		print $2, $4, $5, $6, $7, $9 }' | sort
}
lines by-fls > fls
sed 's/pi|pe/pi%7Cpe/; s/per%cent/per%25cent/; s/%41/%2541/' by-fls > by-fls-decoded
lines by-fls-decoded > fls
lines tree.bodyfile | grep -va '^/|' > ours
same fls ours
mactime -b tree.bodyfile -z UTC -d > timeline
for name in '/per%cent' '/%41' '/pi|pe' '/link -> plain' '/tab^inside' '/$Superblock (made)'; do
	grep -qaF "\"$name\"" timeline || fail "mactime: no $name"
done

# What fiwalk(1) says of it.  (It writes targets of links as they stand, also where that is no XML.)
rm tree/sub/odd-link
rm image
quietly mke2fs -q -F -t ext4 -d tree image 64M
fiwalk -x image > by-fiwalk 2> /dev/null
"$listing" read dfxml:by-fiwalk > read || fail "fiwalk: cannot be read"
sed '$d' read | grep -va '^/lost+found' | sed 's/ sec=.* md5/ md5/; s/ sec=.*//; s/ uid=.*nlink=[0-9]*//' |
	sort > some
"$listing" write mtree:image.mtree tree
"$listing" read mtree:image.mtree | sed '$d' |
	sed 's/ sha256=.*//; s/ sec=.* md5/ md5/; s/ sec=.*//; s/ uid=.*nlink=[0-9]*//; /type=4/s/ uid=.*//' |
	sort > ours
same ours some
