// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_text.c - what stands in headers of pax archives: records, numbers, times
 */
#include <string.h>

#include "intake/pax_text.h"

#define FRACTION 9U			/* digits */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

int bfo_pax_number(const struct bfo_pax_text *t, unsigned int base, uint64_t most, uint64_t *value)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < t->len; i++) {
		unsigned int d = digit(t->v[i]);

		if (d >= base || n > most / base || d > most - n * base)
			return 0;
		n = n * base + d;
	}
	*value = n;
	return t->len > 0;
}

struct bfo_pax_text bfo_pax_text_cut(struct bfo_pax_text *rest, char separator, int *more)
{
	char *end = rest->len ? memchr(rest->v, separator, rest->len) : NULL;
	struct bfo_pax_text cut = { .v = rest->v, .len = end ? (size_t) (end - rest->v)
							     : rest->len };

	*more = end != NULL;
	rest->v += cut.len + *more;
	rest->len -= cut.len + *more;
	return cut;
}

int bfo_pax_text_is(const struct bfo_pax_text *t, const char *word)
{
	return t->len == strlen(word) && !memcmp(t->v, word, t->len);
}

int bfo_pax_record_next(struct bfo_pax_text *rest, struct bfo_pax_record *r)
{
	struct bfo_pax_text all = *rest, length;
	uint64_t len;
	int more;

	length = bfo_pax_text_cut(&all, ' ', &more);
	if (!more || !bfo_pax_number(&length, 10, rest->len, &len) || len < length.len + 2)
		return 0;
	all.len = len - length.len - 2;
	if (all.v[all.len] != '\n')
		return 0;
	r->key = bfo_pax_text_cut(&all, '=', &more);
	r->value = all;
	rest->v += len;
	rest->len -= len;
	return more && r->key.len;
}

/* Digits behind the point, as nanoseconds. */
static int read_fraction(const struct bfo_pax_text *t, uint32_t *nsec)
{
	uint64_t n;
	size_t i;

	if (t->len > FRACTION || !bfo_pax_number(t, 10, UINT32_MAX, &n))
		return 0;
	for (i = t->len; i < FRACTION; i++)
		n *= 10;
	*nsec = n;
	return 1;
}

int bfo_pax_time(const struct bfo_pax_text *t, int64_t *sec, uint32_t *nsec)
{
	int is_negative = t->len && *t->v == '-', more;
	struct bfo_pax_text rest = { .v = t->v + is_negative, .len = t->len - is_negative }, whole;
	uint64_t n;

	whole = bfo_pax_text_cut(&rest, '.', &more);
	*nsec = 0;
	if (!bfo_pax_number(&whole, 10, INT64_MAX, &n) || (more && !read_fraction(&rest, nsec)))
		return 0;
	*sec = is_negative ? -(int64_t) n : (int64_t) n;
	if (is_negative && *nsec) {
		--*sec;
		*nsec = 1000000000 - *nsec;
	}
	return 1;
}

int bfo_pax_field(const char *v, size_t len, uint64_t *value)
{
	struct bfo_pax_text t = { .v = (char *) v };

	while (t.len < len && v[t.len] && v[t.len] != ' ')
		t.len++;
	for (; len > t.len; len--)
		if (v[len - 1] && v[len - 1] != ' ')
			return 0;
	return bfo_pax_number(&t, 8, INT64_MAX, value);
}
