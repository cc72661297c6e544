// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_mine.c - mine/mine against a model that does what mine.h says, word by word
 *
 * The model writes every sequence of a batch down with all its members and compares it with all
 * others; there are no levels, ids or owners in it.
 */
#include <stdlib.h>
#include <string.h>

#include "mine/mine.h"
#include "unit.h"

#define LONGEST 6

struct access {
	uint32_t stream, file, step, time;
};

struct sequence {
	uint32_t files[LONGEST], len, count, time, batch;
};

struct model {
	struct bfo_mine_options o;
	BFO_VEC(struct access) accesses;	/* of the batch */
	BFO_VEC(struct access) stream;		/* one of its streams */
	BFO_VEC(struct sequence) found;
	BFO_VEC(struct sequence) groups;
	uint32_t batch;
};

/* How often STREAM, or all if that is UINT32_MAX, accesses FILE, repetitions not counted. */
static uint32_t accesses_of(struct model *m, uint32_t file)
{
	uint32_t i, j, n = 0;

	for (i = 0; i < m->accesses.n; i++) {
		if (m->accesses.v[i].file != file)
			continue;
		for (j = i; j-- && m->accesses.v[j].stream != m->accesses.v[i].stream; )
			;
		n += j == UINT32_MAX || m->accesses.v[j].file != file;
	}
	return n;
}

static void model_stream(struct model *m, uint32_t stream)
{
	uint32_t i, step = 0, before = UINT32_MAX;
	struct access a;

	m->stream.n = 0;
	for (i = 0; i < m->accesses.n; i++) {
		a = m->accesses.v[i];
		if (a.stream != stream || a.file == before)
			continue;
		before = a.file;
		a.time = i;
		a.step = step++;
		if (accesses_of(m, a.file) >= m->o.least)
			want_ok(bfo_vec_push(&m->stream, a));
	}
}

static int same_files(const struct sequence *a, const struct sequence *b)
{
	return a->len == b->len && !memcmp(a->files, b->files, a->len * sizeof(a->files[0]));
}

static void model_found(struct model *m, const struct sequence *s)
{
	uint32_t i;

	for (i = 0; i < m->found.n; i++) {
		if (!same_files(&m->found.v[i], s))
			continue;
		m->found.v[i].count++;
		if (m->found.v[i].time < s->time)
			m->found.v[i].time = s->time;
		return;
	}
	want_ok(bfo_vec_push(&m->found, *s));
}

/* All sequences that begin at access I of the stream. */
static void model_sequences(struct model *m, uint32_t i)
{
	struct sequence s = { .len = 0, .count = 1, .time = m->stream.v[i].time };
	uint32_t j, k;

	for (j = i; j < m->stream.n && s.len < m->o.most; j++) {
		if (j > i && m->stream.v[j].step - m->stream.v[j - 1].step > m->o.window)
			return;
		for (k = 0; k < s.len; k++)
			if (s.files[k] == m->stream.v[j].file)
				return;
		s.files[s.len++] = m->stream.v[j].file;
		if (s.len > 1)
			model_found(m, &s);
	}
}

static int is_frequent(struct model *m, const struct sequence *s)
{
	uint32_t i;

	for (i = 0; i < s->len; i++)
		if (s->count < m->o.support * accesses_of(m, s->files[i]))
			return 0;
	return s->count >= m->o.least;
}

static int shares_file(const struct sequence *a, const struct sequence *b)
{
	uint32_t i, j;

	for (i = 0; i < a->len; i++)
		for (j = 0; j < b->len; j++)
			if (a->files[i] == b->files[j])
				return 1;
	return 0;
}

static int has_file(const struct sequence *s, uint32_t file)
{
	struct sequence one = { .files = { file }, .len = 1 };

	return shares_file(s, &one);
}

static void model_split(struct model *m, struct sequence g, const struct sequence *winner)
{
	struct sequence rest = g;
	uint32_t i;

	rest.len = 0;
	for (i = 0; i <= g.len; i++) {
		if (i < g.len && !has_file(winner, g.files[i])) {
			rest.files[rest.len++] = g.files[i];
			continue;
		}
		if (rest.len > 1)
			want_ok(bfo_vec_push(&m->groups, rest));
		rest.len = 0;
	}
}

static void model_take(struct model *m, const struct sequence *s)
{
	uint32_t i, n = m->groups.n;
	struct sequence g;

	for (i = 0; i < n; i++) {
		g = m->groups.v[i];
		if (shares_file(&g, s) &&
		    (g.len > s->len || (g.len == s->len && g.count > s->count) ||
		     (g.len == s->len && g.count == s->count && g.batch == m->batch)))
			return;
	}
	for (i = n; i--; ) {
		g = m->groups.v[i];
		if (!shares_file(&g, s))
			continue;
		m->groups.v[i] = m->groups.v[--m->groups.n];
		model_split(m, g, s);
	}
	want_ok(bfo_vec_push(&m->groups, *s));
	m->groups.v[m->groups.n - 1].batch = m->batch;
}

