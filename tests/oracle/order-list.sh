#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# "e2bfo order" and "copy --order list:" are the two steps that "copy --order refs" and "trace:"
# take at once: the targets are the same, byte for byte.  Groups in a list mean what they say.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl cmp

export SOURCE_DATE_EPOCH=1700000000
pinned=--mkfs='-U 6f0b5a52-3a0e-4c51-9a3f-0d5be2b9c0a1'
newline=$'a\nb'

mkdir -p tree/d{1..6}/sub
perl -e '
	srand(5);
	sub put {
		open(my $out, ">", "tree/$_[0]") or die;
		print $out $_[1], "x" x rand(9000);
	}
	for my $d (1 .. 6) {
		put("d$d/f$_", "") for 1 .. 40;
		put("d$d/index.html", "<img src=f" . (7 + $d) . "><link rel=stylesheet href=/d" . (7 - $d) .
			"/sub/s.css><a href=other.html>");
		put("d$d/other.html", "<img src=f30><img src=f31>");
		put("d$d/sub/s.css", "x { background: url(../f$d) }\n");
		put("d$d/a.c", "#include \"sub/a.h\"\n");
		put("d$d/sub/a.h", "\n");
	}'
volume source.img 32M -d tree
perl -e '
	srand(6);
	for (1 .. 4) {
		print "/d1/f3\n/d5/sub/a.h\n/d2/f9\n/none\n", map { "/d" . int(1 + rand(6)) . "/f$_\n" } 1 .. 30;
	}' > trace

# both NAME OPTION ORDER...: the list of "order OPTION..." gives what "--order ORDER" gives
both() {
	local name=$1 order=$2

	shift 2
	e2bfo 0 order -q "$@" source.img
	mv out "$name.list"
	e2bfo 0 order -q -0 "$@" source.img
	mv out "$name.list0"
	grep -q . "$name.list" || fail "$name: an empty list"
	e2bfo 0 copy "$pinned" --size 40M --order "$order" source.img "$name-direct.img"
	e2bfo 0 copy "$pinned" --size 40M --order "list:$name.list" source.img "$name-listed.img"
	same "$name-direct.img" "$name-listed.img"
	e2bfo 0 copy "$pinned" --size 40M --order "list:$name.list0" --from0 source.img "$name-listed0.img"
	same "$name-direct.img" "$name-listed0.img"
	checked "$name-listed.img"
	tr '\0' '\n' < "$name.list0" > lines
	same "$name.list" lines
}

both refs refs --refs
both deep refs:1 --refs=1
both trace trace:trace --trace trace
e2bfo 0 copy "$pinned" --size 40M source.img plain.img
! cmp -s plain.img refs-direct.img || fail "the order changes nothing"

# Groups are more than an order: directories come in front of them.
grep . refs.list > refs.flat
e2bfo 0 copy "$pinned" --size 40M --order list:refs.flat source.img flat.img
! cmp -s flat.img refs-direct.img || fail "groups change nothing"

# Empty lines more or less, at the beginning and between, are the same groups; a list that ends
# without one ends with files in no group.
{ echo; sed 's/^$/\n/' refs.list; } > refs.spaced
e2bfo 0 copy "$pinned" --size 40M --order list:refs.spaced source.img spaced.img
same spaced.img refs-direct.img
printf '/d1/f1\n/d6/f2\n' > ungrouped
printf '/d1/f1\n/d6/f2\n\n' > grouped
for name in ungrouped grouped; do
	e2bfo 0 copy "$pinned" --size 40M --order list:$name source.img $name.img
done
number() {
	debugfs -R "stat $2" "$1" 2> /dev/null | sed -n 's/^Inode: \([0-9]*\).*/\1/p'
}
[ "$(number ungrouped.img /d1/f1)" -lt "$(number ungrouped.img /d1)" ] ||
	fail "ungrouped: /d1 comes first"
[ "$(number grouped.img /d1)" -lt "$(number grouped.img /d1/f1)" ] || fail "grouped: /d1 comes late"
[ "$(number grouped.img /d1/f1)" = $(($(number grouped.img /d6/f2) - 1)) ] ||
	fail "grouped: not together"

# A name with a newline has no place in lines, and one with NULs.
mkdir -p odd
printf '<img src="%%0a">' > odd/index.html
printf '#include "%s"\n' h.h > "odd/$newline.c"
touch odd/h.h
volume odd.img 8M -d odd
e2bfo 8 order --refs odd.img
[ ! -s out ] || fail "a list was begun: $(cat out)"
e2bfo 0 order -q -0 --refs odd.img
tr '\0\n' '\n#' < out > lines
printf '/a#b.c\n/h.h\n\n' > wanted
same wanted lines
