// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_remove.c - operations of a batch that take names away
 *
 * A tree goes in two steps: first all of its drafts are found, and whether they may go; then they
 * go, which cannot fail.  The names in its directories go with these.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "job/pack_state.h"

int bfo_batch_has_link(const struct bfo_batch *b, const struct bfo_draft *dir)
{
	return b->edit.shape.has_dir_nlink || bfo_draft_links(dir) < BFO_BATCH_LINKS_MAX;
}

/* One link means: more than can be counted (dir_nlink). */
void bfo_batch_link_dir(struct bfo_draft *dir, int more)
{
	uint32_t links = bfo_draft_links(dir);

	if (links == 1)
		return;
	links += more;
	bfo_draft_set_links(dir, links > BFO_BATCH_LINKS_MAX ? 1 : links);
}

/* ---- one name ---- */

errcode_t bfo_batch_can_displace(struct bfo_batch *b, const struct bfo_batch_way *way, int flags)
{
	struct bfo_going sum = { 0 };
	errcode_t err;

	if (!(flags & BFO_BATCH_REPLACE))
		return BFO_ET_EXISTS;
	if (S_ISDIR(bfo_draft_mode(way->draft)))
		return BFO_ET_IS_DIR;
	err = bfo_batch_may_lose(b, way->dir);
	if (!err)
		err = bfo_batch_may_change(b, way->draft);
	if (!err)
		err = bfo_draft_can_go(&b->edit, way->draft, &sum);
	return err ? err : bfo_going_reserve(&b->edit, &sum);
}

/* N loses a name. */
static void lose_link(struct bfo_batch *b, struct bfo_draft *n)
{
	bfo_draft_set_links(n, bfo_draft_links(n) - 1);
	if (!bfo_draft_links(n)) {
		bfo_draft_go(&b->edit, n);
		return;
	}
	bfo_draft_touch(&b->edit, n, 0);
	bfo_draft_change(&b->edit, n);
}

void bfo_batch_displace(struct bfo_batch *b, const struct bfo_batch_way *way)
{
	lose_link(b, way->draft);
}

/* The name at WAY goes, and with it what MORE says about its directory's links. */
static void drop_name(struct bfo_batch *b, const struct bfo_batch_way *way)
{
	struct bfo_entry *entry = bfo_entries_find(way->dir->entries, way->name, way->len);

	bfo_directory_point(&b->edit, way->dir, entry, NULL);
	bfo_draft_touch(&b->edit, way->dir, 1);
}

/* ---- trees ---- */

/* A file that loses names with a tree. */
struct doomed {
	struct bfo_draft *n;
	uint32_t names;
};

struct felling {
	struct bfo_batch *b;
	BFO_VEC(uint32_t) inos;		/* of the names in the directory at hand */
	BFO_VEC(struct bfo_draft *) drafts;	/* one for each name */
	BFO_VEC(struct doomed) doomed;
};

static errcode_t take_ino(void *priv, const struct bfo_dir_name *name)
{
	struct felling *f = priv;

	return bfo_vec_push(&f->inos, name->ino);
}

/* The drafts of all names in directory D, in the order of their numbers. */
static errcode_t look_into(struct felling *f, struct bfo_draft *d)
{
	struct bfo_draft *n;
	errcode_t err;
	int is_one;
	size_t i;

	f->inos.n = 0;
	err = bfo_batch_may_lose(f->b, d);
	if (!err)
		err = bfo_directory_each(&f->b->edit, d, take_ino, f);
	if (!err)
		bfo_sort_numbers(f->inos.v, f->inos.n);
	for (i = 0; i < f->inos.n && !err; i++) {
		err = bfo_draft_get(&f->b->edit, f->inos.v[i], &n);
		if (!err)
			err = bfo_pack_is_composite(f->b, n, &is_one);
		if (!err && !is_one)
			err = bfo_batch_may_change(f->b, n);
		if (!err)
			err = bfo_vec_push(&f->drafts, n);
		if (!err && bfo_cancelled(f->b->ctx))
			err = BFO_ET_CANCELLED;
	}
	return err;
}

static int by_ino(const void *a, const void *b)
{
	const struct bfo_draft *const *x = a, *const *y = b;

	return ((*x)->ino > (*y)->ino) - ((*x)->ino < (*y)->ino);
}

