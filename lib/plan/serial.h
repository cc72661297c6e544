/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serial.h - a plan for what is no volume: names one behind the other, with data in between
 *
 *   names - filter - landing - alone - order - [settle] - audit - ... - serial
 *
 * There is nothing to be merged with, no numbers are given, and the stem is one endless run: the
 * data of all files, in the order in which a kernel lists the source.  Directories and attributes
 * take no blocks of it.  So the same buffers and threads move the data (move/data.h).
 */
#ifndef BFO_PLAN_SERIAL_H
#define BFO_PLAN_SERIAL_H

#include "plan/names.h"
#include "plan/plan.h"

/*
 * In place of merging: the target has nothing but a root.  ENOMEM.
 */
errcode_t bfo_plan_alone(struct bfo_plan *plan);

/* In place of numbers and space: the stem, and each item's place in it.  BFO_ET_FILE_TOO_BIG. */
errcode_t bfo_plan_serial(struct bfo_plan *plan);

/*
 * Before that, for who wants data and no names in between: the order becomes that of the source's
 * blocks.  ENOMEM.
 */
errcode_t bfo_plan_by_place(struct bfo_plan *plan);

enum bfo_serial_kind {
	BFO_SERIAL_ITEM,	/* a record, by the first name that leads to it */
	BFO_SERIAL_LINK,	/* a further name of one */
	BFO_SERIAL_LEAVE,	/* all below directory ROW has come */
	BFO_SERIAL_END,
};

struct bfo_serial_step {
	enum bfo_serial_kind kind;
	bfo_row row;
	uint32_t name;		/* in names[]; BFO_NONE: the root has none */
};

/* A directory whose names are being walked. */
struct bfo_serial_frame {
	bfo_row dir;
	struct bfo_listing names;	/* positions in names[]; by bytes: in `sorted` */
	size_t path_len;
};

/* A walk over all names, once there is an order. */
struct bfo_serial {
	struct bfo_plan *plan;
	/*
	 * Set before the first step: names of a directory come in the order of their bytes, which
	 * depends on no hash; not the order of the stem.
	 */
	int by_bytes;
	/* Set before the first step: in paths, others stand in for names that are ciphertext. */
	int has_stand_ins;
	bfo_numbers sorted;	/* names of the directories on the stack */
	BFO_VEC(struct bfo_serial_frame) stack;
	bfo_chars path;		/* of the step: below the root, with a NUL behind it */
	size_t path_len;
	bfo_numbers first;	/* per row: the name by which it came first, or BFO_NONE */
	int begun;
};

/* Takes 4 bytes an inode; ENOMEM.  Free it in any case. */
errcode_t bfo_serial_begin(struct bfo_serial *s, struct bfo_plan *plan);
errcode_t bfo_serial_next(struct bfo_serial *s, struct bfo_serial_step *step);

/*
 * The row that a name leads to which comes some steps later, so that what belongs to it can be
 * asked for in time; BFO_NONE: none is known.
 */
bfo_row bfo_serial_soon(const struct bfo_serial *s);

/* What came last, a directory, is not entered, nor left. */
void bfo_serial_pass(struct bfo_serial *s);

void bfo_serial_free(struct bfo_serial *s);

/*
 * Names have been killed: what no name leads to any more leaves the order, and of the others the
 * first name that is left counts.  ENOMEM.
 */
errcode_t bfo_serial_settle(struct bfo_plan *plan);

#endif
