/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seal.h - what has changed in memory becomes one transaction
 *
 *   directories ── maps ── attribute blocks ── quota ── inode tables ── bitmaps ── superblock
 *        new blocks: written to free space first           what is live: in the transaction
 *
 * Errors: BFO_ET_JOURNAL_SMALL; BFO_ET_NO_SPACE, BFO_ET_DIR_TOO_BIG, BFO_ET_FILE_TOO_BIG; those of
 * edit/edit.h.
 */
#ifndef BFO_EDIT_SEAL_H
#define BFO_EDIT_SEAL_H

#include "edit/directory.h"

/*
 * All or nothing.  Afterwards E has no drafts.  After an error it is only to be closed: what stands
 * in memory of the volume is not what it is.  *FATE says what has become of that.
 */
errcode_t bfo_edit_commit(struct bfo_edit *e, enum bfo_fate *fate);

/* Blocks of the journal that a commit would take now, or somewhat more; and that there are. */
uint64_t bfo_edit_need(const struct bfo_edit *e);
uint64_t bfo_edit_room(const struct bfo_edit *e);

#endif
