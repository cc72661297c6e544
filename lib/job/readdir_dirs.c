// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir_dirs.c - the names of directories, in the order of inode numbers
 *
 *   index in the container ── cursor ─────────────────────── batch, batch, ... (memory for one)
 *   directory blocks ── name scan ── sorted by inode number ── batch, batch, ...
 *
 * What has an index that can be believed is listed by that, at once.  Other directories are read
 * whole; those that come after each other in the queue together, as far as memory goes.
 *
 * A tree can turn out to be damaged when some of it was told.  As batches of a tree end where
 * the names of an inode end, the rest is what leads to greater inode numbers: it comes from the
 * directory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/target.h"
#include "itree/cursor.h"
#include "job/readdir.h"
#include "plan/names.h"

#define BATCH_FIRST 256U	/* names: so that the first line comes at once */
#define BATCH 8192U
#define BATCH_MAX 131072U	/* an inode has no more than 65,535 links */
#define TOGETHER 65536U		/* directories */

/* ---- by reading directories ---- */

struct place {			/* sort key first */
	uint32_t ino, dir;
};

/* Directories FIRST to FIRST + N - 1 of the queue, read together. */
struct group {
	struct bfo_readdir *l;
	struct bfo_tree tree;	/* without names */
	struct bfo_readdir_names names;
	uint32_t first, n;
	uint32_t above;		/* inode number: only names that lead to greater ones */
	uint32_t *place;	/* of the tree's records: index in the queue */
};

static errcode_t take_name(void *priv, const struct bfo_found_name *n)
{
	struct group *g = priv;

	if (n->ino <= g->above)
		return 0;
	return bfo_readdir_names_add(&g->names, (struct bfo_readdir_name) {
				     .dir = g->place[n->dir], .ino = n->ino },
				     n->text, n->len, n->hashes);
}

static errcode_t read_group(struct group *g)
{
	struct place *places = malloc(g->n * sizeof(*places));
	uint32_t *inos = malloc(g->n * sizeof(*inos)), i, index;
	errcode_t err = ENOMEM;

	bfo_tree_free(&g->tree);
	bfo_readdir_names_free(&g->names);
	free(g->place);
	g->place = malloc(g->n * sizeof(*g->place));
	if (places && inos && g->place) {
		for (i = 0; i < g->n; i++)
			places[i] = (struct place) {
				.ino = g->l->queue.dirs.v[g->first + i].ino, .dir = g->first + i };
		bfo_sort(places, g->n, sizeof(*places), 1);
		for (i = 0; i < g->n; i++)
			inos[i] = places[i].ino;
		err = bfo_inode_scan_some(g->l->reader, &g->tree, inos, g->n);
	}
	for (i = 0; i < g->n && !err; i++) {
		index = bfo_tree_find(&g->tree, places[i].ino);
		if (index != BFO_NONE)
			g->place[index] = places[i].dir;
	}
	if (!err)
		err = bfo_name_scan_to(g->l->reader, &g->tree, take_name, g);
	free(places);
	free(inos);
	return err;
}

/* Name N in a directory with FLAGS gets its hash. */
static void hash_name(const struct bfo_target *shape, const struct bfo_readdir_names *names,
		      uint32_t flags, struct bfo_readdir_name *n)
{
	const char *text = names->text.v + n->text;
	uint32_t minor;

	bfo_text_hash(shape, flags, text, n->len, bfo_dir_has_hashes(flags) ? text + n->len : NULL,
		      &n->hash, &minor);
}

/* Several names of one inode come in the order of a tree: by their hash. */
static void sort_links(struct group *g)
{
	const struct bfo_readdir_dir *dirs = g->l->queue.dirs.v;
	struct bfo_readdir_names *names = &g->names;
	struct bfo_target shape = { 0 };
	size_t i, end, k;

	bfo_target_shape(g->l->reader->vol, &shape);
	for (i = 0; i < names->v.n; i = end) {
		struct bfo_readdir_name *n = &names->v.v[i];
		bfo_row dir = bfo_tree_find(&g->tree, dirs[n->dir].ino);

		for (end = i + 1; end < names->v.n && names->v.v[end].dir == n->dir &&
				  names->v.v[end].ino == n->ino; end++)
			;
		if (end - i == 1)
			continue;
		for (k = i; k < end; k++)
			hash_name(&shape, names, g->tree.inodes.v[dir].flags, &names->v.v[k]);
		bfo_sort(n, end - i, sizeof(*n), 3);
	}
}

