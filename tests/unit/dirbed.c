// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirbed.c - a directory in memory that is edited, and what has to be in it
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/dirblock.h"
#include "dirbed.h"
#include "fakefs.h"

#define DIR_INO 321
#define PARENT_INO 123
#define GENERATION 0x600dcafe

/* ---- the store ---- */

static errcode_t count_call(struct dirbed *b)
{
	uint32_t i;

	for (i = 0; i < 2; i++)
		memset(b->lent[i], 0xdb, b->m.target.block_size);
	return ++b->calls == b->fail_at ? EIO : 0;
}

static errcode_t peek(void *priv, uint32_t lblk, const void **block)
{
	struct dirbed *b = priv;
	errcode_t err = count_call(b);

	want(lblk < b->n_blocks);
	*block = memcpy(b->lent[b->peeks++ % 2], b->blocks[lblk], b->m.target.block_size);
	return err;
}

static errcode_t get(void *priv, uint32_t lblk, void **block)
{
	struct dirbed *b = priv;
	errcode_t err = count_call(b);

	want(lblk < b->n_blocks);
	*block = b->blocks[lblk];
	b->gets++;
	return err;
}

static errcode_t grow(void *priv, uint32_t lblk, void **block)
{
	struct dirbed *b = priv;
	errcode_t err = count_call(b);

	if (err)
		return err;
	want_eq(lblk, b->n_blocks);
	if (!(b->n_blocks & (b->n_blocks - 1)))
		b->blocks = realloc(b->blocks, 2 * (b->n_blocks + 1) * sizeof(*b->blocks));
	*block = b->blocks[b->n_blocks++] = unit_alloc(b->m.target.block_size);
	memset(*block, 0x77, b->m.target.block_size);
	b->grows++;
	return 0;
}

/* ---- the directory ---- */

static void make_name(struct dirbed_name *n, struct chance *c, uint32_t number, uint32_t len)
{
	n->len = snprintf(n->text, sizeof(n->text), "%x_", number);
	while (n->len < len) {
		n->text[n->len] = chance_bits(c);
		n->len += n->text[n->len] && n->text[n->len] != '/';
	}
	n->ino = 1000 + number;
	n->type = 1 + number % 7;
}

void dirbed_init(struct dirbed *b, struct chance *c, uint32_t n, uint32_t min, uint32_t max)
{
	uint32_t i;

	memset(b, 0, sizeof(*b));
	made_init(&b->m);
	b->names = unit_alloc(n * sizeof(*b->names));
	b->changes = unit_alloc((n + 1) * sizeof(*b->changes));
	b->seen = unit_alloc(n);
	for (i = 0; i < n; i++)
		make_name(&b->names[i], c, i, chance_between(c, min, max));
	b->n = n;
	b->parent = PARENT_INO;
}

void dirbed_free(struct dirbed *b)
{
	while (b->n_blocks)
		free(b->blocks[--b->n_blocks]);
	free(b->blocks);
	free(b->lent[0]);
	free(b->lent[1]);
	free(b->names);
	free(b->changes);
	free(b->image);
	free(b->seen);
	made_free(&b->m);
}

static void begin_inline(struct dirbed *b, uint32_t room)
{
	b->inl = (struct bfo_dir_inline) { .head = b->head, .tail = b->tail, .tail_room = room };
	memset(b->head, 0, sizeof(b->head));
	put_le32(b->head, 0, b->parent);
	put_le16(b->head, 8, 56);
	b->d.inl = &b->inl;
	b->d.flags = EXT4_INLINE_DATA_FL;
	b->d.size = 60;
}

static void begin_block(struct dirbed *b)
{
	uint32_t size = b->m.target.block_size;
	void *block;

	want_ok(grow(b, 0, &block));
	memset(block, 0, size);
	bfo_dirblock_put_dots(block, DIR_INO, b->parent,
			      bfo_dirblock_room(size, b->m.target.has_csum) - 12,
			      b->m.target.has_filetype);
	if (b->m.target.has_csum)
		bfo_dirblock_seal(block, size, bfo_crc32c_inode_seed(b->m.target.csum_seed,
								    DIR_INO, GENERATION));
	b->d.size = size;
}

void dirbed_begin(struct dirbed *b, uint32_t inline_room)
{
	b->store = (struct bfo_dir_store) { .priv = b, .peek = peek, .get = get, .grow = grow };
	b->d = (struct bfo_dir_edit) { .ctx = &b->m.ctx, .target = &b->m.target,
		.store = &b->store, .ino = DIR_INO, .generation = GENERATION };
	b->lent[0] = unit_alloc(b->m.target.block_size);
	b->lent[1] = unit_alloc(b->m.target.block_size);
	if (inline_room == UINT32_MAX)
		begin_block(b);
	else
		begin_inline(b, inline_room);
}

/* ---- changes ---- */

static struct bfo_dir_change *ask(struct dirbed *b, enum bfo_dir_step step, const char *name,
				  uint32_t len)
{
	struct bfo_dir_change *c = &b->changes[b->n_changes++];

	*c = (struct bfo_dir_change) { .step = step, .to = { .name = name, .len = len } };
	return c;
}

static struct bfo_dir_change *ask_name(struct dirbed *b, enum bfo_dir_step step, uint32_t i)
{
	b->names[i].asked = 1;
	return ask(b, step, b->names[i].text, b->names[i].len);
}

