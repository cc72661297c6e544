// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * directory.c - names of a directory, as the volume has them and as they have become
 *
 *   find, each   blocks as they stand (windows), and the entries over them
 *   settle       pages: copies of the blocks that change, and new ones behind them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "edit/directory.h"
#include "edit/eas.h"
#include "edit/filemap.h"
#include "edit/indexed.h"
#include "gather/inode_check.h"
#include "plan/inline.h"

#define DOT_BYTES 12U			/* an entry with a name of one byte */
#define ENTRY_BYTES 12U			/* an entry, at most, without its name */
#define TAIL_BYTES 12U			/* of a block with a checksum */
#define TAIL_TYPE 0xdeU
#define FREE_AT 4U			/* of inline data: where entries begin */

/* A directory whose names are looked for, or changed. */
struct listing {
	struct bfo_edit *e;
	struct bfo_draft *d;
	struct bfo_dir_store store;
	struct bfo_dir_edit edit;
	struct bfo_dir_inline inl;
	BFO_VEC(char *) pages;		/* of changed and new blocks; NULL: as it stands */
	uint32_t blocks;		/* that the directory has on the volume */
};

static errcode_t block_of(struct listing *l, uint32_t lblk, uint64_t *blk)
{
	size_t i = bfo_filemap_find(l->d, lblk);
	const struct bfo_seg *s = bfo_vec_at(&l->d->segs, i);

	if (i == l->d->segs.n || s->lblk > lblk || bfo_seg_unwritten(s))
		return bfo_fail(l->e->ctx, BFO_ET_DAMAGED, "reading directory %u of %s: it has no "
				"block %u", l->d->ino, l->e->vol->spec, lblk);
	*blk = (bfo_seg_blk(s) & ~BFO_SEG_FRESH) + (lblk - s->lblk);
	return 0;
}

static errcode_t peek(void *priv, uint32_t lblk, const void **block)
{
	struct listing *l = priv;
	uint64_t blk;
	errcode_t err;

	if (lblk < l->pages.n && l->pages.v[lblk]) {
		*block = l->pages.v[lblk];
		return 0;
	}
	err = block_of(l, lblk, &blk);
	return err ? err : bfo_windows_block(&l->e->windows, blk, block);
}

static errcode_t get(void *priv, uint32_t lblk, void **block)
{
	struct listing *l = priv;
	const void *data;
	errcode_t err = peek(priv, lblk, &data);

	if (!err && !l->pages.v[lblk]) {
		l->pages.v[lblk] = malloc(l->e->vol->block_size);
		if (!l->pages.v[lblk])
			return ENOMEM;
		memcpy(l->pages.v[lblk], data, l->e->vol->block_size);
	}
	*block = err ? NULL : l->pages.v[lblk];
	return err;
}

static errcode_t grow(void *priv, uint32_t lblk, void **block)
{
	struct listing *l = priv;
	errcode_t err;

	if (lblk != l->pages.n)
		return BFO_ET_DAMAGED;
	*block = calloc(1, l->e->vol->block_size);
	err = *block ? bfo_vec_push(&l->pages, *block) : ENOMEM;
	if (err)
		free(*block);
	return err;
}

static errcode_t refuse(const struct listing *l)
{
	uint32_t flags = bfo_draft_flags(l->d);
	errcode_t err = flags & EXT4_ENCRYPT_FL ? BFO_ET_ENCRYPTED :
			flags & EXT4_CASEFOLD_FL ? BFO_ET_CASEFOLD : 0;

	return err ? bfo_fail(l->e->ctx, err, "looking into directory with inode %u; mount it for "
			      "that", l->d->ino) : 0;
}

static errcode_t begin_inline(struct listing *l)
{
	const void *tail = NULL;

	l->inl.head = (uint8_t *) l->d->raw->i_block;
	l->inl.tail_len = bfo_inode_inline_tail(l->e->vol, l->d->raw, &tail);
	l->inl.tail = calloc(1, l->e->vol->inode_size);
	if (!l->inl.tail)
		return ENOMEM;
	if (l->inl.tail_len)
		memcpy(l->inl.tail, tail, l->inl.tail_len);
	l->edit.inl = &l->inl;
	return 0;
}

