// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_apply.c - a directory that exists, changed
 *
 *   a region's items, changed, and those inserted there ──┬── fit: it is written again
 *                                                         '── do not: several are written
 *
 * A region that nothing changes in is not written.  Entries keep their order where they fit; what
 * is cut into leaves is sorted by hash.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "plan/dir_items.h"
#include "plan/htree.h"
#include "plan/names.h"

#define LONGEST 264U		/* bytes of an entry */

struct work {
	struct bfo_dir_edit *d;
	struct bfo_dir_change *changes;
	size_t n;
	struct bfo_dir_items items;
	struct bfo_htree_hash hash;	/* of an htree */
	uint64_t bytes;			/* that all names to be inserted take */
	size_t next;			/* linear: changes before that are no inserts, or done */
};

static int is_insert(const struct bfo_dir_change *c)
{
	return c->step == BFO_DIR_INSERT && !c->is_done;
}

/* The next name to be inserted, if there is one. */
static struct bfo_dir_change *next_insert(struct work *w)
{
	while (w->next < w->n && !is_insert(&w->changes[w->next]))
		w->next++;
	return w->next < w->n ? &w->changes[w->next] : NULL;
}

static errcode_t insert_all(struct work *w)
{
	struct bfo_dir_change *c;
	errcode_t err = 0;

	while (!err && (c = next_insert(w)))
		err = bfo_dir_items_insert(&w->items, c);
	return err;
}

/* ---- a block ---- */

/* Begins a block of names; if it is the FIRST of a linear one, behind dots that stand there. */
static struct bfo_dir_shelf begin_block(const struct work *w, uint8_t *block, int first)
{
	struct bfo_dir_shelf s;

	if (first)
		bfo_dirent_put_rec_len(block + BFO_DIR_DOTDOT, BFO_DIR_DOTS - BFO_DIR_DOTDOT);
	bfo_dir_shelf_begin(&s, block, bfo_dir_edit_room(w->d), first ? BFO_DIR_DOTS : 0,
			    first ? BFO_DIR_DOTDOT : 0);
	return s;
}

static void end_block(const struct work *w, struct bfo_dir_shelf *s)
{
	bfo_dir_shelf_end(s);
	bfo_dir_edit_seal(w->d, s->out);
}

/* Another block for what does not fit into that of S. */
static errcode_t another_block(struct work *w, struct bfo_dir_shelf *s, uint32_t *lblk)
{
	uint8_t *block;
	errcode_t err;

	end_block(w, s);
	err = bfo_dir_edit_grow(w->d, lblk, &block);
	if (!err)
		*s = begin_block(w, block, 0);
	return err;
}

/* The items go to BLOCK, FIRST as above, and to new ones behind the last. */
static errcode_t write_linear(struct work *w, uint8_t *block, int first)
{
	struct bfo_dir_shelf s = begin_block(w, block, first);
	uint32_t lblk;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < w->items.v.n && !err; i++) {
		if (!bfo_dir_shelf_fits(&s, w->items.v.v[i].len))
			err = another_block(w, &s, &lblk);
		if (!err)
			bfo_dir_shelf_put(&s, &w->items.v.v[i]);
	}
	end_block(w, &s);
	return err;
}

/* The items, which fit, go to block LBLK. */
static errcode_t write_block(struct work *w, uint32_t lblk, int first)
{
	uint8_t *block;
	errcode_t err = bfo_dir_edit_get(w->d, lblk, &block);

	return err ? err : write_linear(w, block, first);
}

/* ---- an htree ---- */

static void hash_items(struct work *w, size_t n)
{
	struct bfo_dir_item *item = w->items.v.v, *end = item + n;

	for (; item < end; item++)
		item->hash = bfo_htree_hash(&w->hash, item->name, item->len);
}

/* Whoever cuts before item I would cut between names that e2fsck and a kernel hash differently. */
static int is_glued(const struct work *w, size_t i)
{
	return w->items.v.v[i].hash == BFO_HASH_LAST && w->items.v.v[i - 1].hash == BFO_HASH_LAST;
}

/* How many leaves the items are cut into: each has room for an entry on top of its part. */
static uint64_t count_leaves(const struct work *w)
{
	uint32_t room = bfo_dir_edit_room(w->d), most = room / 4 * 3;

	if (most > room - LONGEST)
		most = room - LONGEST;
	return (w->items.bytes + most - 1) / most;
}

