// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claim_scan.c - blocks that more than one thing says it owns
 *
 *   group descriptors, system inodes ──┐
 *   records: segments, maps, xattrs  ──┴─> claims, sorted by block ──> neighbours that overlap
 *
 * A set of ranges, not a bitmap: its size follows the files, not the device.
 */
#include <string.h>

#include "base/sort.h"
#include "gather/claim_scan.h"
#include "gather/own_blocks.h"
#include "tree/access.h"

#define NOBODY BFO_NONE		/* the filesystem itself, or an attribute block: not reported */

struct claim {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	uint32_t len;		/* blocks */
	bfo_row row;		/* index of the record, or NOBODY */
};

struct scan {
	struct bfo_reader *r;
	struct bfo_tree *tree;
	BFO_VEC(struct claim) claims;
};

static uint64_t claim_blk(const struct claim *c)
{
	return (uint64_t) c->blk_hi << 32 | c->blk_lo;
}

static errcode_t add(struct scan *s, uint64_t blk, uint32_t len, bfo_row row)
{
	if (!len)
		return 0;
	return bfo_vec_push(&s->claims, (struct claim) { .blk_hi = blk >> 32, .blk_lo = blk,
			    .len = len, .row = row });
}

/* All that TREE's records have; as NOBODY's if they are not the scan's own. */
static errcode_t add_records(struct scan *s, const struct bfo_tree *t)
{
	int own = t == s->tree;
	errcode_t err = 0;
	bfo_row i, j;

	for (i = 0; i < t->inodes.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		if (rec->state & BFO_INODE_BAD)
			continue;
		for (j = 0; j < bfo_seg_count(t, rec) && !err; j++)
			err = add(s, bfo_seg_blk(bfo_seg_of(t, rec, j)),
				  bfo_seg_of(t, rec, j)->len, own ? i : NOBODY);
	}
	for (i = 0; i < t->map_blocks.n && !err; i++) {
		j = bfo_tree_find(t, t->map_blocks.v[i].ino);
		if (!(t->inodes.v[j].state & BFO_INODE_BAD))
			err = add(s, t->map_blocks.v[i].blk, 1, own ? j : NOBODY);
	}
	for (i = 0; i < t->eas.n && !err; i++)
		if (!t->eas.v[i].bad)
			err = add(s, t->eas.v[i].blk, 1, NOBODY);
	return err;
}

/* For bfo_own_groups(). */
static errcode_t add_own(void *priv, uint64_t blk, uint32_t len)
{
	return add(priv, blk, len, NOBODY);
}

/*
 * The journal, quota files, the orphan file.  Nobody needs their block maps: what of them cannot be
 * read claims nothing, with BFO_MEDIA_STOP too.
 */
static errcode_t add_system_inodes(struct scan *s)
{
	struct bfo_media_options *media = &s->r->vol->media.opt, as_said = *media;
	struct bfo_tree system = { .keep_map_blocks = 1 };
	errcode_t err;

	media->mode = BFO_MEDIA_ZERO;
	err = bfo_own_inodes(s->r, &system);
	*media = as_said;
	if (!err)
		err = add_records(s, &system);
	bfo_tree_free(&system);
	return err;
}

static errcode_t found(struct scan *s, bfo_row row, uint64_t blk)
{
	struct bfo_inode *rec;

	if (row == NOBODY)
		return 0;
	rec = &s->tree->inodes.v[row];
	if (rec->state & BFO_INODE_SHARED)
		return 0;
	rec->state |= BFO_INODE_SHARED;
	return bfo_tree_found(s->tree, BFO_FOUND_MULTIPLY, rec->ino, blk);
}

/* A claim that begins before the farthest end so far meets at least the one that reaches there. */
static errcode_t compare(struct scan *s)
{
	uint64_t end = 0, blk;
	bfo_row owner = NOBODY;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < s->claims.n && !err; i++) {
		const struct claim *c = &s->claims.v[i];

		blk = claim_blk(c);
		if (blk < end) {
			err = found(s, c->row, blk);
			if (!err)
				err = found(s, owner, blk);
		}
		if (blk + c->len > end) {
			end = blk + c->len;
			owner = c->row;
		}
	}
	return err;
}

errcode_t bfo_claim_scan(struct bfo_reader *r, struct bfo_tree *tree)
{
	struct scan s = { .r = r, .tree = tree };
	errcode_t err;

	if (ext2fs_has_feature_shared_blocks(r->vol->fs->super)) {
		bfo_vec_free(&tree->map_blocks);
		return 0;		/* there it is no damage */
	}
	err = bfo_vec_reserve(&s.claims, tree->segs.n + tree->map_blocks.n + tree->eas.n +
			      6 * (size_t) r->vol->fs->group_desc_count);
	if (!err)
		err = bfo_own_groups(r->vol, add_own, &s);
	if (!err)
		err = add_system_inodes(&s);
	if (!err)
		err = add_records(&s, tree);
	bfo_sort(s.claims.v, s.claims.n, sizeof(*s.claims.v), 2);
	if (!err)
		err = compare(&s);
	bfo_vec_free(&s.claims);
	bfo_vec_free(&tree->map_blocks);
	return err;
}
