// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_batch.c - gather/batch: what is merged into one read, and who gets which block
 *
 * Every take is checked by the bed: nodes come in order, each complete, in ascending pieces, at
 * the place that was asked for, with the right content.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>

#include "bed.h"
#include "io_log.h"

#define BS 4096U
#define MERGE (BFO_MERGE_BYTES / BS)	/* 1,280 blocks */
#define SEEK 256U			/* a seek's price where there is no gap, in blocks: 1 MB */
#define LAST 8192			/* blocks of the volume */

/*
 * Nodes; what they cost, where a seek costs as much as four gaps, and less is skipped; whether a
 * sink with a place gets them by way of the merge buffer.
 */
static const struct shape {
	uint32_t gap;			/* bytes */
	struct {
		uint32_t blk, len;
	} node[4];
	uint32_t reads, blocks, seeks, skipped;
	int merge;
} shapes[] = {
	{ 8 * BS, { { 100, 4 }, { 112, 4 } }, 1, 16, 1, 0, 0 },
	{ 8 * BS, { { 100, 4 }, { 113, 4 } }, 2, 8, 1, 9, 0 },
	{ 9 * BS - 1, { { 100, 4 }, { 112, 4 } }, 1, 16, 1, 0, 0 },
	{ 9 * BS - 1, { { 100, 4 }, { 113, 4 } }, 2, 8, 1, 9, 0 },
	{ 0, { { 100, 4 }, { 104, 4 } }, 1, 8, 1, 0, 0 },
	{ 0, { { 100, 4 }, { 105, 4 } }, 2, 8, 1, 1, 0 },
	/* overlaps */
	{ 0, { { 100, 8 }, { 104, 8 } }, 1, 12, 1, 0, 1 },
	{ 0, { { 100, 8 }, { 100, 8 } }, 1, 8, 1, 0, 1 },
	{ 4 * BS, { { 100, 20 }, { 102, 2 }, { 124, 1 }, { 130, 1 } }, 2, 26, 1, 5, 1 },
	{ 4 * BS, { { 100, 20 }, { 102, 2 }, { 124, 1 } }, 1, 25, 1, 0, 1 },
	/* as much as the merge buffer holds */
	{ 0, { { 100, 600 }, { 700, 600 }, { 1300, 80 } }, 1, 1280, 1, 0, 0 },
	{ 0, { { 100, 600 }, { 700, 600 }, { 1300, 81 } }, 2, 1281, 1, 0, 0 },
	{ 100 * BS, { { 100, 600 }, { 780, 600 } }, 1, 1280, 1, 0, 0 },
	{ 100 * BS, { { 100, 600 }, { 781, 600 } }, 2, 1200, 1, 81, 0 },
	/* large ones: alone, in pieces of a merge buffer */
	{ 0, { { 100, 639 }, { 739, 1 } }, 1, 640, 1, 0, 0 },
	{ 0, { { 100, 640 }, { 740, 1 } }, 2, 641, 1, 0, 0 },
	{ 0, { { 100, 1 }, { 101, 640 }, { 741, 1 } }, 3, 642, 1, 0, 0 },
	{ 5 * BS, { { 100, 1 }, { 103, 640 } }, 2, 641, 1, 2, 0 },
	{ 0, { { 100, 3 * MERGE }, { 100 + 3 * MERGE, 1 } }, 4, 3 * MERGE + 1, 1, 0, 0 },
	{ 0, { { 100, 2 * MERGE + 1 } }, 3, 2 * MERGE + 1, 1, 0, 0 },
	{ 0, { { 100, 700 }, { 300, 5 }, { 400, 650 } }, 3, 1355, 2, 95, 0 },
	/* the end of the volume */
	{ 16 * BS, { { LAST - 8, 1 }, { LAST - 1, 1 } }, 1, 8, 1, 0, 0 },
	{ 16 * BS, { { LAST - 1, 1 } }, 1, 1, 1, 0, 0 },
	{ 16 * BS, { { LAST - 8, 8 }, { LAST - 4, 4 } }, 1, 8, 1, 0, 1 },
	{ 16 * BS, { { LAST - 1400, 1400 } }, 2, 1400, 1, 0, 0 },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void run_shape(struct bed *b, const struct shape *s, int placed)
{
	uint64_t nowhere = 2 * LAST, seek = s->gap ? 4 * (s->gap / BS) : SEEK;
	size_t i;

	bed_again(b, s->gap, placed);
	for (i = 0; i < 4 && s->node[i].len; i++)
		bed_add(b, s->node[i].blk, s->node[i].len, i % 2);
	want_eq(bfo_reader_cost(&b->r, b->nodes.v, b->nodes.n, &nowhere),
		s->blocks + s->seeks * seek + s->skipped);
	want_ok(bed_run(b));
	bed_want_all(b);
	want_eq(b->r.reads, s->reads);
	want_eq(b->r.blocks, s->blocks);
}

/* _i: a volume at the start of its file, or not. */
START_TEST(merges_as_the_rule_says)
{
	struct bed b;
	size_t i;

	bed_open(&b, BS, LAST, _i ? 12345 * 512 : 0, NULL);
	for (i = 0; i < SHAPES; i++) {
		run_shape(&b, &shapes[i], 1);
		want_eq(bed_used_merge(&b), shapes[i].merge);
		run_shape(&b, &shapes[i], 0);
		want(bed_used_merge(&b));
	}
	bed_close(&b);
}
END_TEST

/* What a channel is asked for is what is counted. */
START_TEST(counts_its_requests)
{
	size_t i, k, first, reads;
	uint64_t bytes;
	struct bed b;

	bed_open(&b, BS, LAST, 0, io_log_manager);
	for (i = 0; i < 2 * SHAPES; i++) {
		first = io_log_count();
		run_shape(&b, &shapes[i / 2], i % 2);
		for (k = first, reads = 0, bytes = 0; k < io_log_count(); k++) {
			want(io_log_entry(k)->op == IO_LOG_READ);
			bytes += io_log_entry(k)->bytes;
			reads++;
		}
		want_eq(reads, b.r.reads);
		want_eq(bytes, b.r.blocks * BS);
	}
	bed_close(&b);
}
END_TEST

/* N nodes of one block, STEP blocks apart on the volume, GUARD blocks in their room. */
static void run_many(struct bed *b, uint32_t n, uint32_t step, uint32_t guard)
{
	uint32_t i;

	bed_again(b, BS, 1);
	for (i = 0; i < n; i++)
		bed_add(b, 200 + (uint64_t) i * step, 1, guard);
	want_ok(bed_run(b));
	bed_want_all(b);
	want_eq(b->r.reads, 1);
}

/* preadv(2) takes 1,024 pieces; pieces that meet are one. */
START_TEST(scatters_what_one_call_takes)
{
	struct bed b;

	bed_open(&b, BS, LAST, 0, NULL);
	run_many(&b, 1024, 1, 1);
	want(!bed_used_merge(&b));
	run_many(&b, 1025, 1, 1);
	want(bed_used_merge(&b));
	run_many(&b, MERGE, 1, 1);
	want(bed_used_merge(&b));
	run_many(&b, MERGE, 1, 0);
	want(!bed_used_merge(&b));
	run_many(&b, 512, 2, 1);		/* 511 gaps */
	want(!bed_used_merge(&b));
	run_many(&b, 513, 2, 1);
	want(bed_used_merge(&b));
	bed_close(&b);
}
END_TEST

/* Backwards in the room, so that no two pieces meet. */
START_TEST(scatters_in_any_order)
{
	struct bed b;
	uint32_t i;

	bed_open(&b, BS, LAST, 0, NULL);
	bed_again(&b, BS, 1);
	for (i = 0; i < 300; i++)
		bed_add(&b, 200 + 3 * i, 2, 0);
	for (i = 0; i < 300; i++)
		b.nodes.v[i].to = 2 * (299 - i);
	want_ok(bed_run(&b));
	bed_want_all(&b);
	want(!bed_used_merge(&b));
	want_eq(b.r.reads, 1);
	bed_close(&b);
}
END_TEST

/* Nothing is read nor delivered after a sink's error; it is what comes back.  _i: has a place. */
START_TEST(ends_where_the_sink_fails)
{
	static const uint32_t reads_until[] = { 1, 1, 2, 3, 4, 4 };
	struct bed b;
	uint32_t i;

	bed_open(&b, BS, LAST, 0, NULL);
	for (i = 0; i < 6; i++) {
		bed_again(&b, 0, _i);
		bed_add(&b, 100, 1, 0);
		bed_add(&b, 101, 1, 1);
		bed_add(&b, 200, 2 * MERGE, 1);		/* in two pieces */
		bed_add(&b, 5000, 1, 1);
		bed_add(&b, 5001, 1, 1);
		bed_add(&b, 6000, 1, 1);
		b.fail_at = i + 1;
		want_err(bed_run(&b), BFO_ET_CHANGED);
		want_eq(b.takes, i + 1);
		want_eq(b.r.reads, reads_until[i]);
	}
	bed_close(&b);
}
END_TEST

/* Of a file that is cut off meanwhile comes what is there, up to block MISSING; 0: all is. */
static void run_cut(struct bed *b, int placed, uint64_t bytes, uint32_t takes, uint32_t missing)
{
	char said[64];

	bed_again(b, 0, placed);
	b->vol->media.failed = 0;
	bed_add(b, 200, 4, 0);
	bed_add(b, 300, 4, 1);			/* blocks 300 to 309: one read, scattered */
	bed_add(b, 304, 6, 1);
	bed_add(b, 4000, 2 * MERGE, 1);		/* read in two pieces */
	want(!truncate(b->path, bytes));
	if (missing)
		want_err(bed_run(b), EXT2_ET_SHORT_READ);
	else
		want_ok(bed_run(b));
	want_eq(b->takes, takes);
	want_eq(b->vol->media.failed, missing);
	snprintf(said, sizeof(said), "reading block %u of ", missing);
	want(!missing || strstr(b->ctx.what, said));
}

START_TEST(fails_where_the_file_ends)
{
	struct bed b;

	bed_open(&b, BS, LAST, 0, NULL);
	run_cut(&b, _i, (4000 + 2 * MERGE) * BS, 5, 0);
	run_cut(&b, _i, (4000 + 2 * MERGE) * BS - 1, 5, 4000 + 2 * MERGE - 1);
	run_cut(&b, _i, (4000 + MERGE) * BS, 4, 4000 + MERGE);
	run_cut(&b, _i, (4000 + MERGE - 1) * BS, 4, 4000 + MERGE - 1);
	run_cut(&b, _i, 310 * BS, 3, 4000);
	run_cut(&b, _i, 310 * BS - 512, 3, 309);
	run_cut(&b, _i, 305 * BS, 3, 305);
	run_cut(&b, _i, 300 * BS, 1, 300);
	run_cut(&b, _i, 200 * BS, 0, 200);
	run_cut(&b, _i, 0, 0, 200);
	bed_close(&b);
}
END_TEST

Suite *batch_suite(void)
{
	Suite *s = suite_create("batch");

	unit_case(s, "merges_as_the_rule_says", merges_as_the_rule_says, 2);
	unit_case(s, "counts_its_requests", counts_its_requests, 0);
	unit_case(s, "scatters_what_one_call_takes", scatters_what_one_call_takes, 0);
	unit_case(s, "scatters_in_any_order", scatters_in_any_order, 0);
	unit_case(s, "ends_where_the_sink_fails", ends_where_the_sink_fails, 2);
	unit_case(s, "fails_where_the_file_ends", fails_where_the_file_ends, 2);
	return s;
}
