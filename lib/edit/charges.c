// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * charges.c - quota of a volume that is changed
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/sort.h"
#include "edit/charges.h"
#include "edit/content.h"
#include "edit/mapped.h"
#include "gather/quota_read.h"
#include "plan/charge.h"

/* What one owner has more; less is negative. */
struct share {
	uint64_t id;			/* sort key */
	int64_t inodes, bytes;
};

typedef BFO_VEC(struct share) shares;

/* Each value in an inode of its own counts as one of its user's. */
static errcode_t charge(struct bfo_edit *e, shares *s, enum bfo_quota_type type, const void *raw,
			int64_t inodes, int sign)
{
	int64_t bytes = bfo_charge_bytes(raw, e->vol->block_size, e->shape.has_huge_file);
	uint64_t id = bfo_charge_owner(raw, e->vol->inode_size, type);

	if (s->n && s->v[s->n - 1].id == id) {
		s->v[s->n - 1].inodes += sign * inodes;
		s->v[s->n - 1].bytes += sign * bytes;
		return 0;
	}
	return bfo_vec_push(s, (struct share) { .id = id, .inodes = sign * inodes,
						.bytes = sign * bytes });
}

/* All changed drafts: what they are, and what they were. */
static errcode_t charge_all(struct bfo_edit *e, shares s[BFO_QUOTA_FILES])
{
	const struct bfo_draft *n;
	const void *block;
	errcode_t err = 0;
	uint32_t byte;
	int type;

	for (n = e->changed; n && !err; n = n->next_changed)
		for (type = 0; type < BFO_QUOTA_FILES && !err; type++) {
			if (bfo_draft_flags(n) & EXT4_EA_INODE_FL)
				continue;
			if (!n->is_gone)
				err = charge(e, &s[type], type, n->raw, 1 + n->values, 1);
			if (!err && !n->is_new)
				err = bfo_windows_block(&e->windows, bfo_volume_inode_block(e->vol,
							n->ino, &byte), &block);
			if (!err && !n->is_new)
				err = charge(e, &s[type], type, (const char *) block + byte,
					     1 + n->values_before, -1);
		}
	return err;
}

BFO_SORT_BY(by_id, struct share, id)

static void join(shares *s)
{
	size_t i, to = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_id);
	for (i = 0; i < s->n; i++)
		if (to && s->v[to - 1].id == s->v[i].id) {
			s->v[to - 1].inodes += s->v[i].inodes;
			s->v[to - 1].bytes += s->v[i].bytes;
		} else {
			s->v[to++] = s->v[i];
		}
	s->n = to;
	for (i = to = 0; i < s->n; i++)
		if (s->v[i].inodes || s->v[i].bytes)
			s->v[to++] = s->v[i];
	s->n = to;
}

static errcode_t apply(struct bfo_quota *q, const struct share *s)
{
	size_t i = bfo_vec_lower(&q->entries, id, s->id);
	struct bfo_quota_entry *x;
	errcode_t err;

	if (i == q->entries.n || q->entries.v[i].id != s->id) {
		err = bfo_vec_reserve(&q->entries, 1);
		if (err)
			return err;
		memmove(q->entries.v + i + 1, q->entries.v + i,
			(q->entries.n - i) * sizeof(*q->entries.v));
		q->entries.v[i] = (struct bfo_quota_entry) { .id = s->id };
		q->entries.n++;
	}
	x = &q->entries.v[i];
	if ((s->inodes < 0 && x->inodes < (uint64_t) -s->inodes) ||
	    (s->bytes < 0 && x->space < (uint64_t) -s->bytes))
		return BFO_ET_UNHEALTHY;
	x->inodes += s->inodes;
	x->space += s->bytes;
	return 0;
}

/* ---- in place ---- */

/*
 * Where the entries of all shares stand in FILE: AT, in the order of S.  0 if one is not there, or
 * is going to be without usage and so has to go, or if they stand in too many blocks.
 */
static int find_slots(const struct bfo_edit *e, const struct bfo_quota_file *file, const shares *s,
		      uint64_t *at)
{
	uint64_t inodes, bytes, seen[BFO_CHARGES_BLOCKS], blk;
	size_t i, k, blocks = 0;

	for (i = 0; i < s->n; i++) {
		if (bfo_quota_slot(file->data, file->size, s->v[i].id, &at[i]))
			return 0;
		bfo_quota_slot_usage((const char *) file->data + at[i], &inodes, &bytes);
		if ((s->v[i].inodes < 0 && inodes <= (uint64_t) -s->v[i].inodes) ||
		    (s->v[i].bytes < 0 && bytes < (uint64_t) -s->v[i].bytes))
			return 0;
		blk = at[i] / e->vol->block_size;
		for (k = 0; k < blocks && seen[k] != blk; k++)
			;
		if (k == BFO_CHARGES_BLOCKS)
			return 0;
		if (k == blocks)
			seen[blocks++] = blk;
	}
	return 1;
}

