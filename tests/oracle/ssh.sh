#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Copies to and from another machine, which is this one by way of a real sshd: all arrives, whatever
# the path is called; what fails there fails here, with its status; a connection that breaks goes on
# where it came to; and who answers nonsense gets nothing but a failure.
. "$(dirname "$0")/../lib.sh"
requires root ssh /usr/sbin/sshd mke2fs e2fsck debugfs jq python3

there=$WORK/"a b'c"$'\n''"$(d)`e`"?'
url=$WORK/"a b'c%0a\"\$(d)\`e\`\"%3F"
mkdir "$there"

# ---- a machine ----

exec 5< <("$SRCDIR/tests/sshd" "$WORK/keys" one)
echo $! >> .state/processes
read -r port <&5
[ -n "$port" ] || fail "no sshd"

# rsh COMMAND...: e2bfo copies with ssh, or with what is said; e2bfo there is $far
far=$E2BFO
ssh="ssh -F $WORK/keys/client -T"
copy() {
	local status=$1

	shift
	e2bfo "$status" copy --rsh "$ssh" --remote-e2bfo "$far" "$@"
}

mkdir -p tree/top
cp -r "$SRCDIR/lib/base" tree/top/
python3 - <<- 'END'
	import random
	random.seed(7)
	for i in range(6):
	    open(f"tree/top/large-{i}", "wb").write(random.randbytes(1600000 + i))
END
ln tree/top/large-1 tree/top/link
ln -s large-2 tree/top/symlink
volume small.img 24M -d tree
before=$(digest small.img)

# ---- both ways ----

copy 0 --mkfs=-Oproject --size 40M small.img "ssh://one$url/new.img"
ln "$there/new.img" new.img		# e2fsck has its own opinion of a ?
checked new.img
e2bfo 0 verify small.img new.img
copy 0 --mkfs --size min "ssh://root@one:$port$url/new.img" back.img
checked back.img
e2bfo 0 verify small.img back.img
copy 0 small.img "ssh://one$url/"
rmdir "$there/lost+found"
rm "$there/new.img" new.img
diff -r tree "$there" || fail "a directory there"
[ "$there/top/link" -ef "$there/top/large-1" ] || fail "a hard link there"
volume sub.img 8M
copy 0 --from /top/base --to /sub tree "ssh://one$WORK/sub.img"
e2bfo 0 verify --from /top/base --to /sub/base tree sub.img
n=$(find tree/top/base -type f | wc -l)
copy 0 --skip-existing --from /top/base --to /sub tree "ssh://one$WORK/sub.img"
grep -q "^On one: files copied: 0, .* stay as they are: $n\.\$" out || fail "skipped: $(cat out)"
copy 0 --json --overwrite --from /top/base --to /sub tree "ssh://one$WORK/sub.img"
[ "$(jq .remote.plan.replaced out)" = "$n" ] || fail "replaced: $(cat out)"
checked sub.img
copy 0 --exclude 'large-*' "ssh://one$url/" found/
diff -r tree/top/base found/top/base || fail "a directory from there"
[ -z "$(find found -name 'large-*')" ] || fail "--exclude means nothing there"
copy 0 "ssh://one$WORK/small.img" tar:-
grep -q '^Copied' said || fail "no report: $(cat said)"
mv out small.tar
e2bfo 0 verify small.img small.tar
unchanged small.img "$before" "copies"

# ---- what fails there ----

volume little.img 4M
copy 8 small.img "ssh://one$WORK/little.img"
says '^e2bfo: one: .*while'
grep -q 'while copying on one' said && fail "said twice: $(cat said)"
copy 8 --json small.img "ssh://one$WORK/little.img"
jq -e '.code == "BFO_ET_NO_SPACE" and .status == 8 and .remote.status == 8 and
	.target_state == "as-before" and (.complete | not)' out > /dev/null || fail "$(cat out)"
checked little.img
copy 16 --no-xattrs '*' small.img "ssh://one$WORK/little.img"
copy 1 --mkfs=-I128 --size 40M --allow-loss all small.img "ssh://one$WORK/lossy.img"
says '^e2bfo: one: .* cannot'
checked lossy.img
rm lossy.img
copy 1 --json --mkfs=-I128 --size 40M --allow-loss all small.img "ssh://one$WORK/lossy.img"
jq -c '.remote.not_kept[]' out > kept-there
[ -s kept-there ] || fail "what could not be kept there is not told: $(cat out)"
"$E2BFO" send -q small.img | "$E2BFO" receive --json --mkfs=-I128 --size 40M --allow-loss all here.img \
	> out 2> said || :
