/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - going through the log of a journal, header by header
 *
 * Everything is counted from where the log begins: distances in blocks, rounds in transactions.
 * A round has sequence number j->sequence + round, which may wrap; rounds do not.
 */
#ifndef BFO_VOLUME_LOG_H
#define BFO_VOLUME_LOG_H

#include "volume/journal.h"

#define BFO_LOG_NO_END UINT32_MAX

struct bfo_log {
	struct bfo_context *ctx;
	const struct bfo_journal *j;
	char *block;		/* the header that was read last, */
	char *data;		/* and a block that one of its tags names */
	uint32_t dist;		/* of the block that comes next */
	uint32_t round;		/* of the transaction that is due; the caller counts */
	uint32_t end;		/* round at which the log ends, or BFO_LOG_NO_END */
};

/* L must be zeroed but for ctx and j; free it also after a failure. */
errcode_t bfo_log_init(struct bfo_log *l);
void bfo_log_free(struct bfo_log *l);

/* BFO_ET_JOURNAL: WHAT is wrong in the transaction that is due, and what to do about it. */
errcode_t bfo_log_damaged(const struct bfo_log *l, const char *what);

/* The block of the journal that is DIST behind the log's begin: the log is a ring. */
uint32_t bfo_log_place(const struct bfo_journal *j, uint32_t dist);

void bfo_log_rewind(struct bfo_log *l);

/* Reads the next header of the transaction that is due; *TYPE is 0 where the log ends. */
errcode_t bfo_log_next(struct bfo_log *l, uint32_t *type);

/* Goes over N blocks, at most to the log's begin: a log that is longer than its ring has ended. */
void bfo_log_skip(struct bfo_log *l, uint32_t n);

/* Reads the next block, which a tag names, and stays before it. */
errcode_t bfo_log_read_data(const struct bfo_log *l);

/* Bytes of a descriptor or revoke block before its checksum. */
uint32_t bfo_log_room(const struct bfo_journal *j);

/* Tags of a descriptor, by their place in it: the first is at BFO_JBD2_TAGS; 0 behind the last. */
uint32_t bfo_log_next_tag(const struct bfo_log *l, uint32_t at);
uint32_t bfo_log_count_tags(const struct bfo_log *l);
uint64_t bfo_log_tag_target(const struct bfo_log *l, uint32_t at);
uint16_t bfo_log_tag_flags(const struct bfo_log *l, uint32_t at);

/*
 * Are the checksums of versions 2 and 3 right, or are there none: that of a descriptor or revoke
 * block, of a commit block (uses l->data), of the data read last with the tag at byte AT?
 */
int bfo_log_tail_ok(const struct bfo_log *l);
int bfo_log_commit_ok(const struct bfo_log *l);
int bfo_log_tag_ok(const struct bfo_log *l, uint32_t at);

#endif
