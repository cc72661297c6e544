// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - what a journal's replay would change
 *
 *   scan     where does the log end?  at the first block that is no header of the transaction
 *            that is due, or behind a commit block whose checksum says so
 *   tags     every block that a tag names: target, place, checksum right or wrong
 *   sort     by target, then by place; each target's tags are a group
 *   revokes  each is looked up: its group notes the latest transaction that revoked it
 *   choose   of each group the last tag that is newer than that
 *
 * jbd2 revokes before it looks at tags; here it is the other way round, so that only revokes of
 * blocks that the log has take memory: what is kept is bounded by the length of the log (P8).
 *
 * Checksums say either that the log ends there (a commit that was not finished, old blocks) or
 * that it is damaged; which of them is decided as jbd2 does, by the times of commits: old blocks
 * that happen to have the right number have times that go back.
 */
#include <stdlib.h>

#include "base/bfo_err.h"
#include "base/jbd2.h"
#include "base/sort.h"
#include "volume/log.h"
#include "volume/replay.h"

struct tag {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	uint32_t dist;		/* blocks from the log's begin */
	uint32_t round;		/* transactions from the log's begin */
	uint32_t revoked;	/* in the first of a group: 1 + last round that revokes it; or 0 */
	uint16_t escaped, wrong;	/* wrong: its checksum */
};

struct scan {
	struct bfo_log log;
	uint64_t limit;
	int doubt;		/* scan: a checksum of this transaction was wrong */
	uint64_t last_time;	/* scan: of the last commit block */
	uint32_t crc;		/* scan: of this transaction, checksums of version 1 */
	BFO_VEC(struct tag) tags;
};

/* The checksum of version 1: over the whole transaction; or none at all. */
static int transaction_is_right(const struct scan *s)
{
	uint32_t csum = bfo_jbd2_get32(s->log.block, BFO_JBD2_C_CSUM);
	uint8_t type = s->log.block[BFO_JBD2_C_CSUM_TYPE],
		size = s->log.block[BFO_JBD2_C_CSUM_SIZE];

	if (!(s->log.j->compat & BFO_JBD2_COMPAT_CHECKSUM))
		return 1;
	return (csum == s->crc && type == BFO_JBD2_CSUM_CRC32 && size == sizeof(csum)) ||
	       (!csum && !type && !size);
}

/* The tag at byte AT of a descriptor, which names the next block. */
static errcode_t take_tag(struct scan *s, uint32_t at)
{
	uint64_t blk = bfo_log_tag_target(&s->log, at);
	struct tag t = {
		.blk_hi = blk >> 32, .blk_lo = blk, .dist = s->log.dist, .round = s->log.round,
		.escaped = bfo_log_tag_flags(&s->log, at) & BFO_JBD2_TAG_ESCAPE,
	};
	errcode_t err = 0;

	if (bfo_jbd2_has_csum(s->log.j->incompat))
		err = bfo_log_read_data(&s->log);
	if (err)
		return err;
	t.wrong = !bfo_log_tag_ok(&s->log, at);
	bfo_log_skip(&s->log, 1);
	return bfo_vec_push(&s->tags, t);
}

/* ---- the first pass: where the log ends ---- */

static errcode_t pass_descriptor(struct scan *s)
{
	uint32_t n = bfo_log_count_tags(&s->log), i;
	errcode_t err = 0;

	s->doubt |= !bfo_log_tail_ok(&s->log);
	if (!(s->log.j->compat & BFO_JBD2_COMPAT_CHECKSUM)) {
		bfo_log_skip(&s->log, n);
		return 0;
	}
	s->crc = ext2fs_crc32_be(s->crc, (unsigned char *) s->log.block, s->log.j->block_size);
	for (i = 0; i < n && !err; i++) {
		err = bfo_log_read_data(&s->log);
		s->crc = ext2fs_crc32_be(s->crc, (unsigned char *) s->log.data,
					 s->log.j->block_size);
		bfo_log_skip(&s->log, 1);
	}
	return err;
}

