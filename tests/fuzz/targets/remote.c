// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote.c - what comes from, and goes to, another machine: ends that are ssh://, words for the
 * shell there, answers
 *
 * The first byte chooses; of answers it is also the size of the pieces in which they come.
 */
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"
#include "cli/words.h"
#include "e2bfo/copy/remote_answer.h"
#include "e2bfo/copy/remote_command.h"

/* ---- an end ---- */

static void check_word(const char *word)
{
	if (!*word || *word == '-' || strpbrk(word, " \t\n'\"`$\\;&|<>()"))
		fuzz_fail("a word for ssh: '%s'", word);
}

static void read_spec(const char *text)
{
	struct remote_spec spec;
	const char *why = NULL;
	errcode_t err;

	if (!remote_spec_is(text))
		return;
	err = remote_spec_read(&spec, text, &why);
	if (err && !why)
		fuzz_fail("no reason");
	if (!err) {
		check_word(spec.host);
		if (spec.user)
			check_word(spec.user);
		if (spec.port && (atoi(spec.port) < 1 || atoi(spec.port) > 65535))
			fuzz_fail("port %s", spec.port);
		if (*spec.end != '/' && strncmp(spec.end, "dir:/", 5) &&
		    strncmp(spec.end, "file:/", 6) && strncmp(spec.end, "file?", 5))
			fuzz_fail("no absolute path: %s", spec.end);
	}
	remote_spec_free(&spec);
}

/* ---- words ---- */

/* What sh(1) makes of LINE, which has but single quotes, \' and blanks, is WORD and no more. */
static void unquote(const char *line, const char *word)
{
	int quoted = 0;

	for (; *line; line++) {
		if (*line == '\'') {
			quoted = !quoted;
		} else if (!quoted && *line == '\\') {
			if (*++line != *word++)
				fuzz_fail("another character behind a backslash");
		} else if (!quoted) {
			fuzz_fail("'%c' stands in no quotes", *line);
		} else if (*line != *word++) {
			fuzz_fail("another word");
		}
	}
	if (quoted || *word)
		fuzz_fail("the word does not end where its quotes do");
}

/* All that stands in a line as it may be said here, words and all, and as one word. */
static void quote(const char *text)
{
	bfo_chars line = { .v = NULL };
	struct words words = { .v = { .v = NULL } };
	const char *why;
	size_t i;

	if (remote_quote(&line, text))
		return;
	unquote(line.v, text);
	if (!words_split(&words, text, strlen(text), &why))
		for (i = 0; i < words.v.n; i++) {
			line.n = 0;
			if (!remote_quote(&line, words.v.v[i]))
				unquote(line.v, words.v.v[i]);
		}
	words_free(&words);
	bfo_vec_free(&line);
}

/* ---- answers ---- */

struct seen {
	uint64_t texts, bytes, progresses, share;
};

static void on_text(void *priv, const char *text)
{
	struct seen *s = priv;

	if (!*text || strlen(text) > REMOTE_TEXT_MOST || strchr(text, '\n'))
		fuzz_fail("a text of %zu bytes", strlen(text));
	s->texts++;
	s->bytes = s->bytes * 31 + strlen(text) + text[strlen(text) / 2];
}

static void on_progress(void *priv, const struct bfo_progress *p)
{
	struct seen *s = priv;

	if (p->stage > BFO_STAGE_LIST || p->part > BFO_STAGE_LIST)
		fuzz_fail("no stage");
	s->progresses++;
	s->share += p->done ^ p->total;
}

static void check_report(const struct remote_report *r)
{
	struct bfo_stream_token token;
	struct remote_finding f;
	size_t at = 0, bytes = 0;

	if (!r->is_there)
		return;
	while (remote_report_finding(r, &at, &f))
		bytes += strlen(f.kind) + f.len + f.path[f.len];
	if (bytes > REMOTE_LINE_MOST)
		fuzz_fail("findings have %zu bytes", bytes);
	if (r->status < 0 || r->status > 255)
		fuzz_fail("status %d", r->status);
	if (*r->token && !bfo_stream_get_token(r->token, &token))
		fuzz_fail("token %s", r->token);
	if (!memchr(r->what, 0, sizeof(r->what)) || !memchr(r->error, 0, sizeof(r->error)))
		fuzz_fail("a text without an end");
}

static struct seen answer(const char *bytes, size_t len, size_t piece, struct remote_report *r)
{
	struct seen seen = { .texts = 0 };
	const struct remote_take take = { on_text, on_progress, &seen };
	struct remote_answer a = { .is_long = 0 };
	size_t n;

	for (; len; bytes += n, len -= n) {
		n = piece && piece < len ? piece : len;
		if (remote_answer_feed(&a, bytes, n, &take, r))
			break;
	}
	remote_answer_end(&a, &take, r);
	remote_answer_free(&a);
	return seen;
}

static void read_answers(const char *bytes, size_t len, size_t piece)
{
	struct remote_report whole = { .is_there = 0 }, parts = { .is_there = 0 };
	struct seen a = answer(bytes, len, 0, &whole), b = answer(bytes, len, piece, &parts);

	check_report(&whole);
	if (memcmp(&a, &b, sizeof(a)) || whole.is_there != parts.is_there ||
	    whole.status != parts.status || strcmp(whole.token, parts.token) ||
	    strcmp(whole.what, parts.what))
		fuzz_fail("it depends on the pieces in which it comes");
	remote_report_free(&whole);
	remote_report_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	if (*data == 's')
		read_spec(text);
	else if (*data == 'w')
		quote(text);
	else
		read_answers(text, size - 1, *data % 32 + 1);
	free(text);
	return 0;
}
