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

static errcode_t settle_file(struct bfo_edit *e, struct bfo_quota_file *file, int type,
			     const shares *s)
{
	struct bfo_quota q = { 0 };
	void *data = NULL;
	uint64_t size;
	size_t i;
	errcode_t err = bfo_quota_parse(&q, type, file->data, file->size);

	for (i = 0; i < s->n && !err; i++)
		err = apply(&q, &s->v[i]);
	if (!err)
		err = bfo_quota_build(&q, type, &data, &size);
	if (!err)
		err = renew(e, file, data, size);
	free(data);
	bfo_quota_free(&q);
	return err ? bfo_fail(e->ctx, err, "charging quota in inode %u of %s", file->ino,
			      e->vol->spec) : 0;
}

errcode_t bfo_charges_settle(struct bfo_edit *e)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES];
	shares s[BFO_QUOTA_FILES] = { { 0 } };
	errcode_t err;
	int type;

	if (!ext2fs_has_feature_quota(e->vol->fs->super))
		return 0;
	err = charge_all(e, s);
	if (!err)
		err = bfo_quota_files_read(e->ctx, e->vol, files);
	else
		memset(files, 0, sizeof(files));
	for (type = 0; type < BFO_QUOTA_FILES && !err; type++) {
		join(&s[type]);
		if (files[type].ino && s[type].n)
			err = settle_file(e, &files[type], type, &s[type]);
	}
	bfo_quota_files_free(files);
	for (type = 0; type < BFO_QUOTA_FILES; type++)
		bfo_vec_free(&s[type]);
	return err;
}
