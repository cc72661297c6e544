// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backup.c - what a backup of the superblock does not say
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext3_extents.h>

#include "base/bfo_err.h"
#include "volume/backup.h"

#define JOURNAL_MAGIC 0xc03b3998U
#define START_AT 28		/* s_start in the journal's superblock (journal.rst), big endian */

static uint32_t word(const char *block, size_t at)
{
	uint32_t value;

	memcpy(&value, block + at, sizeof(value));
	return ntohl(value);
}

/* The first block of the journal as its inode, RAW, has it; 0 if it says so in other blocks. */
static uint64_t first_block(const struct ext2_inode *raw)
{
	const struct ext3_extent_header *eh = (const void *) raw->i_block;
	const struct ext3_extent *ex = (const void *) (eh + 1);

	if (!(ext2fs_le32_to_cpu(raw->i_flags) & EXT4_EXTENTS_FL))
		return ext2fs_le32_to_cpu(raw->i_block[0]);
	if (ext2fs_le16_to_cpu(eh->eh_magic) != EXT3_EXT_MAGIC || eh->eh_depth ||
	    !eh->eh_entries || ex->ee_block)
		return 0;
	return ext2fs_le32_to_cpu(ex->ee_start) |
	       (uint64_t) ext2fs_le16_to_cpu(ex->ee_start_hi) << 32;
}

errcode_t bfo_backup_check_journal(struct bfo_context *ctx, struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	uint32_t ino = sb->s_journal_inum, byte;
	errcode_t err = 0;
	uint64_t blk;
	char *block;

	if (!vol->media.opt.superblock || !ino || ino > sb->s_inodes_count)
		return 0;
	block = malloc(vol->block_size);
	if (!block)
		return bfo_fail(ctx, ENOMEM, "opening %s", vol->spec);
	blk = bfo_volume_inode_block(vol, ino, &byte);
	if (bfo_volume_contains(vol, blk, 1) && !bfo_volume_read(ctx, vol, blk, 1, block)) {
		blk = first_block((const void *) (block + byte));
		if (bfo_volume_contains(vol, blk, 1) &&
		    !bfo_volume_read(ctx, vol, blk, 1, block) &&
		    word(block, 0) == JOURNAL_MAGIC && word(block, START_AT))
			err = bfo_fail(ctx, BFO_ET_RECOVERY, "opening %s: its journal is not "
				       "empty; run e2fsck -b %llu -B %u %s, on a copy of it if in "
				       "doubt (or see --ignore-journal)", vol->spec,
				       (unsigned long long) vol->media.opt.superblock,
				       vol->block_size, vol->spec);
	}
	free(block);
	return err;
}