/* Each draft once, and how many names it loses; a directory has but one. */
static errcode_t count_names(struct felling *f)
{
	errcode_t err = 0;
	size_t i;

	if (f->drafts.n)
		qsort(f->drafts.v, f->drafts.n, sizeof(*f->drafts.v), by_ino);
	for (i = 0; i < f->drafts.n && !err; i++) {
		struct doomed *last = f->doomed.n ? &f->doomed.v[f->doomed.n - 1] : NULL;

		if (!last || last->n != f->drafts.v[i])
			err = bfo_vec_push(&f->doomed, (struct doomed) { .n = f->drafts.v[i],
									 .names = 1 });
		else if (S_ISDIR(bfo_draft_mode(last->n)))
			err = bfo_fail(f->b->ctx, BFO_ET_DAMAGED, "removing directory %u: it has "
				       "two names", last->n->ino);
		else
			last->names++;
	}
	return err;
}

static int goes(const struct doomed *d)
{
	return S_ISDIR(bfo_draft_mode(d->n)) || d->names >= bfo_draft_links(d->n);
}

static errcode_t may_all_go(struct felling *f)
{
	struct bfo_going sum = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < f->doomed.n && !err; i++)
		if (goes(&f->doomed.v[i]))
			err = bfo_draft_can_go(&f->b->edit, f->doomed.v[i].n, &sum);
	return err ? err : bfo_going_reserve(&f->b->edit, &sum);
}

static void let_go(struct felling *f)
{
	size_t i;

	for (i = 0; i < f->doomed.n; i++) {
		struct doomed *d = &f->doomed.v[i];

		if (goes(d)) {
			bfo_draft_go(&f->b->edit, d->n);
			continue;
		}
		bfo_draft_set_links(d->n, bfo_draft_links(d->n) - d->names);
		bfo_draft_touch(&f->b->edit, d->n, 0);
		bfo_draft_change(&f->b->edit, d->n);
	}
}

/* All below TOP, and TOP itself. */
static errcode_t fell(struct bfo_batch *b, struct bfo_draft *top)
{
	struct felling f = { .b = b };
	errcode_t err = bfo_vec_push(&f.drafts, top);
	size_t i;

	for (i = 0; i < f.drafts.n && !err; i++) {
		if (S_ISDIR(bfo_draft_mode(f.drafts.v[i])))
			err = look_into(&f, f.drafts.v[i]);
		if (f.drafts.n > b->vol->fs->super->s_inodes_count * 64ULL)
			err = BFO_ET_DAMAGED;	/* a circle */
	}
	if (!err)
		err = count_names(&f);
	if (!err)
		err = may_all_go(&f);
	if (!err)
		let_go(&f);
	bfo_vec_free(&f.inos);
	bfo_vec_free(&f.drafts);
	bfo_vec_free(&f.doomed);
	return err;
}

static errcode_t remove_dir(struct bfo_batch *b, const struct bfo_batch_way *way, int flags)
{
	int empty = 0;
	errcode_t err = flags & BFO_BATCH_TREE ? 0 :
			bfo_directory_is_empty(&b->edit, way->draft, &empty);

	if (!err && !empty && !(flags & BFO_BATCH_TREE))
		err = BFO_ET_NOT_EMPTY;
	if (!err)
		err = fell(b, way->draft);
	if (err)
		return err;
	drop_name(b, way);
	bfo_batch_link_dir(way->dir, -1);
	b->last = NULL;
	return 0;
}

static errcode_t remove_name(struct bfo_batch *b, const char *path, int flags)
{
	struct bfo_batch_way way;
	errcode_t err = bfo_batch_find(b, path, &way);

	if (err == BFO_ET_NO_PATH && flags & BFO_BATCH_MISSING_OK)
		return 0;
	if (!err && !way.dir)
		err = bfo_fail(b->ctx, BFO_ET_BAD_PATH, "it is the root");
	if (!err)
		err = bfo_batch_may_lose(b, way.dir);
	if (!err)
		err = bfo_batch_may_change(b, way.draft);
	if (!err && S_ISDIR(bfo_draft_mode(way.draft)))
		return remove_dir(b, &way, flags);
	if (!err)
		err = bfo_batch_can_displace(b, &way, BFO_BATCH_REPLACE);
	if (err)
		return err;
	drop_name(b, &way);
	lose_link(b, way.draft);
	return 0;
}

