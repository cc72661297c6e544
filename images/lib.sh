# SPDX-License-Identifier: GPL-2.0-or-later
# What the recipes share: an image is formatted, mounted on a private loop device, filled by
# the kernel, unmounted and checked. Sourced by the recipes; needs root, but for those that begin with
# image_by_anybody.

set -eu -o pipefail
export LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin
umask 022

recipe_dir=
recipe_loop=
recipe_values=

recipe_end() {
	local status=$?

	trap - EXIT
	cd /
	if [ -n "$recipe_dir" ] && [ -z "$recipe_mounts" ]; then
		rm -rf --one-file-system "$recipe_dir"
	elif [ -n "$recipe_dir" ]; then
		umount "$recipe_dir" 2>/dev/null || true
		rmdir "$recipe_dir" 2>/dev/null || true
	fi
	if [ -n "$recipe_loop" ]; then
		losetup -d "$recipe_loop" 2>/dev/null || true
	fi
	[ -z "$recipe_values" ] || rm -rf "$recipe_values"
	exit $status
}
trap recipe_end EXIT
trap 'exit 130' INT TERM

# image_make IMAGE SIZE [mke2fs arguments]: a sparse file with a fresh ext4 of 4 KB blocks.
image_make() {
	local image=$1 size=$2

	shift 2
	rm -f "$image"
	truncate -s "$size" "$image"
	mke2fs -q -F -t ext4 -b 4096 "$@" "$image"
}

# image_by_anybody SCRIPT ARGUMENTS...: for an ordinary user, begins anew where all is as root would
# have it, but for mounts: a tree lies in a directory then, until mke2fs -d puts it into an image.
recipe_mounts=1
image_by_anybody() {
	[ "$EUID" = 0 ] || RECIPE_BY_USER=$EUID RECIPE_BY_GROUP=$(id -g) exec fakeroot -- "$@"
	[ -n "${RECIPE_BY_USER:-}" ] || return 0
	recipe_mounts=
	recipe_values=$(mktemp -d "${TMPDIR:-/tmp}/recipe-values.XXXXXX")
	: > "$recipe_values/commands"
}

# image_owners: nothing belongs to who makes an image without root; fakeroot takes what has got
# attributes for his.
image_owners() {
	[ -z "$recipe_mounts" ] || return 0
	find . -uid "$RECIPE_BY_USER" -exec chown -h 0 {} +
	find . -gid "$RECIPE_BY_GROUP" -exec chown -h :0 {} +
}

# image_attribute FILE NAME VALUE: an attribute, VALUE in hexadecimal (0x...), of any length: fakeroot
# has room for 1000 bytes.  image_attributes, after mke2fs -d, prints the commands of debugfs for it.
image_attribute() {
	local file

	[ -z "$recipe_mounts" ] || { setfattr -n "$2" -v "$3" "$1"; return; }
	file=$(mktemp "$recipe_values/XXXXXX")
	perl -e 'print pack("H*", substr($ARGV[0], 2))' "$3" > "$file"
	echo "ea_set -f $file ${PWD#"$recipe_dir"}/$1 $2" >> "$recipe_values/commands"
}

image_attributes() {
	cat "$recipe_values/commands"
}

# image_acl FILE ENTRIES: setfacl -m, which fakeroot has not; all ids are numbers
image_acl() {
	local access default

	[ -z "$recipe_mounts" ] || { setfacl -m "$2" "$1"; return; }
	read -r access default < <(perl -e '
		my ($mode, %acl) = ((stat($ARGV[0]))[2], a => {}, d => {});
		my %tag = (u => 2, g => 8, m => 16);
		for (split(/,/, $ARGV[1])) {
			my @f = split(/:/);
			my $which = $f[0] eq "d" ? shift(@f) : "a";
			my $perm = ($f[2] =~ /r/ && 4) | ($f[2] =~ /w/ && 2) | ($f[2] =~ /x/ && 1);
			$acl{$which}{sprintf("%02d %010d", $tag{$f[0]}, $f[1] eq "" ? 4294967295 : $f[1])} = $perm;
		}
		for my $acl ($acl{a}, $acl{d}) {
			print("- "), next if !%$acl;
			my $mask = $mode >> 3 & 7;
			$mask |= $_ for values(%$acl);
			my $none = " 4294967295";
			$acl->{"01$none"} = $mode >> 6 & 7;
			$acl->{"04$none"} = $mode >> 3 & 7;
			$acl->{"16$none"} //= $mask;
			$acl->{"32$none"} = $mode & 7;
			print "0x", unpack("H*", pack("V(vvV)*", 2, map { my ($t, $id) = split(" ");
				($t, $acl->{$_}, $id) } sort(keys(%$acl)))), " ";
			chmod($mode & 07707 | $acl->{"16$none"} << 3, $ARGV[0]) if $acl == $acl{a};
		}
		print "\n"' "$1" "$2")
	[ "$access" = - ] || setfattr -n system.posix_acl_access -v "$access" "$1"
	[ "$default" = - ] || setfattr -n system.posix_acl_default -v "$default" "$1"
}

# image_mount IMAGE [mount options]: mounts it and goes there.
image_mount() {
	[ -n "$recipe_mounts" ] || {
		recipe_dir=$(mktemp -d "${TMPDIR:-/tmp}/recipe.XXXXXX")
		cd "$recipe_dir"
		mkdir lost+found
		return
	}
	recipe_loop=$(losetup -f --show "$1")
	recipe_dir=$(mktemp -d "${TMPDIR:-/tmp}/recipe.XXXXXX")
	mount -o "${2:-noatime}" "$recipe_loop" "$recipe_dir"
	cd "$recipe_dir"
}

image_unmount() {
	cd /
	[ -n "$recipe_mounts" ] || {
		rm -rf --one-file-system "$recipe_dir"
		recipe_dir=
		return
	}
	umount "$recipe_dir"
	losetup -d "$recipe_loop"
	rmdir "$recipe_dir"
	recipe_dir= recipe_loop=
}

# image_check IMAGE: a sample that is not clean is no sample.
image_check() {
	local said

	said=$(e2fsck -fn "$1" 2>&1) || {
		printf '%s\n' "$said" >&2
		return 1
	}
}

# image_debugfs IMAGE < commands: debugfs(8) exits 0 whatever happens, so any complaint counts.
image_debugfs() {
	local said

	said=$(debugfs -w -f - "$1" 2>&1 > /dev/null | grep -v '^debugfs [0-9]') || return 0
	printf '%s\n' "$said" >&2
	return 1
}
