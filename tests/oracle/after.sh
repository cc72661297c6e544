#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Life after the copy: the kernel mounts the target for writing and creates, renames, links and
# deletes inside copied directories until leaves split and empty; sets xattrs on inodes that
# share EA blocks; appends to, truncates, punches and fills copied files. Then e2fsck has no
# complaint, and the kernel has recorded no error.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfattr setfacl chattr losetup fallocate perl

free_inodes() {
	dumpe2fs -h target.img 2> /dev/null | sed -n 's/^Free inodes: *//p'
}

"$IMAGES/oddities" source.img 400M 60000
mounted source.img mnt rw
perl -e '
	for my $d ("mnt/big", "mnt/long") {
		mkdir($d) or die;
		for (1 .. 15000) {
			my $n = "$d/" . ($d eq "mnt/long" ? "l" x 150 : "b") . $_;
			open(my $f, ">", $n) or die;
		}
	}'
unmounted mnt
volume target.img 700M -N 60000
free=$(free_inodes)
e2bfo 0 copy --dir-fill 100 source.img target.img
checked target.img

# directories MNT: names come and go
directories() {
	perl -e '
		sub make { open(my $f, ">", $_[0]) or die "$_[0]: $!"; print $f $_[0]; }
		sub renamed { rename($_[0], $_[1]) or die "$_[0] to $_[1]: $!"; }
		chdir($ARGV[0]) or die;
		my $l = "l" x 150;
		make("big/new$_") for 1 .. 5000;
		make("long/$l-new$_") for 1 .. 3000;
		renamed("big/b$_", "big/renamed-$_") for 1 .. 2000;
		renamed("big/b$_", "long/from-big-$_") for 2001 .. 3000;
		renamed("long/$l$_", "trees/indexed/from-long-$_") for 1 .. 300;
		link("big/b$_", "trees/gaps/link-$_") or die for 4000 .. 4300;
		unlink("big/b$_") or die for 5001 .. 15000;
		unlink("long/$l$_") or die for 301 .. 14000;
		make("trees/emptied/f$_") for 1 .. 500;
		make("trees/empty/f$_") for 1 .. 500;
		make("names/new$_") for 1 .. 500;
		mkdir("trees/wide/new$_") or die for 1 .. 200;
		renamed("trees/wide/sub-$_", "trees/empty/sub-$_") for 1 .. 50;
		for (51 .. 100) {
			unlink("trees/wide/sub-$_/file") && rmdir("trees/wide/sub-$_") or die "$!";
		}
		renamed("trees/deep/level-1", "trees/empty/level-1");
		make("trees/empty/level-1/level-2/level-3/f$_") for 1 .. 20;' "$1"
}

# attributes MNT: shared EA blocks are split, joined and dropped
attributes() {
	local value

	cd "$1"
	value=$(getfattr --only-values -n user.shared shared/s7 |
		perl -0777 -ne 'print "0x", unpack("H*")')
	setfattr -n user.shared -v "${value}00" shared/s{1..50}
	setfattr -x user.shared shared/s{51..100} shared/d1
	setfattr -n user.more -v more shared/s{101..150}
	touch shared/heir{1..30}
	setfattr -n user.shared -v "$value" shared/heir{1..30}
	rm shared/s{151..400}
	cp -a xattrs xattrs-again
	setfattr -n user.large -v small xattrs/both xattrs/dir-with-block
	setfacl -b xattrs/large-acl
	setfacl -m u:4242:rwx xattrs/acl xattrs/default-acl
	touch xattrs/default-acl/another-heir
	setfattr -h -x trusted.on-slow-symlink links/target-255
	cd ..
}

# contents MNT: written files grow, shrink and change
contents() {
	local f

	cd "$1/files"
	for f in one-byte one-block leaf-full two-leaves depth-two past-end unwritten punched \
		empty; do
		echo appended >> $f
	done
	truncate -s 1000 leaf-full
	truncate -s 1000000 depth-two
	truncate -s 0 two-leaves
	truncate -s 3000000 past-end past-end-of-empty
	fallocate -p -o 8192 -l 40960 three-megabytes
	fallocate -l 4M three-megabytes
	dd if=/dev/urandom of=unwritten bs=4096 count=100 seek=50 conv=notrunc status=none
	dd if=/dev/urandom of=long-unwritten bs=1M count=30 seek=100 conv=notrunc status=none
	dd if=/dev/urandom of=over-4g bs=4096 count=5 seek=1048576 conv=notrunc status=none
	perl -e 'open(my $f, "+<", "zeroed") or die;
		for (0 .. 999) { seek($f, $_ * 12288, 0); print $f $_; }'
	rm five-fragments fifteen-terabytes half-written
	chattr -i ../flags/file-i ../flags/several
	rm ../flags/several
	chattr -a ../flags/dir-a
	rm -r ../flags/dir-a
	cd ../..
}

mounted target.img mnt rw,errors=remount-ro
directories mnt
attributes mnt
contents mnt
unmounted mnt
checked target.img

mounted target.img mnt
for d in big:9002 long:5002 trees/indexed:1901; do
	[ "$("$JUDGES/lookup" "mnt/${d%:*}" 2000)" = "${d#*:}" ] ||
		fail "$d: $("$JUDGES/lookup" "mnt/${d%:*}" 0) names"
done
[ "$(cat mnt/big/new77)" = big/new77 ] || fail "content of a new file"
[ "$(cat mnt/files/one-byte)" = "oappended" ] || fail "one-byte: $(cat mnt/files/one-byte)"
"$JUDGES/manifest" -d mnt > after.kernel || fail "manifest"
unmounted mnt

# And once more, everything deleted.
mounted target.img mnt rw,errors=remount-ro
chattr -R -f -ia mnt/flags || :
find mnt -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} + ||
	fail "not everything can be deleted"
unmounted mnt
checked target.img
[ "$(free_inodes)" = "$free" ] || fail "$(free_inodes) inodes are free, of $free"
