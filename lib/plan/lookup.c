// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lookup.c - following a path through the source's sorted names: by their hashes
 */
#include <errno.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "plan/lookup.h"
#include "plan/names.h"
#include "tree/access.h"

static int is_before(const struct bfo_name *a, const struct bfo_name *b)
{
	return a->hash < b->hash || (a->hash == b->hash && a->minor < b->minor);
}

/* Where names of directory D that are stored with their hashes lie, only they know: all of D. */
static void find_range(const struct bfo_plan *plan, const struct bfo_inode *d, const char *name,
		       size_t len, uint32_t *first, uint32_t *end)
{
	const struct bfo_tree *t = plan->tree;
	struct bfo_slice s = bfo_dir_names(t, d);
	uint32_t lo = s.first, hi = s.end, mid;
	struct bfo_name key = { .at = len };

	*first = lo;
	*end = hi;
	if (bfo_dir_has_hashes(d->flags))
		return;
	bfo_name_hash(plan->target, d->flags, name, &key);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (is_before(&t->names.v[mid], &key))
			lo = mid + 1;
		else
			hi = mid;
	}
	*first = lo;
	while (lo < *end && !is_before(&key, &t->names.v[lo]))
		lo++;
	*end = lo;
}

/* The position in names[] of NAME in directory record DIR, or BFO_NONE. */
static uint32_t find_name(const void *priv, bfo_row dir, const char *name, size_t len)
{
	const struct bfo_plan *plan = priv;
	const struct bfo_tree *t = plan->tree;
	uint32_t at, end;

	if (len > EXT2_NAME_LEN)
		return BFO_NONE;
	for (find_range(plan, &t->inodes.v[dir], name, len, &at, &end); at < end; at++)
		if (bfo_name_len(&t->names.v[at]) == len &&
		    !memcmp(bfo_name_text(t, &t->names.v[at]), name, len))
			return at;
	return BFO_NONE;
}

uint32_t bfo_lookup_record(const struct bfo_plan *plan, const struct bfo_name *n)
{
	struct bfo_merged *m;

	if (!bfo_name_is_fixed(n))
		return bfo_name_row(plan->tree, n);
	if (bfo_name_type(n) != (EXT2_FT_DIR | BFO_NAME_FIXED))
		return BFO_NONE;
	m = bfo_plan_merged(plan, bfo_name_number(plan->tree, n));
	return m ? m->row : BFO_NONE;
}

static bfo_row record_of(const void *plan, const struct bfo_name *n)
{
	return bfo_lookup_record(plan, n);
}

/* Why the path of L leads nowhere, in words. */
static errcode_t leads_nowhere(struct bfo_plan *plan, const struct bfo_lookup *l, errcode_t err)
{
	const char *why = "";

	if (err == EINVAL)
		why = ": '..' is not followed";
	else if (err == BFO_ET_NO_PATH && l->pos != BFO_NONE)
		why = ": it is excluded";
	return bfo_fail(plan->ctx, err, "looking for %s in the source%s", l->path, why);
}

errcode_t bfo_lookup_step(struct bfo_plan *plan, struct bfo_lookup *l, int *more)
{
	const struct bfo_tree *t = plan->tree;
	struct bfo_way w = { .tree = t, .rest = l->rest, .at = l->pos, .find = find_name,
			     .row_of = record_of, .priv = plan };
	errcode_t err;

	w.row = l->pos == BFO_NONE ? bfo_tree_find(t, EXT2_ROOT_INO) :
		bfo_lookup_record(plan, &t->names.v[l->pos]);
	err = bfo_way_step(&w, more);
	l->rest = w.rest;
	l->pos = w.at;
	return err ? leads_nowhere(plan, l, err) : 0;
}

errcode_t bfo_lookup_end(struct bfo_plan *plan, struct bfo_lookup *l)
{
	errcode_t err;
	int more;

	do
		err = bfo_lookup_step(plan, l, &more);
	while (!err && more);
	return err;
}

errcode_t bfo_lookup_rest(struct bfo_plan *plan, struct bfo_lookup *l, int *found)
{
	errcode_t err = bfo_lookup_end(plan, l);

	*found = !err;
	if (err == BFO_ET_NO_PATH || err == BFO_ET_NOT_DIR || err == EINVAL) {
		bfo_what_clear(plan->ctx);
		err = 0;
	}
	return err;
}

errcode_t bfo_lookup_file(struct bfo_plan *plan, struct bfo_lookup l, bfo_row *row)
{
	const struct bfo_inode *rec;
	int found;
	errcode_t err = bfo_lookup_rest(plan, &l, &found);

	*row = BFO_NONE;
	if (err || !found || l.pos == BFO_NONE)
		return err;
	*row = bfo_lookup_record(plan, &plan->tree->names.v[l.pos]);
	rec = &plan->tree->inodes.v[*row];
	if (S_ISDIR(rec->mode) || !(rec->state & BFO_INODE_PLACED))
		*row = BFO_NONE;
	return 0;
}
