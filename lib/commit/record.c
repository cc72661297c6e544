// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - what a copy leaves on the target while it is under way: making it
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "commit/quota_write.h"
#include "commit/record.h"
#include "commit/record_format.h"

/* ---- deciding ---- */

/* The groups that get inodes, and whose tables are known to be zero elsewhere. */
static errcode_t note_groups(struct bfo_record *r, const struct bfo_plan *plan,
			     const struct bfo_volume *target)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(target->fs->super);
	dgrp_t last = UINT32_MAX;
	errcode_t err = 0;
	size_t i;

	if (!ext2fs_has_group_desc_csum(target->fs))
		return 0;
	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_numbered(plan, i);
		dgrp_t g = (rec->new_ino - 1) / ipg;

		if (rec->state & BFO_INODE_EXISTS)
			continue;
		r->first_ino = r->first_ino ? r->first_ino : rec->new_ino;
		r->last_ino = rec->new_ino;
		if (g == last || !ext2fs_bg_flags_test(target->fs, g, EXT2_BG_INODE_ZEROED))
			continue;
		last = g;
		if (r->zeroed.n && r->zeroed.v[r->zeroed.n - 1].start +
		    r->zeroed.v[r->zeroed.n - 1].len == g)
			r->zeroed.v[r->zeroed.n - 1].len++;
		else
			err = bfo_vec_push(&r->zeroed, (struct bfo_range) { .start = g, .len = 1 });
	}
	return err;
}

/* Whether the plan takes some of LEN blocks from BLK on; if so, *END is where that run ends. */
static int is_planned(const struct bfo_plan *plan, uint64_t blk, uint64_t len, uint64_t *end)
{
	size_t i = bfo_vec_lower(&plan->stem, blk, blk + len);
	const struct bfo_range *kept = bfo_ranges_from(&plan->kept, blk);

	*end = i ? plan->stem.v[i - 1].blk + plan->stem.v[i - 1].len : 0;
	if (*end <= blk && kept && kept->start < blk + len)
		*end = kept->start + kept->len;
	return *end > blk;
}

/*
 * Takes from the LEN free blocks at AT what the plan leaves; returns how many of LEFT are to come.
 */
static uint64_t choose_from(struct bfo_record *r, const struct bfo_plan *plan, uint64_t at,
			    uint64_t len, uint64_t left)
{
	uint64_t ratio = plan->target->cluster_blocks, end = at + len, next;

	while (left && r->nruns < BFO_RECORD_RUNS) {
		while (at < end && is_planned(plan, at, ratio, &next))
			at = (next + ratio - 1) / ratio * ratio;
		for (len = 0; at + len < end && len < left; len += ratio)
			if (is_planned(plan, at + len, ratio, &next))
				break;
		len = len < left ? len : left;
		if (!len)
			break;
		r->runs[r->nruns++] = (struct bfo_range) { .start = at, .len = len };
		left -= len;
		at += len;
	}
	return left;
}

/* The lowest free blocks that the plan leaves; 0 if these are not enough or in too many pieces. */
static int choose_blocks(struct bfo_record *r, const struct bfo_plan *plan)
{
	const bfo_ranges *free = &plan->target->free_blocks;
	uint64_t left = r->nblocks;
	size_t i;

	for (i = 0; i < free->n; i++)
		left = choose_from(r, plan, free->v[i].start, free->v[i].len, left);
	return !left;
}

static uint64_t head_bytes(const struct bfo_record *r)
{
	return BFO_RECORD_HEAD + r->zeroed.n * 8 + r->text.n;
}

static errcode_t keep_text(struct bfo_record *r, const void *text, size_t bytes)
{
	errcode_t err = bfo_vec_reserve(&r->text, bytes + 1);

	if (err)
		return err;
	if (bytes)
		memcpy(r->text.v, text, bytes);
	r->text.n = bytes;
	return 0;
}

