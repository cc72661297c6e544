// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_divide.c - small files of a directory, divided into composite files
 *
 *   files ── by owner, set, rank, name ── parts of sets ── homes ── groups
 *
 * A set is what an order puts next to each other (pack_order.c); a part of it is what one composite
 * file takes.  Without an update there are no members among the files, and no homes: each part, and
 * what is in no set, becomes new composite files.  An update finds homes:
 *
 *   a part           the composite file that has most of it, if that is at least half of what is in
 *                    there; otherwise a new one
 *   a member         of no set: where it is, unless a part leaves it no room
 *   a file           of no set: the last composite file of its owner that has room and is the home
 *                    of no part; otherwise a new one
 *
 * So what was packed by the same sets finds its home as it is, and is not written again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "job/pack_state.h"

#define LEAST 2U			/* members: one alone gains nothing */
#define SPARE_BLOCKS 4U			/* map, and what its name may take in its directory */
#define HEAD (BFO_COMPOSITE_HEAD + BFO_COMPOSITE_RECORD_MOST)

/* ---- orders ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_owners(const struct bfo_pack_file *a, const struct bfo_pack_file *b)
{
	return a->uid != b->uid ? compare(a->uid, b->uid) :
	       a->gid != b->gid ? compare(a->gid, b->gid) : compare(a->project, b->project);
}

static int compare_ranks(const struct bfo_pack_job *j, const struct bfo_pack_file *a,
			 const struct bfo_pack_file *b)
{
	const struct bfo_pack_name *x = &j->names.v[a->name], *y = &j->names.v[b->name];
	int order = compare(a->rank, b->rank);

	if (!order)
		order = memcmp(j->text.v + x->at, j->text.v + y->at,
			       x->len < y->len ? x->len : y->len);
	return order ? order : compare(x->len, y->len);
}

/* By owner, set and rank; what is in no set comes last. */
static int by_set(const void *pa, const void *pb, void *priv)
{
	const struct bfo_pack_file *a = pa, *b = pb;
	int order = compare_owners(a, b);

	if (!order)
		order = compare(a->set - 1, b->set - 1);
	return order ? order : compare_ranks(priv, a, b);
}

static int is_home_of(const struct bfo_pack_file *f)
{
	return !f->n && f->home == f->from + 1;
}

/* By owner and home; there first the part, then what is there, then what comes to it. */
static int by_home(const void *pa, const void *pb, void *priv)
{
	const struct bfo_pack_file *a = pa, *b = pb;
	int order = compare_owners(a, b);

	if (!order)
		order = compare(a->home - 1, b->home - 1);
	if (!order)
		order = compare(a->part - 1, b->part - 1);
	if (!order && !a->part)
		order = is_home_of(b) - is_home_of(a);
	if (!order && !a->part && is_home_of(a))
		return compare(a->member, b->member);
	return order ? order : compare_ranks(priv, a, b);
}

static void sort(struct bfo_pack_job *j, size_t first,
		 int (*order)(const void *, const void *, void *))
{
	if (j->files.n > first)
		qsort_r(j->files.v + first, j->files.n - first, sizeof(*j->files.v), order, j);
}

/* ---- groups ---- */

/* A name that the directory has not got, and no other group. */
static errcode_t choose_name(struct bfo_pack_job *j, struct bfo_pack_group *g)
{
	struct bfo_pack_dir *d = &j->dirs.v[j->dir];
	struct bfo_entry *entry;
	errcode_t err;

	do {
		snprintf(g->name, sizeof(g->name), "packed-%u.e2pack", ++d->number);
		err = bfo_directory_entry(&j->b->edit, d->n, g->name, strlen(g->name), &entry);
	} while (!err && entry->ino);
	return err;
}

/* Is it what its home has, as it has it? */
static int is_as_it_was(const struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	size_t i;

	if (!g->home || g->n != j->found.v[g->home - 1].c.places.n)
		return 0;
	for (i = 0; i < g->n; i++)
		if (!is_home_of(&j->files.v[g->first + i]) || j->files.v[g->first + i].member != i)
			return 0;
	return 1;
}