/* All of a directory is mapped: its size is none to rely on otherwise. */
static errcode_t check_size(const struct listing *l)
{
	const bfo_segs *segs = &l->d->segs;
	uint64_t bs = l->e->vol->block_size, mapped = 0;
	size_t i;

	for (i = 0; i < segs->n; i++)
		mapped += segs->v[i].len * bs;
	if (l->d->is_new || bfo_draft_is_inline(l->d) || (l->edit.size && l->edit.size % bs == 0 &&
							   l->edit.size <= mapped))
		return 0;
	return bfo_fail(l->e->ctx, BFO_ET_DAMAGED, "reading directory %u of %s: its size is wrong",
			l->d->ino, l->e->vol->spec);
}

static errcode_t begin(struct listing *l, struct bfo_edit *e, struct bfo_draft *d)
{
	uint64_t size = bfo_draft_size(d);
	errcode_t err;

	memset(l, 0, sizeof(*l));
	l->e = e;
	l->d = d;
	l->store = (struct bfo_dir_store) { .priv = l, .peek = peek, .get = get, .grow = grow };
	l->edit = (struct bfo_dir_edit) { .ctx = e->ctx, .target = &e->shape, .store = &l->store,
					  .ino = d->ino, .size = size, .flags = bfo_draft_flags(d),
					  .generation = le32(d->raw->i_generation) };
	l->blocks = bfo_draft_is_inline(d) ? 0 : size / e->vol->block_size;
	err = refuse(l);
	if (!err)
		err = bfo_draft_map(e, d);
	if (!err)
		err = check_size(l);
	if (!err && bfo_draft_is_inline(d))
		err = begin_inline(l);
	return err;
}

static void end(struct listing *l)
{
	size_t i;

	for (i = 0; i < l->pages.n; i++)
		free(l->pages.v[i]);
	bfo_vec_free(&l->pages);
	free(l->inl.tail);
}

/* ---- looking ---- */

static errcode_t entries_of(struct bfo_edit *e, struct bfo_draft *d)
{
	if (d->entries)
		return 0;
	d->entries = calloc(1, sizeof(*d->entries));
	return d->entries ? bfo_indexes_look(e, d) : ENOMEM;
}

/* What the volume has of NAME; an inode number 0 is none. */
static errcode_t find(struct bfo_edit *e, struct bfo_draft *d, struct bfo_dir_name *name)
{
	struct listing l;
	errcode_t err;

	name->ino = name->type = 0;
	if (d->is_new)
		return 0;
	err = begin(&l, e, d);
	if (!err)
		err = bfo_dir_edit_find(&l.edit, name);
	end(&l);
	if (err == BFO_ET_NO_PATH) {
		name->ino = 0;
		err = 0;
	}
	return err;
}

errcode_t bfo_directory_entry(struct bfo_edit *e, struct bfo_draft *d, const char *name,
			      uint32_t len, struct bfo_entry **entry)
{
	struct bfo_dir_name found = { .name = name, .len = len };
	errcode_t err = entries_of(e, d);

	if (err)
		return err;
	*entry = bfo_entries_find(d->entries, name, len);
	if (*entry)
		return 0;
	err = find(e, d, &found);
	return err ? err : bfo_entries_add(d->entries, name, len, found.ino, found.type, entry);
}

/* Up to MORE blocks of D change, as far as there are any that do not yet. */
static void count_blocks(struct bfo_edit *e, struct bfo_draft *d, uint32_t more)
{
	uint64_t most = d->is_new ? 0 : bfo_draft_size(d) / e->vol->block_size;

	for (; more && d->counted < most; more--) {
		d->counted++;
		e->n_dirs++;
	}
}

void bfo_directory_point(struct bfo_edit *e, struct bfo_draft *d, struct bfo_entry *entry,
			 const struct bfo_draft *draft)
{
	entry->ino = draft ? draft->ino : 0;
	if (draft) {
		entry->type = e->shape.has_filetype ? bfo_dirent_type(bfo_draft_mode(draft)) : 0;
		e->name_bytes += ENTRY_BYTES + entry->len;
	}
	count_blocks(e, d, draft ? 2 : 1);
	bfo_indexes_count(e, d, entry);
	bfo_draft_change(e, d);
}

