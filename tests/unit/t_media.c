// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_media.c - volume/media and gather/batch: what cannot be read, and what must not be
 *
 * Two kinds of bad blocks: known ones (a mapfile has ruled them out), which no request may cover,
 * and ones at which requests fail.  Of every node each good block has to be delivered, each bad one
 * lost, once, in ascending order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bed.h"
#include "gather/lost.h"
#include "io_log.h"

#define BS 4096U
#define LAST 8192U		/* blocks of the volume */

enum { KNOWN = 1, FAILS = 2 };

struct media {
	struct bed b;
	uint8_t bad[LAST];
	size_t node;		/* to be told of now, */
	uint32_t at;		/* from this block of it on */
	uint32_t lost, taken;
};

/* The piece is the next one, and bad or good as it should be. */
static void want_piece(struct media *m, const struct bfo_node *node, uint32_t at, uint32_t count,
		       int bad)
{
	uint32_t i;

	while (m->b.nodes.v[m->node].len == m->at) {
		m->node++;
		m->at = 0;
	}
	want(node == m->b.nodes.v + m->node);
	want_eq(at, m->at);
	want(count && count <= node->len - at);
	for (i = 0; i < count; i++)
		want_eq(!!m->bad[bfo_node_blk(node) + at + i], bad);
	m->at += count;
}

static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	struct media *m = priv;
	const uint64_t *word = data;
	uint32_t i;

	want_piece(m, node, at, count, 0);
	for (i = 0; i < count; i++)
		want_eq(word[i * (BS / 8) + 5], (bfo_node_blk(node) + at + i) << 32 | 5);
	want(!m->b.sink.place || data == m->b.room + (node->to + at) * BS);
	m->taken += count;
	return 0;
}

static errcode_t lose(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct media *m = priv;

	want_piece(m, node, at, count, 1);
	m->lost += count;
	return 0;
}

static void *place(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct media *m = priv;

	return m->b.room + (node->to + at) * BS;
}

static void begin(struct media *m, uint32_t gap, int placed, enum bfo_media_mode mode)
{
	bed_again(&m->b, gap * BS, 0);
	m->b.sink = (struct bfo_sink) { .take = take, .lost = lose, .priv = m,
					.place = placed ? place : NULL };
	m->b.vol->media.opt.mode = mode;
	m->b.vol->media.failed = 0;
	m->node = m->at = m->lost = m->taken = 0;
}

static void make_known(struct media *m, uint32_t blk, uint32_t len)
{
	want_ok(bfo_ranges_add(&m->b.vol->media.bad, blk, len));
	memset(m->bad + blk, KNOWN, len);
}

static void make_failing(struct media *m, uint32_t blk, uint32_t len)
{
	io_log_fail_reads((uint64_t) blk * BS, len * BS);
	for (; len; blk++, len--)
		if (!m->bad[blk])
			m->bad[blk] = FAILS;
}

/* No request since entry FIRST touches a known bad block, none fails twice alone. */
static void want_log(const struct media *m, size_t first)
{
	uint8_t single[LAST] = { 0 };
	uint64_t blk, end;

	for (; first < io_log_count(); first++) {
		const struct io_log_entry *e = io_log_entry(first);

		want_eq(e->op, IO_LOG_READ);
		end = (e->at + e->bytes) / BS;
		for (blk = e->at / BS; blk < end; blk++)
			want(m->bad[blk] != KNOWN);
		if (e->bytes == BS && m->bad[e->at / BS])
			want(!single[e->at / BS]++);
	}
}

static void want_told(const struct media *m)
{
	uint32_t i, j, lost = 0, all = 0;

	for (i = 0; i < m->b.nodes.n; i++)
		for (j = 0; j < m->b.nodes.v[i].len; j++, all++)
			lost += !!m->bad[bfo_node_blk(&m->b.nodes.v[i]) + j];
	want_eq(m->lost, lost);
	want_eq(m->taken, all - lost);
}

/* What was found is what fails, and was needed. */
static void want_found(const struct media *m)
{
	const bfo_ranges *found = &m->b.vol->media.found;
	uint8_t needed[LAST] = { 0 };
	uint32_t i;

	for (i = 0; i < m->b.nodes.n; i++)
		memset(needed + bfo_node_blk(&m->b.nodes.v[i]), 1, m->b.nodes.v[i].len);
	for (i = 0; i < LAST; i++)
		want_eq(bfo_ranges_contain(found, i), m->bad[i] == FAILS && needed[i]);
}

/* Read again, nothing is asked for that has failed before. */
static void want_nothing_new(struct media *m)
{
	size_t first = io_log_count();
	uint32_t i;

	for (i = 0; i < LAST; i++)
		if (bfo_ranges_contain(&m->b.vol->media.found, i))
			m->bad[i] = KNOWN;
	m->node = m->at = m->lost = m->taken = 0;
	want_ok(bfo_reader_run(&m->b.r, m->b.nodes.v, m->b.nodes.n, &m->b.sink));
	want_log(m, first);
	want_told(m);
}

