// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_extsort.c - base/extsort against qsort(3)
 *
 * The same records are sorted with memories that hold all of them, some, and so few that their
 * runs have to be merged in several passes.  The least memory there can be has about one MiB for
 * records, and merges seven runs at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/extsort.h"
#include "base/kway.h"
#include "unit.h"

#define LEAST BFO_EXTSORT_MEMORY
#define PLENTY (256U << 20)

enum shape { RANDOM, FEW, EQUAL, SHAPES };

struct records {
	struct bfo_sorted *v;
	uint32_t n, words;
};

static int by_all(const void *a, const void *b)
{
	return bfo_sorted_compare(a, b);
}

/* Data of up to MAX bytes, with many common beginnings and some that are equal. */
static void make_record(struct chance *c, struct records *r, uint32_t i, enum shape shape,
			uint32_t max)
{
	struct bfo_sorted *rec = &r->v[i];
	uint8_t *data;
	uint32_t w;

	for (w = 0; w < r->words; w++)
		rec->key[w] = shape == RANDOM ? chance_bits(c) :
			      shape == FEW ? chance_below(c, 3) : 7;
	rec->len = chance_below(c, 10) ? chance_below(c, max + 1) : chance_below(c, 2) * max;
	data = unit_alloc(rec->len + 1);
	if (chance_below(c, 3))
		chance_fill(c, data, rec->len);
	else
		memset(data, chance_below(c, 2) * 255, rec->len);
	rec->data = data;
}

static struct records make_records(uint64_t seed, uint32_t words, uint32_t n, enum shape shape,
				   uint32_t max)
{
	struct records r = { .v = unit_alloc((n + 1) * sizeof(*r.v)), .n = n, .words = words };
	struct chance c;
	uint32_t i;

	chance_init(&c, seed);
	memset(r.v, 0, (n + 1) * sizeof(*r.v));
	for (i = 0; i < n; i++)
		make_record(&c, &r, i, shape, max);
	return r;
}

static void free_records(struct records *r)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		free((void *) r->v[i].data);
	free(r->v);
}

static struct bfo_extsort *sorter(const struct records *r, uint64_t memory)
{
	struct bfo_extsort *s;
	uint32_t i;

	want_ok(bfo_extsort_open(&s, r->words, memory, NULL));
	for (i = 0; i < r->n; i++)
		want_ok(bfo_extsort_add(s, r->v[i].key, r->v[i].data, r->v[i].len));
	return s;
}

/* The next N records are those of EXPECT. */
static void want_records(struct bfo_extsort *s, const struct bfo_sorted *expect, uint32_t n)
{
	struct bfo_sorted rec;
	uint32_t i;
	int more;

	for (i = 0; i < n; i++) {
		want_ok(bfo_extsort_next(s, &rec, &more));
		want(more);
		want_mem(rec.key, expect[i].key, sizeof(rec.key));
		want_eq(rec.len, expect[i].len);
		want(!rec.len || !memcmp(rec.data, expect[i].data, rec.len));
	}
}

static void want_end(struct bfo_extsort *s)
{
	struct bfo_sorted rec;
	int more = 1;

	want_ok(bfo_extsort_next(s, &rec, &more));
	want(!more);
	more = 1;
	want_ok(bfo_extsort_next(s, &rec, &more));	/* still */
	want(!more);
}

/* EXPECT is in order.  Also from the beginning again, from anywhere. */
static struct bfo_extsort_stat try_memory(const struct records *r, const struct bfo_sorted *expect,
					  uint64_t memory)
{
	struct bfo_extsort *s = sorter(r, memory);
	struct bfo_extsort_stat stat;

	want_ok(bfo_extsort_finish(s));
	want_records(s, expect, r->n);
	want_end(s);
	want_ok(bfo_extsort_rewind(s));
	want_records(s, expect, r->n / 2);
	want_ok(bfo_extsort_rewind(s));
	want_ok(bfo_extsort_rewind(s));
	want_records(s, expect, r->n);
	want_end(s);
	bfo_extsort_stat(s, &stat);
	want_eq(stat.records, r->n);
	want(stat.allocated <= (memory > LEAST ? memory : LEAST));
	bfo_extsort_close(s);
	return stat;
}

static struct bfo_sorted *in_order(const struct records *r)
{
	struct bfo_sorted *expect = unit_copy(r->v, (r->n + 1) * sizeof(*expect));

	qsort(expect, r->n, sizeof(*expect), by_all);
	return expect;
}

/* _i: words of the key, less one. */
START_TEST(sorts_like_qsort)
{
	static const uint32_t counts[] = { 0, 1, 2, 3, 100, 3000 };
	struct bfo_extsort_stat stat;
	struct bfo_sorted *expect;
	struct records r;
	int shape;
	size_t i;

	for (shape = 0; shape < SHAPES; shape++)
		for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			r = make_records(i, _i + 1, counts[i], shape, i % 2 ? 20 : 4);
			expect = in_order(&r);
			stat = try_memory(&r, expect, 0);
			want_eq(stat.runs, 0);
			free(expect);
			free_records(&r);
		}
}
END_TEST

