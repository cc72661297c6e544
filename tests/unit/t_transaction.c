// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_transaction.c - commit/transaction: images of blocks, and the order in which they are written
 *
 * Blocks of 1,024 bytes, whose content the log keeps (io_log.h).
 */
#include <stdlib.h>
#include <string.h>

#include "commit/transaction.h"
#include "journalbed.h"

#define BS 1024

static const struct journalbed_format format = { "", BFO_JBD2_SUPER_V2, 0, 0 };

static void open_bed(struct journalbed *b, struct bfo_transaction *t)
{
	io_log_reset();
	journalbed_make(b, "transaction", BS, &format);
	journalbed_open(b);
	*t = (struct bfo_transaction) { .w = &b->w };
}

static uint8_t *get(struct bfo_transaction *t, uint64_t blk)
{
	void *data = NULL;

	want_ok(bfo_transaction_get(t, blk, &data));
	return data;
}

/* Whatever the order in which they are asked for, there is one image of each, ascending. */
START_TEST(keeps_one_image_each)
{
	struct bfo_transaction t;
	uint64_t first, len, blk;
	struct journalbed b;
	struct chance c;
	uint8_t map[BS];
	size_t i;

	open_bed(&b, &t);
	first = journalbed_free(&b, &len);
	chance_init(&c, 7000);
	memset(map, 0x11, BS);
	for (i = 0; i < 400; i++) {
		blk = chance_below(&c, 90);
		if (blk % 3)
			get(&t, first + blk)[5] = blk;
		else
			want_ok(bfo_transaction_set(&t, first + blk, map));
	}
	want(t.blocks.n > 80 && t.blocks.n <= 90);
	for (i = 0; i < t.blocks.n; i++) {
		const uint8_t *data = t.blocks.v[i].data;

		blk = t.blocks.v[i].blk - first;
		want(!i || t.blocks.v[i - 1].blk < t.blocks.v[i].blk);
		want(t.blocks.v[i].is_map == !(blk % 3));
		want_eq(data[4], blk % 3 ? JOURNALBED_PATTERN : 0x11);	/* as on the target */
		want_eq(data[5], blk % 3 ? blk : 0x11);
		want(get(&t, first + blk) == data);
	}
	for (i = 0; i < io_log_count(); i++)
		want(io_log_entry(i)->op != IO_LOG_WRITE);
	bfo_transaction_free(&t);
	journalbed_close(&b);
}
END_TEST

/* A map may be looked at afterwards, and set again. */
START_TEST(sets_again)
{
	uint8_t one[BS], two[BS];
	struct bfo_transaction t;
	struct journalbed b;
	uint64_t first, len;

	open_bed(&b, &t);
	first = journalbed_free(&b, &len);
	memset(one, 1, BS);
	memset(two, 2, BS);
	get(&t, first)[0] = 9;
	want_ok(bfo_transaction_set(&t, first, one));
	want_mem(get(&t, first), one, BS);
	want_ok(bfo_transaction_set(&t, first, two));
	want_mem(get(&t, first), two, BS);
	want_eq(t.blocks.n, 1);
	bfo_transaction_free(&t);
	journalbed_close(&b);
}
END_TEST

/* The writes since the last flush before entry *AT; *AT moves behind the next one. */
static size_t next_phase(size_t *at, const struct io_log_entry **writes)
{
	size_t n = 0;

	for (; *at < io_log_count() && io_log_entry(*at)->op != IO_LOG_FLUSH; ++*at)
		if (io_log_entry(*at)->op == IO_LOG_WRITE) {
			want(n < 8);
			writes[n++] = io_log_entry(*at);
		}
	want(*at < io_log_count());
	++*at;
	return n;
}

/* Two tables with late changes, one without, two maps. */
static void fill(struct bfo_transaction *t, uint64_t first)
{
	uint8_t map[BS];

	memset(map, 0x11, BS);
	want_ok(bfo_transaction_set(t, first + 6, map));
	want_ok(bfo_transaction_late(t, BFO_LATE, first + 9, 100, 3, "abc"));
	get(t, first + 9)[101] = 'x';			/* not what counts */
	get(t, first + 9)[0] = 'y';
	want_ok(bfo_transaction_late(t, BFO_LATE, first + 9, 1020, 4, "defg"));
	get(t, first + 3)[1] = 'z';
	want_ok(bfo_transaction_late(t, BFO_LATE, first + 12, 0, 2, "hi"));
	want_ok(bfo_transaction_set(t, first + 2, map));
}

static void want_late(const void *block9, const void *block12, int made)
{
	const char *a = block9, *b = block12;

	want_eq(a[0], 'y');
	want_eq(!memcmp(a + 100, "abc", 3), made);
	want_eq(!memcmp(a + 1020, "defg", 4), made);
	want_eq(!memcmp(b, "hi", 2), made);
	want_eq((uint8_t) a[103], JOURNALBED_PATTERN);
}

