// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_scan.c - inode tables in order
 *
 *   tables ──> records, segments of shallow trees ──> block maps (extent_scan) ──> segments
 *                 └──> extended attribute blocks, long symlinks ──> checked, each once
 *
 * A record is made for a damaged inode too, so that the names that lead to it can be reported.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/sort.h"
#include "gather/extent_scan.h"
#include "gather/inode_check.h"
#include "gather/inode_judge.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/orphan_scan.h"
#include "gather/symlink_scan.h"

#define EA_UNREAD 2		/* bfo_ea.bad, else 1 */

struct ea_use {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	bfo_row row;
	uint32_t is_secret;	/* encrypted, and the policy can only stand in this block */
};

struct scan {
	struct bfo_reader *r;
	struct bfo_volume *vol;
	struct bfo_tree *tree;
	struct bfo_extent_scan maps;
	BFO_VEC(struct ea_use) uses;
	int all;			/* but the filesystem's own */
	bfo_wanted_inode wanted;	/* if not NULL: of those, these */
	void *priv;
};

/* Record INDEX is encrypted, but no policy says how: a link's text then is no text. */
static errcode_t drop_encryption(struct scan *s, bfo_row index)
{
	struct bfo_inode *rec = &s->tree->inodes.v[index];

	rec->flags &= ~EXT4_ENCRYPT_FL;
	if (!S_ISLNK(rec->mode))
		return bfo_tree_found(s->tree, BFO_FOUND_INODE_FLAGS, rec->ino, 0);
	rec->state |= BFO_INODE_BAD;
	return bfo_tree_found(s->tree, BFO_FOUND_SYMLINK, rec->ino, 0);
}

static errcode_t note_ea_block(struct scan *s, const struct bfo_inode *rec, bfo_row index,
			       const struct ext2_inode *raw)
{
	int is_secret = rec->flags & EXT4_ENCRYPT_FL && !bfo_inode_has_policy(s->vol, raw);
	uint64_t blk = bfo_inode_ea_block(raw);
	errcode_t err;

	if (!blk || rec->flags & EXT4_EA_INODE_FL)
		return 0;
	if (bfo_volume_contains(s->vol, blk, 1))
		return bfo_vec_push(&s->uses, (struct ea_use) { .blk_hi = blk >> 32, .blk_lo = blk,
				    .row = index, .is_secret = is_secret });
	err = bfo_tree_found(s->tree, BFO_FOUND_XATTR_BLOCK, rec->ino, blk);
	return err || !is_secret ? err : drop_encryption(s, index);
}

/* The value of an attribute has none of its own: nobody would count the values that these name. */
static int xattrs_are_sound(const struct bfo_volume *vol, const struct bfo_inode *rec,
			    const struct ext2_inode *raw)
{
	return bfo_inode_xattrs_ok(vol, raw) &&
	       !(rec->flags & EXT4_EA_INODE_FL && bfo_inode_has_xattrs(vol, raw));
}

