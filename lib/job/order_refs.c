// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_refs.c - groups of files that refer to each other
 *
 *   order ── candidates, by name ──┬── their contents, as they lie on the device
 *                                  └── references, in the order of the plan ── graph ── groups
 *
 * Contents are read (contents.h) in rounds of limited size.  Where these end does not show in the
 * result, as files are scanned in the plan's order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "mine/refs.h"
#include "mine/refs_graph.h"
#include "gather/contents.h"
#include "job/copy.h"
#include "plan/paths.h"
#include "tree/path.h"

#define FILE_BYTES (1U << 20)		/* of a file, the rest is not scanned; see e2bfo-copy(8) */
#define ROUND_BYTES (64U << 20)		/* of all contents at a time; --memory may say less */

struct refs {
	struct bfo_copy *c;
	struct bfo_paths paths;
	struct bfo_refs_graph graph;
	struct bfo_contents round;
	/* the file being scanned */
	const struct bfo_content *file;
	enum bfo_refs_kind kind;
	size_t path_len;
	char path[BFO_PATH_MOST];
	struct bfo_path found;
};

/* ---- references ---- */

/* The record that TEXT in the file being scanned means, or BFO_NONE. */
static errcode_t resolve(struct refs *r, const char *text, size_t len, bfo_row *row)
{
	const char *root = r->c->opt.order.root ? r->c->opt.order.root : "/";
	errcode_t err = 0;
	unsigned int n;

	*row = BFO_NONE;
	for (n = 0; !err && *row == BFO_NONE; n++) {
		if (!bfo_refs_resolve(r->kind, r->path, r->path_len, root, text, len, n,
				      &r->found))
			break;
		err = bfo_paths_find(&r->paths, r->found.text, r->found.len, row);
	}
	return err;
}

/* A reference: of the file being scanned, or of the target in it that is a file, too. */
static errcode_t take_ref(void *priv, const struct bfo_ref *ref)
{
	uint32_t from = BFO_NONE, to;
	struct refs *r = priv;
	errcode_t err = resolve(r, ref->text, ref->len, &to);

	if (err || to == BFO_NONE)
		return err;
	if (ref->target)
		err = resolve(r, ref->target, ref->target_len, &from);
	return err ? err : bfo_refs_graph_add(&r->graph, from == BFO_NONE ? r->file->row : from,
					      to);
}

static errcode_t scan(struct refs *r, const struct bfo_content *f)
{
	r->file = f;
	r->kind = f->tag;
	r->path_len = bfo_tree_path(&r->c->job.tree, f->row, r->path, sizeof(r->path));
	return bfo_refs_scan(r->kind, bfo_contents_of(&r->round, f), f->size, take_ref, r);
}

/* ---- rounds ---- */

static errcode_t finish_round(struct refs *r)
{
	errcode_t err = bfo_contents_read(&r->round, r->c->job.from, &r->c->job.tree);
	size_t i;

	for (i = 0; i < r->round.files.n && !err; i++)
		err = scan(r, &r->round.files.v[i]);
	r->round.files.n = 0;
	if (!err && bfo_cancelled(r->c->ctx))
		err = bfo_fail(r->c->ctx, BFO_ET_CANCELLED, "planning");
	return err;
}

/* The kind of record REC's content, if it is to be looked at. */
static enum bfo_refs_kind kind_of(const struct bfo_tree *t, const struct bfo_inode *rec, int *first)
{
	const struct bfo_name *n;

	if (!S_ISREG(rec->mode) || !rec->size || rec->name == BFO_NONE ||
	    rec->state & (BFO_INODE_BAD | BFO_INODE_EXISTS) || rec->flags & EXT4_ENCRYPT_FL)
		return BFO_REFS_NONE;
	n = &t->names.v[rec->name];
	*first = bfo_name_len(n) == 10 && !memcmp(bfo_name_text(t, n), "index.html", 10);
	return bfo_refs_kind_of(bfo_name_text(t, n), bfo_name_len(n));
}

static errcode_t look_at_all(struct refs *r)
{
	uint64_t memory = r->c->opt.memory, bytes = 0;
	const struct bfo_plan *plan = &r->c->job.plan;
	errcode_t err = 0;
	size_t i;

	if (memory > ROUND_BYTES)
		memory = ROUND_BYTES;
	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);
		uint32_t size = rec->size < FILE_BYTES ? rec->size : FILE_BYTES;
		int first = 0;
		enum bfo_refs_kind kind = kind_of(plan->tree, rec, &first);

		if (kind == BFO_REFS_NONE)
			continue;
		if (bytes && bytes + size > memory) {
			err = finish_round(r);
			bytes = 0;
		}
		if (!err && first)
			err = bfo_refs_graph_first(&r->graph, plan->order.v[i]);
		bytes += size;
		if (!err)
			err = bfo_contents_add(&r->round, plan->order.v[i], 0, size, kind);
	}
	return err ? err : finish_round(r);
}

errcode_t bfo_order_by_refs(struct bfo_copy *c)
{
	struct bfo_groups groups = { 0 };
	struct refs *r = calloc(1, sizeof(*r));
	errcode_t err;

	if (!r)
		return bfo_fail(c->ctx, ENOMEM, "looking for references");
	r->c = c;
	err = bfo_paths_init(&r->paths, &c->job.plan);
	if (!err)
		err = look_at_all(r);
	if (!err)
		err = bfo_refs_graph_groups(&r->graph, c->opt.order.depth, &groups);
	if (err == ENOMEM || err == BFO_ET_OVERFLOW)
		bfo_fail(c->ctx, err, "looking for references");
	if (!err)
		err = bfo_order_take_groups(c, BFO_ORDER_REFS, &groups);
	bfo_groups_free(&groups);
	bfo_refs_graph_free(&r->graph);
	bfo_contents_free(&r->round);
	bfo_paths_free(&r->paths);
	free(r);
	return err;
}
