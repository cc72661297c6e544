// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seal.c - what has changed in memory becomes one transaction
 *
 * Blocks of inode tables behind what bg_itable_unused says are nobody's: they are written before,
 * all of them up to the last inode that comes, as nobody knows what stands in them.  Where no
 * checksum of descriptors vouches for that number, all of a table is live.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/debug.h"
#include "base/disk.h"
#include "base/sort.h"
#include "edit/charges.h"
#include "edit/filemap.h"
#include "edit/indexed.h"
#include "edit/seal.h"
#include "edit/value_make.h"
#include "edit/value_refs.h"

#define ZEROED_SHARE 8U			/* of the journal, for blocks of tables known to be zero */
#define LARGE (1ULL << 31)		/* bytes: such files want large_file */

struct seal {
	struct bfo_edit *e;
	bfo_images images;
	bfo_value_refs refs;
	BFO_VEC(struct bfo_draft *) drafts;	/* changed ones, ascending by number */
	/* groups whose unused parts of tables were known to be zero, and are not meanwhile */
	BFO_VEC(dgrp_t) unzeroed;
};

/* ---- what the drafts want written ---- */

static errcode_t settle_directories(struct seal *s)
{
	struct bfo_draft *n;
	errcode_t err = 0;

	for (n = s->e->changed; n && !err; n = n->next_changed)
		if (!n->is_gone && n->entries && S_ISDIR(bfo_draft_mode(n)))
			err = bfo_directory_settle(s->e, n, &s->images);
	return err;
}

/* The draft's new attribute block gets a place. */
static errcode_t place_ea(struct bfo_edit *e, struct bfo_draft *n)
{
	uint64_t blk, got;
	uint32_t room;
	void *to;
	errcode_t err = bfo_supply_take(&e->supply, 1, &blk, &got);

	if (!err)
		err = bfo_supply_use(&e->supply, blk, got);
	if (!err)
		err = bfo_outflow_room(&e->out, blk, 1, &to, &room);
	if (err)
		return err;
	memcpy(to, n->ea, e->vol->block_size);
	n->raw->i_file_acl = to_le32((uint32_t) blk);
	n->raw->osd2.linux2.l_i_file_acl_high = to_le16(blk >> 32);
	free(n->ea);
	n->ea = NULL;
	return ext2fs_ext_attr_block_csum_set(e->vol->fs, 0, blk, to);
}

static errcode_t settle_drafts(struct seal *s)
{
	struct bfo_draft *n;
	errcode_t err = 0;

	for (n = s->e->changed; n && !err; n = n->next_changed) {
		if (bfo_value_is_idle(n))
			continue;		/* as long as references are not counted */
		if (!n->is_settled)
			err = bfo_value_refs_note(s->e, n, &s->refs);
		n->is_settled = 1;
		if (n->is_gone)
			continue;
		if (!err && n->ea)
			err = place_ea(s->e, n);
		if (!err && n->is_remapped)
			err = bfo_filemap_encode(s->e, n);
		if (!err && bfo_draft_size(n) >= LARGE && S_ISREG(bfo_draft_mode(n)))
			ext2fs_set_feature_large_file(s->e->vol->fs->super);
	}
	return err;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* Attribute block BLK loses REFS references; the last one frees it. */
static errcode_t release_one(struct seal *s, uint64_t blk, uint32_t refs)
{
	struct bfo_edit *e = s->e;
	struct ext2_ext_attr_header *h;
	const void *block;
	errcode_t err = bfo_windows_block(&e->windows, blk, &block);

	if (!err && !bfo_ea_block_ok(e->vol, block, blk))
		err = bfo_fail(e->ctx, BFO_ET_DAMAGED, "reading attributes in block %llu of %s",
			       (unsigned long long) blk, e->vol->spec);
	if (err)
		return err;
	if (le32(((const struct ext2_ext_attr_header *) block)->h_refcount) <= refs) {
		err = bfo_value_refs_drop(e, block, &s->refs);
		if (!err)
			err = bfo_supply_reserve(&e->supply, 1);
		if (!err)
			bfo_supply_give(&e->supply, blk - blk % e->shape.cluster_blocks,
					e->shape.cluster_blocks, 0);
		return err;
	}
	h = malloc(e->vol->block_size);
	if (!h)
		return ENOMEM;
	memcpy(h, block, e->vol->block_size);
	h->h_refcount = to_le32(le32(h->h_refcount) - refs);
	err = ext2fs_ext_attr_block_csum_set(e->vol->fs, 0, blk, h);
	if (!err)
		err = bfo_vec_push(&s->images, (struct bfo_image) { .blk = blk, .data = h });
	if (err)
		free(h);
	return err;
}

static errcode_t release_attributes(struct seal *s)
{
	size_t i, end, n = s->e->released.n;
	uint64_t *v = s->e->released.v;
	errcode_t err = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_number);
	for (i = 0; i < n && !err; i = end) {
		for (end = i + 1; end < n && v[end] == v[i]; end++)
			;
		err = release_one(s, v[i], end - i);
	}
	return err;
}