/* F is about directory DIR of the queue, or a name in it. */
static errcode_t tell_finding(struct group *g, uint32_t dir, const struct bfo_finding *f)
{
	const struct bfo_tree *t = &g->tree;
	const struct bfo_readdir_sink *to = g->l->to;
	int is_name = f->len != BFO_NO_NAME;
	errcode_t err = bfo_readdir_point(g->l, dir);

	return err ? err : to->damage(to->priv, is_name ? t->text.v + f->text : "",
				      is_name ? f->len : 0, t, f);
}

/* N inodes from FIRST on could be read when they were met, and cannot be read again. */
static errcode_t tell_lost(struct group *g, uint32_t first, uint32_t n)
{
	const struct bfo_readdir_dir *dirs = g->l->queue.dirs.v;
	errcode_t err = 0;
	uint32_t i;

	for (i = g->first; i < g->first + g->n && !err; i++) {
		if (dirs[i].ino - first >= n)
			continue;
		err = bfo_readdir_point(g->l, i);
		if (!err)
			err = bfo_readdir_tell_damage(g->l, "", 0, BFO_UNREAD_INODE, dirs[i].ino);
	}
	return err;
}

/* What was found about these directories, each with its path. */
static errcode_t tell_findings(struct group *g)
{
	const struct bfo_tree *t = &g->tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->findings.n && !err; i++) {
		const struct bfo_finding *f = &t->findings.v[i];
		bfo_row record = bfo_tree_find(t, f->len != BFO_NO_NAME ? f->dir : f->ino);

		err = f->kind == BFO_UNREAD_TABLE ? tell_lost(g, f->ino, f->blocks) :
						    tell_finding(g, g->place[record], f);
	}
	return err;
}

static errcode_t tell_group(struct group *g, uint32_t entered)
{
	uint32_t max = BATCH_FIRST, last = g->first + g->n - 1;
	size_t n = g->names.v.n, i, end;
	errcode_t err = 0;

	for (i = 0; i < n && !err; i = end) {
		end = n - i < max ? n : i + max;
		err = bfo_readdir_batch(g->l, &g->names, i, end, &entered);
		max = BATCH;
	}
	while (!err && entered != last)
		err = bfo_readdir_enter(g->l, ++entered);
	return err ? err : tell_findings(g);
}

/*
 * Lists N directories of the queue from FIRST on; of their names those that lead to inodes above
 * ABOVE.  Directories up to ENTERED were begun before.
 */
static errcode_t list_sorted(struct bfo_readdir *l, uint32_t first, uint32_t n, uint32_t entered,
			     uint32_t above)
{
	struct group g = { .l = l, .first = first, .n = n, .above = above };
	errcode_t err = read_group(&g);
	int tries = 0;

	while (!err && g.tree.findings.n && bfo_users_again(l->reader->vol, &tries))
		err = read_group(&g);
	if (!err) {
		/* as batches want them */
		bfo_sort(g.names.v.v, g.names.v.n, sizeof(*g.names.v.v), 2);
		sort_links(&g);
		err = tell_group(&g, entered);
	}
	l->ways.sorted += n;
	bfo_tree_free(&g.tree);
	bfo_readdir_names_free(&g.names);
	free(g.place);
	return err == ENOMEM ? bfo_fail(l->ctx, err, "listing directories") : err;
}

/* How many directories from FIRST on are read together: names take about what their blocks do. */
static uint32_t group_size(const struct bfo_readdir *l, uint32_t first)
{
	const struct bfo_readdir_queue *q = &l->queue;
	uint64_t bytes = 0;
	uint32_t n = 0;

	for (; first + n < q->dirs.n && n < TOGETHER && !q->dirs.v[first + n].has_tree; n++) {
		bytes += q->dirs.v[first + n].size;
		if (n && bytes > l->opt.memory / 4)
			break;
	}
	return n;
}

/* ---- by an index ---- */

struct walk {
	struct bfo_readdir *l;
	uint32_t dir;			/* index in the queue */
	struct bfo_container_tree blocks;
	struct itree tree;
	struct itree_cursor cursor;
	struct itree_entry next;	/* its name is NULL at the end */
	struct bfo_readdir_names batch;
	uint32_t max;			/* names of the next batch */
	uint32_t done;			/* names of inodes up to this one were told */
};

/* Not the tree's fault: reading the directory instead would not help. */
static int is_fatal(errcode_t err)
{
	return err == ENOMEM || err == BFO_ET_CANCELLED;
}

