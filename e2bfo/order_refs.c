// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_refs.c - --order=refs: groups of files that refer to each other
 *
 *   order ── candidates, by name ──┬── their contents, as they lie on the device
 *                                  └── references, in the order of the plan ── graph ── groups
 *
 * Contents are read in rounds of limited size.  Where these end does not show in the result, as files
 * are scanned in the plan's order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/inode_check.h"
#include "gather/inode_walk.h"
#include "mine/refs.h"
#include "mine/refs_graph.h"
#include "copy.h"
#include "paths.h"

#define FILE_BYTES (1U << 20)		/* of a file, the rest is not scanned; see e2bfo(8) */
#define ROUND_BYTES (64U << 20)		/* of all contents at a time; --memory may say less */

/* A file whose content is looked at. */
struct candidate {
	uint32_t inode;			/* index of the record */
	uint32_t size;			/* bytes */
	enum bfo_refs_kind kind;
	size_t at;			/* in the buffer */
};

/* One whose content stands in its inode. */
struct small {
	uint32_t ino;			/* sort key */
	uint32_t index;			/* of the candidate */
};

struct refs {
	struct copy *c;
	struct paths paths;
	struct bfo_refs_graph graph;
	BFO_VEC(struct candidate) round;
	bfo_chars buffer;
	bfo_order_list nodes;
	BFO_VEC(struct small) smalls;
	bfo_numbers inos;		/* of these */
	/* the file being scanned */
	const struct candidate *file;
	size_t path_len;
	char path[BFO_PATH_MOST];
	struct bfo_path found;
};

/* ---- references ---- */

/* The record that TEXT in the file being scanned means, or BFO_NONE. */
static errcode_t resolve(struct refs *r, const char *text, size_t len, uint32_t *inode)
{
	const char *root = r->c->opt.order.root ? r->c->opt.order.root : "/";
	errcode_t err = 0;
	unsigned int n;

	*inode = BFO_NONE;
	for (n = 0; !err && *inode == BFO_NONE; n++) {
		if (!bfo_refs_resolve(r->file->kind, r->path, r->path_len, root, text, len, n,
				      &r->found))
			break;
		err = paths_find(&r->paths, r->found.text, r->found.len, inode);
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
	return err ? err : bfo_refs_graph_add(&r->graph, from == BFO_NONE ? r->file->inode : from,
					      to);
}

static errcode_t scan(struct refs *r, const struct candidate *f)
{
	r->file = f;
	r->path_len = bfo_plan_path(&r->c->plan, f->inode, 0, BFO_NO_NAME, r->path,
				    sizeof(r->path));
	return bfo_refs_scan(f->kind, r->buffer.v + f->at, f->size, take_ref, r);
}

/* ---- contents ---- */

static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct refs *r = priv;
	const struct candidate *f = &r->round.v[node->tag];
	uint64_t bs = r->c->tree.block_size, from = node->to + at * bs, len = count * bs;

	if (from >= f->size)
		return 0;
	memcpy(r->buffer.v + f->at + from, data, len < f->size - from ? len : f->size - from);
	return 0;
}

/* What cannot be read refers to nothing. */
static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	(void) priv;
	(void) node;
	(void) at;
	(void) count;
	return 0;
}

static errcode_t take_inline(void *priv, uint32_t ino, const void *raw)
{
	struct refs *r = priv;
	const struct candidate *f;
	size_t i = bfo_vec_lower(&r->smalls, ino, ino);

	if (i == r->smalls.n || r->smalls.v[i].ino != ino)
		return 0;
	f = &r->round.v[r->smalls.v[i].index];
	bfo_inode_inline_content(r->c->source, raw, r->buffer.v + f->at, f->size);
	return 0;
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct refs *r = priv;

	return bfo_tree_lost_again(&r->c->ctx, &r->c->tree, ino, n);
}

