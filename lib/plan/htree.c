// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * htree.c - the index of a directory that is edited
 *
 * Of entries only those next to the way are compared: whether all of a node ascend is e2fsck's
 * business.  Searching by halves ends in any order, always before an entry with a higher hash, and
 * whoever inserts between two entries has looked at both.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "plan/htree.h"
#include "plan/names.h"

static uint32_t offset_of(uint32_t level)
{
	return level ? BFO_DX_NODE : BFO_DX_ROOT;
}

static uint32_t most_levels(const struct bfo_dir_edit *d)
{
	return d->target->has_large_dir ? BFO_HTREE_LEVELS : BFO_HTREE_LEVELS - 1;
}

static struct ext2_dx_root_info info_of(const uint8_t *root)
{
	struct ext2_dx_root_info info;

	memcpy(&info, root + BFO_DX_INFO, sizeof(info));
	return info;
}

static errcode_t check_root(const struct bfo_dir_edit *d, const uint8_t *block)
{
	uint32_t size = d->target->block_size;
	struct ext2_dx_root_info info;
	struct bfo_dirent e;
	errcode_t err = bfo_dir_edit_dots(d, block, size, &e);

	if (err)
		return err;
	if (e.rec_len != size - BFO_DIR_DOTDOT || !bfo_dx_root(block, most_levels(d) - 1, &info))
		return bfo_dir_edit_damaged(d, 0, BFO_DX_INFO, "no root of an index");
	return 0;
}

static int read_index(const struct bfo_dir_edit *d, const uint8_t *block, uint32_t offset,
		      struct bfo_dx *n)
{
	return bfo_dx_read(block, d->target->block_size, offset, d->target->has_csum,
			   bfo_dir_edit_seed(d), n);
}

int bfo_htree_is_node(const struct bfo_dir_edit *d, const uint8_t *block)
{
	struct bfo_dx n;

	return bfo_dx_is_node(block, d->target->block_size) &&
	       read_index(d, block, BFO_DX_NODE, &n);
}

static errcode_t check_node(const struct bfo_dir_edit *d, const uint8_t *block, uint32_t lblk,
			    uint32_t level, struct bfo_dx *n)
{
	errcode_t err = level ? 0 : check_root(d, block);

	if (err)
		return err;
	if (level && !bfo_dx_is_node(block, d->target->block_size))
		return bfo_dir_edit_damaged(d, lblk, 0, "no node of an index");
	if (!read_index(d, block, offset_of(level), n))
		return bfo_dir_edit_damaged(d, lblk, offset_of(level), "a damaged index");
	return 0;
}

static errcode_t peek_node(const struct bfo_dir_edit *d, uint32_t lblk, uint32_t level,
			   struct bfo_dx *n)
{
	const uint8_t *block;
	errcode_t err = bfo_dir_edit_peek(d, lblk, &block);

	return err ? err : check_node(d, block, lblk, level, n);
}

/* The node of step LEVEL, to be changed: *BLOCK. */
static errcode_t get_node(const struct bfo_dir_edit *d, const struct bfo_htree_path *path,
			  uint32_t level, uint8_t **block, struct bfo_dx *n)
{
	const struct bfo_htree_step *s = &path->steps[level];
	errcode_t err = bfo_dir_edit_get(d, s->lblk, block);

	if (!err)
		err = check_node(d, *block, s->lblk, level, n);
	if (!err && s->at >= n->count)
		err = bfo_dir_edit_damaged(d, s->lblk, n->offset, "a damaged index");
	return err;
}

static void set_count(const struct bfo_dir_edit *d, uint8_t *block, struct bfo_dx *n,
		      uint32_t count)
{
	n->count = count;
	put_le16(block, n->offset, n->limit);
	put_le16(block, n->offset + 2, count);
	if (d->target->has_csum)
		bfo_dx_seal(block, n->offset, n->limit, count, bfo_dir_edit_seed(d));
}

/* Only the first COUNT entries stay. */
static void cut(const struct bfo_dir_edit *d, uint8_t *block, struct bfo_dx *n, uint32_t count)
{
	memset(block + n->offset + count * BFO_DX_ENTRY, 0, (n->count - count) * BFO_DX_ENTRY);
	set_count(d, block, n, count);
}

/* BLOCK, all zeroes, becomes a node with COUNT entries, which stand at FROM. */
static void make_node(const struct bfo_dir_edit *d, uint8_t *block, const uint8_t *from,
		      uint32_t count)
{
	struct bfo_dx n = { .block = block, .offset = BFO_DX_NODE };

	n.limit = bfo_dx_limit(d->target->block_size, n.offset, d->target->has_csum);
	bfo_dirent_put_rec_len(block, d->target->block_size);
	memcpy(block + n.offset, from, count * BFO_DX_ENTRY);
	set_count(d, block, &n, count);
}

errcode_t bfo_htree_hash_init(struct bfo_htree_hash *h, const struct bfo_dir_edit *d, int version)
{
	int is_unsigned = d->target->hash_version - d->target->hash_stored;

	h->target = *d->target;
	h->target.hash_version = version + is_unsigned;
	return version <= EXT2_HASH_TEA ? 0 :
	       bfo_fail(d->ctx, BFO_ET_FEATURE, "hashing names of directory inode %u: version %d",
			d->ino, version);
}

