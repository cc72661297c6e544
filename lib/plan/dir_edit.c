// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_edit.c - a directory that exists, read name by name; dir_apply.c changes it
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "plan/htree.h"

/* Looks for NAME in a region, from byte AT on; *FOUND if it is there. */
static errcode_t search(const struct bfo_dir_edit *d, const uint8_t *data, uint32_t size,
			uint32_t lblk, uint32_t at, struct bfo_dir_name *name, int *found)
{
	struct bfo_dirent e;
	errcode_t err = 0;

	for (; at < size && !err; at += e.rec_len) {
		err = bfo_dir_edit_entry(d, data, size, lblk, at, &e);
		if (err || !e.ino || e.name_len != name->len ||
		    memcmp(e.name, name->name, e.name_len))
			continue;
		name->ino = e.ino;
		name->type = d->target->has_filetype ? e.type : EXT2_FT_UNKNOWN;
		*found = 1;
		return 0;
	}
	return err;
}

static errcode_t search_block(const struct bfo_dir_edit *d, uint32_t lblk, uint32_t at,
			      struct bfo_dir_name *name, int *found)
{
	const uint8_t *block;
	errcode_t err = bfo_dir_edit_names(d, lblk, &block);

	return err ? err : search(d, block, bfo_dir_edit_room(d), lblk, at, name, found);
}

static errcode_t search_inline(const struct bfo_dir_edit *d, struct bfo_dir_name *name, int *found)
{
	const struct bfo_dir_inline *in = d->inl;
	errcode_t err = search(d, in->head + BFO_INLINE_PARENT, BFO_DIR_HEAD, 0, 0, name, found);

	return err || *found ? err : search(d, in->tail, in->tail_len, 0, 0, name, found);
}

static errcode_t search_linear(const struct bfo_dir_edit *d, struct bfo_dir_name *name, int *found)
{
	uint32_t lblk, at, parent;
	errcode_t err = bfo_dir_edit_first(d, &at, &parent);

	for (lblk = 0; lblk < bfo_dir_edit_blocks(d) && !err && !*found; lblk++, at = 0)
		err = search_block(d, lblk, at, name, found);
	return err;
}

static errcode_t search_htree(const struct bfo_dir_edit *d, struct bfo_dir_name *name, int *found)
{
	uint32_t levels, hash, parent, rest = bfo_dir_edit_blocks(d);
	struct bfo_htree_path path;
	struct bfo_htree_hash h;
	int more = 1;
	errcode_t err = bfo_htree_root(d, &levels, &h, &parent);

	if (err)
		return err;
	hash = bfo_htree_hash(&h, name->name, name->len);
	err = bfo_htree_probe(d, levels, hash, &path);
	while (!err && more && rest--) {
		err = search_block(d, path.leaf, 0, name, found);
		if (err || *found)
			break;
		err = bfo_htree_next(d, hash, &path, &more);
	}
	return err;
}

static errcode_t find_parent(const struct bfo_dir_edit *d, struct bfo_dir_name *name)
{
	struct bfo_htree_hash h;
	uint32_t at;
	errcode_t err = 0;

	if (bfo_dir_edit_is_inline(d))
		name->ino = get_le32(d->inl->head, 0);
	else if (bfo_dir_edit_is_indexed(d))
		err = bfo_htree_root(d, &at, &h, &name->ino);
	else
		err = bfo_dir_edit_first(d, &at, &name->ino);
	name->type = d->target->has_filetype ? EXT2_FT_DIR : EXT2_FT_UNKNOWN;
	return err;
}

errcode_t bfo_dir_edit_find(const struct bfo_dir_edit *d, struct bfo_dir_name *name)
{
	errcode_t err = bfo_dir_edit_check(d);
	int found = 0;

	if (err)
		return err;
	if (bfo_dir_name_is_parent(name))
		return find_parent(d, name);
	if (bfo_dir_edit_is_inline(d))
		err = search_inline(d, name, &found);
	else if (bfo_dir_edit_is_indexed(d))
		err = search_htree(d, name, &found);
	else
		err = search_linear(d, name, &found);
	return err || found ? err : BFO_ET_NO_PATH;
}

