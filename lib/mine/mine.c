// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mine.c - groups of files that are used together, from a trace of accesses
 *
 *   owner   by file: its group, or NONE          groups   start, len --> members: file ids
 *
 * A group's members are a stretch of `members`.  One that loses files in the middle becomes two
 * groups over the same stretch; what nobody owns any more is squeezed out when it is more than
 * what somebody does.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "mine/mine.h"
#include "mine/sequences.h"

#define NONE UINT32_MAX
#define SLACK 4096		/* members, groups */

struct group {
	uint32_t start, len;		/* len 0: gone */
	uint32_t support;
	uint32_t batch;
};

struct bfo_mine {
	struct bfo_mine_options options;
	struct bfo_sequences seq;
	BFO_VEC(uint32_t) owner;
	BFO_VEC(uint32_t) members;
	BFO_VEC(struct group) groups;
	uint64_t live;			/* members that are owned */
	struct bfo_mine_stat stat;
};

static uint32_t or_default(uint32_t n, uint32_t otherwise)
{
	return n ? n : otherwise;
}

errcode_t bfo_mine_open(struct bfo_mine **out, const struct bfo_mine_options *options)
{
	struct bfo_mine_options d = BFO_MINE_DEFAULTS, *o;
	struct bfo_mine *m = calloc(1, sizeof(*m));

	if (!m)
		return ENOMEM;
	o = &m->options;
	*o = options ? *options : d;
	o->window = or_default(o->window, d.window);
	o->most = or_default(o->most, d.most);
	o->batch = or_default(o->batch, d.batch);
	o->limit = or_default(o->limit, d.limit);
	if (o->least < d.least)
		o->least = d.least;
	m->seq.support = o->support;
	m->seq.window = o->window;
	m->seq.least = o->least;
	m->seq.most = o->most;
	m->seq.limit = o->limit;
	*out = m;
	return 0;
}

void bfo_mine_close(struct bfo_mine *m)
{
	if (!m)
		return;
	bfo_sequences_free(&m->seq);
	bfo_vec_free(&m->owner);
	bfo_vec_free(&m->members);
	bfo_vec_free(&m->groups);
	free(m);
}

static void note_peak(struct bfo_mine *m, uint64_t more)
{
	uint64_t bytes = bfo_sequences_bytes(&m->seq) + bfo_vec_bytes(&m->owner) +
			 bfo_vec_bytes(&m->members) + bfo_vec_bytes(&m->groups) + more;

	if (m->stat.peak < bytes)
		m->stat.peak = bytes;
}

/* Is G to be kept rather than a sequence of this batch with LEN members seen COUNT times? */
static int is_better(const struct bfo_mine *m, const struct group *g, uint32_t len,
		     uint32_t count)
{
	if (g->len != len)
		return g->len > len;
	if (g->support != count)
		return g->support > count;
	return g->batch == m->stat.batches;
}

static int can_take(const struct bfo_mine *m, const struct bfo_access *a, uint32_t len,
		    uint32_t count)
{
	uint32_t i, g;

	for (i = 0; i < len; i++) {
		g = m->owner.v[a[i].file];
		if (g != NONE && is_better(m, &m->groups.v[g], len, count))
			return 0;
	}
	return 1;
}

/* Members START to END are all that is left there of group G: a group, or too few for one. */
static errcode_t leave_rest(struct bfo_mine *m, uint32_t g, uint32_t start, uint32_t end)
{
	struct group rest = m->groups.v[g];
	uint32_t i, number = m->groups.n;

	if (end - start < 2)
		number = NONE;
	for (i = start; i < end; i++)
		m->owner.v[m->members.v[i]] = number;
	if (number == NONE) {
		m->live -= end - start;
		return 0;
	}
	rest.start = start;
	rest.len = end - start;
	return bfo_vec_push(&m->groups, rest);
}