/* For the walk: an inode that is in use. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *data)
{
	struct scan *s = priv;
	struct bfo_tree *t = s->tree;
	const struct ext2_inode *raw = data;
	struct bfo_inode rec;
	enum bfo_finding_kind bad = bfo_inode_judge(s->vol, ino, data, &rec);
	bfo_row index = t->inodes.n;
	errcode_t err = 0;

	if (s->all && bfo_volume_is_system_inode(s->vol, ino))
		return 0;
	if (s->wanted && !s->wanted(s->priv, ino, raw))
		return 0;
	if (bad != BFO_FOUND_KINDS) {
		rec.state |= BFO_INODE_BAD;
		err = bfo_tree_found(t, bad, ino, 0);
	} else if (!xattrs_are_sound(s->vol, &rec, raw)) {
		rec.state |= BFO_INODE_NO_XATTR;
		err = bfo_tree_found(t, BFO_FOUND_XATTR_INODE, ino, 0);
	}
	if (!err && bad == BFO_FOUND_KINDS && !bfo_inode_is_plain(&rec, raw)) {
		rec.state |= BFO_INODE_STRIP;
		err = bfo_tree_found(t, BFO_FOUND_SPECIAL, ino, 0);
	}
	if (!err && bad == BFO_FOUND_KINDS && bfo_inode_has_strange_flags(&rec, raw))
		err = bfo_tree_found(t, BFO_FOUND_INODE_FLAGS, ino, 0);
	if (!err)
		err = bfo_vec_push(&t->inodes, rec);
	if (!err)
		bfo_rank_add(&t->rank, ino);
	if (err || bad != BFO_FOUND_KINDS)
		return err;
	err = note_ea_block(s, &rec, index, raw);
	if (err || rec.state & (BFO_INODE_FAST | BFO_INODE_INLINE))
		return err;
	return bfo_extent_scan_inode(&s->maps, index, raw);
}

/* For the walk: N inodes from INO on cannot be read.  Those of blocks that meet are one finding. */
static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct scan *s = priv;
	bfo_findings *found = &s->tree->findings;
	struct bfo_finding *last = found->n ? &found->v[found->n - 1] : NULL;
	errcode_t err = bfo_ranges_add(&s->tree->unread, ino, n);
	uint32_t byte;

	if (err)
		return err;
	if (last && last->kind == BFO_UNREAD_TABLE && last->ino + last->blocks == ino) {
		last->blocks += n;
		return 0;
	}
	return bfo_tree_found_part(s->tree, BFO_UNREAD_TABLE, ino,
				   bfo_volume_inode_block(s->vol, ino, &byte), 0, n);
}

/* Sink: the block of ea node->tag. */
static errcode_t take_ea_block(void *priv, const struct bfo_node *node, uint32_t at,
			       uint32_t count, const void *data)
{
	struct scan *s = priv;
	struct bfo_ea *ea = &s->tree->eas.v[node->tag];

	(void) at;
	(void) count;
	ea->bad = !bfo_ea_block_ok(s->vol, data, ea->blk);
	ea->has_policy = !ea->bad && bfo_ea_block_has_policy(s->vol, data);
	return 0;
}

/* Sink: it cannot be read. */
static errcode_t lose_ea_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct scan *s = priv;

	(void) at;
	(void) count;
	s->tree->eas.v[node->tag].bad = EA_UNREAD;
	return 0;
}

/* Gives every record its entry in eas[], one entry per block. */
static errcode_t link_ea_blocks(struct scan *s, bfo_order_list *list)
{
	struct bfo_tree *t = s->tree;
	errcode_t err = 0;
	size_t i;

	bfo_sort(s->uses.v, s->uses.n, sizeof(*s->uses.v), 2);
	for (i = 0; i < s->uses.n && !err; i++) {
		const struct ea_use *u = &s->uses.v[i];
		uint64_t blk = (uint64_t) u->blk_hi << 32 | u->blk_lo;

		if (!t->eas.n || t->eas.v[t->eas.n - 1].blk != blk) {
			err = bfo_vec_push(&t->eas, (struct bfo_ea) { .blk = blk,
					   .copy = t->eas.n });
			if (!err)
				err = bfo_vec_push(list, bfo_node_make(blk, 1, t->eas.n - 1, 0));
		}
		t->inodes.v[u->row].ea = t->eas.n - 1;
	}
	return err;
}

/* What the block, now that it was read, means for an inode that has it. */
static errcode_t settle_ea_block(struct scan *s, const struct ea_use *use)
{
	struct bfo_tree *t = s->tree;
	struct bfo_inode *rec = &t->inodes.v[use->row];
	const struct bfo_ea *ea = &t->eas.v[rec->ea];
	int has_policy = ea->has_policy;
	errcode_t err = 0;

	if (ea->bad) {
		err = bfo_tree_found(t, ea->bad == EA_UNREAD ? BFO_UNREAD_XATTR :
				     BFO_FOUND_XATTR_BLOCK, rec->ino, ea->blk);
		rec->ea = BFO_NONE;
	}
	return err || !use->is_secret || has_policy ? err : drop_encryption(s, use->row);
}