/* ---- inode tables ---- */

static int by_ino(const void *a, const void *b)
{
	const struct bfo_draft *const *x = a, *const *y = b;

	return ((*x)->ino > (*y)->ino) - ((*x)->ino < (*y)->ino);
}

/* Those that have something on the volume, or are going to. */
static errcode_t collect(struct seal *s)
{
	struct bfo_draft *n;
	errcode_t err = 0;

	for (n = s->e->changed; n && !err; n = n->next_changed) {
		bfo_draft_settle_times(s->e, n);
		if (!n->is_gone || !n->is_new)
			err = bfo_vec_push(&s->drafts, n);
	}
	if (s->drafts.n)
		qsort(s->drafts.v, s->drafts.n, sizeof(*s->drafts.v), by_ino);
	return err;
}

/* A group's inode table, and how far one has come. */
struct table {
	dgrp_t group;
	uint64_t first;			/* block of the table */
	uint32_t per_block;		/* inodes */
	uint32_t used;			/* inodes of the group that may be in use */
	uint32_t next;			/* block of the unused part that is not written yet */
	int is_zeroed;			/* the rest is known to be zero: it is live, too */
};

static struct table table_of(const struct bfo_edit *e, dgrp_t group)
{
	struct table t = { .group = group, .first = ext2fs_inode_table_loc(e->vol->fs, group),
			   .per_block = e->vol->block_size / e->vol->inode_size,
			   .used = bfo_volume_group_used(e->vol, group) };

	t.next = (t.used + t.per_block - 1) / t.per_block;
	t.is_zeroed = ext2fs_bg_flags_test(e->vol->fs, group, EXT2_BG_INODE_ZEROED);
	return t;
}

/* Puts those drafts from AT on that stand in block K of T into BLOCK; *AT is the next one then. */
static errcode_t put_drafts(struct seal *s, const struct table *t, uint32_t k, char *block,
			   size_t *at)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(s->e->vol->fs->super), size = s->e->vol->inode_size;
	uint32_t first = t->group * ipg + k * t->per_block + 1;
	errcode_t err = 0;

	for (; *at < s->drafts.n && !err; ++*at) {
		struct bfo_draft *n = s->drafts.v[*at];
		char *to = block + (size_t) (n->ino - first) * size;

		if (n->ino - first >= t->per_block || (n->ino - 1) / ipg != t->group)
			break;
		memset(to, 0, size);
		if (n->is_gone)
			continue;
		memcpy(to, n->raw, size);
		err = ext2fs_inode_csum_set(s->e->vol->fs, n->ino, (void *) to);
	}
	return err;
}

/* A block that has inodes in use: its new image is the transaction's. */
static errcode_t live_block(struct seal *s, const struct table *t, uint32_t k, size_t *at)
{
	uint32_t bs = s->e->vol->block_size, size = s->e->vol->inode_size;
	uint32_t used = t->used - k * t->per_block;
	const void *old;
	char *block = malloc(bs);
	errcode_t err = block ? bfo_windows_block(&s->e->windows, t->first + k, &old) : ENOMEM;

	if (!err) {
		memcpy(block, old, bs);
		if (used < t->per_block)
			memset(block + used * size, 0, bs - used * size);
		err = put_drafts(s, t, k, block, at);
	}
	if (!err)
		err = bfo_vec_push(&s->images, (struct bfo_image) { .blk = t->first + k,
								    .data = block });
	if (err)
		free(block);
	return err;
}

/* A block of the unused part, for BLK: of the transaction, or written before it. */
static errcode_t new_block(struct seal *s, const struct table *t, uint64_t blk, void **block)
{
	uint32_t room;
	errcode_t err;

	if (!t->is_zeroed) {
		err = bfo_outflow_room(&s->e->out, blk, 1, block, &room);
		if (!err)
			memset(*block, 0, s->e->vol->block_size);
		return err;
	}
	*block = calloc(1, s->e->vol->block_size);
	err = *block ? bfo_vec_push(&s->images, (struct bfo_image) { .blk = blk, .data = *block }) :
	      ENOMEM;
	if (err)
		free(*block);
	return err;
}

