// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_arrive.c - commit/arrive, commit/rooms: data that come once lie in the target before there is a
 * plan, and the target is as before until that is committed
 *
 * A stream (stream.h) is copied into each kind of target.  e2fsck judges the target, debugfs and
 * diff what is in it.  Whatever goes wrong before the commit, each block that was in use has the
 * bytes that it had.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commit/rooms.h"
#include "copyjob.h"
#include "stream.h"
#include "volume/open.h"

static const char *const from[] = { "/" };

struct bench {
	struct copyjob j;
	struct stream s;
	char folder[32];
	uint8_t *before;		/* the target */
	size_t bytes;
};

static void bench_image(struct bench *b, const char *image, int atomic, const char *copy)
{
	memset(b, 0, sizeof(*b));
	io_log_reset();
	copyjob_open_image(&b->j, SOURCE_SMALL, image, atomic, copy);
	bfo_volume_close(b->j.job.source);
	b->j.job.source = NULL;
	snprintf(b->folder, sizeof(b->folder), "%s.tree", copy);
	stream_init(&b->s, &b->j.ctx, b->folder, 7);
	b->j.job.from = &b->s.in.source;
	b->j.job.config.from = from;
	b->j.job.config.n_from = 1;
	b->j.job.config.to = "/";
	b->j.job.config.keep_root = 1;
	b->j.job.config.memory = MIB;
	b->j.job.config.now = 1000000000;
	b->before = copyjob_read(copy, &b->bytes);
}

static void bench_open(struct bench *b, enum copyjob_target kind, const char *copy)
{
	bench_image(b, copyjob_image(kind), copyjob_is_atomic(kind), copy);
}

static void bench_close(struct bench *b)
{
	copyjob_close(&b->j);
	free(b->before);
	io_log_reset();
}

static errcode_t plan(struct bench *b)
{
	errcode_t err = bfo_job_arrive(&b->j.job);

	if (!err)
		err = bfo_job_decide(&b->j.job, b->j.job.target);
	return err ? err : bfo_job_place(&b->j.job, b->j.job.target);
}

/* Each block of COPY that the target's bitmap says is used is as it was. */
static void want_as_before(const struct bench *b, const char *copy)
{
	ext2_filsys fs = b->j.job.target->fs;
	size_t bytes, bs = fs->blocksize;
	uint8_t *now = copyjob_read(copy, &bytes);
	uint64_t blk;

	want_eq(bytes, b->bytes);
	want_mem(now, b->before, fs->super->s_first_data_block * bs);
	for (blk = fs->super->s_first_data_block; blk < ext2fs_blocks_count(fs->super); blk++)
		if (ext2fs_test_block_bitmap2(fs->block_map, blk))
			want_mem(now + blk * bs, b->before + blk * bs, bs);
	free(now);
	want_eq(copyjob_fsck(copy, "-fn"), 0);
}

/* What was announced lies where the plan leaves it, and is counted. */
static void want_counts(const struct bench *b)
{
	const struct bfo_plan *p = &b->j.job.plan;
	size_t i;

	want_eq(b->j.job.arrived.files, b->s.come);
	want_eq(b->j.job.arrived.bytes > b->s.dropped, 1);
	want(b->j.job.arrived.blocks > p->kept_blocks);		/* some were dropped */
	want(p->kept_blocks && p->kept.n);
	for (i = 1; i < p->kept.n; i++)
		want(p->kept.v[i].start > p->kept.v[i - 1].start + p->kept.v[i - 1].len);
}

static void want_copied(struct bench *b, const char *copy, int busy)
{
	want_eq(b->j.job.stats.fate, BFO_FATE_DONE);
	bench_close(b);
	want_eq(copyjob_fsck(copy, "-fn"), 0);
	want(copyjob_holds(copy, b->folder));
	want(!busy || copyjob_holds(copy, "tree.other"));
}

static int is_busy(enum copyjob_target kind)
{
	return kind != TARGET_EMPTY && kind != TARGET_PLAIN_EMPTY;
}

/* _i: into which target. */
START_TEST(arrives)
{
	struct bench b;
	char copy[16];

	snprintf(copy, sizeof(copy), "arrive.%d", _i);
	bench_open(&b, _i, copy);
	b.s.big = 9 * MIB + 77;
	b.j.job.config.verify = _i % 2;
	want_ok(plan(&b));
	want_as_before(&b, copy);
	want_counts(&b);
	want_ok(copyjob_commit(&b.j));
	want_copied(&b, copy, is_busy(_i));
}
END_TEST

