// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pack.c - move/pipe: a drain that is packed gets blocks that are not whole, one behind the other
 */
#include <stdlib.h>
#include <string.h>

#include "move/pipe.h"
#include "unit.h"

#define BS 1024U
#define UNIT 64U
#define WHOLE (BS / UNIT)
#define CHUNK (BFO_CHUNK_BYTES / UNIT)
#define BLOCKS 400000U

/* Each block begins and ends with its number. */
struct packed {
	struct bfo_context ctx, *of_drain;
	struct bfo_drain drain;
	struct bfo_pipe p;
	uint8_t units[BLOCKS];		/* that each takes */
	uint32_t places[BLOCKS];	/* in the buffer */
	uint32_t next;			/* block to be added */
	uint32_t written;
	uint32_t longest;		/* units of a write that is not even */
};

static struct packed t;

/* The drain: blocks come in order, each as long as it is. */
static errcode_t take(void *priv, uint64_t blk, uint32_t len, const void *data)
{
	const char *at = data;
	uint32_t units = 0, short_ones = 0, first, last;

	(void) priv;
	want_eq(blk, t.written);
	for (; len; len--, t.written++) {
		memcpy(&first, at, sizeof(first));
		at += t.units[t.written] * UNIT;
		memcpy(&last, at - sizeof(last), sizeof(last));
		want_eq(first, t.written);
		want_eq(last, t.written);
		units += t.units[t.written];
		short_ones += len > 1 && t.units[t.written] < WHOLE;
	}
	if (short_ones && units > t.longest)
		t.longest = units;
	return 0;
}

static void put(struct bfo_buffer *b, uint32_t blk)
{
	char *at = b->buf + (size_t) t.places[blk] * UNIT, *end = at + t.units[blk] * UNIT;

	memcpy(at, &blk, sizeof(blk));
	memcpy(end - sizeof(blk), &blk, sizeof(blk));
}

/* A file of BLOCKS, the last one of which takes LAST units; it will be read. */
static void add_file(struct bfo_buffer *b, uint32_t blocks, uint32_t last)
{
	uint32_t units = (blocks - 1) * WHOLE + last, at = b->used, i;

	for (i = 0; i < blocks; i++) {
		t.units[t.next + i] = i + 1 < blocks ? WHOLE : last;
		t.places[t.next + i] = at + i * WHOLE;
	}
	bfo_pipe_expect(&t.p, b, at, units);
	want_ok(bfo_pipe_add_packed(&t.p, b, at, units, t.next, blocks, t.next + blocks));
	b->used += units;
	t.next += blocks;
}

/* Fills B with files: mostly small ones, some with room behind them, some that are large. */
static void fill(struct chance *c, struct bfo_buffer *b)
{
	uint32_t blocks;

	for (;;) {
		blocks = chance_below(c, 20) ? 1 : 9;
		if (blocks > 1)
			blocks = chance_between(c, 1, chance_below(c, 20) ? 9 : 5000);
		if (b->used + blocks * WHOLE + WHOLE > t.p.capacity || t.next + blocks > BLOCKS)
			break;
		add_file(b, blocks, chance_between(c, 1, WHOLE));
		if (!chance_below(c, 50))
			b->used += chance_below(c, WHOLE);
	}
}

/* Blocks FROM to END arrive, in any order. */
static void arrive(struct chance *c, struct bfo_buffer *b, uint32_t from, uint32_t end)
{
	uint32_t n = end - from, i, k, swap, *order = unit_alloc(n * sizeof(*order) + 1);

	for (i = 0; i < n; i++)
		order[i] = from + i;
	for (i = 0; i < n; i++) {
		k = chance_between(c, i, n - 1);
		swap = order[k];
		order[k] = order[i];
		put(b, swap);
		want_ok(bfo_pipe_arrived(&t.p, b, t.places[swap], t.units[swap]));
	}
	free(order);
}

static void begin(void)
{
	memset(&t, 0, sizeof(t));
	t.of_drain = &t.ctx;
	t.drain = (struct bfo_drain) { .block_size = BS, .is_packed = 1, .write = take,
				       .ctx = &t.of_drain };
	want_ok(bfo_pipe_open(&t.p, &t.drain, UNIT, 24 << 20, UINT64_MAX, NULL));
}

/* Whatever arrives when: all blocks, in order, and where they belong. */
START_TEST(packs)
{
	struct bfo_buffer *b;
	struct chance c;
	uint32_t from;
	int k;

	chance_init(&c, 2700 + _i);
	begin();
	for (k = 0; k < 4; k++) {
		from = t.next;
		want_ok(bfo_pipe_begin(&t.p, &b));
		fill(&c, b);
		bfo_pipe_publish(&t.p, b);
		arrive(&c, b, from, t.next);
	}
	want_ok(bfo_pipe_close(&t.p, 0));
	want_eq(t.written, t.next);
	want(t.longest && t.longest <= CHUNK);
}
END_TEST

/* One write takes many small files, and as many blocks of a large one as one has. */
START_TEST(joins_what_is_packed)
{
	struct bfo_buffer *b;
	struct chance c;

	chance_init(&c, 27);
	begin();
	want_ok(bfo_pipe_begin(&t.p, &b));
	add_file(b, 3, WHOLE);			/* even, and goes on being */
	add_file(b, 2, 1);
	want_eq(b->writes.n, 1);
	want(b->writes.v[0].is_even);
	add_file(b, 1, 2);			/* no longer */
	add_file(b, 1, WHOLE);
	want_eq(b->writes.n, 1);
	want_eq(b->writes.v[0].units, 4 * WHOLE + 1 + 2 + WHOLE);
	want(!b->writes.v[0].is_even);
	b->used += 1;				/* a gap */
	add_file(b, 1, 5);
	want_eq(b->writes.n, 2);
	add_file(b, CHUNK / WHOLE + 1, 1);	/* more than is waited for at once */
	want_eq(b->writes.n, 3);
	bfo_pipe_publish(&t.p, b);
	arrive(&c, b, 0, t.next);
	want_ok(bfo_pipe_close(&t.p, 0));
	want_eq(t.written, t.next);
}
END_TEST

Suite *pack_suite(void)
{
	Suite *s = suite_create("pack");

	unit_case(s, "packs", packs, 4);
	unit_case(s, "joins_what_is_packed", joins_what_is_packed, 0);
	return s;
}