/* ---- all names ---- */

typedef errcode_t (*take_name)(void *priv, const struct bfo_dir_name *name);

static errcode_t walk(const struct bfo_dir_edit *d, const uint8_t *data, uint32_t size,
		      uint32_t lblk, uint32_t at, take_name take, void *priv)
{
	struct bfo_dirent e;
	errcode_t err = 0;

	for (; at < size && !err; at += e.rec_len) {
		err = bfo_dir_edit_entry(d, data, size, lblk, at, &e);
		if (err || !e.ino)
			continue;
		if (!e.name_len || bfo_dirent_is_dots(&e) || memchr(e.name, '/', e.name_len) ||
		    memchr(e.name, 0, e.name_len))
			return bfo_dir_edit_damaged(d, lblk, at, "a name that cannot be");
		struct bfo_dir_name name = { .name = e.name, .len = e.name_len, .ino = e.ino };

		name.type = d->target->has_filetype ? e.type : EXT2_FT_UNKNOWN;
		err = take(priv, &name);
	}
	return err;
}

static errcode_t walk_inline(const struct bfo_dir_edit *d, take_name take, void *priv)
{
	const struct bfo_dir_inline *in = d->inl;
	errcode_t err = walk(d, in->head + BFO_INLINE_PARENT, BFO_DIR_HEAD, 0, 0, take, priv);

	return err ? err : walk(d, in->tail, in->tail_len, 0, 0, take, priv);
}

/* Block LBLK from byte AT on, copied, as TAKE may use the store.  Nodes have no names. */
static errcode_t walk_block(const struct bfo_dir_edit *d, uint32_t lblk, uint32_t at,
			    uint8_t *copy, take_name take, void *priv)
{
	const uint8_t *block;
	errcode_t err = bfo_dir_edit_peek(d, lblk, &block);

	if (!err && bfo_dir_edit_is_indexed(d) && bfo_htree_is_node(d, block))
		return 0;
	if (!err)
		err = bfo_dir_edit_names(d, lblk, &block);
	if (err)
		return err;
	memcpy(copy, block, d->target->block_size);
	return walk(d, copy, bfo_dir_edit_room(d), lblk, at, take, priv);
}

static errcode_t walk_blocks(const struct bfo_dir_edit *d, take_name take, void *priv)
{
	uint8_t *copy = malloc(d->target->block_size);
	uint32_t lblk = 0, at = 0, parent;
	struct bfo_htree_hash h;
	errcode_t err;

	if (!copy)
		return ENOMEM;
	if (bfo_dir_edit_is_indexed(d))
		err = bfo_htree_root(d, &lblk, &h, &parent);
	else
		err = bfo_dir_edit_first(d, &at, &parent);
	lblk = bfo_dir_edit_is_indexed(d);
	for (; lblk < bfo_dir_edit_blocks(d) && !err; lblk++, at = 0)
		err = walk_block(d, lblk, at, copy, take, priv);
	free(copy);
	return err;
}

errcode_t bfo_dir_edit_each(const struct bfo_dir_edit *d, take_name take, void *priv)
{
	errcode_t err = bfo_dir_edit_check(d);

	if (err)
		return err;
	return bfo_dir_edit_is_inline(d) ? walk_inline(d, take, priv) : walk_blocks(d, take, priv);
}

#define SEEN_ONE ECANCELED	/* ends the walk */

static errcode_t see(void *priv, const struct bfo_dir_name *name)
{
	(void) name;
	*(int *) priv = 0;
	return SEEN_ONE;
}

errcode_t bfo_dir_edit_is_empty(const struct bfo_dir_edit *d, int *empty)
{
	errcode_t err;

	*empty = 1;
	err = bfo_dir_edit_each(d, see, empty);
	return *empty ? err : 0;
}
