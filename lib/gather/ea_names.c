// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ea_names.c - names of extended attributes of many inodes, fetched in bulk
 *
 *   inodes ── numbers of blocks ── sorted, each once ── read ── names, behind each other
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/ea_names.h"
#include "gather/inode_check.h"
#include "tree/sets.h"

static errcode_t add_name(bfo_chars *out, const struct bfo_xattr *x, int with_length)
{
	char name[BFO_XATTR_NAME_MAX];
	uint16_t len = bfo_xattr_name(x, name);
	errcode_t err = bfo_vec_reserve(out, sizeof(len) + len);

	if (err)
		return err;
	if (with_length) {
		memcpy(out->v + out->n, &len, sizeof(len));
		out->n += sizeof(len);
	}
	memcpy(out->v + out->n, name, len);
	out->n += len;
	return 0;
}

/* ---- blocks ---- */

static struct bfo_ea_block *block_of(const struct bfo_ea_names *e, uint64_t blk)
{
	return &e->blocks.v[bfo_vec_lower(&e->blocks, blk, blk)];
}

/* Sink: an attribute block. */
static errcode_t take_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	struct bfo_ea_names *e = priv;
	struct bfo_ea_block *b = block_of(e, bfo_node_blk(node));
	errcode_t err = 0;

	(void) at;
	(void) count;
	e->set.n = 0;
	b->at = e->text.n;
	if (!bfo_ea_block_ok(e->r->vol, data, b->blk))
		err = BFO_ET_DAMAGED;
	else
		err = bfo_xattrs_of_block(&e->set, data, e->r->vol->block_size);
	if (err == BFO_ET_DAMAGED) {
		b->bad = BFO_FOUND_XATTR_BLOCK;
		err = 0;
	}
	for (; b->names < e->set.n && !err; b->names++)
		err = add_name(&e->text, &e->set.v[b->names], 1);
	return err;
}

static errcode_t lose_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	(void) at;
	(void) count;
	block_of(priv, bfo_node_blk(node))->bad = BFO_UNREAD_XATTR;
	return 0;
}

BFO_SORT_BY(by_block, struct bfo_ea_block, blk)

/* The blocks of all sound inodes in S, ascending, each once; those that lie nowhere are damaged. */
static errcode_t list_blocks(struct bfo_ea_names *e, const struct bfo_stats *s)
{
	size_t i, kept = 0;
	errcode_t err = 0;
	uint64_t blk;

	for (i = 0; i < s->v.n && !err; i++) {
		blk = s->v.v[i].bad == BFO_FOUND_KINDS ? bfo_inode_ea_block(s->v.v[i].raw) : 0;
		if (blk)
			err = bfo_vec_push(&e->blocks, (struct bfo_ea_block) { .blk = blk,
					   .bad = bfo_volume_contains(e->r->vol, blk, 1) ?
						  BFO_FOUND_KINDS : BFO_FOUND_XATTR_BLOCK });
	}
	if (e->blocks.n)
		qsort(e->blocks.v, e->blocks.n, sizeof(*e->blocks.v), by_block);
	for (i = 0; i < e->blocks.n; i++)
		if (!kept || e->blocks.v[kept - 1].blk != e->blocks.v[i].blk)
			e->blocks.v[kept++] = e->blocks.v[i];
	e->blocks.n = kept;
	return err;
}

errcode_t bfo_ea_names_read(struct bfo_ea_names *e, struct bfo_reader *r, const struct bfo_stats *s)
{
	struct bfo_sink sink = { .take = take_block, .lost = lose_block, .priv = e };
	bfo_order_list list = { 0 };
	errcode_t err;
	size_t i;

	e->r = r;
	e->blocks.n = e->text.n = 0;
	err = list_blocks(e, s);
	for (i = 0; i < e->blocks.n && !err; i++)
		if (e->blocks.v[i].bad == BFO_FOUND_KINDS)
			err = bfo_vec_push(&list, bfo_node_make(e->blocks.v[i].blk, 1, 0, 0));
	if (err)
		bfo_fail(r->ctx, err, "reading extended attributes");
	if (!err && list.n)
		err = bfo_reader_run(r, list.v, list.n, &sink);
	bfo_vec_free(&list);
	return err;
}

/* ---- one inode ---- */

static errcode_t end_name(struct bfo_ea_names *e)
{
	return bfo_vec_push(&e->ends, e->names.n);
}

/* The names of e->set. */
static errcode_t list_set(struct bfo_ea_names *e)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < e->set.n && !err; i++) {
		if (bfo_xattr_is_data(&e->set.v[i]))
			continue;
		err = add_name(&e->names, &e->set.v[i], 0);
		if (!err)
			err = end_name(e);
	}
	return err;
}

static errcode_t list_inside(struct bfo_ea_names *e, const void *raw)
{
	errcode_t err = bfo_xattrs_of_inode(&e->set, raw, e->r->vol->inode_size);

	return err ? err : list_set(e);
}

static errcode_t list_block(struct bfo_ea_names *e, const struct bfo_ea_block *b)
{
	const char *text = e->text.v + b->at;
	errcode_t err = 0;
	uint16_t len;
	uint32_t i;

	for (i = 0; i < b->names && !err; i++, text += sizeof(len) + len) {
		memcpy(&len, text, sizeof(len));
		err = bfo_vec_reserve(&e->names, len);
		if (err)
			break;
		memcpy(e->names.v + e->names.n, text + sizeof(len), len);
		e->names.n += len;
		err = end_name(e);
	}
	return err;
}

static errcode_t list_of_tree(struct bfo_ea_names *e, uint32_t ino)
{
	const struct bfo_tree *t = e->tree;
	const struct bfo_sets sets = { .list = t->eas, .bytes = t->sets };
	bfo_row row = bfo_tree_find(t, ino);
	errcode_t err = bfo_sets_append(&sets, t->inodes.v[row].ea, &e->set);

	return err ? err : list_set(e);
}

static errcode_t list_given(struct bfo_ea_names *e)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < e->given->n && !err; i++)
		err = bfo_vec_push(&e->set, e->given->v[i]);
	return err ? err : list_set(e);
}

errcode_t bfo_ea_names_list(struct bfo_ea_names *e, const struct bfo_stat *st, uint32_t *bad)
{
	uint64_t blk = bfo_inode_ea_block(st->raw);
	const struct bfo_ea_block *b;
	errcode_t err;

	e->set.n = e->names.n = e->ends.n = 0;
	*bad = BFO_FOUND_KINDS;
	if (e->given)
		return list_given(e);
	if (e->tree)
		return list_of_tree(e, st->ino);
	err = bfo_inode_xattrs_ok(e->r->vol, st->raw) ? list_inside(e, st->raw) : BFO_ET_DAMAGED;
	if (err == BFO_ET_DAMAGED) {
		*bad = BFO_FOUND_XATTR_INODE;
		err = 0;
	}
	if (err || !blk)
		return err;
	b = block_of(e, blk);
	if (b->bad != BFO_FOUND_KINDS)
		*bad = b->bad;
	return list_block(e, b);
}

void bfo_ea_names_free(struct bfo_ea_names *e)
{
	bfo_vec_free(&e->blocks);
	bfo_vec_free(&e->text);
	bfo_vec_free(&e->set);
	bfo_vec_free(&e->names);
	bfo_vec_free(&e->ends);
}