/* *DONE: the log ends before this transaction. */
static errcode_t pass_commit(struct scan *s, uint32_t *bad, int *done)
{
	uint64_t time = bfo_jbd2_get64(s->log.block, BFO_JBD2_C_SECONDS);
	int right = !s->doubt && transaction_is_right(s) && bfo_log_commit_ok(&s->log);

	if (*bad != BFO_LOG_NO_END && s->log.j->compat & BFO_JBD2_COMPAT_CHECKSUM)
		return bfo_log_damaged(&s->log, "wrong checksum");
	if (!right && time < s->last_time) {
		*done = 1;		/* old blocks */
		return 0;
	}
	/* a commit that was not waited for may be unfinished, but then it is the last */
	if (s->doubt || (!right && !(s->log.j->incompat & BFO_JBD2_INCOMPAT_ASYNC_COMMIT)))
		return bfo_log_damaged(&s->log, "wrong checksum");
	if (!right)
		*bad = s->log.round;
	s->last_time = time;
	s->crc = ~0U;
	s->log.round++;
	return 0;
}

static errcode_t find_end(struct scan *s)
{
	uint32_t bad = BFO_LOG_NO_END, type;
	int done = 0;
	errcode_t err = 0;

	s->crc = ~0U;
	while (!err && !done) {
		err = bfo_log_next(&s->log, &type);
		if (err)
			break;
		if (type == BFO_JBD2_DESCRIPTOR)
			err = pass_descriptor(s);
		else if (type == BFO_JBD2_COMMIT)
			err = pass_commit(s, &bad, &done);
		else if (type == BFO_JBD2_REVOKE)
			s->doubt |= !bfo_log_tail_ok(&s->log);
		else
			done = 1;
	}
	s->log.end = bad == BFO_LOG_NO_END ? s->log.round : bad;
	return err;
}

/* ---- the second and third: tags, revokes ---- */

static errcode_t take_descriptor(struct scan *s)
{
	errcode_t err = bfo_log_tail_ok(&s->log) ? 0 : bfo_log_damaged(&s->log, "wrong checksum");
	uint32_t at;

	for (at = BFO_JBD2_TAGS; at && !err; at = bfo_log_next_tag(&s->log, at))
		err = take_tag(s, at);
	return err;
}

static uint64_t blk_of(const struct tag *t)
{
	return (uint64_t) t->blk_hi << 32 | t->blk_lo;
}

/* The first tag of BLK, or NULL. */
static struct tag *find_group(const struct scan *s, uint64_t blk)
{
	size_t lo = 0, hi = s->tags.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (blk_of(&s->tags.v[mid]) < blk)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->tags.n && blk_of(&s->tags.v[lo]) == blk ? &s->tags.v[lo] : NULL;
}

static errcode_t take_revokes(struct scan *s)
{
	uint32_t used = bfo_jbd2_get32(s->log.block, BFO_JBD2_R_USED), at;
	uint32_t bytes = bfo_jbd2_revoke_bytes(s->log.j->incompat);
	struct tag *group;

	if (used > bfo_log_room(s->log.j))
		return bfo_log_damaged(&s->log, "impossible length of a revoke block");
	for (at = BFO_JBD2_R_BLOCKS; at + bytes <= used; at += bytes) {
		group = find_group(s, bytes == 8 ? bfo_jbd2_get64(s->log.block, at) :
						   bfo_jbd2_get32(s->log.block, at));
		if (group)
			group->revoked = s->log.round + 1;
	}
	return 0;
}

/* Goes through the committed transactions; TAGS: for their tags, else for their revokes. */
static errcode_t collect(struct scan *s, int tags)
{
	uint32_t type;
	errcode_t err;

	bfo_log_rewind(&s->log);
	do {
		err = bfo_log_next(&s->log, &type);
		if (err || !type)
			break;
		if (type == BFO_JBD2_DESCRIPTOR && tags)
			err = take_descriptor(s);
		else if (type == BFO_JBD2_DESCRIPTOR)
			bfo_log_skip(&s->log, bfo_log_count_tags(&s->log));
		else if (type == BFO_JBD2_REVOKE && !tags)
			err = take_revokes(s);
		else if (type == BFO_JBD2_COMMIT)
			s->log.round++;
	} while (!err);
	if (!err && s->log.round != s->log.end)
		err = bfo_log_damaged(&s->log, "its end is missing");
	return err;
}

/* ---- what becomes of it ---- */

