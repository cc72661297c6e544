/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * indexed.h - indexes of directories (itree(5)) stay right when names come and go
 *
 *   a directory's names are looked up ── has it an index, and is that right? ── draft->index
 *   entries of the commit ── what came, what went ── insert, delete ── blocks, catalogue, header
 *
 * Only blocks of a tree are read that the keys lead to.  What was stale before stays so, and so
 * does what has no room to grow, or is damaged, and all without a journal: its blocks stay as they
 * are, and its directory's new i_version and ctime say that it is not to be believed.  Where they
 * might not, as a clock is pinned, the catalogue does.
 *
 * Errors: ENOMEM, BFO_ET_CANCELLED; of looking those of reading a directory's inode.
 */
#ifndef BFO_EDIT_INDEXED_H
#define BFO_EDIT_INDEXED_H

#include "edit/directory.h"

/* D's names are about to be looked at: sets d->index. */
errcode_t bfo_indexes_look(struct bfo_edit *e, struct bfo_draft *d);

/* ENTRY of D leads elsewhere now: for the estimate. */
void bfo_indexes_count(struct bfo_edit *e, struct bfo_draft *d, const struct bfo_entry *entry);

/*
 * Blocks of the container become IMAGES; all drafts are settled.  *WTIME, when the volume is said
 * to be written, becomes what goes with the container's header.
 */
errcode_t bfo_indexes_settle(struct bfo_edit *e, bfo_images *images, uint64_t *wtime);

/* Blocks that this takes, or somewhat more. */
uint64_t bfo_indexes_need(const struct bfo_indexes *x);

/* The commit is over. */
void bfo_indexes_committed(struct bfo_indexes *x);
void bfo_indexes_free(struct bfo_indexes *x);

#endif
