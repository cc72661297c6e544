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
#include "base/sort.h"
#include "gather/extent_scan.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/orphan_scan.h"
#include "gather/symlink_scan.h"

#define le16 ext2fs_le16_to_cpu
#define le32 ext2fs_le32_to_cpu

#define EA_UNREAD 2		/* bfo_ea.bad, else 1 */

struct ea_use {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	uint32_t inode, unused;
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

static int type_is_known(uint16_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode) || S_ISCHR(mode) ||
	       S_ISBLK(mode) || S_ISFIFO(mode) || S_ISSOCK(mode);
}

/* A symlink whose target stands in i_block, as all shorter ones do (ext2fs_is_fast_symlink()). */
static int is_fast_symlink(const struct bfo_inode *rec)
{
	return S_ISLNK(rec->mode) && rec->size < sizeof(((struct ext2_inode *) 0)->i_block) &&
	       !(rec->flags & EXT4_INLINE_DATA_FL);
}

/* Flags that must not be there, for lack of the feature that they belong to. */
static uint32_t strange_flags(struct ext2_super_block *sb)
{
	return (ext2fs_has_feature_inline_data(sb) ? 0 : EXT4_INLINE_DATA_FL) |
	       (ext2fs_has_feature_ea_inode(sb) ? 0 : EXT4_EA_INODE_FL) |
	       (ext2fs_has_feature_encrypt(sb) ? 0 : EXT4_ENCRYPT_FL) |
	       (ext2fs_has_feature_casefold(sb) ? 0 : EXT4_CASEFOLD_FL) |
	       (ext2fs_has_feature_verity(sb) ? 0 : EXT4_VERITY_FL);
}

static int size_is_possible(const struct bfo_volume *vol, const struct bfo_inode *rec,
			    const struct ext2_inode *raw)
{
	const void *tail;

	if (rec->state & BFO_INODE_INLINE)
		return rec->size <= EXT4_MIN_INLINE_DATA_SIZE +
				    bfo_inode_inline_tail(vol, raw, &tail);
	if (S_ISREG(rec->mode))
		return rec->size <= (uint64_t) UINT32_MAX * vol->block_size;
	if (S_ISDIR(rec->mode))
		return rec->size && rec->size % vol->block_size == 0 &&
		       rec->size / vol->block_size <= UINT32_MAX;
	if (S_ISLNK(rec->mode))
		return rec->size && rec->size < vol->block_size;
	return 1;
}

/* True if an inline symbolic link has text without a zero byte, as long as it should be. */
static int is_inline_text(const struct bfo_volume *vol, const struct bfo_inode *rec,
			  const struct ext2_inode *raw)
{
	char head[EXT4_MIN_INLINE_DATA_SIZE];
	uint32_t in_head = rec->size < sizeof(head) ? rec->size : sizeof(head);
	const void *tail;

	if (rec->flags & EXT4_ENCRYPT_FL)
		return 1;
	memcpy(head, raw->i_block, sizeof(head));
	if (!rec->size || memchr(head, 0, in_head))
		return 0;
	return rec->size == in_head || (bfo_inode_inline_tail(vol, raw, &tail) &&
					!memchr(tail, 0, rec->size - in_head));
}

/* What is wrong with an inode so that it cannot be copied at all; BFO_FOUND_KINDS if nothing. */
static enum bfo_finding_kind judge(const struct bfo_volume *vol, const struct bfo_inode *rec,
				   const struct ext2_inode *raw)
{
	if (!bfo_inode_csum_ok(vol, rec->ino, raw))
		return BFO_FOUND_INODE_CSUM;
	if (!type_is_known(rec->mode) || rec->flags & strange_flags(vol->fs->super))
		return BFO_FOUND_INODE_MODE;
	if (rec->state & BFO_INODE_INLINE && rec->flags & EXT4_EXTENTS_FL)
		return BFO_FOUND_EXTENT;
	if (!size_is_possible(vol, rec, raw))
		return BFO_FOUND_INODE_SIZE;
	if (rec->state & BFO_INODE_INLINE && S_ISLNK(rec->mode) &&
	    !is_inline_text(vol, rec, raw))
		return BFO_FOUND_SYMLINK;
	if (rec->state & BFO_INODE_FAST && !(rec->flags & EXT4_ENCRYPT_FL) &&
	    strnlen((const char *) raw->i_block, sizeof(raw->i_block)) != rec->size)
		return BFO_FOUND_SYMLINK;
	return BFO_FOUND_KINDS;
}

static int can_have_content(const struct bfo_inode *rec)
{
	return S_ISREG(rec->mode) || S_ISDIR(rec->mode) || S_ISLNK(rec->mode);
}

/* Devices, fifos and sockets: a device number at most, else e2fsck objects. */
static int is_as_plain_as_its_type(const struct bfo_inode *rec, const struct ext2_inode *raw)
{
	int i;

	if (can_have_content(rec))
		return 1;
	for (i = 4; i < EXT2_N_BLOCKS; i++)
		if (raw->i_block[i])
			return 0;
	return !rec->size && !(rec->flags & (EXT4_EXTENTS_FL | EXT2_IMMUTABLE_FL |
					     EXT2_APPEND_FL | EXT4_INLINE_DATA_FL));
}