/* Changes the entry at byte AT of FILE, and what is known of it. */
static errcode_t change_slot(struct bfo_edit *e, struct bfo_quota_file *file, uint64_t at,
			     const struct share *s)
{
	uint32_t bs = e->vol->block_size;
	char *image;
	blk64_t blk;
	errcode_t err = ext2fs_bmap2(e->vol->fs, file->ino, NULL, NULL, 0, at / bs, NULL, &blk);

	if (!err && !bfo_volume_contains(e->vol, blk, 1))
		err = BFO_ET_DAMAGED;
	if (!err)
		err = bfo_mapped_image(e, blk, &image);
	if (err)
		return err;
	bfo_quota_slot_add(image + at % bs, s->inodes, s->bytes);
	bfo_quota_slot_add((char *) file->data + at, s->inodes, s->bytes);
	return 0;
}

static errcode_t change_slots(struct bfo_edit *e, struct bfo_quota_file *file, const shares *s,
			      int *done)
{
	uint64_t *at = calloc(s->n, sizeof(*at));
	errcode_t err = at ? 0 : ENOMEM;
	size_t i;

	*done = !err && find_slots(e, file, s, at);
	for (i = 0; *done && i < s->n && !err; i++)
		err = change_slot(e, file, at[i], &s->v[i]);
	free(at);
	return err;
}

/* ---- anew ---- */

/* The content of quota file FILE becomes the SIZE bytes at DATA. */
static errcode_t renew(struct bfo_edit *e, struct bfo_quota_file *file, const void *data,
		       uint64_t size)
{
	const struct bfo_edit_bytes bytes = { .data = data, .size = size };
	struct bfo_draft *n;
	errcode_t err = bfo_draft_own(e, file->ino, &n);

	if (err)
		return err;
	n->old_map = file->blocks;
	n->own = bfo_ranges_total(&file->blocks);
	memset(&file->blocks, 0, sizeof(file->blocks));
	n->is_mapped = n->is_remapped = 1;
	bfo_draft_set_size(n, 0);
	return bfo_draft_write(e, n, 0, &bytes);
}

static errcode_t rewrite(struct bfo_edit *e, struct bfo_quota_file *file, int type,
			 const shares *s)
{
	struct bfo_quota q = { 0 };
	void *data = NULL;
	uint64_t size;
	size_t i;
	errcode_t err = bfo_quota_parse(&q, type, file->data, file->size);

	e->has_quota = 0;			/* from the next commit on it is another one */

	for (i = 0; i < s->n && !err; i++)
		err = apply(&q, &s->v[i]);
	if (!err)
		err = bfo_quota_build(&q, type, &data, &size);
	if (!err)
		err = renew(e, file, data, size);
	free(data);
	bfo_quota_free(&q);
	return err;
}

static errcode_t settle_file(struct bfo_edit *e, struct bfo_quota_file *file, int type,
			     const shares *s)
{
	int done = 0;
	errcode_t err = change_slots(e, file, s, &done);

	if (!err && !done)
		err = rewrite(e, file, type, s);
	return err ? bfo_fail(e->ctx, err, "charging quota in inode %u of %s", file->ino,
			      e->vol->spec) : 0;
}

/* All of a file is looked at once, as later only entries are. */
static errcode_t check_file(struct bfo_edit *e, const struct bfo_quota_file *file, int type)
{
	struct bfo_quota q = { 0 };
	errcode_t err = bfo_quota_parse(&q, type, file->data, file->size);

	bfo_quota_free(&q);
	return err ? bfo_fail(e->ctx, err, "reading quota file inode %u of %s", file->ino,
			      e->vol->spec) : 0;
}

static errcode_t read_files(struct bfo_edit *e)
{
	errcode_t err;
	int type;

	if (e->has_quota)
		return 0;
	bfo_quota_files_free(e->quota);
	err = bfo_quota_files_read(e->ctx, e->vol, e->quota);
	for (type = 0; type < BFO_QUOTA_FILES && !err; type++)
		if (e->quota[type].ino)
			err = check_file(e, &e->quota[type], type);
	e->has_quota = !err;
	return err;
}

errcode_t bfo_charges_settle(struct bfo_edit *e)
{
	shares s[BFO_QUOTA_FILES] = { { 0 } };
	errcode_t err;
	int type;

	if (!ext2fs_has_feature_quota(e->vol->fs->super))
		return 0;
	err = charge_all(e, s);
	if (!err)
		err = read_files(e);
	for (type = 0; type < BFO_QUOTA_FILES && !err; type++) {
		join(&s[type]);
		if (e->quota[type].ino && s[type].n)
			err = settle_file(e, &e->quota[type], type, &s[type]);
	}
	for (type = 0; type < BFO_QUOTA_FILES; type++)
		bfo_vec_free(&s[type]);
	return err;
}
