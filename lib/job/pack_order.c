// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_order.c - files that are used together, as a copy would lay them out (job/order.h)
 *
 * The volume is read as the source of a copy for that, and closed again.  What is kept are places:
 * directory, name, set, and rank in the order of access.  What has changed until the volume is
 * opened for writing is in no set, or no longer there: nothing depends on its being right.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bfo_err.h"
#include "job/copy.h"
#include "job/pack_state.h"

static int is_of_sets(int policy)
{
	return policy == BFO_ORDER_LIST || policy == BFO_ORDER_REFS || policy == BFO_ORDER_TRACE;
}

static errcode_t add_place(struct bfo_pack_order *o, const struct bfo_tree *t, bfo_row row,
			   uint32_t set, uint32_t rank)
{
	const struct bfo_inode *rec = &t->inodes.v[row];
	struct bfo_pack_place x = { .set = set, .rank = rank, .at = o->text.n };
	const struct bfo_name *n;
	errcode_t err;

	if (!S_ISREG(rec->mode) || rec->name == BFO_NONE)
		return 0;
	n = &t->names.v[rec->name];
	x.dir = t->inodes.v[n->dir].ino;
	x.len = bfo_name_len(n);
	err = bfo_vec_reserve(&o->text, x.len);
	if (!err)
		err = bfo_vec_push(&o->places, x);
	if (err)
		return err;
	memcpy(o->text.v + o->text.n, bfo_name_text(t, n), x.len);
	o->text.n += x.len;
	return 0;
}

/* The files of all sets; or of the whole order, if what is in none has its place in it, too. */
static errcode_t note_places(struct bfo_pack_order *o, const struct bfo_copy *c)
{
	const struct bfo_sequence *s = &c->order.sequence;
	const bfo_order *all = &c->job.plan.order;
	errcode_t err = 0;
	uint32_t rank = 0;
	size_t i, g = 0;

	o->sizes = calloc(s->groups.n + 1, sizeof(*o->sizes));
	if (!o->sizes)
		return ENOMEM;
	/* the order begins with what was taken, as it was taken: groups are slices of it */
	for (i = 0; i < all->n && !err; i++) {
		const struct bfo_sequence_group *group;

		while (g < s->groups.n && i >= (size_t) s->groups.v[g].first + s->groups.v[g].n)
			g++;
		group = g < s->groups.n && i >= s->groups.v[g].first ? &s->groups.v[g] : NULL;
		if (group && is_of_sets(group->policy) && group->n > 1)
			err = add_place(o, &c->job.tree, all->v[i], g + 1, rank++);
		else if (o->takes_rest)
			err = add_place(o, &c->job.tree, all->v[i], 0, rank++);
	}
	return err;
}

static int compare(const struct bfo_pack_order *o, const struct bfo_pack_place *x, uint32_t dir,
		   const char *name, size_t len)
{
	int order;

	if (x->dir != dir)
		return x->dir < dir ? -1 : 1;
	order = memcmp(o->text.v + x->at, name, x->len < len ? x->len : len);
	return order ? order : (x->len > len) - (x->len < len);
}

static int by_place(const void *pa, const void *pb, void *priv)
{
	const struct bfo_pack_place *a = pa, *b = pb;
	const struct bfo_pack_order *o = priv;

	return compare(o, a, b->dir, o->text.v + b->at, b->len);
}

static errcode_t decide(struct bfo_pack_job *j, struct bfo_copy *c)
{
	static const char *const all[] = { "/" };
	const struct bfo_pack_options *opt = j->opt;
	const struct bfo_copy_options how = {
		.source = opt->batch.volume, .from = all, .n_from = 1, .to = "/",
		.order = opt->order, .memory = opt->memory, .read_gap = BFO_GAP_OF_DEVICE,
		.environment = opt->environment,
		.now = opt->batch.now ? opt->batch.now : time(NULL),
	};

	return bfo_copy_order(c, j->ctx, &how);
}

errcode_t bfo_pack_order_read(struct bfo_pack_job *j)
{
	struct bfo_pack_order *o = &j->order;
	struct bfo_copy *c;
	errcode_t err;
	size_t i;

	o->takes_rest = !j->opt->order.n;
	for (i = 0; i < j->opt->order.n; i++)
		o->takes_rest |= !is_of_sets(j->opt->order.policies[i]);
	if (!j->opt->order.n)
		return 0;
	c = calloc(1, sizeof(*c));
	if (!c)
		return bfo_fail(j->ctx, ENOMEM, "ordering files");
	err = decide(j, c);
	if (!err)
		err = note_places(o, c);
	bfo_copy_close(c);
	free(c);
	if (!err && o->places.n)
		qsort_r(o->places.v, o->places.n, sizeof(*o->places.v), by_place, o);
	return err;
}

void bfo_pack_order_free(struct bfo_pack_order *o)
{
	bfo_vec_free(&o->places);
	bfo_vec_free(&o->text);
	free(o->sizes);
}

static const struct bfo_pack_place *find(const struct bfo_pack_order *o, uint32_t dir,
					 const char *name, size_t len)
{
	size_t lo = 0, hi = o->places.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = compare(o, &o->places.v[mid], dir, name, len);

		if (!order)
			return &o->places.v[mid];
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void bfo_pack_order_find(const struct bfo_pack_job *j, struct bfo_pack_file *f)
{
	const struct bfo_pack_place *x = NULL;
	uint32_t i;

	f->rank = UINT32_MAX;
	for (i = 0; i < f->names && !x && j->order.places.n; i++) {
		const struct bfo_pack_name *name = &j->names.v[f->name + i];

		x = find(&j->order, j->dirs.v[j->dir].n->ino, j->text.v + name->at, name->len);
	}
	if (x) {
		f->set = x->set;
		f->rank = x->rank;
	}
}
