// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut.h"
#include "tool.h"

#define SECTOR 512
#define SUPER 1024		/* where it is, and its size */

/* What becomes of the writes that were issued. */
enum style {
	STYLE_PREFIX,		/* all arrive, whole */
	STYLE_ANY,		/* each as chance has it */
	STYLE_LOSE_ONE,		/* all but one */
	STYLE_KEEP_ONE,
	STYLE_TAIL,		/* the latest of them, as if the disk went backwards */
	STYLE_TORN,		/* all arrive torn */
	STYLES
};

static const char *const style_names[] = {
	"all issued", "any", "all but one", "one", "the last", "all torn"
};

/* ---- the log ---- */

static size_t next_record(const struct log *l, size_t at)
{
	const struct fault_record *r = (const void *) (l->file.bytes + at);

	return at + sizeof(*r) + (r->kind == FAULT_LOG_WRITE ? r->bytes : 0);
}

/* A barrier, or the end: the current interval is over, if it has writes. */
static void end_interval(struct log *l)
{
	if (l->n > l->begins[l->intervals])
		l->begins[++l->intervals] = l->n;
}

static size_t first_own(const struct log *l)
{
	size_t i, r;

	for (i = 0; i < l->intervals; i++)
		for (r = l->begins[i]; r < l->begins[i + 1]; r++)
			if (l->records[r]->own)
				return i;
	errx(2, "e2bfo wrote nothing");
}

/* A barrier that has writes before it; *OWN of them were e2bfo's so far.  Is it forgotten? */
static int is_forgotten(const struct log *l, int64_t forget, size_t since, int64_t *own)
{
	if (l->n == since)
		return 0;
	*own += l->records[l->n - 1]->own;
	return !forget || (forget == *own && l->records[l->n - 1]->own);
}

void log_load(struct log *l, const char *path, int64_t forget)
{
	size_t at, records = 0, since = 0;
	int64_t own = 0;

	memset(l, 0, sizeof(*l));
	l->file = image_load(path);
	for (at = 0; at < l->file.size; at = next_record(l, at))
		records++;
	if (at != l->file.size)
		errx(2, "%s: torn itself", path);
	l->records = must(calloc(records + 1, sizeof(*l->records)));
	l->begins = must(calloc(records + 1, sizeof(*l->begins)));
	for (at = 0; at < l->file.size; at = next_record(l, at)) {
		const struct fault_record *r = (const void *) (l->file.bytes + at);

		if (r->kind != FAULT_LOG_BARRIER) {
			l->records[l->n++] = r;
			continue;
		}
		if (!is_forgotten(l, forget, since, &own))
			end_interval(l);
		since = l->n;
	}
	end_interval(l);
	l->own = first_own(l);
}

/* ---- writes on an image ---- */

static void apply(struct image *to, const struct fault_record *r, uint64_t from, uint64_t bytes)
{
	const uint8_t *data = (const uint8_t *) (r + 1);

	if (r->offset + from >= to->size)
		return;
	if (bytes > to->size - r->offset - from)
		bytes = to->size - r->offset - from;
	if (r->kind == FAULT_LOG_ZERO)
		memset(to->bytes + r->offset + from, 0, bytes);
	else
		memcpy(to->bytes + r->offset + from, data + from, bytes);
}

/* Bytes from FROM of R on that arrive together. */
static uint64_t unit_at(const struct fault_record *r, uint64_t from)
{
	uint64_t at = r->offset + from;
	uint64_t end = at >= SUPER && at < 2 * SUPER ? 2 * SUPER : at / SECTOR * SECTOR + SECTOR;

	return end - at < r->bytes - from ? end - at : r->bytes - from;
}

/* Tears R: its first sectors, or some. */
static void apply_torn(struct image *to, const struct fault_record *r, struct dice *d)
{
	uint64_t at, len, cut = dice_below(d, r->bytes + 1);
	int first = dice_below(d, 2), odds = 1 + dice_below(d, 4);

	for (at = 0; at < r->bytes; at += len) {
		len = unit_at(r, at);
		if (first ? at < cut : dice_below(d, odds + 1))
			apply(to, r, at, len);
	}
}

/* ---- cuts ---- */

void cut_init(struct cut *c, const struct log *l, struct image base)
{
	memset(c, 0, sizeof(*c));
	c->log = l;
	c->durable = base;
	c->crashed = image_copy(&base);
}

void cut_advance(struct cut *c, size_t interval)
{
	size_t r;

	for (; c->interval < interval; c->interval++)
		for (r = c->log->begins[c->interval]; r < c->log->begins[c->interval + 1]; r++) {
			apply(&c->durable, c->log->records[r], 0, c->log->records[r]->bytes);
			apply(&c->crashed, c->log->records[r], 0, c->log->records[r]->bytes);
		}
}

size_t cut_interval(const struct log *l, uint64_t number)
{
	return l->own + number % (l->intervals - l->own);
}

size_t cut_interval_of(const struct log *l, uint64_t number)
{
	size_t i = l->own;

	while (i + 1 < l->intervals && l->begins[i + 1] <= l->begins[l->own] + number)
		i++;
	return i;
}

size_t cut_issued(const struct cut *c, uint64_t number)
{
	return c->log->begins[c->log->own] + number + 1 - c->log->begins[c->interval];
}

/* The style's word on write I of N; ONE is the one it chose. */
static void arrive(struct cut *c, const struct fault_record *r, enum style style, size_t i,
		   size_t one, struct dice *d)
{
	int luck = dice_below(d, 4);		/* drawn in any case */

	if (style == STYLE_ANY && luck == 0)
		return;
	if ((style == STYLE_LOSE_ONE && i == one) || (style == STYLE_KEEP_ONE && i != one) ||
	    (style == STYLE_TAIL && i < one))
		return;
	if (style == STYLE_TORN || (style == STYLE_ANY && luck == 1))
		apply_torn(&c->crashed, r, d);
	else
		apply(&c->crashed, r, 0, r->bytes);
}

void cut_make(struct cut *c, uint64_t seed, uint64_t number, size_t issued)
{
	struct dice d = { seed ^ number * 0xD1342543DE82EF95ULL };
	const struct log *l = c->log;
	size_t begin = l->begins[c->interval], n = l->begins[c->interval + 1] - begin, i, one;
	enum style style;

	dice_next(&d);
	style = dice_below(&d, STYLES);
	if (!issued)
		issued = dice_below(&d, 2) ? n : dice_below(&d, n + 1);
	one = issued ? dice_below(&d, issued) : 0;
	for (i = 0; i < issued; i++)
		arrive(c, l->records[begin + i], style, i, one, &d);
	snprintf(c->said, sizeof(c->said), "interval %zu of %zu, %zu of %zu writes issued, %s",
		 c->interval, l->intervals, issued, n, style_names[style]);
}

void cut_undo(struct cut *c)
{
	const struct log *l = c->log;
	uint64_t end;
	size_t r;

	for (r = l->begins[c->interval]; r < l->begins[c->interval + 1]; r++) {
		end = l->records[r]->offset + l->records[r]->bytes;
		if (end > c->durable.size)
			end = c->durable.size;
		if (l->records[r]->offset < end)
			memcpy(c->crashed.bytes + l->records[r]->offset,
			       c->durable.bytes + l->records[r]->offset,
			       end - l->records[r]->offset);
	}
}
