/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contents.h - what stands in some of the source's files, or in parts of them
 *
 * They are added, then read all together, as they lie on the device.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_CONTENTS_H
#define BFO_GATHER_CONTENTS_H

#include "gather/source.h"
#include "tree/tree.h"

struct bfo_content {
	bfo_row row;			/* index of the record: a regular file */
	uint64_t from;			/* the first byte of it, at the beginning of a block */
	uint32_t size;			/* bytes from there, no more than it has */
	uint32_t tag;			/* the caller's */
	size_t at;			/* in the buffer */
	uint32_t unread;		/* of these, bytes that could not be read */
};

/* One whose content stands in its inode. */
struct bfo_small_content {
	uint32_t ino;			/* sort key */
	uint32_t index;			/* in files[] */
};

/* Zeroed: no files. */
struct bfo_contents {
	BFO_VEC(struct bfo_content) files;
	/* contents.c */
	struct bfo_source *source;
	struct bfo_tree *tree;
	bfo_chars buffer;
	bfo_order_list nodes;
	BFO_VEC(struct bfo_small_content) smalls;
	bfo_numbers inos;		/* of these */
};

errcode_t bfo_contents_add(struct bfo_contents *s, bfo_row row, uint64_t from, uint32_t size,
			   uint32_t tag);

/* Reads all; holes and what cannot be read are zeroes.  Nodes of the tree as they were gathered. */
errcode_t bfo_contents_read(struct bfo_contents *s, struct bfo_source *source,
			    struct bfo_tree *tree);

/* f->size bytes, until files are read again. */
static inline const char *bfo_contents_of(const struct bfo_contents *s, const struct bfo_content *f)
{
	return s->buffer.v + f->at;
}

void bfo_contents_free(struct bfo_contents *s);

#endif
