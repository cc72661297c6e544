// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_xattr.c - a volume that somebody looks at: extended attributes
 *
 * Which there are for users, and in which order, is as a kernel has it: fs/ext4/xattr.c.
 */
#include <errno.h>
#include <linux/limits.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "gather/inode_check.h"
#include "tree/access.h"
#include "tree/acl.h"
#include "view/view.h"

static int is_for_users(const struct bfo_xattr *x, int all)
{
	switch (x->name_index) {
	case BFO_XATTR_USER:
	case BFO_XATTR_ACL_ACCESS:
	case BFO_XATTR_ACL_DEFAULT:
	case BFO_XATTR_SECURITY:
		return 1;
	case BFO_XATTR_TRUSTED:
		return all;
	default:
		return 0;
	}
}

static errcode_t take_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	struct bfo_view *v = priv;

	(void) node;
	(void) at;
	(void) count;
	memcpy(v->block.v, data, v->vol->block_size);
	v->block.n = v->vol->block_size;
	return 0;
}

static errcode_t lose_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	(void) priv;
	(void) node;
	(void) at;
	(void) count;
	return 0;
}

/* The attributes in block BLK, of inode INO, join the set. */
static errcode_t read_block(struct bfo_view *v, uint32_t ino, uint64_t blk)
{
	const struct bfo_sink sink = { .take = take_block, .lost = lose_block, .priv = v };
	const struct bfo_node node = bfo_node_make(blk, 1, 0, 0);
	errcode_t err;

	if (!bfo_volume_contains(v->vol, blk, 1))
		return bfo_view_damaged(v, BFO_FOUND_XATTR_BLOCK, ino, blk);
	v->block.n = 0;
	err = bfo_vec_reserve(&v->block, v->vol->block_size);
	if (!err)
		err = bfo_reader_run(&v->reader, &node, 1, &sink);
	if (err)
		return err;
	if (!v->block.n)
		return bfo_view_damaged(v, BFO_UNREAD_XATTR, ino, blk);
	if (!bfo_ea_block_ok(v->vol, v->block.v, blk))
		return bfo_view_damaged(v, BFO_FOUND_XATTR_BLOCK, ino, blk);
	err = bfo_xattrs_of_block(&v->set, v->block.v, v->vol->block_size);
	return err == BFO_ET_DAMAGED ? bfo_view_damaged(v, BFO_FOUND_XATTR_BLOCK, ino, blk) : err;
}

/* All attributes of NUMBER become the set, which stays until the next one. */
static errcode_t read_set(struct bfo_view *v, uint64_t number)
{
	struct bfo_inode rec;
	const void *raw;
	uint64_t blk;
	errcode_t err;

	v->set.n = v->raw.n = 0;
	if (bfo_view_is_member(number))
		return bfo_view_member_xattrs(v, number);
	err = bfo_view_inode(v, number, &rec, &raw);
	if (!err)
		err = bfo_vec_reserve(&v->raw, v->vol->inode_size);
	if (err)
		return err;
	memcpy(v->raw.v, raw, v->vol->inode_size);
	err = bfo_inode_xattrs_ok(v->vol, v->raw.v) ?
	      bfo_xattrs_of_inode(&v->set, v->raw.v, v->vol->inode_size) : BFO_ET_DAMAGED;
	if (err)
		return err == BFO_ET_DAMAGED ?
		       bfo_view_damaged(v, BFO_FOUND_XATTR_INODE, rec.ino, 0) : err;
	blk = bfo_inode_ea_block((const struct ext2_inode *) v->raw.v);
	return blk ? read_block(v, rec.ino, blk) : 0;
}

errcode_t bfo_view_xattrs(struct bfo_view *v, uint64_t number, int all, bfo_chars *list)
{
	char name[BFO_XATTR_NAME_MAX];
	errcode_t err = read_set(v, number);
	size_t i, len;

	for (i = 0; i < v->set.n && !err; i++) {
		if (!is_for_users(&v->set.v[i], all))
			continue;
		len = bfo_xattr_name(&v->set.v[i], name);
		err = bfo_vec_reserve(list, len + 1);
		if (err)
			break;
		memcpy(list->v + list->n, name, len);
		list->v[list->n + len] = 0;
		list->n += len + 1;
	}
	return err;
}

/* ---- values ---- */

static errcode_t append(bfo_chars *out, const void *bytes, size_t n)
{
	errcode_t err = bfo_vec_reserve(out, n);

	if (err)
		return err;
	memcpy(out->v + out->n, bytes, n);
	out->n += n;
	return 0;
}

/* X, of inode INO, has its value in an inode of its own, whose access time has a hash of it. */
static errcode_t take_value(struct bfo_view *v, uint32_t ino, const struct bfo_xattr *x,
			    bfo_chars *value)
{
	uint64_t bs = v->vol->block_size;
	struct bfo_view_map *map;
	struct bfo_inode rec;
	const void *raw;
	uint32_t hash;
	errcode_t err;

	if (x->size > XATTR_SIZE_MAX)
		return E2BIG;
	err = bfo_view_inode(v, x->inum, &rec, &raw);
	if (!err && (!S_ISREG(rec.mode) || !(rec.flags & EXT4_EA_INODE_FL) ||
		     rec.state & BFO_INODE_INLINE || rec.size != x->size))
		err = bfo_view_damaged(v, BFO_FOUND_XATTR_INODE, ino, 0);
	if (err)
		return err;
	hash = le32(((const struct ext2_inode *) raw)->i_atime);
	err = bfo_view_map(v, &rec, raw, &map);
	if (!err)
		err = bfo_view_blocks(v, map, 0, (x->size + bs - 1) / bs);
	if (!err && bfo_crc32c(v->vol->csum_seed, v->buffer.v, x->size) != hash)
		err = bfo_view_damaged(v, BFO_FOUND_XATTR_INODE, ino, 0);
	return err ? err : append(value, v->buffer.v, x->size);
}

errcode_t bfo_view_xattr(struct bfo_view *v, uint64_t number, const char *name, bfo_chars *value)
{
	char found[BFO_XATTR_NAME_MAX];
	const struct bfo_xattr *x = NULL;
	errcode_t err = read_set(v, number);
	size_t i, len;

	for (i = 0; i < v->set.n && !x && !err; i++) {
		len = bfo_xattr_name(&v->set.v[i], found);
		if (is_for_users(&v->set.v[i], 1) && len == strlen(name) &&
		    !memcmp(found, name, len))
			x = &v->set.v[i];
	}
	if (err || !x)
		return err ? err : ENODATA;
	if (!x->value)
		return take_value(v, number, x, value);
	if (!bfo_xattr_is_acl(x))
		return append(value, x->value, x->size);
	err = bfo_acl_to_xattr(x->value, x->size, value);
	return err == BFO_ET_DAMAGED ? bfo_view_damaged(v, BFO_FOUND_XATTR_INODE, number, 0) : err;
}