static errcode_t next_leaf(struct work *w, struct bfo_htree_path *path, size_t i,
			   struct bfo_dir_shelf *s)
{
	const struct bfo_dir_item *item = &w->items.v.v[i];
	uint32_t lblk;
	errcode_t err = another_block(w, s, &lblk);

	return err ? err : bfo_htree_insert(w->d, path, item->hash |
					    (item->hash == item[-1].hash), lblk);
}

/*
 * The items, all hashed, go to BLOCK, the leaf of PATH, and to new leaves.  An item belongs to the
 * part in which it begins.
 */
static errcode_t spread(struct work *w, struct bfo_htree_path *path, uint8_t *block)
{
	uint64_t parts = count_leaves(w), part = 0, at = 0, in;
	struct bfo_dir_shelf s = begin_block(w, block, 0);
	errcode_t err = 0;
	size_t i;

	bfo_sort(w->items.v.v, w->items.v.n, sizeof(*w->items.v.v), 1);
	for (i = 0; i < w->items.v.n && !err; i++) {
		const struct bfo_dir_item *item = &w->items.v.v[i];

		in = at * parts / w->items.bytes;
		if (!bfo_dir_shelf_fits(&s, item->len) || (in > part && !is_glued(w, i))) {
			err = next_leaf(w, path, i, &s);
			part = in;
		}
		if (!err)
			bfo_dir_shelf_put(&s, item);
		at += bfo_dirent_bytes(item->len);
	}
	end_block(w, &s);
	return err;
}

/* The items become an htree with its root in BLOCK, the first and only one there is. */
static errcode_t make_htree(struct work *w, uint8_t *block, uint32_t parent)
{
	struct bfo_htree_path path;
	uint32_t lblk;
	uint8_t *leaf;
	errcode_t err = bfo_htree_hash_init(&w->hash, w->d, w->d->target->hash_stored);

	w->d->flags |= EXT2_INDEX_FL;
	if (!err)
		err = bfo_dir_edit_grow(w->d, &lblk, &leaf);
	if (err)
		return err;
	hash_items(w, w->items.v.n);
	memset(block, 0, w->d->target->block_size);
	bfo_htree_make_root(w->d, block, parent, lblk, &path);
	return spread(w, &path, leaf);
}

/* Names of the last hash of changes [I, END) may be in the leaves behind that of PATH, too. */
static errcode_t change_further(struct work *w, struct bfo_htree_path path, size_t i, size_t end)
{
	uint32_t hash = w->changes[end - 1].hash, rest = bfo_dir_edit_blocks(w->d);
	errcode_t err = 0;
	int more = 1;

	while (w->changes[i].hash != hash)
		i++;
	w->items.first = i;
	w->items.end = end;
	while (rest-- && !err) {
		err = bfo_htree_next(w->d, hash, &path, &more);
		if (err || !more)
			break;
		err = bfo_dir_items_take_block(&w->items, path.leaf, 0);
		if (!err && w->items.hits)
			err = write_block(w, path.leaf, 0);
	}
	return err;
}

/* Changes [I, END) belong to the leaf of PATH. */
static errcode_t change_leaf(struct work *w, struct bfo_htree_path *path, size_t i, size_t end)
{
	uint8_t *block;
	size_t old;
	errcode_t err;

	w->items.first = i;
	w->items.end = end;
	err = bfo_dir_items_take_block(&w->items, path->leaf, 0);
	if (!err && bfo_htree_is_node(w->d, w->items.copy))
		err = bfo_dir_edit_damaged(w->d, path->leaf, 0, "a node in place of a leaf");
	old = w->items.v.n;
	for (; i < end && !err; i++)
		if (is_insert(&w->changes[i]))
			err = bfo_dir_items_insert(&w->items, &w->changes[i]);
	if (err || (!w->items.hits && w->items.v.n == old))
		return err;
	if (w->items.bytes <= bfo_dir_edit_room(w->d))
		return write_block(w, path->leaf, 0);
	hash_items(w, old);
	err = bfo_dir_edit_get(w->d, path->leaf, &block);
	return err ? err : spread(w, path, block);
}

/* Changes from *I on that belong to one leaf; *I is the next one then. */
static errcode_t change_group(struct work *w, uint32_t *levels, size_t *i)
{
	struct bfo_htree_path path;
	size_t end = *i + 1;
	errcode_t err = bfo_htree_probe(w->d, *levels, w->changes[*i].hash, &path);

	if (err)
		return err;
	while (end < w->n && w->changes[end].hash < bfo_htree_last(&path)->end)
		end++;
	if (bfo_htree_goes_on(&path, w->changes[end - 1].hash))
		err = change_further(w, path, *i, end);
	if (!err)
		err = change_leaf(w, &path, *i, end);
	*levels = path.levels;
	*i = end;
	return err;
}

