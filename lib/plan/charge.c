// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * charge.c - the target's quota files in a plan: who is charged, and what
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "plan/charge.h"
#include "plan/eaimage.h"
#include "plan/itrees.h"
#include "tree/access.h"

#define SECTOR 512U

_Static_assert((int) BFO_QUOTA_TYPES == BFO_QUOTA_FILES, "a file for each type");

/* The project of RAW, an inode of SIZE bytes: 0 if i_extra_isize leaves no room for one. */
static uint32_t project_of(const struct ext2_inode_large *raw, uint32_t size)
{
	const size_t end = offsetof(struct ext2_inode_large, i_projid) + sizeof(raw->i_projid);

	if (size < end || EXT2_GOOD_OLD_INODE_SIZE + (size_t) le16(raw->i_extra_isize) < end)
		return 0;
	return le32(raw->i_projid);
}

uint32_t bfo_charge_owner(const void *data, uint32_t size, enum bfo_quota_type type)
{
	const struct ext2_inode_large *raw = data;

	switch (type) {
	case BFO_QUOTA_USER:
		return le16(raw->i_uid) | (uint32_t) le16(raw->osd2.linux2.l_i_uid_high) << 16;
	case BFO_QUOTA_GROUP:
		return le16(raw->i_gid) | (uint32_t) le16(raw->osd2.linux2.l_i_gid_high) << 16;
	default:
		return project_of(raw, size);
	}
}

uint64_t bfo_charge_bytes(const void *data, uint32_t block_size, int has_huge_file)
{
	const struct ext2_inode_large *raw = data;
	uint64_t count = le32(raw->i_blocks);

	if (!has_huge_file)
		return count * SECTOR;
	count |= (uint64_t) le16(raw->osd2.linux2.l_i_blocks_hi) << 32;
	return count * (le32(raw->i_flags) & EXT4_HUGE_FILE_FL ? block_size : SECTOR);
}

static uint64_t space_of(const struct bfo_target *target, const void *raw)
{
	return bfo_charge_bytes(raw, target->block_size, target->has_huge_file);
}

/* ---- deciding ---- */

