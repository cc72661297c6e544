// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_refs.c - values of attributes in inodes of their own, by references
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/value_make.h"
#include "edit/value_refs.h"
#include "tree/xattr.h"

/* Notes CHANGE for each value of SET, which is empty then; adds their number to *COUNT. */
static errcode_t note_set(bfo_xattrs *set, int change, uint32_t *count, bfo_value_refs *refs)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < set->n && !err; i++) {
		if (!set->v[i].inum)
			continue;
		++*count;
		if (change)
			err = bfo_vec_push(refs, (struct bfo_value_ref) { .ino = set->v[i].inum,
									  .change = change });
	}
	set->n = 0;
	return err;
}

static errcode_t note_inode(struct bfo_edit *e, const void *raw, int change, uint32_t *count,
			    bfo_value_refs *refs)
{
	bfo_xattrs set = { 0 };
	errcode_t err = bfo_xattrs_of_inode(&set, raw, e->vol->inode_size);

	if (!err)
		err = note_set(&set, change, count, refs);
	bfo_vec_free(&set);
	return err;
}

static errcode_t note_block(struct bfo_edit *e, const void *block, int change, uint32_t *count,
			    bfo_value_refs *refs)
{
	bfo_xattrs set = { 0 };
	errcode_t err = bfo_xattrs_of_block(&set, block, e->vol->block_size);

	if (!err)
		err = note_set(&set, change, count, refs);
	bfo_vec_free(&set);
	return err;
}

/* The same of the attribute block that RAW has on the volume, if it has one. */
static errcode_t note_live_block(struct bfo_edit *e, const void *raw, uint32_t *count,
				 bfo_value_refs *refs)
{
	uint64_t blk = bfo_inode_ea_block(raw);
	const void *block;
	errcode_t err = blk ? bfo_windows_block(&e->windows, blk, &block) : 0;

	if (!err && blk && !bfo_ea_block_ok(e->vol, block, blk))
		err = BFO_ET_DAMAGED;
	return err || !blk ? err : note_block(e, block, 0, count, refs);
}

/* As it stands on the volume. */
static errcode_t note_before(struct bfo_edit *e, struct bfo_draft *n, bfo_value_refs *refs)
{
	uint32_t size = e->vol->inode_size, byte;
	const void *block;
	char *raw = malloc(size);
	errcode_t err = raw ? bfo_windows_block(&e->windows, bfo_volume_inode_block(e->vol, n->ino,
						&byte), &block) : ENOMEM;

	if (!err) {
		memcpy(raw, (const char *) block + byte, size);
		err = note_inode(e, raw, -1, &n->values_before, refs);
	}
	if (!err)
		err = note_live_block(e, raw, &n->values_before, refs);
	free(raw);
	return err;
}

errcode_t bfo_value_refs_note(struct bfo_edit *e, struct bfo_draft *n, bfo_value_refs *refs)
{
	errcode_t err = 0;

	n->values = n->values_before = 0;
	if (!e->shape.has_ea_inode)
		return 0;
	if (!n->is_new)
		err = note_before(e, n, refs);
	if (err || n->is_gone)
		return err;
	err = note_inode(e, n->raw, 1, &n->values, refs);
	if (!err && n->ea)
		err = note_block(e, n->ea, 1, &n->values, refs);
	else if (!err)
		err = note_live_block(e, n->raw, &n->values, refs);
	return err;
}

errcode_t bfo_value_refs_drop(struct bfo_edit *e, const void *block, bfo_value_refs *refs)
{
	uint32_t count = 0;

	return e->shape.has_ea_inode ? note_block(e, block, -1, &count, refs) : 0;
}

static int by_ino(const void *a, const void *b)
{
	const struct bfo_value_ref *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

/* Nobody refers to N any more. */
static errcode_t let_go(struct bfo_edit *e, struct bfo_draft *n)
{
	struct bfo_going sum = { 0 };
	errcode_t err = bfo_draft_can_go(e, n, &sum);

	if (!err)
		err = bfo_going_reserve(e, &sum);
	if (!err)
		bfo_draft_go(e, n);
	return err;
}

static errcode_t change_refs(struct bfo_edit *e, uint32_t ino, int64_t change)
{
	struct bfo_draft *n;
	uint64_t refs;
	errcode_t err = bfo_draft_get(e, ino, &n);

	if (err)
		return err;
	refs = bfo_inode_value_refs(n->raw);
	if (!bfo_draft_is_value(n) || (change < 0 && refs < (uint64_t) -change))
		return bfo_fail(e->ctx, BFO_ET_DAMAGED, "reading inode %u of %s: its references",
				ino, e->vol->spec);
	refs += change;
	bfo_inode_set_value_refs(n->raw, refs);
	bfo_draft_change(e, n);
	return refs ? 0 : let_go(e, n);
}

/* Those that the batch has made, and that nobody refers to after all. */
static errcode_t drop_idle(struct bfo_edit *e)
{
	struct bfo_draft *n;
	errcode_t err = 0;

	for (n = e->changed; n && !err; n = n->next_changed)
		if (!n->is_gone && bfo_value_is_idle(n))
			err = let_go(e, n);
	return err;
}

errcode_t bfo_value_refs_settle(struct bfo_edit *e, bfo_value_refs *refs)
{
	size_t i, end;
	int64_t change;
	errcode_t err = 0;

	if (refs->n)
		qsort(refs->v, refs->n, sizeof(*refs->v), by_ino);
	for (i = 0; i < refs->n && !err; i = end) {
		change = 0;
		for (end = i; end < refs->n && refs->v[end].ino == refs->v[i].ino; end++)
			change += refs->v[end].change;
		if (change)
			err = change_refs(e, refs->v[i].ino, change);
	}
	refs->n = 0;
	return err ? err : drop_idle(e);
}
