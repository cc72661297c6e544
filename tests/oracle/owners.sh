#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# copy --owner, --map-users, --map-groups: who owns files, and whom their ACLs and capabilities
# name, as stat, getfacl and getfattr show it of the kernel's mount; from directories and volumes,
# ACLs in inodes, in blocks and in inodes of their own; quota files agree, resume keeps it, and who
# has no range ends it all.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck debugfs setfacl getfacl setfattr strace perl

export SOURCE_DATE_EPOCH=1700000000
uuid=01234567-89ab-cdef-0123-456789abcdef

# capability [ROOT]: CAP_NET_RAW, in effect; for namespaces whose root is user ROOT, or for all
capability() {
	perl -e 'my @root = @ARGV;
		print "0x", unpack("H*", pack("V*", @root ? 0x03000001 : 0x02000001, 1 << 13, 0, 0, 0, @root))' "$@"
}

# filled DIR: files of many owners, and ACLs of all sizes
filled() {
	perl -e 'my $top = shift;
		sub file { my ($path, $size) = @_; open(my $f, ">", "$top/$path") or die "$path: $!"; print $f "x" x $size; }
		mkdir("$top/$_") or die for "dir", "dir/inner", "default";
		for my $n (0 .. 99) {
			file("dir/file-$n", $n * 700);
			chown(1000 + $n, 2000 + $n / 3, "$top/dir/file-$n") or die;
		}
		file("of-root", 10);
		file("large-numbers", 10);
		chown(1000099, 65636, "$top/large-numbers") or die;
		symlink("of-root", "$top/link") or die;
		symlink("s" x 100, "$top/slow") or die;
		link("$top/dir/file-1", "$top/dir/inner/link-to-1") or die;
		chown(1007, 2007, "$top/dir/inner") or die;
		file("with-$_", 100) for "none", "few", "block", "many", "attribute";' "$1"
	chown -h 1003:2003 "$1/link" "$1/slow"
	mknod "$1/device" c 1 3
	chown 1004:2004 "$1/device"
	chmod 04755 "$1/dir/file-5"
	setfacl -m u:1000:r,u:1001:rw,g:2000:x "$1/with-few"
	setfacl -d -m u:1000:r,u:1090:rwx,g:2001:rx,g:2030:r "$1/default"
	setfacl -m u:1010:rwx "$1/default"
	setfacl -m "$(seq -f 'u:%.0f:r' 1000 1024 | paste -sd,)" "$1/with-block"
	setfattr -n user.stays -v as-it-is "$1/with-attribute" "$1/with-block"
	setfacl -m u:1099:r "$1/with-attribute"
	setfattr -n security.capability -v "$(capability 1020)" "$1/dir/file-20"
	setfattr -n security.capability -v "$(capability)" "$1/dir/file-21"
}

# many DIR: an ACL that only ea_inode holds
many() {
	setfacl -m "$(seq -f 'u:%.0f:r' 3000 3699 | paste -sd,)" "$1/with-many"
}

# shown DIR: owners, modes, ACLs and attributes
shown() (
	cd "$1"
	find . -name lost+found -prune -o -printf '%p %M %U:%G %l\n' | LC_ALL=C sort
	find . -name lost+found -prune -o ! -type l -print | LC_ALL=C sort | getfacl -np -
	find . -name lost+found -prune -o ! -type l -print | LC_ALL=C sort |
		xargs getfattr -e hex -hd -m '^(user|security.capability)'
)

# expected: what is shown on standard input, as owners become what %users, %groups (ranges) and
# $owner, $group say
expected() {
	perl -e 'my ($users, $groups, $owner, $group) = @ARGV;
		sub ranged {
			my ($id, $ranges, $other) = @_;
			for (split(" ", $ranges)) {
				my ($from, $to, $count) = split(":");
				return $id - $from + $to if $id >= $from && $id < $from + $count;
			}
			return $other ne "" ? $other : $id;
		}
		my $run = "";
		my @run;
		sub flush {
			print sort { ($a =~ /:(\d+):/)[0] <=> ($b =~ /:(\d+):/)[0] } @run;
			@run = ();
		}
		while (<STDIN>) {
			s/^(\S+ \S+) (\d+):(\d+) /"$1 " . ranged($2, $users, $owner) . ":" .
				ranged($3, $groups, $group) . " "/e;
			s/^(security.capability=0x.{40})(.{8})$/$1 . unpack("H*", pack("V",
				ranged(unpack("V", pack("H*", $2)), $users, "")))/e;
			s/^# owner: (\d+)/"# owner: " . ranged($1, $users, $owner)/e;
			s/^# group: (\d+)/"# group: " . ranged($1, $groups, $group)/e;
			if (/^((?:default:)?(user|group)):(\d+):(.*)/) {
				flush() if $run ne $1;
				$run = $1;
				push(@run, "$1:" . ranged($3, $2 eq "user" ? $users : $groups, "") . ":$4\n");
			} else {
				flush();
				print;
			}
		}
		flush()' -- "$@"
}

