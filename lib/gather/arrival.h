/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrival.h - where the data of a source go that come once, and cannot be asked for again
 *
 *   [begin ── part* ── end]*		one file after the other, as they come
 *
 * Data that have arrived are kept segments of their file (tree/tree.h), so the tree has blocks as
 * large as those they arrive in.  Whoever makes the tree decides whether a file is part of it in
 * the end: what belongs to none is forgotten.
 *
 * Its owner fills it in; that of a target's free blocks is made by commit/arrive.h.
 */
#ifndef BFO_GATHER_ARRIVAL_H
#define BFO_GATHER_ARRIVAL_H

#include "tree/tree.h"

struct bfo_arrival {
	uint32_t block_size;		/* bytes */
	uint32_t cluster_blocks;	/* that are given together: with data, nothing else is */
	/*
	 * Bytes: a file that is no longer may stand in its inode.  The source keeps its content in
	 * memory, and does not announce it here.
	 */
	uint32_t small;
	/*
	 * The largest blocks, in bytes, that an fs-verity tree may have been made on: it comes with
	 * the file, whose size then is where that ends.  Else it does not come.
	 */
	uint32_t verity_blocks;
	/* The data of a file of SIZE bytes come next. */
	errcode_t (*begin)(void *priv, uint64_t size);
	/*
	 * LEN bytes of it, from byte AT on: behind those that came before, and within SIZE, else it
	 * is BFO_ET_DAMAGED.  What no part has is zero; whole blocks of that are a hole.
	 */
	errcode_t (*part)(void *priv, uint64_t at, const void *data, size_t len);
	/* All of it has come: *N segments, kept ones, valid until the next begin(). */
	errcode_t (*end)(void *priv, const struct bfo_seg **segs, size_t *n);
	void *priv;
};

#endif
