// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - a line into words, quoted as a shell has it
 *
 * A word never takes more bytes than what it was made of, and each is followed by something that
 * is none of it: so all words, with their NULs, fit into one byte more than the line has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/words.h"

/* Where in the line, and where in the text. */
struct splitter {
	const char *at, *end;
	char *out;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Behind a single quote. */
static const char *take_single(struct splitter *s)
{
	const char *close = memchr(s->at, '\'', s->end - s->at);

	if (!close)
		return "a ' is not closed";
	memcpy(s->out, s->at, close - s->at);
	s->out += close - s->at;
	s->at = close + 1;
	return NULL;
}

/* Behind a double quote. */
static const char *take_double(struct splitter *s)
{
	for (; s->at < s->end && *s->at != '"'; s->at++) {
		if (*s->at == '\\' && s->end - s->at > 1 && strchr("\"\\$`", s->at[1]))
			s->at++;
		*s->out++ = *s->at;
	}
	if (s->at == s->end)
		return "a \" is not closed";
	s->at++;
	return NULL;
}

static const char *take_word(struct splitter *s)
{
	const char *why = NULL;
	char c;

	while (!why && s->at < s->end && !is_blank(*s->at)) {
		c = *s->at++;
		if (c == '\'')
			why = take_single(s);
		else if (c == '"')
			why = take_double(s);
		else if (c == '\\' && s->at == s->end)
			why = "nothing stands behind the \\ at its end";
		else
			*s->out++ = c == '\\' ? *s->at++ : c;
	}
	*s->out++ = 0;
	return why;
}

errcode_t words_split(struct words *w, const char *line, size_t len, const char **why)
{
	struct splitter s = { .at = line, .end = line + len };
	errcode_t err;

	w->v.n = 0;
	w->text.n = 0;
	*why = NULL;
	err = bfo_vec_reserve(&w->text, len + 1);
	s.out = w->text.v;
	while (!err) {
		while (s.at < s.end && is_blank(*s.at))
			s.at++;
		if (s.at == s.end || *s.at == '#')
			return 0;
		err = bfo_vec_push(&w->v, (const char *) s.out);
		if (!err && (*why = take_word(&s)))
			err = EINVAL;
	}
	return err;
}

void words_free(struct words *w)
{
	bfo_vec_free(&w->v);
	bfo_vec_free(&w->text);
}

/* Between single quotes all is as it stands but a single quote, which stands between two others. */
char *words_quote(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "+,-./:=@_%", quote[] = "'\\''";
	char *text, *to;

	if (*word && !word[strspn(word, plain)])
		return strdup(word);
	text = to = malloc(4 * strlen(word) + 3);
	if (!text)
		return NULL;
	for (*to++ = '\''; *word; word++)
		if (*word == '\'')
			to = stpcpy(to, quote);
		else
			*to++ = *word;
	strcpy(to, "'");
	return text;
}
