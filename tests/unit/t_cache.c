// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_cache.c - gather/cache: what is read by way of the page cache, and how
 */
#include "bed.h"

#define BS 4096U
#define REGION (BFO_REGION_BYTES / BS)		/* 1,280 blocks */
#define LAST (4 * REGION + 100)			/* blocks of the volume: four, and some more */

static struct bed b;
static struct bfo_cache cache;

static void begin(uint64_t spare_memory)
{
	bed_open(&b, BS, LAST, 0, NULL);
	bed_again(&b, 16 * BS, 0);
	b.ctx.spare_memory = spare_memory;
}

static void end(void)
{
	bfo_cache_close(&cache);
	bed_close(&b);
}

/* Every second block of four regions: first of the first N of them in turn, then of the others. */
static void scattered(const void *priv, struct bfo_regions *to, bfo_cache_use *use)
{
	uint32_t n = *(const int *) priv, at, i, first;

	for (first = 0; first + n <= 4; first += n)
		for (at = 0; at < REGION; at += 2)
			for (i = first; i < first + n; i++)
				use(to, i * REGION + at, 1);
}

/* Whether regions are used, N of which are in use at a time. */
static int uses_regions(int n, uint64_t spare_memory)
{
	int used;

	begin(spare_memory);
	want_ok(bfo_cache_open(&cache, &b.source, scattered, &n));
	used = cache.regions.n > 0;
	end();
	return used;
}

START_TEST(regions_need_room_for_those_in_use)
{
	int n;

	for (n = 1; n <= 4; n *= 2) {
		want(uses_regions(n, (uint64_t) n * BFO_REGION_BYTES));
		want(!uses_regions(n, (uint64_t) n * BFO_REGION_BYTES - 1));
	}
}
END_TEST

static void in_order(const void *priv, struct bfo_regions *to, bfo_cache_use *use)
{
	uint64_t at;

	(void) priv;
	for (at = 0; at < LAST; at += 128)
		use(to, at, 1);
}

static void nothing(const void *priv, struct bfo_regions *to, bfo_cache_use *use)
{
	(void) priv;
	(void) to;
	(void) use;
}

START_TEST(no_regions_for_what_needs_none)
{
	bfo_cache_wants *const wants[] = { NULL, nothing, in_order };
	size_t i;

	for (i = 0; i < 3; i++) {
		begin(UINT64_MAX);
		want_ok(bfo_cache_open(&cache, &b.source, wants[i], NULL));
		want(!cache.regions.n);
		end();
	}
}
END_TEST

/* On media that are known to be bad, and where nothing may go through the page cache. */
START_TEST(no_regions_where_more_must_not_be_read)
{
	int n = 1, why;

	for (why = 0; why < 3; why++) {
		begin(UINT64_MAX);
		if (why == 0)
			b.vol->media.opt.mode = BFO_MEDIA_ZERO;
		else if (why == 1)
			want_ok(bfo_media_note_bad(b.vol, 7));
		else
			bfo_direct_choose(&b.vol->device, BFO_DIRECT_ALWAYS);
		want_ok(bfo_cache_open(&cache, &b.source, scattered, &n));
		want(!cache.regions.n);
		end();
	}
}
END_TEST

/* A file leaves the page cache only if there is no room for all. */
START_TEST(a_file_is_forgotten_if_it_has_no_room)
{
	int n = 1;

	begin(3 * BFO_REGION_BYTES);		/* the first one is in order, without a seek */
	want_ok(bfo_cache_open(&cache, &b.source, scattered, &n));
	want(!cache.forgets);
	b.ctx.spare_memory--;
	bfo_cache_close(&cache);
	want_ok(bfo_cache_open(&cache, &b.source, scattered, &n));
	want(cache.forgets);
	end();
}
END_TEST

/* Two pieces of one region, one of another, one of a third that is hardly wanted. */
START_TEST(reads_regions_before_their_pieces)
{
	int round;

	begin(0);
	want_ok(bfo_regions_init(&cache.regions, b.vol, 64));
	cache.source = &b.source;
	cache.r = &b.r;
	bfo_regions_add(&cache.regions, 0, 2 * REGION);
	for (round = 0; round < 2; round++) {
		bed_again(&b, 0, 1);
		bed_add(&b, 10, 1, 1);
		bed_add(&b, 700, 2, 1);
		bed_add(&b, REGION + 20, 3, 1);
		bed_add(&b, 3 * REGION, 4, 1);
		want_ok(bed_read(&b, &cache, 1));
		bed_want_all(&b);
		want_eq(b.r.reads, 4 + (round ? 0 : 2));
		want_eq(b.r.blocks, 10 + (round ? 0 : 2 * REGION));
	}
	end();
}
END_TEST

