#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Volumes without what could make somebody root: --no-devices and --no-suid of copy and receive, as
# the kernel shows them; with a resumed copy, too.  All else is there.
. "$(dirname "$0")/../lib.sh"
requires root losetup mke2fs e2fsck debugfs mount jq setcap getcap setfattr getfattr

# ---- a tree that has all of it ----

mkdir tree
head -c 3000000 /dev/urandom > tree/large
volume source.img 24M -d tree
debug source.img 'mknod null c 1 3' 'mknod disk b 7 9' 'mknod pipe p' 'ln /null /null-too' \
	'set_inode_field /null links_count 2' 'mkdir dev' 'cd dev' 'mknod zero c 1 5'
mounted source.img mnt rw
for name in suid sgid both plain capable two; do
	echo "$name" > mnt/$name
done
chmod 4755 mnt/suid
chmod 2755 mnt/sgid
chmod 6711 mnt/both
chmod 1640 mnt/plain
setcap cap_net_raw+ep mnt/capable
setcap cap_net_raw+ep mnt/two
chmod 4711 mnt/two
ln mnt/two mnt/two-too
mkdir mnt/dir
chmod 3775 mnt/dir
setfattr -n user.keep -v yes mnt/capable
setfattr -n user.keep -v yes mnt/suid
unmounted mnt
checked source.img

# disarmed IMAGE [DIR]: nothing of it is there, and the rest is as it was
disarmed() {
	local dir=mnt${2:-}

	checked "$1"
	mounted "$1" mnt
	[ "$(find "$dir" -type b -o -type c | wc -l)" = 0 ] || fail "$1: devices: $(ls -lR "$dir")"
	[ -p "$dir/pipe" ] && [ -d "$dir/dev" ] || fail "$1: more than devices is missing"
	for name in suid:755 sgid:755 both:711 plain:1640 capable:644 two:711 two-too:711 \
		    dir:3775; do
		[ "$(stat -c %a "$dir/${name%:*}")" = "${name#*:}" ] ||
			fail "$1: ${name%:*}: $(stat -c %a "$dir/${name%:*}")"
	done
	[ "$(stat -c %h "$dir/two")" = 2 ] || fail "$1: links"
	[ -z "$(getcap -r "$dir")" ] || fail "$1: capabilities: $(getcap -r "$dir")"
	for name in capable suid; do
		[ "$(getfattr --only-values -n user.keep "$dir/$name")" = yes ] || fail "$1: user.keep"
	done
	cmp "$dir/large" tree/large || fail "$1: contents"
	unmounted mnt
}

# told FILE: how much is left out, in a report
told() {
	[ "$(jq -c '[.not_taken[] | [.kind, .count]]' "$1")" = \
		'[["no-devices",3],["no-suid",4],["no-capabilities",2]]' ] || fail "told: $(cat "$1")"
}

# ---- by a stream, and from volume to volume ----

"$E2BFO" send -q source.img > stream
"$E2BFO" receive --json --no-devices --no-suid --mkfs --size 32M new.img < stream > out
told out
disarmed new.img
volume base.img 32M -b 1024
cp base.img target.img
"$E2BFO" receive --no-devices --no-suid --to /sub target.img < stream > out
grep -q '^devices were left out: 3$' out || fail "not told: $(cat out)"
disarmed target.img /sub
volume target.img 32M
e2bfo 0 copy -n --json --no-devices --no-suid source.img target.img
told out
e2bfo 0 copy --no-devices --no-suid source.img target.img
disarmed target.img
for option in --no-devices --no-suid; do
	e2bfo 16 copy $option source.img no.tar
	says 'is for volumes and directories'
	e2bfo 16 copy $option source.img stream:no
	says 'is for volumes and directories'
done

# One of them alone; a device that was asked for by its path.
volume target.img 32M
e2bfo 0 copy --no-devices source.img target.img
[ -n "$(ask target.img 'stat /suid' | grep 'Mode:  04755')" ] || fail "--no-devices takes bits"
volume target.img 32M
e2bfo 0 copy --no-suid source.img target.img
[ -n "$(ask target.img 'stat /dev/zero' | grep 'Type: character')" ] || fail "--no-suid takes devices"
volume target.img 32M
e2bfo 0 copy --no-devices --from /null --from /plain source.img target.img
checked target.img
[ -z "$(ask target.img 'stat /null')" ] || fail "a device by its path"
[ -n "$(ask target.img 'stat /plain')" ] || fail "what stands beside it"

# ---- a copy that goes on keeps what it was asked for ----

head -c 2000000 stream > part
volume target.img 32M
"$E2BFO" receive --json --memory 1M --no-devices --no-suid target.img < part > out 2> said && fail "half"
token=$(jq -r .token out)
"$E2BFO" send -q --resume "$token" source.img | "$E2BFO" receive -q target.img || fail "resumed"
disarmed target.img