struct each {
	struct bfo_entries *entries;
	errcode_t (*take)(void *priv, const struct bfo_dir_name *name);
	void *priv;
};

static errcode_t take_standing(void *priv, const struct bfo_dir_name *name)
{
	struct each *x = priv;

	if (x->entries && bfo_entries_find(x->entries, name->name, name->len))
		return 0;
	return x->take(x->priv, name);
}

static int is_dots(const char *name, uint32_t len)
{
	return len <= 2 && name[0] == '.' && (len == 1 || name[1] == '.');
}

errcode_t bfo_directory_each(struct bfo_edit *e, struct bfo_draft *d,
			     errcode_t (*take)(void *priv, const struct bfo_dir_name *name),
			     void *priv)
{
	struct each x = { .entries = d->entries, .take = take, .priv = priv };
	struct listing l;
	errcode_t err = 0;
	size_t i;

	for (i = 0; d->entries && i < d->entries->list.n && !err; i++) {
		const struct bfo_entry *entry = &d->entries->list.v[i];
		struct bfo_dir_name name = { .name = bfo_entry_name(d->entries, entry),
					     .len = entry->len, .ino = entry->ino,
					     .type = entry->type };

		if (entry->ino && !is_dots(name.name, name.len))
			err = take(priv, &name);
	}
	if (err || d->is_new)
		return err;
	err = begin(&l, e, d);
	if (!err)
		err = bfo_dir_edit_each(&l.edit, take_standing, &x);
	end(&l);
	return err;
}

static errcode_t take_any(void *priv, const struct bfo_dir_name *name)
{
	(void) name;
	*(int *) priv = 0;
	return BFO_ET_NOT_EMPTY;
}

errcode_t bfo_directory_is_empty(struct bfo_edit *e, struct bfo_draft *d, int *empty)
{
	errcode_t err;

	*empty = 1;
	err = bfo_directory_each(e, d, take_any, empty);
	return err == BFO_ET_NOT_EMPTY && !*empty ? 0 : err;
}

/* ---- changing ---- */

errcode_t bfo_directory_set_parent(struct bfo_edit *e, struct bfo_draft *d, uint32_t ino)
{
	struct bfo_entry *entry;
	errcode_t err = bfo_directory_entry(e, d, "..", 2, &entry);

	if (err)
		return err;
	entry->ino = ino;
	count_blocks(e, d, 1);
	bfo_draft_change(e, d);
	return 0;
}

errcode_t bfo_directory_begin(struct bfo_edit *e, struct bfo_draft *d, uint32_t parent)
{
	struct bfo_entry *entry;
	errcode_t err = entries_of(e, d);

	if (!err)
		err = bfo_entries_add(d->entries, "..", 2, 0, EXT2_FT_DIR, &entry);
	if (!err)
		entry->ino = parent;
	return err;
}

static void put_entry(const struct bfo_edit *e, void *at, uint32_t ino, uint32_t rec_len,
		      const char *name)
{
	struct bfo_disk_dirent *x = at;

	x->ino = to_le32(ino);
	x->rec_len = to_le16(rec_len);
	x->name_len = strlen(name);
	x->type = e->shape.has_filetype ? EXT2_FT_DIR : 0;
	memcpy(x + 1, name, strlen(name));
}

/* "." and "..", and nothing else. */
static errcode_t first_block(struct listing *l, uint32_t parent)
{
	uint32_t bs = l->e->vol->block_size, rest = bs - DOT_BYTES, crc;
	errcode_t err;
	void *at;
	char *block;

	err = grow(l, 0, &at);
	if (err)
		return err;
	block = at;
	l->edit.size = bs;
	if (l->e->shape.has_csum)
		rest -= TAIL_BYTES;
	put_entry(l->e, block, l->d->ino, DOT_BYTES, ".");
	put_entry(l->e, block + DOT_BYTES, parent, rest, "..");
	if (!l->e->shape.has_csum)
		return 0;
	put_le16(block, bs - TAIL_BYTES + 4, TAIL_BYTES);
	block[bs - TAIL_BYTES + 7] = (char) TAIL_TYPE;
	crc = bfo_crc32c_inode_seed(l->e->shape.csum_seed, l->d->ino, l->edit.generation);
	put_le32(block, bs - 4, bfo_crc32c(crc, block, bs - TAIL_BYTES));
	return 0;
}