static errcode_t fail_to(const struct bfo_plan *plan, errcode_t err, const char *what,
			 uint32_t ino)
{
	return bfo_fail(plan->ctx, err, "%s quota file inode %u of the target; please run e2fsck "
			"-f on it first", what, ino);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void take_back(struct bfo_quota *q, uint32_t id, uint64_t inodes, uint64_t bytes)
{
	size_t i = bfo_vec_lower(&q->entries, id, id);

	if (i == q->entries.n || q->entries.v[i].id != id)
		return;
	q->entries.v[i].inodes = less(q->entries.v[i].inodes, inodes);
	q->entries.v[i].space = less(q->entries.v[i].space, bytes);
}

static errcode_t load(struct bfo_plan *plan, enum bfo_quota_type type,
		      const struct bfo_quota_file *from)
{
	struct bfo_charge_file *f = &plan->charges->files[type];
	errcode_t err = 0;
	size_t i;

	f->ino = from->ino;
	f->generation = from->generation;
	f->freed.n = 0;
	bfo_quota_free(&f->quota);
	if (!f->ino)
		return 0;
	for (i = 0; i < from->blocks.n && !err; i++)
		err = bfo_vec_push(&f->freed, from->blocks.v[i]);
	if (!err)
		err = bfo_quota_parse(&f->quota, type, from->data, from->size);
	if (!err && plan->ghost.bytes)
		take_back(&f->quota, plan->ghost.owner[type], 1, plan->ghost.bytes);
	if (err)
		return fail_to(plan, err == ENOMEM ? err : BFO_ET_UNHEALTHY, "reading", f->ino);
	return 0;
}

errcode_t bfo_charges_load(struct bfo_plan *plan, const struct bfo_quota_file *files)
{
	errcode_t err = 0;
	int type, found = 0;

	for (type = 0; type < BFO_QUOTA_TYPES; type++)
		found |= files[type].ino;
	if (!plan->charges && !found)
		return 0;
	if (!plan->charges) {
		plan->charges = calloc(1, sizeof(*plan->charges));
		if (!plan->charges)
			return bfo_fail(plan->ctx, ENOMEM, "reading quota files");
		for (type = 0; type < BFO_QUOTA_TYPES; type++)
			plan->charges->files[type].row = BFO_NONE;
	}
	for (type = 0; type < BFO_QUOTA_TYPES && !err; type++)
		err = load(plan, type, &files[type]);
	return err;
}

static void drop_times(struct bfo_quota *q)
{
	size_t i;

	for (i = 0; i < q->entries.n; i++)
		q->entries.v[i].btime = q->entries.v[i].itime = 0;
}

errcode_t bfo_charges_limits(struct bfo_plan *plan, const struct bfo_quota_file *files)
{
	errcode_t err = 0;
	int type;

	if (!plan->charges)
		return 0;
	for (type = 0; type < BFO_QUOTA_TYPES && !err; type++) {
		struct bfo_charge_file *f = &plan->charges->files[type];

		if (!files[type].ino)
			continue;
		err = bfo_quota_parse(&f->limits, type, files[type].data, files[type].size);
		if (err)
			return bfo_fail(plan->ctx, err,
					"reading quota file inode %u of the source; "
					"please run e2fsck -f on it first",
					files[type].ino);
		if (!plan->whole)
			drop_times(&f->limits);
		f->takes_limits = 1;
	}
	return 0;
}

/* Every record that takes the source's inode, but for those that keep the target's. */
errcode_t bfo_charges_note(struct bfo_plan *plan, uint32_t ino, const void *raw, uint32_t size)
{
	bfo_row row = bfo_tree_find(plan->tree, ino);
	uint32_t state;
	errcode_t err = 0;
	int type;

	if (!plan->charges || row == BFO_NONE)
		return 0;
	state = plan->tree->inodes.v[row].state;
	if (!(state & BFO_INODE_PLACED) || state & BFO_INODE_KEEP)
		return 0;
	for (type = 0; type < BFO_QUOTA_TYPES && !err; type++)
		err = bfo_quota_charge(&plan->charges->files[type].who,
				       bfo_charge_owner(raw, size, type), 1, 0);
	/* An i_extra_isize that is damaged will be mended, and there may be a project then. */
	if (!err && state & BFO_INODE_NO_XATTR &&
	    size >= offsetof(struct ext2_inode_large, i_projid) + sizeof(uint32_t))
		err = bfo_quota_charge(&plan->charges->files[BFO_QUOTA_PROJECT].who,
				       le32(((const struct ext2_inode_large *) raw)->i_projid),
				       1, 0);
	return err ? bfo_fail(plan->ctx, err, "looking for the owners of inodes") : 0;
}

static int has_limits(const struct bfo_quota_entry *e)
{
	return e->ihard || e->isoft || e->bhard || e->bsoft;
}

/* Appends what both say about one id; either may be missing. */
static errcode_t push_limited(struct bfo_quota *out, const struct bfo_quota_entry *usage,
			      const struct bfo_quota_entry *limits)
{
	struct bfo_quota_entry e = { .id = usage ? usage->id : limits->id };

	if (limits && has_limits(limits))
		e = *limits;
	e.inodes = usage ? usage->inodes : 0;
	e.space = usage ? usage->space : 0;
	return bfo_vec_push(&out->entries, e);
}

/* Q, of a filesystem just made, gets LIMITS, unless it is about nothing. */
static errcode_t take_limits(struct bfo_quota *q, const struct bfo_quota *limits)
{
	struct bfo_quota out = { .bgrace = limits->bgrace, .igrace = limits->igrace,
				 .flags = q->flags };
	const struct bfo_quota_entry *a = q->entries.v, *a_end = a + q->entries.n;
	const struct bfo_quota_entry *b = limits->entries.v, *b_end = b + limits->entries.n;
	errcode_t err = 0;
	int has_a, has_b;

	while (!err && (a < a_end || b < b_end)) {
		has_a = a < a_end && (b == b_end || a->id <= b->id);
		has_b = b < b_end && (a == a_end || b->id <= a->id);
		err = push_limited(&out, has_a ? a : NULL, has_b ? b : NULL);
		a += has_a;
		b += has_b;
	}
	if (err) {
		bfo_quota_free(&out);
		return err;
	}
	bfo_quota_free(q);
	*q = out;
	return 0;
}

/* Bytes of the new file: what it says with the new owners.  Root owns what the plan makes. */
static errcode_t new_size(struct bfo_charge_file *f, enum bfo_quota_type type, uint64_t *size)
{
	struct bfo_quota q = { .bgrace = f->quota.bgrace };
	errcode_t err = bfo_quota_charge(&f->who, 0, 1, 0);
	void *data;

	if (!err)
		err = bfo_vec_reserve(&q.entries, f->quota.entries.n);
	if (!err && f->quota.entries.n)
		memcpy(q.entries.v, f->quota.entries.v,
		       f->quota.entries.n * sizeof(*q.entries.v));
	q.entries.n = err ? 0 : f->quota.entries.n;
	if (!err)
		err = bfo_quota_apply(&q, &f->who);
	if (!err)
		err = bfo_quota_build(&q, type, &data, size);
	if (!err)
		free(data);
	bfo_quota_free(&q);
	return err;
}

/* The record of F, made if it has none. */
static errcode_t make_record(struct bfo_plan *plan, struct bfo_charge_file *f)
{
	struct bfo_tree *t = plan->tree;
	struct bfo_inode rec = { .mode = S_IFREG, .ea = BFO_NONE, .name = BFO_NONE, .links = 1,
				 .state = BFO_INODE_EXISTS | BFO_INODE_KEEP | BFO_INODE_PLACED };
	errcode_t err;

	if (f->row != BFO_NONE)
		return 0;
	err = bfo_tree_add_seg(t, &rec, (struct bfo_seg) { 0 });
	if (!err)
		err = bfo_vec_push(&t->inodes, rec);
	if (!err)
		err = bfo_vec_push(&plan->order, t->inodes.n - 1);
	if (!err)
		f->row = t->inodes.n - 1;
	return err;
}

static errcode_t size_file(struct bfo_plan *plan, enum bfo_quota_type type)
{
	struct bfo_charge_file *f = &plan->charges->files[type];
	struct bfo_tree *t = plan->tree;
	errcode_t err = make_record(plan, f);
	struct bfo_inode *rec;

	if (!err && f->takes_limits)
		err = take_limits(&f->quota, &f->limits);
	if (err)
		return err;
	rec = &t->inodes.v[f->row];
	rec->new_ino = f->ino;
	rec->generation = f->generation;
	err = new_size(f, type, &rec->size);
	bfo_seg_of(t, rec, 0)->len = (rec->size + t->block_size - 1) / t->block_size;
	return err;
}

errcode_t bfo_charges_size(struct bfo_plan *plan)
{
	errcode_t err = 0;
	int type;

	for (type = 0; plan->charges && type < BFO_QUOTA_TYPES && !err; type++) {
		if (!plan->charges->files[type].ino)
			continue;
		err = size_file(plan, type);
		if (err)
			fail_to(plan, err, "planning", plan->charges->files[type].ino);
	}
	return err;
}

/* ---- committing ---- */

static int is_quota(const struct bfo_plan *plan, bfo_row row)
{
	return bfo_inode_is_renewed(&plan->tree->inodes.v[row]) &&
	       !bfo_plan_is_container(plan, row);
}

errcode_t bfo_charges_add(struct bfo_plan *plan, bfo_row row, const void *raw)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];
	const struct bfo_target *target = plan->target;
	uint32_t values = 0;
	errcode_t err = 0;
	int type;

	if (!plan->charges || is_quota(plan, row) || rec->flags & EXT4_EA_INODE_FL)
		return 0;
	if (!(rec->state & BFO_INODE_KEEP))
		err = bfo_eaimage_values(plan, rec, &values);
	for (type = 0; type < BFO_QUOTA_TYPES && !err; type++)
		if (plan->charges->files[type].ino)
			err = bfo_quota_charge(&plan->charges->files[type].what,
					       bfo_charge_owner(raw, target->inode_size, type),
					       1 + values, space_of(target, raw));
	return err ? bfo_fail(plan->ctx, err, "adding up quota") : 0;
}

