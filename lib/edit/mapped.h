/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped.h - bytes of a file in its blocks: read, and a few of them changed where they lie
 *
 * Errors: those of edit/edit.h, and of who gives contents.
 */
#ifndef BFO_EDIT_MAPPED_H
#define BFO_EDIT_MAPPED_H

#include "edit/content.h"

/* LEN bytes from OFFSET on, as the batch has them; zeroes where there is nothing. */
errcode_t bfo_mapped_read(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset, char *buf,
			  uint64_t len);

/* Whether bytes [FROM, TO) of N, whose map is known, should be changed in the blocks they have. */
int bfo_mapped_may_patch(const struct bfo_edit *e, const struct bfo_draft *n, uint64_t from,
			 uint64_t to);

/* They are, with the commit and through the journal: e->patches.  All BYTES or none. */
errcode_t bfo_mapped_patch(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset,
			   const struct bfo_edit_bytes *bytes);

/* Block BLK of the volume, of e->patches: what is changed in DATA is with the commit. */
errcode_t bfo_mapped_image(struct bfo_edit *e, uint64_t blk, char **data);

/* Frees the patches that there are. */
void bfo_mapped_forget(struct bfo_edit *e);

#endif
