#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The library as it is installed: nothing but e2bfo_* can be seen of it, C and C++ take its header,
# the examples are built with what pkg-config says, against the shared and the static library, and
# do their work; what programs rely on is what stands in tests/abi.  Of a build with
# --disable-shared that is tried with the static library.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck make pkg-config cc c++ nm readelf perl wc
unset MAKEFLAGS MFLAGS MAKELEVEL

# setting NAME: as the build has it
setting() {
	sed -n "s/^$1[ \t]*= *//p" "$BUILDDIR/lib/MCONFIG"
}
CC=$(setting CC)
# what a sanitizer has put into the library has to be in the programs, too
read -ra sanitize <<< "$(setting SANITIZE)"

quietly make -C "$BUILDDIR" install DESTDIR="$WORK/root"
pc=$(find root -name e2bfo.pc)
export PKG_CONFIG_PATH=$WORK/$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$WORK/root
libs=$(dirname "$(dirname "$pc")")
[ "$(pkg-config --modversion e2bfo)" = "$("$E2BFO" --version | awk 'NR == 1 { print $2 }')" ] ||
	fail "e2bfo.pc has another version: $(pkg-config --modversion e2bfo)"

# ---- what can be seen ----
if [ "$(setting SHARED)" = yes ]; then
	nm -D --defined-only --with-symbol-versions "$libs/libe2bfo.so.0" > symbols
	grep -v -e ' T e2bfo_[a-z_]*@@E2BFO_0$' -e ' A E2BFO_0$' symbols &&
		fail "libe2bfo.so has these, too"
	grep -q 'e2bfo_copy@@' symbols || fail "no e2bfo_copy in libe2bfo.so"
	readelf -d "$libs/libe2bfo.so.0" > dynamic
	grep -q 'SONAME.*\[libe2bfo.so.0\]' dynamic || fail "no SONAME"
else
	[ ! -e "$libs/libe2bfo.so.0" ] || fail "libe2bfo.so was installed"
fi
nm -g --defined-only "$libs/libe2bfo.a" | awk 'NF == 3' > symbols
grep -v ' T e2bfo_' symbols && fail "libe2bfo.a has these, too"

# ---- each call has its page ----
sed -n 's/.* T \(e2bfo_[a-z_]*\)$/\1/p' symbols > calls
while read -r call; do
	[ -e "$(find root -name "$call.3")" ] || fail "no page for $call"
done < calls
[ -s calls ] || fail "no calls"

# ---- the header ----
cat > header.c <<-'END'
	#include <e2bfo/e2bfo.h>
	#include <e2bfo/e2bfo.h>
	int main(void)
	{
		struct e2bfo_copy_options o = { sizeof(o), E2BFO_COPY_MKFS };
		struct e2bfo_end end = { sizeof(end), E2BFO_VOLUME };
		e2bfo *c = e2bfo_new();
		e2bfo_err err = e2bfo_copy(c, &end, &end, &o, NULL);

		e2bfo_free(c);
		return err == 22 ? 0 : 1;
	}
END
cp header.c header.cc
warnings="-Wall -Wextra -Wno-missing-field-initializers -pedantic -Werror"
for std in c99 c11; do
	$CC -std=$std $warnings -c -o header.o header.c $(pkg-config --cflags e2bfo) || fail "$std"
done
for std in c++11 c++17; do
	c++ -std=$std $warnings -o header header.cc "${sanitize[@]}" \
		$(pkg-config --cflags --static --libs e2bfo) || fail "$std"
done
LD_LIBRARY_PATH=$libs ./header || fail "a C++ program"

# ---- the examples ----
mkdir -p tree/deep/er
seq 100000 > tree/deep/numbers
printf 'one two\tthree\nfour' > tree/deep/er/few
ln tree/deep/er/few tree/deep/again
ln -s deep/numbers tree/link
: > tree/empty
volume source.img 16M -d tree
volume target.img 16M
words=$(cat tree/deep/numbers tree/deep/er/few | wc -w)

# examples FOLDER: those of FOLDER do what they should
examples() {
	cp target.img copy.img
	"$1/copy-two" source.img copy.img || fail "$1/copy-two: exit $?"
	checked copy.img
	e2bfo 0 verify source.img copy.img
	[ "$("$1/wordcount" copy.img)" = "$words words in 3 files" ] ||
		fail "$1/wordcount: $("$1/wordcount" copy.img), not $words"
	[ "$("$1/wordcount" copy.img /deep/er)" = "4 words in 1 files" ] ||
		fail "$1/wordcount of a directory: $("$1/wordcount" copy.img /deep/er)"
	"$1/drop-files" copy.img /new/mails tree/deep/numbers tree/deep/er/few > dropped ||
		fail "$1/drop-files: exit $?"
	checked copy.img
	ask copy.img "dump /new/mails/numbers dropped"
	cmp dropped tree/deep/numbers || fail "$1/drop-files: another content"
	cp copy.img before.img
	! "$1/drop-files" copy.img /new/mails tree/deep/er/few tree/nothing 2> said ||
		fail "$1/drop-files: a file that is not there"
	cmp before.img copy.img || fail "$1/drop-files: not all or none"
}

# built FOLDER FLAGS...: all of them into FOLDER
built() {
	local folder=$1 source

	shift
	mkdir "$folder"
	for source in "$SRCDIR"/extras/*.c; do
		$CC -Wall -Wextra -Werror "${sanitize[@]}" -o "$folder/$(basename "$source" .c)" \
			"$source" "$@" || fail "$source: $*"
	done
}
if [ "$(setting SHARED)" = yes ]; then
	built shared $(pkg-config --cflags --libs e2bfo)
	export LD_LIBRARY_PATH=$WORK/$libs
	ldd shared/wordcount > needed
	grep -q "libe2bfo.so.0 => $LD_LIBRARY_PATH/" needed || fail "not linked: $(cat needed)"
	examples shared
	unset LD_LIBRARY_PATH
	rm "$libs"/libe2bfo.so*
fi
built static $(pkg-config --cflags --static --libs e2bfo)
examples static

# ---- what programs rely on ----
[ "$(setting SHARED)" = yes ] || exit 0
CC=$CC CFLAGS="-I$BUILDDIR/lib -I$SRCDIR/lib" "$SRCDIR/tests/abi/dump" \
	"$BUILDDIR/lib/public/libe2bfo.so.0" "$SRCDIR/lib/e2bfo/e2bfo.h" \
	"$BUILDDIR/lib/e2bfo/errors.h" > abi
diff -u "$SRCDIR/tests/abi/libe2bfo.abi" abi > changes || {
	head -40 changes
	fail "the interface has changed: 'make abi', and commit tests/abi/libe2bfo.abi with it"
}
