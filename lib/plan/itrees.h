/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees.h - the container /.e2itree (itree/format.h) in a plan
 *
 * It is a file that the plan makes, or whose content is made anew, like that of quota files:
 *
 *   name - merge - order - numbers - trees: which, how large - lay_out - space ... tables - note
 *    `- a new one        its number -'                 its size -'                         |
 *                                                        what it says of directories - write
 *
 * Its number has to be known before it can be sized, as the root directory may have a tree, and a
 * size before there is space for it.  The new content goes to free blocks; the inode changes, or
 * comes to be, in the transaction; the blocks before are given back there.
 */
#ifndef BFO_PLAN_ITREES_H
#define BFO_PLAN_ITREES_H

#include "itree/format.h"
#include "plan/plan.h"

/* A tree that the container is going to have. */
struct bfo_itree {
	struct itree_dir dir;
	uint32_t before;		/* kept: its first block in the container there was */
	int kept;
};

struct bfo_itrees {
	bfo_row row;			/* the container's record, or BFO_NONE until it has one */
	uint32_t ino;			/* set by the caller: of the one the target has, or 0; */
	uint32_t generation;		/* its generation, */
	uint16_t links;			/* its link count: somebody may have given it names; */
	bfo_ranges freed;		/* and its blocks: data and block map */
	/* set by the caller: to a new one, for which INO is 0, the one there gives way, always */
	int replaces;
	struct itree_header header;
	BFO_VEC(struct bfo_itree) trees;	/* ascending by dir.ino */
};

/* A plan is about its container once it has one of these; it is the caller's. */
void bfo_itrees_init(struct bfo_itrees *it, struct bfo_plan *plan);

/* H says what T is, and has the seed of a new container there; the times are the caller's. */
void bfo_itrees_header(struct itree_header *h, const struct bfo_target *t);

/* The same of plan->target for the plan's container, also after bfo_plan_retarget(). */
void bfo_itrees_describe(struct bfo_plan *plan);
void bfo_itrees_free(struct bfo_itrees *it);

/*
 * Between landing and merging: a container that the target does not have gets a record, and a name
 * in the root.  BFO_ET_CLASH if something of that name is copied there.
 */
errcode_t bfo_itrees_name(struct bfo_plan *plan);

/* Once the order is settled: one that the target has gets a record at its end. */
errcode_t bfo_itrees_renew(struct bfo_plan *plan);

/* The container's number in the target: after bfo_plan_numbers(). */
uint32_t bfo_itrees_number(const struct bfo_plan *plan);

/*
 * Once each tree's `blocks` are known: where each stands, and the container's size.
 * BFO_ET_OVERFLOW if there are more than 2^32 blocks.
 */
errcode_t bfo_itrees_arrange(struct bfo_itrees *it);

/* Then: the plan's record gets that size; before bfo_plan_space(). */
void bfo_itrees_lay_out(struct bfo_plan *plan);

/*
 * Behind a tree of so many blocks there are blocks left that it can grow into, in place: a
 * sixteenth, and two more.
 */
static inline uint64_t bfo_itrees_reserve(uint32_t blocks)
{
	return blocks / 16 + 2;
}

/* Directory inode INO of the target becomes RAW: what the catalogue says of it. */
void bfo_itrees_note(struct bfo_plan *plan, uint32_t ino, const void *raw);

/* By default directories are indexed whose entries, BYTES without dots, take more than a block. */
static inline int bfo_itrees_is_big(uint32_t block_size, uint64_t bytes)
{
	return bytes + 24 > block_size;
}

/* True if record ROW is the container. */
static inline int bfo_plan_is_container(const struct bfo_plan *plan, bfo_row row)
{
	return plan->itrees && plan->itrees->row == row;
}

/* True if REC's content depends on inodes, so that it is not written with the data of others. */
static inline int bfo_plan_is_written_last(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	return bfo_inode_is_renewed(rec) ||
	       bfo_plan_is_container(plan, rec - plan->tree->inodes.v);
}

#endif
