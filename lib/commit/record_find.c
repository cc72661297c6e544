// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record_find.c - what a copy leaves on the target while it is under way: finding it, and giving
 * back what it stands for
 *
 * Nothing on the disk is trusted: what does not have a record's checksum is none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/pages.h"
#include "commit/record.h"
#include "commit/record_format.h"
#include "commit/txlog.h"

#define WIPE_BYTES (1U << 20)	/* longest write */

static errcode_t none(struct bfo_context *ctx, const struct bfo_volume *vol, const char *why)
{
	return bfo_fail(ctx, BFO_ET_NO_RECORD, "looking at %s: %s", vol->spec, why);
}

static int note_block(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t lblk, blk64_t ref, int offset,
		      void *priv)
{
	struct bfo_record *r = priv;

	(void) fs;
	(void) ref;
	(void) offset;
	if (lblk != r->nblocks || r->nblocks == BFO_RECORD_BLOCKS)
		return BLOCK_ABORT;
	r->runs[r->nruns++] = (struct bfo_range) { .start = *blk, .len = 1 };
	r->nblocks++;
	return 0;
}

/* Blocks of a bigalloc filesystem that lie in one cluster are given back together. */
static void join_runs(struct bfo_record *r)
{
	uint32_t i, n = 0;

	for (i = 0; i < r->nruns; i++) {
		if (n && r->runs[n - 1].start + r->runs[n - 1].len == r->runs[i].start)
			r->runs[n - 1].len++;
		else
			r->runs[n++] = r->runs[i];
	}
	r->nruns = n;
}

/* Everything about RAW that put_inode() decides, so that nothing but the record goes with it. */
static int is_ours(const struct bfo_volume *vol, const struct bfo_record *r,
		   const struct ext2_inode_large *raw)
{
	int extents = !!ext2fs_has_feature_extents(vol->fs->super);
	const struct ext3_extent_header *h = (const void *) raw->i_block;
	uint64_t ratio = EXT2FS_CLUSTER_RATIO(vol->fs), clusters = 0;
	uint32_t i;

	for (i = 0; i < r->nruns; i++)
		clusters += (r->runs[i].len + ratio - 1) / ratio;
	return EXT2_I_SIZE(raw) == (uint64_t) r->nblocks * vol->block_size && !raw->i_file_acl &&
	       !raw->osd2.linux2.l_i_file_acl_high && !raw->osd2.linux2.l_i_blocks_hi &&
	       raw->i_flags == (extents ? EXT4_EXTENTS_FL : 0) && !(extents && h->eh_depth) &&
	       raw->i_blocks == clusters * ratio * vol->block_size / 512;
}

/* Blocks of the volume, each in use, and once. */
static int are_blocks(const struct bfo_record *r, const struct bfo_volume *vol)
{
	uint32_t i, j;

	for (i = 0; i < r->nruns; i++) {
		if (!bfo_volume_contains(vol, r->runs[i].start, 1) ||
		    !ext2fs_test_block_bitmap2(vol->fs->block_map, r->runs[i].start))
			return 0;
		for (j = 0; j < i; j++)
			if (r->runs[j].start == r->runs[i].start)
				return 0;
	}
	return 1;
}

