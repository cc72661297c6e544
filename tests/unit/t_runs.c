// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_runs.c - plan/runs: segments of one block size as runs of another
 *
 * The model is a map of bytes' states: each unit of 1 KiB of the file is a hole, written or
 * unwritten.  A run's block is written if any of its units before the end of the file is.
 */
#include <string.h>

#include "made.h"
#include "plan/extent.h"
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

#define CLUSTERS 40			/* of a file */

/* A file whose clusters are kept, or come from the source, or are holes. */
struct patchwork {
	struct made m;
	uint64_t where[CLUSTERS * 8];	/* kept: its block; else 0 */
	uint8_t state[CLUSTERS * 8];
	uint32_t kept, moved;		/* clusters that have some */
};

static void add_cluster(struct patchwork *p, struct chance *c, uint32_t n, uint32_t ratio,
			uint64_t place)
{
	int kept = !!place, state = chance_below(c, 4) ? WRITTEN : UNWRITTEN, any = 0;
	uint64_t flag = state == UNWRITTEN ? BFO_SEG_UNWRITTEN : 0, blk;
	uint32_t i, lblk;

	for (i = 0; i < ratio; i++) {
		lblk = n * ratio + i;
		if (ratio > 1 && !chance_below(c, 4))
			continue;
		blk = kept ? place + i : 100000 + lblk;
		p->where[lblk] = kept ? blk : 0;
		p->state[lblk] = state;
		made_seg(&p->m, blk | flag | (kept ? BFO_SEG_KEPT : 0), lblk, 1);
		any = 1;
	}
	p->kept += any && kept;
	p->moved += any && !kept;
}

static void sew(struct patchwork *p, struct chance *c, uint32_t ratio)
{
	uint64_t place = 10 * ratio;
	uint32_t n;

	memset(p, 0, sizeof(*p));
	made_init(&p->m);
	p->m.target.cluster_blocks = ratio;
	bfo_plan_init(&p->m.plan, &p->m.ctx, &p->m.tree, &p->m.target);
	p->m.planned = 1;
	made_inode(&p->m, 20, S_IFREG | 0644);
	for (n = 0; n < CLUSTERS; n++) {
		place += ratio * (1 + (chance_below(c, 3) ? 0 : chance_below(c, 5)));
		if (chance_below(c, 4))
			add_cluster(p, c, n, ratio, chance_below(c, 2) ? place : 0);
	}
}

/* Each run is as long as can be, and all of it is kept, or none. */
static void check_patchwork(struct patchwork *p, uint32_t ratio)
{
	uint8_t states[CLUSTERS * 8] = { HOLE };
	struct bfo_run before = { 0 }, run;
	struct bfo_run_walk w;
	uint32_t i;

	bfo_runs_begin(&w, &p->m.plan, &p->m.tree.inodes.v[0]);
	for (; bfo_runs_next(&w, &run); before = run) {
		want(run.len && run.lblk >= before.lblk + before.len);
		want(run.lblk > before.lblk + before.len || !before.len ||
		     run.unwritten != before.unwritten || !run.kept != !before.kept ||
		     (run.kept && run.kept != before.kept + before.len));
		for (i = 0; i < run.len; i++) {
			want_eq(p->where[run.lblk + i], run.kept ? run.kept + i : 0);
			states[run.lblk + i] = run.unwritten ? UNWRITTEN : WRITTEN;
		}
		want(run.kept || run.at % ratio == run.lblk % ratio);
	}
	want_mem(states, p->state, sizeof(states));
	want_eq(bfo_runs_taken(&w), p->moved * ratio);
	want_eq(bfo_runs_kept(&w), p->kept * ratio);
}

/* What is not kept lies in the stem, whose only run begins at block STEM. */
static void check_extents(struct patchwork *p, uint64_t stem)
{
	bfo_segs ext = { 0 };
	uint32_t i, k, seen = 0;

	want_ok(bfo_vec_push(&p->m.plan.stem, (struct bfo_stem_run) { .blk = stem, .len = 1000 }));
	want_ok(bfo_extents_of(&p->m.plan, 0, &ext));
	for (i = 0; i < ext.n; i++)
		for (k = 0; k < ext.v[i].len; k++, seen++) {
			uint64_t kept = p->where[ext.v[i].lblk + k];

			want(!bfo_seg_kept(&ext.v[i]));
			want_eq(p->state[ext.v[i].lblk + k],
				bfo_seg_unwritten(&ext.v[i]) ? UNWRITTEN : WRITTEN);
			want(kept ? bfo_seg_blk(&ext.v[i]) + k == kept
				  : bfo_seg_blk(&ext.v[i]) >= stem);
		}
	for (i = 0; i < CLUSTERS * 8; i++)
		seen -= p->state[i] != HOLE;
	want_eq(seen, 0);
	bfo_vec_free(&ext);
}

/* _i: blocks of a cluster, as a power of two. */
START_TEST(what_is_kept_stays)
{
	struct patchwork p;
	struct chance c;
	int trial;

	chance_init(&c, 850 + _i);
	for (trial = 0; trial < 300; trial++) {
		sew(&p, &c, 1 << _i);
		check_patchwork(&p, 1 << _i);
		check_extents(&p, 1 << 20);
		made_free(&p.m);
	}
}
END_TEST

Suite *runs_suite(void)
{
	Suite *s = suite_create("runs");

	unit_case(s, "states_are_those_of_the_bytes", states_are_those_of_the_bytes, 16);
	unit_case(s, "clusters_agree", clusters_agree, 3);
	unit_case(s, "a_directory_is_one_run", a_directory_is_one_run, 0);
	unit_case(s, "what_is_kept_stays", what_is_kept_stays, 4);
	return s;
}
