#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --exclude and --files-from: the same trees as rsync makes of the mounted source with the same
# patterns and lists, by mode, owner, number of links, time, size and content.
. "$(dirname "$0")/../lib.sh"
requires root mke2fs e2fsck losetup perl rsync

volume source.img 200M
mounted source.img mnt rw,noatime
perl -e '
	srand(5);
	chdir("mnt") or die;
	my @dirs = (".");
	my @words = ("a", "b", "cache", "lib", "x.o", "y.c", ".hidden", "tmp", "log-1", "log-2", "a b", "[x]",
		"#x");
	for (1 .. 300) {
		my $d = $dirs[rand @dirs] . "/" . $words[rand @words];
		mkdir($d, 0700 + int(rand(64))) and push(@dirs, $d);
	}
	my @files;
	for (1 .. 3000) {
		my $n = $dirs[rand @dirs] . "/" . $words[rand @words] .
			(rand() < .5 ? "" : int(rand(30)));
		next if -e $n;
		if (@files && rand() < .1) { link($files[rand @files], $n) or die; next }
		open(my $f, ">", $n) or die "$n: $!";
		print $f "x" x rand(9000);
		push(@files, $n);
		utime(1e9, 1e9 + int(rand(1e8)), $n);
	}
	utime(1e9, 1e9 + int(rand(1e8)), $_) for reverse @dirs;'
rmdir mnt/lost+found
find mnt -mindepth 1 -printf '%P\n' | sort > all
[ "$(wc -l < all)" -gt 1500 ] || fail "only $(wc -l < all) names"

# e2bfo reads one image while another one like it is mounted.
unmounted mnt
cp --sparse=always source.img seen.img
mounted seen.img mnt

# same_as_rsync WHAT [OPTIONS of both]: into places of their own, compared. $more: options of
# rsync alone; $few: may be few files.
same_as_rsync() {
	local what=$1

	shift
	volume part.img 100M
	e2bfo 0 copy "$@" source.img part.img
	checked part.img
	rm -rf theirs
	mkdir theirs
	rsync -aHAX $more "$@" mnt/ theirs/ || fail "rsync, $what"
	mounted part.img mnt-part
	(cd mnt-part && find . -mindepth 1 ! -name lost+found \
		-printf '%P %M %U:%G %n %T@ %s %y\n' | sed 's/ [0-9]* d$/ d/' | sort) > ours
	(cd theirs && find . -mindepth 1 -printf '%P %M %U:%G %n %T@ %s %y\n' |
		sed 's/ [0-9]* d$/ d/' | sort) > rsyncs
	same ours rsyncs
	diff -r --exclude=lost+found mnt-part theirs > differences ||
		fail "$what: $(head -3 differences)"
	unmounted mnt-part
	[ "$(wc -l < ours)" -lt "$(wc -l < all)" ] || fail "$what: nothing was left out"
	[ -n "$few" ] || [ "$(wc -l < ours)" -gt 20 ] || fail "$what: hardly anything was copied"
}

more='' few=''
same_as_rsync suffix --exclude='*.o'
same_as_rsync anchored --exclude=/a --exclude=/b/
same_as_rsync directories --exclude=cache/
same_as_rsync path --exclude=a/b --exclude='lib/*.c'
same_as_rsync bracket --exclude='log-[!1]*' --exclude='\[x\]' --exclude='[a-b]?'
same_as_rsync below --exclude='/a/**' --exclude='/lib/*'
same_as_rsync deep --exclude='/a**/tmp' --exclude='/lib/**/cache'
same_as_rsync dots --exclude='.*'
same_as_rsync space --exclude='a b'
printf '#x\n; another\n\ncache/\n*.c\n/tmp\n' > patterns
same_as_rsync patterns --exclude-from=patterns --exclude=x.o
printf 'cache/\0*.c\0log-2\0' > patterns
same_as_rsync "patterns by NUL" --from0 --exclude-from=patterns
few=1 same_as_rsync nothing --exclude='/*'

# Lists: files, directories that come whole (-r: rsync needs telling), both, with excludes.
perl -ne 'BEGIN { srand(3) } print if rand() < .1' all |
	sed 's,^#,./#,' > list	# for rsync lists of paths have comments, too
more=-r
same_as_rsync list --files-from=list
cp list long
# (rsync does not hold patterns against the directories that lead to what is listed, and leaves
# them out if that itself is excluded.)
grep -v '\.c/\|\.c$\|cache/\|cache$' long > list
same_as_rsync "list and patterns" --files-from=list --exclude='*.c' --exclude=cache/
cp long list
tr '\n' '\0' < list > list0
same_as_rsync "list by NUL" --from0 --files-from=list0
sed 's,^,./,; s,$,/,' list | while read -r name; do
	[ ! -d "mnt/$name" ] || echo "$name"
done > dirs
few=1 same_as_rsync "directories" --files-from=dirs
few=1
head -5 all | sed "s,^#,./#," > list
same_as_rsync "standard input" --files-from=list
cp part.img same.img
volume part.img 100M
"$E2BFO" copy -q --files-from=- source.img part.img < list || fail "--files-from=-"
mounted part.img mnt-part
mounted same.img mnt-same
diff <(find mnt-part -printf '%P\n' | sort) <(find mnt-same -printf '%P\n' | sort) ||
	fail "by standard input"
unmounted mnt-part
unmounted mnt-same

# Files with further names outside: notes and no findings; here they are found with find.
volume part.img 100M
e2bfo 0 copy --exclude='*.o' --exclude=cache/ source.img part.img
inodes() {
	(cd "$1" && find . -type f -links +1 -printf '%i %n %P\n' | sort)
}
inodes mnt | perl -ne '($i, $n, $p) = split / /, $_, 3;
	$names{$i} = $n; $has{$i}++ unless "/$p" =~ m{\.o(/|\n)} || "/$p" =~ m{/cache/};
	$has{$i} += 0;
	END { for (sort { $a <=> $b } keys %names) {
		print "$_ $names{$_} $has{$_}\n" if $has{$_} && $has{$_} < $names{$_} } }' > expect
[ "$(wc -l < expect)" -gt 5 ] || fail "hardly any links outside"
grep -q "^$(wc -l < expect) files have further hard links outside of what was copied.$" out ||
	fail "no such note: $(cat out)"
volume part.img 100M
e2bfo 0 copy --json --exclude='*.o' --exclude=cache/ source.img part.img
grep -q '"not_kept": \[\]' out || fail "findings"
grep -o '"inode": [0-9]*, "names": [0-9]*, "copied": [0-9]*' out | tr -dc '0-9 \n' |
	awk '{ print $1, $2, $3 }' | sort -n > got
same expect got
unmounted mnt

# What is excluded is not read: damage in it is no finding, and with it, it is.
dir=$(grep -m 1 '/cache/[^/]*$' all)
debug source.img "set_inode_field \"/$dir\" mode 0"
volume part.img 100M
e2bfo 1 copy source.img part.img
says 'inode has no valid type'
volume part.img 100M
e2bfo 0 copy --exclude=cache/ source.img part.img
[ ! -s said ] || fail "a message about what is excluded"
volume part.img 100M
e2bfo 8 copy --from "/$(head -1 all)" --exclude="/$(head -1 all)" source.img part.img
says 'is excluded'
