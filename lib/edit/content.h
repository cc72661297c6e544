/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * content.h - contents of files that are changed
 *
 * What is new goes into newly taken blocks, never back to where the old ones lie (BFO paper); these
 * are freed.  The first and last block of a range that is written in part are read and completed.
 *
 * Errors: BFO_ET_NO_SPACE, BFO_ET_FILE_TOO_BIG; those of edit/edit.h, and of who gives contents.
 */
#ifndef BFO_EDIT_CONTENT_H
#define BFO_EDIT_CONTENT_H

#include "edit/edit.h"

/* SIZE bytes at DATA; or, where that is NULL, those that fill() puts to TO, ascending. */
struct bfo_edit_bytes {
	const void *data;
	uint64_t size;
	errcode_t (*fill)(void *priv, uint64_t offset, void *to, size_t len);
	void *priv;
};

/*
 * BYTES become the content of DRAFT, a regular file, from byte OFFSET on; what lies between its end
 * and OFFSET is zero.  In the inode, where they fit there and the file has no blocks.
 */
errcode_t bfo_draft_write(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset,
			 const struct bfo_edit_bytes *bytes);

/* BYTES become all of its content. */
errcode_t bfo_draft_replace(struct bfo_edit *e, struct bfo_draft *n,
			   const struct bfo_edit_bytes *bytes);

/* Cuts it off, or makes it longer by zeroes. */
errcode_t bfo_draft_truncate(struct bfo_edit *e, struct bfo_draft *n, uint64_t size);

/*
 * The content that DRAFT holds in memory (n->held) goes where others' does, before it changes, or
 * because it is to stay; nothing else of it changes.
 */
errcode_t bfo_draft_settle_held(struct bfo_edit *e, struct bfo_draft *n);

/* LEN bytes from OFFSET on, which are not behind its end. */
errcode_t bfo_draft_read(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset, void *buf,
			size_t len);

/* DRAFT, a new symbolic link, leads to the LEN bytes of TEXT, less than a block. */
errcode_t bfo_draft_write_link(struct bfo_edit *e, struct bfo_draft *n, const char *text,
			      size_t len);

#endif