static errcode_t add_group(struct bfo_pack_job *j, struct bfo_pack_group g)
{
	const struct bfo_pack_file *f = &j->files.v[g.first];
	const struct bfo_pack_name *name = &j->names.v[f->name];
	errcode_t err = 0;

	if (g.home)
		j->found.v[g.home - 1].is_left = 0;
	if (is_as_it_was(j, &g))
		return 0;
	if (g.n < LEAST && !g.home && !f->set && f->n)
		return bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len, BFO_PACK_ALONE);
	g.dir = j->dir;
	g.set = f->set;
	g.rank = f->rank;
	if (!g.home) {
		err = choose_name(j, &g);
		j->inodes++;
	}
	j->blocks += bfo_pack_blocks(j, g.bytes) + SPARE_BLOCKS;
	return err ? err : bfo_vec_push(&j->groups, g);
}

static errcode_t make_groups(struct bfo_pack_job *j, size_t first)
{
	struct bfo_pack_group g = { .n = 0 };
	errcode_t err = 0;
	size_t i;

	for (i = first; i < j->files.n && !err; i++) {
		const struct bfo_pack_file *f = &j->files.v[i], *last = g.n ? f - 1 : NULL;
		uint64_t more = f->bytes + f->table;

		if (last && (!bfo_pack_is_alike(last, f) || last->home != f->home ||
			    (!f->home && (last->part != f->part ||
					  g.bytes + more > j->opt->pack_size)))) {
			err = add_group(j, g);
			g.n = 0;
		}
		if (!g.n)
			g = (struct bfo_pack_group) { .first = i, .home = f->home, .bytes = HEAD };
		g.n++;
		g.bytes += more;
	}
	return err || !g.n ? err : add_group(j, g);
}

/* Numbers the parts of sets, none of which is too large for a composite file. */
static void make_parts(struct bfo_pack_job *j, size_t first)
{
	uint64_t bytes = 0;
	uint32_t part = 0;
	size_t i;

	for (i = first; i < j->files.n && j->order.sizes; i++) {
		struct bfo_pack_file *f = &j->files.v[i];
		const struct bfo_pack_file *last = i > first ? f - 1 : NULL;
		uint64_t more = f->bytes + f->table;

		if (!f->set)
			continue;
		if (!last || !bfo_pack_is_alike(last, f) || last->set != f->set ||
		    bytes + more > j->opt->pack_size) {
			part++;
			bytes = HEAD;
		}
		bytes += more;
		f->part = part;
		j->order.sizes[f->set]++;
	}
}

static errcode_t divide(struct bfo_pack_job *j, size_t first)
{
	sort(j, first, by_set);
	make_parts(j, first);
	return make_groups(j, first);
}

/* ---- homes ---- */

/* The composite file from FIRST on where the files [FROM, END), a part, come to; 0: a new one. */
static size_t home_of_part(struct bfo_pack_job *j, size_t first, size_t from, size_t end)
{
	struct bfo_pack_found *x;
	size_t i, k, best = 0;

	for (k = first; k < j->found.n; k++)
		j->found.v[k].count = 0;
	for (i = from; i < end; i++)
		if (!j->files.v[i].n)
			j->found.v[j->files.v[i].from].count++;
	for (k = first; k < j->found.n; k++) {
		x = &j->found.v[k];
		if (x->count && !x->has_part && x->count * 2 >= x->c.places.n &&
		    (!best || x->count > j->found.v[best - 1].count))
			best = k + 1;
	}
	if (best)
		j->found.v[best - 1].has_part = 1;
	return best;
}

static void settle(struct bfo_pack_job *j, struct bfo_pack_file *f, size_t home)
{
	f->home = home;
	if (home)
		j->found.v[home - 1].bytes += f->bytes + f->table;
}

static void house_parts(struct bfo_pack_job *j, size_t found, size_t first)
{
	size_t i, end, home;

	for (i = first; i < j->files.n; i = end) {
		const struct bfo_pack_file *f = &j->files.v[i];

		end = i + 1;
		if (!f->part)
			continue;
		while (end < j->files.n && j->files.v[end].part == f->part)
			end++;
		home = home_of_part(j, found, i, end);
		for (; i < end; i++)
			settle(j, &j->files.v[i], home);
	}
}

