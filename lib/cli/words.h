/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - a line into words, quoted as a shell has it
 *
 *   put 'my file' "/a b"  # comment		put | my file | /a b
 *
 * Blanks and tabs stand between words.  Between single quotes all is as it stands; between double
 * quotes a backslash takes its meaning from " \ $ and `, and stays before anything else; outside of
 * quotes it takes the meaning from any character.  "#" at the beginning of a word begins a comment.
 * Nothing is expanded: $, *, ~, | and the like are characters as others.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "base/vec.h"

/* Zeroed at first.  What it held goes with the next line. */
struct words {
	BFO_VEC(const char *) v;	/* each ends in NUL */
	bfo_chars text;			/* that they point into */
};

/*
 * Takes the LEN bytes at LINE, in which there is no NUL, apart.  ENOMEM; EINVAL, and at *WHY the
 * reason.
 */
errcode_t words_split(struct words *w, const char *line, size_t len, const char **why);
void words_free(struct words *w);

/*
 * WORD so that sh(1) takes it for one word: as it stands, if that will do, else between quotes.
 * NULL: no memory.  free() it.
 */
char *words_quote(const char *word);

#endif
