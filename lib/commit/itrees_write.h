/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees_write.h - the container of a plan: what it replaces; written to its place in the stem
 */
#ifndef BFO_COMMIT_ITREES_WRITE_H
#define BFO_COMMIT_ITREES_WRITE_H

#include "commit/itrees_build.h"
#include "commit/writer.h"

/*
 * The container that is to be replaced: its number and blocks for IT, its header (but for size and
 * times) as it was.  C was found, damaged or not.
 */
errcode_t bfo_itrees_replace(struct bfo_itrees *it, const struct bfo_container *c);

/* Sizes all trees of PLAN that are not kept, and with them the container. */
errcode_t bfo_itrees_size(struct bfo_plan *plan, const struct bfo_itree_source *from);

/*
 * Writes the container to its blocks in the stem, after bfo_tables_write(), which says what becomes
 * of directories.  BFO_ET_CHANGED if the trees are not of the sizes that were planned.
 */
errcode_t bfo_itrees_write(struct bfo_plan *plan, struct bfo_writer *w,
			   const struct bfo_itree_source *from);

#endif
