#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names that a casefolded directory cannot hold: those that are one with another, and, with
# encoding_flags=strict, those that are no UTF-8.  A stranger's stream or archive has them, or a
# volume that is damaged.  They are refused by their paths, or left; e2fsck finds a sound target.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs python3
export PYTHONPATH="$SRCDIR/tests/oracle"

# /d has these, and too many others for one block; /indexed has an index.
# made ENCODING
made() {
	python3 - "$1" <<- 'END'
		import sys
		import streamforge as f
		folded = dict(flags=0x40000000, encoding=int(sys.argv[1]))
		path = lambda name: b"d/" + name
		whole = [f.member(b"d", f.DIR, **folded)]
		for name in b"Name", b"name", b"Stra\xc3\x9fe", b"STRASSE", b"no \xff text":
		    whole.append(f.member(path(name), size=8) + f.extent(0, 8))
		whole += [f.member(path(b"NAME"), f.DIR), f.member(b"d/NAME/x"),
		          f.member(b"d/NAME/y", link=1, target=b"d/no \xff text")]
		whole += [f.member(path(b"other-%d" % i)) for i in range(2000)]
		whole += [f.member(path(b"other-\xff-%d" % i)) for i in range(300)]
		whole.append(f.member(b"indexed", f.DIR, **folded))
		whole += [f.member(b"indexed/UPPER-%d" % i) for i in range(1000)]
		whole.append(f.member(b"plain", f.DIR))
		whole += [f.member(b"plain/" + name) for name in (b"a", b"A", b"\xff")]
		data = b"Name\0\0\0\nname\0\0\0\nStrasse\nSTRASSE\nno text\n"
		open("stream", "wb").write(f.stream(f.root() + b"".join(whole) + f.over(), data))
	END
}

# names IMAGE DIRECTORY: those that it has, but for the crowd
names() {
	ask "$1" "ls -p $2" | cut -d / -f 6 | grep -ve '^\.*$' -e '^other-' -e '^lost+found$' | sort |
		paste -sd ,
}

# refused TARGET COMMAND...: by default, and what is lost is said; the target stays
refused() {
	local before target=$1

	shift
	before=$(digest "$target")
	e2bfo 8 "$@" --verbose
	says 'allow-loss=casefold-name' '/d/Name: ' '/d/name: '
	[ "$(digest "$target")" = "$before" ] || fail "$*: the target has changed"
}

strict='-O casefold -E encoding_flags=strict'
upper=$'NAME,STRASSE,no \xff text' text=NAME,STRASSE
made 1
volume strict.img 16M $strict
volume loose.img 16M -O casefold
volume plain.img 16M
refused strict.img copy stream strict.img
says '/d/no .+ text: '
refused loose.img copy stream loose.img
e2bfo 1 copy --verbose --allow-loss=casefold-name stream strict.img
says '/d/Name: name that ' '/d/no .+ text: name that '
checked strict.img
[ "$(names strict.img /d)" = "$text" ] || fail "$(names strict.img /d)"
e2bfo 1 copy --allow-loss=casefold-name --verify stream loose.img
checked loose.img
[ "$(names loose.img /d)" = "$upper" ] || fail "$(names loose.img /d)"
[ "$(names loose.img /plain)" = $'A,a,\xff' ] || fail "$(names loose.img /plain)"
[ "$(ask loose.img 'cat "/d/STRASSE"')" = STRASSE ] || fail "contents"
e2bfo 1 copy --allow-loss=casefold stream plain.img
checked plain.img
[ "$(names plain.img /d)" = $'NAME,Name,STRASSE,Stra\xc3\x9fe,name,no \xff text' ] ||
	fail "$(names plain.img /d)"

# What may be left is left by what arrives from a pipe, too; and from an archive, which has it all.
"$E2BFO" copy -q stream tar:a.tar || fail "to an archive"
volume strict.img 16M $strict
refused strict.img copy a.tar strict.img
fed a.tar
e2bfo 1 copy --allow-loss=casefold-name - strict.img
checked strict.img
[ "$(names strict.img /d)" = "$text" ] || fail "$(names strict.img /d)"

# A volume that is damaged like that.
volume source.img 16M $strict
debug source.img 'mkdir /d' 'set_inode_field /d flags 0x40080000'
for name in Name name NAME $'\xff'; do
	echo "$name" > file
	debug source.img "write file \"/d/$name\""
done
e2fsck -fn source.img > log 2>&1 && fail "the source is not damaged: $(cat log)"
volume strict.img 16M $strict
refused strict.img copy source.img strict.img
e2bfo 1 copy --allow-loss=casefold-name source.img strict.img
checked strict.img
[ "$(names strict.img /d)" = NAME ] || fail "$(names strict.img /d)"
[ "$(ask strict.img 'cat /d/NAME')" = NAME ] || fail "contents"

# An encoding that nobody knows: such a directory is an ordinary one, and so is its index.
made 77
volume strict.img 16M $strict
e2bfo 8 copy stream strict.img
says 'allow-loss=casefold would'
e2bfo 1 copy --allow-loss=casefold stream strict.img
checked strict.img
ask strict.img 'stat /indexed' | grep -q 'Flags: 0x81000' || fail "$(ask strict.img 'stat /indexed')"
[ "$(names strict.img /d)" = $'NAME,Name,STRASSE,Stra\xc3\x9fe,name,no \xff text' ] ||
	fail "$(names strict.img /d)"
