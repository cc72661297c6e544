#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What only an ordinary user's check does: images that mke2fs -d and fakeroot have filled, runs of
# the matrix and cuts that no kernel judges; it says what it leaves for root.
. "$(dirname "$0")/../lib.sh"
requires root setpriv fakeroot

mkdir tmp
chown 65534:65534 tmp
# (The sources and the build may lie where nobody can look.)
nobody() {
	CHECK_LEFT=$WORK/tmp/left TMPDIR=$WORK/tmp TEST_JOBS=1 setpriv --reuid=65534 --regid=65534 \
		--clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$@" \
		> out 2>&1 || fail "$*: $(tail -n 20 out)"
}

nobody "$SRCDIR/tests/run" hardlinks
grep -q '^ok hardlinks (.*), but for what only root can do$' out || fail "not said: $(cat out)"
nobody "$SRCDIR/tests/matrix/run" source-project
grep -q '^3 passed with: no kernel judge$' out || fail "not said: $(cat out)"
nobody "$SRCDIR/tests/fault/run" quick no-csum-1k-merge
[ "$(sed 's/^[0-9]*/N/' tmp/left)" = 'N scripts
N runs of matrix/run
N parts of fault/run' ] || fail "it leaves: $(cat tmp/left)"
[ -z "$(ls tmp | grep -v left)" ] || fail "it has not tidied up: $(ls tmp)"
