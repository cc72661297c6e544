// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loss.c - what a target cannot hold, as far as records tell
 */
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "plan/loss.h"
#include "tree/access.h"

#define MAP_SHARE 64		/* a block map takes less than 1/64 of what it maps */

/* Bytes of blocks, and the first byte behind the last one. */
static void measure(const struct bfo_plan *plan, const struct bfo_inode *rec, uint64_t *bytes,
		    uint64_t *end)
{
	uint64_t bs = plan->tree->block_size;
	uint32_t i, n = bfo_seg_count(plan->tree, rec);

	*bytes = 0;
	*end = rec->size;
	for (i = 0; i < n; i++) {
		const struct bfo_seg *seg = bfo_seg_of(plan->tree, rec, i);

		if (bfo_seg_unwritten(seg) && !plan->target->has_extents)
			continue;
		*bytes += seg->len * bs;
		if (((uint64_t) seg->lblk + seg->len) * bs > *end)
			*end = ((uint64_t) seg->lblk + seg->len) * bs;
	}
}

/*
 * Extents count blocks of a file in 32 bits; block maps reach as far as three levels do; and
 * i_blocks counts sectors in 32 bits unless there is huge_file.
 */
static int is_too_big(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint64_t bs = plan->target->block_size, n = bs / 4, bytes, end, max = UINT32_MAX * bs;

	measure(plan, rec, &bytes, &end);
	if (!plan->target->has_extents && EXT2_NDIR_BLOCKS + n + n * n + n * n * n < UINT32_MAX)
		max = (EXT2_NDIR_BLOCKS + n + n * n + n * n * n) * bs;
	return end > max || (!plan->target->has_huge_file &&
			     (bytes + bytes / MAP_SHARE) / 512 >= UINT32_MAX);
}

static int is_encrypted(const struct bfo_inode *rec)
{
	return !!(rec->flags & EXT4_ENCRYPT_FL);
}

/* Ciphertext that depends on inode number and UUID (fscrypt.rst, IV_INO_LBLK policies). */
static int is_stable(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	return plan->keep_inodes && !memcmp(plan->target->uuid, plan->tree->uuid, 16) &&
	       bfo_ranges_contain(&plan->target->free_inodes, rec->ino);
}

enum bfo_finding_kind bfo_loss_of_all(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	const struct bfo_target *t = plan->target;

	if (is_encrypted(rec) &&
	    (!t->has_encrypt ||
	     (!t->is_serial && t->block_size != plan->tree->home_block_size)))
		return BFO_LOST_ENCRYPTED;
	if (S_ISDIR(rec->mode) && bfo_dir_has_hashes(rec->flags) &&
	    bfo_loss_flags(t, plan->tree) & EXT4_CASEFOLD_FL)
		return BFO_LOST_ENCRYPTED;	/* whoever has the key would find no name */
	if (is_encrypted(rec) && plan->tree->stable_inodes && !is_stable(plan, rec))
		return BFO_LOST_STABLE;
	if (S_ISLNK(rec->mode) && rec->size >= t->block_size && !t->is_serial)
		return BFO_LOST_SYMLINK;
	if (S_ISREG(rec->mode) && is_too_big(plan, rec))
		return BFO_LOST_SIZE;
	return BFO_FOUND_KINDS;
}

uint32_t bfo_loss_verity_blocks(const struct bfo_target *target)
{
	if (!target->has_verity)
		return 0;
	return target->is_serial ? UINT32_MAX : target->block_size;
}

uint32_t bfo_loss_flags(const struct bfo_target *target, const struct bfo_tree *tree)
{
	uint32_t most = bfo_loss_verity_blocks(target);

	return (most && most >= tree->home_block_size ? 0 : EXT4_VERITY_FL) |
	       (target->encoding && target->encoding == tree->encoding ? 0 : EXT4_CASEFOLD_FL);
}

static int has_unwritten(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint32_t i, n = bfo_seg_count(plan->tree, rec);

	for (i = 0; i < n; i++)
		if (bfo_seg_unwritten(bfo_seg_of(plan->tree, rec, i)))
			return 1;
	return 0;
}

errcode_t bfo_loss_of_parts(struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint32_t flags = bfo_loss_flags(plan->target, plan->tree) & rec->flags;
	errcode_t err = 0;

	if (!S_ISDIR(rec->mode) && !plan->target->has_extents && has_unwritten(plan, rec))
		err = bfo_tree_found(plan->tree, BFO_LOST_PREALLOCATION, rec->ino, 0);
	if (!err && flags & EXT4_VERITY_FL)
		err = bfo_tree_found(plan->tree, BFO_LOST_VERITY, rec->ino, 0);
	if (!err && flags & EXT4_CASEFOLD_FL)
		err = bfo_tree_found(plan->tree, BFO_LOST_CASEFOLD, rec->ino, 0);
	return err;
}
