// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * own_blocks.c - blocks that belong to the filesystem itself
 */
#include "gather/inode_scan.h"
#include "gather/own_blocks.h"

#define PLACES 6		/* of one group */

struct place {
	uint64_t blk;
	uint32_t len;
};

/* Where things of group G are; returns how many. */
static int places_of(const struct bfo_volume *vol, dgrp_t g, struct place out[PLACES])
{
	ext2_filsys fs = vol->fs;
	uint32_t descs = fs->desc_blocks, reserved = fs->super->s_reserved_gdt_blocks;
	blk64_t super, old_desc, new_desc;
	int n = 0;

	if (ext2fs_has_feature_meta_bg(fs->super) && fs->super->s_first_meta_bg < descs)
		descs = fs->super->s_first_meta_bg;
	if (ext2fs_super_and_bgd_loc2(fs, g, &super, &old_desc, &new_desc, NULL))
		return 0;
	if (super || !g)
		out[n++] = (struct place) { super, 1 };
	if (old_desc)
		out[n++] = (struct place) { old_desc, descs + reserved };
	if (new_desc)
		out[n++] = (struct place) { new_desc, 1 };
	out[n++] = (struct place) { ext2fs_block_bitmap_loc(fs, g), 1 };
	out[n++] = (struct place) { ext2fs_inode_bitmap_loc(fs, g), 1 };
	out[n++] = (struct place) { ext2fs_inode_table_loc(fs, g), fs->inode_blocks_per_group };
	return n;
}

errcode_t bfo_own_groups(const struct bfo_volume *vol,
			 errcode_t (*take)(void *priv, uint64_t blk, uint32_t len), void *priv)
{
	struct place places[PLACES];
	errcode_t err = 0;
	int n, i;
	dgrp_t g;

	for (g = 0; g < vol->fs->group_desc_count && !err; g++) {
		n = places_of(vol, g, places);
		for (i = 0; i < n && !err; i++)
			if (places[i].len)
				err = take(priv, places[i].blk, places[i].len);
	}
	return err;
}

errcode_t bfo_own_inodes(struct bfo_reader *r, struct bfo_tree *tree)
{
	const struct ext2_super_block *sb = r->vol->fs->super;
	const uint32_t all[] = { sb->s_usr_quota_inum, sb->s_grp_quota_inum, sb->s_journal_inum,
				 sb->s_prj_quota_inum, sb->s_orphan_file_inum };
	uint32_t inos[sizeof(all) / sizeof(*all)];
	size_t i, n = 0;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] && all[i] <= sb->s_inodes_count && (!n || all[i] > inos[n - 1]))
			inos[n++] = all[i];
	return n ? bfo_inode_scan_some(r, tree, inos, n) : 0;
}