/*
 * Flags that say what an inode of MODE is, and that it cannot be.  They leave the record here, so that
 * nobody later meets, say, a directory that claims to be an attribute's value.
 */
static uint32_t impossible_flags(uint16_t mode)
{
	uint32_t flags = EXT2_IMAGIC_FL;	/* of AFS: a feature that the gate knows not */

	if (!S_ISREG(mode))
		flags |= EXT4_EA_INODE_FL | EXT4_VERITY_FL;
	if (!S_ISDIR(mode))
		flags |= EXT4_CASEFOLD_FL | EXT2_INDEX_FL;
	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode))
		flags |= EXT4_ENCRYPT_FL;
	return flags;
}

static struct bfo_inode record(uint32_t ino, const struct ext2_inode *raw)
{
	struct bfo_inode rec = {
		.ino = ino, .mode = le16(raw->i_mode), .flags = le32(raw->i_flags),
		.generation = le32(raw->i_generation), .links_read = le16(raw->i_links_count),
		.size = bfo_inode_size(raw), .ea = BFO_NONE, .name = BFO_NONE,
	};

	rec.flags &= ~impossible_flags(rec.mode);
	if (is_fast_symlink(&rec))
		rec.state |= BFO_INODE_FAST;
	if (rec.flags & EXT4_INLINE_DATA_FL && can_have_content(&rec))
		rec.state |= BFO_INODE_INLINE;
	return rec;
}

enum bfo_finding_kind bfo_inode_judge(const struct bfo_volume *vol, uint32_t ino, const void *raw,
				      struct bfo_inode *rec)
{
	*rec = record(ino, raw);
	return judge(vol, rec, raw);
}

static errcode_t note_ea_block(struct scan *s, const struct bfo_inode *rec, uint32_t index,
			       const struct ext2_inode *raw)
{
	uint64_t blk = bfo_inode_ea_block(raw);

	if (!blk)
		return 0;
	if (!bfo_volume_contains(s->vol, blk, 1))
		return bfo_tree_found(s->tree, BFO_FOUND_XATTR_BLOCK, rec->ino, blk);
	return bfo_vec_push(&s->uses, (struct ea_use) { .blk_hi = blk >> 32, .blk_lo = blk,
			    .inode = index });
}

/* For the walk: an inode that is in use. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *data)
{
	struct scan *s = priv;
	struct bfo_tree *t = s->tree;
	const struct ext2_inode *raw = data;
	struct bfo_inode rec;
	enum bfo_finding_kind bad = bfo_inode_judge(s->vol, ino, data, &rec);
	uint32_t index = t->inodes.n;
	errcode_t err = 0;

	if (s->all && bfo_volume_is_system_inode(s->vol, ino))
		return 0;
	if (s->wanted && !s->wanted(s->priv, ino, raw))
		return 0;
	if (bad != BFO_FOUND_KINDS) {
		rec.state |= BFO_INODE_BAD;
		err = bfo_tree_found(t, bad, ino, 0);
	} else if (!bfo_inode_xattrs_ok(s->vol, raw)) {
		rec.state |= BFO_INODE_NO_XATTR;
		err = bfo_tree_found(t, BFO_FOUND_XATTR_INODE, ino, 0);
	}
	if (!err && bad == BFO_FOUND_KINDS && !is_as_plain_as_its_type(&rec, raw)) {
		rec.state |= BFO_INODE_STRIP;
		err = bfo_tree_found(t, BFO_FOUND_SPECIAL, ino, 0);
	}
	if (!err && bad == BFO_FOUND_KINDS && rec.flags != le32(raw->i_flags))
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
		t->inodes.v[u->inode].ea = t->eas.n - 1;
	}
	return err;
}

static errcode_t scan_ea_blocks(struct scan *s)
{
	struct bfo_sink sink = { .take = take_ea_block, .lost = lose_ea_block, .priv = s };
	struct bfo_tree *t = s->tree;
	bfo_order_list list = { 0 };
	errcode_t err;
	size_t i;

	err = link_ea_blocks(s, &list);
	if (!err)
		err = bfo_reader_run(s->r, list.v, list.n, &sink);
	for (i = 0; i < s->uses.n && !err; i++) {
		struct bfo_inode *rec = &t->inodes.v[s->uses.v[i].inode];

		if (!t->eas.v[rec->ea].bad)
			continue;
		err = bfo_tree_found(t, t->eas.v[rec->ea].bad == EA_UNREAD ? BFO_UNREAD_XATTR :
				     BFO_FOUND_XATTR_BLOCK, rec->ino, t->eas.v[rec->ea].blk);
		rec->ea = BFO_NONE;
	}
	bfo_vec_free(&list);
	return err;
}

static int by_ino(const void *a, const void *b)
{
	const struct bfo_inode *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

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

	tree->block_size = r->vol->block_size;
	memcpy(tree->uuid, sb->s_uuid, sizeof(tree->uuid));
	tree->encoding = ext2fs_has_feature_casefold(sb) ? sb->s_encoding : 0;
	tree->inline_data = ext2fs_has_feature_inline_data(sb);
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
