// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_runs.c - plan/runs: segments of one block size as runs of another
 *
 * The model is a map of bytes' states: each unit of 1 KiB of the file is a hole, written or
 * unwritten.  A run's block is written if any of its units before the end of the file is.
 */
#include <string.h>

#include "made.h"
#include "plan/runs.h"

#define KIB 1024
#define UNITS 512			/* of the largest file drawn */

enum { HOLE, UNWRITTEN, WRITTEN };

struct model {
	struct made m;
	uint8_t unit[UNITS];		/* of the source */
	uint32_t from, to;		/* block sizes in KiB */
};

/* Draws segments; what is written ends with the block that holds the end of the file. */
static void draw(struct model *d, struct chance *c)
{
	struct bfo_inode *rec = &d->m.tree.inodes.v[made_inode(&d->m, 20, S_IFREG | 0644)];
	uint32_t blocks = UNITS / d->from, at, len, end;
	uint64_t size = chance_between(c, 0, UNITS * KIB);
	int state;

	end = (size + d->from * KIB - 1) / (d->from * KIB);
	memset(d->unit, HOLE, sizeof(d->unit));
	for (at = chance_below(c, 3); at < blocks; at += len + chance_below(c, 3)) {
		len = chance_between(c, 1, 1 + chance_below(c, 9));
		state = at < end && chance_below(c, 3) ? WRITTEN : UNWRITTEN;
		if (len > (state == WRITTEN ? end : blocks) - at)
			len = (state == WRITTEN ? end : blocks) - at;
		made_seg(&d->m, (1000 + at) | (state == WRITTEN ? 0 : BFO_SEG_UNWRITTEN), at, len);
		memset(d->unit + at * d->from, state, len * d->from);
	}
	rec = &d->m.tree.inodes.v[0];
	rec->size = size;
}

/* What block LBLK of the target has to be. */
static int state_of(const struct model *d, uint32_t lblk, int extents)
{
	uint64_t size = d->m.tree.inodes.v[0].size;
	uint32_t u = lblk * d->to, end = u + d->to;
	int state = HOLE;

	for (; u < end && u < UNITS; u++) {
		if (d->unit[u] == WRITTEN && (uint64_t) lblk * d->to * KIB < size)
			return WRITTEN;
		if (d->unit[u] == UNWRITTEN && extents)
			state = UNWRITTEN;
	}
	return state;
}

static void start(struct model *d, struct chance *c, uint32_t from, uint32_t to)
{
	memset(d, 0, sizeof(*d));
	made_init(&d->m);
	d->from = from;
	d->to = to;
	d->m.tree.block_size = from * KIB;
	d->m.target.block_size = to * KIB;
	bfo_plan_init(&d->m.plan, &d->m.ctx, &d->m.tree, &d->m.target);
	d->m.planned = 1;
	draw(d, c);
}

/* Walks the runs: ascending, not empty, apart or of another state; STATES gets what they say. */
static uint64_t walk(struct model *d, uint8_t *states, uint32_t ratio)
{
	struct bfo_run_walk w;
	struct bfo_run run;
	uint64_t end = 0, stem = 0, i;

	memset(states, HOLE, UNITS);
	bfo_runs_begin(&w, &d->m.plan, &d->m.tree.inodes.v[0]);
	while (bfo_runs_next(&w, &run)) {
		want(run.len > 0);
		want(run.lblk >= end);
		want(run.at >= stem);
		want_eq(run.at % ratio, run.lblk % ratio);
		for (i = run.lblk; i < run.lblk + run.len; i++)
			states[i] = run.unwritten ? UNWRITTEN : WRITTEN;
		end = run.lblk + run.len;
		stem = run.at + run.len;
	}
	return bfo_runs_taken(&w);
}

/* _i: both block sizes. */
START_TEST(states_are_those_of_the_bytes)
{
	uint32_t from = 1 << _i % 4, to = 1 << _i / 4 % 4, trial, i;
	uint8_t states[UNITS];
	struct chance c;

	chance_init(&c, 700 + _i);
	for (trial = 0; trial < 300; trial++) {
		int extents = trial % 4 != 0;
		uint64_t taken, count = 0;
		struct model d;

		start(&d, &c, from, to);
		d.m.target.has_extents = extents;
		taken = walk(&d, states, 1);
		for (i = 0; i < UNITS / to; i++) {
			want_eq(states[i], state_of(&d, i, extents));
			count += states[i] != HOLE;
		}
		want_eq(taken, count);
		made_free(&d.m);
	}
}
END_TEST

/* _i: blocks of a cluster: every cluster of the file that has anything takes one of the stem. */
START_TEST(clusters_agree)
{
	static const uint32_t ratios[] = { 2, 4, 16 };
	uint32_t ratio = ratios[_i], trial, i;
	uint8_t states[UNITS];
	struct chance c;

	chance_init(&c, 800 + _i);
	for (trial = 0; trial < 300; trial++) {
		uint64_t clusters = 0, last = UINT64_MAX;
		struct model d;

		start(&d, &c, 1 << trial % 3, 1);
		d.m.target.cluster_blocks = ratio;
		want_eq(walk(&d, states, ratio) % ratio, 0);
		for (i = 0; i < UNITS; i++) {
			want_eq(states[i], state_of(&d, i, 1));
			if (states[i] != HOLE && i / ratio != last) {
				last = i / ratio;
				clusters++;
			}
		}
		want_eq(walk(&d, states, ratio), clusters * ratio);
		made_free(&d.m);
	}
}
END_TEST

START_TEST(a_directory_is_one_run)
{
	struct bfo_run_walk w;
	struct bfo_run run;
	struct made m;

	made_init(&m);
	bfo_plan_init(&m.plan, &m.ctx, &m.tree, &m.target);
	m.planned = 1;
	made_inode(&m, 20, S_IFDIR | 0755);
	m.tree.inodes.v[0].size = 5 * m.target.block_size;
	m.target.cluster_blocks = 4;
	bfo_runs_begin(&w, &m.plan, &m.tree.inodes.v[0]);
	want(bfo_runs_next(&w, &run));
	want_eq(run.lblk, 0);
	want_eq(run.len, 5);
	want(!run.unwritten);
	want(!bfo_runs_next(&w, &run));
	want_eq(bfo_runs_taken(&w), 8);
	made_free(&m);
}
END_TEST

Suite *runs_suite(void)
{
	Suite *s = suite_create("runs");

	unit_case(s, "states_are_those_of_the_bytes", states_are_those_of_the_bytes, 16);
	unit_case(s, "clusters_agree", clusters_agree, 3);
	unit_case(s, "a_directory_is_one_run", a_directory_is_one_run, 0);
	return s;
}
