// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itrees_write.c - the container of a plan: what it replaces; written to its place in the stem
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/itrees_write.h"
#include "commit/stem.h"
#include "gather/inode_scan.h"

/* Whether all of its blocks are known: those past its end are, and e2fsck does not mind one. */
static int is_mapped(const struct bfo_tree *t)
{
	size_t i;

	for (i = 0; i < t->findings.n; i++)
		if (t->findings.v[i].kind != BFO_FOUND_PAST_EOF)
			return 0;
	return t->inodes.n && S_ISREG(t->inodes.v[0].mode);
}

errcode_t bfo_itrees_replace(struct bfo_itrees *it, const struct bfo_container *c)
{
	struct bfo_tree t = { .keep_map_blocks = 1 };
	errcode_t err = bfo_inode_scan_some(c->r, &t, &c->ino, 1);
	size_t i;

	it->ino = c->ino;
	it->generation = t.inodes.n ? t.inodes.v[0].generation : 0;
	it->links = t.inodes.n ? t.inodes.v[0].links_read : 0;
	if (!err && !is_mapped(&t))
		err = bfo_fail(c->r->ctx, BFO_ET_UNHEALTHY, "reading inode %u of %s; please run "
			       "e2fsck -f on it first", c->ino, c->r->vol->spec);
	for (i = 0; i < t.segs.n && !err; i++)
		err = bfo_vec_push(&it->freed, (struct bfo_range) {
				   .start = bfo_seg_blk(&t.segs.v[i]), .len = t.segs.v[i].len });
	for (i = 0; i < t.map_blocks.n && !err; i++)
		err = bfo_vec_push(&it->freed, (struct bfo_range) { .start = t.map_blocks.v[i].blk,
				   .len = 1 });
	bfo_tree_free(&t);
	return err;
}

errcode_t bfo_itrees_size(struct bfo_plan *plan, const struct bfo_itree_source *from)
{
	errcode_t err = bfo_itrees_measure(plan->ctx, plan->itrees, from);

	if (!err)
		bfo_itrees_lay_out(plan);
	return err;
}

struct to_stem {
	struct bfo_plan *plan;
	struct bfo_writer *w;
};

static errcode_t put(void *priv, uint32_t blk, uint32_t n, const void *blocks)
{
	const struct to_stem *s = priv;
	const struct bfo_inode *rec = &s->plan->tree->inodes.v[s->plan->itrees->row];

	return bfo_stem_write(s->plan, s->w, rec->stem + blk, n, blocks);
}

errcode_t bfo_itrees_write(struct bfo_plan *plan, struct bfo_writer *w,
			   const struct bfo_itree_source *from)
{
	struct to_stem stem = { .plan = plan, .w = w };
	const struct bfo_itree_sink to = { .put = put, .priv = &stem };

	return bfo_itrees_build(plan->ctx, plan->itrees, from, &to);
}