uint32_t bfo_htree_hash(const struct bfo_htree_hash *h, const char *name, uint32_t len)
{
	uint32_t hash, minor;

	bfo_text_hash(&h->target, 0, name, len, NULL, &hash, &minor);
	return hash;
}

errcode_t bfo_htree_root(const struct bfo_dir_edit *d, uint32_t *levels, struct bfo_htree_hash *h,
			 uint32_t *parent)
{
	struct bfo_dx n;
	errcode_t err = peek_node(d, 0, 0, &n);

	if (err)
		return err;
	*levels = info_of(n.block).indirect_levels + 1;
	*parent = get_le32(n.block, BFO_DIR_DOTDOT);
	return bfo_htree_hash_init(h, d, info_of(n.block).hash_version);
}

/* No block is met twice on the way, and none is the root. */
static errcode_t check_child(const struct bfo_dir_edit *d, const struct bfo_htree_path *path,
			     uint32_t level, uint32_t child)
{
	const struct bfo_htree_step *s = &path->steps[level];
	int bad = child >= bfo_dir_edit_blocks(d);
	uint32_t i;

	for (i = 0; i <= level; i++)
		bad |= child == path->steps[i].lblk;
	return bad ? bfo_dir_edit_damaged(d, s->lblk, offset_of(level) + s->at * BFO_DX_ENTRY,
					  "an index entry that leads nowhere") : 0;
}

/* Step LEVEL, whose node is N, takes entry AT. */
static errcode_t take(const struct bfo_dir_edit *d, struct bfo_htree_path *path, uint32_t level,
		      const struct bfo_dx *n, uint32_t at)
{
	struct bfo_htree_step *s = &path->steps[level];
	const struct bfo_htree_step whole = { .end = BFO_HTREE_END }, *up = level ? s - 1 : &whole;
	uint32_t child = bfo_dx_child(n, at);

	s->at = at;
	s->begin = at && bfo_dx_hash(n, at) > up->begin ? bfo_dx_hash(n, at) : up->begin;
	s->end = at + 1 < n->count && bfo_dx_hash(n, at + 1) < up->end ? bfo_dx_hash(n, at + 1)
									 : up->end;
	if (level + 1 < path->levels)
		path->steps[level + 1].lblk = child;
	else
		path->leaf = child;
	return check_child(d, path, level, child);
}

errcode_t bfo_htree_probe(const struct bfo_dir_edit *d, uint32_t levels, uint32_t hash,
			  struct bfo_htree_path *path)
{
	errcode_t err = 0;
	struct bfo_dx n;
	uint32_t i;

	*path = (struct bfo_htree_path) { .levels = levels };
	for (i = 0; i < levels && !err; i++) {
		err = peek_node(d, path->steps[i].lblk, i, &n);
		if (!err)
			err = take(d, path, i, &n, bfo_dx_find(&n, hash));
	}
	return err;
}

/* The lowest step whose node, N, has another entry. */
static errcode_t turn(const struct bfo_dir_edit *d, const struct bfo_htree_path *path,
		      uint32_t *level, struct bfo_dx *n)
{
	const struct bfo_htree_step *s;
	errcode_t err;

	*level = path->levels;
	do {
		s = &path->steps[--*level];
		err = peek_node(d, s->lblk, *level, n);
	} while (!err && *level && s->at + 1 >= n->count);
	if (!err && s->at + 1 >= n->count)
		err = bfo_dir_edit_damaged(d, 0, BFO_DX_ROOT, "a damaged index");
	return err;
}

errcode_t bfo_htree_next(const struct bfo_dir_edit *d, uint32_t hash, struct bfo_htree_path *path,
			 int *more)
{
	struct bfo_dx n;
	uint32_t i;
	errcode_t err;

	*more = bfo_htree_goes_on(path, hash);
	if (!*more)
		return 0;
	err = turn(d, path, &i, &n);
	if (!err)
		err = take(d, path, i, &n, path->steps[i].at + 1);
	while (!err && ++i < path->levels) {
		err = peek_node(d, path->steps[i].lblk, i, &n);
		if (!err)
			err = take(d, path, i, &n, 0);
	}
	return err;
}

/* An entry behind that of step LEVEL, whose node has room. */
static errcode_t insert_entry(const struct bfo_dir_edit *d, const struct bfo_htree_path *path,
			      uint32_t level, uint32_t hash, uint32_t lblk)
{
	const struct bfo_htree_step *s = &path->steps[level];
	uint8_t *block, *at;
	struct bfo_dx n;
	errcode_t err = get_node(d, path, level, &block, &n);

	if (!err && (hash < s->begin || (hash & ~1U) >= s->end || n.count == n.limit))
		err = bfo_dir_edit_damaged(d, s->lblk, n.offset + s->at * BFO_DX_ENTRY,
					   "names that are not where their hashes belong");
	if (err)
		return err;
	at = block + n.offset + (s->at + 1) * BFO_DX_ENTRY;
	memmove(at + BFO_DX_ENTRY, at, (n.count - s->at - 1) * BFO_DX_ENTRY);
	put_le32(at, 0, hash);
	put_le32(at, 4, lblk);
	set_count(d, block, &n, n.count + 1);
	return 0;
}

