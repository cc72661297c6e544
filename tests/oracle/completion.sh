#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash completes behind the programs: all that the manual has of each command and nothing that
# the program does not know; words where an argument is one of some, files where it is one.
. "$(dirname "$0")/../lib.sh"
requires diff

. "$BUILDDIR/completions/e2bfo"
. "$BUILDDIR/completions/e2itree"
. "$BUILDDIR/completions/e2itree-run"
complete -p e2bfo e2itree e2itree-run > /dev/null || fail "nothing is completed"

# completed WORD...: what the last of them may become
completed() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	"_$1"
	printf '%s\n' "${COMPREPLY[@]}"
}

# manual PAGE: the options that have a paragraph in it
manual() {
	sed 's/\\-/-/g' "$SRCDIR/man/$1" |
		awk '/^\.TP/ { tag = 1; next } tag && /^\.(B|BR|BI) "?--?[a-z0-9]/; { tag = 0 }' |
		grep -oE -e '--[a-z0-9][a-z0-9-]*' | sort -u
}

# judged PAGE PROGRAM [COMMAND]
judged() {
	local page=$1 option program=$2

	shift
	completed "$@" - | sort -u > options
	[ "$(wc -l < options)" -gt 4 ] || fail "$*: $(cat options)"
	[ "$program" = e2bfo ] && program=$E2BFO || program=$E2ITREE
	while read -r option; do
		"$program" "${@:2}" "$option" > out 2>&1 < /dev/null || :
		! grep -qE 'unrecognized option|invalid option|ambiguous' out || fail "$*: no $option"
	done < options
	manual "$page" > wanted
	[ -z "$(comm -23 wanted options)" ] || fail "$*: not completed: $(comm -23 wanted options)"
}

commands=$(completed e2bfo '')
[ "$(wc -w <<< "$commands")" -ge 9 ] || fail "commands: $commands"
for command in $commands; do
	judged "e2bfo-$command.8" e2bfo "$command"
done
judged e2itree.8 e2itree
[ "$(completed e2bfo ver)" = verify ] || fail "ver: $(completed e2bfo ver)"
[ "$(completed e2bfo copy --dir)" = $'--direct\n--dir-fill' ] || fail "--dir"
for words in '--direct' '--direct ='; do
	# shellcheck disable=SC2086
	[ "$(completed e2bfo copy $words '')" = $'auto\nalways\nnever' ] || fail "$words: not its words"
done
[ "$(completed e2bfo copy --direct = a)" = $'auto\nalways' ] || fail "--direct=a"
[ -z "$(completed e2bfo copy --memory '')" ] || fail "--memory: $(completed e2bfo copy --memory '')"
touch 'an image'
for words in "copy" "copy --mapfile" "copy --mkfs" "copy a" "ls --json"; do
	# shellcheck disable=SC2086
	[ "$(completed e2bfo $words 'an')" = 'an image' ] || fail "$words: no file"
done
[ "$(completed e2itree -z an)" = 'an image' ] || fail "e2itree -z: no file"
[ "$(completed e2itree-run --mem)" = --memory ] || fail "e2itree-run: no option"
[ "$(completed e2itree-run an)" = 'an image' ] || fail "e2itree-run: no file"
