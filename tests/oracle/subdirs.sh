#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 66,000 subdirectories in one directory: its link count is 1, as the kernel leaves it; every
# name is found; a directory can still be made and removed there. A target without dir_nlink takes
# as many as it can count, also beside its own.  The same of directories and archives.
# long
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs losetup tar perl

"$IMAGES/subdirs" source.img 66000
manifests source.img source
grep -q '^/many .* nlink=1 ' source.kernel || fail "the source has no overflown link count"

volume target.img 500M -N 80000
e2bfo 0 copy source.img target.img
checked target.img
manifests target.img target
same_trees source target
ordered target.img

mounted target.img mnt rw
[ "$("$JUDGES/lookup" mnt/many 1000)" = 66002 ] || fail "lookup"
mkdir mnt/many/one-more
rmdir mnt/many/directory-{1..50}
unmounted mnt
checked target.img

# ---- from a directory, and out of a pipe ----
mounted source.img tree
ls tree/many > expected
e2bfo 0 copy --mkfs --size min+8M tree made-dir.img
e2bfo 0 verify tree made-dir.img
tar -C tree --exclude=./lost+found -cf tree.tar .
unmounted tree
fed tree.tar
e2bfo 0 copy --mkfs --size 600M --inodes 67000 - made-pipe.img
rm tree.tar
for ending in dir pipe; do
	mounted made-$ending.img mnt rw
	ls mnt/many > actual
	same expected actual
	[ "$(stat -c %h mnt/many)" = 1 ] || fail "$ending: $(stat -c %h mnt/many) links"
	mkdir mnt/many/one-more
	rmdir mnt/many/one-more mnt/many/directory-{1..40}
	unmounted mnt
	checked made-$ending.img
	ask made-$ending.img "stat /many" | grep -q 'Flags: 0x81000' || fail "$ending: no index"
	rm made-$ending.img
done

# ---- without dir_nlink: the last in the order of readdir are lost, with all below them ----
mounted source.img mnt rw
echo here > mnt/here
perl -e 'for (1 .. 66000) { mkdir("mnt/many/directory-$_/below") if $_ % 1000 == 0;
	link("mnt/here", "mnt/many/directory-$_/there") if $_ % 10 == 0; }'
unmounted mnt
checked source.img

# counted LOST: target.img is sound, LOST directories are lost, each once, and
# the others are there; the file counts the links that are left.
counted() {
	local lost=$1 links

	checked target.img
	[ "$(grep -o '"kind": "links"' out | wc -l)" = "$lost" ] || fail "not $lost lost"
	[ "$(grep -o '"kind": "[a-z]*"' out | sort -u)" = '"kind": "links"' ] || fail "other losses"
	perl -ne 'print "$_\n" for m{"path": "/many/(directory-\d+)"}g' out | sort > lost
	mounted target.img mnt
	[ "$(stat -c %h mnt/many)" = 65000 ] || fail "$(stat -c %h mnt/many) links"
	ls mnt/many | grep '^directory' | sort - lost > actual
	seq -f 'directory-%.0f' 66000 | sort > expected
	links=$(find mnt/many -name there | wc -l)
	[ "$(stat -c %h mnt/here)" = $((links + 1)) ] || fail "not $links links and one"
	unmounted mnt
	same expected actual
}
volume target.img 500M -N 80000 -O ^dir_nlink
before=$(digest target.img)
e2bfo 8 copy source.img target.img
says 'allow-loss=links' '/many/directory-[0-9]+'
unchanged target.img "$before" refused
e2bfo 1 copy --json --allow-loss=links source.img target.img
counted 1002
e2bfo 1 verify --json --ignore nlink source.img target.img
[ "$(grep -o '"kind": "missing"' out | wc -l)" = 1002 ] &&
	[ "$(grep -o '"kind": "[a-z]*"' out | wc -l)" = 1002 ] || fail "other differences"

volume target.img 500M -N 80000 -O ^dir_nlink
mounted target.img mnt rw
mkdir -p mnt/many/own-{1..50}
unmounted mnt
e2fsck -fy target.img > /dev/null || fail e2fsck
e2bfo 1 copy --json --allow-loss=links source.img target.img
counted 1052