static errcode_t change_htree(struct work *w)
{
	uint32_t levels, parent;
	size_t i;
	errcode_t err = bfo_htree_root(w->d, &levels, &w->hash, &parent);

	if (err)
		return err;
	for (i = 0; i < w->n; i++)
		w->changes[i].hash = bfo_htree_hash(&w->hash, w->changes[i].to.name,
						    w->changes[i].to.len);
	bfo_sort(w->changes, w->n, sizeof(*w->changes), 1);
	err = bfo_dir_items_init(&w->items, w->d, w->changes, w->n);
	for (i = 0; i < w->n && w->items.left && !err;)
		err = change_group(w, &levels, &i);
	return err;
}

/* ---- linear and inline ---- */

/* The items are all there is, and BLOCK is the first and only one. */
static errcode_t settle(struct work *w, uint8_t *block, uint32_t parent)
{
	const struct bfo_target *t = w->d->target;

	if (w->items.bytes + BFO_DIR_DOTS > bfo_dir_edit_room(w->d) && t->has_dir_index)
		return make_htree(w, block, parent);
	bfo_dirblock_put_dots(block, w->d->ino, parent, BFO_DIR_DOTS - BFO_DIR_DOTDOT,
			      t->has_filetype);
	return write_linear(w, block, 1);
}

static errcode_t change_only_block(struct work *w, uint32_t at, uint32_t parent)
{
	uint8_t *block;
	errcode_t err = bfo_dir_items_take_block(&w->items, 0, at);

	if (err || (!w->items.hits && !w->bytes))
		return err;
	err = insert_all(w);
	if (!err)
		err = bfo_dir_edit_get(w->d, 0, &block);
	return err ? err : settle(w, block, parent);
}

/* One of several blocks takes as many of the next names as it has room for. */
static errcode_t change_block(struct work *w, uint32_t lblk, uint32_t at)
{
	uint64_t room = bfo_dir_edit_room(w->d) - (lblk ? 0 : BFO_DIR_DOTS);
	struct bfo_dir_change *c;
	size_t old;
	errcode_t err = bfo_dir_items_take_block(&w->items, lblk, at);

	old = w->items.v.n;
	while (!err && (c = next_insert(w)) &&
	       w->items.bytes + bfo_dirent_bytes(c->to.len) <= room)
		err = bfo_dir_items_insert(&w->items, c);
	if (err || (!w->items.hits && w->items.v.n == old))
		return err;
	return write_block(w, lblk, !lblk);
}

/* What is left goes behind the last block. */
static errcode_t append_blocks(struct work *w)
{
	uint8_t *block;
	uint32_t lblk;
	errcode_t err;

	if (!next_insert(w))
		return 0;
	bfo_dir_items_drop(&w->items);
	err = insert_all(w);
	if (!err)
		err = bfo_dir_edit_grow(w->d, &lblk, &block);
	return err ? err : write_linear(w, block, 0);
}

/* That no name is there yet is only known when all blocks were read. */
static errcode_t change_linear(struct work *w)
{
	uint32_t blocks = bfo_dir_edit_blocks(w->d), lblk, at, parent;
	errcode_t err = bfo_dir_items_init(&w->items, w->d, w->changes, w->n);

	if (!err)
		err = bfo_dir_edit_first(w->d, &at, &parent);
	if (err)
		return err;
	if (w->bytes)
		w->d->flags &= ~EXT2_INDEX_FL;	/* set without the feature: no index any more */
	if (blocks == 1)
		return change_only_block(w, at, parent);
	for (lblk = 0; lblk < blocks && (w->items.left || w->bytes) && !err; lblk++, at = 0)
		err = change_block(w, lblk, at);
	return err ? err : append_blocks(w);
}

/*
 * Items that fit nowhere else go to the second region.  If that has to grow, it takes all the room
 * there is: a kernel lets none grow that is not empty.  Returns 0 if the items do not fit.
 */