/* Who is charged: the owners of the root directory, who have an entry in each quota file. */
static errcode_t choose_owner(struct bfo_record *r, struct bfo_volume *target)
{
	struct ext2_inode_large root;
	errcode_t err = ext2fs_read_inode_full(target->fs, EXT2_ROOT_INO, (void *) &root,
					       sizeof(root));

	if (err)
		return err;
	r->owner[BFO_QUOTA_USER] = inode_uid(root);
	r->owner[BFO_QUOTA_GROUP] = inode_gid(root);
	if (ext2fs_has_feature_project(target->fs->super) &&
	    target->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		r->owner[BFO_QUOTA_PROJECT] = root.i_projid;
	return 0;
}

errcode_t bfo_record_plan(struct bfo_record *r, const struct bfo_plan *plan,
			  const struct bfo_source *source, struct bfo_volume *target,
			  const void *text, size_t bytes)
{
	uint64_t ratio = plan->target->cluster_blocks, bs = target->block_size;
	errcode_t err;

	memset(r, 0, sizeof(*r));
	memcpy(r->target_uuid, target->fs->super->s_uuid, sizeof(r->target_uuid));
	memcpy(r->source_uuid, source->uuid, sizeof(r->source_uuid));
	r->source_stamp = source->stamp;
	r->now = plan->now;
	r->stem_len = plan->stem_len;
	bfo_plan_digest(plan, &r->digest);
	err = note_groups(r, plan, target);
	if (!err)
		err = keep_text(r, text, bytes);
	if (!err)
		err = choose_owner(r, target);
	r->nblocks = (head_bytes(r) + bs - 1) / bs + 2;
	if (err || r->nblocks > BFO_RECORD_BLOCKS || !plan->target->free_inodes.n ||
	    !choose_blocks(r, plan))
		return err;
	r->ino = plan->target->free_inodes.v[0].start;
	r->generation = r->digest.sum[BFO_DIGEST_STEM];
	for (bytes = r->charged = 0; bytes < r->nruns; bytes++)
		r->charged += (r->runs[bytes].len + ratio - 1) / ratio * ratio * bs;
	return 0;
}

void bfo_record_free(struct bfo_record *r)
{
	bfo_vec_free(&r->zeroed);
	bfo_vec_free(&r->text);
}

/* ---- its content ---- */

uint64_t bfo_record_block(const struct bfo_record *r, uint32_t i)
{
	uint32_t run = 0;

	while (i >= r->runs[run].len)
		i -= r->runs[run++].len;
	return r->runs[run].start + i;
}

/* Head, ranges and text, as they stand in the file. */
static void pack(const struct bfo_record *r, struct bfo_record_head *h)
{
	uint32_t *range = (void *) (h + 1);
	size_t i;

	memcpy(h->magic, BFO_RECORD_MAGIC, sizeof(h->magic));
	h->version = BFO_RECORD_VERSION;
	h->bytes = head_bytes(r);
	memcpy(h->target_uuid, r->target_uuid, sizeof(h->target_uuid));
	memcpy(h->source_uuid, r->source_uuid, sizeof(h->source_uuid));
	h->now = r->now;
	h->stem_len = r->stem_len;
	h->first_ino = r->first_ino;
	h->last_ino = r->last_ino;
	h->ranges = r->zeroed.n;
	h->digest = r->digest;
	h->source_stamp = r->source_stamp;
	h->text = r->text.n;
	h->unused = r->unused;
	h->flags = r->has_before ? r->flags : BFO_RECORD_NO_FLAGS;
	h->wtime = r->wtime;
	for (i = 0; i < r->zeroed.n; i++) {
		*range++ = r->zeroed.v[i].start;
		*range++ = r->zeroed.v[i].len;
	}
	memcpy(range, r->text.v, r->text.n);
	h->csum = 0;
	h->csum = bfo_crc32c(~0U, h, h->bytes);
}

static errcode_t write_file(const struct bfo_record *r, struct bfo_writer *w)
{
	uint32_t bs = w->vol->block_size, i;
	char *file = calloc(r->nblocks, bs);
	errcode_t err = file ? 0 : bfo_fail(w->ctx, ENOMEM, "recording the copy");

	if (file)
		pack(r, (void *) file);
	for (i = 0; i < r->nblocks && !err; i++)
		err = bfo_writer_write(w, bfo_record_block(r, i), 1, file + (size_t) i * bs);
	free(file);
	return err;
}

errcode_t bfo_record_progress(struct bfo_record *r, struct bfo_writer *w, uint64_t done,
			      uint32_t mark)
{
	struct bfo_record_progress p = { .count = r->count + 1, .done = done, .mark = mark };
	char sector[BFO_RECORD_SECTOR] = "";

	if (!r->ino || done <= r->done)
		return 0;
	memcpy(p.magic, BFO_RECORD_PROGRESS, sizeof(p.magic));
	p.csum = bfo_crc32c(~0U, &p, offsetof(struct bfo_record_progress, csum));
	p.mark_csum = bfo_crc32c(~0U, &p, offsetof(struct bfo_record_progress, mark_csum));
	memcpy(sector, &p, sizeof(p));
	r->count++;
	r->done = done;
	r->mark = mark;
	return bfo_writer_part(w, bfo_record_block(r, r->nblocks - 1 - r->count % 2),
			       sizeof(sector), sector);
}

/* ---- its inode ---- */

static void put_extents(const struct bfo_record *r, void *i_block)
{
	struct ext3_extent_header *h = i_block;
	struct ext3_extent *e = EXT_FIRST_EXTENT(h);
	uint32_t i, lblk = 0;

	h->eh_magic = EXT3_EXT_MAGIC;
	h->eh_entries = r->nruns;
	h->eh_max = (60 - sizeof(*h)) / sizeof(*e);
	for (i = 0; i < r->nruns; i++, e++) {
		e->ee_block = lblk;
		e->ee_len = r->runs[i].len;
		e->ee_start = r->runs[i].start;
		e->ee_start_hi = r->runs[i].start >> 32;
		lblk += r->runs[i].len;
	}
}

static void put_owner(const struct bfo_record *r, struct ext2_inode_large *raw, uint32_t size)
{
	raw->i_uid = r->owner[BFO_QUOTA_USER];
	raw->osd2.linux2.l_i_uid_high = r->owner[BFO_QUOTA_USER] >> 16;
	raw->i_gid = r->owner[BFO_QUOTA_GROUP];
	raw->osd2.linux2.l_i_gid_high = r->owner[BFO_QUOTA_GROUP] >> 16;
	if (size == EXT2_GOOD_OLD_INODE_SIZE)
		return;
	raw->i_extra_isize = sizeof(*raw) - EXT2_GOOD_OLD_INODE_SIZE;
	raw->i_projid = r->owner[BFO_QUOTA_PROJECT];
}

static void make_inode(const struct bfo_record *r, const struct bfo_volume *vol,
		       struct ext2_inode_large *raw)
{
	uint32_t i;

	memset(raw, 0, vol->inode_size);
	raw->i_mode = S_IFREG | 0600;
	raw->i_size = r->nblocks * vol->block_size;
	raw->i_blocks = r->charged / 512;
	raw->i_atime = raw->i_ctime = raw->i_mtime = r->now;
	raw->i_generation = r->generation;
	put_owner(r, raw, vol->inode_size);
	if (ext2fs_has_feature_extents(vol->fs->super)) {
		raw->i_flags = EXT4_EXTENTS_FL;
		put_extents(r, raw->i_block);
	} else {
		for (i = 0; i < r->nblocks; i++)
			raw->i_block[i] = bfo_record_block(r, i);
	}
	ext2fs_inode_csum_set(vol->fs, r->ino, raw);
}

/* The slot's image in T, and all behind the used part of the table zeroed. */
static errcode_t get_slot(const struct bfo_record *r, struct bfo_transaction *t, void **slot)
{
	struct bfo_volume *vol = t->w->vol;
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), byte, index = (r->ino - 1) % ipg;
	uint64_t blk = bfo_volume_inode_block(vol, r->ino, &byte);
	errcode_t err;
	void *image;

	err = bfo_transaction_get(t, blk, &image);
	if (err)
		return err;
	*slot = (char *) image + byte;
	if (r->has_before && index >= ipg - r->unused)
		memset(*slot, 0, vol->block_size - byte);
	return 0;
}

