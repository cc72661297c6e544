// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_replay.c - volume/replay: logs written here, with all kinds of tags and checksums, against a
 * model that simply carries them out; logs that end early, that are damaged, that go round
 *
 * A block of content begins with its target and a stamp; the model remembers each target's stamp.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>

#include "base/jbd2.h"
#include "volume/replay.h"
#include "unit.h"

#define BS 1024U
#define LENGTH 1100U
#define TARGETS 60U
#define LIMIT (1ULL << 33)	/* blocks of the device; without 64BIT only the low ones are hit */

enum { STAMP = 16, NO_STAMP = 0 };

struct log {
	struct bfo_context ctx;
	struct bfo_journal j;
	char *path;
	FILE *file;
	uint32_t at;			/* where the next block goes */
	uint32_t sequence, committed;	/* transaction, how many are complete */
	uint32_t crc;
	uint64_t time;
	uint32_t stamp, shown[TARGETS], pending[TARGETS];
	struct chance c;
};

static uint64_t target_of(const struct log *l, uint32_t i)
{
	return 10000 + i + (l->j.incompat & BFO_JBD2_INCOMPAT_64BIT && i % 3 == 0 ? 1ULL << 32 : 0);
}

static void put_at(struct log *l, uint32_t at, const void *block)
{
	want(!fseek(l->file, (long) at * BS, SEEK_SET));
	want(fwrite(block, BS, 1, l->file) == 1);
	want(!fflush(l->file));
}

static uint32_t append(struct log *l, const void *block)
{
	uint32_t at = l->at;

	put_at(l, at, block);
	l->at = at + 1 == l->j.last ? l->j.first : at + 1;
	return at;
}

/* A log that begins so near the end of its ring that it goes round it. */
static void open_log(struct log *l, uint32_t compat, uint32_t incompat, uint64_t seed)
{
	char uuid[16];

	memset(l, 0, sizeof(*l));
	chance_init(&l->c, seed);
	chance_fill(&l->c, uuid, sizeof(uuid));
	l->path = unit_path("log");
	l->file = fopen(l->path, "w+");
	want(l->file && !ftruncate(fileno(l->file), LENGTH * BS));
	l->j = (struct bfo_journal) { .spec = "log", .external = 1, .block_size = BS,
				      .length = LENGTH, .first = 1, .last = LENGTH,
				      .compat = compat, .incompat = incompat,
				      .seed = bfo_jbd2_seed(uuid) };
	l->at = l->j.start = LENGTH - 30;
	l->sequence = l->j.sequence = 0xfffffffeU;	/* and round, too */
	l->crc = ~0U;
	l->time = 1000;
	want_ok(bfo_vec_push(&l->j.runs, (struct bfo_map_run) { .len = LENGTH }));
	want_ok(unix_io_manager->open(l->path, 0, &l->j.io));
	want_ok(io_channel_set_blksize(l->j.io, BS));
	want_ok(io_channel_set_options(l->j.io, "cache=off"));
}

static void close_log(struct log *l)
{
	bfo_journal_close(&l->j);
	fclose(l->file);
	free(l->path);
}

static void begin(const struct log *l, char *block, uint32_t type)
{
	memset(block, 0, BS);
	bfo_jbd2_put32(block, BFO_JBD2_H_MAGIC, BFO_JBD2_MAGIC);
	bfo_jbd2_put32(block, BFO_JBD2_H_TYPE, type);
	bfo_jbd2_put32(block, BFO_JBD2_H_SEQUENCE, l->sequence);
}

static void seal(const struct log *l, char *block)
{
	if (bfo_jbd2_has_csum(l->j.incompat))
		bfo_jbd2_put32(block, BS - 4, bfo_jbd2_block_csum(l->j.seed, block, BS, BS - 4));
}