static int write_inline(struct work *w)
{
	struct bfo_dir_inline *in = w->d->inl;
	struct bfo_dir_shelf head, tail;
	size_t i;

	bfo_dir_shelf_begin(&head, in->head + BFO_INLINE_PARENT, BFO_DIR_HEAD, 0, 0);
	bfo_dir_shelf_begin(&tail, in->tail, in->tail_room / 4 * 4, 0, 0);
	for (i = 0; i < w->items.v.n; i++) {
		const struct bfo_dir_item *item = &w->items.v.v[i];
		struct bfo_dir_shelf *s = bfo_dir_shelf_fits(&head, item->len) ? &head : &tail;

		if (!bfo_dir_shelf_fits(s, item->len))
			return 0;
		bfo_dir_shelf_put(s, item);
	}
	bfo_dir_shelf_end(&head);
	if (tail.at > in->tail_len)
		in->tail_len = in->tail_room / 4 * 4;
	tail.size = in->tail_len;
	if (tail.size)
		bfo_dir_shelf_end(&tail);
	w->d->size = BFO_INLINE_HEAD + in->tail_len;
	return 1;
}

/* Both regions, copied, become items. */
static errcode_t take_inline(struct work *w)
{
	const struct bfo_dir_inline *in = w->d->inl;
	uint8_t *head = w->items.copy, *tail = head + BFO_INLINE_HEAD;
	errcode_t err;

	if (in->tail_len > in->tail_room ||
	    in->tail_len > w->d->target->block_size - BFO_INLINE_HEAD)
		return bfo_dir_edit_damaged(w->d, 0, BFO_INLINE_HEAD, "more than an inode holds");
	memcpy(head, in->head, BFO_INLINE_HEAD);
	memcpy(tail, in->tail, in->tail_len);
	err = bfo_dir_items_take(&w->items, head + BFO_INLINE_PARENT, BFO_DIR_HEAD, 0, 0);
	return err ? err : bfo_dir_items_take(&w->items, tail, in->tail_len, 0, 0);
}

static errcode_t change_inline(struct work *w)
{
	uint8_t *block;
	uint32_t lblk;
	errcode_t err = bfo_dir_items_init(&w->items, w->d, w->changes, w->n);

	if (!err)
		err = take_inline(w);
	if (err || (!w->items.hits && !w->bytes))
		return err;
	err = insert_all(w);
	if (err || write_inline(w))
		return err;
	w->d->flags &= ~EXT4_INLINE_DATA_FL;
	w->d->size = 0;
	err = bfo_dir_edit_grow(w->d, &lblk, &block);
	return err ? err : settle(w, block, get_le32(w->items.copy, 0));
}

/* ---- all ---- */

static errcode_t set_parent(const struct bfo_dir_edit *d, uint32_t parent)
{
	uint32_t at, before;
	uint8_t *block;
	errcode_t err;

	if (bfo_dir_edit_is_inline(d)) {
		put_le32(d->inl->head, 0, parent);
		return 0;
	}
	if (bfo_dir_edit_is_indexed(d))
		return bfo_htree_set_parent(d, parent);
	err = bfo_dir_edit_first(d, &at, &before);
	if (!err)
		err = bfo_dir_edit_get(d, 0, &block);
	if (err)
		return err;
	put_le32(block, BFO_DIR_DOTDOT, parent);
	bfo_dir_edit_seal(d, block);
	return 0;
}

/* ".." is no entry among others. */
static errcode_t change_parent(struct work *w)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < w->n && !err; i++) {
		struct bfo_dir_change *c = &w->changes[i];

		c->is_done = bfo_dir_name_is_parent(&c->to) && c->step == BFO_DIR_POINT;
		if (c->is_done)
			err = set_parent(w->d, c->to.ino);
		else if (c->step == BFO_DIR_INSERT)
			w->bytes += bfo_dirent_bytes(c->to.len);
	}
	return err;
}

/* What was not found. */
static errcode_t check_done(const struct work *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (!w->changes[i].is_done)
			return bfo_dir_edit_fail(w->d, BFO_ET_NO_PATH, "looking for",
						 &w->changes[i].to);
	return 0;
}

errcode_t bfo_dir_edit_apply(struct bfo_dir_edit *d, struct bfo_dir_change *changes, size_t n)
{
	struct work w = { .d = d, .changes = changes, .n = n };
	errcode_t err = bfo_dir_edit_check(d);

	if (!err)
		err = change_parent(&w);
	if (!err && bfo_dir_edit_is_inline(d))
		err = change_inline(&w);
	else if (!err && bfo_dir_edit_is_indexed(d))
		err = change_htree(&w);
	else if (!err)
		err = change_linear(&w);
	bfo_dir_items_free(&w.items);
	return err ? err : check_done(&w);
}