static errcode_t put_inode(struct bfo_record *r, struct bfo_transaction *t)
{
	errcode_t err;
	void *slot;

	err = get_slot(r, t, &slot);
	if (!err)
		make_inode(r, t->w->vol, slot);
	return err;
}

errcode_t bfo_record_clear(struct bfo_record *r, struct bfo_transaction *t)
{
	errcode_t err;
	void *slot;

	err = r->ino ? get_slot(r, t, &slot) : 0;
	if (!err && r->ino)
		memset(slot, 0, t->w->vol->inode_size);
	return err;
}

/* ---- what it takes ---- */

/* The group of its inode, as it is now. */
static void note_group(struct bfo_record *r, struct bfo_volume *vol)
{
	dgrp_t g = (r->ino - 1) / EXT2_INODES_PER_GROUP(vol->fs->super);

	if (!r->ino || !ext2fs_has_group_desc_csum(vol->fs))
		return;
	r->unused = EXT2_INODES_PER_GROUP(vol->fs->super) - bfo_volume_group_used(vol, g);
	r->flags = ext2fs_bg_flags(vol->fs, g);
	r->has_before = 1;
}

/* While there is a record no group that gets inodes claims to be zeroed. */
static void claim_zeroes(const struct bfo_record *r, struct bfo_meta *m, int zeroed)
{
	uint64_t g;
	size_t i;

	for (i = 0; i < r->zeroed.n; i++)
		for (g = 0; g < r->zeroed.v[i].len; g++)
			bfo_meta_zeroed(m, r->zeroed.v[i].start + g, zeroed);
}