# becomes SOURCE SHOWN OPTIONS... -- EXPECTED...: the copy, made.img, has owners as expected says
becomes() {
	local source=$1 is=$2 options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f made.img
	e2bfo 0 copy --mkfs --size 24M "${options[@]}" "$source" made.img
	checked made.img
	expected "$@" < "$is" > source.expected
	mounted made.img mnt
	shown mnt > made.shown
	unmounted mnt
	same source.expected made.shown
}

mkdir tree
filled tree
shown tree > tree.shown
volume same.img 24M
volume other.img 24M -I 512 -O ea_inode
for name in same other; do
	mounted $name.img mnt rw
	filled mnt
	[ $name = same ] || many mnt
	shown mnt > $name.shown
	unmounted mnt
	checked $name.img
done
ask same.img "stat /with-block" | grep -q '^File ACL: [1-9]' || fail "no ACL in a block"
ask same.img "stat /with-few" | grep -q '^File ACL: 0' || fail "no ACL in an inode"
ask other.img "ea_list /with-many" | grep -q 'acl_access (5620)' || fail "no ACL that is larger than a block"

users="1000:100000:100 3000:3000:700 0:500000:1 1000099:7:1"
groups="2000:3000:34 0:600000:1 65636:65537:1"
maps=()
for range in $users; do maps+=(--map-users "$range"); done
for range in $groups; do maps+=(--map-groups "$range"); done

