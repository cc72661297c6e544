// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marks.c - a set of numbers as a bitmap in pieces
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/marks.h"

#define PIECE 32768U		/* numbers: bits of a page */
#define WORD 64U

errcode_t bfo_marks_init(struct bfo_marks *m, uint64_t limit)
{
	m->limit = limit;
	m->pieces = calloc(limit / PIECE + 1, sizeof(*m->pieces));
	return m->pieces ? 0 : ENOMEM;
}

void bfo_marks_free(struct bfo_marks *m)
{
	uint64_t i;

	for (i = 0; m->pieces && i <= m->limit / PIECE; i++)
		free(m->pieces[i]);
	free(m->pieces);
	m->pieces = NULL;
	m->limit = 0;
}

/* The word that has NUMBER's bit; NULL without memory. */
static uint64_t *word_of(struct bfo_marks *m, uint64_t number)
{
	uint64_t **piece = &m->pieces[number / PIECE];

	if (!*piece)
		*piece = calloc(PIECE / WORD, sizeof(**piece));
	return *piece ? *piece + number % PIECE / WORD : NULL;
}

errcode_t bfo_marks_add(struct bfo_marks *m, uint64_t start, uint64_t len, uint64_t *met)
{
	uint64_t *word, mask, part;

	*met = BFO_MARKS_NONE;
	assert(start <= m->limit && len <= m->limit - start);
	for (; len; start += part, len -= part) {
		part = WORD - start % WORD;
		part = part < len ? part : len;
		mask = UINT64_MAX >> (WORD - part) << start % WORD;
		word = word_of(m, start);
		if (!word)
			return ENOMEM;
		if (*met == BFO_MARKS_NONE && *word & mask)
			*met = start - start % WORD + __builtin_ctzll(*word & mask);
		*word |= mask;
	}
	return 0;
}

int bfo_marks_have(const struct bfo_marks *m, uint64_t number)
{
	const uint64_t *piece;

	assert(number < m->limit);
	piece = m->pieces[number / PIECE];
	return piece && piece[number % PIECE / WORD] >> number % WORD & 1;
}