static int has_room(const struct bfo_pack_job *j, const struct bfo_pack_found *x,
		    const struct bfo_pack_file *f)
{
	return x->bytes + f->bytes + f->table <= j->opt->pack_size;
}

static int is_owner(const struct bfo_pack_job *j, const struct bfo_pack_found *x,
		    const struct bfo_pack_file *f)
{
	return bfo_draft_uid(x->n) == f->uid && bfo_draft_gid(x->n) == f->gid &&
	       bfo_draft_project(&j->b->edit, x->n) == f->project;
}

static void house_others(struct bfo_pack_job *j, size_t found, size_t first)
{
	size_t i, k;

	for (i = first; i < j->files.n; i++) {
		struct bfo_pack_file *f = &j->files.v[i];
		const struct bfo_pack_found *x = f->n ? NULL : &j->found.v[f->from];

		if (!f->part && x && (!x->has_part || has_room(j, x, f)))
			settle(j, f, f->from + 1);
	}
	for (i = first; i < j->files.n; i++) {
		struct bfo_pack_file *f = &j->files.v[i];

		for (k = j->found.n; k > found && f->n && !f->part && !f->home; k--) {
			const struct bfo_pack_found *x = &j->found.v[k - 1];

			if (!x->has_part && x->c.places.n && is_owner(j, x, f) && has_room(j, x, f))
				settle(j, f, k);
		}
	}
}

static errcode_t reconcile(struct bfo_pack_job *j, size_t found, size_t first)
{
	size_t k;

	for (k = found; k < j->found.n; k++) {
		j->found.v[k].bytes = HEAD;
		j->found.v[k].is_left = 1;
	}
	sort(j, first, by_set);
	make_parts(j, first);
	house_parts(j, found, first);
	house_others(j, found, first);
	sort(j, first, by_home);
	return make_groups(j, first);
}

/* ---- a directory ---- */

static int by_name(const void *pa, const void *pb)
{
	const uint8_t *a = ((const struct bfo_composite_place *) pa)->name;
	const uint8_t *b = ((const struct bfo_composite_place *) pb)->name;
	int order = memcmp(a + 1, b + 1, *a < *b ? *a : *b);

	return order ? order : compare(*a, *b);
}

typedef BFO_VEC(struct bfo_composite_place) name_vec;

/* The names of all members of composite files from FIRST on, ascending; none is there twice. */
static errcode_t list_members(struct bfo_pack_job *j, size_t first, name_vec *list)
{
	errcode_t err = 0;
	size_t k, i;

	for (k = first; k < j->found.n && !err; k++) {
		const struct bfo_composite *c = &j->found.v[k].c;

		err = bfo_vec_reserve(list, c->names.n + 1);
		for (i = 0; i < c->names.n && !err; i++)
			list->v[list->n++] = (struct bfo_composite_place) {
				.name = c->names.v[i].name, .member = k };
	}
	if (!err && list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_name);
	for (i = 1; i < list->n && !err; i++)
		if (!by_name(&list->v[i - 1], &list->v[i]))
			err = bfo_pack_found_refuse(j, &j->found.v[list->v[i].member],
						    BFO_ET_DAMAGED, "another one has a member of "
						    "the same name");
	return err;
}

static int has_name(const struct bfo_pack_job *j, const struct bfo_pack_file *f,
		    const name_vec *list)
{
	uint8_t key[256];
	uint32_t i;

	for (i = 0; i < f->names; i++) {
		const struct bfo_pack_name *name = &j->names.v[f->name + i];
		struct bfo_composite_place x = { .name = key };

		*key = name->len;
		memcpy(key + 1, j->text.v + name->at, name->len);
		if (list->n && bsearch(&x, list->v, list->n, sizeof(x), by_name))
			return 1;
	}
	return 0;
}