static int read_inode(struct bfo_record *r, struct bfo_volume *vol)
{
	struct ext2_super_block *sb = vol->fs->super;
	struct ext2_inode_large raw = { 0 };

	r->ino = sb->s_last_orphan;
	if (r->ino < EXT2_FIRST_INODE(sb) || r->ino > sb->s_inodes_count ||
	    !ext2fs_test_inode_bitmap2(vol->fs->inode_map, r->ino) ||
	    ext2fs_read_inode_full(vol->fs, r->ino, (void *) &raw, sizeof(raw)))
		return 0;
	if (!S_ISREG(raw.i_mode) || raw.i_links_count || raw.i_dtime ||
	    ext2fs_block_iterate3(vol->fs, r->ino, BLOCK_FLAG_READ_ONLY | BLOCK_FLAG_DATA_ONLY,
				  NULL, note_block, r) || !are_blocks(r, vol))
		return 0;
	join_runs(r);
	if (!is_ours(vol, r, &raw))
		return 0;
	r->generation = raw.i_generation;
	r->charged = (uint64_t) raw.i_blocks * 512;
	r->owner[BFO_QUOTA_USER] = inode_uid(raw);
	r->owner[BFO_QUOTA_GROUP] = inode_gid(raw);
	if (ext2fs_has_feature_project(sb) && vol->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		r->owner[BFO_QUOTA_PROJECT] = raw.i_projid;
	return r->nblocks > 2;
}

static int is_whole(const struct bfo_record *r, const struct bfo_volume *vol,
		    struct bfo_record_head *h)
{
	uint64_t blocks = ((uint64_t) h->bytes + vol->block_size - 1) / vol->block_size + 2;
	uint32_t csum = h->csum;

	if (memcmp(h->magic, BFO_RECORD_MAGIC, sizeof(h->magic)) ||
	    (h->version != BFO_RECORD_VERSION && h->version != BFO_RECORD_VERSION_LINE) ||
	    blocks != r->nblocks ||
	    h->bytes != BFO_RECORD_HEAD + (uint64_t) h->ranges * 8 + h->text)
		return 0;
	h->csum = 0;
	return bfo_crc32c(~0U, h, h->bytes) == csum &&
	       !memcmp(h->target_uuid, vol->fs->super->s_uuid, sizeof(h->target_uuid));
}

static int is_blank(const char *at, size_t bytes)
{
	return !bytes || (!*at && !memcmp(at, at + 1, bytes - 1));
}

/*
 * Behind head, ranges and text there is nothing, nor is there behind the numbers of progress: these
 * blocks are wiped later, so they have to be what the record says they are.
 */
static int is_alone(const struct bfo_record *r, uint32_t bs, const char *file)
{
	const struct bfo_record_head *h = (const void *) file;
	const char *block = file + (size_t) (r->nblocks - 2) * bs;
	size_t used = sizeof(struct bfo_record_progress);	/* whatever is torn */
	int i, alone = is_blank(file + h->bytes, block - file - h->bytes);

	for (i = 0; i < 2; i++, block += bs)
		alone &= is_blank(block + used, bs - used);
	return alone;
}

static errcode_t unpack(struct bfo_record *r, const struct bfo_record_head *h)
{
	const uint32_t *range = (const void *) (h + 1);
	errcode_t err = 0;
	uint32_t i;

	r->version = h->version;
	memcpy(r->target_uuid, h->target_uuid, sizeof(r->target_uuid));
	memcpy(r->source_uuid, h->source_uuid, sizeof(r->source_uuid));
	r->now = h->now;
	r->stem_len = h->stem_len;
	r->first_ino = h->first_ino;
	r->last_ino = h->last_ino;
	r->digest = h->digest;
	r->source_stamp = h->source_stamp;
	r->unused = h->unused;
	r->flags = h->flags;
	r->has_before = h->flags != BFO_RECORD_NO_FLAGS;
	r->wtime = h->wtime;
	for (i = 0; i < h->ranges && !err; i++, range += 2)
		err = bfo_vec_push(&r->zeroed, (struct bfo_range) { .start = range[0],
				   .len = range[1] });
	if (!err)
		err = bfo_vec_reserve(&r->text, h->text + 1);
	if (err)
		return err;
	memcpy(r->text.v, range, h->text);
	r->text.v[h->text] = 0;
	r->text.n = h->text;
	return 0;
}

static void read_progress(struct bfo_record *r, const char *block)
{
	struct bfo_record_progress p;

	memcpy(&p, block, sizeof(p));
	if (memcmp(p.magic, BFO_RECORD_PROGRESS, sizeof(p.magic)) || p.count <= r->count ||
	    p.csum != bfo_crc32c(~0U, &p, offsetof(struct bfo_record_progress, csum)) ||
	    p.done > r->stem_len)
		return;
	r->count = p.count;
	r->done = p.done;
	r->mark = p.mark_csum == bfo_crc32c(~0U, &p, offsetof(struct bfo_record_progress,
							      mark_csum)) ? p.mark : 0;
}

static errcode_t read_file(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_record *r)
{
	uint32_t bs = vol->block_size, i;
	char *file = malloc((size_t) r->nblocks * bs);
	errcode_t err = file ? 0 : ENOMEM;

	for (i = 0; i < r->nblocks && !err; i++)
		err = bfo_volume_read(ctx, vol, bfo_record_block(r, i), 1, file + (size_t) i * bs);
	if (!err && (!is_whole(r, vol, (void *) file) || !is_alone(r, bs, file)))
		err = none(ctx, vol, "its orphan is something else");
	if (!err)
		err = unpack(r, (void *) file);
	for (i = r->nblocks - 2; i < r->nblocks && !err; i++)
		read_progress(r, file + (size_t) i * bs);
	free(file);
	return err;
}

/*
 * The count of its group's table before: nothing behind that part is in use but the record, which
 * also made the part no shorter; and none of it is used where the flags say so.
 */
static int is_before(const struct bfo_record *r, const struct bfo_volume *vol)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), used = ipg - r->unused, ino;
	dgrp_t g = (r->ino - 1) / ipg;

	if (!r->has_before)
		return 1;
	if (!ext2fs_has_group_desc_csum(vol->fs) || r->unused > ipg ||
	    used > bfo_volume_group_used(vol, g) || (r->flags & EXT2_BG_INODE_UNINIT && used))
		return 0;
	for (ino = g * ipg + used + 1; ino <= (g + 1) * ipg; ino++)
		if (ino != r->ino && ext2fs_test_inode_bitmap2(vol->fs->inode_map, ino))
			return 0;
	return 1;
}