/* _i & 1: with a place; _i & 2: with large nodes; without overlaps, which go another way. */
START_TEST(loses_bad_blocks_alone)
{
	uint32_t trial, i, blk, len, longest = _i & 2 ? 1500 : 30;
	struct media *m = unit_alloc(sizeof(*m));
	struct chance c;
	size_t first;

	chance_init(&c, 5600 + _i);
	for (trial = 0; trial < 12; trial++) {
		io_log_reset();
		memset(m, 0, sizeof(*m));
		bed_open(&m->b, BS, LAST, 0, io_log_manager);
		begin(m, chance_below(&c, 20), _i & 1, BFO_MEDIA_ZERO);
		for (i = 0; i < 20; i++)
			make_known(m, chance_below(&c, LAST - 40), chance_between(&c, 1, 40));
		for (i = 0; i < 40; i++)
			make_failing(m, chance_below(&c, LAST - 4), chance_between(&c, 1, 4));
		for (blk = 1; ; blk += len + chance_below(&c, 30)) {
			len = chance_between(&c, 1, longest);
			if (blk + len > LAST)
				break;
			bed_add(&m->b, blk, len, 0);
		}
		first = io_log_count();
		want_ok(bed_run(&m->b));
		want_log(m, first);
		want_told(m);
		want_found(m);
		want_nothing_new(m);
		bed_close(&m->b);
	}
	io_log_reset();
	free(m);
}
END_TEST

/* Bad blocks in gaps are no matter; else the first that is needed ends it. */
START_TEST(stops_at_what_is_needed)
{
	struct media *m = unit_alloc(sizeof(*m));

	bed_open(&m->b, BS, LAST, 0, io_log_manager);
	begin(m, 50, 0, BFO_MEDIA_STOP);
	make_failing(m, 120, 5);
	bed_add(&m->b, 100, 10, 0);
	bed_add(&m->b, 130, 10, 0);
	want_ok(bed_run(&m->b));
	want_told(m);
	begin(m, 50, 0, BFO_MEDIA_STOP);
	bed_add(&m->b, 100, 10, 0);
	bed_add(&m->b, 115, 20, 0);
	want_err(bed_run(&m->b), EIO);
	want_eq(m->b.vol->media.failed, 120);
	want(strstr(m->b.ctx.what, "reading block 120 of "));
	begin(m, 50, 0, BFO_MEDIA_STOP);
	make_known(m, 2000, 1);
	bed_add(&m->b, 1990, 11, 0);
	want_err(bed_run(&m->b), BFO_ET_NOT_RESCUED);
	want_eq(m->b.vol->media.failed, 2000);
	begin(m, 50, 0, BFO_MEDIA_ZERO);	/* nobody to lose it */
	m->b.sink.lost = NULL;
	bed_add(&m->b, 115, 20, 0);
	want_err(bed_run(&m->b), EIO);
	bed_close(&m->b);
	io_log_reset();
	free(m);
}
END_TEST

/* By the volume's own descriptor, scattered; what is behind the end of the file cannot be read. */
START_TEST(takes_scattered_reads_apart)
{
	struct media *m = unit_alloc(sizeof(*m));

	bed_open(&m->b, BS, LAST, 0, NULL);
	begin(m, 50, 1, BFO_MEDIA_ZERO);
	want(!truncate(m->b.path, 1000 * BS + 100));
	memset(m->bad + 1000, FAILS, LAST - 1000);
	bed_add(&m->b, 980, 5, 1);
	bed_add(&m->b, 990, 20, 1);
	bed_add(&m->b, 1020, 3, 1);
	want_ok(bed_run(&m->b));
	want_told(m);
	want_found(m);
	bed_close(&m->b);
	free(m);
}
END_TEST

/* A map of bytes, and an offset: a block is good if all of it was read. */
START_TEST(maps_bytes_to_blocks)
{
	static const char text[] = "0 ? 1\n0 0x3000 +\n0x3000 512 -\n0x3200 0x2e00 +\n"
				   "0x6000 0x1000 *\n0x7000 0x9000 +\n0x20000 0x1fdfe00 +\n";
	char *path = unit_path("map");
	FILE *f = fopen(path, "w");
	struct bfo_media_options opt = { .mode = BFO_MEDIA_ZERO };
	struct bfo_mapfile map;
	struct bfo_volume *vol;
	struct bed b;
	uint32_t i;

	want(f && fputs(text, f) >= 0 && !fclose(f));
	bed_open(&b, BS, LAST, 512, NULL);		/* only for its file */
	want_ok(bfo_mapfile_read(&b.ctx, path, &map));
	opt.map = &map;
	b.vol->media.opt = opt;
	vol = b.vol;
	want_ok(bfo_media_begin(vol));
	for (i = 0; i < LAST; i++) {
		uint64_t begin_at = 512 + (uint64_t) i * BS, end = begin_at + BS;
		int good = bfo_mapfile_has(&map, begin_at, BS);

		want_eq(bfo_media_fit(vol, i, 1, NULL), good);
		want_eq(good, !(begin_at < 0x3200 && end > 0x3000) &&
			!(begin_at < 0x7000 && end > 0x6000) &&
			!(begin_at < 0x20000 && end > 0x10000) && end <= 0x1fffe00);
	}
	bfo_mapfile_free(&map);
	bed_close(&b);
	free(path);
}
END_TEST