/* Long records, up to the longest; _i: the shape of keys. */
START_TEST(any_memory_gives_the_same)
{
	struct records r = make_records(70 + _i, 2, 700, _i, BFO_SORT_DATA);
	struct bfo_sorted *expect = in_order(&r);
	struct bfo_extsort_stat stat;

	stat = try_memory(&r, expect, PLENTY);
	want_eq(stat.runs, 0);
	want_eq(stat.spilled, 0);
	stat = try_memory(&r, expect, 12 << 20);	/* the last buffer stays in memory */
	want(stat.runs >= 1 && stat.runs < 4);
	want_eq(stat.merges, 0);
	stat = try_memory(&r, expect, 4 << 20);
	want(stat.runs >= 6);
	want(stat.spilled > 1 << 20);
	stat = try_memory(&r, expect, 3000000);
	want(stat.runs >= 8);
	stat = try_memory(&r, expect, LEAST);
	want(stat.runs >= 20);
	want(stat.merges >= 3);			/* more than one pass: seven at once */
	free(expect);
	free_records(&r);
}
END_TEST

/* Short records, of which many are in a frame. */
START_TEST(short_records_in_many_runs)
{
	struct records r = make_records(90, 3, 250000, FEW, 12);
	struct bfo_sorted *expect = in_order(&r);
	struct bfo_extsort_stat stat = try_memory(&r, expect, LEAST);

	want(stat.runs >= 8);
	free(expect);
	free_records(&r);
}
END_TEST

static uint64_t count_records(struct bfo_extsort *s)
{
	struct bfo_sorted rec;
	uint64_t n = 0;
	int more;

	for (; ; n++) {
		want_ok(bfo_extsort_next(s, &rec, &more));
		if (!more)
			return n;
	}
}

/* Numbers 0 to N - 1, from the last one down, each with 60000 bytes that compress well. */
static void add_numbers(struct bfo_extsort *s, uint32_t n)
{
	static const char zeros[60000];
	uint32_t key;

	for (key = n; key--; )
		want_ok(bfo_extsort_add(s, &key, zeros, sizeof(zeros)));
}

/* More runs than are remembered (1024): the older ones are merged before the last is there. */
START_TEST(runs_beyond_number)
{
	const uint32_t n = 20000;
	struct bfo_extsort_stat stat;
	struct bfo_extsort *s;
	struct bfo_sorted rec;
	uint32_t i;
	int more;

	want_ok(bfo_extsort_open(&s, 1, LEAST, NULL));
	add_numbers(s, n);
	bfo_extsort_stat(s, &stat);
	want(stat.merges);
	want_ok(bfo_extsort_finish(s));
	bfo_extsort_stat(s, &stat);
	want(stat.runs > 1100);
	for (i = 0; i < n; i++) {
		want_ok(bfo_extsort_next(s, &rec, &more));
		want(more);
		want_eq(rec.key[0], i);
		want_eq(rec.len, 60000);
	}
	want_end(s);
	bfo_extsort_close(s);
}
END_TEST

/* What is left of the last buffer is merged from memory, if there is room beside it. */
START_TEST(last_buffer_stays)
{
	struct bfo_extsort_stat stat = { 0 };
	struct bfo_extsort *s;
	uint32_t n;

	want_ok(bfo_extsort_open(&s, 1, LEAST, NULL));
	for (n = 0; !stat.runs; n++) {
		want_ok(bfo_extsort_add(s, &n, &n, sizeof(n)));
		bfo_extsort_stat(s, &stat);
	}
	want_ok(bfo_extsort_finish(s));
	bfo_extsort_stat(s, &stat);
	want_eq(stat.runs, 1);
	want_eq(stat.records, n);
	want_eq(count_records(s), n);
	bfo_extsort_close(s);
}
END_TEST

START_TEST(what_is_too_long_is_refused)
{
	static const uint32_t key[3];
	static char data[BFO_SORT_DATA + 1];
	struct bfo_extsort *s;

	want_ok(bfo_extsort_open(&s, 3, LEAST, NULL));
	want_ok(bfo_extsort_add(s, key, data, BFO_SORT_DATA));
	want_err(bfo_extsort_add(s, key, data, BFO_SORT_DATA + 1), EINVAL);
	want_err(bfo_extsort_finish(s), EINVAL);	/* sticks */
	bfo_extsort_close(s);
	bfo_extsort_close(NULL);
}
END_TEST

Suite *extsort_suite(void)
{
	Suite *s = suite_create("extsort");

	unit_case(s, "sorts_like_qsort", sorts_like_qsort, 3);
	unit_case(s, "any_memory_gives_the_same", any_memory_gives_the_same, SHAPES);
	unit_case(s, "short_records_in_many_runs", short_records_in_many_runs, 0);
	unit_case(s, "runs_beyond_number", runs_beyond_number, 0);
	unit_case(s, "last_buffer_stays", last_buffer_stays, 0);
	unit_case(s, "what_is_too_long_is_refused", what_is_too_long_is_refused, 0);
	return s;
}
