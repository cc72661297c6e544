/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contents.h - what stands in some of the source's files
 *
 * They are added, then read all together, as they lie on the device.
 */
#ifndef E2BFO_COPY_CONTENTS_H
#define E2BFO_COPY_CONTENTS_H

#include "gather/batch.h"
#include "tree/tree.h"

struct content {
	bfo_row row;			/* index of the record: a regular file */
	uint32_t size;			/* bytes from its beginning, no more than it has */
	uint32_t tag;			/* the caller's */
	size_t at;			/* in the buffer */
};

/* One whose content stands in its inode. */
struct small_content {
	uint32_t ino;			/* sort key */
	uint32_t index;			/* in files[] */
};

/* Zeroed: no files. */
struct contents {
	BFO_VEC(struct content) files;
	/* contents.c */
	struct bfo_reader *reader;
	struct bfo_tree *tree;
	bfo_chars buffer;
	bfo_order_list nodes;
	BFO_VEC(struct small_content) smalls;
	bfo_numbers inos;		/* of these */
};

errcode_t contents_add(struct contents *s, bfo_row row, uint32_t size, uint32_t tag);

/* Reads all; holes and what cannot be read are zeroes.  Nodes of the tree as they were gathered. */
errcode_t contents_read(struct contents *s, struct bfo_reader *reader, struct bfo_tree *tree);

/* f->size bytes, until files are read again. */
static inline const char *contents_of(const struct contents *s, const struct content *f)
{
	return s->buffer.v + f->at;
}

void contents_free(struct contents *s);

#endif
