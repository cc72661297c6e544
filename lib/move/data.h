/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - filling the stem: file data, directories, attribute blocks, extent blocks
 *
 * Errors: BFO_ET_CANCELLED, ENOMEM; those of reading, and of the drain.
 */
#ifndef BFO_MOVE_DATA_H
#define BFO_MOVE_DATA_H

#include "move/pipe.h"
#include "gather/source.h"
#include "plan/plan.h"

/*
 * Moves all items of the plan from SOURCE into DRAIN, but for the part that P says is there
 * already; MEMORY bytes of batch buffer between reading and writing.
 */
errcode_t bfo_data_write(struct bfo_plan *plan, struct bfo_source *source,
			 const struct bfo_drain *drain, uint64_t memory,
			 struct bfo_data_progress *p);

#endif
