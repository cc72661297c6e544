/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups.h - files that belong next to each other
 *
 * A group is a list of at least two file ids, in the order in which they are used; its first
 * member is its entry point.  Groups are disjoint.  A zeroed struct has none.
 */
#ifndef BFO_MINE_GROUPS_H
#define BFO_MINE_GROUPS_H

#include "base/vec.h"

struct bfo_group {
	uint32_t start, len;		/* members: files.v[start .. start + len - 1] */
	uint32_t support;		/* how often it was seen; 0 where nothing counts that */
};

struct bfo_groups {
	BFO_VEC(struct bfo_group) groups;
	BFO_VEC(uint32_t) files;
};

static inline void bfo_groups_free(struct bfo_groups *g)
{
	bfo_vec_free(&g->groups);
	bfo_vec_free(&g->files);
}

#endif
