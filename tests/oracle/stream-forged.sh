#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams that break one rule each (streamforged): refused, with what is wrong and where, and the
# target is not touched.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs python3

mkdir forged
PYTHONPATH="$SRCDIR/tests/oracle" python3 "$SRCDIR/tests/oracle/streamforged" forged
volume target.img 16M
before=$(digest target.img)

# What breaks none is taken: so it is the rule that the others are refused for.
cp target.img good.img
e2bfo 0 copy forged/good good.img
checked good.img
ask good.img 'dump /f got'
[ "$(cat got)" = "$(for i in {1..1000}; do printf 'data of f'; done)" ] || fail "contents"
[ "$(ask good.img 'stat /c' | grep -o 'Device major/minor number: .*')" = \
	"Device major/minor number: 05:70000 (hex 05:11170)" ] || fail "$(ask good.img 'stat /c')"

# is_as_before: now.img is target.img; but for bytes in blocks that are free, if data came
is_as_before() {
	[ "$(digest now.img)" != "$before" ] || return 0
	e2fsck -fn now.img > log 2>&1 && [ -z "$(ask now.img 'stat /f')" ]
}

# refused NAME: as a file and out of a pipe, in little memory
limit=${FORGED_LIMIT:-500000}		# KiB
refused() {
	local says status

	says=$(cat "forged/$1.says")
	status=0
	cp --sparse=always target.img now.img
	(ulimit -v $limit; exec $FORGED_UNDER "$E2BFO" receive --memory 1M now.img) < "forged/$1.forged" \
		> out 2> said || status=$?
	[ $status = 8 ] || { echo "$1: status $status, expected 8: $(head -c 500 said)"; return 1; }
	grep -Eq "$says" said || { echo "$1: no message like $says: $(head -c 500 said)"; return 1; }
	is_as_before || { echo "$1: the target has changed: $(cat log)"; return 1; }
	grep -Eq 'while (reading|opening) ' said || { echo "$1: no place: $(cat said)"; return 1; }
}
FORGED_UNDER=${FORGED_UNDER:-}
failed=0
for file in forged/*.forged; do
	name=${file#*/}
	refused "${name%.forged}" || failed=$((failed + 1))
done
[ $failed = 0 ] || fail "$failed streams"
