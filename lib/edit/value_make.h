/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_make.h - values of attributes that move to inodes of their own (feature ea_inode)
 *
 * The bytes go to free blocks at once.  Equal values of one commit share an inode.  Nothing counts
 * references before the commit (edit/value_refs.h): what nobody refers to then goes again.
 *
 * Errors: those of edit/content.h; BFO_ET_NO_INODES.
 */
#ifndef BFO_EDIT_VALUE_MAKE_H
#define BFO_EDIT_VALUE_MAKE_H

#include "edit/edit.h"

/* The inode that has the SIZE bytes at VALUE, and their hash. */
errcode_t bfo_value_make(struct bfo_edit *e, const void *value, uint32_t size, uint32_t *ino,
			 uint32_t *hash);

static inline int bfo_draft_is_value(const struct bfo_draft *n)
{
	return !!(bfo_draft_flags(n) & EXT4_EA_INODE_FL);
}

/* Is N a value of this commit that nobody refers to, or nobody yet? */
static inline int bfo_value_is_idle(const struct bfo_draft *n)
{
	return n->is_new && bfo_draft_is_value(n) && !bfo_inode_value_refs(n->raw);
}

#endif