for from in tree:tree same.img:same other.img:other; do
	source=${from%:*} is=${from#*:}.shown
	becomes $source $is --owner 7:8 -- "" "" 7 8
	becomes $source $is --owner 70000 -- "" "" 70000 ""
	becomes $source $is --owner :4294967294 -- "" "" "" 4294967294
	becomes $source $is --owner daemon:bin -- "" "" "$(id -u daemon)" "$(getent group bin | cut -d: -f3)"
	becomes $source $is "${maps[@]}" -- "$users" "$groups" "" ""
	becomes $source $is --map-users 1000:5050:50 --map-users 1050:5000:50 \
		--map-users 3000:2000:700 \
		--owner 9 -- "1000:5050:50 1050:5000:50 3000:2000:700" "" 9 ""
	becomes $source $is --map-users 1000:1001:100 --map-users 3000:4000:700 --owner 1:2 \
		-- "1000:1001:100 3000:4000:700" "" 1 2
done

# ---- byte by byte: as if who makes ACLs had known the numbers ----

# (Those who change places: programs keep the entries of an ACL sorted.)
mkdir natural mapped
touch natural/file mapped/file
setfacl -m u:1000:r,u:1001:rw,u:1002:x,g:50:r,g:60:rw natural/file
setfacl -m u:2002:r,u:2001:rw,u:2000:x,g:160:r,g:50:rw mapped/file
touch -d 2024-01-01 natural natural/file mapped mapped/file
e2bfo 0 copy --mkfs="-U $uuid" --size min --reproducible natural natural.img
e2bfo 0 copy --mkfs="-U $uuid" --size min --reproducible --map-users 2002:1000:1 --map-users 2001:1001:1 \
	--map-users 2000:1002:1 --map-users 0:0:1 --map-groups 160:50:1 --map-groups 50:60:1 \
	--map-groups 0:0:1 mapped mapped.img
cmp natural.img mapped.img || fail "ACLs are stored in another order"

# ---- into a filesystem that is there: quota files, and what it holds stays ----

volume quota.img 48M -O quota,ea_inode -E quotatype=usrquota:grpquota
mkdir old
echo old > old/file
chown 77:78 old/file
e2bfo 0 copy --to /old old quota.img
e2bfo 0 copy --to /new "${maps[@]}" other.img quota.img
checked quota.img
# uses TYPE ID INODES
uses() {
	ask quota.img "list_quota $1" | awk -v id="$2" -v n="$3" '$1 == id && $5 == n { f = 1 } END { exit !f }' ||
		fail "$1 $2 has not $3 inodes: $(ask quota.img "list_quota $1" | grep " $2 ")"
}
uses user 77 1
uses user 100000 1
uses user 100007 2
uses user 7 1
uses group 3000 3
uses group 65537 1
ask quota.img "list_quota user" | grep -E '^ *(1000|1007|1000099) ' && fail "somebody is charged who was mapped"
e2bfo 0 copy --to /third --owner 100000:3000 tree quota.img
checked quota.img
uses user 100000 $((1 + $(find tree | tail -n +2 | sort -u | wc -l) - 1))

# ---- who has no range ----

# refused SOURCE PATH MESSAGE OPTIONS...: PATH is named, nothing is written
refused() {
	local source=$1 path=$2 message=$3

	shift 3
	e2bfo 8 copy --mkfs --size 24M "$@" "$source" refused.img
	says "$path in $source: $message"
	[ ! -e refused.img ] && [ -z "$(ls refused.img.* 2> /dev/null)" ] || fail "there is a refused.img"
	e2bfo 8 copy --to /fourth "$@" "$source" quota.img
	says "$path in $source: $message"
	unchanged quota.img "$before" "refused"
}
before=$(digest quota.img)
for source in tree same.img other.img; do
	refused $source /dir/file-99 'user 1099 is in no range of --map-users' \
		--map-users 1000:1:99 --map-users 0:0:1 --map-users 1000099:2000:1 \
		--map-users 3000:3000:700
	refused $source /large-numbers 'group 65636 is in no range of --map-groups' \
		--map-groups 2000:1:34 --map-groups 0:0:1
	refused $source /with-attribute 'user 1099, whom an ACL or a capability names, is in no range of --map-users' \
		--map-users 1000:1:99 --owner 9 --map-users 3000:3000:700
	refused $source /dir/file-20 'user 1020, whom an ACL or a capability names, is in no range of --map-users' \
		--from /dir/file-20 --map-users 1021:1:99 --owner 9
	refused $source /default 'group 2030, whom an ACL or a capability names, is in no range of --map-groups' \
		--map-groups 2000:1:30 --owner 9:9
done
# What is not copied needs none.
for source in tree same.img other.img; do
	e2bfo 0 copy --mkfs --size 24M --exclude with-attribute --exclude dir/file-99 \
		--exclude large-numbers \
		--exclude with-many --map-users 1000:1:99 --map-users 0:0:1 $source excluded.img
	checked excluded.img
	rm excluded.img
done
for wrong in --owner= --owner=nobody-of-that-name --owner=:no-group-of-that-name --owner=5: \
	--owner=: --owner=4294967295 --owner=4294967296 --owner=-1 --map-users=1 \
	--map-users=1:2 --map-users=1:2:0 --map-users=1:2:3:4 --map-users=4294967290:0:10 \
	--map-groups=0:4294967290:10 --map-groups=a:1:1 \
	'--map-users=1:1:1 owner=1'; do
	e2bfo 16 copy --mkfs --size 24M "$wrong" tree refused.img
done
e2bfo 16 copy --mkfs --size 24M --map-users 0:0:10 --map-users 9:100:1 tree refused.img
[ ! -e refused.img ] || fail "there is a refused.img"

# ---- interrupted and resumed ----

for source in tree other.img; do
	for options in "--owner 5:6" "${maps[*]}"; do
		# shellcheck disable=SC2086
		e2bfo 0 copy --mkfs="-U $uuid -E hash_seed=$uuid" --size 24M $options $source whole.img
		for n in 9 13 17; do
			rm -f made.img
			status=0
			# shellcheck disable=SC2086
			{ strace -qq -o log -e trace=pwrite64 \
				-e inject=pwrite64:signal=KILL:when=$n "$E2BFO" copy \
				--mkfs="-U $uuid -E hash_seed=$uuid" --memory 1M --size 24M $options $source \
				made.img > out 2>&1 || status=$?; } 2> /dev/null
			[ $status = 137 ] || fail "not stopped at write $n: status $status: $(cat out)"
			e2bfo 0 resume made.img
			cmp whole.img made.img || fail "$options, $source, stopped at write $n and resumed: other bytes"
		done
		rm whole.img
	done
done
