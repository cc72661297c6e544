# SPDX-License-Identifier: GPL-2.0-or-later
# Where things lie on a volume, for tests/oracle/order*.sh, which source it after lib.sh.

# places IMAGE LIST: a line for each path of LIST: inode number, first and last block or -, path
places() {
	mounted "$1" mnt
	(cd mnt && sed 's,^/,,' "../$2" | xargs -d '\n' stat -c %i) > numbers
	unmounted mnt
	sed 's/.*/blocks <&>/' numbers > commands
	debugfs -f commands "$1" 2> /dev/null | perl -ne '
		if (/^debugfs: blocks <(\d+)>/) {
			print "$ino - -\n" if defined($ino);
			$ino = $1;
		} elsif (/\d/ && defined($ino)) {
			my @b = split(" ");
			print "$ino $b[0] $b[-1]\n";
			$ino = undef;
		}
		END { print "$ino - -\n" if defined($ino); }' > blocks
	[ "$(wc -l < blocks)" = "$(wc -l < "$2")" ] || fail "no places of $2"
	paste -d ' ' blocks "$2"
}

# rising WHAT [closely]: the places on standard input ascend, in numbers and blocks; closely:
# without a gap
rising() {
	perl -e '
		my ($closely, $ino, $last, $n) = (shift, 0, 0, 0);
		while (<STDIN>) {
			my ($i, $from, $to, $path) = split(" ");
			die "inode $i of $path after $ino\n" if $i <= $ino || ($closely && $n && $i != $ino + 1);
			($ino, $n) = ($i, $n + 1);
			next if $from eq "-";
			die "block $from of $path after $last\n"
				if $from <= $last || ($closely && $last && $from != $last + 1);
			$last = $to;
		}
		die "nothing\n" if $n < 2;' "${2:-}" || fail "$1"
}
