/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stem.h - what is made here, in memory, to its place in the stem
 *
 * Errors: ENOMEM, and those of writing (commit/writer.h).
 */
#ifndef BFO_COMMIT_STEM_H
#define BFO_COMMIT_STEM_H

#include "commit/writer.h"
#include "plan/plan.h"

/* Writes the blocks of all extent trees. */
errcode_t bfo_trees_write(struct bfo_plan *plan, struct bfo_writer *w);

/* Writes BLOCKS blocks (of the target) at DATA to stem block STEM and following. */
errcode_t bfo_stem_write(const struct bfo_plan *plan, struct bfo_writer *w, uint64_t stem,
			 uint64_t blocks, const void *data);

#endif