START_TEST(applies_in_order)
{
	const struct io_log_entry *e[8];
	struct bfo_transaction t;
	uint64_t first, len;
	struct journalbed b;
	size_t at;

	open_bed(&b, &t);
	first = journalbed_free(&b, &len);
	fill(&t, first);
	want_eq(t.blocks.n, 5);
	at = io_log_count();
	want_ok(bfo_transaction_apply(&t));
	want_eq(next_phase(&at, e), 3);
	want(e[0]->at == (first + 3) * BS && e[1]->at == (first + 9) * BS &&
	     e[2]->at == (first + 12) * BS);
	want_late(e[1]->data, e[2]->data, 0);
	want_eq(next_phase(&at, e), 2);
	want(e[0]->at == (first + 2) * BS && e[1]->at == (first + 6) * BS);
	want_eq(next_phase(&at, e), 2);
	want(e[0]->at == (first + 9) * BS && e[1]->at == (first + 12) * BS);
	want_late(e[0]->data, e[1]->data, 1);
	want_eq(at, io_log_count());
	bfo_transaction_free(&t);
	journalbed_close(&b);
}
END_TEST

/* All at once, late changes too, and not before the journal has them. */
START_TEST(commits_at_once)
{
	const struct io_log_entry *e[8];
	struct bfo_transaction t;
	struct bfo_txlog j;
	uint64_t first, len;
	struct journalbed b;
	int durable = 0, i;
	size_t at;

	open_bed(&b, &t);
	first = journalbed_free(&b, &len);
	want_ok(bfo_txlog_open(&b.ctx, b.vol, &j));
	fill(&t, first);
	at = io_log_count();
	want_ok(bfo_transaction_commit(&t, &j, &durable));
	want(durable);
	want_ok(bfo_writer_flush(&b.w));
	want_eq(next_phase(&at, e), 2);			/* log, in one piece; superblock */
	want_eq(e[0]->bytes, (1 + 5 + 1 + 1) * BS);
	want_eq(e[1]->at, BS);
	want_eq(next_phase(&at, e), 1);
	want_eq(e[0]->at, journalbed_place(&b, 0) * BS);
	want_eq(next_phase(&at, e), 5);
	for (i = 0; i < 5; i++)
		want_eq(e[i]->at, t.blocks.v[i].blk * BS);
	want_late(e[3]->data, e[4]->data, 1);
	want_eq(next_phase(&at, e), 1);
	want_eq(e[0]->at, journalbed_place(&b, 0) * BS);
	want_eq(next_phase(&at, e), 1);
	want_eq(e[0]->at, BS);
	want_eq(at, io_log_count());
	bfo_transaction_free(&t);
	bfo_txlog_free(&j);
	journalbed_close(&b);
}
END_TEST

/*
 * _i: which write fails, from 0: log, super, start, 5 in place, stop, super.  It is durable from
 * `in place` on; a start that failed was taken back.
 */
START_TEST(tells_whether_durable)
{
	struct bfo_transaction t;
	struct bfo_txlog j;
	uint64_t first, len;
	struct journalbed b;
	int durable = 7;
	char *block;

	open_bed(&b, &t);
	first = journalbed_free(&b, &len);
	want_ok(bfo_txlog_open(&b.ctx, b.vol, &j));
	fill(&t, first);
	io_log_fail_write(_i + 1);
	want(bfo_transaction_commit(&t, &j, &durable));
	want_eq(durable, _i > 2);
	want(b.w.failed);
	if (durable) {
		want_ok(bfo_transaction_redo(&t, &j));
	} else {
		b.w.failed = 0;
		want_ok(bfo_transaction_settle(&b.w));
	}
	want(!ext2fs_has_feature_journal_needs_recovery(&b.w.super));
	bfo_transaction_free(&t);
	bfo_txlog_free(&j);
	journalbed_close(&b);
	journalbed_open(&b);
	want(!ext2fs_has_feature_journal_needs_recovery(b.vol->fs->super));
	want_ok(bfo_txlog_open(&b.ctx, b.vol, &j));	/* empty */
	block = journalbed_block(&b, first + 12);
	want_eq(!memcmp(block, "hi", 2), durable);
	free(block);
	bfo_txlog_free(&j);
	journalbed_close(&b);
}
END_TEST

/* The superblock asks for a replay, has its checksum, and its block what else is in it. */
START_TEST(has_a_superblock)
{
	struct ext2_super_block sb, *image;
	struct bfo_transaction t;
	struct journalbed b;

	open_bed(&b, &t);
	sb = b.w.super;
	sb.s_free_inodes_count -= 3;
	want_ok(bfo_transaction_super(&t, &sb));
	want_eq(t.blocks.n, 1);
	want_eq(t.blocks.v[0].blk, 1);
	image = t.blocks.v[0].data;
	want(ext2fs_has_feature_journal_needs_recovery(image));
	want(!ext2fs_has_feature_journal_needs_recovery(&sb));
	want_eq(image->s_free_inodes_count, sb.s_free_inodes_count);
	want(ext2fs_superblock_csum_verify(b.vol->fs, image));
	bfo_transaction_free(&t);
	journalbed_close(&b);
}
END_TEST

Suite *transaction_suite(void)
{
	Suite *s = suite_create("transaction");

	unit_case(s, "keeps_one_image_each", keeps_one_image_each, 0);
	unit_case(s, "sets_again", sets_again, 0);
	unit_case(s, "applies_in_order", applies_in_order, 0);
	unit_case(s, "commits_at_once", commits_at_once, 0);
	unit_case(s, "tells_whether_durable", tells_whether_durable, 10);
	unit_case(s, "has_a_superblock", has_a_superblock, 0);
	return s;
}