/* Between pieces of regions in the cache, and elsewhere: gaps of 4 blocks, of 5, and of 8. */
START_TEST(reads_over_less_in_regions)
{
	uint64_t base;

	begin(0);
	want_ok(bfo_regions_init(&cache.regions, b.vol, 64));
	cache.source = &b.source;
	cache.r = &b.r;
	bfo_regions_add(&cache.regions, 0, REGION);
	for (base = 0; base <= 2 * REGION; base += 2 * REGION) {
		bed_again(&b, 8 * BS, 1);
		bed_add(&b, base + 10, 1, 1);
		bed_add(&b, base + 15, 1, 1);
		bed_add(&b, base + 21, 1, 1);
		bed_add(&b, base + 30, 1, 1);
		want_ok(bed_read(&b, &cache, 1));
		bed_want_all(&b);
		want_eq(b.r.reads, base ? 1 : 1 + 3);
		want_eq(b.r.blocks, base ? 21 : REGION + 6 + 1 + 1);
	}
	end();
}
END_TEST

/* However it is read: it is wanted no more, and the last piece ends the use of a region. */
START_TEST(what_was_read_is_wanted_no_more)
{
	int by_regions;
	uint64_t start;

	for (by_regions = 0; by_regions < 2; by_regions++) {
		begin(0);
		want_ok(bfo_regions_init(&cache.regions, b.vol, 64));
		cache.source = &b.source;
		cache.r = &b.r;
		bfo_regions_add(&cache.regions, 0, REGION);
		want_eq(bfo_regions_take(&cache.regions, 0, 1, &start), REGION);
		bed_add(&b, 0, REGION / 2, 0);
		want_ok(bed_read(&b, &cache, by_regions));
		want_eq(cache.regions.held, 1);
		bed_again(&b, 0, 0);
		bed_add(&b, REGION / 2, REGION / 2, 0);
		want_ok(bed_read(&b, &cache, by_regions));
		want_eq(cache.regions.held, 0);
		want_eq(bfo_regions_forget(&cache.regions, 0, 1, &start), REGION);
		end();
	}
}
END_TEST

/* The first of two regions, of which the second goes on to be wanted. */
START_TEST(forgets_behind_the_last_piece)
{
	uint64_t start;

	begin(0);
	want_ok(bfo_regions_init(&cache.regions, b.vol, 64));
	cache.source = &b.source;
	cache.r = &b.r;
	cache.forgets = 1;
	bfo_regions_add(&cache.regions, 0, 2 * REGION);
	bed_add(&b, 0, REGION, 0);
	bed_add(&b, REGION, 1, 0);
	want_ok(bed_read(&b, &cache, 1));
	bed_want_all(&b);
	want(!bfo_regions_hold(&cache.regions, 0));
	want(bfo_regions_hold(&cache.regions, REGION));
	want_eq(bfo_regions_forget(&cache.regions, 0, LAST, &start), 0);
	end();
}
END_TEST

static struct rusage so_far, each_time;

/* As if each look found that so much had been waited for since the last one. */
static void wait_more(struct rusage *now)
{
	so_far.ru_inblock += each_time.ru_inblock;
	so_far.ru_majflt += each_time.ru_majflt;
	*now = so_far;
}

/* Reads 100 blocks one by one, of one region; returns the blocks that were read beside them. */
static uint64_t read_beside(long reads, long faults)
{
	int two = 2, i;
	uint64_t beside;

	begin(0);
	want_ok(bfo_regions_init(&cache.regions, b.vol, 64));
	cache.source = &b.source;
	cache.r = &b.r;
	cache.usage = wait_more;
	each_time = (struct rusage) { .ru_inblock = reads, .ru_majflt = faults };
	scattered(&two, &cache.regions, bfo_regions_add);
	bed_again(&b, 0, 0);
	for (i = 0; i < 100; i++)
		bed_add(&b, i * 12, 1, 0);
	want_ok(bed_read(&b, &cache, 1));
	bed_want_all(&b);
	beside = b.r.blocks - 100;
	cache.usage = NULL;
	end();
	return beside;
}

/* Read as a whole a second time, and never a third time: rule 6. */
START_TEST(a_region_that_is_lost_is_read_again_once)
{
	want_eq(read_beside(0, 0), REGION);
	want_eq(read_beside(1, 0), 2 * REGION);
	want_eq(read_beside(1, 1), REGION);	/* memory of the program was paged in */
}
END_TEST

/* Sink: whether blocks come around the page cache, if that can be done. */
static errcode_t note_direct(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	(void) node;
	(void) at;
	(void) count;
	(void) data;
	*(int *) priv = b.r.direct;
	return 0;
}

/* Whether two blocks are read so that lie STEP blocks apart. */
static int is_direct(uint32_t step)
{
	int direct = -1;
	struct bfo_sink sink = { .take = note_direct, .priv = &direct };

	b.nodes.n = 0;
	bed_add(&b, 0, 1, 0);
	bed_add(&b, step, 1, 0);
	want_ok(bfo_cache_read(&cache, &b.nodes, 0, &sink));
	want(!b.r.direct);
	return direct;
}

/* One gap that is read over, one that is not. */
START_TEST(reads_over_much_by_the_page_cache_if_nothing_is_foretold)
{
	begin(0);
	want_ok(bfo_cache_open(&cache, &b.source, NULL, NULL));
	want(is_direct(1) && !is_direct(10) && is_direct(1000));
	bfo_cache_close(&cache);
	want_ok(bfo_cache_open(&cache, &b.source, in_order, NULL));
	want(is_direct(1) && is_direct(10) && is_direct(1000));
	end();
}
END_TEST

