// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_items.c - internal to dir_edit: changes by name, and what a block holds once they are made
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bfo_err.h"
#include "base/keyed_hash.h"
#include "plan/dir_items.h"

#define TABLE_LEAST 16U

/* The index of a change stands below its mark. */
#define MARK 0xffffffff00000000ULL

/* The change that is about this name; or NULL: *AT is where one would stand. */
static struct bfo_dir_change *find(const struct bfo_dir_items *it, const char *name, size_t len,
				   uint64_t *mark, size_t *at)
{
	uint64_t hash = bfo_keyed_hash(it->key, name, len);
	struct bfo_dir_change *c;

	*mark = hash & MARK;
	for (*at = hash & (it->size - 1); it->table[*at]; *at = (*at + 1) & (it->size - 1)) {
		if ((it->table[*at] & MARK) != *mark)
			continue;
		c = &it->changes[(uint32_t) it->table[*at] - 1];
		if (c->to.len == len && !memcmp(c->to.name, name, len))
			return c;
	}
	return NULL;
}

static void add_change(struct bfo_dir_items *it, size_t i)
{
	const struct bfo_dir_change *c = &it->changes[i], *twice;
	uint64_t mark;
	size_t at;

	assert(c->to.len && c->to.len <= EXT2_NAME_LEN);
	if (c->is_done)
		return;
	twice = find(it, c->to.name, c->to.len, &mark, &at);
	assert(!twice);
	it->table[at] = mark | (i + 1);
	it->left++;
}

errcode_t bfo_dir_items_init(struct bfo_dir_items *it, const struct bfo_dir_edit *d,
			     struct bfo_dir_change *changes, size_t n)
{
	size_t i;

	*it = (struct bfo_dir_items) { .d = d, .changes = changes, .end = n,
				       .size = TABLE_LEAST };
	if (n >= UINT32_MAX)
		return BFO_ET_OVERFLOW;
	if (getrandom(it->key, sizeof(it->key), 0) != sizeof(it->key))
		return errno;
	while (it->size < 2 * n)
		it->size *= 2;
	it->table = calloc(it->size, sizeof(*it->table));
	it->copy = malloc(d->target->block_size);
	if (!it->table || !it->copy)
		return ENOMEM;
	for (i = 0; i < n; i++)
		add_change(it, i);
	return 0;
}

void bfo_dir_items_free(struct bfo_dir_items *it)
{
	free(it->table);
	free(it->copy);
	bfo_vec_free(&it->v);
}

static uint8_t shown_type(const struct bfo_dir_items *it, uint8_t type)
{
	return it->d->target->has_filetype ? type : 0;
}

static errcode_t push(struct bfo_dir_items *it, struct bfo_dir_item item)
{
	it->bytes += bfo_dirent_bytes(item.len);
	return bfo_vec_push(&it->v, item);
}

/* Change C is about ITEM, which stands in the directory; *KEEP: it stays. */
static errcode_t change(struct bfo_dir_items *it, struct bfo_dir_change *c, uint32_t lblk,
			uint32_t at, struct bfo_dir_item *item, int *keep)
{
	if (c->step == BFO_DIR_INSERT)
		return bfo_dir_edit_fail(it->d, BFO_ET_CLASH, "adding", &c->to);
	if (c->is_done)
		return bfo_dir_edit_damaged(it->d, lblk, at, "a name that is there twice");
	*keep = c->step == BFO_DIR_POINT;
	item->ino = c->to.ino;
	item->type = shown_type(it, c->to.type);
	c->is_done = 1;
	it->left--;
	it->hits++;
	return 0;
}

errcode_t bfo_dir_items_take(struct bfo_dir_items *it, const uint8_t *data, uint32_t size,
			     uint32_t lblk, uint32_t at)
{
	struct bfo_dir_change *c;
	struct bfo_dirent e;
	errcode_t err = 0;
	uint64_t mark;
	size_t slot;
	int keep;

	for (; at < size && !err; at += e.rec_len) {
		err = bfo_dir_edit_entry(it->d, data, size, lblk, at, &e);
		if (err || !e.ino)
			continue;
		struct bfo_dir_item item = { .ino = e.ino, .name = e.name, .len = e.name_len,
					     .type = e.type };

		keep = 1;
		c = find(it, e.name, e.name_len, &mark, &slot);
		if (c && c >= it->changes + it->first && c < it->changes + it->end)
			err = change(it, c, lblk, at, &item, &keep);
		if (!err && keep)
			err = push(it, item);
	}
	return err;
}

errcode_t bfo_dir_items_take_block(struct bfo_dir_items *it, uint32_t lblk, uint32_t at)
{
	const uint8_t *block;
	errcode_t err = bfo_dir_edit_names(it->d, lblk, &block);

	if (err)
		return err;
	memcpy(it->copy, block, it->d->target->block_size);
	bfo_dir_items_drop(it);
	return bfo_dir_items_take(it, it->copy, bfo_dir_edit_room(it->d), lblk, at);
}

errcode_t bfo_dir_items_insert(struct bfo_dir_items *it, struct bfo_dir_change *c)
{
	c->is_done = 1;
	it->left--;
	return push(it, (struct bfo_dir_item) {
		.hash = c->hash, .ino = c->to.ino, .name = c->to.name, .len = c->to.len,
		.type = shown_type(it, c->to.type) });
}

void bfo_dir_shelf_begin(struct bfo_dir_shelf *s, uint8_t *out, uint32_t size, uint32_t at,
			 uint32_t last)
{
	*s = (struct bfo_dir_shelf) { .out = out, .size = size, .at = at, .last = last };
	memset(out + at, 0, size - at);
}

void bfo_dir_shelf_put(struct bfo_dir_shelf *s, const struct bfo_dir_item *i)
{
	assert(bfo_dir_shelf_fits(s, i->len));
	bfo_dirent_put(s->out + s->at, i->ino, bfo_dirent_bytes(i->len), i->name, i->len, i->type);
	s->last = s->at;
	s->at += bfo_dirent_bytes(i->len);
}

void bfo_dir_shelf_end(struct bfo_dir_shelf *s)
{
	bfo_dirent_put_rec_len(s->out + s->last, s->size - s->last);
}