/* What the trees' checksums do not say: that it is a name, and an inode of this volume. */
static int is_possible(const struct bfo_readdir *l, const struct itree_entry *e)
{
	return itree_key_ino(e->key) <= l->reader->vol->fs->super->s_inodes_count &&
	       !memchr(e->name, '/', e->name_len) && !memchr(e->name, 0, e->name_len);
}

static errcode_t look_ahead(struct walk *w)
{
	errcode_t err = itree_cursor_next(&w->cursor, &w->next);

	if (!err && w->next.name && !is_possible(w->l, &w->next))
		err = BFO_ET_ITREE;
	return err;
}

static int is_in_batch(const struct walk *w)
{
	const struct bfo_readdir_names *b = &w->batch;

	return w->next.name && (b->v.n < w->max ||
				b->v.v[b->v.n - 1].ino == itree_key_ino(w->next.key));
}

/* Fills the batch, up to the last name of some inode. */
static errcode_t fill(struct walk *w)
{
	struct bfo_readdir_names *b = &w->batch;
	errcode_t err = 0;

	b->v.n = b->text.n = 0;
	while (!err && is_in_batch(w)) {
		struct bfo_readdir_name n = { .dir = w->dir, .ino = itree_key_ino(w->next.key) };

		err = bfo_readdir_names_add(b, n, w->next.name, w->next.name_len, NULL);
		if (!err)
			err = b->v.n < BATCH_MAX ? look_ahead(w) : BFO_ET_ITREE;
	}
	w->max = BATCH;
	return err;
}

/* After an error in the tree: names of the last inode in the batch may be incomplete. */
static void drop_last_inode(struct bfo_readdir_names *b)
{
	size_t n = b->v.n;

	while (b->v.n && b->v.v[b->v.n - 1].ino == b->v.v[n - 1].ino)
		b->v.n--;
}

static errcode_t tell_batch(struct walk *w)
{
	uint32_t entered = w->dir;
	size_t n = w->batch.v.n;

	if (!n)
		return 0;
	w->done = w->batch.v.v[n - 1].ino;
	return bfo_readdir_batch(w->l, &w->batch, 0, n, &entered);
}

/* *BROKEN: the tree is damaged, but for what was told. */
static errcode_t walk_tree(struct walk *w, int *broken)
{
	errcode_t err = look_ahead(w), why;

	while (!err && w->next.name) {
		why = fill(w);
		*broken = why && !is_fatal(why);
		if (*broken)
			drop_last_inode(&w->batch);
		err = why && !*broken ? why : tell_batch(w);
		if (*broken)
			return err;
	}
	*broken = err && !is_fatal(err) && !w->done;
	return *broken ? 0 : err;
}

static errcode_t open_tree(struct walk *w)
{
	const struct bfo_readdir_dir *d = &w->l->queue.dirs.v[w->dir];
	struct itree_dir dir;
	errcode_t err;

	err = bfo_container_dir(&w->l->container, d->ino, &dir);
	if (!err)
		err = bfo_container_tree_open(&w->blocks, &w->l->container, &dir);
	if (!err)
		err = itree_open(&w->tree, &w->blocks.store, w->l->container.header.seed, &dir);
	itree_cursor_init(&w->cursor, &w->tree);
	return err;
}

static errcode_t list_by_tree(struct bfo_readdir *l, uint32_t dir)
{
	struct walk w = { .l = l, .dir = dir, .max = BATCH_FIRST };
	errcode_t err = bfo_readdir_enter(l, dir), why;
	int broken = 0;

	if (err)
		return err;
	why = open_tree(&w);
	if (why)
		broken = !is_fatal(why);
	else
		why = walk_tree(&w, &broken);
	l->ways.by_tree += !broken;
	l->ways.broken += broken;
	itree_cursor_free(&w.cursor);
	itree_close(&w.tree);
	bfo_container_tree_free(&w.blocks);
	bfo_readdir_names_free(&w.batch);
	return broken ? list_sorted(l, dir, 1, dir, w.done) : why;
}

errcode_t bfo_readdir_dirs(struct bfo_readdir *l)
{
	uint32_t next = 0, n;
	errcode_t err = 0;

	if (l->tree)
		return bfo_readdir_dirs_tree(l);
	for (; next < l->queue.dirs.n && !err; next += n) {
		n = group_size(l, next);
		err = n ? list_sorted(l, next, n, next - 1, 0) : list_by_tree(l, next);
		n += !n;
	}
	return err;
}
