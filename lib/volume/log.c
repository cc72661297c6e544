// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c - going through the log of a journal, header by header
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/jbd2.h"
#include "volume/log.h"

#define HEADER_IN_USE 64	/* bytes of a commit block that mean something */

errcode_t bfo_log_init(struct bfo_log *l)
{
	l->block = malloc(l->j->block_size);
	l->data = malloc(l->j->block_size);
	l->end = BFO_LOG_NO_END;
	return l->block && l->data ? 0 : ENOMEM;
}

void bfo_log_free(struct bfo_log *l)
{
	free(l->block);
	free(l->data);
}

errcode_t bfo_log_damaged(const struct bfo_log *l, const char *what)
{
	return bfo_fail(l->ctx, BFO_ET_JOURNAL, "replaying the journal of %s: %s (transaction %u); "
			"run e2fsck -f, or see --ignore-journal", l->j->spec, what,
			l->j->sequence + l->round);
}

uint32_t bfo_log_place(const struct bfo_journal *j, uint32_t dist)
{
	uint32_t ring = j->last - j->first;

	return j->first + ((uint64_t) j->start - j->first + dist) % ring;
}

void bfo_log_skip(struct bfo_log *l, uint32_t n)
{
	uint32_t ring = l->j->last - l->j->first;

	l->dist = n > ring - l->dist ? ring : l->dist + n;
}

errcode_t bfo_log_read_data(const struct bfo_log *l)
{
	return bfo_journal_read(l->ctx, l->j, bfo_log_place(l->j, l->dist), l->data);
}

errcode_t bfo_log_next(struct bfo_log *l, uint32_t *type)
{
	errcode_t err;

	*type = 0;
	if (l->round == l->end || l->dist == l->j->last - l->j->first)
		return 0;
	if (bfo_cancelled(l->ctx))
		return bfo_fail(l->ctx, BFO_ET_CANCELLED, "reading the journal");
	err = bfo_journal_read(l->ctx, l->j, bfo_log_place(l->j, l->dist), l->block);
	if (err)
		return err;
	if (bfo_jbd2_get32(l->block, BFO_JBD2_H_MAGIC) == BFO_JBD2_MAGIC &&
	    bfo_jbd2_get32(l->block, BFO_JBD2_H_SEQUENCE) == l->j->sequence + l->round)
		*type = bfo_jbd2_get32(l->block, BFO_JBD2_H_TYPE);
	if (*type)
		bfo_log_skip(l, 1);
	return 0;
}

void bfo_log_rewind(struct bfo_log *l)
{
	l->dist = l->round = 0;
}

/* ---- checksums ---- */

int bfo_log_tail_ok(const struct bfo_log *l)
{
	size_t at = l->j->block_size - BFO_JBD2_TAIL_BYTES;

	return !bfo_jbd2_has_csum(l->j->incompat) ||
	       bfo_jbd2_get32(l->block, at) == bfo_jbd2_block_csum(l->j->seed, l->block,
								   l->j->block_size, at);
}

/*
 * The device may have written its head only, with something
 * old behind it: it was written whole, with zeroes there.
 */
int bfo_log_commit_ok(const struct bfo_log *l)
{
	uint32_t csum = bfo_jbd2_get32(l->block, BFO_JBD2_C_CSUM);

	if (!bfo_jbd2_has_csum(l->j->incompat) ||
	    csum == bfo_jbd2_block_csum(l->j->seed, l->block, l->j->block_size, BFO_JBD2_C_CSUM))
		return 1;
	memset(l->data, 0, l->j->block_size);
	memcpy(l->data, l->block, HEADER_IN_USE);
	return csum == bfo_jbd2_block_csum(l->j->seed, l->data, l->j->block_size, BFO_JBD2_C_CSUM);
}

/* ---- tags ---- */

uint32_t bfo_log_room(const struct bfo_journal *j)
{
	return bfo_jbd2_room(j->incompat, j->block_size);
}

uint16_t bfo_log_tag_flags(const struct bfo_log *l, uint32_t at)
{
	return bfo_jbd2_tag_flags(l->block, at);
}

uint32_t bfo_log_next_tag(const struct bfo_log *l, uint32_t at)
{
	return bfo_jbd2_tag_next(l->j->incompat, l->j->block_size, l->block, at);
}

uint64_t bfo_log_tag_target(const struct bfo_log *l, uint32_t at)
{
	uint64_t blk = bfo_jbd2_get32(l->block, at + BFO_JBD2_T_BLOCK);

	if (l->j->incompat & BFO_JBD2_INCOMPAT_64BIT)
		blk |= (uint64_t) bfo_jbd2_get32(l->block, at + BFO_JBD2_T_BLOCK_HIGH) << 32;
	return blk;
}

uint32_t bfo_log_count_tags(const struct bfo_log *l)
{
	uint32_t at, n = 0;

	for (at = BFO_JBD2_TAGS; at; at = bfo_log_next_tag(l, at))
		n++;
	return n;
}

int bfo_log_tag_ok(const struct bfo_log *l, uint32_t at)
{
	uint32_t csum;

	if (!bfo_jbd2_has_csum(l->j->incompat))
		return 1;
	csum = bfo_jbd2_tag_csum(l->j->seed, l->j->sequence + l->round, l->data,
				 l->j->block_size);
	if (l->j->incompat & BFO_JBD2_INCOMPAT_CSUM_V3)
		return bfo_jbd2_get32(l->block, at + BFO_JBD2_T_CSUM) == csum;
	return bfo_jbd2_get16(l->block, at + BFO_JBD2_T_CSUM16) == (csum & 0xffff);
}