/* A tag at byte AT for target I and the content BLOCK; returns where the next goes. */
static uint32_t put_tag(const struct log *l, char *desc, uint32_t at, uint32_t i,
			const char *block, uint32_t flags)
{
	uint32_t csum = bfo_jbd2_tag_csum(l->j.seed, l->sequence, block, BS);

	bfo_jbd2_put32(desc, at, target_of(l, i));
	if (l->j.incompat & BFO_JBD2_INCOMPAT_CSUM_V3) {
		bfo_jbd2_put32(desc, at + 4, flags);
		bfo_jbd2_put32(desc, at + 12, csum);
	} else {
		bfo_jbd2_put16(desc, at + 4, l->j.incompat & BFO_JBD2_INCOMPAT_CSUM_V2 ? csum : 0);
		bfo_jbd2_put16(desc, at + 6, flags);
	}
	if (l->j.incompat & BFO_JBD2_INCOMPAT_64BIT)
		bfo_jbd2_put32(desc, at + 8, target_of(l, i) >> 32);
	return at + bfo_jbd2_tag_bytes(l->j.incompat) +
	       (flags & BFO_JBD2_TAG_SAME_UUID ? 0 : BFO_JBD2_UUID_BYTES);
}

/* A descriptor with N blocks for targets chosen at random. */
static void log_blocks(struct log *l, uint32_t n)
{
	char desc[BS], block[8][BS];
	uint32_t at = BFO_JBD2_TAGS, i, k, flags;

	begin(l, desc, BFO_JBD2_DESCRIPTOR);
	for (k = 0; k < n; k++) {
		i = chance_below(&l->c, TARGETS);
		chance_fill(&l->c, block[k], BS);
		l->pending[i] = ++l->stamp;
		memcpy(block[k] + STAMP, &l->stamp, 4);
		flags = (k && chance_below(&l->c, 4) ? BFO_JBD2_TAG_SAME_UUID : 0) |
			(k + 1 == n ? BFO_JBD2_TAG_LAST : 0);
		if (chance_below(&l->c, 3) == 0) {
			memset(block[k], 0, 4);
			flags |= BFO_JBD2_TAG_ESCAPE;
		}
		at = put_tag(l, desc, at, i, block[k], flags);
	}
	seal(l, desc);
	append(l, desc);
	l->crc = ext2fs_crc32_be(l->crc, (void *) desc, BS);
	for (k = 0; k < n; k++) {
		append(l, block[k]);
		l->crc = ext2fs_crc32_be(l->crc, (void *) block[k], BS);
	}
}

/* Also those logged in the same transaction are dead. */
static void log_revokes(struct log *l, uint32_t n)
{
	uint32_t bytes = bfo_jbd2_revoke_bytes(l->j.incompat), at = BFO_JBD2_R_BLOCKS, i;
	char block[BS];

	begin(l, block, BFO_JBD2_REVOKE);
	for (; n; n--, at += bytes) {
		i = chance_below(&l->c, TARGETS);
		l->pending[i] = NO_STAMP;
		if (bytes == 8)
			bfo_jbd2_put64(block, at, target_of(l, i));
		else
			bfo_jbd2_put32(block, at, target_of(l, i));
	}
	bfo_jbd2_put32(block, BFO_JBD2_R_USED, at);
	seal(l, block);
	append(l, block);
}

static uint32_t commit(struct log *l)
{
	char block[BS];

	begin(l, block, BFO_JBD2_COMMIT);
	bfo_jbd2_put64(block, BFO_JBD2_C_SECONDS, l->time++);
	if (l->j.compat & BFO_JBD2_COMPAT_CHECKSUM) {
		block[BFO_JBD2_C_CSUM_TYPE] = BFO_JBD2_CSUM_CRC32;
		block[BFO_JBD2_C_CSUM_SIZE] = 4;
		bfo_jbd2_put32(block, BFO_JBD2_C_CSUM, l->crc);
	}
	if (bfo_jbd2_has_csum(l->j.incompat))
		bfo_jbd2_put32(block, BFO_JBD2_C_CSUM,
			       bfo_jbd2_block_csum(l->j.seed, block, BS, BFO_JBD2_C_CSUM));
	memcpy(l->shown, l->pending, sizeof(l->shown));
	l->crc = ~0U;
	l->sequence++;
	l->committed++;
	return append(l, block);
}

/* Revokes come last: jbd2 has no order within a transaction. */
static uint32_t transaction(struct log *l)
{
	uint32_t n;

	for (n = chance_below(&l->c, 3); n; n--)
		log_blocks(l, chance_between(&l->c, 1, 8));
	if (chance_below(&l->c, 2))
		log_revokes(l, chance_below(&l->c, 20));
	return commit(l);
}