void bfo_record_mark(struct bfo_record *r, struct bfo_meta *m, int use)
{
	ext2_filsys fs = m->fs;
	dgrp_t g;
	uint32_t i;

	claim_zeroes(r, m, use < 0);
	if (!r->ino)
		return;
	g = (r->ino - 1) / EXT2_INODES_PER_GROUP(fs->super);
	for (i = 0; i < r->nruns; i++)
		bfo_meta_blocks(m, r->runs[i].start, r->runs[i].len, use);
	bfo_meta_inode(m, r->ino, use);
	if (use < 0 && r->has_before) {
		ext2fs_bg_itable_unused_set(fs, g, r->unused);
		if (r->flags & EXT2_BG_INODE_UNINIT)
			ext2fs_bg_flags_set(fs, g, EXT2_BG_INODE_UNINIT);
	}
	fs->super->s_last_orphan = use > 0 ? r->ino : 0;
}

errcode_t bfo_record_charge(struct bfo_record *r, struct bfo_transaction *t, int use)
{
	return r->ino ? bfo_quota_adjust(t, r->owner, use, use * (int64_t) r->charged) : 0;
}

errcode_t bfo_record_put(struct bfo_record *r, struct bfo_writer *w, struct bfo_transaction *t)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, w->ctx, w->vol);

	note_group(r, w->vol);
	if (!err && r->ino)
		err = write_file(r, w);
	if (!err)
		bfo_record_mark(r, &m, 1);
	if (!err && r->ino)
		err = put_inode(r, t);
	if (!err)
		err = bfo_record_charge(r, t, 1);
	if (!err)
		err = bfo_meta_stage(&m, t);
	bfo_meta_close(&m);
	return err;
}
