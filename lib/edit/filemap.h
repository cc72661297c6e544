/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filemap.h - which blocks a draft has: read, cut, put in; and as its inode says it
 *
 * Errors: ENOMEM, BFO_ET_DAMAGED, BFO_ET_NO_SPACE, BFO_ET_FILE_TOO_BIG; those of reading.
 */
#ifndef BFO_EDIT_FILEMAP_H
#define BFO_EDIT_FILEMAP_H

#include "edit/edit.h"

/* Reads the map of DRAFT, if that is not in memory. */
errcode_t bfo_draft_map(struct bfo_edit *e, struct bfo_draft *draft);

/* The segment that has logical block LBLK, or the next one behind it; segs.n if there is none. */
size_t bfo_filemap_find(const struct bfo_draft *n, uint32_t lblk);

/* Logical blocks of segment I in [FROM, TO) are needed no more; room for noting that is there. */
void bfo_filemap_give(struct bfo_edit *e, const struct bfo_draft *n, uint64_t from, uint64_t to,
		      size_t i);

/*
 * Instead of what logical blocks [FROM, TO) had, N of them from FROM on lie in the pieces ADD,
 * which were taken.  FROM and TO: whole clusters, or the end of all.
 */
errcode_t bfo_filemap_put(struct bfo_edit *e, struct bfo_draft *n, uint64_t from, uint64_t to,
			  const bfo_ranges *add, uint64_t blocks);

/* Writes the map of DRAFT, whose segs have changed, into its inode and into new blocks. */
errcode_t bfo_filemap_encode(struct bfo_edit *e, struct bfo_draft *n);

#endif
