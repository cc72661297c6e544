#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo mount by an ordinary user, who needs no more than fusermount3: what debugfs and the files
# say that the image was made of.  Nobody else looks at it; allow_other is for who may.
# Mounts of its own: whoever made /dev/fuse, users can open it.
[ -n "${MOUNT_ALONE:-}" ] || MOUNT_ALONE=1 exec unshare -m --propagation private bash "$0"
TMPDIR=/tmp			# where tests/run works nobody can go
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../mount.sh"
requires root mke2fs debugfs setpriv unshare fusermount3 /dev/fuse find sha256sum

mkdir dev
mount -t tmpfs none dev
mknod -m 666 dev/fuse c 10 229
mount --bind dev/fuse /dev/fuse
printf '%s\n' "$PWD/dev" /dev/fuse >> .state/mounts

# (The build may lie where nobody can look.)
mkdir user
cp "$E2BFO" user/e2bfo
E2BFO=$WORK/user/e2bfo
as=nobody
chmod a+x .
mkdir user/tree user/tree/{a,b,empty}
cp "$SRCDIR"/lib/view/*.c user/tree/a
head -c 3M /dev/urandom > user/tree/b/large
truncate -s 5M user/tree/b/hole
ln -s ../a user/tree/b/link
ln user/tree/b/large user/tree/a/linked
mkfifo user/tree/b/pipe
echo secret > user/tree/b/secret
setfattr -n user.name -v value user/tree/a/linked
chown -R 65534:65534 user
cd user
nobody mke2fs -q -F -t ext4 -d tree -E root_owner=65534:65534 user.img 48M
chmod 000 tree/b/secret
debug user.img 'set_inode_field /b/secret mode 0100000'
before=$(digest user.img)
[ "$(stat -c %u user.img)" = 65534 ] || fail "whose is the image?"

# said DIR: what find(1) says of it; mke2fs -d keeps whole seconds, and makes directories anew
said() {
	nobody find "$1" -mindepth 1 -name lost+found -prune -o \
		-printf '%P %y %m %U %G %n %T@ %s %l\n' |
		sed 's/\.[0-9]* / /; s/ d \(.*\) [0-9]* [0-9]* $/ d \1/' | sort
}

nobody mkdir shown
: > shown.said
: > shown.pid
chown 65534 shown.said shown.pid
shown user.img shown
said tree > expected
said shown > ours
same expected ours
(cd tree && find . -type f ! -name secret -exec sha256sum {} +) > sums
nobody sh -c 'cd shown && sha256sum --quiet -c ../sums' || fail "other contents"
nobody getfattr -n user.name shown/a/linked 2> /dev/null | grep -qx 'user.name="value"' || fail "no attribute"
! nobody cat shown/b/secret 2> said || fail "permissions are not asked"
says 'Permission denied'
for file in a/view.c b/large; do
	[ "$(nobody stat -c %i shown/$file)" = "$(inode_of user.img /$file)" ] || fail "another number of $file"
	ask user.img "cat /$file" | cmp - <(nobody cat shown/$file) || fail "$file, to debugfs"
done
! ls shown > /dev/null 2> said || fail "root looks at it"
says 'Permission denied'
hidden shown
[ ! -s shown.said ] || fail "it complains: $(cat shown.said)"

# In the background, and allow_other.
realpath shown >> ../.state/mounts
nobody "$E2BFO" mount user.img shown || fail "not mounted"
nobody cat shown/a/view.c | cmp - tree/a/view.c || fail "not there"
nobody "$E2BFO" umount shown || fail "still mounted"
! is_shown "$PWD/shown" || fail "still mounted"
grep -q '^user_allow_other' /etc/fuse.conf && allowed=0 || allowed=8
status=0
nobody "$E2BFO" mount --allow-other user.img shown 2> said || status=$?
[ $status = $allowed ] || fail "allow_other: exit $status, expected $allowed"
[ $status = 0 ] || says user_allow_other
[ $status != 0 ] || nobody "$E2BFO" umount shown
unchanged user.img "$before" mount