/* What lies behind the end is bad, with the block that is there in part; if it is let in at all. */
START_TEST(ends_where_the_device_does)
{
	struct bfo_volume *vol;
	struct bed b;
	char block[BS];

	bed_open(&b, BS, LAST, 0, NULL);
	vol = b.vol;
	want_ok(bfo_media_begin(vol));
	want_eq(bfo_media_missing(vol), 0);
	want_eq(vol->media.bad.n, 0);
	vol->store.size = 1000 * BS + 1;
	want_eq(bfo_media_missing(vol), (LAST - 1000) * BS - 1);
	want_ok(bfo_media_begin(vol));
	want_eq(vol->media.bad.n, 0);
	vol->media.opt.accept_short = 1;
	want_ok(bfo_media_begin(vol));
	want_eq(bfo_media_fit(vol, 990, 20, NULL), 10);
	want_eq(bfo_ranges_total(&vol->media.bad), LAST - 1000);
	want_ok(bfo_media_read(vol, 999, 1, block));
	want_err(bfo_media_read(vol, 999, 2, block), BFO_ET_TRUNCATED);
	want_err(bfo_media_read_exact(vol, 1000, block), BFO_ET_TRUNCATED);
	want_ok(bfo_media_note_bad(vol, 500));
	want_err(bfo_media_read(vol, 499, 3, block), EIO);
	vol->blocks = UINT64_MAX / BS + 2;
	want_eq(bfo_media_missing(vol), UINT64_MAX);
	want_ok(bfo_media_begin(vol));
	want_eq(bfo_media_fit(vol, 990, 20, NULL), 10);
	bed_close(&b);
}
END_TEST

/* Of two files that share blocks, both; parts that meet in the file are one. */
START_TEST(tells_whose_blocks_they_are)
{
	static const struct bfo_seg segs[] = {
		{ .blk = 100, .lblk = 0, .len = 2 }, { .blk = 200, .lblk = 2, .len = 2 },
		{ .blk = 300 | BFO_SEG_UNWRITTEN, .lblk = 9, .len = 1 },
		{ .blk = 201, .lblk = 5, .len = 3 },
	};
	struct bfo_volume vol = { .block_size = BS };
	struct bfo_reader reader = { .vol = &vol };
	struct bfo_source source = { .reader = &reader };
	struct bfo_tree t = { .block_size = BS };
	uint64_t lblk = 0;
	bfo_row i, k;

	for (i = 0; i < 3; i++) {
		struct bfo_inode rec = { .ino = 20 + i, .mode = S_IFREG,
					 .state = i < 2 ? BFO_INODE_PLACED : 0 };

		for (k = i ? 3 : 0; k < (i ? 4 : 3); k++)
			want_ok(bfo_tree_add_seg(&t, &rec, segs[k]));
		want_ok(bfo_vec_push(&t.inodes, rec));
	}
	want_ok(bfo_ranges_add(&vol.media.bad, 101, 1));
	want_ok(bfo_ranges_add(&vol.media.bad, 200, 2));
	want_ok(bfo_ranges_add(&vol.media.bad, 300, 1));
	want_ok(bfo_lost_report(&t, &source, BFO_UNREAD_FILE));
	want_eq(t.findings.n, 2);
	want(t.findings.v[0].ino == 20 && t.findings.v[0].lblk == 1 &&
	     t.findings.v[0].blocks == 3 && t.findings.v[0].blk == 101);
	want(t.findings.v[1].ino == 21 && t.findings.v[1].lblk == 5 &&
	     t.findings.v[1].blocks == 1 && t.findings.v[1].blk == 201);
	for (i = 0; i < 3; i++)
		want_eq(!!(t.inodes.v[i].state & BFO_INODE_BAD), i < 2);
	want_eq(bfo_lost_owner(&t, 203, &lblk), 1);
	want_eq(lblk, 7);
	want_eq(bfo_lost_owner(&t, 99, &lblk), BFO_NONE);
	bfo_vec_free(&vol.media.bad);
	bfo_tree_free(&t);
}
END_TEST

Suite *media_suite(void)
{
	Suite *s = suite_create("media");

	unit_case(s, "loses_bad_blocks_alone", loses_bad_blocks_alone, 4);
	unit_case(s, "stops_at_what_is_needed", stops_at_what_is_needed, 0);
	unit_case(s, "takes_scattered_reads_apart", takes_scattered_reads_apart, 0);
	unit_case(s, "maps_bytes_to_blocks", maps_bytes_to_blocks, 0);
	unit_case(s, "ends_where_the_device_does", ends_where_the_device_does, 0);
	unit_case(s, "tells_whose_blocks_they_are", tells_whose_blocks_they_are, 0);
	return s;
}
