#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# e2bfo batch charges quota where its entries stand: few blocks of the quota files change, as few
# owners have more or less; limits stay.  Where an owner comes or goes, or many change, a file is
# written anew.  e2fsck adds up the usage itself, debugfs lists it.  (No root.)
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

volume start.img 64M -N 8192 -O quota,project -E quotatype=usrquota:grpquota:prjquota
perl -e 'for (0 .. 5999) {
		my $id = $_ % 3000;
		printf qq({"op": "put", "path": "/f$_", "data": "%s", "uid": %d, "gid": %d, "project": %d}\n),
			"x" x ($id % 5 * 1000), 1000 + $id * 257, $id, $id * 65536; }' > script
e2bfo 0 batch start.img script
checked start.img
inodes=$(quota_inodes start.img)
[ "$(wc -w <<< "$inodes")" = 3 ] || fail "not three quota files: $inodes"
for inode in $inodes; do
	[ "$(quota_limit start.img $inode)" -ge 3000 ] || fail "not 3000 entries in inode $inode"
done
checked start.img
quota_limits start.img > limits
[ "$(wc -l < limits)" -gt 9000 ] || fail "few limits: $(wc -l < limits)"

# places IMAGE: where the quota files lie
places() {
	local inode

	for inode in $inodes; do
		ask "$1" "blocks <$inode>"
	done
}

# changed: blocks of 4096 bytes of all quota files that differ between start.img and image.img
changed() {
	local inode

	for inode in $inodes; do
		rm -f before after
		ask start.img "dump <$inode> before"
		ask image.img "dump <$inode> after"
		{ cmp -l before after || :; } | awk '{ seen[int(($1 - 1) / 4096)] = 1 }
			END { for (i in seen) n++; print n + 0 }'
	done
}

# batched LINE...: is done, in image.img
batched() {
	printf '%s\n' "$@" > script
	cp --sparse=always start.img image.img
	e2bfo 0 batch ${every:-} image.img script
	checked image.img
}

# ---- in place ----

batched '{"op": "put", "path": "/new", "data": "text", "uid": 1257, "gid": 1, "project": 65536}' \
	'rm /f2' 'truncate 9000 /f3'
[ "$(places image.img)" = "$(places start.img)" ] || fail "a quota file moved"
changed > counts
[ "$(paste -sd ' ' counts)" = '1 1 1' ] || fail "blocks that changed: $(paste -sd ' ' counts)"
quota_limits image.img > limits.after
same limits limits.after
batched 'chown 1257:700 /f2 /f3' 'chown 771743 /f1400' 'set -P 0 /f9' 'rm /f17 /f18'
[ "$(places image.img)" = "$(places start.img)" ] || fail "a quota file moved"
quota_limits image.img > limits.after
same limits limits.after

# ---- anew: owners that come, many at a time; and one that goes, if it has no limits ----

batched 'chown 5 /f2'
ask image.img 'list_quota user' > list
grep -q '^ *5 ' list || fail "5 has no quota"
batched 'rm /f4 /f3004'
mapfile -t lines < <(seq -f 'truncate 5000 /f%.0f' 0 5999)
batched "${lines[@]}"
quota_limits image.img > limits.after
same limits limits.after
mapfile -t lines < <(seq -f 'chown 71:72 /f%.0f' 1 4; seq -f 'chown 1257:%.0f /f20' 5 9
	seq -f 'rm /f%.0f' 5 12; seq -f 'set -P 12345 /f%.0f' 30 40
	seq -f 'truncate 3000 /f%.0f' 100 110)
every='--commit-every 3' batched "${lines[@]}"
volume start.img 16M -O quota
printf '{"op": "put", "path": "/%s", "data": "text", "uid": %s}\n' a 1 b 2 c 2 > script
e2bfo 0 batch start.img script
batched 'rm /a' 'rm /b'
ask image.img 'list_quota user' > list
! grep -q '^ *1 ' list && grep -q '^ *2 ' list || fail "$(cat list)"
every='--commit-every 1' batched 'rm /a' 'rm /b' 'mkdir /d' 'chown 1:1 /d' 'chown 3 /c' 'rm /c' \
	'put script /d/x' 'rm -r /d'

# ---- damaged: a size that no such file can have is no amount of memory ----

volume start.img 16M -O quota
debug start.img 'sif <3> size 2000000000'
cp start.img image.img
echo 'mkdir /d' > script
(
	ldd "$E2BFO" | grep -q libasan || ulimit -v 1500000
	e2bfo 8 batch image.img script
)
says 'Damage was found while .*quota file inode 3 of image.img; please run e2fsck -f'
