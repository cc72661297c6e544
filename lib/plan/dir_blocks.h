/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_blocks.h - internal to dir_edit: the blocks of its store, with what is so of all of them
 *
 * Errors: BFO_ET_DAMAGED, BFO_ET_DIR_TOO_BIG, those of the store.
 */
#ifndef BFO_PLAN_DIR_BLOCKS_H
#define BFO_PLAN_DIR_BLOCKS_H

#include "base/dirblock.h"
#include "plan/dir_edit.h"
#include "plan/inline.h"

/* Bytes for entries in i_block. */
#define BFO_DIR_HEAD (BFO_INLINE_HEAD - BFO_INLINE_PARENT)

#define BFO_DIR_LAST_INDEXED 0x0fffffffU	/* the largest number of a block in an index */

/* BFO_ET_DAMAGED, and why: WHAT is at byte AT of block LBLK. */
errcode_t bfo_dir_edit_damaged(const struct bfo_dir_edit *d, uint32_t lblk, uint32_t at,
			       const char *what);

/* Is D one that is not refused?  BFO_ET_FEATURE, BFO_ET_DAMAGED. */
errcode_t bfo_dir_edit_check(const struct bfo_dir_edit *d);

/* ERR, as WHAT ("adding") was done to NAME. */
errcode_t bfo_dir_edit_fail(const struct bfo_dir_edit *d, errcode_t err, const char *what,
			    const struct bfo_dir_name *name);

/* The seed of its checksums. */
uint32_t bfo_dir_edit_seed(const struct bfo_dir_edit *d);

/* How many blocks it has. */
static inline uint32_t bfo_dir_edit_blocks(const struct bfo_dir_edit *d)
{
	return d->size / d->target->block_size;
}

static inline int bfo_dir_edit_is_inline(const struct bfo_dir_edit *d)
{
	return !!(d->flags & EXT4_INLINE_DATA_FL);
}

/* As is_dx() in the kernel: one without the feature is linear, whatever its flags. */
static inline int bfo_dir_edit_is_indexed(const struct bfo_dir_edit *d)
{
	return d->flags & EXT2_INDEX_FL && d->target->has_dir_index && !bfo_dir_edit_is_inline(d);
}

/* Block LBLK, if there is one, to be read or to be changed; and a new one, all zeroes. */
errcode_t bfo_dir_edit_peek(const struct bfo_dir_edit *d, uint32_t lblk, const uint8_t **block);
errcode_t bfo_dir_edit_get(const struct bfo_dir_edit *d, uint32_t lblk, uint8_t **block);
errcode_t bfo_dir_edit_grow(struct bfo_dir_edit *d, uint32_t *lblk, uint8_t **block);

/* Block LBLK of names, peeked at, whose checksum is right. */
errcode_t bfo_dir_edit_names(const struct bfo_dir_edit *d, uint32_t lblk, const uint8_t **block);
/* The checksum of a block of names, which has changed. */
void bfo_dir_edit_seal(const struct bfo_dir_edit *d, uint8_t *block);

/* Bytes for entries in a block of names. */
static inline uint32_t bfo_dir_edit_room(const struct bfo_dir_edit *d)
{
	return bfo_dirblock_room(d->target->block_size, d->target->has_csum);
}

/*
 * The entry at byte AT of a region of SIZE bytes at DATA, in block LBLK: one that can be, with an
 * inode number that there is.
 */
errcode_t bfo_dir_edit_entry(const struct bfo_dir_edit *d, const uint8_t *data, uint32_t size,
			     uint32_t lblk, uint32_t at, struct bfo_dirent *e);

/* "." and ".." at the beginning of the first block, whose names have SIZE bytes: *E is "..". */
errcode_t bfo_dir_edit_dots(const struct bfo_dir_edit *d, const uint8_t *block, uint32_t size,
			    struct bfo_dirent *e);

static inline int bfo_dir_name_is_parent(const struct bfo_dir_name *name)
{
	return name->len == 2 && name->name[0] == '.' && name->name[1] == '.';
}

/* Where names begin in the first block of a linear one, behind ".."; and who that is. */
errcode_t bfo_dir_edit_first(const struct bfo_dir_edit *d, uint32_t *at, uint32_t *parent);

#endif
