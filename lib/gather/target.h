/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - what the plan has to know about a target: its shape and what is free in it
 *
 * Errors: BFO_ET_UNHEALTHY if its counts cannot be, ENOMEM.
 */
#ifndef BFO_GATHER_TARGET_H
#define BFO_GATHER_TARGET_H

#include "base/context.h"
#include "base/range.h"
#include "tree/tree.h"

struct bfo_volume;

struct bfo_target {
	uint32_t block_size, inode_size;	/* bytes */
	uint32_t csum_seed;
	int has_csum;				/* metadata_csum */
	/* no volume: it holds what there is; attributes stay sets, whatever their size */
	int is_serial;
	int has_any_links;			/* it has no limit of links */
	int has_dir_index, has_dir_nlink, has_large_dir, has_huge_file;
	int has_extents, has_filetype, has_project, has_inline, has_encrypt, has_verity,
		has_ea_inode;
	uint8_t uuid[16];
	uint16_t encoding;			/* of casefolded directories; 0 without casefold */
	int is_strict;				/* their names have to be of that encoding */
	/* blocks of an allocation unit (bigalloc), else 1 */
	uint32_t cluster_blocks;
	uint32_t extra_isize;			/* for inodes made here */
	uint32_t hash_seed[4];
	int hash_version;			/* for ext2fs_dirhash2() */
	int hash_stored;			/* as dx_root stores it */
	uint64_t reserved_blocks;		/* for root */
	uint64_t blocks, inodes;		/* of the filesystem */
	bfo_ranges free_blocks, free_inodes;
};

/* Reads the above from an opened target (its bitmaps must be loaded). */
errcode_t bfo_target_gather(struct bfo_context *ctx, const struct bfo_volume *vol,
			    struct bfo_target *target);

/* Of any volume, the shape alone: nothing is read. */
void bfo_target_shape(const struct bfo_volume *vol, struct bfo_target *target);

/*
 * Of what is no volume, for a tree with blocks of BLOCK_SIZE bytes that comes from VOL, or, if that
 * is NULL, from elsewhere: names are in the order that VOL has them in.
 */
void bfo_target_serial(const struct bfo_volume *vol, uint32_t block_size,
		       struct bfo_target *target);

/*
 * TARGET, which is no volume, is an archive of our own: it holds of TREE what else only volumes
 * with features hold.
 */
void bfo_target_archive(const struct bfo_tree *tree, struct bfo_target *target);

/* Appends the free blocks of VOL, whose block bitmap must be loaded, to OUT. */
errcode_t bfo_target_free_blocks(const struct bfo_volume *vol, bfo_ranges *out);

void bfo_target_free(struct bfo_target *target);

#endif