/* Blocks of the unused part up to K, which has drafts. */
static errcode_t unused_blocks(struct seal *s, struct table *t, uint32_t k, size_t *at)
{
	errcode_t err = 0;
	void *block;

	for (; t->next <= k && !err; t->next++) {
		err = new_block(s, t, t->first + t->next, &block);
		if (!err && t->next == k)
			err = put_drafts(s, t, k, block, at);
	}
	return err;
}

/* ---- tables that are known to be zero ---- */

/* Lists the groups in whose unused, zeroed parts drafts come, and counts their blocks. */
static errcode_t count_zeroed(struct seal *s, uint64_t *blocks)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(s->e->vol->fs->super), k, last = UINT32_MAX;
	struct table t = table_of(s->e, 0);
	errcode_t err = 0;
	size_t i;

	for (i = *blocks = 0; i < s->drafts.n && !err; i++) {
		uint32_t number = s->drafts.v[i]->ino - 1;

		if (number / ipg != t.group)
			t = table_of(s->e, number / ipg);
		k = number % ipg / t.per_block;
		if (!t.is_zeroed || k < t.next || number / t.per_block == last)
			continue;
		last = number / t.per_block;
		++*blocks;
		if (!s->unzeroed.n || s->unzeroed.v[s->unzeroed.n - 1] != t.group)
			err = bfo_vec_push(&s->unzeroed, t.group);
	}
	return err;
}

/*
 * What is known to be zero is live: a crash must not leave inodes there.  A few blocks are part of
 * the transaction; before many are written, a transaction of its own says that nobody knows what
 * they hold.
 */
static errcode_t clear_zeroed(struct seal *s)
{
	struct bfo_edit *e = s->e;
	uint64_t blocks;
	errcode_t err = count_zeroed(s, &blocks);
	size_t i;

	if (err || !e->change.has_journal || blocks <= bfo_edit_room(e) / ZEROED_SHARE) {
		s->unzeroed.n = 0;
		return err;
	}
	for (i = 0; i < s->unzeroed.n; i++)
		bfo_meta_zeroed(&e->change.m, s->unzeroed.v[i], 0);
	err = bfo_change_make(&e->change);
	/* whatever has become of it, nobody sees a difference */
	e->change.fate = e->change.fate == BFO_FATE_WAITING || e->change.fate == BFO_FATE_REPLAY ?
			 BFO_FATE_REPLAY : BFO_FATE_BEFORE;
	return err;
}

static errcode_t write_tables(struct seal *s)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(s->e->vol->fs->super);
	errcode_t err = collect(s);
	struct table t;
	size_t at = 0, i;

	if (!err)
		err = clear_zeroed(s);
	t = table_of(s->e, 0);
	while (at < s->drafts.n && !err) {
		uint32_t number = s->drafts.v[at]->ino - 1;
		uint32_t k = number % ipg / t.per_block;

		if (number / ipg != t.group)
			t = table_of(s->e, number / ipg);
		if (k * t.per_block < t.used)
			err = live_block(s, &t, k, &at);
		else
			err = unused_blocks(s, &t, k, &at);
	}
	for (i = 0; i < s->unzeroed.n && !err; i++)	/* behind what is used then, they are */
		bfo_meta_zeroed(&s->e->change.m, s->unzeroed.v[i], 1);
	return err;
}

/* ---- bitmaps, superblock ---- */

static void change_blocks(struct seal *s)
{
	struct bfo_supply *supply = &s->e->supply;
	struct bfo_meta *m = &s->e->change.m;
	size_t i;

	bfo_ranges_settle(&supply->used);
	for (i = 0; i < supply->used.n; i++)
		bfo_meta_blocks(m, supply->used.v[i].start, supply->used.v[i].len, 1);
	bfo_ranges_settle(&supply->freed);
	for (i = 0; i < supply->freed.n; i++)
		bfo_meta_blocks(m, supply->freed.v[i].start, supply->freed.v[i].len, -1);
}

static void change_inodes(struct seal *s)
{
	struct bfo_meta *m = &s->e->change.m;
	size_t i;

	for (i = 0; i < s->drafts.n; i++) {
		const struct bfo_draft *n = s->drafts.v[i];

		if (n->is_new == n->is_gone)
			continue;
		if (S_ISDIR(bfo_draft_mode(n)))
			bfo_meta_directory(m, n->ino, n->is_new ? 1 : -1);
		else
			bfo_meta_inode(m, n->ino, n->is_new ? 1 : -1);
	}
}