void bfo_charges_drop(struct bfo_plan *plan, const void *raw, uint32_t inodes)
{
	const struct bfo_target *target = plan->target;
	int type;

	for (type = 0; plan->charges && type < BFO_QUOTA_TYPES; type++)
		take_back(&plan->charges->files[type].quota,
			  bfo_charge_owner(raw, target->inode_size, type), inodes,
			  space_of(target, raw));
}

void bfo_charges_give_back(struct bfo_plan *plan, bfo_row row, const void *raw)
{
	if (plan->charges && !is_quota(plan, row))
		bfo_charges_drop(plan, raw, 1);
}

errcode_t bfo_charges_build(struct bfo_plan *plan, struct bfo_charge_file *file, void **data)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[file->row];
	uint64_t bs = plan->target->block_size, room = (rec->size + bs - 1) / bs * bs, size = 0;
	errcode_t err = bfo_quota_apply(&file->quota, &file->what);
	char *whole;

	*data = NULL;
	if (!err)
		err = bfo_quota_build(&file->quota, file - plan->charges->files, data, &size);
	if (!err && size > rec->size)
		err = BFO_ET_UNHEALTHY;		/* who was given back had nothing, say */
	whole = err ? NULL : realloc(*data, room);
	if (!err && !whole)
		err = ENOMEM;
	if (err) {
		free(*data);
		*data = NULL;
		return fail_to(plan, err, "making", file->ino);
	}
	memset(whole + size, 0, room - size);
	*data = whole;
	return 0;
}

void bfo_charges_free(struct bfo_plan *plan)
{
	int type;

	for (type = 0; plan->charges && type < BFO_QUOTA_TYPES; type++) {
		struct bfo_charge_file *f = &plan->charges->files[type];

		bfo_quota_free(&f->quota);
		bfo_quota_free(&f->limits);
		bfo_quota_use_free(&f->who);
		bfo_quota_use_free(&f->what);
		bfo_vec_free(&f->freed);
	}
	free(plan->charges);
	plan->charges = NULL;
}
