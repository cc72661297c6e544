// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ea_fit.c - repacked sets of attributes, made to fit a target's inodes and blocks
 *
 * What a set becomes is worked out in scratch space and kept once; what it becomes is noted, as
 * many inodes may have it.  Values that move are told apart by bfo_sets, as nameless attributes.
 */
#include <assert.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2_ext_attr.h>

#include "base/crc32c.h"
#include "gather/ea_fit.h"

#define VALUE_MODE (S_IFREG | 0600)

errcode_t bfo_fit_begin(struct bfo_fit *fit)
{
	size_t n = fit->sets->list.n;
	errcode_t err = bfo_vec_reserve(&fit->fates, n + 1);	/* never a null array */

	if (err)
		return err;
	memset(fit->fates.v, 0, n * sizeof(*fit->fates.v));
	fit->fates.n = n;
	fit->first = fit->tree->inodes.n;
	return 0;
}

static uint32_t inode_room(const struct bfo_fit *fit)
{
	return fit->target->inode_size - EXT2_GOOD_OLD_INODE_SIZE - fit->target->extra_isize;
}

/* ---- splitting ---- */

static uint32_t cost_inside(const struct bfo_fit *fit)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < fit->set.n; i++)
		if (fit->inside.v[i])
			sum += bfo_xattr_cost(&fit->set.v[i]);
	return sum;
}

/* Splits SET into fit->inside: as bfo_xattrs_split() returns. */
static int try(struct bfo_fit *fit, const bfo_xattrs *set, uint32_t reserve)
{
	if (reserve > inode_room(fit))
		return -1;
	return bfo_xattrs_split(set, inode_room(fit) - reserve, fit->target->block_size,
				fit->inside.v);
}

/* Splits fit->set, which is SET, for the target. */
static int split(struct bfo_fit *fit, struct bfo_ea *set)
{
	int state = try(fit, &fit->set, set->reserve);

	if (state < 0 && set->reserve) {
		set->reserve = 0;		/* what was inline goes to a block */
		state = try(fit, &fit->set, 0);
	}
	set->no_block = !state;
	set->inside = cost_inside(fit);
	return state;
}

/* ---- what is too much ---- */

static void drop(bfo_xattrs *set, size_t at)
{
	memmove(set->v + at, set->v + at + 1, (--set->n - at) * sizeof(*set->v));
}

static size_t costliest(const bfo_xattrs *set)
{
	size_t i, found = 0;

	for (i = 1; i < set->n; i++)
		if (bfo_xattr_cost(&set->v[i]) > bfo_xattr_cost(&set->v[found]))
			found = i;
	return found;
}

/* Drops attributes until the others' entries would fit, if all values stood elsewhere. */
static errcode_t fit_entries(struct bfo_fit *fit, int *lost)
{
	bfo_xattrs *bare = &fit->bare;
	errcode_t err;
	size_t i;

	bare->n = 0;
	err = bfo_vec_reserve(bare, fit->set.n);
	if (err)
		return err;
	for (i = 0; i < fit->set.n; i++) {
		bare->v[i] = fit->set.v[i];
		bare->v[i].inum = 1;
	}
	bare->n = fit->set.n;
	while (try(fit, bare, 0) < 0) {
		i = costliest(bare);
		drop(bare, i);
		drop(&fit->set, i);
		*lost = 1;
	}
	return 0;
}

/* A record for the value of SIZE bytes that are in moved.bytes from AT on. */
static errcode_t add_value(struct bfo_fit *fit, uint32_t size, uint64_t at)
{
	struct bfo_tree *t = fit->tree;
	struct bfo_inode rec = { .mode = VALUE_MODE, .flags = EXT4_EA_INODE_FL, .size = size,
				 .state = BFO_INODE_MOVED, .ea = BFO_NONE, .name = BFO_NONE };
	struct bfo_value v = { .row = t->inodes.n, .at = at };
	errcode_t err;

	v.hash = bfo_crc32c(fit->target->csum_seed, fit->moved.bytes.v + at, size);
	err = bfo_tree_add_seg(t, &rec, (struct bfo_seg) {
			       .len = (size + t->block_size - 1) / t->block_size });
	if (!err)
		err = bfo_vec_push(&t->inodes, rec);
	return err ? err : bfo_vec_push(&t->values, v);
}

