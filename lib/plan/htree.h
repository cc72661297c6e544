/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * htree.h - the index of a directory that is edited: the way to a leaf, and one leaf more
 *
 *   entry i of a node: names from its hash on, up to the next entry's, are below its block.  Bit 0
 *   of a hash says that names of this hash stand in the leaf before, too.
 *
 * As fs/ext4/namei.c has it.  Every node is checked whenever it is visited.
 *
 * Errors: those of plan/dir_blocks.h; BFO_ET_FEATURE (a hash that is not known).
 */
#ifndef BFO_PLAN_HTREE_H
#define BFO_PLAN_HTREE_H

#include "plan/dir_blocks.h"

#define BFO_HTREE_LEVELS 3U		/* root included, with large_dir; without it one less */
#define BFO_HTREE_END 0x100000000ULL	/* behind all hashes */

/* Entry AT of the node in LBLK, which has hashes from BEGIN on, below END. */
struct bfo_htree_step {
	uint32_t lblk, at, begin;
	uint64_t end;
};

/* From the root to a leaf. */
struct bfo_htree_path {
	struct bfo_htree_step steps[BFO_HTREE_LEVELS];
	uint32_t levels;		/* steps */
	uint32_t leaf;			/* a block */
};

static inline struct bfo_htree_step *bfo_htree_last(struct bfo_htree_path *p)
{
	return &p->steps[p->levels - 1];
}

/* How D hashes its names: as TARGET has them, but for the version. */
struct bfo_htree_hash {
	struct bfo_target target;
};

/* VERSION, as a root has it: BFO_ET_FEATURE if it is not known. */
errcode_t bfo_htree_hash_init(struct bfo_htree_hash *h, const struct bfo_dir_edit *d, int version);
uint32_t bfo_htree_hash(const struct bfo_htree_hash *h, const char *name, uint32_t len);

/* How many levels of nodes D has, its hash, and its parent. */
errcode_t bfo_htree_root(const struct bfo_dir_edit *d, uint32_t *levels, struct bfo_htree_hash *h,
			 uint32_t *parent);

/* The way to the first leaf that may have names of HASH, an even one, in a tree of LEVELS. */
errcode_t bfo_htree_probe(const struct bfo_dir_edit *d, uint32_t levels, uint32_t hash,
			  struct bfo_htree_path *path);

/* True if the next leaf may have names of HASH, too. */
static inline int bfo_htree_goes_on(struct bfo_htree_path *path, uint32_t hash)
{
	return bfo_htree_last(path)->end == (hash | 1);
}

/* On to the next leaf, if that goes on with HASH; else *MORE is 0. */
errcode_t bfo_htree_next(const struct bfo_dir_edit *d, uint32_t hash, struct bfo_htree_path *path,
			 int *more);

/*
 * Block LBLK becomes the leaf behind that of PATH, for names from HASH on.  Splits what is full;
 * PATH then leads to the new leaf.  BFO_ET_DIR_TOO_BIG if all is full.
 */
errcode_t bfo_htree_insert(struct bfo_dir_edit *d, struct bfo_htree_path *path, uint32_t hash,
			   uint32_t lblk);

/* BLOCK, all zeroes, becomes a root of one entry: LEAF; *PATH leads there. */
void bfo_htree_make_root(const struct bfo_dir_edit *d, uint8_t *block, uint32_t parent,
			 uint32_t leaf, struct bfo_htree_path *path);

/* True if BLOCK is a sound node, but not the root. */
int bfo_htree_is_node(const struct bfo_dir_edit *d, const uint8_t *block);

/* A new parent in the root. */
errcode_t bfo_htree_set_parent(const struct bfo_dir_edit *d, uint32_t parent);

#endif