void dirbed_insert(struct dirbed *b, uint32_t i)
{
	struct bfo_dir_change *c = ask_name(b, BFO_DIR_INSERT, i);

	c->to.ino = b->names[i].ino;
	c->to.type = b->names[i].type;
}

void dirbed_remove(struct dirbed *b, uint32_t i)
{
	ask_name(b, BFO_DIR_REMOVE, i);
}

void dirbed_point(struct dirbed *b, uint32_t i, uint32_t ino, uint8_t type)
{
	struct bfo_dir_change *c = ask_name(b, BFO_DIR_POINT, i);

	c->to.ino = ino;
	c->to.type = type;
}

void dirbed_parent(struct dirbed *b, uint32_t ino)
{
	ask(b, BFO_DIR_POINT, "..", 2)->to.ino = ino;
}

static uint32_t number_of(const char *text)
{
	return strtoul(text, NULL, 16);
}

static void expect(struct dirbed *b, const struct bfo_dir_change *c)
{
	struct dirbed_name *n = &b->names[number_of(c->to.name)];

	if (c->to.name[0] == '.') {
		b->parent = c->to.ino;
		return;
	}
	b->there += c->step == BFO_DIR_INSERT;
	b->there -= c->step == BFO_DIR_REMOVE;
	n->there = c->step != BFO_DIR_REMOVE;
	if (n->there) {
		n->ino = c->to.ino;
		n->type = c->to.type;
	}
}

errcode_t dirbed_apply(struct dirbed *b)
{
	errcode_t err = bfo_dir_edit_apply(&b->d, b->changes, b->n_changes);
	uint32_t i;

	for (i = 0; i < b->n_changes && !err; i++)
		expect(b, &b->changes[i]);
	for (i = 0; i < b->n; i++)
		b->names[i].asked = 0;
	b->n_changes = 0;
	return err;
}

/* ---- judges ---- */

static uint8_t shown(const struct dirbed *b, const struct dirbed_name *n)
{
	return b->m.target.has_filetype ? n->type : 0;
}

static void see(struct dirbed *b, const char *text, uint32_t len, uint32_t ino, uint32_t type)
{
	uint32_t i = number_of(text);

	want(i < b->n && b->names[i].there && !b->seen[i]);
	want_eq(len, b->names[i].len);
	want_mem(text, b->names[i].text, len);
	want_eq(ino, b->names[i].ino);
	want_eq(type, shown(b, &b->names[i]));
	b->seen[i] = 1;
}

static void see_entry(void *priv, const struct dirview_entry *e)
{
	see(priv, e->name, e->len, e->ino, e->type);
}

static errcode_t see_name(void *priv, const struct bfo_dir_name *n)
{
	see(priv, n->name, n->len, n->ino, n->type);
	return 0;
}

static void want_all(struct dirbed *b)
{
	uint32_t i, seen = 0;

	for (i = 0; i < b->n; i++)
		seen += b->seen[i];
	want_eq(seen, b->there);
	memset(b->seen, 0, b->n);
}

static void look_up(struct dirbed *b, const struct dirview *v, const struct dirbed_name *n)
{
	struct bfo_dir_name name = { .name = n->text, .len = n->len };

	if (v)
		want_eq(dirview_lookup(v, n->text, n->len), n->there ? n->ino : 0);
	want_err(bfo_dir_edit_find(&b->d, &name), n->there ? 0 : BFO_ET_NO_PATH);
	want(!n->there || (name.ino == n->ino && name.type == shown(b, n)));
}

struct dirview dirbed_view(struct dirbed *b)
{
	size_t size = b->m.target.block_size;
	uint32_t i;

	want_eq(b->d.size, b->n_blocks * size);
	free(b->image);
	b->image = unit_alloc(b->n_blocks * size + 1);
	for (i = 0; i < b->n_blocks; i++)
		memcpy(b->image + i * size, b->blocks[i], size);
	return (struct dirview) { .data = b->image, .blocks = b->n_blocks, .used = 1,
		.indexed = b->d.flags == EXT2_INDEX_FL, .ino = DIR_INO, .parent = b->parent,
		.target = &b->m.target };
}

void dirbed_judge(struct dirbed *b, uint32_t every)
{
	int in_inode = b->d.flags & EXT4_INLINE_DATA_FL, empty;
	struct dirview v = { .used = 1 };
	struct bfo_dir_name up = { .name = "..", .len = 2 };
	uint32_t i;

	want_ok(bfo_dir_edit_is_empty(&b->d, &empty));
	want_eq(empty, !b->there);
	want_ok(bfo_dir_edit_each(&b->d, see_name, b));
	want_all(b);
	want_ok(bfo_dir_edit_find(&b->d, &up));
	want_eq(up.ino, b->parent);
	if (!in_inode) {
		v = dirbed_view(b);
		v.fs = fakefs_make(&b->m.target, GENERATION);
		dirview_check(&v);
		dirview_each(&v, see_entry, b);
		want_all(b);
	} else {
		want_eq(b->d.size, 60 + b->inl.tail_len);
		want_eq(b->n_blocks, 0);
	}
	for (i = 0; i < b->n; i += every)
		look_up(b, in_inode ? NULL : &v, &b->names[i]);
	if (v.fs)
		fakefs_free(v.fs);
}
