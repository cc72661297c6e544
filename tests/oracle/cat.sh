#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo cat against what the kernel reads: all files of all kinds of filesystems, one by one and
# with --batch, whose order debugfs knows; parts of files; files by inode number.  What is no file,
# is not there or cannot be read is named, and the others come.  Nothing is written.
# more as root
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs losetup perl python3

# said_by_batch DIR LIST: "batch" has each path of LIST (NUL) once, with what the file below DIR
# has; "inodes" becomes their numbers, in the order in which they came
said_by_batch() {
	python3 - "$1" "$2" <<-'END' || fail "--batch of $1"
		import os, sys
		wanted = open(sys.argv[2], "rb").read().split(b"\0")[:-1]
		came, inodes = [], []
		with open("batch", "rb") as f:
		    text = f.read()
		at = 0
		while at < len(text):
		    end = text.index(b"\0", at)
		    ino, size, path = text[at:end].split(b" ", 2)
		    size = int(size)
		    content = text[end + 1:end + 1 + size]
		    assert text[end + 1 + size:end + 2 + size] == b"\n", path
		    at = end + 2 + size
		    real = os.fsencode(sys.argv[1]) + path
		    assert content == open(real, "rb").read(), path
		    assert os.geteuid() or int(ino) == os.stat(real).st_ino, path
		    came.append(path)
		    inodes.append(ino.decode())
		assert sorted(came) == sorted(wanted), "other paths"
		with open("inodes", "w") as f:
		    f.write("\n".join(inodes) + "\n")
	END
}

# whole IMAGE: all its files, but those of terabytes, with --batch
whole() {
	viewed "$1" mnt
	(cd mnt && find . -xdev -type f -size -100M -printf '/%P\0') > list
	[ "$(tr -cd '\0' < list | wc -c)" -gt 20 ] || fail "$1: hardly any files"
	e2bfo 0 cat --batch -0 --from0 --files-from list "$1"
	mv out batch
	said_by_batch mnt list
	# little memory, another order of requests, the same content
	e2bfo 0 cat --batch -0 --memory 1M --from0 --files-from list "$1"
	cmp batch out || fail "$1: other bytes with little memory"
	unviewed mnt
}

# ascending IMAGE: the last batch came so, by the first block that debugfs shows; files without
# blocks come first.
ascending() {
	sed 's/.*/bmap <&> 0/' inodes | debugfs -f - "$1" 2> /dev/null | grep -v '^debugfs' > blocks
	[ "$(wc -l < blocks)" = "$(wc -l < inodes)" ] || fail "debugfs has told $(wc -l < blocks) blocks"
	grep -vE '^0$|uninit' blocks > ascending || :
	[ "$(wc -l < ascending)" -gt 100 ] || fail "hardly any files have blocks"
	sort -n -c ascending || fail "--batch is not in the order of the device"
}

"$IMAGES/oddities" source.img
before=$(digest source.img)
if is_root; then
	whole source.img
	ascending source.img
fi

mkdir tree
# (Sources alone: of a build in place there are objects beside them.)
(cd "$SRCDIR" && find lib -name '*.[ch]' -print0 | tar --null -T - -c) | tar -xC tree
cp "$SRCDIR/tests/lib.sh" tree/
perl -e 'open(my $f, ">", "tree/sparse"); for (1 .. 40) { seek($f, $_ * 40000, 0); print $f "line $_\n" x 700; }
	open($f, ">", "tree/tiny"); print $f "tiny";'
: > tree/empty
volume small.img 40M -b 1024 -O none -d tree
volume clusters.img 40M -O bigalloc -C 16384 -d tree
volume inline.img 40M -I 512 -O inline_data -d tree
for image in small clusters; do
	whole $image.img
	ascending $image.img
done
if is_root; then
	whole inline.img
fi

# ---- as they are named ----

e2bfo 0 cat inline.img /lib.sh /tiny /sparse /empty /tiny
cat tree/{lib.sh,tiny,sparse,empty,tiny} > expected
same expected out
e2bfo 0 cat --inode "$(inode_of inline.img /sparse)" inline.img lib.sh/ //./tiny
cat tree/{lib.sh,tiny,sparse} > expected
same expected out
# (The journal.)
e2bfo 0 cat --inode 8 inline.img
debugfs -R 'cat <8>' inline.img 2> /dev/null | cmp - out || fail "inode 8 is another"
printf '/tiny\n/empty\n' > list
e2bfo 0 cat --batch --files-from list --inode "$(inode_of small.img /tiny)" small.img
printf '%s 0 /empty\n\n%s 4 /tiny\ntiny\n%s 4 <%s>\ntiny\n' "$(inode_of small.img /empty)" \
	"$(inode_of small.img /tiny)"{,,} > expected
same expected out

# Two names whose CRC-32C is the same, looked for where others were before.
mkdir twins
echo one > twins/ccaoacux
echo other > twins/wcjifoae
volume twins.img 8M -d twins
e2bfo 0 cat twins.img /ccaoacux /wcjifoae /ccaoacux /wcjifoae
printf 'one\nother\none\nother\n' > expected
same expected out
: > none
e2bfo 0 cat --files-from none small.img
[ ! -s out ] || fail "an empty list lists something"