/* The blocks of candidate number I, as far as it is scanned. */
static errcode_t add_nodes(struct refs *r, size_t i)
{
	const struct bfo_tree *t = &r->c->tree;
	const struct candidate *f = &r->round.v[i];
	const struct bfo_inode *rec = &t->inodes.v[f->inode];
	uint32_t blocks = (f->size + t->block_size - 1) / t->block_size, k, len;
	errcode_t err = 0;

	if (rec->state & BFO_INODE_INLINE)
		return bfo_vec_push(&r->smalls, (struct small) { rec->ino, i });
	for (k = rec->seg; k < rec->seg + rec->nseg && !err; k++) {
		const struct bfo_seg *seg = &t->segs.v[k];

		if (bfo_seg_unwritten(seg) || seg->lblk >= blocks)
			continue;
		len = seg->len < blocks - seg->lblk ? seg->len : blocks - seg->lblk;
		err = bfo_vec_push(&r->nodes, bfo_node_make(bfo_seg_blk(seg), len, i,
				   (uint64_t) seg->lblk * t->block_size));
	}
	return err;
}

static errcode_t read_smalls(struct refs *r)
{
	errcode_t err = 0;
	size_t i;

	bfo_sort(r->smalls.v, r->smalls.n, sizeof(*r->smalls.v), 1);
	r->inos.n = 0;
	for (i = 0; i < r->smalls.n && !err; i++)
		err = bfo_vec_push(&r->inos, r->smalls.v[i].ino);
	if (err || !r->inos.n)
		return err;
	return bfo_inode_walk(&r->c->reader, r->inos.v, r->inos.n, take_inline, lose_inodes, r);
}

static errcode_t read_contents(struct refs *r)
{
	struct bfo_sink sink = { .take = take_blocks, .lost = lose_blocks, .priv = r };
	errcode_t err = 0;
	size_t i;

	r->nodes.n = r->smalls.n = 0;
	for (i = 0; i < r->round.n && !err; i++)
		err = add_nodes(r, i);
	bfo_order_list_sort(&r->nodes);
	if (!err)
		err = bfo_reader_run(&r->c->reader, r->nodes.v, r->nodes.n, &sink);
	return err ? err : read_smalls(r);
}

/* ---- rounds ---- */

static errcode_t finish_round(struct refs *r)
{
	size_t i, bytes = 0;
	errcode_t err;

	for (i = 0; i < r->round.n; i++) {
		r->round.v[i].at = bytes;
		bytes += r->round.v[i].size;
	}
	r->buffer.n = 0;
	err = bfo_vec_reserve(&r->buffer, bytes + 1);
	if (err)
		return err;
	memset(r->buffer.v, 0, bytes);		/* holes */
	err = read_contents(r);
	for (i = 0; i < r->round.n && !err; i++)
		err = scan(r, &r->round.v[i]);
	r->round.n = 0;
	if (!err && bfo_cancelled(&r->c->ctx))
		err = bfo_fail(&r->c->ctx, BFO_ET_CANCELLED, "planning");
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
	uint64_t memory = r->c->opt.common.memory, bytes = 0;
	const struct bfo_plan *plan = &r->c->plan;
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
			err = bfo_vec_push(&r->round, (struct candidate) { .kind = kind,
					   .inode = plan->order.v[i], .size = size });
	}
	return err ? err : finish_round(r);
}

errcode_t order_by_refs(struct copy *c)
{
	struct bfo_groups groups = { 0 };
	struct refs *r = calloc(1, sizeof(*r));
	errcode_t err;

	if (!r)
		return bfo_fail(&c->ctx, ENOMEM, "looking for references");
	r->c = c;
	err = paths_init(&r->paths, &c->plan);
	if (!err)
		err = look_at_all(r);
	if (!err)
		err = bfo_refs_graph_groups(&r->graph, c->opt.order.depth, &groups);
	if (err == ENOMEM || err == BFO_ET_OVERFLOW)
		bfo_fail(&c->ctx, err, "looking for references");
	if (!err)
		err = order_take_groups(c, ORDER_REFS, &groups);
	bfo_groups_free(&groups);
	bfo_refs_graph_free(&r->graph);
	bfo_vec_free(&r->round);
	bfo_vec_free(&r->buffer);
	bfo_vec_free(&r->nodes);
	bfo_vec_free(&r->smalls);
	bfo_vec_free(&r->inos);
	paths_free(&r->paths);
	free(r);
	return err;
}