/* Only groups that get inodes, and have checksums that vouch for the claim, lose it; in order. */
static int are_groups(const struct bfo_record *r, const struct bfo_volume *vol)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super);
	uint64_t next = (r->first_ino - 1) / ipg, end = (r->last_ino - 1) / ipg + 1;
	size_t i;

	if (r->zeroed.n && (!r->first_ino || !ext2fs_has_group_desc_csum(vol->fs)))
		return 0;
	for (i = 0; i < r->zeroed.n; i++) {
		const struct bfo_range *range = &r->zeroed.v[i];

		if (range->start < next || range->start >= end || range->len > end - range->start)
			return 0;
		next = range->start + range->len;
	}
	return 1;
}

errcode_t bfo_record_find(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_record *r)
{
	uint32_t ino = vol->fs->super->s_last_orphan, max = vol->fs->super->s_inodes_count;
	errcode_t err;

	memset(r, 0, sizeof(*r));
	if (!ino)
		return none(ctx, vol, "there is none, or a mount or e2fsck has dropped it");
	err = read_inode(r, vol) ? read_file(ctx, vol, r) :
	      none(ctx, vol, "its orphan is something else");
	if (!err && (r->first_ino > r->last_ino || r->last_ino > max ||
		     !is_before(r, vol) || !are_groups(r, vol)))
		err = none(ctx, vol, "its record is damaged");
	if (err) {
		bfo_record_free(r);
		r->ino = 0;
	}
	return err;
}

static errcode_t differs(struct bfo_context *ctx, const char *what)
{
	return bfo_fail(ctx, BFO_ET_CHANGED, "comparing with the interrupted copy: %s; if that "
			"cannot be put right, 'e2bfo abort' gives the copy up", what);
}

/* Who takes free blocks and gives them back leaves no other trace in what is compared. */
errcode_t bfo_record_is_on(struct bfo_context *ctx, const struct bfo_record *r,
			   const struct bfo_volume *target)
{
	if (target->fs->super->s_wtime != bfo_record_wtime(r->now))
		return differs(ctx, "somebody has written to the target");
	return 0;
}

errcode_t bfo_record_is_of(struct bfo_context *ctx, const struct bfo_record *r,
			   const struct bfo_source *source)
{
	if (memcmp(r->source_uuid, source->uuid, sizeof(r->source_uuid)))
		return bfo_fail(ctx, BFO_ET_CHANGED, "looking at %s: the UUID of the source is "
				"another one; --source says where the right one is", source->name);
	if (source->stamp != r->source_stamp)
		return bfo_fail(ctx, BFO_ET_CHANGED, "looking at %s: it was mounted or written to "
				"since the copy was begun; if there is an unchanged one, --source "
				"says where; else 'e2bfo abort' gives the copy up", source->name);
	return 0;
}

errcode_t bfo_record_compare(const struct bfo_record *r, const struct bfo_plan *plan)
{
	static const char *const parts[BFO_DIGEST_PARTS] = {
		[BFO_DIGEST_INODES] =
			"what is to be copied has changed, the source or lists of paths",
		[BFO_DIGEST_NAMES] = "names in the source have changed, or lists of paths",
		[BFO_DIGEST_SEGS] = "the source's data lies elsewhere",
		[BFO_DIGEST_ATTRIBUTES] = "extended attributes of the source have changed",
		[BFO_DIGEST_STEM] = "the target's data would lie elsewhere",
		[BFO_DIGEST_TARGET] = "the target has changed",
	};
	struct bfo_digest now;
	int i;

	bfo_plan_digest(plan, &now);
	for (i = 0; i < BFO_DIGEST_PARTS; i++)
		if (now.sum[i] != r->digest.sum[i])
			return differs(plan->ctx, parts[i]);
	return plan->stem_len == r->stem_len ? 0 : differs(plan->ctx, "the amount of data");
}