/* The value of X moves to an inode of its own. */
static errcode_t move_value(struct bfo_fit *fit, struct bfo_xattr *x)
{
	struct bfo_xattr nameless = { .name = "", .value = x->value, .size = x->size };
	bfo_xattrs one = { .v = &nameless, .n = 1 }, kept = { 0 };
	size_t known = fit->moved.list.n;
	errcode_t err;
	uint32_t index;

	err = bfo_sets_add(&fit->moved, &one, &index);
	if (!err && index == known) {
		err = bfo_sets_append(&fit->moved, index, &kept);
		if (!err)
			err = add_value(fit, x->size, (const char *) kept.v[0].value -
						      fit->moved.bytes.v);
		bfo_vec_free(&kept);
	}
	if (err)
		return err;
	x->inum = fit->first + index + 1;
	x->hash = bfo_xattr_hash(x, bfo_tree_value(fit->tree, x->inum - 1)->hash, 0);
	x->value = NULL;
	return 0;
}

/* The attribute with the largest value that can still move. */
static size_t largest(const bfo_xattrs *set)
{
	size_t i, found = set->n;

	for (i = 0; i < set->n; i++)
		if (!set->v[i].inum && set->v[i].size &&
		    (found == set->n || set->v[i].size > set->v[found].size))
			found = i;
	return found;
}

/* Makes fit->set less, as it does not fit. */
static errcode_t relieve(struct bfo_fit *fit, int *lost)
{
	errcode_t err = 0;
	size_t i;

	if (fit->target->has_ea_inode)
		err = fit_entries(fit, lost);
	while (!err && try(fit, &fit->set, 0) < 0) {
		i = fit->target->has_ea_inode ? largest(&fit->set) : fit->set.n;
		if (i < fit->set.n) {
			err = move_value(fit, &fit->set.v[i]);
			continue;
		}
		drop(&fit->set, costliest(&fit->set));
		*lost = 1;
	}
	return err;
}

/* ---- sets ---- */

/* fit->set becomes set INDEX, and there is room to split it. */
static errcode_t load(struct bfo_fit *fit, uint32_t index)
{
	errcode_t err;

	fit->set.n = 0;
	err = bfo_sets_append(fit->sets, index, &fit->set);
	return err ? err : bfo_vec_reserve(&fit->inside, fit->set.n + 1);
}

/* Finds out what becomes of set INDEX, which is not known yet. */
static errcode_t decide(struct bfo_fit *fit, uint32_t index)
{
	struct bfo_fate fate = { .index = index, .known = 1 };
	errcode_t err = load(fit, index);
	int lost = 0;

	if (!err && split(fit, &fit->sets->list.v[index]) < 0) {
		err = relieve(fit, &lost);
		if (!err)
			err = bfo_sets_add(fit->sets, &fit->set, &fate.index);
		if (!err && fate.index != BFO_NONE)
			err = load(fit, fate.index);
		if (!err && fate.index != BFO_NONE)
			split(fit, &fit->sets->list.v[fate.index]);
	}
	fate.lost = lost;
	fit->fates.v[index] = fate;
	return err;
}

errcode_t bfo_fit_set(struct bfo_fit *fit, uint32_t *index, int *lost)
{
	errcode_t err = 0;

	*lost = 0;
	if (*index == BFO_NONE)
		return 0;
	assert(*index < fit->fates.n);
	if (!fit->fates.v[*index].known)
		err = decide(fit, *index);
	*lost = fit->fates.v[*index].lost;
	*index = fit->fates.v[*index].index;
	return err;
}

void bfo_fit_end(struct bfo_fit *fit)
{
	fit->tree->moved = fit->moved.bytes;
	fit->moved.bytes = (bfo_chars) { 0 };
	bfo_sets_free(&fit->moved);
	bfo_vec_free(&fit->fates);
	bfo_vec_free(&fit->set);
	bfo_vec_free(&fit->bare);
	bfo_vec_free(&fit->inside);
}
