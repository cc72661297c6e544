#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A fifo that nobody writes to, and a pipe in which nothing comes: who waits for them is ended by
# the first signal, whenever it comes, and nothing was done.  What does come is taken.
. "$(dirname "$0")/../lib.sh"
requires mke2fs e2fsck debugfs perl

# told ARGUMENTS...: e2bfo, whose standard input is a pipe that says nothing, gets SIGTERM as soon
# as it has a handler; whoever does not end is killed
told() {
	local status=0

	perl -e '
		pipe(my $in, my $out) // die;
		my $pid = fork() // die;
		if (!$pid) {
			open(STDIN, "<&", $in);
			close($out);
			exec(@ARGV) || die;
		}
		$SIG{ALRM} = sub { kill(KILL => $pid) };
		alarm(60);
		for (my $is_ready = 0; !$is_ready;) {
			open(my $f, "<", "/proc/$pid/status") || die;
			$is_ready = grep { /^State:\s*Z/ ||
				(/^SigCgt:\s*(\S+)/ && hex($1) >> 14 & 1) } <$f>;
		}
		kill(TERM => $pid);
		waitpid($pid, 0);
		exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' \
		"$E2BFO" "$@" > out 2> said || status=$?
	[ $status = 32 ] || fail "$*: exit $status: $(cat said)"
	says 'cancelled'
}

mkfifo pipe
mkdir tree
echo text > tree/text
volume start.img 16M
cp start.img image.img
echo 'put pipe /new' > from-fifo
echo 'put - /new' > from-stdin
told batch image.img from-fifo
told batch image.img from-stdin
told batch image.img pipe
told batch --tar pipe image.img
told copy tar:pipe image.img
told copy stream:pipe image.img
told verify stream:pipe image.img
told stream pipe
told batch image.img
cmp start.img image.img || fail "the volume has changed"

# comes FILE: out of the fifo
comes() {
	cat "$1" > pipe &
}
comes tree/text
e2bfo 0 batch image.img from-fifo
echo more > more
echo 'append more /new' > script
comes script
e2bfo 0 batch image.img pipe
checked image.img
[ "$(ask image.img 'cat /new')" = $'text\nmore' ] || fail "what came: $(ask image.img 'cat /new')"
tar -cf tree.tar tree
comes tree.tar
e2bfo 0 batch --tar pipe image.img
checked image.img
[ "$(ask image.img 'cat /tree/text')" = text ] || fail "the archive"
