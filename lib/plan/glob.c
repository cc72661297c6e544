// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * glob.c - many shell patterns against many paths at once
 *
 * Shift-and (Baeza-Yates, Gonnet: "A New Approach to Text Searching", 1992) over all patterns laid
 * behind each other, with bits that stay for stars:
 *
 *   pattern   / s * b            bit k is set: what was fed matches the pattern up to its byte k
 *   bits      0 1 2 3 4          a byte moves bits that take it one up; a star's bit stays
 *                     `- end     and lets the one above it be set, too
 *
 * No two stars are neighbours, they are made one.  The bit behind a pattern takes nothing, so no
 * bit moves from one pattern into the next.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "plan/glob.h"

#define BYTES 256

static void set_bit(uint64_t *mask, size_t bit)
{
	mask[bit / 64] |= 1ULL << bit % 64;
}

static uint64_t *takers(const struct bfo_globs *g, uint8_t byte)
{
	return g->masks + byte * g->words;
}

/* The end of the bracket expression at P, behind its ']'; NULL if there is none before a slash. */
static const char *bracket_end(const char *p, const char *end)
{
	const char *q = p + 1, *close;

	q += q < end && (*q == '!' || *q == '^');
	q += q < end && *q == ']';
	for (; q < end && *q != '/'; q++) {
		if (*q == ']')
			return q + 1;
		if (*q == '\\' && q + 1 < end && q[1] != '/')
			q++;
		else if (*q == '[' && q + 1 < end && strchr(":.=", q[1]))
			for (close = q + 2; close + 1 < end && *close != '/'; close++)
				if (close[0] == q[1] && close[1] == ']') {
					q = close + 1;
					break;
				}
	}
	return NULL;
}

/* Lets BIT take what the LEN bytes at P, a '?' or bracket expression, match. */
static errcode_t take_set(struct bfo_globs *g, size_t bit, const char *p, size_t len)
{
	char *text = strndup(p, len), one[2] = "";
	int byte;

	if (!text)
		return ENOMEM;
	for (byte = 1; byte < BYTES; byte++) {
		one[0] = byte;
		if (byte != '/' && (len == 1 || !fnmatch(text, one, 0)))
			set_bit(takers(g, byte), bit);
	}
	free(text);
	return 0;
}

/* Lays the element at *P at BIT, and moves *P behind it. */
static errcode_t put_element(struct bfo_globs *g, size_t bit, const char **p, const char *end)
{
	const char *from = *p, *bracket = *from == '[' ? bracket_end(from, end) : NULL;

	*p = bracket ? bracket : from + 1;
	if (*from == '*') {
		while (*p < end && **p == '*')
			++*p;
		set_bit(g->star, bit);
		if (*p - from > 1)
			set_bit(g->deep, bit);
		return 0;
	}
	if (*from == '?' || bracket)
		return take_set(g, bit, from, *p - from);
	if (*from == '\\' && *p == end)
		return 0;		/* fnmatch(3): never matches */
	if (*from == '\\')
		from = (*p)++;
	while (*from == '/' && *p < end && **p == '/')
		++*p;
	set_bit(takers(g, *from), bit);
	return 0;
}

/* Lays PATTERN from *BIT on. */
static errcode_t put_pattern(struct bfo_globs *g, const char *pattern, size_t *bit)
{
	const char *p = pattern, *end = p + strlen(p);
	errcode_t err = 0;
	int dir_only = 0;

	while (end > p && end[-1] == '/') {
		dir_only = 1;
		end--;
	}
	if (p == end)
		/* the root alone, which is never asked about: it ends nowhere */
		return 0;
	set_bit(*p == '/' ? g->begin : g->again, *bit);
	while (p < end && !err)
		err = put_element(g, (*bit)++, &p, end);
	set_bit(dir_only ? g->end_dir : g->end, *bit);
	return err;
}

errcode_t bfo_globs_compile(struct bfo_globs *g, const char *const *patterns, size_t n)
{
	size_t bits = 0, bit = 0, i;
	errcode_t err = 0;

	for (i = 0; i < n; i++)
		bits += strlen(patterns[i]) + 1;
	g->words = bits / 64 + 1;
	g->n = n;
	g->masks = calloc((BYTES + 7) * g->words, sizeof(*g->masks));
	g->ends = calloc(n + 1, sizeof(*g->ends));
	if (!g->masks || !g->ends)
		return ENOMEM;
	g->star = g->masks + BYTES * g->words;
	g->deep = g->star + g->words;
	g->begin = g->deep + g->words;
	g->again = g->begin + g->words;
	g->end = g->again + g->words;
	g->end_dir = g->end + g->words;
	g->met = g->end_dir + g->words;
	for (i = 0; i < n && !err; i++) {
		err = put_pattern(g, patterns[i], &bit);
		g->ends[i] = bit++;
	}
	return err;
}

void bfo_globs_free(struct bfo_globs *g)
{
	free(g->masks);
	free(g->ends);
	memset(g, 0, sizeof(*g));
}

/* A star may match nothing: what waits at one also waits behind it. */
static void pass_stars(const struct bfo_globs *g, uint64_t *state)
{
	uint64_t at, carry = 0;
	size_t w;

	for (w = 0; w < g->words; w++) {
		at = state[w] & g->star[w];
		state[w] |= at << 1 | carry;
		carry = at >> 63;
	}
}

void bfo_globs_begin(const struct bfo_globs *g, uint64_t *state)
{
	memcpy(state, g->begin, g->words * sizeof(*state));
	pass_stars(g, state);
}

void bfo_globs_feed(const struct bfo_globs *g, uint64_t *state, const char *text, size_t len)
{
	const uint64_t *take, *stay;
	uint64_t moved, carry;
	size_t i, w;

	for (i = 0; i < len; i++) {
		take = takers(g, text[i]);
		stay = text[i] == '/' ? g->deep : g->star;
		carry = 0;
		for (w = 0; w < g->words; w++) {
			moved = state[w] & take[w];
			state[w] = moved << 1 | carry | (state[w] & stay[w]);
			carry = moved >> 63;
			if (text[i] == '/')
				state[w] |= g->again[w];
		}
		pass_stars(g, state);
	}
}

/* Bits of STATE in word W that are behind a pattern's end. */
static uint64_t ended(const struct bfo_globs *g, const uint64_t *state, size_t w, int is_dir)
{
	return state[w] & (g->end[w] | (is_dir ? g->end_dir[w] : 0));
}

int bfo_globs_match(const struct bfo_globs *g, const uint64_t *state, int is_dir)
{
	size_t w;

	for (w = 0; w < g->words; w++)
		if (ended(g, state, w, is_dir))
			return 1;
	return 0;
}

void bfo_globs_note(struct bfo_globs *g, const uint64_t *state, int is_dir)
{
	size_t w;

	for (w = 0; w < g->words; w++)
		g->met[w] |= ended(g, state, w, is_dir);
}

int bfo_globs_noted(const struct bfo_globs *g, size_t i)
{
	return g->met[g->ends[i] / 64] >> g->ends[i] % 64 & 1;
}
