// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_blocks.c - internal to dir_edit: the blocks of its store, with what is so of all of them
 */
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "plan/dir_blocks.h"
#include "plan/dirimage.h"

errcode_t bfo_dir_edit_damaged(const struct bfo_dir_edit *d, uint32_t lblk, uint32_t at,
			       const char *what)
{
	return bfo_fail(d->ctx, BFO_ET_DAMAGED, "reading directory inode %u: %s, at byte %u of its "
			"block %u", d->ino, what, at, lblk);
}

errcode_t bfo_dir_edit_fail(const struct bfo_dir_edit *d, errcode_t err, const char *what,
			    const struct bfo_dir_name *name)
{
	char text[4 * EXT2_NAME_LEN + 1];

	return bfo_fail(d->ctx, err, "%s name '%s' of directory inode %u", what,
			bfo_text_escape(name->name, name->len, text, sizeof(text)), d->ino);
}

errcode_t bfo_dir_edit_check(const struct bfo_dir_edit *d)
{
	if (d->flags & (EXT4_CASEFOLD_FL | EXT4_ENCRYPT_FL))
		return bfo_fail(d->ctx, BFO_ET_FEATURE, "reading directory inode %u: it is %s",
				d->ino, d->flags & EXT4_ENCRYPT_FL ? "encrypted" : "casefolded");
	if (bfo_dir_edit_is_inline(d))
		return 0;
	if (!d->size || d->size % d->target->block_size ||
	    d->size / d->target->block_size > UINT32_MAX)
		return bfo_fail(d->ctx, BFO_ET_DAMAGED, "reading directory inode %u: a size of "
				"%llu bytes", d->ino, (unsigned long long) d->size);
	return 0;
}

uint32_t bfo_dir_edit_seed(const struct bfo_dir_edit *d)
{
	return bfo_crc32c_inode_seed(d->target->csum_seed, d->ino, d->generation);
}

static errcode_t check_place(const struct bfo_dir_edit *d, uint32_t lblk)
{
	return lblk < bfo_dir_edit_blocks(d)
		       ? 0 : bfo_dir_edit_damaged(d, lblk, 0, "there is no such block");
}

errcode_t bfo_dir_edit_peek(const struct bfo_dir_edit *d, uint32_t lblk, const uint8_t **block)
{
	errcode_t err = check_place(d, lblk);
	const void *bytes;

	if (!err)
		err = d->store->peek(d->store->priv, lblk, &bytes);
	if (!err)
		*block = bytes;
	return err;
}

errcode_t bfo_dir_edit_get(const struct bfo_dir_edit *d, uint32_t lblk, uint8_t **block)
{
	errcode_t err = check_place(d, lblk);
	void *bytes;

	if (!err)
		err = d->store->get(d->store->priv, lblk, &bytes);
	if (!err)
		*block = bytes;
	return err;
}

errcode_t bfo_dir_edit_grow(struct bfo_dir_edit *d, uint32_t *lblk, uint8_t **block)
{
	uint32_t last = bfo_dir_edit_is_indexed(d) ? BFO_DIR_LAST_INDEXED : UINT32_MAX - 1;
	uint64_t size = d->size + d->target->block_size;
	errcode_t err;
	void *bytes;

	*lblk = bfo_dir_edit_blocks(d);
	if (*lblk > last || (!d->target->has_large_dir && size > BFO_DIR_MOST))
		return bfo_fail(d->ctx, BFO_ET_DIR_TOO_BIG, "adding a block to directory inode %u",
				d->ino);
	err = d->store->grow(d->store->priv, *lblk, &bytes);
	if (err)
		return err;
	*block = memset(bytes, 0, d->target->block_size);
	d->size = size;
	return 0;
}

errcode_t bfo_dir_edit_names(const struct bfo_dir_edit *d, uint32_t lblk, const uint8_t **block)
{
	uint32_t size = d->target->block_size;
	errcode_t err = bfo_dir_edit_peek(d, lblk, block);

	if (!err && d->target->has_csum &&
	    !bfo_dirblock_is_sealed(*block, size, bfo_dir_edit_seed(d)))
		err = bfo_dir_edit_damaged(d, lblk, size - BFO_DIR_TAIL, "a wrong checksum");
	return err;
}

void bfo_dir_edit_seal(const struct bfo_dir_edit *d, uint8_t *block)
{
	if (d->target->has_csum)
		bfo_dirblock_seal(block, d->target->block_size, bfo_dir_edit_seed(d));
}

errcode_t bfo_dir_edit_entry(const struct bfo_dir_edit *d, const uint8_t *data, uint32_t size,
			     uint32_t lblk, uint32_t at, struct bfo_dirent *e)
{
	if (!bfo_dirent_read(data, size, at, e))
		return bfo_dir_edit_damaged(d, lblk, at, "an entry that cannot be");
	if (e->ino > d->target->inodes)
		return bfo_dir_edit_damaged(d, lblk, at, "an inode number that cannot be");
	return 0;
}

errcode_t bfo_dir_edit_dots(const struct bfo_dir_edit *d, const uint8_t *block, uint32_t size,
			    struct bfo_dirent *e)
{
	errcode_t err = bfo_dir_edit_entry(d, block, size, 0, 0, e);

	if (!err && (e->ino != d->ino || e->name_len != 1 || e->name[0] != '.' ||
		     e->rec_len != BFO_DIR_DOTDOT))
		err = bfo_dir_edit_damaged(d, 0, 0, "no '.'");
	if (!err)
		err = bfo_dir_edit_entry(d, block, size, 0, BFO_DIR_DOTDOT, e);
	if (!err && (!e->ino || e->name_len != 2 || !bfo_dirent_is_dots(e)))
		err = bfo_dir_edit_damaged(d, 0, BFO_DIR_DOTDOT, "no '..'");
	return err;
}

errcode_t bfo_dir_edit_first(const struct bfo_dir_edit *d, uint32_t *at, uint32_t *parent)
{
	struct bfo_dirent e;
	const uint8_t *block;
	errcode_t err = bfo_dir_edit_names(d, 0, &block);

	if (!err)
		err = bfo_dir_edit_dots(d, block, bfo_dir_edit_room(d), &e);
	if (err)
		return err;
	*at = BFO_DIR_DOTDOT + e.rec_len;
	*parent = e.ino;
	return 0;
}
