// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * items.c - what an outlet is told of each record
 */
#include <assert.h>
#include <string.h>

#include "base/prefetch.h"
#include "export/items.h"
#include "plan/loss.h"
#include "plan/runs.h"
#include "tree/access.h"
#include "tree/sets.h"

#define SHELF_LIMIT (256U << 20)	/* bytes of inodes that stay in memory */
#define PATH_FIRST 4096U		/* bytes that most paths fit into */

/* ---- inodes ---- */

static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct bfo_items *items = priv;
	bfo_row row = bfo_tree_find(items->plan->tree, ino);

	if (row != BFO_NONE)
		memcpy(bfo_shelf_at(&items->shelf, row), raw, items->raw_bytes);
	return 0;
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct bfo_items *items = priv;

	return bfo_tree_lost_again(items->source->ctx, items->plan->tree, ino, n);
}

errcode_t bfo_items_open(struct bfo_items *items, struct bfo_plan *plan, struct bfo_source *source)
{
	const uint32_t most = sizeof(struct ext2_inode_large);
	errcode_t err = 0;
	void *place;
	size_t i;

	*items = (struct bfo_items) { .plan = plan, .source = source };
	items->raw_bytes = source->inode_size < most ? source->inode_size : most;
	bfo_shelf_init(&items->shelf, most, SHELF_LIMIT, plan->ctx->temp_dir);
	for (i = 0; i < plan->tree->inodes.n && !err; i++)
		err = bfo_shelf_add(&items->shelf, &place);
	if (err)
		return bfo_fail(plan->ctx, err, "keeping inodes");
	return bfo_source_tree_inodes(source, items->plan->tree, take_inode, lose_inodes, items);
}

/* ---- targets of links ---- */

static int is_long_link(const struct bfo_inode *rec)
{
	return S_ISLNK(rec->mode) && !(rec->state & BFO_INODE_FAST);
}

errcode_t bfo_items_complete(struct bfo_items *items)
{
	const struct bfo_plan *plan = items->plan;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->tree->inodes.n && !err; i++) {
		const struct bfo_inode *rec = &plan->tree->inodes.v[i];

		if (is_long_link(rec) && rec->state & BFO_INODE_PLACED)
			err = bfo_contents_add(&items->links, i, 0, rec->size, 0);
	}
	items->is_complete = 1;
	if (err || !items->links.files.n)
		return err;
	return bfo_contents_read(&items->links, items->source, plan->tree);
}

static errcode_t set_target(struct bfo_items *items, bfo_row row, struct bfo_item *item)
{
	const struct bfo_inode *rec = &items->plan->tree->inodes.v[row];
	const struct ext2_inode_large *raw = bfo_shelf_at(&items->shelf, row);
	const char *text = (const char *) raw->i_block;
	errcode_t err;
	size_t i;

	items->target.n = 0;
	err = bfo_vec_reserve(&items->target, rec->size + 1);
	if (err)
		return err;
	if (is_long_link(rec)) {
		i = bfo_vec_lower(&items->links.files, row, row);
		assert(i < items->links.files.n && items->links.files.v[i].row == row);
		text = bfo_contents_of(&items->links, &items->links.files.v[i]);
	}
	memcpy(items->target.v, text, rec->size);
	items->target.v[rec->size] = 0;
	item->target = items->target.v;
	item->target_len = rec->size;
	return 0;
}

/* ---- parts of files ---- */

static errcode_t set_parts(struct bfo_items *items, const struct bfo_inode *rec,
			   struct bfo_item *item)
{
	uint64_t bs = items->plan->target->block_size;
	struct bfo_run_walk walk;
	struct bfo_run run;
	errcode_t err = 0;

	items->parts.n = 0;
	bfo_runs_begin(&walk, items->plan, rec);
	while (!err && bfo_runs_next(&walk, &run)) {
		struct bfo_part *last = items->parts.n ? &items->parts.v[items->parts.n - 1] : NULL;

		if (last && last->is_unwritten == run.unwritten &&
		    last->from + last->len == run.lblk * bs)
			last->len += run.len * bs;
		else
			err = bfo_vec_push(&items->parts, (struct bfo_part) {
					   .from = run.lblk * bs, .len = run.len * bs,
					   .is_unwritten = run.unwritten });
	}
	item->parts = items->parts.v;
	item->n_parts = items->parts.n;
	return err;
}

/* ---- items ---- */

/* A directory that the plan has made: as those of a target are. */
static void made_attrs(const struct bfo_items *items, const struct bfo_inode *rec,
		       struct bfo_attrs *attrs)
{
	int i;

	*attrs = (struct bfo_attrs) { .mode = rec->mode, .nlink = 2, .has_crtime = 1 };
	for (i = 0; i < BFO_TIMES; i++)
		attrs->sec[i] = items->plan->now;
}

/* What the record says holds: it has been checked. */
static void set_attrs(const struct bfo_items *items, bfo_row row, struct bfo_attrs *attrs)
{
	const struct bfo_inode *rec = &items->plan->tree->inodes.v[row];

	if (rec->state & BFO_INODE_MADE) {
		made_attrs(items, rec, attrs);
		return;
	}
	bfo_attrs_read(bfo_shelf_at(&items->shelf, row), items->raw_bytes, attrs);
	attrs->mode = rec->mode;
	attrs->flags &= rec->flags;
	attrs->size = S_ISREG(rec->mode) || S_ISLNK(rec->mode) ? rec->size : 0;
	if (rec->state & BFO_INODE_STRIP)
		attrs->flags &= ~(EXT2_IMMUTABLE_FL | EXT2_APPEND_FL);
}

