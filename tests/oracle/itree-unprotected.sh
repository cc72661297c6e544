#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A container that programs do not believe, as others than root could write to it: e2itree -n and -l
# say why, -p makes another one, so does copy --itree, -w does where only root could write to it;
# programs read by that.
# requires root
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck e2undo debugfs tune2fs losetup lsattr chattr perl jq

RUN=$BUILDDIR/e2itree/readdir/e2itree-run
export E2ITREE_READDIR_LIBRARY=$BUILDDIR/e2itree/readdir/libe2itree-readdir.so
shim=$BUILDDIR/tests/fault/shim.so

# made IMAGE SIZE MKE2FS-ARGUMENTS...: two directories and the root have indexes, all old
made() {
	local image=$1

	shift
	volume "$image" "$@" -d tree
	quietly e2fsck -fyD "$image" || :
	debug "$image" "sif /one ctime 20200101000000" "sif /two ctime 20200101000000"
	[ "$image" != quotas ] || quietly tune2fs -O project,quota -Q usrquota,grpquota "$image"
	e2itree 1 -p -q "$image"
	checked "$image"
}

mkdir -p tree/one tree/two
perl -e 'chdir("tree");
	for my $d (qw(one two .)) {
		for (1 .. 100) { open(my $f, ">", "$d/a-name-in-a-directory-$_") or die; }
	}'

# problems: what the last run with --json has told
problems() {
	jq -r '.problems | map(.problem) | join(" ")' out
}

# is_ours IMAGE: another file than INO, protected, alone
is_ours() {
	ask "$1" "stat /.e2itree" > stat
	grep -Eq "Type: regular +Mode: +0600 +Flags: 0x[0-9a-f]*[13579bdf][0-9a-f]$" stat &&
		grep -Eq '^User: +0 +Group: +0 ' stat && grep -q '^Links: 1 ' stat ||
		fail "not protected: $(head -4 stat)"
	[ "$(inode_of "$1" /.e2itree)" != "$2" ] || fail "the same inode"
}

# seen WHY TREES COMMAND...: after these of debugfs(8), -n says WHY; TREES are taken over by -p
seen() {
	local why=$1 kept=$2 before ino

	shift 2
	cp --sparse=always "$base" image
	debug image "$@"
	ino=$(inode_of image /.e2itree)
	ask image "dump /.e2itree indexes"
	before=$(digest image)
	e2itree 4 -n image
	grep -qF "Programs do not believe the file of indexes, /.e2itree: $why.  Make another one? no" out ||
		fail "$why: $(cat out)"
	e2itree 4 -n --json image
	[[ " $(problems) " = *" unprotected "* ]] || fail "$why: $(cat out)"
	e2itree 0 -l image
	grep -qxF "image: /.e2itree is unprotected, and not believed by programs: $why" out ||
		fail "-l, $why: $(cat out)"
	grep -q ' fresh .* /two$' out || fail "-l, $why: $(cat out)"
	e2itree 0 -l --json image
	[ "$(jq -r .unprotected out)" = "$why" ] || fail "-l --json, $why: $(cat out)"
	unchanged image "$before" "$why"
	cp --sparse=always image undone
	e2itree 1 -p --json image
	jq -e --argjson kept "$kept" '.kept == $kept and .kept + .built == 3 and .dropped == 0 and
		all(.problems[]; .fixed)' out > /dev/null || fail "$why: $(cat out)"
	checked image
	is_ours image "$ino"
	e2itree 0 -n image
	for dir in / /one /two; do
		"$SRCDIR/tests/oracle/itreenames" disk image > names
	done
	"$SRCDIR/tests/oracle/itreenames" compare image names ||
		fail "$why: trees are not what directories are"
}

# ---- each reason, and all of them ----

made base 16M -b 1024 -N 1000 -J size=1
base=base
seen "owner 12345" 0 "sif /.e2itree uid 12345"
seen "owner 65536" 0 "sif /.e2itree uid 65536"
seen "mode 0644" 2 "sif /.e2itree mode 0100644"
seen "mode 4600" 2 "sif /.e2itree mode 0104600"
seen "mode 0620" 0 "sif /.e2itree mode 0100620"
seen "not immutable" 2 "sif /.e2itree flags 0x80000"
named=("ln /.e2itree /one/second" "sif /.e2itree links_count 2")
seen "2 names" 1 "${named[@]}"
ask image "dump /one/second second"
cmp indexes second || fail "what has the second name is another file"
seen "owner 7, mode 0666, not immutable, 2 names" 0 "${named[@]}" "sif /.e2itree uid 7" \
	"sif /.e2itree mode 0100666" "sif /.e2itree flags 0x80000"
cp --sparse=always base image
debug image "sif /.e2itree gid 5"
e2itree 0 -n image
e2itree 0 -l image
! grep unprotected out || fail "group 5: $(cat out)"
e2itree 0 -l --json image
[ "$(jq -r .unprotected out)" = null ] || fail "-l --json, group 5: $(cat out)"

# undone
rm -f undo
cp --sparse=always undone image
e2itree 1 -p -z undo image
e2undo undo image > undo.log 2>&1 || fail "$(cat undo.log)"
e2itree 4 -n image
grep -q 'owner 7, mode 0666, not immutable, 2 names' out || fail "not undone: $(cat out)"
checked image