/* Tags [I, END) are of one block: what does it get, if anything? */
static errcode_t choose(struct scan *s, size_t i, size_t end, struct bfo_replay *r)
{
	uint32_t revoked = s->tags.v[i].revoked;
	const struct tag *last = &s->tags.v[end - 1], *t;

	for (t = &s->tags.v[i]; t <= last; t++) {
		if (t->round < revoked)
			continue;
		s->log.round = t->round;
		if (t->wrong)
			return bfo_log_damaged(&s->log, "wrong checksum of a block");
		if (blk_of(t) >= s->limit)
			return bfo_log_damaged(&s->log, "a block behind the end of the device");
	}
	if (last->round < revoked)
		return 0;
	return bfo_vec_push(&r->blocks, (struct bfo_replayed) { .blk = blk_of(last),
			    .at = bfo_log_place(s->log.j, last->dist),
			    .escaped = last->escaped });
}

static errcode_t choose_all(struct scan *s, struct bfo_replay *r)
{
	errcode_t err = 0;
	size_t i, end;

	for (i = 0; i < s->tags.n && !err; i = end) {
		for (end = i + 1; end < s->tags.n; end++)
			if (blk_of(&s->tags.v[end]) != blk_of(&s->tags.v[i]))
				break;
		err = choose(s, i, end, r);
	}
	return err;
}

/* A log that writes into itself would have to be replayed to know what is replayed. */
static errcode_t check_itself(const struct scan *s, const struct bfo_replay *r)
{
	size_t i;

	if (s->log.j->external)
		return 0;
	for (i = 0; i < s->log.j->runs.n; i++)
		if (bfo_replay_touches(r, s->log.j->runs.v[i].blk, s->log.j->runs.v[i].len))
			return bfo_log_damaged(&s->log, "it writes into itself");
	return 0;
}

/*
 * Fast commits stand behind the log, and count if they follow its last transaction.  They are
 * changes of files, not of blocks: the kernel carries them out.
 */
static errcode_t check_fast(const struct scan *s)
{
	const unsigned char *b = (const unsigned char *) s->log.block;
	errcode_t err;

	if (!s->log.j->fast || s->log.j->fast >= s->log.j->length)
		return 0;
	err = bfo_journal_read(s->log.ctx, s->log.j, s->log.j->fast, s->log.block);
	if (err || (b[0] | b[1] << 8) != BFO_JBD2_FC_TAG_HEAD ||
	    (b[8] | b[9] << 8 | b[10] << 16 | (uint32_t) b[11] << 24) !=
		    s->log.j->sequence + s->log.end)
		return err;
	return bfo_fail(s->log.ctx, BFO_ET_RECOVERY,
			"replaying the journal of %s: it has fast commits; "
			"mount and unmount it once, or run e2fsck -p (or see --ignore-journal)",
			s->log.j->spec);
}

static errcode_t run(struct scan *s, struct bfo_replay *r)
{
	errcode_t err = find_end(s);

	if (!err)
		err = check_fast(s);
	if (!err)
		err = collect(s, 1);
	if (err)
		return err;
	bfo_sort(s->tags.v, s->tags.n, sizeof(*s->tags.v), 3);
	err = collect(s, 0);
	if (!err)
		err = choose_all(s, r);
	if (!err)
		err = check_itself(s, r);
	r->transactions = s->log.end;
	return err;
}

errcode_t bfo_replay_scan(struct bfo_context *ctx, const struct bfo_journal *j, uint64_t limit,
			  struct bfo_replay *r)
{
	struct scan s = { .log = { .ctx = ctx, .j = j }, .limit = limit };
	errcode_t err;

	if (!j->start)
		return 0;
	err = bfo_log_init(&s.log);
	if (!err)
		err = run(&s, r);
	bfo_vec_free(&s.tags);
	bfo_log_free(&s.log);
	return err;
}

void bfo_replay_free(struct bfo_replay *r)
{
	bfo_vec_free(&r->blocks);
}

const struct bfo_replayed *bfo_replay_from(const struct bfo_replay *r, uint64_t blk)
{
	size_t i = bfo_vec_lower(&r->blocks, blk, blk);

	return i < r->blocks.n ? &r->blocks.v[i] : NULL;
}

errcode_t bfo_replay_read(struct bfo_context *ctx, const struct bfo_journal *j,
			  const struct bfo_replayed *b, void *block)
{
	errcode_t err = bfo_journal_read(ctx, j, b->at, block);

	if (!err && b->escaped)
		bfo_jbd2_put32(block, BFO_JBD2_H_MAGIC, BFO_JBD2_MAGIC);
	return err;
}

int bfo_replay_touches(const struct bfo_replay *r, uint64_t blk, uint64_t count)
{
	const struct bfo_replayed *b = bfo_replay_from(r, blk);

	return b && b->blk - blk < count;
}
