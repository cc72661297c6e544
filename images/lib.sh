# SPDX-License-Identifier: GPL-2.0-or-later
# What the recipes share: an image is formatted, mounted on a private loop device, filled by
# the kernel, unmounted and checked. Sourced by the recipes; needs root.

set -eu -o pipefail
export LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin
umask 022

recipe_dir=
recipe_loop=

recipe_end() {
	local status=$?

	trap - EXIT
	cd /
	if [ -n "$recipe_dir" ]; then
		umount "$recipe_dir" 2>/dev/null || true
		rmdir "$recipe_dir" 2>/dev/null || true
	fi
	if [ -n "$recipe_loop" ]; then
		losetup -d "$recipe_loop" 2>/dev/null || true
	fi
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

# image_mount IMAGE [mount options]: mounts it and goes there.
image_mount() {
	recipe_loop=$(losetup -f --show "$1")
	recipe_dir=$(mktemp -d "${TMPDIR:-/tmp}/recipe.XXXXXX")
	mount -o "${2:-noatime}" "$recipe_loop" "$recipe_dir"
	cd "$recipe_dir"
}

image_unmount() {
	cd /
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