static errcode_t first_inline(struct listing *l, uint32_t parent)
{
	uint32_t flags = bfo_draft_flags(l->d) | EXT4_INLINE_DATA_FL;

	l->d->raw->i_flags = to_le32(flags);
	l->edit.flags = flags;
	l->edit.size = BFO_INLINE_HEAD;
	memset(l->d->raw->i_block, 0, BFO_INLINE_HEAD);
	put_le32(l->d->raw->i_block, 0, parent);
	put_le16(l->d->raw->i_block, FREE_AT + 4, BFO_INLINE_HEAD - FREE_AT);
	return begin_inline(l);
}

static uint32_t parent_of(struct bfo_draft *d)
{
	return bfo_entries_find(d->entries, "..", 2)->ino;
}

/* The most that may stand behind i_block, beside the attributes that D has. */
static errcode_t measure_room(struct listing *l)
{
	uint32_t most = bfo_inline_most(&l->e->shape);
	errcode_t err = 0;
	int fits = 0;

	for (; most > BFO_INLINE_HEAD + l->inl.tail_len && !fits && !err; most -= fits ? 0 : 4)
		err = bfo_draft_put_inline(l->e, l->d, NULL, most, &fits);
	l->inl.tail_room = most > BFO_INLINE_HEAD ? most - BFO_INLINE_HEAD : 0;
	return err;
}

static errcode_t prepare(struct listing *l)
{
	errcode_t err = 0;

	if (l->d->is_new && l->e->shape.has_inline)
		err = first_inline(l, parent_of(l->d));
	else if (l->d->is_new)
		err = first_block(l, parent_of(l->d));
	else
		err = bfo_vec_reserve(&l->pages, l->blocks);
	if (!err && !l->d->is_new && l->blocks) {
		memset(l->pages.v, 0, l->blocks * sizeof(*l->pages.v));
		l->pages.n = l->blocks;
	}
	return err || !l->edit.inl ? err : measure_room(l);
}

/* What has to change, as plan/dir_edit wants to know it. */
static errcode_t list_changes(struct listing *l, struct bfo_dir_change **out, size_t *count)
{
	const struct bfo_entries *s = l->d->entries;
	size_t i, n = 0;

	*out = malloc((s->list.n + 1) * sizeof(**out));
	if (!*out)
		return ENOMEM;
	for (i = 0; i < s->list.n; i++) {
		const struct bfo_entry *x = &s->list.v[i];
		const char *name = bfo_entry_name(s, x);

		if (x->ino == x->was || (l->d->is_new && is_dots(name, x->len)))
			continue;
		(*out)[n++] = (struct bfo_dir_change) {
			.to = { .name = name, .len = x->len, .ino = x->ino, .type = x->type },
			.step = !x->was ? BFO_DIR_INSERT : x->ino ? BFO_DIR_POINT : BFO_DIR_REMOVE,
		};
	}
	*count = n;
	return 0;
}

/* New blocks in the rest of the last cluster, which the directory has already. */
static void use_cluster(struct listing *l, uint32_t *lblk)
{
	struct bfo_draft *d = l->d;
	uint32_t ratio = l->e->shape.cluster_blocks;
	struct bfo_seg *last = d->segs.n ? &d->segs.v[d->segs.n - 1] : NULL;

	while (last && *lblk < l->pages.n && *lblk % ratio && last->lblk + last->len == *lblk) {
		last->len++;
		++*lblk;
		d->is_remapped = 1;
	}
}