# damaged as well
cp --sparse=always base image
debug image "sif /.e2itree uid 12345"
"$SRCDIR/tests/oracle/itreeforge" set image 1024 header 8 4 2
e2itree 1 -p --json image
[ "$(problems)" = "container-damaged unprotected no-tree no-tree no-tree" ] || fail "$(cat out)"
is_ours image 0
checked image
e2itree 0 -n image

# attributes, whose block goes with it
cp --sparse=always base image
perl -e 'print "v" x 500' > value
debug image "ea_set -f value /.e2itree user.large" "sif /.e2itree uid 12345"
e2itree 1 -p image
checked image

# where the root directory may not change
cp --sparse=always base image
debug image "sif / flags 0x81010" "sif /.e2itree uid 12345"
before=$(digest image)
e2itree 8 -p image
says 'File is immutable while replacing /.e2itree: the root directory; clear its flag i before'
unchanged image "$before" "an immutable root"

# ---- other filesystems ----

base=other
made other 16M -b 1024 -I 128 -N 1000 -O ^has_journal,^extent,^metadata_csum,^64bit
seen "owner 12345" 0 "sif /.e2itree uid 12345"
made other 32M -b 1024 -N 1000 -O bigalloc -C 16384 -J size=4
seen "not immutable, 2 names" 1 "${named[@]}" "sif /.e2itree flags 0x80000"
base=quotas
made quotas 16M -b 1024 -N 1000 -J size=1
cp --sparse=always quotas other
debug other "sif /.e2itree uid 12345"
repaired other
base=other
seen "owner 12345" 0 "sif /.e2itree mode 0100600"

# ---- a copy into it ----

# copied WHY STATES REPLACED OPTION COMMAND...: after these of debugfs(8), a copy leaves the
# container unprotected; with --itree and OPTION there is another one, whose trees have these states
copied() {
	local why=$1 trees=$2 replaced=$3 over=$4 ino

	shift 4
	cp --sparse=always base image
	debug image "$@"
	ino=$(inode_of image /.e2itree)
	cp --sparse=always image target
	e2bfo 0 copy --to /small other target
	checked target
	e2itree 0 -l --json target
	[ "$(jq -r .unprotected out)" = "$why" ] || fail "copy, $why: $(cat out)"
	[ "$(inode_of target /.e2itree)" = "$ino" ] || fail "copy, $why: the container is another one"
	cp --sparse=always image target
	e2bfo 0 copy --itree $over --json --from /one --to / other target
	[ "$(jq .plan.replaced out)" = "$replaced" ] || fail "copy --itree, $why: $(cat out)"
	checked target
	is_ours target "$ino"
	e2itree 0 -l --json target
	[ "$(jq .unprotected out)" = null ] || fail "copy --itree, $why: $(cat out)"
	[ "$(jq -r '[.trees[].state] | join(" ")' out)" = "$trees" ] ||
		fail "copy --itree, $why: $(cat out)"
}

# other: one file that the target has, and a new one, below /one
mkdir -p some/one
echo older > some/one/a-name-in-a-directory-1
: > some/one/another
volume other 16M -b 1024 -N 1000 -J size=1 -d some
made base 16M -b 1024 -N 1000 -J size=1
# (the root, which gets the container's new name, and /one are written; /two is not)
copied "owner 12345" "fresh fresh" 1 --overwrite "sif /.e2itree uid 12345"
copied "mode 0644" "fresh fresh fresh" 0 --skip-existing "sif /.e2itree mode 0100644"
copied "not immutable" "fresh fresh fresh" 1 --if-newer "sif /.e2itree flags 0x80000"
copied "2 names" "fresh fresh fresh" 1 --overwrite "${named[@]}"
rm some/one/a-name-in-a-directory-1
volume other 16M -b 1024 -N 1000 -J size=1 -d some
copied "mode 0666" "fresh fresh" 0 "" "sif /.e2itree mode 0100666"

# ---- mounted: who reads by it, and -w ----

# by_index WHETHER WHAT
by_index() {
	"$RUN" --explain "$JUDGES/preloaded" names mnt/two > out 2> said || fail "$2: $(cat said)"
	grep -q ": $1 by index" said || fail "$2: $(cat said)"
}

cp --sparse=always base image
debug image "sif /.e2itree mode 0100640"
mounted image mnt rw,noatime
by_index 0 "mode 0640"
e2itree 4 -n "$(cat .state/device-mnt)"
grep -q ': mode 0640' out || fail "mounted, -n: $(cat out)"

# renewed WHAT: by -w, and then there is nothing to be done
renewed() {
	by_index 0 "$1"
	FAULT_AHEAD=86400 LD_PRELOAD=$shim e2itree 1 -w --json mnt
	[[ " $(problems) " = *" unprotected "* ]] || fail "$1: $(cat out)"
	[ "$(stat -c '%a %u %g %h' mnt/.e2itree)" = "600 0 0 1" ] || fail "$1: $(stat mnt/.e2itree)"
	[[ $(lsattr -d mnt/.e2itree) = ----i* ]] || fail "$1: $(lsattr -d mnt/.e2itree)"
	by_index 1 "$1, after -w"
	FAULT_AHEAD=86400 LD_PRELOAD=$shim e2itree 0 -w mnt
}
renewed "mode 0640"
chattr -i mnt/.e2itree
renewed "not immutable"
chattr -i mnt/.e2itree
ln mnt/.e2itree mnt/one/second
renewed "2 names"
rm mnt/one/second
unmounted mnt
checked image
