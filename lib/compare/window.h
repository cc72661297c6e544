/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - what is small about as many pairs as the memory holds, of both sides
 *
 * Raw inodes, attribute blocks, targets of long symlinks, and the data of files whose partner is
 * stored inline.  A window is filled, loaded - each side in the order of its blocks -, looked at
 * and emptied.  An attribute block that inodes share is in it once.
 *
 * Errors: BFO_ET_CANCELLED, ENOMEM; those of reading (gather/batch.h).
 */
#ifndef BFO_COMPARE_WINDOW_H
#define BFO_COMPARE_WINDOW_H

#include "compare/compare.h"

#define BFO_CONTENT_MAX (64U << 10)	/* bytes; longer is no symlink, and nothing inline */

struct bfo_small {		/* of one inode; NULL where there is none */
	const char *raw;	/* the inode */
	const char *ea;		/* its attribute block */
	const char *content;	/* symlink target, or data */
};

struct bfo_window_item {
	uint32_t pair;
	struct bfo_small of[2];
};

struct bfo_fetch {		/* bytes of a block, and where they go */
	char *to;
	uint32_t at, len;
	int is_data;		/* of a file: may be what cannot be read */
};

struct bfo_wanted {		/* an inode, and where it goes; sort key first */
	uint32_t ino;
	char *to;
};

typedef BFO_VEC(struct bfo_wanted) bfo_wanteds;

struct bfo_window {
	struct bfo_compare *c;
	char *room;
	size_t size, used;
	BFO_VEC(struct bfo_window_item) items;
	bfo_wanteds inodes[2];
	bfo_order_list nodes[2];	/* tag: index into fetches */
	const char **ea[2];		/* of each of eas[]: where it is in this window, or NULL */
	BFO_VEC(struct bfo_fetch) fetches;
};

errcode_t bfo_window_init(struct bfo_window *w, struct bfo_compare *c);
void bfo_window_free(struct bfo_window *w);

/* True if PAIR, which must be sound, still fits; an empty window takes any. */
int bfo_window_fits(const struct bfo_window *w, uint32_t pair);
errcode_t bfo_window_add(struct bfo_window *w, uint32_t pair);

errcode_t bfo_window_load(struct bfo_window *w);
void bfo_window_clear(struct bfo_window *w);

/* True if inode record REC has its data, or its symlink target, in the inode itself. */
int bfo_is_inline(const struct bfo_inode *rec);

#endif