/* Some of group G's files have got another owner.  If G is gone already, that is nothing. */
static errcode_t split(struct bfo_mine *m, uint32_t g)
{
	uint32_t start = m->groups.v[g].start, end = start + m->groups.v[g].len, i;
	errcode_t err = 0;

	for (i = start; i < end && !err; i++) {
		if (m->owner.v[m->members.v[i]] == g)
			continue;
		err = leave_rest(m, g, start, i);
		m->live--;
		start = i + 1;
	}
	if (!err)
		err = leave_rest(m, g, start, end);
	m->groups.v[g].len = 0;
	return err;
}

/* Makes a group of LEN accesses; the groups that had these files keep the rest. */
static errcode_t take(struct bfo_mine *m, const struct bfo_access *a, uint32_t len,
		      uint32_t count)
{
	struct group g = { .start = m->members.n, .len = len, .support = count,
			   .batch = m->stat.batches };
	uint32_t i, number = m->groups.n, *former;
	errcode_t err;

	err = bfo_vec_push(&m->groups, g);
	if (!err)
		err = bfo_vec_reserve(&m->members, len);
	if (err)
		return err;
	former = &m->members.v[m->members.n];
	for (i = 0; i < len; i++) {
		former[i] = m->owner.v[a[i].file];
		m->owner.v[a[i].file] = number;
	}
	for (i = 0; i < len && !err; i++)
		if (former[i] != NONE)
			err = split(m, former[i]);
	for (i = 0; i < len; i++)
		m->members.v[m->members.n++] = a[i].file;
	m->live += len;
	return err;
}

BFO_SORT_BY(by_start, struct group, start)

/* Squeezes out members that nobody owns and groups that are gone. */
static void compact(struct bfo_mine *m)
{
	uint32_t i, j, n = 0, to = 0;
	struct group g;

	if (m->groups.n)
		qsort(m->groups.v, m->groups.n, sizeof(*m->groups.v), by_start);
	for (i = 0; i < m->groups.n; i++) {
		g = m->groups.v[i];
		if (!g.len)
			continue;
		for (j = 0; j < g.len; j++) {
			m->members.v[to + j] = m->members.v[g.start + j];
			m->owner.v[m->members.v[to + j]] = n;
		}
		g.start = to;
		to += g.len;
		m->groups.v[n++] = g;
	}
	assert(to == m->live);
	m->groups.n = n;
	m->members.n = to;
}

/* At most half of the members that are owned are groups. */
static int is_sparse(const struct bfo_mine *m)
{
	return m->members.n > m->live + m->live / 4 + SLACK ||
	       m->groups.n > m->live / 2 + m->live / 8 + SLACK;
}

/* Of two sequences of a batch: the more frequent one first, then the one that was seen last. */
static int best_first(const void *a, const void *b, void *priv)
{
	const struct bfo_frequent *x = a, *y = b;
	const struct bfo_access *v = priv;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return v[x->last].time > v[y->last].time ? -1 : v[x->last].time < v[y->last].time;
}

/*
 * Will LEN accesses at A not be taken, whatever of their length is taken before?  A better group of
 * an earlier batch and of this length may yet be split by a third one; no other can.
 */
static int is_lost(const struct bfo_mine *m, const struct bfo_access *a, uint32_t len)
{
	const struct group *g;
	uint32_t i;

	for (i = 0; i < len; i++) {
		if (m->owner.v[a[i].file] == NONE)
			continue;
		g = &m->groups.v[m->owner.v[a[i].file]];
		if (g->batch == m->stat.batches || g->len > len)
			return 1;
	}
	return 0;
}