# ---- parts ----

for image in small clusters inline; do
	for range in 0:0 0:1 3 3:100 1023:2 1024:1024 39999:2 40000:5600 1000000:3M 2K:1K 1T; do
		from=${range%:*} length=${range#*:}
		[ "$length" != "$range" ] || length=1T
		from=$(numfmt --from=iec $from) length=$(numfmt --from=iec $length)
		e2bfo 0 cat --range $range --memory 1M $image.img /sparse /tiny /lib.sh
		for file in sparse tiny lib.sh; do
			perl -e 'my ($path, $from, $len) = @ARGV; open(my $f, "<", $path) or die;
				local $/; my $all = <$f>;
				print substr($all, $from, $len) if $from < length($all)' \
				tree/$file $from $length
		done > expected
		same expected out
	done
done

# ---- what cannot be written ----

volume odd.img 40M -O encrypt -d tree
debug odd.img 'symlink link tiny' 'mknod pipe p'
sealed=
if is_root; then
	mounted odd.img mnt rw
	key=$("$SRCDIR/tests/oracle/fscrypt" add mnt)
	mkdir mnt/vault
	"$SRCDIR/tests/oracle/fscrypt" policy mnt/vault "$key"
	echo treasure > mnt/vault/file
	sealed=$(stat -c %i mnt/vault/file)
	unmounted mnt
fi
for path in /nowhere /lib /lib.sh/file /link /pipe /../lib.sh; do
	e2bfo 8 cat odd.img "$path" /lib.sh
	same tree/lib.sh out
	says "^e2bfo: .*${path#/..}"
done
for ino in $sealed 40000 "$(($(inode_of odd.img /sparse) + 500))" 4000000000; do
	e2bfo 8 cat --inode "$ino" odd.img /lib.sh
	same tree/lib.sh out
	says "inode $ino "
done
debug odd.img 'sif lib.sh mode 0120644' 'ssv last_orphan 0'
e2bfo 8 cat odd.img /lib.sh /empty
[ ! -s out ] || fail "something came"
for wrong in "" "--inode 0 odd.img" "--inode x odd.img" "odd.img" "--range x odd.img /a" \
	"--range 1: odd.img /a" "-0 odd.img /a" "--from0 odd.img /a" "odd.img ''"; do
	eval "e2bfo 16 cat $wrong"
done
e2bfo 8 cat nowhere.img /a
# A target that is full is no success.
for file in /sparse /tiny; do
	status=0
	"$E2BFO" cat small.img $file > /dev/full 2> said || status=$?
	[ $status = 8 ] || fail "status $status where nothing can be written"
	says 'No space left on device'
	[ "$(wc -l < said)" = 1 ] || fail "it is told twice"
done

# ---- blocks that cannot be read ----

cp small.img bad.img
bad=$(ask bad.img 'bmap /sparse 40' | tail -n 1)
printf '# Mapfile\n0x0 + 1\n0x0 %#x +\n%#x 0x400 -\n%#x 0x10000000 +\n' $((bad * 1024)) $((bad * 1024)) \
	$((bad * 1024 + 1024)) > map
e2bfo 8 cat --mapfile map bad.img /tiny /sparse
e2bfo 1 cat --mapfile map --on-read-error zero bad.img /tiny /sparse /lib.sh
says '^e2bfo: /sparse: 1024 bytes cannot be read, and are zeroes'
cp tree/sparse expected
dd if=/dev/zero of=expected bs=1024 seek=40 count=1 conv=notrunc status=none
cat tree/tiny expected tree/lib.sh | cmp - out || fail "not zeroes, or not there alone"
e2bfo 0 cat --mapfile map --range 0:40K bad.img /sparse
head -c 40K tree/sparse | cmp - out || fail "another part"

# A block of the map: what it tells of is zeroes, and counts.
perl -e 'print "$_\n" x 100 for 1 .. 2000' > tree/mapped
volume map.img 20M -b 1024 -O none -d tree
double=$(ask map.img 'stat /mapped' | sed -n 's/.*(DIND):\([0-9]*\).*/\1/p')
printf '# Mapfile\n0x0 + 1\n0x0 %#x +\n%#x 0x400 -\n%#x 0x10000000 +\n' $((double * 1024)) \
	$((double * 1024)) $((double * 1024 + 1024)) > map
size=$(stat -c %s tree/mapped)
for how in zero skip; do
	e2bfo 1 cat --mapfile map --on-read-error $how map.img /mapped /tiny
	says "^e2bfo: /mapped: $((size - 268 * 1024)) bytes cannot be read, and are zeroes"
	head -c 268K tree/mapped > expected
	truncate -s "$size" expected
	cat tree/tiny >> expected
	same expected out
	e2bfo 1 cat --mapfile map --on-read-error $how --range 300K:1000 map.img /mapped
	says "^e2bfo: /mapped: 1000 bytes cannot be read, and are zeroes"
	e2bfo 0 cat --mapfile map --on-read-error $how --range 200K:1000 map.img /mapped
done
e2bfo 8 cat --mapfile map map.img /mapped

unchanged source.img "$before" cat
