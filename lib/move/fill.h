/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fill.h - the items of a plan into buffers
 *
 * Items come in the plan's order.  Directories and attribute blocks that are new are made in the
 * buffer; for what has to be read from the source there are nodes, and mending when they have been.
 *
 * Of a drain that is packed (move/drain.h), what is large is read to its place as ever, and takes
 * whole blocks of the buffer.  What is small is read elsewhere, and copied:
 *
 *	source	|a - - -|       |c c c c|c c - -|b b - -|	blocks
 *	buffer	|a|b b|c c c c c c|				units
 *
 * So the buffer holds as many small files as have room in it without what lies behind their ends,
 * and the more are sorted at once, the fewer are the strokes over the source.
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
	/* units of it that may be used: less by one for each node that is small itself */
	uint32_t limit;
	bfo_order_list nodes;		/* to be read for it */

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

/* Where block AT of NODE is to be read to; NULL: anywhere. */
void *bfo_fill_place(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at);

/*
 * COUNT blocks of NODE from its block AT on were read to DATA, or cannot be read, which is NULL:
 * they become what is to be written.
 */
errcode_t bfo_fill_take(struct bfo_filler *f, const struct bfo_node *node, uint32_t at,
			uint32_t count, const void *data);

/* The units of the buffer that waited for them; returns the first one. */
uint32_t bfo_fill_units(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at,
			uint32_t count, uint32_t *units);

/* Units of the buffer that BLOCKS of REC, a file, will take that are read from block LBLK on. */
uint64_t bfo_fill_foresee(const struct bfo_filler *f, const struct bfo_inode *rec, uint64_t lblk,
			  uint32_t blocks);

/* Bytes of the buffer in which all of the plan has room, PACKED or not. */
uint64_t bfo_fill_bytes(const struct bfo_plan *plan, int packed);

/*
 * The attribute block of REC if it is written with it: of those that share it, with the first.
 * Those before block EA_END of the stem have been written.  NULL if there is none.
 */
const struct bfo_ea *bfo_fill_first_ea(const struct bfo_plan *plan, const struct bfo_inode *rec,
				       uint64_t ea_end);

/* True if zeroes may take the place of what of NODE cannot be read: it is data. */
int bfo_fill_may_be_lost(const struct bfo_node *node);

#endif
