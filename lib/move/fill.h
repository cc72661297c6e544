/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fill.h - the items of a plan into buffers
 *
 * Items come in the plan's order.  Directories and attribute blocks that are new are made in the
 * buffer; for what has to be read from the source there are nodes, and mending when they have been.
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_MOVE_FILL_H
#define BFO_MOVE_FILL_H

#include "move/pipe.h"
#include "gather/source.h"
#include "plan/dirimage.h"
#include "plan/eaimage.h"
#include "plan/plan.h"
#include "plan/runs.h"

/* Its first part is the caller's, the rest begins with zeroes. */
struct bfo_filler {
	struct bfo_plan *plan;
	struct bfo_source *source;
	struct bfo_pipe *pipe;
	uint64_t from;			/* the stem is written before this block */
	uint32_t source_units;		/* units of the pipe in a block of the source */

	/* the buffer that is being filled */
	struct bfo_buffer *buffer;
	uint32_t limit;			/* units of it that may be used */
	bfo_order_list nodes;		/* to be read for it: `to` is a unit of the buffer */

	/* where the walk over the items stands */
	size_t item;			/* position in plan->order */
	int begun;			/* its attribute block is done, its walk is open */
	/* attribute blocks before this place of the stem are done */
	uint64_t ea_end;
	struct bfo_run_walk walk;	/* files */
	struct bfo_run run;		/* the current one, */
	uint32_t run_done;		/* and how many blocks of it are done */
	uint32_t seg;			/* first segment that may be in it */
	uint32_t lblk;			/* directories: next block */
	struct bfo_dirimage img;
	struct bfo_eaimage ea;		/* scratch */
	BFO_VEC(uint8_t) content;	/* scratch */
};

/*
 * Puts items into the pipe's next buffer, which is waited for, until LIMIT units have no room for
 * another block of either volume.  Lists what is to be read, in the order of the buffer; publishes
 * nothing.
 */
errcode_t bfo_fill_buffer(struct bfo_filler *f, uint32_t limit);

/* Frees what it has allocated. */
void bfo_fill_free(struct bfo_filler *f);

/* Where block AT of NODE belongs. */
void *bfo_fill_place(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at);

/* Blocks of NODE before END stand in their place: makes of the last one what is to be written. */
errcode_t bfo_fill_mend(struct bfo_filler *f, const struct bfo_node *node, uint32_t end);

/*
 * The attribute block of REC if it is written with it: of those that share it, with the first.
 * Those before block EA_END of the stem have been written.  NULL if there is none.
 */
const struct bfo_ea *bfo_fill_first_ea(const struct bfo_plan *plan, const struct bfo_inode *rec,
				       uint64_t ea_end);

/* True if zeroes may take the place of what of NODE cannot be read: it is data. */
int bfo_fill_may_be_lost(const struct bfo_node *node);

#endif