/* Places for the new blocks from LBLK on. */
static errcode_t place_new(struct listing *l, uint32_t lblk)
{
	uint64_t n = l->pages.n - lblk, at = 0, blk, got;
	bfo_ranges pieces = { 0 };
	errcode_t err = n ? bfo_rooms_seek(&l->e->supply.rooms, n) : 0;

	for (; at < n && !err; at += got) {
		err = bfo_supply_take(&l->e->supply, n - at, &blk, &got);
		if (!err)
			err = bfo_vec_push(&pieces, (struct bfo_range) { .start = blk,
									 .len = got });
	}
	if (!err && n)
		err = bfo_filemap_put(l->e, l->d, lblk, UINT32_MAX, &pieces, n);
	bfo_vec_free(&pieces);
	return err;
}

static errcode_t write_new(struct listing *l)
{
	uint32_t lblk, room;
	errcode_t err = 0;
	uint64_t blk;
	void *to;

	for (lblk = l->blocks; lblk < l->pages.n && !err; lblk++) {
		err = block_of(l, lblk, &blk);
		if (!err)
			err = bfo_outflow_room(&l->e->out, blk, 1, &to, &room);
		if (!err)
			memcpy(to, l->pages.v[lblk], l->e->vol->block_size);
	}
	return err;
}

/* Blocks that stood there before: their new images become the transaction's. */
static errcode_t hand_over(struct listing *l, bfo_images *images)
{
	errcode_t err = 0;
	uint32_t lblk;
	uint64_t blk;

	for (lblk = 0; lblk < l->blocks && !err; lblk++) {
		if (!l->pages.v[lblk])
			continue;
		err = block_of(l, lblk, &blk);
		if (!err)
			err = bfo_vec_push(images, (struct bfo_image) { .blk = blk,
								.data = l->pages.v[lblk] });
		if (!err)
			l->pages.v[lblk] = NULL;
	}
	return err;
}

static errcode_t keep_inline(struct listing *l)
{
	uint32_t size = BFO_INLINE_HEAD + l->inl.tail_len;
	char *content = malloc(size);
	errcode_t err = content ? 0 : ENOMEM;
	int fits = 0;

	if (!err) {
		memcpy(content, l->inl.head, BFO_INLINE_HEAD);
		memcpy(content + BFO_INLINE_HEAD, l->inl.tail, l->inl.tail_len);
		err = bfo_draft_put_inline(l->e, l->d, content, size, &fits);
	}
	free(content);
	return err || fits ? err : BFO_ET_DAMAGED;
}

static errcode_t settle_blocks(struct listing *l, bfo_images *images)
{
	uint32_t lblk = l->blocks;
	errcode_t err = 0;

	if (bfo_draft_is_inline(l->d))
		err = bfo_draft_leave_inode(l->e, l->d);
	use_cluster(l, &lblk);
	if (!err)
		err = place_new(l, lblk);
	if (!err)
		err = write_new(l);
	return err ? err : hand_over(l, images);
}

static errcode_t settle(struct listing *l, bfo_images *images)
{
	struct bfo_dir_change *changes = NULL;
	uint32_t flags;
	size_t n;
	errcode_t err = prepare(l);

	if (!err)
		err = list_changes(l, &changes, &n);
	if (!err && n)
		err = bfo_dir_edit_apply(&l->edit, changes, n);
	free(changes);
	if (!err && l->edit.flags & EXT4_INLINE_DATA_FL)
		err = keep_inline(l);
	else if (!err)
		err = settle_blocks(l, images);
	if (err)
		return err;
	flags = bfo_draft_flags(l->d) & ~EXT2_INDEX_FL;
	l->d->raw->i_flags = to_le32(flags | (l->edit.flags & EXT2_INDEX_FL));
	bfo_draft_set_size(l->d, l->edit.size);
	return 0;
}

errcode_t bfo_directory_settle(struct bfo_edit *e, struct bfo_draft *d, bfo_images *images)
{
	struct listing l;
	errcode_t err = begin(&l, e, d);

	if (!err)
		err = settle(&l, images);
	end(&l);
	return err ? bfo_fail_add(e->ctx, err, "; changing directory %u", d->ino) : 0;
}
