// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_map.c - where the blocks of one of the filesystem's own files lie
 *
 * libext2fs walks the map.  What it finds has to come in the order of the file, block by block,
 * and ends with the file: so the work is bounded by the file's length, whatever a hostile map
 * holds (P8).
 */
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "volume/inode_map.h"

struct walk {
	const struct bfo_volume *vol;
	bfo_map_runs *runs;
	uint32_t next, length;
	errcode_t err;
};

static errcode_t add(struct walk *w, uint64_t blk)
{
	struct bfo_map_run *last = w->next ? &w->runs->v[w->runs->n - 1] : NULL;

	if (last && last->blk + last->len == blk) {
		last->len++;
		w->next++;
		return 0;
	}
	return bfo_vec_push(w->runs, (struct bfo_map_run) { .blk = blk, .at = w->next++,
			    .len = 1 });
}

/* For ext2fs_block_iterate3(): a block of the file, or (count < 0) of its map. */
static int take(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t count, blk64_t ref, int offset,
		void *priv)
{
	struct walk *w = priv;

	(void) fs;
	(void) ref;
	(void) offset;
	if (count < 0) {
		w->err = bfo_media_warm(w->vol, *blk);	/* it is read next */
		return w->err ? BLOCK_ABORT : 0;
	}
	if (w->next == w->length)
		return BLOCK_ABORT;
	if (count != w->next || !bfo_volume_contains(w->vol, *blk, 1))
		w->err = BFO_ET_DAMAGED;
	else
		w->err = add(w, *blk);
	return w->err ? BLOCK_ABORT : 0;
}

errcode_t bfo_inode_map(struct bfo_context *ctx, const struct bfo_volume *vol, uint32_t ino,
			uint32_t max, bfo_map_runs *runs, uint32_t *length)
{
	struct walk w = { .vol = vol, .runs = runs };
	struct ext2_inode inode;
	uint64_t blocks;
	uint32_t byte;
	errcode_t err = BFO_ET_DAMAGED;

	if (ino && ino <= vol->fs->super->s_inodes_count)
		err = bfo_media_warm(vol, bfo_volume_inode_block(vol, ino, &byte));
	if (!err)
		err = ext2fs_read_inode(vol->fs, ino, &inode);
	if (err)
		return bfo_fail(ctx, err, "reading inode %u of %s", ino, vol->spec);
	blocks = EXT2_I_SIZE(&inode) / vol->block_size;
	if (!inode.i_links_count || !S_ISREG(inode.i_mode) ||
	    inode.i_flags & (EXT4_ENCRYPT_FL | EXT4_INLINE_DATA_FL) || !blocks || blocks > max ||
	    blocks > vol->blocks)
		return bfo_fail(ctx, BFO_ET_DAMAGED, "reading inode %u of %s: it is no file of "
				"the filesystem's own", ino, vol->spec);
	w.length = *length = blocks;
	err = ext2fs_block_iterate3(vol->fs, ino, BLOCK_FLAG_READ_ONLY, NULL, take, &w);
	if (w.err)
		err = w.err;
	if (!err && w.next != w.length)
		err = BFO_ET_DAMAGED;
	if (err)
		return bfo_fail(ctx, err, "reading the block map of inode %u of %s (block %u of "
				"the file)", ino, vol->spec, w.next);
	return 0;
}

uint64_t bfo_map_run(const bfo_map_runs *runs, uint32_t at, uint32_t *len)
{
	size_t i = bfo_vec_lower(runs, at, at);

	if (i == runs->n || runs->v[i].at != at)
		i--;
	*len = runs->v[i].at + runs->v[i].len - at;
	return runs->v[i].blk + (at - runs->v[i].at);
}

uint64_t bfo_map_find(const bfo_map_runs *runs, uint32_t at)
{
	uint32_t len;

	return bfo_map_run(runs, at, &len);
}