jq -c '.not_kept[]' out > kept-here
same kept-here kept-there
rm here.img lossy.img
# An answer that is longer than a line may be is taken as far as that goes.
mkdir many
(cd many && printf "$(printf 'n%.0s' {1..220})%s\0" {1..2500} | xargs -0 touch)
copy 1 --json --mkfs=-I128 --size 40M --allow-loss all many "ssh://one$WORK/lossy.img"
jq -e '.complete and .status == 1 and .remote.cut and (.remote.not_kept | length > 2500)' out \
	> /dev/null || fail "a long answer: $(head -c 1000 out)"
copy 8 "ssh://one$WORK/missing.img" new.img
says '^e2bfo: one: No such file'
[ ! -e new.img ] || fail "something was made"
copy 0 -n --json --mkfs --size 40M small.img "ssh://one$WORK/new.img"
jq -e '.dry_run and .remote.plan.blocks_needed > 2000' out > /dev/null || fail "$(cat out)"
copy 0 -n --mkfs --size 40M small.img "ssh://one$WORK/new.img"
grep -q 'blocks: .* free' out || fail "no plan: $(cat out)"
copy 0 -n --mkfs --size 40M "ssh://one$WORK/small.img" new.img
[ ! -e new.img ] || fail "a dry run made something"

far=$WORK/nowhere copy 8 small.img "ssh://one$WORK/new.img"
says 'running .*/nowhere on one: it is not there'
far=$WORK/nowhere copy 8 "ssh://one$WORK/small.img" new.img
says 'running .*/nowhere on one: it is not there'
copy 8 small.img "ssh://one:1$WORK/new.img"
says '^e2bfo: one: ssh: ' 'no report came from there; ssh ended with status 255'
ssh=/nowhere copy 8 small.img "ssh://one$WORK/new.img"
says 'running /nowhere'
for bad in -oProxyCommand=x %2doProxyCommand=x '-l@one' '%2Dl@one' 'a:b@one' one:0 one:65536 \
	one:x 'o%00' 'o%0ae' 'o%zz' 'o;e' '$one' '[::1' ''; do
	copy 16 small.img "ssh://$bad/x"
done
copy 16 small.img ssh://one
copy 16 ssh://one/x ssh://one/y
copy 16 --keep-inodes small.img ssh://one/x
says '--keep-inodes is for copies on one machine'
copy 16 --files-from - ssh://one/x out/
copy 16 small.img new.img
says 'go with an end that is ssh'
[ ! -e ssh: ] && [ ! -e new.img ] || fail "something was made"

# answers WHAT: a machine that runs WHAT, a line of shell in which $command is what it should run
answers() {
	printf '%s\n' '#!/bin/bash' 'command=${!#}' '[ "${*: -3:2}" = "-- one" ] || exit 0' \
		"$1" > answers
	chmod +x answers
}

# ---- connections that break ----

# cut_there BYTES: of the first stream that comes there so much is taken, and then the connection is
# gone.
cut_there() {
	cat > cut-there <<- END
		#!/bin/bash
		[ "\$1" = receive ] && [ ! -e $WORK/was-cut ] || exec "$E2BFO" "\$@"
		: > $WORK/was-cut
		head -c $1 | "$E2BFO" receive --memory=1M "\${@:2}" > /dev/null 2>&1
		kill -KILL \$PPID
	END
	chmod +x cut-there
}
cut_there 5000000
# The same here, of either direction.
cat > cut-here <<- END
	#!/usr/bin/python3
	import os, subprocess, sys
	mark, words = "$WORK/was-cut", sys.argv[1:]
	open("$WORK/said-there", "a").write(words[-1] + "\n")
	if os.path.exists(mark) or " 'resume' " in words[-1]:
	    os.execvp("ssh", ["ssh", "-F", "$WORK/keys/client"] + words)
	open(mark, "w")
	sends = " 'send' " in words[-1]
	ssh = subprocess.Popen(["ssh", "-F", "$WORK/keys/client"] + words,
	                       **{"stdout" if sends else "stdin": subprocess.PIPE})
	source, drain = (ssh.stdout, sys.stdout.buffer) if sends else (sys.stdin.buffer, ssh.stdin)
	drain.write(source.read(5000000))
	drain.flush()
	ssh.kill()
	sys.exit(255)
END
chmod +x cut-here

