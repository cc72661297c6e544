# SPDX-License-Identifier: GPL-2.0-or-later
# A filesystem and another one that differs a little, for tests/oracle/verify*.sh, which source it
# after lib.sh.

"$IMAGES/oddities" a.img
checks=0

# begin: a fresh copy to be changed
begin() {
	cp --sparse=always "${1:-a.img}" b.img
}

# named WHAT EXPECTED [OPTIONS...]: compares a.img, or $base, with b.img. EXPECTED is "PATH: WORD"
# per line, of all that is to be named.
named() {
	local what=$1 expected=$2 status=1

	shift 2
	[ -n "$expected" ] || status=0
	e2bfo $status verify -q -v "$@" "${base:-a.img}" b.img
	sed 's/^\(.*\): \([a-z]*\).*/\1: \2/' out | sort > actual
	printf '%s' "${expected:+$expected
}" | sort > expected
	diff expected actual > /dev/null || {
		diff expected actual | head -20
		fail "$what: not what was expected"
	}
	[ ! -s said ] || fail "$what: $(cat said)"
	checks=$((checks + 1))
}

# says_out PATTERN: the last run's standard output has a line like this.
says_out() {
	grep -Eq -e "$1" out || fail "no line like '$1': $(head -5 out)"
}

# changed WORD PATH COMMAND...: debugfs commands on a fresh copy; WORD of PATH is to be named.
changed() {
	local word=$1 path=$2

	shift 2
	begin
	debug b.img "$@"
	named "$*" "$path: $word"
}

# poke OFFSET HEX...: bytes of b.img
poke() {
	local at=$1

	shift
	printf "$(printf '\\x%s' "$@")" | dd of=b.img bs=1 seek="$at" conv=notrunc status=none
}

# flip OFFSET: one bit
flip() {
	poke "$1" "$(printf %02x $(($(od -An -tu1 -j "$1" -N 1 b.img) ^ 1)))"
}

# byte_at PATH N [BLOCKSIZE]: where byte N of a file stands in b.img
byte_at() {
	local size=${3:-4096} block

	block=$(ask b.img "bmap $1 $(($2 / size))" | cut -d ' ' -f 1)
	[ "$block" -gt 0 ] || fail "$1 has no block for byte $2"
	echo $((block * size + $2 % size))
}

made=mtime,atime,ctime,crtime,generation,version	# what every new file has of its own