static void want_shown(struct log *l)
{
	struct bfo_replay r = { 0 };
	uint32_t i, stamp, want_n = 0;
	char block[BS];
	size_t at;

	want_ok(bfo_replay_scan(&l->ctx, &l->j, LIMIT, &r));
	want_eq(r.transactions, l->committed);
	for (i = 0; i < TARGETS; i++) {
		at = bfo_vec_lower(&r.blocks, blk, target_of(l, i));
		want_eq(bfo_replay_touches(&r, target_of(l, i), 1), !!l->shown[i]);
		if (!l->shown[i])
			continue;
		want_n++;
		want_ok(bfo_journal_read(&l->ctx, &l->j, r.blocks.v[at].at, block));
		memcpy(&stamp, block + STAMP, 4);
		want_eq(stamp, l->shown[i]);
		want_eq(r.blocks.v[at].escaped, !bfo_jbd2_get32(block, 0));
	}
	want_eq(r.blocks.n, want_n);
	bfo_replay_free(&r);
}

static void want_transactions(struct log *l, uint32_t n)
{
	struct bfo_replay r = { 0 };

	want_ok(bfo_replay_scan(&l->ctx, &l->j, LIMIT, &r));
	want_eq(r.transactions, n);
	bfo_replay_free(&r);
}

static void want_refused(struct log *l, errcode_t code)
{
	struct bfo_replay r = { 0 };

	want_err(bfo_replay_scan(&l->ctx, &l->j, LIMIT, &r), code);
	bfo_replay_free(&r);
}

static void flip(struct log *l, uint32_t at, uint32_t byte)
{
	int c;

	want(!fseek(l->file, (long) at * BS + byte, SEEK_SET));
	c = fgetc(l->file);
	want(c != EOF && !fseek(l->file, (long) at * BS + byte, SEEK_SET));
	want(fputc(c ^ 0x40, l->file) != EOF && !fflush(l->file));
}

static const uint32_t kinds[][2] = {
	{ 0, 0 },
	{ 0, BFO_JBD2_INCOMPAT_REVOKE | BFO_JBD2_INCOMPAT_64BIT },
	{ BFO_JBD2_COMPAT_CHECKSUM, BFO_JBD2_INCOMPAT_64BIT },
	{ BFO_JBD2_COMPAT_CHECKSUM, BFO_JBD2_INCOMPAT_ASYNC_COMMIT },
	{ 0, BFO_JBD2_INCOMPAT_CSUM_V2 },
	{ 0, BFO_JBD2_INCOMPAT_CSUM_V2 | BFO_JBD2_INCOMPAT_64BIT },
	{ 0, BFO_JBD2_INCOMPAT_CSUM_V3 },
	{ 0, BFO_JBD2_INCOMPAT_CSUM_V3 | BFO_JBD2_INCOMPAT_64BIT },
};

/* Whole transactions, and at last one that has no commit block yet. */
START_TEST(shows_what_was_committed)
{
	struct log l;
	int round, n;

	for (round = 0; round < 12; round++) {
		open_log(&l, kinds[_i][0], kinds[_i][1], 600 + 20 * _i + round);
		want_shown(&l);
		for (n = 0; n < 12; n++) {
			transaction(&l);
			want_shown(&l);
		}
		log_blocks(&l, 5);
		want_shown(&l);
		close_log(&l);
	}
}
END_TEST

/* A commit block is damaged: the end, or a refusal, as jbd2 has it. */
START_TEST(minds_commit_blocks)
{
	uint32_t compat = kinds[_i][0], incompat = kinds[_i][1], first, last;
	int checked = compat || bfo_jbd2_has_csum(incompat);
	struct log l;

	open_log(&l, compat, incompat, 700 + _i);
	transaction(&l);
	first = l.at;
	transaction(&l);
	l.time = 500;			/* what follows is old: it has a time before */
	last = transaction(&l);
	want_shown(&l);
	flip(&l, last, BFO_JBD2_C_CSUM);
	l.committed -= checked;
	want_transactions(&l, l.committed);
	flip(&l, last, BFO_JBD2_C_CSUM);
	l.committed += checked;
	want_shown(&l);
	flip(&l, first, BFO_JBD2_H_SEQUENCE);	/* another number: the log ends there */
	want_transactions(&l, 1);
	close_log(&l);
}
END_TEST