/* Files from FIRST on, of which a member has a name, are none that can be members. */
static errcode_t drop_hidden(struct bfo_pack_job *j, size_t found, size_t first)
{
	name_vec list = { 0 };
	errcode_t err = list_members(j, found, &list);
	size_t i, n = first;

	for (i = first; i < j->files.n && !err; i++) {
		const struct bfo_pack_file f = j->files.v[i];
		const struct bfo_pack_name *name = &j->names.v[f.name];

		if (has_name(j, &f, &list))
			err = bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len,
					     BFO_PACK_HIDDEN);
		else
			j->files.v[n++] = f;
	}
	if (!err)
		j->files.n = n;
	bfo_vec_free(&list);
	return err;
}

/* The N names from FIRST on are all of one inode. */
static errcode_t look_at(struct bfo_pack_job *j, size_t first, size_t n)
{
	struct bfo_pack_found x = { .dir = j->dir, .name = first };
	int is_one = 0;
	errcode_t err = bfo_pack_regular(j, &j->names.v[first], &x.n);

	if (!err && x.n)
		err = bfo_pack_is_composite(j->b, x.n, &is_one);
	if (err || !x.n)
		return err;
	if (!is_one)
		return bfo_pack_judge(j, x.n, first, n);
	err = bfo_pack_found_open(j, &x);
	if (!err)
		err = bfo_vec_push(&j->found, x);
	if (err)
		bfo_pack_found_close(&x);
	return err;
}

/* Composite files from FIRST on stay open if an update changes any. */
static errcode_t keep_changed(struct bfo_pack_job *j, size_t first, size_t groups)
{
	int any = j->opt->is_update && j->groups.n > groups;
	errcode_t err = 0;
	size_t k;

	for (k = first; k < j->found.n && j->opt->is_update && !err; k++) {
		const struct bfo_pack_found *x = &j->found.v[k];

		any |= x->is_left || x->leaving.n;
		j->result->removed += x->is_left;
		j->result->unpacked += x->leaving.n;
		err = bfo_pack_count_leaving(j, x);
	}
	for (k = first; k < j->found.n && !any; k++)
		bfo_pack_found_close(&j->found.v[k]);
	if (!any)
		j->found.n = first;
	return err;
}

errcode_t bfo_pack_look_at_dir(struct bfo_pack_job *j, size_t from)
{
	size_t found = j->found.n, first = j->files.n, groups = j->groups.n, i, end;
	size_t names = j->names.n;
	errcode_t err = 0;

	for (i = from; i < names && !err; i = end) {
		for (end = i + 1; end < names; end++)
			if (j->names.v[end].ino != j->names.v[i].ino)
				break;
		err = look_at(j, i, end - i);
	}
	if (!err && j->found.n > found)
		err = drop_hidden(j, found, first);
	if (!err && j->opt->is_update)
		err = bfo_pack_add_members(j, found);
	if (!err)
		err = j->opt->is_update ? reconcile(j, found, first)
					: divide(j, first);
	if (!err)
		err = keep_changed(j, found, groups);
	if (!err && j->groups.n == groups)
		j->files.n = first;
	return err;
}

/* ---- all directories ---- */

static int by_order(const void *pa, const void *pb)
{
	const struct bfo_pack_group *a = pa, *b = pb;
	int order = compare(a->set - 1, b->set - 1);

	if (!order && a->set)
		order = compare(a->rank, b->rank);
	return order ? order : compare(a->first, b->first);
}

errcode_t bfo_pack_order_groups(struct bfo_pack_job *j)
{
	errcode_t err = 0;
	size_t i, n = 0;

	for (i = 0; i < j->groups.n && !err; i++) {
		const struct bfo_pack_group g = j->groups.v[i];
		const struct bfo_pack_file *f = &j->files.v[g.first];
		const struct bfo_pack_name *name = &j->names.v[f->name];

		if (g.n < LEAST && !g.home && g.set && j->order.sizes[g.set] < LEAST && f->n)
			err = bfo_pack_leave(j, g.dir, j->text.v + name->at, name->len,
					     BFO_PACK_ALONE);
		else
			j->groups.v[n++] = g;
	}
	if (err)
		return err;
	j->groups.n = n;
	if (n)
		qsort(j->groups.v, n, sizeof(*j->groups.v), by_order);
	return 0;
}