# broken WHERE [OPTIONS...]: a copy whose first connection breaks; the target is got.img
broken() {
	rm -f was-cut got.img
	if [ "$1" = there ]; then
		far=$WORK/cut-there copy "${@:2}"
	else
		ssh=$WORK/cut-here copy "${@:2}"
	fi
	[ -e was-cut ] || fail "nothing was cut"
}
mkfs='--mkfs --size 40M'
for where in there here; do
	broken $where 0 $mkfs --retries 3 --json small.img "ssh://one$WORK/got.img"
	[ "$(jq .remote.attempts out)" -ge 2 ] || fail "$where: one attempt: $(cat out)"
	[ $where = here ] || {
		says 'it goes on where it came to'
		[ "$(jq .stream.bytes out)" -lt 7000000 ] || fail "all was sent again: $(cat out)"
	}
	checked got.img
	e2bfo 0 verify small.img got.img
	ls got.img.?????? 2> /dev/null && fail "something was left"
done
rm said-there
broken here 0 $mkfs --retries 1 --json --memory 1M "ssh://one$WORK/small.img" got.img
says 'it goes on where it came to'
[ "$(grep -c " 'send' .*--resume=e2bfo1:" said-there)" = 1 ] || fail "$(cat said-there)"
checked got.img
e2bfo 0 verify small.img got.img

# Without another attempt there is a token, which goes on by hand.
broken there 8 $mkfs small.img "ssh://one$WORK/got.img"
says 'no report came from there; ssh ended with status 255'
"$E2BFO" resume -n --json got.img > out
copy 0 --resume "$(jq -r .token out)" small.img "ssh://one$WORK/got.img"
e2bfo 0 verify small.img got.img
broken here 8 $mkfs --memory 1M "ssh://one$WORK/small.img" got.img
token=$(sed -n 's/.*to go on: e2bfo copy --resume \([^ ]*\) ssh:.*/\1/p' said)
[ ! -e got.img ] || fail "it is not complete, and has its name"
copy 0 --resume "$token" "ssh://one$WORK/small.img" got.img
e2bfo 0 verify small.img got.img

# The receiver alone has lost the stream: its answer has the token.
cat > short <<- END
	#!/bin/bash
	head -c 5000000 | exec "$E2BFO" receive --memory=1M "\${@:2}"
