// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.c - inodes in bulk
 *
 *   numbers ── inode tables ──> raw inodes, short targets
 *                    └──> long symbolic links ── block maps ── blocks ──> targets
 *
 * Long symbolic links are few; the inode scan finds their blocks and judges them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "gather/inode_check.h"
#include "gather/inode_judge.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/stats.h"
#include "tree/access.h"

struct load {
	struct bfo_stats *s;
	struct bfo_reader *r;
	struct bfo_tree links;		/* the long ones */
	BFO_VEC(uint32_t) inos;		/* theirs */
};

static struct bfo_stat *stat_of(const struct bfo_stats *s, uint32_t ino)
{
	return &s->v.v[bfo_vec_lower(&s->v, ino, ino)];
}

const struct bfo_stat *bfo_stats_find(const struct bfo_stats *s, uint32_t ino)
{
	return stat_of(s, ino);
}

/* The target of symbolic link ST becomes LEN bytes, to be filled in. */
static errcode_t add_target(struct load *l, struct bfo_stat *st, uint32_t len, char **to)
{
	errcode_t err = bfo_vec_reserve(&l->s->targets, len + 1);

	if (err)
		return err;
	*to = l->s->targets.v + l->s->targets.n;
	st->target = l->s->targets.n;
	st->target_len = len;
	l->s->targets.n += len;
	return 0;
}

static errcode_t take_link(struct load *l, struct bfo_stat *st, const struct bfo_inode *rec)
{
	errcode_t err;
	char *to;

	if (rec->flags & EXT4_ENCRYPT_FL)
		return 0;
	if (!(rec->state & (BFO_INODE_FAST | BFO_INODE_INLINE)))
		return bfo_vec_push(&l->inos, rec->ino);
	err = add_target(l, st, rec->size, &to);
	if (!err)
		bfo_inode_inline_content(l->r->vol, st->raw, to, rec->size);
	return err;
}

/* For the walk: an inode that is in use. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct load *l = priv;
	uint32_t size = l->r->vol->inode_size;
	struct bfo_stat *st = stat_of(l->s, ino);
	struct bfo_inode rec;
	char *to;

	if (bfo_volume_is_system_inode(l->r->vol, ino))
		return 0;
	to = l->s->raws.v + (st - l->s->v.v) * size;
	memcpy(to, raw, size);
	st->raw = to;
	st->bad = bfo_inode_judge(l->r->vol, ino, raw, &rec);
	st->strange = bfo_inode_has_strange_flags(&rec, raw);
	return st->bad == BFO_FOUND_KINDS && S_ISLNK(rec.mode) ? take_link(l, st, &rec) : 0;
}

/* For the walk: N inodes from INO on cannot be read. */
static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct bfo_stats *s = ((struct load *) priv)->s;
	struct bfo_stat *st = stat_of(s, ino);

	for (; st < s->v.v + s->v.n && st->ino - ino < n; st++)
		st->bad = BFO_UNREAD_INODE;
	return 0;
}

/* Sink: the block of the long link of record node->tag, which is sound. */
static errcode_t take_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	struct load *l = priv;
	const struct bfo_inode *rec = &l->links.inodes.v[node->tag];
	errcode_t err;
	char *to;

	(void) at;
	(void) count;
	err = add_target(l, stat_of(l->s, rec->ino), rec->size, &to);
	if (!err)
		memcpy(to, data, rec->size);
	return err;
}

/* Sink: it could be read when it was judged, and cannot be read again. */
static errcode_t lose_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct load *l = priv;

	(void) at;
	(void) count;
	stat_of(l->s, l->links.inodes.v[node->tag].ino)->bad = BFO_UNREAD_SYMLINK;
	return 0;
}

/* What was found about the links is said of their inodes. */
static void note_damage(struct load *l)
{
	size_t i;

	for (i = 0; i < l->links.findings.n; i++) {
		const struct bfo_finding *f = &l->links.findings.v[i];
		uint32_t index = bfo_tree_find(&l->links, f->ino);

		if (index != BFO_NONE && l->links.inodes.v[index].state & BFO_INODE_BAD)
			stat_of(l->s, f->ino)->bad = f->kind;
	}
}

static errcode_t read_links(struct load *l)
{
	struct bfo_sink sink = { .take = take_block, .lost = lose_block, .priv = l };
	bfo_order_list list = { 0 };
	const struct bfo_inode *rec;
	errcode_t err;
	bfo_row i;

	err = bfo_inode_scan_some(l->r, &l->links, l->inos.v, l->inos.n);
	for (i = 0; i < l->links.inodes.n && !err; i++) {
		rec = &l->links.inodes.v[i];
		if (!(rec->state & BFO_INODE_BAD))
			err = bfo_vec_push(&list, bfo_node_make(
					   bfo_seg_of(&l->links, rec, 0)->blk, 1, i, 0));
	}
	bfo_order_list_sort(&list);
	if (!err)
		err = bfo_reader_run(l->r, list.v, list.n, &sink);
	if (!err)
		note_damage(l);
	bfo_vec_free(&list);
	return err;
}

errcode_t bfo_stats_read(struct bfo_stats *s, struct bfo_reader *r, const uint32_t *inos, size_t n)
{
	struct load l = { .s = s, .r = r };
	errcode_t err;
	size_t i;

	s->v.n = s->raws.n = s->targets.n = 0;
	err = bfo_vec_reserve(&s->v, n);
	if (!err)
		err = bfo_vec_reserve(&s->raws, n * r->vol->inode_size);
	if (err)
		return bfo_fail(r->ctx, err, "reading %zu inodes", n);
	for (i = 0; i < n; i++)
		s->v.v[i] = (struct bfo_stat) { .ino = inos[i], .bad = BFO_FOUND_NAME_INODE };
	s->v.n = n;
	err = bfo_inode_walk(r, inos, n, take_inode, lose_inodes, &l);
	if (!err && l.inos.n) {
		bfo_sort_numbers(l.inos.v, l.inos.n);
		err = read_links(&l);
	}
	bfo_tree_free(&l.links);
	bfo_vec_free(&l.inos);
	return err;
}

void bfo_stats_free(struct bfo_stats *s)
{
	bfo_vec_free(&s->v);
	bfo_vec_free(&s->raws);
	bfo_vec_free(&s->targets);
}
