// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * contents.c - what stands in some of the source's files, or in parts of them
 */
#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "gather/inode_check.h"
#include "gather/contents.h"
#include "tree/access.h"

errcode_t bfo_contents_add(struct bfo_contents *s, bfo_row row, uint64_t from, uint32_t size,
			   uint32_t tag)
{
	return bfo_vec_push(&s->files, (struct bfo_content) { .row = row, .from = from,
							      .size = size, .tag = tag });
}

/* Bytes of the content of NODE that COUNT blocks from its block AT on have; *FROM: of which. */
static uint32_t part_of(const struct bfo_contents *s, const struct bfo_node *node, uint32_t at,
			uint32_t count, uint64_t *from)
{
	const struct bfo_content *f = &s->files.v[node->tag];
	uint64_t bs = s->tree->block_size, len = count * bs;

	*from = node->to + at * bs;
	if (*from >= f->size)
		return 0;
	return len < f->size - *from ? len : f->size - *from;
}

static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct bfo_contents *s = priv;
	uint64_t from;
	uint32_t len = part_of(s, node, at, count, &from);

	if (len)
		memcpy(s->buffer.v + s->files.v[node->tag].at + from, data, len);
	return 0;
}

static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct bfo_contents *s = priv;
	uint64_t from;

	s->files.v[node->tag].unread += part_of(s, node, at, count, &from);
	return 0;
}

static errcode_t take_inline(void *priv, uint32_t ino, const void *raw)
{
	struct bfo_contents *s = priv;
	size_t i;

	for (i = bfo_vec_lower(&s->smalls, ino, ino); i < s->smalls.n; i++) {
		const struct bfo_content *f = &s->files.v[s->smalls.v[i].index];

		if (s->smalls.v[i].ino != ino)
			break;
		assert(!f->from);
		bfo_inode_inline_content(s->source->reader->vol, raw, s->buffer.v + f->at,
					 f->size);
	}
	return 0;
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct bfo_contents *s = priv;

	return bfo_tree_lost_again(s->source->ctx, s->tree, ino, n);
}

/* The blocks of file number I, as far as it is wanted. */
static errcode_t add_nodes(struct bfo_contents *s, size_t i)
{
	const struct bfo_tree *t = s->tree;
	const struct bfo_content *f = &s->files.v[i];
	const struct bfo_inode *rec = &t->inodes.v[f->row];
	uint64_t first = f->from / t->block_size, from, to;
	uint64_t end = (f->from + f->size + t->block_size - 1) / t->block_size;
	errcode_t err = 0;
	uint32_t k;

	assert(f->from % t->block_size == 0);
	if (rec->state & BFO_INODE_INLINE)
		return bfo_vec_push(&s->smalls, (struct bfo_small_content) { rec->ino, i });
	for (k = bfo_seg_first(t, rec, first); k < bfo_seg_count(t, rec) && !err; k++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, k);

		if (seg->lblk >= end)
			break;
		from = seg->lblk > first ? seg->lblk : first;
		to = (uint64_t) seg->lblk + seg->len < end ? (uint64_t) seg->lblk + seg->len : end;
		if (!bfo_seg_unwritten(seg))
			err = bfo_vec_push(&s->nodes,
					   bfo_node_make(bfo_seg_blk(seg) + (from - seg->lblk),
							 to - from, i,
							 (from - first) * t->block_size));
	}
	return err;
}

static errcode_t read_smalls(struct bfo_contents *s)
{
	errcode_t err = 0;
	size_t i;

	bfo_sort(s->smalls.v, s->smalls.n, sizeof(*s->smalls.v), 1);
	s->inos.n = 0;
	for (i = 0; i < s->smalls.n && !err; i++)
		if (!i || s->smalls.v[i].ino != s->smalls.v[i - 1].ino)
			err = bfo_vec_push(&s->inos, s->smalls.v[i].ino);
	if (err || !s->inos.n)
		return err;
	return s->source->ops->inodes(s->source, s->inos.v, s->inos.n, take_inline, lose_inodes, s);
}

static errcode_t read_all(struct bfo_contents *s)
{
	struct bfo_sink sink = { .take = take_blocks, .lost = lose_blocks, .priv = s };
	errcode_t err = 0;
	size_t i;

	s->nodes.n = s->smalls.n = 0;
	for (i = 0; i < s->files.n && !err; i++)
		err = add_nodes(s, i);
	bfo_order_list_sort(&s->nodes);
	if (!err)
		err = bfo_source_read_bulk(s->source, s->nodes.v, s->nodes.n, 0, &sink);
	return err ? err : read_smalls(s);
}

errcode_t bfo_contents_read(struct bfo_contents *s, struct bfo_source *source,
			    struct bfo_tree *tree)
{
	size_t i, bytes = 0;
	errcode_t err;

	s->source = source;
	s->tree = tree;
	for (i = 0; i < s->files.n; i++) {
		s->files.v[i].at = bytes;
		s->files.v[i].unread = 0;
		bytes += s->files.v[i].size;
	}
	s->buffer.n = 0;
	err = bfo_vec_reserve(&s->buffer, bytes + 1);
	if (err)
		return err;
	memset(s->buffer.v, 0, bytes);
	return read_all(s);
}

void bfo_contents_free(struct bfo_contents *s)
{
	bfo_vec_free(&s->files);
	bfo_vec_free(&s->buffer);
	bfo_vec_free(&s->nodes);
	bfo_vec_free(&s->smalls);
	bfo_vec_free(&s->inos);
}
