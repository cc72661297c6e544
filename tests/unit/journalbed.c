// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journalbed.c - a small volume whose journal is in a certain format, and a writer to it
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "volume/open.h"
#include "copyjob.h"
#include "journalbed.h"

static void fill_free(const struct journalbed *b)
{
	size_t bytes = JOURNALBED_FREE_MIB * MIB, at = JOURNALBED_MIB * MIB - bytes;
	char *path = unit_path(b->name), *pattern = unit_alloc(bytes);
	int fd = open(path, O_WRONLY);

	memset(pattern, JOURNALBED_PATTERN, bytes);
	want(fd >= 0 && pwrite(fd, pattern, bytes, at) == (ssize_t) bytes);
	want(!close(fd));
	free(pattern);
	free(path);
}

/* Without backups all metadata is before the last quarter. */
void journalbed_make(struct journalbed *b, const char *name, uint32_t bs,
		     const struct journalbed_format *format)
{
	char command[300];

	memset(b, 0, sizeof(*b));
	b->name = name;
	b->bs = bs;
	snprintf(command, sizeof(command), "mke2fs -q -F -t ext4 -b %u -O ^resize_inode,"
		 "sparse_super2%s%s -N 64 -J size=%u -E lazy_itable_init=1,num_backup_sb=0 '%%s' %uM > /dev/null 2>&1", bs,
		 *format->features ? "," : "", format->features, bs / 1024, JOURNALBED_MIB);
	want_eq(copyjob_try("rm -f '%s'", name), 0);
	want_eq(copyjob_try(command, name), 0);
	fill_free(b);
	if (format->incompat & (BFO_JBD2_INCOMPAT_CSUM_V2 | BFO_JBD2_INCOMPAT_CSUM_V3))
		journalbed_patch(b, BFO_JBD2_SB_CSUM_TYPE, (uint32_t) BFO_JBD2_CSUM_CRC32C << 24);
	journalbed_patch(b, BFO_JBD2_SB_INCOMPAT, format->incompat);
	journalbed_patch(b, BFO_JBD2_SB_COMPAT, format->compat);
	journalbed_patch(b, BFO_JBD2_H_TYPE, format->type);
}

void journalbed_patch(struct journalbed *b, uint32_t at, uint32_t value)
{
	char *path = unit_path(b->name), *block = unit_alloc(b->bs);
	uint32_t incompat;
	ext2_filsys fs;
	blk64_t blk;

	want_ok(ext2fs_open(path, EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs));
	want_ok(ext2fs_bmap2(fs, EXT2_JOURNAL_INO, NULL, NULL, 0, 0, NULL, &blk));
	want_ok(io_channel_read_blk64(fs->io, blk, 1, block));
	bfo_jbd2_put32(block, at, value);
	if (bfo_jbd2_get32(block, BFO_JBD2_H_TYPE) == BFO_JBD2_SUPER_V1)
		memset(block + BFO_JBD2_SB_COMPAT, 0, b->bs - BFO_JBD2_SB_COMPAT);
	incompat = bfo_jbd2_get32(block, BFO_JBD2_SB_INCOMPAT);
	if (at != BFO_JBD2_SB_CSUM && bfo_jbd2_has_csum(incompat))
		bfo_jbd2_put32(block, BFO_JBD2_SB_CSUM,
			       bfo_jbd2_block_csum(~0U, block, BFO_JBD2_SB_BYTES,
						   BFO_JBD2_SB_CSUM));
	want_ok(io_channel_write_blk64(fs->io, blk, 1, block));
	want_ok(ext2fs_close_free(&fs));
	free(block);
	free(path);
}

void journalbed_open(struct journalbed *b)
{
	char *path = unit_path(b->name);

	want_ok(bfo_volume_open(&b->ctx, path, BFO_OPEN_TARGET, io_log_manager, &b->vol));
	want_ok(bfo_writer_open(&b->w, &b->ctx, b->vol, NULL));
	free(path);
}

void journalbed_close(struct journalbed *b)
{
	want_ok(bfo_writer_close(&b->w));
	bfo_volume_close(b->vol);
	b->vol = NULL;
}

void journalbed_recover(struct journalbed *b)
{
	struct ext2_super_block sb = b->w.super;

	ext2fs_set_feature_journal_needs_recovery(&sb);
	want_ok(bfo_writer_super(&b->w, &sb));
	want_ok(bfo_writer_flush(&b->w));
}

uint64_t journalbed_free(const struct journalbed *b, uint64_t *len)
{
	*len = JOURNALBED_FREE_MIB * MIB / b->bs;
	return JOURNALBED_MIB * MIB / b->bs - *len;
}

void *journalbed_block(const struct journalbed *b, uint64_t blk)
{
	char *path = unit_path(b->name), *block = unit_alloc(b->bs);
	int fd = open(path, O_RDONLY);

	want(fd >= 0 && pread(fd, block, b->bs, blk * b->bs) == (ssize_t) b->bs);
	close(fd);
	free(path);
	return block;
}

uint64_t journalbed_place(const struct journalbed *b, uint64_t lblk)
{
	blk64_t blk;

	want_ok(ext2fs_bmap2(b->vol->fs, EXT2_JOURNAL_INO, NULL, NULL, 0, lblk, NULL, &blk));
	return blk;
}