/* ---- giving back ---- */

static errcode_t write_zeroes(struct bfo_writer *w, const char *zeroes, uint64_t blk, uint64_t len)
{
	uint64_t max = WIPE_BYTES / w->vol->block_size, part;
	errcode_t err = 0;

	for (; len && !err; blk += part, len -= part) {
		part = len < max ? len : max;
		err = bfo_writer_write(w, blk, part, zeroes);
	}
	return err;
}

/* The blocks of the tables that hold unused slots only, between the first and the last staged. */
errcode_t bfo_record_wipe_slots(struct bfo_record *r, struct bfo_writer *w)
{
	struct bfo_volume *vol = w->vol;
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), end, used;
	uint32_t per_block = vol->block_size / vol->inode_size;
	char *zeroes = bfo_pages_alloc(WIPE_BYTES);
	errcode_t err = zeroes ? 0 : bfo_fail(w->ctx, ENOMEM, "wiping inode tables");
	dgrp_t g = r->first_ino ? (r->first_ino - 1) / ipg : 1, last = (r->last_ino - 1) / ipg;

	for (; g <= last && g < vol->fs->group_desc_count && !err && r->first_ino; g++) {
		end = r->last_ino - g * ipg < ipg ? r->last_ino - g * ipg : ipg;
		end = (end + per_block - 1) / per_block;
		used = (bfo_volume_group_used(vol, g) + per_block - 1) / per_block;
		if (used < end)
			err = write_zeroes(w, zeroes, ext2fs_inode_table_loc(vol->fs, g) + used,
					   end - used);
	}
	bfo_pages_free(zeroes, WIPE_BYTES);
	return err;
}

static errcode_t wipe_blocks(const struct bfo_record *r, struct bfo_writer *w)
{
	char *zeroes = calloc(1, w->vol->block_size);
	errcode_t err = zeroes ? 0 : bfo_fail(w->ctx, ENOMEM, "wiping the record");
	uint32_t i;

	for (i = 0; i < r->nblocks && !err; i++)
		err = bfo_writer_write(w, bfo_record_block(r, i), 1, zeroes);
	free(zeroes);
	return err;
}

errcode_t bfo_record_wipe(struct bfo_record *r, struct bfo_writer *w)
{
	return r->ino ? wipe_blocks(r, w) : 0;
}

struct place {
	uint64_t start;
	uint32_t len;
} __attribute__((packed));

static_assert(sizeof(struct place[BFO_RECORD_RUNS]) == BFO_TXLOG_NOTE_BYTES, "as record.h says");

void bfo_record_place(const struct bfo_record *r, void *note)
{
	struct place *place = note;
	uint32_t i;

	memset(note, 0, BFO_TXLOG_NOTE_BYTES);
	for (i = 0; r->ino && i < r->nruns && i < BFO_RECORD_RUNS; i++)
		place[i] = (struct place) { .start = r->runs[i].start, .len = r->runs[i].len };
}

/* What NOTE says, if that can be: free blocks of VOL, not too many.  Else there are none. */
static void take_place(struct bfo_record *r, const struct bfo_volume *vol, const void *note)
{
	const struct place *place = note;
	uint32_t i, j, n = 0;

	for (i = 0; i < BFO_RECORD_RUNS && place[i].len; i++, n += r->runs[r->nruns++].len) {
		r->runs[i] = (struct bfo_range) { .start = place[i].start, .len = place[i].len };
		if (place[i].len > BFO_RECORD_BLOCKS - n ||
		    !bfo_volume_contains(vol, place[i].start, place[i].len))
			return;
		for (j = 0; j < place[i].len; j++)
			if (ext2fs_test_block_bitmap2(vol->fs->block_map, place[i].start + j))
				return;
	}
	r->nblocks = n;
}

errcode_t bfo_record_sweep(struct bfo_writer *w, const void *note)
{
	struct bfo_record r = { .ino = 0 };
	errcode_t err;

	take_place(&r, w->vol, note);
	if (r.nblocks <= 2)
		return 0;
	err = read_file(w->ctx, w->vol, &r);
	if (!err)
		err = wipe_blocks(&r, w);
	bfo_record_free(&r);
	return err == BFO_ET_NO_RECORD ? 0 : err;
}
