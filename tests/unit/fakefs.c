// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fakefs.c - a libext2fs handle with nothing behind it
 *
 * libext2fs reads an inode's generation before it computes a checksum; the read_inode hook hands
 * it over without a device.
 */
#include <stdlib.h>
#include <string.h>

#include "fakefs.h"
#include "unit.h"

static errcode_t read_inode(ext2_filsys fs, ext2_ino_t ino, struct ext2_inode *inode)
{
	(void) ino;
	memset(inode, 0, sizeof(*inode));
	inode->i_generation = *(uint32_t *) fs->priv_data;
	return 0;
}

ext2_filsys fakefs_make(const struct bfo_target *target, uint32_t generation)
{
	ext2_filsys fs = unit_alloc(sizeof(*fs));
	struct ext2_super_block *sb = unit_alloc(sizeof(*sb));

	sb->s_magic = EXT2_SUPER_MAGIC;
	sb->s_rev_level = EXT2_DYNAMIC_REV;
	sb->s_inode_size = target->inode_size;
	sb->s_log_block_size = __builtin_ctz(target->block_size / 1024);
	ext2fs_set_feature_filetype(sb);
	ext2fs_set_feature_extents(sb);
	if (target->has_csum)
		ext2fs_set_feature_metadata_csum(sb);
	fs->magic = EXT2_ET_MAGIC_EXT2FS_FILSYS;
	fs->super = sb;
	fs->blocksize = target->block_size;
	fs->csum_seed = target->csum_seed;
	fs->read_inode = read_inode;
	fs->priv_data = unit_copy(&generation, sizeof(generation));
	return fs;
}

void fakefs_free(ext2_filsys fs)
{
	free(fs->priv_data);
	free(fs->super);
	free(fs);
}