static int by_worth(const struct sequence *x, const struct sequence *y)
{
	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return x->count != y->count ? (x->count > y->count ? -1 : 1) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;
	int worth = by_worth(x, y);

	return worth ? worth : x->time > y->time ? -1 : 1;
}

static int by_batch(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;
	int worth = by_worth(x, y);

	if (worth)
		return worth;
	if (x->batch != y->batch)
		return x->batch > y->batch ? -1 : 1;
	return x->files[0] < y->files[0] ? -1 : 1;
}

/* From this length on there are no sequences: the shorter ones reach the limit. */
static uint32_t model_end(struct model *m)
{
	uint32_t len, i, n = 0;

	for (len = 2; len <= LONGEST && n < m->o.limit; len++)
		for (i = 0; i < m->found.n; i++)
			n += m->found.v[i].len == len && is_frequent(m, &m->found.v[i]);
	return len;
}

static void model_batch(struct model *m, uint32_t streams)
{
	uint32_t s, i, end;

	m->found.n = 0;
	for (s = 0; s < streams; s++) {
		model_stream(m, s);
		for (i = 0; i < m->stream.n; i++)
			model_sequences(m, i);
	}
	if (m->found.n)
		qsort(m->found.v, m->found.n, sizeof(*m->found.v), by_time);
	end = model_end(m);
	for (i = 0; i < m->found.n; i++)
		if (m->found.v[i].len < end && is_frequent(m, &m->found.v[i]))
			model_take(m, &m->found.v[i]);
	m->accesses.n = 0;
	m->batch++;
}

static void want_same(struct model *m, const struct bfo_groups *g)
{
	uint32_t i;

	if (m->groups.n)
		qsort(m->groups.v, m->groups.n, sizeof(*m->groups.v), by_batch);
	want_eq(g->groups.n, m->groups.n);
	for (i = 0; i < g->groups.n; i++) {
		want_eq(g->groups.v[i].len, m->groups.v[i].len);
		want_eq(g->groups.v[i].support, m->groups.v[i].count);
		want_mem(&g->files.v[g->groups.v[i].start], m->groups.v[i].files,
			 m->groups.v[i].len * sizeof(uint32_t));
	}
}

/* Files that often come one after the other, and some that do not. */
static uint32_t next_file(struct chance *c, uint32_t *at, uint32_t files)
{
	if (!chance_below(c, 4))
		*at = chance_below(c, files);
	else if (chance_below(c, 8))
		*at = (*at + 1) % files;
	return *at;
}

static void compare(struct chance *c)
{
	static const double supports[] = { 0, 0.05, 0.3, 0.5, 1 };
	uint32_t streams = chance_between(c, 1, 3), files = chance_between(c, 2, 14);
	uint32_t n = chance_below(c, 250), i, at[3] = { 0 }, stream, file;
	struct model m = { .o = {
		.support = supports[chance_below(c, 5)], .window = chance_between(c, 1, 3),
		.least = chance_between(c, 2, 3), .most = chance_between(c, 1, LONGEST),
		.batch = chance_between(c, 1, 80),
		.limit = chance_below(c, 3) ? 1000000 : chance_between(c, 1, 20) } };
	struct bfo_groups g = { 0 };
	struct bfo_mine *mine;

	want_ok(bfo_mine_open(&mine, &m.o));
	for (i = 0; i < n; i++) {
		stream = chance_below(c, streams);
		file = next_file(c, &at[stream], files);
		want_ok(bfo_mine_add(mine, stream * 1000003, file));
		want_ok(bfo_vec_push(&m.accesses, (struct access) { stream, file, 0, 0 }));
		if (m.accesses.n == m.o.batch)
			model_batch(&m, streams);
	}
	model_batch(&m, streams);
	want_ok(bfo_mine_finish(mine, &g));
	want_same(&m, &g);
	bfo_mine_close(mine);
	bfo_groups_free(&g);
	bfo_vec_free(&m.accesses);
	bfo_vec_free(&m.stream);
	bfo_vec_free(&m.found);
	bfo_vec_free(&m.groups);
}

START_TEST(random_traces)
{
	struct chance c;
	int i;

	chance_init(&c, 4100 + _i);
	for (i = 0; i < 150; i++)
		compare(&c);
}
END_TEST

static struct bfo_groups mine_text(const char *trace, const struct bfo_mine_options *o)
{
	struct bfo_groups g = { 0 };
	struct bfo_mine *m;

	want_ok(bfo_mine_open(&m, o));
	for (; *trace; trace++)
		want_ok(bfo_mine_add(m, 0, *trace - 'A'));
	want_ok(bfo_mine_finish(m, &g));
	bfo_mine_close(m);
	return g;
}