/* Most sequences are lost to those they are part of: only the others are sorted. */
static errcode_t take_level(struct bfo_mine *m, uint32_t level)
{
	struct bfo_sequences *seq = &m->seq;
	struct bfo_frequent *v = &seq->found.v[seq->levels.v[level]];
	uint32_t i, n = 0, have = seq->levels.v[level + 1] - seq->levels.v[level];
	errcode_t err = 0;

	for (i = 0; i < have; i++)
		if (!is_lost(m, &seq->accesses.v[v[i].last], level + 2))
			v[n++] = v[i];
	if (n)
		qsort_r(v, n, sizeof(*v), best_first, seq->accesses.v);
	for (i = 0; i < n && !err; i++)
		if (can_take(m, &seq->accesses.v[v[i].last], level + 2, v[i].count))
			err = take(m, &seq->accesses.v[v[i].last], level + 2, v[i].count);
	return err;
}

static errcode_t mine_batch(struct bfo_mine *m)
{
	errcode_t err = bfo_sequences_find(&m->seq);
	size_t level;

	if (err)
		return err;
	m->stat.sequences += m->seq.found.n;
	if (m->stat.longest < m->seq.levels.n && m->seq.levels.n > 1)
		m->stat.longest = m->seq.levels.n;
	for (level = m->seq.levels.n - 1; level-- && !err; )
		err = take_level(m, level);
	note_peak(m, 0);
	bfo_sequences_clear(&m->seq);
	m->stat.batches++;
	if (is_sparse(m))
		compact(m);
	return err;
}

/* Makes FILE known. */
static errcode_t reach(struct bfo_mine *m, uint32_t file)
{
	errcode_t err;

	if (file < m->owner.n)
		return 0;
	if (file == NONE)
		return BFO_ET_OVERFLOW;
	err = bfo_vec_reserve(&m->owner, file + 1 - m->owner.n);
	if (err)
		return err;
	memset(&m->owner.v[m->owner.n], 0xff, (file + 1 - m->owner.n) * sizeof(uint32_t));
	m->owner.n = file + 1;
	return 0;
}

errcode_t bfo_mine_add(struct bfo_mine *m, uint32_t stream, uint32_t file)
{
	errcode_t err = reach(m, file);

	if (!err)
		err = bfo_sequences_add(&m->seq, stream, file);
	if (err)
		return err;
	m->stat.references++;
	return m->seq.accesses.n < m->options.batch ? 0 : mine_batch(m);
}

static int by_preference(const void *a, const void *b, void *priv)
{
	const struct group *x = a, *y = b;
	const uint32_t *members = priv;

	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	if (x->support != y->support)
		return x->support > y->support ? -1 : 1;
	if (x->batch != y->batch)
		return x->batch > y->batch ? -1 : 1;
	return members[x->start] < members[y->start] ? -1 : 1;
}

/* The groups, of which none is gone, as the caller gets them; with the members themselves. */
static errcode_t hand_out(struct bfo_mine *m, struct bfo_groups *out)
{
	errcode_t err = bfo_vec_reserve(&out->groups, m->groups.n);
	const struct group *g;
	uint32_t i;

	if (err)
		return err;
	for (i = 0; i < m->groups.n; i++) {
		g = &m->groups.v[i];
		out->groups.v[out->groups.n++] = (struct bfo_group) {
			.start = g->start, .len = g->len, .support = g->support };
	}
	note_peak(m, bfo_vec_bytes(&out->groups));
	out->files.v = m->members.v;
	out->files.n = m->members.n;
	out->files.cap = m->members.cap;
	m->members.v = NULL;
	m->members.n = m->members.cap = 0;
	return 0;
}

errcode_t bfo_mine_finish(struct bfo_mine *m, struct bfo_groups *out)
{
	errcode_t err = m->seq.accesses.n ? mine_batch(m) : 0;

	if (err)
		return err;
	compact(m);
	bfo_vec_free(&m->owner);
	bfo_sequences_free(&m->seq);
	if (m->groups.n)
		qsort_r(m->groups.v, m->groups.n, sizeof(*m->groups.v), by_preference,
			m->members.v);
	return hand_out(m, out);
}

void bfo_mine_stat(const struct bfo_mine *m, struct bfo_mine_stat *stat)
{
	*stat = m->stat;
}