/* Small files stand in their inodes; but what has arrived stays where it is (_i). */
START_TEST(keeps_small_files_in_memory)
{
	char *path = unit_path("target.inline");
	struct bench b;

	copyjob_shell("truncate -s 64M '%s' && mke2fs -q -F -t ext4 -O inline_data '%s' 2> /dev/null",
		      path, path);
	bench_image(&b, "target.inline", 1, "arrive.inline");
	b.s.sends_smalls = _i;
	want_ok(plan(&b));
	want_eq(b.s.smalls, _i ? 1 : 3);
	want_as_before(&b, "arrive.inline");
	want_ok(copyjob_commit(&b.j));
	want_copied(&b, "arrive.inline", 0);
	want_eq(copyjob_try("debugfs -R 'stat \"/d1/deep/file 2\"' '%s' 2>&1 | grep -q 'Size of inline'",
			    "arrive.inline"), _i);
	free(path);
}
END_TEST

/* _i: what goes wrong. */
START_TEST(leaves_the_target_as_before)
{
	struct bench b;
	errcode_t err;

	bench_open(&b, TARGET_BUSY, "arrive.wrong");
	switch (_i) {
	case 0:				/* a name that is there */
		b.s.extra = "theirs";
		err = BFO_ET_CLASH;
		break;
	case 1:				/* too little room */
		b.s.big = 70 * MIB;
		err = BFO_ET_NO_SPACE;
		break;
	case 2:
		b.s.cancel_after = 40;
		b.s.big = 9 * MIB;
		err = BFO_ET_CANCELLED;
		break;
	default:			/* too few inodes */
		b.s.files = 2600;
		err = BFO_ET_NO_INODES;
	}
	want_err(plan(&b), err);
	want_as_before(&b, "arrive.wrong");
	bench_close(&b);
	want(copyjob_holds("arrive.wrong", "tree.other"));
}
END_TEST

static size_t writes_so_far(void)
{
	size_t i, n = 0;

	for (i = 0; i < io_log_count(); i++)
		n += io_log_entry(i)->op == IO_LOG_WRITE;
	return n;
}

/* Each write fails in turn: those of the arrival, and then those of the commit. */
START_TEST(survives_failing_writes)
{
	size_t nth, writes = 1;
	struct bench b;
	errcode_t err;

	for (nth = 0; nth <= writes; nth++) {
		bench_open(&b, TARGET_BUSY, "arrive.failing");
		io_log_fail_write(nth);
		err = plan(&b);
		if (err)
			want_as_before(&b, "arrive.failing");
		else
			err = copyjob_commit(&b.j);
		want_eq(err, nth ? EIO : 0);
		if (!nth)
			writes = writes_so_far();
		want(nth || writes > 10);
		bench_close(&b);
		want(copyjob_fsck("arrive.failing", "-p") <= 1);
		want_eq(copyjob_fsck("arrive.failing", "-fn"), 0);
		want(copyjob_holds("arrive.failing", "tree.other"));
		want(nth || copyjob_holds("arrive.failing", b.folder));
	}
}
END_TEST

/* ---- parts that are wrong ---- */

START_TEST(refuses_wrong_parts)
{
	const struct bfo_arrival *to;
	const struct bfo_seg *segs;
	struct bfo_arrive *a;
	struct bench b;
	size_t n;

	bench_open(&b, TARGET_EMPTY, "arrive.parts");
	want_ok(bfo_target_gather(&b.j.ctx, b.j.job.target, &b.j.job.free));
	want_ok(bfo_arrive_open(&a, &b.j.ctx, b.j.job.target, &b.j.job.free,
				&(struct bfo_arrive_options) { .memory = MIB }));
	to = bfo_arrive_where(a);
	want_ok(to->begin(to->priv, 10000));
	want_ok(to->part(to->priv, 5000, "abc", 3));
	want_err(to->part(to->priv, 5002, "abc", 3), BFO_ET_DAMAGED);
	want_err(to->part(to->priv, 9998, "abc", 3), BFO_ET_DAMAGED);
	want_err(to->part(to->priv, UINT64_MAX, "abc", 3), BFO_ET_DAMAGED);
	want_ok(to->part(to->priv, 9997, "abc", 3));
	want_ok(to->part(to->priv, 10000, "", 0));
	want_ok(to->end(to->priv, &segs, &n));
	want_eq(n, 1);
	want_eq(segs[0].lblk, 1);
	want_eq(segs[0].len, 2);
	want(bfo_seg_kept(&segs[0]));
	want_ok(to->begin(to->priv, 0));
	want_ok(to->end(to->priv, &segs, &n));
	want_eq(n, 0);
	want_err(bfo_arrive_close(a, BFO_ET_DAMAGED, NULL), BFO_ET_DAMAGED);
	want_as_before(&b, "arrive.parts");
	bench_close(&b);
}
END_TEST

