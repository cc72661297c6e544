// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inline.c - small files, symbolic links and directories that stand in their inode
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "plan/inline.h"
#include "tree/access.h"

#define MAGIC_AND_END 8U		/* of the room for attributes */
#define DATA_ENTRY 20U			/* of system.data, without its value */

/* Beside INSIDE bytes of attributes. */
static uint32_t room_beside(const struct bfo_target *t, uint32_t inside)
{
	uint32_t room = t->inode_size - EXT2_GOOD_OLD_INODE_SIZE - t->extra_isize;
	uint32_t used = MAGIC_AND_END + DATA_ENTRY + inside;

	return !t->has_inline || room < used ? 0 : BFO_INLINE_HEAD + (room - used) / 4 * 4;
}

uint32_t bfo_inline_most(const struct bfo_target *target)
{
	return room_beside(target, 0);
}

uint32_t bfo_inline_room(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	if (!plan->tree->repacked)
		return 0;
	return room_beside(plan->target,
			   rec->ea == BFO_NONE ? 0 : plan->tree->eas.v[rec->ea].inside);
}

/* Content in one written block from the beginning on, and nothing else. */
static int has_one_piece(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	const struct bfo_seg *seg = bfo_seg_of(plan->tree, rec, 0);

	return bfo_seg_count(plan->tree, rec) == 1 && !seg->lblk && seg->len == 1 &&
	       bfo_seg_is_moved(seg);
}

/*
 * e2fsck 1.47 overlooks both of inline symbolic links: their attribute blocks, and what is charged.
 */
static int is_overlooked(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	int has_block = rec->ea != BFO_NONE && !plan->tree->eas.v[rec->ea].no_block;

	return S_ISLNK(rec->mode) && (has_block || plan->charges);
}

int bfo_inline_fits(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	const uint32_t never = EXT4_ENCRYPT_FL | EXT4_VERITY_FL | EXT4_EA_INODE_FL |
			       EXT3_JOURNAL_DATA_FL;

	if (!(S_ISREG(rec->mode) || S_ISLNK(rec->mode)) || rec->state & BFO_INODE_FAST ||
	    rec->flags & never || bfo_inline_room(plan, rec) < BFO_INLINE_HEAD ||
	    rec->size > bfo_inline_room(plan, rec))
		return 0;
	if (is_overlooked(plan, rec))
		return 0;
	if (plan->tree->inline_data)
		return !!(rec->state & BFO_INODE_INLINE);
	return has_one_piece(plan, rec);
}

uint32_t bfo_inline_dir(const struct bfo_dirimage *img, uint32_t room, uint8_t *out)
{
	uint32_t parent = ext2fs_cpu_to_le32(img->parent), bytes, mid, end;

	if (room < BFO_INLINE_HEAD)
		return 0;
	mid = bfo_dirimage_fit(img, img->first, BFO_INLINE_HEAD - BFO_INLINE_PARENT, &bytes);
	end = bfo_dirimage_fit(img, mid, room - BFO_INLINE_HEAD, &bytes);
	if (end < img->end)
		return 0;
	if (!out)
		return BFO_INLINE_HEAD + bytes;
	memcpy(out, &parent, BFO_INLINE_PARENT);
	bfo_dirimage_region(img, out + BFO_INLINE_PARENT,
			    BFO_INLINE_HEAD - BFO_INLINE_PARENT, img->first, mid);
	if (bytes)
		bfo_dirimage_region(img, out + BFO_INLINE_HEAD, bytes, mid, end);
	return BFO_INLINE_HEAD + bytes;
}