/* The path of NAME, by which the file came first, without a slash in front. */
static errcode_t set_first(struct bfo_items *items, const struct bfo_name *name,
			   struct bfo_item *item)
{
	size_t size = PATH_FIRST, len;
	errcode_t err;

	for (;; size *= 2) {
		items->first.n = 0;
		err = bfo_vec_reserve(&items->first, size + 1);
		if (err)
			return err;
		len = bfo_plan_archive_path(items->plan, name, items->first.v, size);
		if (len < size)		/* nothing was cut off in front */
			break;
	}
	items->first.v[len] = 0;
	item->first = items->first.v + 1;
	item->first_len = len - 1;
	return 0;
}

/* What an archive of our own says of what features mean. */
static void set_features(const struct bfo_items *items, const struct bfo_inode *rec,
			 struct bfo_item *item)
{
	const struct bfo_target *target = items->plan->target;
	uint32_t kept = EXT4_VERITY_FL & ~bfo_loss_flags(target, items->plan->tree);

	if (target->has_encrypt)
		kept |= EXT4_ENCRYPT_FL;
	if (item->attrs.flags & EXT4_CASEFOLD_FL)
		item->encoding = target->encoding;
	if (rec->flags & kept)
		item->home_block_size = items->plan->tree->home_block_size;
}

/* N, by which the item comes, is a name of an encrypted directory. */
static void set_secret(const struct bfo_tree *t, const struct bfo_name *n, struct bfo_item *item)
{
	uint32_t flags = t->inodes.v[n->dir].flags;

	if (!(flags & EXT4_ENCRYPT_FL))
		return;
	item->secret = bfo_name_text(t, n);
	item->secret_len = bfo_name_len(n);
	if (bfo_dir_has_hashes(flags))
		item->hashes = bfo_name_hashes(t, n);
}

static errcode_t set_contents(struct bfo_items *items, bfo_row row, struct bfo_item *item)
{
	const struct bfo_tree *t = items->plan->tree;
	const struct bfo_inode *rec = &t->inodes.v[row];
	const struct bfo_sets sets = { .list = t->eas, .bytes = t->sets };
	errcode_t err;

	items->xattrs.n = 0;
	err = t->repacked ? bfo_sets_append(&sets, rec->ea, &items->xattrs) : 0;
	item->xattrs = items->xattrs;
	if (!err && S_ISLNK(rec->mode))
		err = set_target(items, row, item);
	if (!err && S_ISREG(rec->mode))
		err = set_parts(items, rec, item);
	return err;
}

/* Asks in time for what an item soon to come is made of, which lies in the order of the source. */
static void ask(const struct bfo_items *items, const struct bfo_serial *walk)
{
	const struct bfo_tree *t = items->plan->tree;
	bfo_row row = bfo_serial_soon(walk);

	if (row == BFO_NONE)
		return;
	bfo_prefetch_bytes(bfo_shelf_at(&items->shelf, row), items->raw_bytes);
	if (S_ISREG(t->inodes.v[row].mode))
		bfo_prefetch(bfo_seg_of(t, &t->inodes.v[row], 0));
}

errcode_t bfo_items_make(struct bfo_items *items, const struct bfo_serial *walk,
			 const struct bfo_serial_step *step, struct bfo_item *item)
{
	const struct bfo_tree *t = items->plan->tree;
	const struct bfo_inode *rec = &t->inodes.v[step->row];
	errcode_t err = 0;

	ask(items, walk);
	*item = (struct bfo_item) { .path = walk->path.v, .path_len = walk->path_len,
				    .row = step->row, .names = 1,
				    .ino = bfo_tree_shown_ino(t, rec->ino),
				    .is_made = !!(rec->state & BFO_INODE_MADE) };
	set_attrs(items, step->row, &item->attrs);
	set_features(items, rec, item);
	if (walk->has_stand_ins && step->name != BFO_NONE)
		set_secret(t, &t->names.v[step->name], item);
	if (!S_ISDIR(rec->mode))
		item->names = rec->links;
	if (step->kind == BFO_SERIAL_LINK)
		err = set_first(items, &t->names.v[walk->first.v[step->row]], item);
	return err || !items->is_complete ? err : set_contents(items, step->row, item);
}

errcode_t bfo_items_walk(struct bfo_items *items,
			 errcode_t (*take)(void *priv, const struct bfo_item *item), void *priv)
{
	struct bfo_serial_step step;
	struct bfo_serial walk;
	struct bfo_item item;
	errcode_t err = bfo_serial_begin(&walk, items->plan);

	walk.by_bytes = 1;
	while (!err) {
		err = bfo_serial_next(&walk, &step);
		if (err || step.kind == BFO_SERIAL_END)
			break;
		if (step.kind == BFO_SERIAL_LEAVE)
			continue;
		err = bfo_items_make(items, &walk, &step, &item);
		if (!err)
			err = take(priv, &item);
	}
	bfo_serial_free(&walk);
	return err;
}

void bfo_items_free(struct bfo_items *items)
{
	bfo_shelf_free(&items->shelf);
	bfo_contents_free(&items->links);
	bfo_vec_free(&items->parts);
	bfo_vec_free(&items->xattrs);
	bfo_vec_free(&items->target);
	bfo_vec_free(&items->first);
}
