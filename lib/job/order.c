// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order.c - what lies next to each other on the target
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "gather/inode_walk.h"
#include "job/copy.h"

const char *bfo_order_word(enum bfo_order_policy policy)
{
	static const char *const words[] = {
		[BFO_ORDER_READDIR] = "readdir", [BFO_ORDER_SOURCE] = "source",
		[BFO_ORDER_DIR] = "dir",
		[BFO_ORDER_NAME] = "name", [BFO_ORDER_SIZE] = "size", [BFO_ORDER_MTIME] = "mtime",
		[BFO_ORDER_LIST] = "list", [BFO_ORDER_REFS] = "refs", [BFO_ORDER_TRACE] = "trace",
	};

	return words[policy];
}

errcode_t bfo_order_open(struct bfo_copy *c)
{
	const char *name = c->opt.order.trace;

	if (!name)
		return 0;
	c->order.trace = strcmp(name, "-") ? fopen(name, "re") : stdin;
	return c->order.trace ? 0 : bfo_fail(c->ctx, errno, "reading %s", name);
}

void bfo_order_free(struct bfo_order *o)
{
	if (o->trace && o->trace != stdin)
		fclose(o->trace);
	if (o->is_made)
		bfo_sequence_free(&o->sequence);
	memset(o, 0, sizeof(*o));
}

errcode_t bfo_order_take_groups(struct bfo_copy *c, enum bfo_order_policy policy,
				const struct bfo_groups *g)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < g->groups.n && !err; i++) {
		const struct bfo_group *group = &g->groups.v[i];

		err = bfo_sequence_take_group(&c->order.sequence, policy, group->support,
					      g->files.v + group->start, group->len);
	}
	return err;
}

/* ---- mtime ---- */

struct times {
	struct bfo_copy *c;
	uint64_t *v;			/* by record */
	bfo_numbers inos;		/* of files, ascending */
};

/* Takes the time of an inode: 34 bits of seconds since 1901, 30 of nanoseconds, as in ext4. */
static errcode_t take_time(void *priv, uint32_t ino, const void *raw)
{
	const struct ext2_inode_large *in = raw;
	struct times *t = priv;
	bfo_row row = bfo_tree_find(&t->c->job.tree, ino);
	uint32_t extra = 0;
	size_t end = offsetof(struct ext2_inode_large, i_mtime_extra) + sizeof(in->i_mtime_extra);
	int64_t seconds = (int32_t) le32(in->i_mtime);

	if (t->c->job.tree.inode_size >= end &&
	    EXT2_GOOD_OLD_INODE_SIZE + le16(in->i_extra_isize) >= (int) end)
		extra = le32(in->i_mtime_extra);
	seconds += (int64_t) (extra & 3) << 32;
	if (row != BFO_NONE)
		t->v[row] = (uint64_t) (seconds + (1LL << 31)) << 30 | extra >> 2;
	return 0;
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct times *t = priv;

	return bfo_tree_lost_again(t->c->ctx, &t->c->job.tree, ino, n);
}

/* Records ascend by inode number, but for what the plan made. */
static errcode_t list_files(struct times *t)
{
	const struct bfo_tree *tree = &t->c->job.tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < tree->inodes.n && !err; i++) {
		const struct bfo_inode *rec = &tree->inodes.v[i];

		if (rec->ino && rec->state & BFO_INODE_PLACED && !S_ISDIR(rec->mode))
			err = bfo_vec_push(&t->inos, rec->ino);
	}
	return err;
}

static errcode_t by_mtime(struct bfo_copy *c)
{
	struct times t = { .c = c, .v = calloc(c->job.tree.inodes.n + 1, sizeof(*t.v)) };
	errcode_t err = t.v ? list_files(&t) : ENOMEM;

	if (err)
		bfo_fail(c->ctx, err, "reading times");
	if (!err && t.inos.n)
		err = c->job.from->ops->inodes(c->job.from, t.inos.v, t.inos.n, take_time,
					       lose_inodes, &t);
	if (!err)
		err = bfo_sequence_by_time(&c->order.sequence, t.v);
	bfo_vec_free(&t.inos);
	free(t.v);
	return err;
}

/* ---- all ---- */

static errcode_t by_list(struct bfo_copy *c)
{
	struct bfo_lists *l = &c->lists;
	errcode_t err = bfo_sequence_by_list(&c->order.sequence, BFO_ORDER_LIST, l->order.v.v,
					     l->order.v.n, &l->order.ends, &l->order_missing);

	c->order.missing[BFO_ORDER_LIST] = l->order_missing.n;
	return err;
}

static errcode_t choose(struct bfo_copy *c, enum bfo_order_policy policy)
{
	struct bfo_sequence *s = &c->order.sequence;
	errcode_t err = bfo_sequence_group(s, policy);

	if (err)
		return err;
	switch (policy) {
	case BFO_ORDER_SOURCE:
		return bfo_sequence_by_source(s);
	case BFO_ORDER_DIR:
		return bfo_sequence_by_dir(s);
	case BFO_ORDER_NAME:
		return bfo_sequence_by_name(s);
	case BFO_ORDER_SIZE:
		return bfo_sequence_by_size(s);
	case BFO_ORDER_MTIME:
		return by_mtime(c);
	case BFO_ORDER_LIST:
		return by_list(c);
	case BFO_ORDER_REFS:
		return bfo_order_by_refs(c);
	case BFO_ORDER_TRACE:
		return bfo_order_by_trace(c);
	default:
		return 0;		/* the rest */
	}
}

errcode_t bfo_order_choose(struct bfo_copy *c)
{
	size_t n = c->opt.order.n;
	errcode_t err;
	size_t i;

	if (!n && (c->job.from->access == BFO_READ_ANYWHERE || c->opt.is_reproducible))
		return 0;
	err = bfo_sequence_begin(&c->order.sequence, &c->job.plan);
	c->order.is_made = 1;
	if (!err && !n)			/* it is read from its beginning to its end, once */
		err = choose(c, BFO_ORDER_SOURCE);
	for (i = 0; i < n && !err; i++) {
		err = choose(c, c->opt.order.policies[i]);
		if (!err && bfo_cancelled(c->ctx))
			err = bfo_fail(c->ctx, BFO_ET_CANCELLED, "planning");
	}
	return err ? err : bfo_sequence_end(&c->order.sequence);
}
