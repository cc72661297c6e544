#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --dry-run tells what would be done, and writes nothing: neither source nor target, nor with
# --mkfs a file that is not there.
. "$(dirname "$0")/../lib.sh"
requires mke2fs debugfs setfattr setfacl chattr losetup perl

"$IMAGES/oddities" source.img
volume target.img 400M
touch -d 2001-01-01 source.img target.img
chmod 0444 source.img
before=$(digest source.img target.img)

# nothing_written WHAT
nothing_written() {
	[ "$(digest source.img target.img)" = "$before" ] || fail "$1: a volume has changed"
	[ "$(stat -c %Y source.img target.img | uniq)" = "$(date -d 2001-01-01 +%s)" ] ||
		fail "$1: a volume was written to"
}

for option in -n --dry-run; do
	e2bfo 0 copy $option source.img target.img
	nothing_written $option
	grep -qi 'director' out && grep -qi 'inode' out && grep -q '[0-9]' out ||
		fail "$option prints no plan: $(cat out said)"
done
e2bfo 0 copy -n --mkfs --force source.img target.img
nothing_written '-n --mkfs'
e2bfo 0 copy -n --mkfs --size 500M source.img new.img
[ ! -e new.img ] || fail "-n --mkfs --size has made a file"
e2bfo 0 copy -n --mkfs --size min source.img new.img
[ ! -e new.img ] || fail "-n --mkfs --size min has made a file"
nothing_written '-n --mkfs --size'

# The plan's verdict is the same as without -n.
volume tiny.img 20M
tiny=$(digest tiny.img)
e2bfo 8 copy -n source.img tiny.img
unchanged tiny.img "$tiny" "-n without room"