/* All that is in the root moves to a new node below it. */
static errcode_t add_level(struct bfo_dir_edit *d, struct bfo_htree_path *path)
{
	struct ext2_dx_root_info info;
	uint8_t *root, *block;
	uint32_t lblk, i;
	struct bfo_dx n;
	errcode_t err = get_node(d, path, 0, &root, &n);

	if (!err && path->levels == most_levels(d))
		err = bfo_fail(d->ctx, BFO_ET_DIR_TOO_BIG, "adding names to directory inode %u: "
			       "its index is full", d->ino);
	if (!err)
		err = bfo_dir_edit_grow(d, &lblk, &block);
	if (err)
		return err;
	make_node(d, block, root + n.offset, n.count);
	info = info_of(root);
	info.indirect_levels++;
	memcpy(root + BFO_DX_INFO, &info, sizeof(info));
	put_le32(root, n.offset + 4, lblk);
	cut(d, root, &n, 1);
	for (i = path->levels++; i; i--)
		path->steps[i] = path->steps[i - 1];
	path->steps[1].lblk = lblk;
	path->steps[0] = (struct bfo_htree_step) { .end = BFO_HTREE_END };
	return 0;
}

/* The upper half of step LEVEL's node moves to a new one; the node above has room for that. */
static errcode_t split_node(struct bfo_dir_edit *d, struct bfo_htree_path *path, uint32_t level)
{
	struct bfo_htree_step *s = &path->steps[level], *up = s - 1;
	uint8_t *block, *fresh;
	uint32_t lblk, half, hash;
	struct bfo_dx n;
	errcode_t err = get_node(d, path, level, &block, &n);

	if (!err)
		err = bfo_dir_edit_grow(d, &lblk, &fresh);
	if (err)
		return err;
	half = n.count / 2;
	hash = bfo_dx_hash(&n, half);
	make_node(d, fresh, block + n.offset + half * BFO_DX_ENTRY, n.count - half);
	cut(d, block, &n, half);
	err = insert_entry(d, path, level - 1, hash, lblk);
	if (s->at >= half) {
		s->lblk = lblk;
		s->at -= half;
		up->at++;
		up->begin = hash;
	} else {
		up->end = hash;
	}
	return err;
}

/* Step LEVEL's node, or what it becomes a part of, has room for an entry; *LEVEL may grow. */
static errcode_t make_room(struct bfo_dir_edit *d, struct bfo_htree_path *path, uint32_t *level)
{
	struct bfo_dx n;
	uint32_t up;
	errcode_t err = peek_node(d, path->steps[*level].lblk, *level, &n);

	if (err || n.count < n.limit)
		return err;
	if (!*level) {
		*level = 1;
		return add_level(d, path);
	}
	up = *level - 1;
	err = make_room(d, path, &up);
	*level = up + 1;
	return err ? err : split_node(d, path, *level);
}

errcode_t bfo_htree_insert(struct bfo_dir_edit *d, struct bfo_htree_path *path, uint32_t hash,
			   uint32_t lblk)
{
	uint32_t level = path->levels - 1;
	errcode_t err = make_room(d, path, &level);

	if (!err)
		err = insert_entry(d, path, level, hash, lblk);
	bfo_htree_last(path)->at++;
	bfo_htree_last(path)->begin = hash;
	path->leaf = lblk;
	return err;
}

void bfo_htree_make_root(const struct bfo_dir_edit *d, uint8_t *block, uint32_t parent,
			 uint32_t leaf, struct bfo_htree_path *path)
{
	struct ext2_dx_root_info info = { .hash_version = d->target->hash_stored,
					  .info_length = sizeof(info) };
	struct bfo_dx n = { .block = block, .offset = BFO_DX_ROOT };

	n.limit = bfo_dx_limit(d->target->block_size, n.offset, d->target->has_csum);
	bfo_dirblock_put_dots(block, d->ino, parent, d->target->block_size - BFO_DIR_DOTDOT,
			      d->target->has_filetype);
	memcpy(block + BFO_DX_INFO, &info, sizeof(info));
	put_le32(block, n.offset + 4, leaf);
	set_count(d, block, &n, 1);
	*path = (struct bfo_htree_path) { .levels = 1, .leaf = leaf,
					  .steps = { { .end = BFO_HTREE_END } } };
}

errcode_t bfo_htree_set_parent(const struct bfo_dir_edit *d, uint32_t parent)
{
	struct bfo_htree_path path = { .levels = 1 };
	uint8_t *block;
	struct bfo_dx n;
	errcode_t err = get_node(d, &path, 0, &block, &n);

	if (err)
		return err;
	put_le32(block, BFO_DIR_DOTDOT, parent);
	set_count(d, block, &n, n.count);
	return 0;
}
