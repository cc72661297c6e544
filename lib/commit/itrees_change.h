/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees_change.h - small changes of a container: brought up to date, or removed
 *
 * Errors: BFO_ET_ROOT_DAMAGED, BFO_ET_DAMAGED, BFO_ET_FEATURE, ENOMEM; those of reading and
 * writing.
 */
#ifndef BFO_COMMIT_ITREES_CHANGE_H
#define BFO_COMMIT_ITREES_CHANGE_H

#include "commit/fate.h"
#include "gather/container.h"

/* What was written, also when that failed. */
struct bfo_itrees_written {
	enum bfo_fate fate;	/* what has become of the filesystem */
	uint64_t requests, blocks;
};

/* A block of the container as it is to be; data from malloc(3), NULL once it was taken. */
struct bfo_itrees_block {
	uint32_t blk;
	void *data;
};

typedef BFO_VEC(struct bfo_itrees_block) bfo_itrees_blocks;

/*
 * Header and catalogue become those of the filesystem as it is now.  DIRS: the catalogue,
 * c->header.trees entries.  Trees are right as they are, or by BLOCKS (or NULL), which become the
 * transaction's.
 */
errcode_t bfo_itrees_refresh(const struct bfo_container *c, const struct itree_dir *dirs,
			     bfo_itrees_blocks *blocks, int64_t now, const char *undo_file,
			     struct bfo_itrees_written *out);

/*
 * Removes the container C, which was found, damaged or not: name, inode and blocks.  *FATE: what
 * has become of the filesystem, after a failure, too.
 */
errcode_t bfo_itrees_remove(const struct bfo_container *c, int64_t now, const char *undo_file,
			    enum bfo_fate *fate);

#endif
