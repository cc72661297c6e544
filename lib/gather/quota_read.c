// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota_read.c - the hidden quota files of a volume, as bytes
 *
 * They are small: libext2fs reads them, block by block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/quota_read.h"

#define LARGEST (1ULL << 31)	/* where e2fsprogs gives up */

struct walk {
	const struct bfo_volume *vol;
	bfo_ranges *blocks;
	uint64_t last;		/* cluster noted before; 0 none: it has the superblock */
	errcode_t err;
};

/* Of a cluster whose blocks follow each other in the file, one call is enough. */
static int note_block(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t lblk, blk64_t ref, int offset,
		      void *priv)
{
	uint32_t ratio = EXT2FS_CLUSTER_RATIO(fs);
	struct walk *w = priv;

	(void) lblk;
	(void) ref;
	(void) offset;
	if (!bfo_volume_contains(w->vol, *blk, 1))
		w->err = BFO_ET_DAMAGED;
	else if (!w->last || *blk / ratio != w->last)
		w->err = bfo_vec_push(w->blocks, (struct bfo_range) { .len = ratio,
				      .start = *blk / ratio * ratio });
	w->last = *blk / ratio;
	return w->err ? BLOCK_ABORT : 0;
}

/* (A file that is longer than its volume would take that much memory.) */
static errcode_t read_bytes(const struct bfo_volume *vol, ext2_file_t file,
			    struct bfo_quota_file *f)
{
	unsigned int got = 0;
	errcode_t err;

	f->size = ext2fs_file_get_size(file);
	if (f->size > LARGEST || f->size / vol->block_size > vol->blocks)
		return BFO_ET_DAMAGED;
	f->data = malloc(f->size + 1);
	if (!f->data)
		return ENOMEM;
	err = ext2fs_file_read(file, f->data, f->size, &got);
	return !err && got != f->size ? BFO_ET_DAMAGED : err;
}

static errcode_t read_one(const struct bfo_volume *vol, struct bfo_quota_file *f)
{
	struct walk w = { .vol = vol, .blocks = &f->blocks };
	ext2_file_t file;
	errcode_t err;

	err = ext2fs_file_open(vol->fs, f->ino, 0, &file);
	if (err)
		return err;
	f->generation = ext2fs_file_get_inode(file)->i_generation;
	err = read_bytes(vol, file, f);
	ext2fs_file_close(file);
	if (!err)
		err = ext2fs_block_iterate3(vol->fs, f->ino, BLOCK_FLAG_READ_ONLY, NULL,
					    note_block, &w);
	return err ? err : w.err;
}

errcode_t bfo_quota_files_read(struct bfo_context *ctx, const struct bfo_volume *vol,
			       struct bfo_quota_file files[BFO_QUOTA_FILES])
{
	const struct ext2_super_block *sb = vol->fs->super;
	const uint32_t inos[] = { sb->s_usr_quota_inum, sb->s_grp_quota_inum,
				  sb->s_prj_quota_inum };
	errcode_t err = 0;
	int i;

	memset(files, 0, BFO_QUOTA_FILES * sizeof(*files));
	if (!ext2fs_has_feature_quota(vol->fs->super))
		return 0;
	for (i = 0; i < BFO_QUOTA_FILES && !err; i++) {
		files[i].ino = inos[i];
		if (!inos[i])
			continue;
		err = read_one(vol, &files[i]);
		if (err)
			bfo_fail(ctx, err, "reading quota file inode %u of %s; please run e2fsck "
				 "-f %s first", inos[i], vol->spec, vol->spec);
	}
	return err && err != ENOMEM ? BFO_ET_DAMAGED : err;
}

void bfo_quota_files_free(struct bfo_quota_file files[BFO_QUOTA_FILES])
{
	int i;

	for (i = 0; i < BFO_QUOTA_FILES; i++) {
		free(files[i].data);
		bfo_vec_free(&files[i].blocks);
	}
	memset(files, 0, BFO_QUOTA_FILES * sizeof(*files));
}