/* The last commit block is damaged, and not old. */
START_TEST(refuses_what_was_committed)
{
	uint32_t compat = kinds[_i][0], incompat = kinds[_i][1], last;
	int async = !!(incompat & BFO_JBD2_INCOMPAT_ASYNC_COMMIT);
	struct log l;

	if (!compat && !bfo_jbd2_has_csum(incompat))
		return;
	open_log(&l, compat, incompat, 800 + _i);
	transaction(&l);
	last = transaction(&l);
	flip(&l, last, BFO_JBD2_C_CSUM);
	if (async) {
		want_transactions(&l, 1);
		transaction(&l);
	}
	want_refused(&l, BFO_ET_JOURNAL);
	close_log(&l);
}
END_TEST

/* A descriptor or a revoke block is damaged: old blocks, or something that was committed. */
START_TEST(minds_descriptors)
{
	uint32_t incompat = kinds[_i][1], at;
	struct log l;
	int revokes;

	for (revokes = 0; revokes < 2 && bfo_jbd2_has_csum(incompat); revokes++) {
		open_log(&l, 0, incompat, 850 + _i);
		transaction(&l);
		at = l.at;
		if (revokes)
			log_revokes(&l, 5);
		else
			log_blocks(&l, 2);
		l.time = 500;
		commit(&l);
		want_transactions(&l, 2);
		flip(&l, at, BS - 20);
		want_transactions(&l, 1);
		close_log(&l);

		open_log(&l, 0, incompat, 850 + _i);
		at = l.at;
		if (revokes)
			log_revokes(&l, 5);
		else
			log_blocks(&l, 2);
		flip(&l, at, BS - 20);
		want_transactions(&l, 0);	/* not committed */
		commit(&l);
		want_refused(&l, BFO_ET_JOURNAL);
		close_log(&l);
	}
}
END_TEST

/* A block behind the device's end, one whose checksum is wrong: only if they are not revoked. */
START_TEST(minds_blocks)
{
	uint32_t at;
	struct log l;

	open_log(&l, 0, BFO_JBD2_INCOMPAT_CSUM_V3, 900);
	log_blocks(&l, 1);
	at = l.at == l.j.first ? l.j.last - 1 : l.at - 1;
	commit(&l);
	flip(&l, at, 100);
	want_refused(&l, BFO_ET_JOURNAL);
	do {
		log_revokes(&l, 60);
	} while (memcmp(l.pending, (uint32_t [TARGETS]) { 0 }, sizeof(l.pending)));
	commit(&l);
	want_shown(&l);
	log_blocks(&l, 2);
	commit(&l);
	want_shown(&l);
	close_log(&l);

	open_log(&l, 0, 0, 901);
	log_blocks(&l, 4);
	commit(&l);
	want_err(bfo_replay_scan(&l.ctx, &l.j, 10000, &(struct bfo_replay) { 0 }), BFO_ET_JOURNAL);
	close_log(&l);
}
END_TEST

/* A ring full of headers of one transaction: it ends, and nothing was committed. */
START_TEST(ends)
{
	struct log l;
	uint32_t i;

	open_log(&l, 0, 0, 902);
	for (i = 0; i < LENGTH; i++)
		log_revokes(&l, 1);
	memset(l.shown, 0, sizeof(l.shown));
	want_shown(&l);
	close_log(&l);
}
END_TEST

/* A revoke block that is longer than a block. */
START_TEST(minds_lengths)
{
	char block[BS];
	struct log l;

	open_log(&l, 0, 0, 903);
	begin(&l, block, BFO_JBD2_REVOKE);
	bfo_jbd2_put32(block, BFO_JBD2_R_USED, BS + 1);
	append(&l, block);
	commit(&l);
	want_refused(&l, BFO_ET_JOURNAL);
	close_log(&l);
}
END_TEST

Suite *replay_suite(void)
{
	Suite *s = suite_create("replay");
	int n = sizeof(kinds) / sizeof(*kinds);

	unit_case(s, "shows_what_was_committed", shows_what_was_committed, n);
	unit_case(s, "minds_commit_blocks", minds_commit_blocks, n);
	unit_case(s, "refuses_what_was_committed", refuses_what_was_committed, n);
	unit_case(s, "minds_descriptors", minds_descriptors, n);
	unit_case(s, "minds_blocks", minds_blocks, 0);
	unit_case(s, "ends", ends, 0);
	unit_case(s, "minds_lengths", minds_lengths, 0);
	return s;
}