/* Notes what it is asked for. */
static errcode_t read_memory(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			     const struct bfo_sink *sink)
{
	static const char zeroes[BS];
	errcode_t err = 0;
	size_t i;

	want(!s->reader);
	for (i = 0; i < n && !err; i++) {
		want(!i || bfo_node_blk(&nodes[i - 1]) < bfo_node_blk(&nodes[i]));
		err = sink->take(sink->priv, &nodes[i], 0, nodes[i].len, zeroes);
	}
	return err;
}

static errcode_t count_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			      const void *data)
{
	(void) node;
	(void) at;
	(void) data;
	*(uint32_t *) priv += count;
	return 0;
}

/* What is no volume, and is at hand, costs nothing, and is read by its own function, in order. */
START_TEST(no_volume_no_rules)
{
	const struct bfo_source_ops ops = { .read = read_memory };
	struct bfo_source memory = { .ops = &ops, .ctx = &b.ctx, .block_size = BS,
				     .is_at_hand = 1 };
	struct bfo_cache_way way = { .size = 100, .cost = 7, .by_regions = 1 };
	bfo_order_list nodes = { 0 };
	uint32_t taken = 0;
	struct bfo_sink sink = { .take = count_blocks, .priv = &taken };

	want_ok(bfo_vec_push(&nodes, bfo_node_make(90, 2, 0, 0)));
	want_ok(bfo_vec_push(&nodes, bfo_node_make(10, 3, 1, 2)));
	want_ok(bfo_cache_open(&cache, &memory, scattered, NULL));
	want_ok(bfo_cache_cost(&cache, &nodes, &way));
	want(!way.cost && !way.by_regions);
	want_ok(bfo_cache_read(&cache, &nodes, 0, &sink));
	want_eq(taken, 5);
	bfo_cache_close(&cache);
	bfo_vec_free(&nodes);
}
END_TEST

/* If it is not at hand, its places count as those of a disk: blocks, ways, seeks of 1 MiB. */
START_TEST(no_volume_costs_by_places)
{
	struct bfo_source far = { .ctx = &b.ctx, .block_size = BS };
	const uint64_t seek = (1 << 20) / BS;
	struct bfo_cache_way way = { .size = 2 };
	bfo_order_list nodes = { 0 };

	/* in batches of two: 10 and 90, 20 and 1000000 */
	want_ok(bfo_vec_push(&nodes, bfo_node_make(90, 1, 0, 0)));
	want_ok(bfo_vec_push(&nodes, bfo_node_make(10, 1, 0, 1)));
	want_ok(bfo_vec_push(&nodes, bfo_node_make(1000000, 1, 0, 2)));
	want_ok(bfo_vec_push(&nodes, bfo_node_make(20, 1, 0, 3)));
	want_ok(bfo_cache_open(&cache, &far, NULL, NULL));
	want_ok(bfo_cache_cost(&cache, &nodes, &way));
	want_eq(way.cost, 10 + 1 + 79 + 1 + seek + 1 + seek + 1);
	/* all at once, sorted: the nodes stay as they are */
	way.size = 4;
	want_ok(bfo_cache_cost(&cache, &nodes, &way));
	want_eq(way.cost, 10 + 1 + 9 + 1 + 69 + 1 + seek + 1);
	want(!way.by_regions);
	want_eq(bfo_node_blk(&nodes.v[0]), 90);
	bfo_cache_close(&cache);
	bfo_vec_free(&nodes);
}
END_TEST

Suite *cache_suite(void)
{
	Suite *s = suite_create("cache");

	unit_case(s, "no_volume_costs_by_places", no_volume_costs_by_places, 0);
	unit_case(s, "regions_need_room_for_those_in_use", regions_need_room_for_those_in_use, 0);
	unit_case(s, "no_regions_for_what_needs_none", no_regions_for_what_needs_none, 0);
	unit_case(s, "no_regions_where_more_must_not_be_read",
		  no_regions_where_more_must_not_be_read, 0);
	unit_case(s, "a_file_is_forgotten_if_it_has_no_room",
		  a_file_is_forgotten_if_it_has_no_room, 0);
	unit_case(s, "reads_regions_before_their_pieces", reads_regions_before_their_pieces, 0);
	unit_case(s, "reads_over_less_in_regions", reads_over_less_in_regions, 0);
	unit_case(s, "what_was_read_is_wanted_no_more", what_was_read_is_wanted_no_more, 0);
	unit_case(s, "a_region_that_is_lost_is_read_again_once",
		  a_region_that_is_lost_is_read_again_once, 0);
	unit_case(s, "reads_over_much_by_the_page_cache_if_nothing_is_foretold",
		  reads_over_much_by_the_page_cache_if_nothing_is_foretold, 0);
	unit_case(s, "forgets_behind_the_last_piece", forgets_behind_the_last_piece, 0);
	unit_case(s, "no_volume_no_rules", no_volume_no_rules, 0);
	return s;
}
