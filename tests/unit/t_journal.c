// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_journal.c - commit/journal: what is logged is what e2fsck replays, in every format
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copyjob.h"
#include "journalbed.h"

#define V2 BFO_JBD2_SUPER_V2

static const struct journalbed_format formats[] = {
	{ "", V2, 0, 0 },
	{ "64bit", V2, 0, BFO_JBD2_INCOMPAT_64BIT | BFO_JBD2_INCOMPAT_REVOKE },
	{ "", V2, 0, BFO_JBD2_INCOMPAT_CSUM_V2 },
	{ "64bit", V2, 0, BFO_JBD2_INCOMPAT_CSUM_V2 | BFO_JBD2_INCOMPAT_64BIT },
	{ "", V2, 0, BFO_JBD2_INCOMPAT_CSUM_V3 },
	{ "64bit", V2, 0, BFO_JBD2_INCOMPAT_CSUM_V3 | BFO_JBD2_INCOMPAT_64BIT },
	{ "^64bit,^metadata_csum", BFO_JBD2_SUPER_V1, 0, 0 },
	{ "", V2, BFO_JBD2_COMPAT_CHECKSUM, BFO_JBD2_INCOMPAT_ASYNC_COMMIT },
	{ "fast_commit", V2, 0, BFO_JBD2_INCOMPAT_FAST_COMMIT | BFO_JBD2_INCOMPAT_CSUM_V3 },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* As many as a descriptor has room for. */
static uint32_t tags_of(const struct journalbed_format *f, uint32_t bs)
{
	int v3 = !!(f->incompat & BFO_JBD2_INCOMPAT_CSUM_V3);
	int v2 = !!(f->incompat & BFO_JBD2_INCOMPAT_CSUM_V2);
	int wide = !!(f->incompat & BFO_JBD2_INCOMPAT_64BIT);

	return (bs - 12 - 16 - 4 * (v2 | v3)) / (v3 ? 16 : 8 + 4 * wide + 2 * v2);
}

/* N images for every second free block from number FIRST on; each seventh begins with the magic. */
static struct bfo_image *make_images(const struct journalbed *b, size_t first, size_t n,
				     uint64_t seed)
{
	struct bfo_image *images = unit_alloc(n * sizeof(*images));
	uint64_t len, blk = journalbed_free(b, &len) + 2 * first;
	struct chance c;
	size_t i;

	want(2 * (first + n) <= len);
	chance_init(&c, seed);
	for (i = 0; i < n; i++) {
		images[i] = (struct bfo_image) { .blk = blk + 2 * i, .data = unit_alloc(b->bs) };
		chance_fill(&c, images[i].data, b->bs);
		if (i % 7 == 0)
			bfo_jbd2_put32(images[i].data, 0, BFO_JBD2_MAGIC);
	}
	return images;
}

static void free_images(struct bfo_image *images, size_t n)
{
	while (n)
		free(images[--n].data);
	free(images);
}

/* Of the free blocks exactly these were written. */
static void want_images(const struct journalbed *b, const struct bfo_image *images, size_t n)
{
	uint64_t len, first = journalbed_free(b, &len), blk;
	uint8_t *pattern = unit_alloc(b->bs), *block;
	size_t i = 0;

	memset(pattern, JOURNALBED_PATTERN, b->bs);
	for (blk = first; blk < first + len; blk++) {
		block = journalbed_block(b, blk);
		if (i < n && images[i].blk == blk)
			want_mem(block, images[i++].data, b->bs);
		else
			want_mem(block, pattern, b->bs);
		free(block);
	}
	want_eq(i, n);
	free(pattern);
}

/* What a transaction has comes to its places. */
static void put_in_place(struct journalbed *b, const struct bfo_image *images, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		want_ok(bfo_writer_write(&b->w, images[i].blk, 1, images[i].data));
}

static void open_journal(struct journalbed *b, struct bfo_txlog *j, const char *tag)
{
	journalbed_open(b);
	want_ok(bfo_txlog_open(&b->ctx, b->vol, j));
	j->now = 1000000000;
	memset(j->tag, 0, sizeof(j->tag));
	memcpy(j->tag, tag, strlen(tag));
	memset(j->note, 'n', sizeof(j->note));
}

static int last_is(struct journalbed *b, struct bfo_txlog *j, const char *text)
{
	char tag[BFO_TXLOG_TAG_BYTES] = "";
	struct bfo_txlog_end end;

	memcpy(tag, text, strlen(text));
	want_ok(bfo_txlog_last(&b->ctx, j, tag, sizeof(tag), &end));
	want(end.is_it == !!end.is_it);
	want(end.when == (end.is_it ? 1000000000 : 0));
	want(end.note[0] == (end.is_it ? 'n' : 0) && end.note[sizeof(end.note) - 1] == end.note[0]);
	return end.is_it;
}

static void close_journal(struct journalbed *b, struct bfo_txlog *j)
{
	bfo_txlog_free(j);
	journalbed_close(b);
}

/* What was logged lies where the journal has its log, but for the first WRITES of the log. */
static void want_inside(const struct journalbed *b, const struct bfo_txlog *j, uint64_t need)
{
	uint8_t *inside = unit_alloc(b->vol->blocks);
	uint64_t blk, count = 0;
	size_t i;

	for (blk = 1; blk < 1 + need; blk++)
		inside[journalbed_place(b, blk)] = 1;
	want(j->journal.first == 1);
	for (i = 0; i < io_log_count(); i++) {
		const struct io_log_entry *e = io_log_entry(i);

		if (e->op != IO_LOG_WRITE)
			continue;
		for (blk = e->at / b->bs; blk < (e->at + e->bytes) / b->bs; blk++, count++)
			want(inside[blk]--);
	}
	want_eq(count, need);
	free(inside);
}

static void fsck(const struct journalbed *b)
{
	want(copyjob_try("e2fsck -fy '%s' > /dev/null 2>&1", b->name) <= 1);
	want_eq(copyjob_try("e2fsck -fn '%s' > /dev/null 2>&1", b->name), 0);
}

/* N images, which e2fsck brings to their places. */
static void replay(const struct journalbed_format *f, uint32_t bs, size_t n)
{
	struct bfo_image *images;
	struct bfo_txlog j;
	struct journalbed b;

	io_log_reset();
	journalbed_make(&b, "journal", bs, f);
	images = make_images(&b, 0, n, 5000 + n);
	open_journal(&b, &j, "some tag");
	want_eq(bfo_txlog_need(&j, n), n + (n + tags_of(f, bs) - 1) / tags_of(f, bs) + 2);
	want_ok(bfo_txlog_log(&j, &b.w, images, n));
	want_inside(&b, &j, bfo_txlog_need(&j, n));
	want(!last_is(&b, &j, "some tag"));
	journalbed_recover(&b);
	want_ok(bfo_txlog_start(&j, &b.w));
	close_journal(&b, &j);
	want_images(&b, NULL, 0);
	fsck(&b);
	want_images(&b, images, n);
	open_journal(&b, &j, "other");
	want(last_is(&b, &j, "some tag"));
	want(!last_is(&b, &j, "some tah"));
	close_journal(&b, &j);
	free_images(images, n);
}

START_TEST(is_replayed)
{
	const struct journalbed_format *f = &formats[_i / 2];
	uint32_t bs = _i % 2 ? 4096 : 1024, tags = tags_of(f, bs), i;
	const uint32_t counts[] = { 1, tags - 1, tags, tags + 1, 3 * tags + 5 };

	for (i = 0; i < (_i % 2 ? 4 : 5); i++)
		replay(f, bs, counts[i]);
}
END_TEST

/*
 * Behind the transaction stands an older one with the next number, as after a wrap: only a zeroed
 * block keeps it from being replayed.
 */
START_TEST(hides_what_is_older)
{
	const struct journalbed_format *f = &formats[_i];
	struct bfo_image *images, *older;
	struct bfo_txlog j;
	struct journalbed b;

	io_log_reset();
	journalbed_make(&b, "journal", 1024, f);
	images = make_images(&b, 0, 10, 1);
	older = make_images(&b, 50, 10, 2);
	open_journal(&b, &j, "some tag");
	j.journal.first += bfo_txlog_need(&j, 10) - 1;
	j.journal.sequence++;
	want_ok(bfo_txlog_log(&j, &b.w, older, 10));
	j.journal.sequence--;
	j.journal.first = 1;
	want_ok(bfo_txlog_log(&j, &b.w, images, 10));
	journalbed_recover(&b);
	want_ok(bfo_txlog_start(&j, &b.w));
	close_journal(&b, &j);
	fsck(&b);
	want_images(&b, images, 10);
	free_images(images, 10);
	free_images(older, 10);
}
END_TEST

/*
 * Stopped, or cancelled, a transaction is none; the number counts on only if it was one.  It was
 * the last one if what it has stands in its place.
 */
START_TEST(ends)
{
	struct bfo_image *images, *others;
	struct bfo_txlog j;
	struct journalbed b;
	uint32_t sequence;

	io_log_reset();
	journalbed_make(&b, "journal", 1024, &formats[_i]);
	images = make_images(&b, 0, 10, 1);
	open_journal(&b, &j, "first");
	sequence = j.journal.sequence;
	want(!last_is(&b, &j, "first"));
	want_ok(bfo_txlog_log(&j, &b.w, images, 10));
	want_ok(bfo_txlog_start(&j, &b.w));
	want_ok(bfo_txlog_cancel(&j, &b.w));
	want(j.journal.sequence == sequence && !last_is(&b, &j, "first"));
	want_ok(bfo_txlog_log(&j, &b.w, images, 10));
	want_ok(bfo_txlog_start(&j, &b.w));
	want_ok(bfo_txlog_stop(&j, &b.w));
	want_ok(bfo_txlog_stop(&j, &b.w));
	want_eq(j.journal.sequence, sequence + 1);
	want(!last_is(&b, &j, "first"));
	put_in_place(&b, images, 9);
	want(!last_is(&b, &j, "first"));
	put_in_place(&b, images, 10);
	want(last_is(&b, &j, "first"));
	memcpy(j.tag, "second", 7);
	want_ok(bfo_txlog_log(&j, &b.w, images, 3));
	want(!last_is(&b, &j, "first") && !last_is(&b, &j, "second"));
	want_ok(bfo_txlog_start(&j, &b.w));
	want_ok(bfo_txlog_stop(&j, &b.w));
	want(!last_is(&b, &j, "first") && last_is(&b, &j, "second"));
	journalbed_recover(&b);
	close_journal(&b, &j);
	fsck(&b);
	want_images(&b, images, 10);
	open_journal(&b, &j, "third");
	want(last_is(&b, &j, "second"));
	/* written, never valid; then somebody counts on, who has replayed nothing */
	others = make_images(&b, 50, 5, 9);
	want_ok(bfo_txlog_log(&j, &b.w, others, 5));
	j.journal.sequence++;
	want(!last_is(&b, &j, "third"));
	close_journal(&b, &j);
	free_images(images, 10);
	free_images(others, 5);
}
END_TEST

/* A log whose commit is gone, or whose descriptor leads nowhere, is nobody's. */
START_TEST(doubts_damaged_logs)
{
	struct bfo_image *images;
	struct bfo_txlog j;
	struct journalbed b;
	char *block;
	uint32_t at;

	io_log_reset();
	journalbed_make(&b, "journal", 1024, &formats[0]);
	images = make_images(&b, 0, 10, 1);
	open_journal(&b, &j, "first");
	want_ok(bfo_txlog_log(&j, &b.w, images, 10));
	want_ok(bfo_txlog_start(&j, &b.w));
	put_in_place(&b, images, 10);
	want_ok(bfo_txlog_stop(&j, &b.w));
	want(last_is(&b, &j, "first"));
	block = journalbed_block(&b, journalbed_place(&b, 1));
	for (at = 0; at < BFO_JBD2_HEADER_BYTES; at++) {
		block[at] ^= 0x40;
		want_ok(bfo_writer_write(&b.w, journalbed_place(&b, 1), 1, block));
		want(!last_is(&b, &j, "first"));
		block[at] ^= 0x40;
	}
	for (at = BFO_JBD2_TAGS; at < 1024; at++)	/* no last tag */
		block[at] = 0;
	want_ok(bfo_writer_write(&b.w, journalbed_place(&b, 1), 1, block));
	want(!last_is(&b, &j, "first"));
	free(block);
	want_ok(bfo_txlog_log(&j, &b.w, images, 10));
	j.journal.sequence++;
	want(last_is(&b, &j, "first"));
	block = unit_alloc(1024);
	want_ok(bfo_writer_write(&b.w, journalbed_place(&b, 12), 1, block));
	want(!last_is(&b, &j, "first"));
	free(block);
	close_journal(&b, &j);
	free_images(images, 10);
}
END_TEST

/* Numbers beyond 2^32 are whole in the tags; the volume need not have such blocks. */
START_TEST(tags_wide_numbers)
{
	int v3 = _i, at = BFO_JBD2_TAGS;
	struct bfo_image *images;
	struct bfo_txlog j;
	struct journalbed b;
	uint8_t *block;

	io_log_reset();
	journalbed_make(&b, "journal", 1024, &formats[v3 ? 5 : 3]);
	images = make_images(&b, 0, 2, 1);
	images[0].blk = 0x123456789ULL;
	images[1].blk = 0xabcdef01234ULL;
	open_journal(&b, &j, "first");
	want_ok(bfo_txlog_log(&j, &b.w, images, 2));
	block = journalbed_block(&b, journalbed_place(&b, 1));
	want_eq(bfo_jbd2_get32(block, at), 0x23456789);
	want_eq(bfo_jbd2_get32(block, at + 8), 1);
	at += (v3 ? 16 : 14) + 16;
	want_eq(bfo_jbd2_get32(block, at), 0xdef01234);
	want_eq(bfo_jbd2_get32(block, at + 8), 0xabc);
	free(block);
	close_journal(&b, &j);
	free_images(images, 2);
}
END_TEST

/* The log may be filled up to its end, or the fast commits; not one block more. */
START_TEST(fills_the_log)
{
	const struct journalbed_format *f = &formats[_i ? 8 : 0];
	struct bfo_image *images;
	struct bfo_txlog j;
	struct journalbed b;
	size_t n = 1;

	io_log_reset();
	journalbed_make(&b, "journal", 1024, f);
	open_journal(&b, &j, "first");
	want_eq(bfo_txlog_room(&j), j.journal.last - 1);
	want(_i ? j.journal.last < j.journal.length : j.journal.last == j.journal.length);
	while (bfo_txlog_need(&j, n + 1) <= bfo_txlog_room(&j))
		n++;
	images = make_images(&b, 0, n + 1, 1);
	want_err(bfo_txlog_log(&j, &b.w, images, n + 1), BFO_ET_JOURNAL_SMALL);
	want_inside(&b, &j, 0);
	want_ok(bfo_txlog_log(&j, &b.w, images, n));
	want_inside(&b, &j, bfo_txlog_need(&j, n));
	journalbed_recover(&b);
	want_ok(bfo_txlog_start(&j, &b.w));
	close_journal(&b, &j);
	fsck(&b);
	want_images(&b, images, n);
	free_images(images, n + 1);
}
END_TEST

/* ---- what is refused ---- */

static void refused(struct journalbed *b, const char *why)
{
	struct bfo_txlog j;

	journalbed_open(b);
	want_err(bfo_txlog_open(&b->ctx, b->vol, &j), BFO_ET_UNHEALTHY);
	if (!strstr(b->ctx.what, why))
		ck_abort_msg("%s, not %s", b->ctx.what, why);
	want(!j.journal.runs.n);
	journalbed_close(b);
}

static const struct {
	uint32_t at, value;
	const char *why;
	int format;
} damages[] = {
	{ BFO_JBD2_H_MAGIC, 0xc03b3999, "no valid superblock", 0 },
	{ BFO_JBD2_H_TYPE, 5, "no valid superblock", 0 },
	{ BFO_JBD2_SB_BLOCK_SIZE, 4096, "no valid superblock", 0 },
	{ BFO_JBD2_SB_LENGTH, 1025, "shorter", 0 },
	{ BFO_JBD2_SB_LENGTH, 0, "too short", 0 },
	{ BFO_JBD2_SB_FIRST, 0, "begins outside", 0 },
	{ BFO_JBD2_SB_FIRST, 1024, "begins outside", 0 },
	{ BFO_JBD2_SB_START, 1, "not empty", 0 },
	{ BFO_JBD2_SB_ERRNO, -5U, "aborted", 0 },
	{ BFO_JBD2_SB_INCOMPAT, 0x40, "features", 0 },
	{ BFO_JBD2_SB_RO_COMPAT, 1, "features", 0 },
	{ BFO_JBD2_SB_CSUM, 12345, "checksum", 2 },
	{ BFO_JBD2_SB_CSUM, 12345, "checksum", 4 },
	{ BFO_JBD2_SB_CSUM_TYPE, 1U << 24, "checksums", 4 },
	{ BFO_JBD2_SB_INCOMPAT, 0x18, "checksums", 4 },
	{ BFO_JBD2_SB_FC_BLOCKS, 5000, "too long", 8 },
	{ BFO_JBD2_SB_START, 1, "not empty", 6 },
	{ BFO_JBD2_SB_ERRNO, 1, "aborted", 6 },
};

START_TEST(refuses_damage)
{
	struct journalbed b;

	io_log_reset();
	journalbed_make(&b, "journal", 1024, &formats[damages[_i].format]);
	journalbed_patch(&b, damages[_i].at, damages[_i].value);
	refused(&b, damages[_i].why);
}
END_TEST

/* Where it lies: a hole, an inode of nothing, none at all. */
START_TEST(refuses_damaged_inodes)
{
	static const char *const damage[] = { "punch <8> 100 101", "", "clri <8>" };
	struct journalbed_format none = { "^has_journal", V2, 0, 0 };
	struct bfo_txlog j;
	struct journalbed b;
	char command[200];

	io_log_reset();
	journalbed_make(&b, "journal", 1024, &formats[0]);
	snprintf(command, sizeof(command), "debugfs -w -R '%s' '%%s' > /dev/null 2>&1", damage[_i]);
	if (_i != 1) {
		want_eq(copyjob_try(command, b.name), 0);
		if (!_i)
			journalbed_patch(&b, BFO_JBD2_SB_LENGTH, 1000);
		refused(&b, "inode");
		return;
	}
	b.name = "none";
	snprintf(command, sizeof(command), "mke2fs -q -F -t ext4 -O %s '%%s' 8M > /dev/null 2>&1",
		 none.features);
	want_eq(copyjob_try(command, b.name), 0);
	journalbed_open(&b);
	want_err(bfo_txlog_open(&b.ctx, b.vol, &j), BFO_ET_NOT_JOURNALED);
	journalbed_close(&b);
}
END_TEST

Suite *journal_suite(void)
{
	Suite *s = suite_create("journal");

	unit_case(s, "is_replayed", is_replayed, 2 * FORMATS);
	unit_case(s, "hides_what_is_older", hides_what_is_older, FORMATS);
	unit_case(s, "ends", ends, FORMATS);
	unit_case(s, "doubts_damaged_logs", doubts_damaged_logs, 0);
	unit_case(s, "tags_wide_numbers", tags_wide_numbers, 2);
	unit_case(s, "fills_the_log", fills_the_log, 2);
	unit_case(s, "refuses_damage", refuses_damage, sizeof(damages) / sizeof(damages[0]));
	unit_case(s, "refuses_damaged_inodes", refuses_damaged_inodes, 3);
	return s;
}