BFO_SORT_BY(by_blk, struct bfo_image, blk)

static errcode_t stage_images(struct seal *s)
{
	errcode_t err = 0;
	size_t i;

	if (s->images.n)
		qsort(s->images.v, s->images.n, sizeof(*s->images.v), by_blk);
	for (i = 0; i < s->images.n && !err; i++) {
		err = bfo_transaction_put(&s->e->change.t, s->images.v[i].blk,
					  s->images.v[i].data);
		s->images.v[i].data = NULL;
	}
	return err;
}

/* Blocks of files that are changed where they lie. */
static errcode_t take_patches(struct seal *s)
{
	struct bfo_edit *e = s->e;
	errcode_t err = bfo_vec_reserve(&s->images, e->patches.n);

	while (!err && e->patches.n)
		s->images.v[s->images.n++] = e->patches.v[--e->patches.n];
	return err;
}

static errcode_t seal(struct seal *s)
{
	struct bfo_edit *e = s->e;
	uint64_t wtime = e->now.tv_sec;
	errcode_t err = settle_directories(s);

	if (!err)
		err = settle_drafts(s);
	if (!err)
		err = release_attributes(s);
	if (!err)
		err = bfo_value_refs_settle(e, &s->refs);
	if (!err)
		err = bfo_charges_settle(e);
	if (!err)
		err = settle_drafts(s);		/* of values and quota files */
	if (!err)
		err = write_tables(s);
	if (!err)
		err = bfo_indexes_settle(e, &s->images, &wtime);
	if (!err)
		err = bfo_outflow_flush(&e->out);
	if (!err)
		err = take_patches(s);
	if (!err)
		err = stage_images(s);
	if (err)
		return err;
	change_blocks(s);
	change_inodes(s);
	e->vol->fs->super->s_wtime = (uint32_t) wtime;
	e->vol->fs->super->s_wtime_hi = (uint8_t) (wtime >> 32);
	ext2fs_set_feature_xattr(e->vol->fs->super);
	e->change.journal.now = e->now.tv_sec;
	return bfo_change_make(&e->change);
}

errcode_t bfo_edit_commit(struct bfo_edit *e, enum bfo_fate *fate)
{
	uint64_t need = bfo_edit_need(e);
	struct seal s = { .e = e };
	errcode_t err;
	size_t i;

	*fate = BFO_FATE_BEFORE;
	e->change.fate = BFO_FATE_BEFORE;
	err = seal(&s);
	bfo_debug_assert(err || !e->change.has_journal || e->change.need <= need);
	*fate = e->change.fate;
	for (i = 0; i < s.images.n; i++)
		free(s.images.v[i].data);
	bfo_vec_free(&s.images);
	bfo_vec_free(&s.refs);
	bfo_vec_free(&s.drafts);
	bfo_vec_free(&s.unzeroed);
	if (!err)
		err = bfo_supply_committed(&e->supply);
	bfo_edit_forget(e);
	return err;
}

/* ---- how much it is ---- */

/*
 * Blocks of tables are counted, of directories at most two for each name (its own, and the node
 * that leads there, where that is split); bitmaps and descriptors are those of the groups that can
 * have changed: of inodes, of contents, of new blocks of directories, which are at least half full.
 */
uint64_t bfo_edit_need(const struct bfo_edit *e)
{
	uint32_t bs = e->vol->block_size, all = e->vol->fs->group_desc_count;
	uint64_t blocks = (e->out.bytes + 2 * e->name_bytes) / bs, n;
	uint64_t groups = blocks / EXT2_BLOCKS_PER_GROUP(e->vol->fs->super) + 4;

	groups += e->n_groups + e->supply.freed.n;
	if (groups > all)
		groups = all;
	n = e->n_tables + e->n_dirs + e->released.n + e->patches.n + 2 * groups + 2;
	n += bfo_indexes_need(&e->indexes);
	if (ext2fs_has_feature_quota(e->vol->fs->super))
		n += BFO_QUOTA_FILES * (BFO_CHARGES_BLOCKS + 1);
	if (e->n_unused <= bfo_edit_room(e) / ZEROED_SHARE)
		n += e->n_unused;
	n += all * EXT2_DESC_SIZE(e->vol->fs->super) / bs + 1;
	return e->change.has_journal ? bfo_txlog_need(&e->change.journal, n) : 0;
}

uint64_t bfo_edit_room(const struct bfo_edit *e)
{
	return e->change.has_journal ? bfo_txlog_room(&e->change.journal) : UINT64_MAX;
}