/* ---- rooms ---- */

#define WORLD 6000U

static void scatter(struct chance *c, bfo_ranges *free, uint8_t *map, uint32_t unit)
{
	uint32_t at = 0, len;

	for (;;) {
		at += unit * (1 + chance_below(c, 20));
		len = unit * (1 + chance_below(c, chance_below(c, 10) ? 12 : 300));
		if (at + len > WORLD)
			return;
		want_ok(bfo_ranges_append(free, at, len));
		memset(map + at, 1, len);
		at += len;
	}
}

/* All that is free is taken, once, whole clusters at a time.  _i: blocks of a cluster. */
START_TEST(rooms_are_taken_once)
{
	static const uint32_t units[] = { 1, 4 };
	uint64_t blk, got, n, taken, total;
	uint32_t unit = units[_i], trial;
	struct chance c;

	chance_init(&c, 77 + _i);
	for (trial = 0; trial < 100; trial++) {
		uint8_t map[WORLD] = { 0 };
		bfo_ranges free = { 0 };
		struct bfo_rooms r;

		scatter(&c, &free, map, unit);
		total = bfo_ranges_total(&free);
		want_ok(bfo_rooms_init(&r, &free, unit, trial % 2 ? 100 : 1));
		for (taken = 0; taken < total; taken += got) {
			n = 1 + chance_below(&c, chance_below(&c, 4) ? 10 : 400);
			want_ok(bfo_rooms_seek(&r, n));
			want_ok(bfo_rooms_take(&r, n, &blk, &got));
			want(got && !(got % unit) && !(blk % unit) && got < n + unit);
			want(blk + got <= WORLD && !memchr(map + blk, 0, got));
			memset(map + blk, 0, got);
		}
		want_err(bfo_rooms_take(&r, 1, &blk, &got), BFO_ET_NO_SPACE);
		want(!memchr(map, 1, sizeof(map)));
		bfo_rooms_free(&r);
		bfo_vec_free(&free);
	}
}
END_TEST

/* Free: 100 at 1000, 300 at 2000, 50 at 3000, 200 at 4000, 10 at 5000; those of 100 are large. */
START_TEST(rooms_have_an_order)
{
	static const struct { uint64_t n, blk; } takes[] = {
		{ 60, 1000 }, { 250, 2000 }, { 30, 2250 }, { 150, 4000 },
		{ 50, 4150 }, { 50, 3000 }, { 10, 5000 },
		/* the next turn: what the large ones have left, the longest first */
		{ 40, 1060 }, { 20, 2280 },
	};
	bfo_ranges free = { 0 };
	struct bfo_rooms r;
	uint64_t blk, got;
	size_t i;

	want_ok(bfo_ranges_append(&free, 1000, 100));
	want_ok(bfo_ranges_append(&free, 2000, 300));
	want_ok(bfo_ranges_append(&free, 3000, 50));
	want_ok(bfo_ranges_append(&free, 4000, 200));
	want_ok(bfo_ranges_append(&free, 5000, 10));
	want_ok(bfo_rooms_init(&r, &free, 1, 100));
	for (i = 0; i < sizeof(takes) / sizeof(*takes); i++) {
		want_ok(bfo_rooms_seek(&r, takes[i].n));
		want_ok(bfo_rooms_take(&r, takes[i].n, &blk, &got));
		want_eq(blk, takes[i].blk);
		want_eq(got, takes[i].n);
	}
	want_err(bfo_rooms_take(&r, 1, &blk, &got), BFO_ET_NO_SPACE);
	bfo_rooms_free(&r);
	bfo_vec_free(&free);
}
END_TEST

Suite *arrive_suite(void)
{
	Suite *s = suite_create("arrive");

	unit_case(s, "arrives", arrives, TARGET_KINDS);
	unit_case(s, "keeps_small_files_in_memory", keeps_small_files_in_memory, 2);
	unit_case(s, "leaves_the_target_as_before", leaves_the_target_as_before, 4);
	unit_case(s, "survives_failing_writes", survives_failing_writes, 0);
	unit_case(s, "refuses_wrong_parts", refuses_wrong_parts, 0);
	unit_case(s, "rooms_are_taken_once", rooms_are_taken_once, 2);
	unit_case(s, "rooms_have_an_order", rooms_have_an_order, 0);
	return s;
}
