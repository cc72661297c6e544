/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * items.h - what an outlet is told of each record: everything that a raw inode and a tree say
 *
 *   open ── [make: attributes alone]* ── complete ── [make: everything]*
 *
 * Memory: 160 bytes an inode, in a file above SHELF_LIMIT (items.c), and the targets of long
 * symbolic links.  Errors: ENOMEM, those of the file, and of reading the source.
 */
#ifndef BFO_EXPORT_ITEMS_H
#define BFO_EXPORT_ITEMS_H

#include "base/shelf.h"
#include "export/outlet.h"
#include "gather/contents.h"
#include "plan/serial.h"

struct bfo_items {
	struct bfo_plan *plan;
	struct bfo_source *source;
	struct bfo_shelf shelf;		/* struct ext2_inode_large, one a row */
	uint32_t raw_bytes;		/* of the source's inodes, that are there */
	struct bfo_contents links;	/* symbolic links whose targets are not in their inodes */
	int is_complete;
	/* of the item that was made last */
	BFO_VEC(struct bfo_part) parts;
	bfo_xattrs xattrs;
	bfo_chars target, first;
};

/* Reads the inodes of all that PLAN, which has an order, is to put out.  Free it in any case. */
errcode_t bfo_items_open(struct bfo_items *items, struct bfo_plan *plan,
			 struct bfo_source *source);

/* Once attributes are sets, and the plan is complete: reads targets of links. */
errcode_t bfo_items_complete(struct bfo_items *items);

/* What STEP of a walk, which has path PATH, is about; valid until the next is made. */
errcode_t bfo_items_make(struct bfo_items *items, const struct bfo_serial *walk,
			 const struct bfo_serial_step *step, struct bfo_item *item);

/* Makes all items, names in the order of their bytes, and hands them to TAKE. */
errcode_t bfo_items_walk(struct bfo_items *items,
			 errcode_t (*take)(void *priv, const struct bfo_item *item), void *priv);

void bfo_items_free(struct bfo_items *items);

#endif