errcode_t bfo_batch_remove(struct bfo_batch *b, const char *path, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	return err ? err : bfo_batch_end(b, remove_name(b, path, flags), "removing", path);
}

/* ---- renaming ---- */

/* True if TO lies below FROM; both are paths that were followed. */
static int is_below(const char *from, const char *to)
{
	size_t a, c;

	for (;;) {
		from += strspn(from, "/");
		to += strspn(to, "/");
		a = strcspn(from, "/");
		c = strcspn(to, "/");
		if (!a)
			return !!c;
		if (a != c || memcmp(from, to, a))
			return 0;
		from += a;
		to += c;
	}
}

/* What stands where a directory is to come: an empty one. */
static errcode_t can_displace_dir(struct bfo_batch *b, const struct bfo_batch_way *way, int flags)
{
	struct bfo_going sum = { 0 };
	errcode_t err;
	int empty;

	if (!(flags & BFO_BATCH_REPLACE))
		return BFO_ET_EXISTS;
	if (!S_ISDIR(bfo_draft_mode(way->draft)))
		return BFO_ET_NOT_DIR;
	err = bfo_batch_may_lose(b, way->dir);
	if (!err)
		err = bfo_batch_may_change(b, way->draft);
	if (!err)
		err = bfo_directory_is_empty(&b->edit, way->draft, &empty);
	if (!err && !empty)
		err = BFO_ET_NOT_EMPTY;
	if (!err)
		err = bfo_draft_can_go(&b->edit, way->draft, &sum);
	return err ? err : bfo_going_reserve(&b->edit, &sum);
}

static void move(struct bfo_batch *b, const struct bfo_batch_way *from,
		 const struct bfo_batch_way *to)
{
	int is_dir = S_ISDIR(bfo_draft_mode(from->draft));

	if (to->draft && is_dir) {
		bfo_draft_go(&b->edit, to->draft);
		bfo_batch_link_dir(to->dir, -1);
	} else if (to->draft) {
		lose_link(b, to->draft);
	}
	bfo_batch_enter(b, to, from->draft);
	drop_name(b, from);
	if (is_dir)
		bfo_batch_link_dir(from->dir, -1);
	bfo_draft_touch(&b->edit, from->draft, 0);
	b->last = NULL;
}

static errcode_t rename_to(struct bfo_batch *b, const struct bfo_batch_way *from,
			   const struct bfo_batch_way *to, int flags)
{
	int is_dir = S_ISDIR(bfo_draft_mode(from->draft));
	errcode_t err = bfo_batch_may_gain(b, to->dir);

	if (!err && to->draft)
		err = is_dir ? can_displace_dir(b, to, flags) :
		      bfo_batch_can_displace(b, to, flags);
	if (!err && is_dir && from->dir != to->dir && !bfo_batch_has_link(b, to->dir))
		err = BFO_ET_LINKS;
	if (!err && is_dir && from->dir != to->dir)
		err = bfo_directory_set_parent(&b->edit, from->draft, to->dir->ino);
	if (!err)
		move(b, from, to);
	return err;
}

static errcode_t rename_path(struct bfo_batch *b, const char *from, const char *to, int flags)
{
	struct bfo_batch_way a, c;
	errcode_t err = bfo_batch_find(b, from, &a);

	if (!err && !a.dir)
		err = bfo_fail(b->ctx, BFO_ET_BAD_PATH, "it is the root");
	if (!err)
		err = bfo_batch_may_lose(b, a.dir);
	if (!err)
		err = bfo_batch_may_change(b, a.draft);
	if (!err && S_ISDIR(bfo_draft_mode(a.draft)) && is_below(from, to))
		err = bfo_fail(b->ctx, BFO_ET_BAD_PATH, "%s lies in it", to);
	if (!err)
		err = bfo_batch_walk(b, to, flags, &c);
	if (!err && !c.dir)
		err = BFO_ET_EXISTS;
	if (err || c.draft == a.draft)
		return err;
	return rename_to(b, &a, &c, flags);
}

errcode_t bfo_batch_rename(struct bfo_batch *b, const char *from, const char *to, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	return err ? err : bfo_batch_end(b, rename_path(b, from, to, flags), "renaming", from);
}
