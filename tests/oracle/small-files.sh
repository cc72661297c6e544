#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Small files to what is no volume: the buffer holds their bytes, not their blocks.  So where the
# bytes of all have room, each block is read once, in whatever order the files are put out.  What
# comes is the same with room for all and for little.
. "$(dirname "$0")/../lib.sh"
requires mke2fs debugfs e2fsck tar perl python3

n=3000

# once WHAT ARGUMENTS...: e2bfo, of N files of 100 bytes; a quarter more is for inodes and directory
once() {
	local what=$1 blocks

	shift
	"$E2BFO" "$@" < /dev/null > out 2> said || fail "$what: $(tail -n 5 said)"
	blocks=$(json_number read_blocks)
	[ "$blocks" -ge $n ] && [ "$blocks" -le $((n * 5 / 4)) ] || fail "$what reads $blocks blocks"
	[ "$(json_number read_requests)" -le $((n / 20)) ] || fail "$what: $(json_number read_requests) requests"
}

# ---- how much is read ----

# They lie in the order of their numbers, and are listed in that of hashes.
mkdir many
perl -e 'for (1 .. shift) { open(my $f, ">", "many/$_") or die "$_: $!"; printf $f "%-100d", $_; }' $n
mine=root_owner=$(id -u):$(id -g)
volume many.img 80M -N 3500 -E $mine -d many
e2fsck -fyD many.img > fsck.log 2>&1 || [ $? = 1 ] || fail "e2fsck: $(cat fsck.log)"
once "an archive" copy --json --memory 8M many.img many.tar
once "a directory" copy --json --memory 8M --exclude lost+found many.img copy/
diff -r many copy || fail "the directory is another one"
once "a list of digests" copy --json --memory 8M --manifest-out sha256sum:list many.img again.tar
cmp many.tar again.tar || fail "with digests the archive is another one"
(cd many && sha256sum --quiet -c ../list) || fail "digests are those of other files"
once "a stream" copy --json --memory 8M many.img stream:many.stream
e2bfo 0 copy --exclude lost+found stream:many.stream from-stream/
diff -r many from-stream || fail "what was sent is another one"
rm -rf copy from-stream again.tar many.tar many.stream

# ---- what comes ----

# Sizes about those where something changes, holes in front of the end and behind it, fragments, in
# between; with little memory files are cut anywhere.
python3 - <<'END'
import os, random
random.seed(27)
os.mkdir("odd")
edges = [0, 1, 63, 64, 65, 100, 159, 160, 161, 1023, 1024, 1025, 4032, 4095, 4096, 4097, 61440,
         61441, 65471, 65472, 65473, 65535, 65536, 65537, 69632, 131071, 5 << 20, (5 << 20) + 1]
for turn in range(12):
    for size in edges if turn < 1 else random.sample(edges[:-2], 20):
        with open(f"odd/{turn}-{size}", "wb") as f:
            f.write(random.randbytes(size))
for k in range(40):
    with open(f"odd/hole{k}", "wb") as f:
        end = 0
        for _ in range(random.randrange(1, 4)):
            f.seek(random.randrange(200000))
            f.write(random.randbytes(random.choice((1, 100, 5000, 70000))))
            end = max(end, f.tell())
        f.truncate(end + random.choice((0, 0, 1, 5000, 100000)))
for k in range(1, 60):
    os.symlink("t" * 17 * k, f"odd/link{k}")
END

# alike NAME DIR MKE2FS-ARGUMENTS...
alike() {
	local name=$1 from=$2 memory

	shift 2
	volume "$name.img" 256M "$@" -E $mine -d "$from"
	e2bfo 0 copy --memory 256M "$name.img" "$name.tar"
	for memory in 1M 9M; do
		rm -f list again.tar
		e2bfo 0 copy --memory $memory --manifest-out sha256sum:list "$name.img" again.tar
		cmp "$name.tar" again.tar || fail "$name: other bytes with $memory"
		(cd "$from" && sha256sum --quiet -c "$WORK/list") || fail "$name: other digests with $memory"
	done
	mkdir unpacked
	tar --warning=no-unknown-keyword -xf "$name.tar" -C unpacked --delay-directory-restore
	rmdir unpacked/lost+found
	diff -r --no-dereference "$from" unpacked || fail "$name: the archive holds something else"
	e2bfo 0 copy --memory 1M --exclude lost+found "$name.tar" dir/
	diff -r --no-dereference "$from" dir || fail "$name: archive to directory"
	e2bfo 0 copy --memory 1M dir/ from-dir.tar
	rm -rf unpacked
	mkdir unpacked
	tar --warning=no-unknown-keyword -xf from-dir.tar -C unpacked --delay-directory-restore
	diff -r --no-dereference "$from" unpacked || fail "$name: directory to archive"
	rm -rf unpacked dir again.tar from-dir.tar "$name.img" "$name.tar"
}

alike four odd
alike one odd -b 1024
alike sixtyfour odd -b 65536
alike clusters odd -O bigalloc -C 65536
alike mapped odd -O ^extents,^64bit,^metadata_csum -b 2048
rm odd/hole*		# mke2fs makes other files of these, in inodes
alike inline odd -O inline_data -I 256

# ---- what cannot be read ----

# The block of one file is bad: of all others nothing is lost.
bad=$(ask many.img 'blocks /777')
printf '0x0 ? 1\n0x0 %#x +\n%#x 0x1000 -\n%#x %#x +\n' $((bad * 4096)) $((bad * 4096)) \
	$(((bad + 1) * 4096)) $(((80 << 20) - (bad + 1) * 4096)) > map
e2bfo 1 copy --memory 8M --exclude lost+found --on-read-error zero --mapfile map many.img lost/
grep -q '/777' said out || fail "nobody says what was lost: $(cat said)"
head -c 100 /dev/zero | cmp - lost/777 || fail "what cannot be read is not zeroes"
diff -r many lost -x 777 || fail "other files are lost, too"
