/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - hashing and sorting names, for the source's tree and for the target's directories
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_PLAN_NAMES_H
#define BFO_PLAN_NAMES_H

#include "plan/plan.h"
#include "tree/access.h"

/*
 * The last hash there is.  ext2fs_dirhash2() gives some names the one behind it, and a kernel moves
 * those down: whoever cuts between two of this hash is at odds with e2fsck.
 */
#define BFO_HASH_LAST 0xfffffffcU

/*
 * Sets the hashes of N, whose bytes stand at TEXT, in a directory with DIR_FLAGS, as a kernel
 * computes them on TARGET; or reads them there, behind the name, if such a directory has them.
 */
void bfo_name_hash(const struct bfo_target *target, uint32_t dir_flags, const char *text,
		   struct bfo_name *n);

/* The same of LEN bytes at TEXT; HASHES are those that stand with the name, or NULL. */
void bfo_text_hash(const struct bfo_target *target, uint32_t dir_flags, const char *text,
		   uint32_t len, const void *hashes, uint32_t *hash, uint32_t *minor);

/* Compares names by hash, minor hash and bytes: the order of a directory's slice. */
int bfo_name_compare(const struct bfo_tree *a_tree, const struct bfo_name *a,
		     const struct bfo_tree *b_tree, const struct bfo_name *b);

/*
 * For qsort_r(): positions in names[] of TREE, a struct bfo_tree, in the order of the names' bytes.
 */
int bfo_names_by_bytes(const void *a, const void *b, void *tree);

/*
 * Hashes names[] for TARGET and sorts it by (directory, hash, minor, bytes); gives every
 * directory record its slice (tree/slices.h).
 */
errcode_t bfo_names_sort(struct bfo_tree *tree, const struct bfo_target *target);

/*
 * Replaces inode numbers in names[] by indexes of records; names that lead to none become findings
 * and are dropped.
 */
errcode_t bfo_names_resolve(struct bfo_tree *tree);

/*
 * Sorts resolved names[] as a kernel lists the volume that they were read from, of which VOLUME is
 * the shape: by hash where a directory is listed by hashes, else by where names stand, which their
 * `hash` (logical block) and `minor` (ascending in it) say.  Names that share both hashes are in
 * the order in which they were read.  Gives every directory its slice.
 */
void bfo_names_list(struct bfo_tree *tree, const struct bfo_target *volume);

/* Going through a directory's sorted slice in readdir order. */
struct bfo_listing {
	uint32_t next, end;		/* positions in names[]; done when they are equal */
	uint32_t tie_first, tie_end;	/* names that share both hashes */
};

static inline struct bfo_listing bfo_listing_begin(const struct bfo_tree *t,
						   const struct bfo_inode *dir)
{
	struct bfo_slice s = bfo_dir_names(t, dir);

	return (struct bfo_listing) { .next = s.first, .end = s.end };
}

/*
 * The position of the next name.  Of names that share both hashes a kernel lists the first, then
 * the last, the last but one ... down to the second (ext4_htree_store_dirent() in fs/ext4/dir.c).
 */
uint32_t bfo_listing_next(const struct bfo_tree *t, struct bfo_listing *l);

#endif
