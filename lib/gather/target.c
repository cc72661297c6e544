// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target.c - a target's shape and free space, from its superblock and bitmaps
 */
#include <string.h>

#include "base/bfo_err.h"
#include "gather/target.h"
#include "volume/volume.h"

errcode_t bfo_target_free_blocks(const struct bfo_volume *vol, bfo_ranges *out)
{
	uint64_t at = vol->fs->super->s_first_data_block, end = vol->blocks - 1;
	blk64_t first, next;
	errcode_t err = 0;

	while (at <= end && !err) {
		if (ext2fs_find_first_zero_block_bitmap2(vol->fs->block_map, at, end, &first))
			break;
		if (ext2fs_find_first_set_block_bitmap2(vol->fs->block_map, first, end, &next))
			next = end + 1;
		err = bfo_ranges_append(out, first, next - first);
		at = next;
	}
	return err;
}

static errcode_t free_inodes(const struct bfo_volume *vol, bfo_ranges *out)
{
	ext2_ino_t at = EXT2_FIRST_INODE(vol->fs->super), end = vol->fs->super->s_inodes_count;
	ext2_ino_t first, next;
	errcode_t err = 0;

	while (at <= end && !err) {
		if (ext2fs_find_first_zero_inode_bitmap2(vol->fs->inode_map, at, end, &first))
			break;
		if (ext2fs_find_first_set_inode_bitmap2(vol->fs->inode_map, first, end, &next))
			next = end + 1;
		err = bfo_ranges_append(out, first, next - first);
		at = next;
	}
	return err;
}

/* How much of FREE, ascending ranges, lies in [start, start + len); *AT moves along. */
static uint64_t free_within(const bfo_ranges *free, size_t *at, uint64_t start, uint64_t len)
{
	uint64_t sum = 0, end = start + len, lo, hi;
	size_t i = *at;

	for (; i < free->n && free->v[i].start < end; i++) {
		lo = free->v[i].start > start ? free->v[i].start : start;
		hi = free->v[i].start + free->v[i].len;
		sum += (hi < end ? hi : end) - lo;
		if (hi > end)
			break;
	}
	*at = i;
	return sum;
}

/*
 * Bitmaps and descriptors of a healthy target agree.  They must: of a group that is said to have
 * no bitmap yet (BLOCK_UNINIT), the count alone tells whether that is true.
 */
static errcode_t compare_counts(struct bfo_context *ctx, const struct bfo_volume *vol,
				const struct bfo_target *t)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super);
	size_t at_block = 0, at_inode = 0;
	uint64_t first, last;
	dgrp_t g;

	for (g = 0; g < vol->fs->group_desc_count; g++) {
		first = ext2fs_group_first_block2(vol->fs, g);
		last = ext2fs_group_last_block2(vol->fs, g);
		if (free_within(&t->free_blocks, &at_block, first, last - first + 1) !=
		    (uint64_t) ext2fs_bg_free_blocks_count(vol->fs, g) * t->cluster_blocks ||
		    free_within(&t->free_inodes, &at_inode, (uint64_t) g * ipg + 1, ipg) !=
		    ext2fs_bg_free_inodes_count(vol->fs, g))
			return bfo_fail(ctx, BFO_ET_UNHEALTHY, "opening %s: bitmaps and "
					"descriptor of group %u disagree; please run e2fsck -f %s "
					"first", vol->spec, g, vol->spec);
	}
	return 0;
}

void bfo_target_shape(const struct bfo_volume *vol, struct bfo_target *t)
{
	struct ext2_super_block *sb = vol->fs->super;

	memset(t, 0, sizeof(*t));
	t->block_size = vol->block_size;
	t->inode_size = vol->inode_size;
	t->csum_seed = vol->csum_seed;
	t->has_csum = vol->has_csum;
	t->has_dir_index = ext2fs_has_feature_dir_index(sb);
	t->has_dir_nlink = ext2fs_has_feature_dir_nlink(sb);
	t->has_large_dir = ext2fs_has_feature_largedir(sb);
	t->has_huge_file = ext2fs_has_feature_huge_file(sb);
	t->has_extents = ext2fs_has_feature_extents(sb);
	t->has_inline = ext2fs_has_feature_inline_data(sb);
	t->has_encrypt = ext2fs_has_feature_encrypt(sb);
	t->has_verity = ext2fs_has_feature_verity(sb);
	t->encoding = ext2fs_has_feature_casefold(sb) && ext2fs_load_nls_table(sb->s_encoding) ?
		      sb->s_encoding : 0;
	t->is_strict = t->encoding && sb->s_encoding_flags & EXT4_ENC_STRICT_MODE_FL;
	t->has_ea_inode = ext2fs_has_feature_ea_inode(sb);
	t->has_project = ext2fs_has_feature_project(sb);
	t->has_filetype = ext2fs_has_feature_filetype(sb);
	t->cluster_blocks = EXT2FS_CLUSTER_RATIO(vol->fs);
	if (t->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		t->extra_isize = sizeof(struct ext2_inode_large) - EXT2_GOOD_OLD_INODE_SIZE;
	memcpy(t->hash_seed, sb->s_hash_seed, sizeof(t->hash_seed));
	memcpy(t->uuid, sb->s_uuid, sizeof(t->uuid));
	t->hash_version = bfo_volume_hash_version(vol);
	t->hash_stored = sb->s_def_hash_version;
	t->reserved_blocks = ext2fs_r_blocks_count(sb);
	t->blocks = vol->blocks;
	t->inodes = sb->s_inodes_count;
}

void bfo_target_serial(const struct bfo_volume *vol, uint32_t block_size, struct bfo_target *t)
{
	*t = (struct bfo_target) { .hash_version = EXT2_HASH_HALF_MD4 };
	if (vol)
		bfo_target_shape(vol, t);
	t->is_serial = 1;
	t->block_size = block_size;
	t->inode_size = sizeof(struct ext2_inode_large);
	t->cluster_blocks = 1;
	t->has_dir_nlink = t->has_huge_file = t->has_extents = t->has_project = 1;
	t->has_inline = t->has_encrypt = t->has_verity = t->has_ea_inode = 0;
	t->encoding = 0;
}

void bfo_target_archive(const struct bfo_tree *tree, struct bfo_target *t)
{
	t->encoding = tree->encoding;
	t->has_verity = t->has_encrypt = 1;
}

errcode_t bfo_target_gather(struct bfo_context *ctx, const struct bfo_volume *vol,
			    struct bfo_target *t)
{
	errcode_t err;

	bfo_target_shape(vol, t);
	err = bfo_target_free_blocks(vol, &t->free_blocks);
	if (!err)
		err = free_inodes(vol, &t->free_inodes);
	if (err)
		return bfo_fail(ctx, err, "looking for free space in %s", vol->spec);
	return compare_counts(ctx, vol, t);
}

void bfo_target_free(struct bfo_target *t)
{
	bfo_vec_free(&t->free_blocks);
	bfo_vec_free(&t->free_inodes);
}