static errcode_t scan_ea_blocks(struct scan *s)
{
	struct bfo_sink sink = { .take = take_ea_block, .lost = lose_ea_block, .priv = s };
	bfo_order_list list = { 0 };
	errcode_t err;
	size_t i;

	err = link_ea_blocks(s, &list);
	if (!err)
		err = bfo_reader_run(s->r, list.v, list.n, &sink);
	for (i = 0; i < s->uses.n && !err; i++)
		err = settle_ea_block(s, &s->uses.v[i]);
	bfo_vec_free(&list);
	return err;
}

BFO_SORT_BY(by_ino, struct bfo_inode, ino)

/* Groups whose tables are not in the order of their numbers leave the records unsorted. */
static void sort_records(struct bfo_tree *t)
{
	size_t i;

	for (i = 1; i < t->inodes.n; i++)
		if (t->inodes.v[i - 1].ino > t->inodes.v[i].ino)
			break;
	if (i < t->inodes.n)
		qsort(t->inodes.v, t->inodes.n, sizeof(*t->inodes.v), by_ino);
}

/* The N inodes in INOS; or all, or those that are wanted, if that is NULL. */
static errcode_t scan_inodes(struct scan *s, const uint32_t *inos, size_t n)
{
	struct bfo_reader *r = s->r;
	struct bfo_tree *tree = s->tree;
	struct ext2_super_block *sb = r->vol->fs->super;
	errcode_t err;

	tree->block_size = tree->home_block_size = r->vol->block_size;
	memcpy(tree->uuid, sb->s_uuid, sizeof(tree->uuid));
	tree->encoding = ext2fs_has_feature_casefold(sb) ? sb->s_encoding : 0;
	tree->inline_data = ext2fs_has_feature_inline_data(sb);
	tree->ea_inode = ext2fs_has_feature_ea_inode(sb);
	tree->project = ext2fs_has_feature_project(sb);
	tree->inode_size = r->vol->inode_size;
	tree->unsure = !!r->vol->media.opt.superblock;
	tree->stable_inodes = ext2fs_has_feature_stable_inodes(sb);
	err = bfo_rank_init(&tree->rank, (uint64_t) sb->s_inodes_count + 1);
	if (!err)
		err = bfo_inode_walk(r, inos, n, take_inode, lose_inodes, s);
	if (!err)
		err = bfo_extent_scan_run(&s->maps);
	if (!err)
		err = scan_ea_blocks(s);
	if (!err)
		err = bfo_symlink_scan(r, tree);
	if (!err) {
		sort_records(tree);
		bfo_rank_seal(&tree->rank);
	}
	bfo_extent_scan_free(&s->maps);
	bfo_vec_free(&s->uses);
	return err;
}

errcode_t bfo_inode_scan_some(struct bfo_reader *r, struct bfo_tree *tree, const uint32_t *inos,
			      size_t n)
{
	struct scan s = { .r = r, .vol = r->vol, .tree = tree, .all = !inos,
			  .maps = { .r = r, .tree = tree } };

	return scan_inodes(&s, inos, n);
}

errcode_t bfo_inode_scan_wanted(struct bfo_reader *r, struct bfo_tree *tree,
				bfo_wanted_inode wanted, void *priv)
{
	struct scan s = { .r = r, .vol = r->vol, .tree = tree, .all = 1, .wanted = wanted,
			  .priv = priv, .maps = { .r = r, .tree = tree } };

	return scan_inodes(&s, NULL, 0);
}

errcode_t bfo_inode_scan(struct bfo_reader *r, struct bfo_tree *tree)
{
	errcode_t err = bfo_orphan_scan(r, tree);

	return err ? err : bfo_inode_scan_some(r, tree, NULL, 0);
}