END
chmod +x short
rm got.img
far=$WORK/short copy 8 $mkfs small.img "ssh://one$WORK/got.img"
says 'there, while reading standard input: at byte'
token=$(sed -n 's/.*to go on: e2bfo copy --resume \([^ ]*\) .*/\1/p' said)
copy 0 --resume "$token" small.img "ssh://one$WORK/got.img"
e2bfo 0 verify small.img got.img
rm got.img
# It has not lost the stream, but has no room for it: that is no broken connection.
cat > full <<- END
	#!/bin/bash
	FAULT_TARGET=\${!#} FAULT_EVENT=write FAULT_HOW=ENOSPC FAULT_AT=13 FAULT_TIMES=0 \
		FAULT_COUNTS=$WORK/counts LD_PRELOAD=$BUILDDIR/tests/fault/shim.so \
		exec "$E2BFO" "\$1" --memory=1M "\${@:2}"
END
chmod +x full
volume got.img 32M
truncate -s 4096 counts
far=$WORK/full copy 8 --json --retries 3 small.img "ssh://one$WORK/got.img"
jq -e '.code == "ENOSPC" and .remote.attempts == 1 and .token' out > /dev/null || fail "$(cat out said)"
says 'one: No space left on device' 'to go on: e2bfo copy --resume'
rm got.img
far=$WORK/short copy 8 $mkfs --json --state later tree "ssh://one$WORK/got.img"
says "to go on: e2bfo copy --resume .* --state later tree ssh:"
copy 0 --resume "$(jq -r .token out)" --state later tree "ssh://one$WORK/got.img"
e2bfo 0 verify --from /top --to /top tree got.img
rm got.img
far=$WORK/short copy 8 $mkfs --json --retries 1 tree "ssh://one$WORK/got.img"
says 'this copy of a directory cannot be resumed'
jq -e '(.resumable | not) and (has("token") | not)' out > /dev/null || fail "$(cat out)"
e2bfo 0 abort got.img

# All was done, and nobody heard of it.
cut_there 100000000
broken there 1 $mkfs --retries 1 --json small.img "ssh://one$WORK/got.img"
says 'when all was done'
jq -e '.complete and .status == 1' out > /dev/null || fail "$(cat out)"
e2bfo 0 verify small.img got.img
answers 'sh -c "$command"; exit 255'
rm got.img
ssh=$WORK/answers copy 1 $mkfs "ssh://one$WORK/small.img" got.img
says 'when all was done'
e2bfo 0 verify small.img got.img

# Cancelled, while the other side takes its time.
answers 'head -c 100000 > /dev/null; kill -TERM $PPID; cat > /dev/null'
ssh=$WORK/answers copy 32 small.img ssh://one/x

# Of a directory it is kept what it was, so that it goes on, too; of a part of one it is not.
cut_there 5000000
broken there 0 $mkfs --retries 1 --json tree "ssh://one$WORK/got.img"
says 'it goes on where it came to'
[ "$(jq .stream.bytes out)" -lt 7000000 ] || fail "all of it was sent again: $(cat out)"
checked got.img
e2bfo 0 verify --from /top --to /top tree got.img
broken there 0 $mkfs --retries 1 --from /top tree "ssh://one$WORK/got.img"
says 'it begins again'
e2bfo 0 verify --from /top --to /top tree got.img
cut_there 100
broken there 0 $mkfs --retries 1 --state kept tree "ssh://one$WORK/got.img"
says 'it begins again'
[ "$(stat -c %a kept)" = 600 ] || fail "--state is not kept"
e2bfo 0 verify --from /top --to /top tree got.img
cut_there 5000000
broken there 8 $mkfs --retries 1 - "ssh://one$WORK/got.img" < /dev/null

# ---- who answers nonsense ----

measured() {
	/usr/bin/time -q -f %M -o size "$unmeasured" "$@"
}
unmeasured=$E2BFO

# nonsense [OPTIONS...]: a copy to there fails, and what is said is short and plain
nonsense() {
	ssh=$WORK/answers copy 8 "$@" small.img ssh://one/x
	[ "$(wc -c < said)" -lt 20000 ] || fail "$(wc -c < said) bytes are said"
	! grep -q '[[:cntrl:]]' said || fail "control characters: $(cat -v said)"
}
report='{"program": "e2bfo", "version": "0.0", "command": "receive", "status": 8, "complete": false'
answers 'printf "hello\033[2J\r\n\0\1\377{}\n{\"program\": \"e2bfo\"}\n[[[[" >&2; exit 3'
nonsense
says 'hello\\x1b\[2J' 'ended with status 3'
answers 'exit 0'
nonsense
answers 'head -c 1000000000 /dev/zero | tee /dev/stderr; exit 1'
E2BFO=measured nonsense --memory 1M
[ "$(cat size)" -lt 300000 ] || fail "a long line takes $(cat size) KB"
answers 'cat > /dev/null; exit 0'
nonsense
answers "cat > /dev/null; echo '${report/8/0}, \"resumable\": true}'; exit 0"
nonsense				# it says that it has not got all of it
answers "cat > /dev/null; echo '${report/false/true}}'; exit 0"
nonsense				# it says one thing and does another
whole=${report/false/true}
answers "cat > /dev/null; echo '${whole/8/0}}'; exit 3"
nonsense				# and the other way round
answers "echo '$report, \"code\": \"ENOSPC\", \"error\": \"\\u001b[1m\", \"while\": \"a\\u0007\"}'
	exit 8"
nonsense --json
jq -e '.code == "ENOSPC" and .remote.error == "\u001b[1m"' out > /dev/null || fail "$(cat out)"
says 'one has e2bfo 0.0, and this is'
answers 'echo "unrecognized option" >&2; exit 16'
ssh=$WORK/answers copy 16 small.img ssh://one/x
says 'is it another version'

# A token of something else, or none at all.
"$E2BFO" send -q small.img > stream
head -c 3000000 stream > cut.stream
volume other.img 32M
"$E2BFO" receive --json --memory 1M other.img < cut.stream > out 2> said || :
mine=$(jq -r .token out)
e2bfo 0 abort other.img
volume another.img 24M -d tree/top
"$E2BFO" send -q another.img > stream
head -c 3000000 stream > cut.stream
"$E2BFO" receive --json --memory 1M other.img < cut.stream > out 2> said || :
foreign=$(jq -r .token out)
for token in "$foreign" "${mine%?????}xxxxx" x "$mine$mine"; do
	answers "cat > got; case \$command in *resume*) echo '${report/receive/resume}}' ;; *)
		echo '$report, \"resumable\": true, \"token\": \"$token\"}' ;; esac; exit 8"
	nonsense
	! grep -q 'to go on' said || fail "the token of another stream is told: $(cat said)"
	nonsense --retries 1
	[ "$token" != "$foreign" ] || {
		says 'another token belongs to it'
		[ "$(wc -c < got)" -lt 100 ] || fail "data went to somebody with another token"
	}
done

# A source that is no stream, and a stream behind what a shell there says.
answers 'echo welcome; exec head -c 100000 /dev/urandom'
ssh=$WORK/answers copy 8 $mkfs ssh://one/x new.img
says 'not a stream'
[ ! -e new.img ] || fail "something was made"
unchanged small.img "$before" "broken copies"