/* GROUPS: "ABC DE". */
static void want_groups(struct bfo_groups g, const char *groups)
{
	char text[256];
	size_t n = 0;
	uint32_t i, j;

	for (i = 0; i < g.groups.n; i++) {
		if (i)
			text[n++] = ' ';
		for (j = 0; j < g.groups.v[i].len; j++)
			text[n++] = 'A' + g.files.v[g.groups.v[i].start + j];
	}
	text[n] = 0;
	ck_assert_str_eq(text, groups);
	bfo_groups_free(&g);
}

START_TEST(examples)
{
	struct bfo_mine_options strict = BFO_MINE_DEFAULTS, batches = BFO_MINE_DEFAULTS;

	want_groups(mine_text("", NULL), "");
	want_groups(mine_text("ABCDE", NULL), "");
	want_groups(mine_text("EDABABABCDABCDABCD", NULL), "ABCD");
	want_groups(mine_text("AABBCCXAABBCC", NULL), "ABC");		/* stat, open */
	want_groups(mine_text("AXBYCZAPBQC", NULL), "ABC");		/* rare ones between */
	strict.window = 1;
	want_groups(mine_text("AXBYCZAPBQC", &strict), "");
	strict.support = 0.6;
	want_groups(mine_text("ABCABCADAEAFBCBC", &strict), "BC");
	batches.batch = 6;
	want_groups(mine_text("ABXABYABCZABC", &batches), "AB");
	want_groups(mine_text("ABCABCCDECDECDECDE", &batches), "CDE AB");
}
END_TEST

static void want_bytes(const struct bfo_mine *m, uint64_t most)
{
	struct bfo_mine_stat stat;

	bfo_mine_stat(m, &stat);
	want(stat.references > 0);
	if (stat.peak > most)
		ck_abort_msg("%llu bytes", (unsigned long long) stat.peak);
}

/* As many groups as there can be: mine.h's bound. */
START_TEST(memory_for_pairs)
{
	struct bfo_mine_options o = BFO_MINE_DEFAULTS;
	uint32_t i, n = 2000000;
	struct bfo_groups g = { 0 };
	struct bfo_mine *m;

	o.most = 2;
	want_ok(bfo_mine_open(&m, &o));
	for (i = 0; i < n; i++)
		want_ok(bfo_mine_add(m, 0, i / 4 * 2 + i % 2));
	want_ok(bfo_mine_finish(m, &g));
	want_eq(g.groups.n, n / 4);
	want_bytes(m, (24 << 20) + 12 * 25000 + 12 * n);
	bfo_mine_close(m);
	bfo_groups_free(&g);
}
END_TEST

/* As many sequences as there can be, on top of as many groups: the limit holds them. */
START_TEST(memory_for_sequences)
{
	uint32_t i, n = 15000000, last = 50000;
	struct bfo_groups g = { 0 };
	struct bfo_mine_stat stat;
	struct bfo_mine *m;

	want_ok(bfo_mine_open(&m, NULL));
	for (i = 0; i < n - last; i++)
		want_ok(bfo_mine_add(m, 0, i / 4 * 2 + i % 2));
	for (i = 0; i < last; i++)
		want_ok(bfo_mine_add(m, 0, n / 2 + i % (last / 2)));
	want_ok(bfo_mine_finish(m, &g));
	want_eq(g.files.n, n / 2);
	want_bytes(m, 200000000);
	bfo_mine_stat(m, &stat);
	want(stat.longest > 100 && stat.longest < 130);
	want_eq(g.groups.v[0].len, stat.longest);
	bfo_mine_close(m);
	bfo_groups_free(&g);
}
END_TEST

/* Groups that lose to longer ones, again and again, leave no memory in use. */
START_TEST(memory_for_losers)
{
	struct bfo_mine_options o = BFO_MINE_DEFAULTS;
	uint32_t len, i, j, files = 12000;
	struct bfo_groups g = { 0 };
	struct bfo_mine *m;

	o.batch = 2000;
	want_ok(bfo_mine_open(&m, &o));
	for (len = 2; len <= 40; len++)
		for (i = 0; i + len <= files; i += len)
			for (j = 0; j < 2 * len; j++)
				want_ok(bfo_mine_add(m, i, (i + j % len) * 7 % files));
	want_ok(bfo_mine_finish(m, &g));
	want_eq(g.groups.v[0].len, 40);
	want_bytes(m, 1 << 20);
	bfo_mine_close(m);
	bfo_groups_free(&g);
}
END_TEST

START_TEST(id_too_high)
{
	struct bfo_mine *m;

	want_ok(bfo_mine_open(&m, NULL));
	want_err(bfo_mine_add(m, 0, UINT32_MAX), BFO_ET_OVERFLOW);
	bfo_mine_close(m);
}
END_TEST

Suite *mine_suite(void)
{
	Suite *s = suite_create("mine");

	unit_case(s, "random traces", random_traces, 8);
	unit_case(s, "examples", examples, 0);
	unit_case(s, "memory for pairs", memory_for_pairs, 0);
	unit_case(s, "memory for sequences", memory_for_sequences, 0);
	unit_case(s, "memory for losers", memory_for_losers, 0);
	unit_case(s, "id too high", id_too_high, 0);
	return s;
}
