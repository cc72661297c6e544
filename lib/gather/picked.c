// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picked.c - a tree of a few files
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/claim_scan.h"
#include "gather/container.h"
#include "gather/inode_scan.h"
#include "gather/orphan_scan.h"
#include "gather/picked.h"
#include "gather/resolve.h"
#include "tree/access.h"

/* A name on the way.  The first three words are the sort key. */
struct step {
	uint32_t dir, crc, ino;	/* inode numbers */
	uint32_t type, len, unused;
	const char *name;
};

struct pick {
	struct bfo_reader *r;
	struct bfo_tree *tree;
	struct bfo_resolved *ways;
	size_t n;
	BFO_VEC(struct step) steps;
};

static errcode_t add_step(void *priv, uint32_t dir, const struct bfo_sought *name)
{
	struct pick *p = priv;

	return bfo_vec_push(&p->steps, (struct step) { .dir = dir, .crc = name->crc,
			    .ino = name->ino, .type = name->type, .len = name->len,
			    .name = name->name });
}

static int is_same(const struct step *a, const struct step *b)
{
	return a->dir == b->dir && a->crc == b->crc && a->ino == b->ino && a->len == b->len &&
	       !memcmp(a->name, b->name, a->len);
}

/* Several paths go by one name.  (Those that share all of the key, and are others, stay.) */
static void drop_twins(struct pick *p)
{
	struct step *v = p->steps.v;
	size_t i, k, n = 0;

	bfo_sort(v, p->steps.n, sizeof(*v), 3);
	for (i = 0; i < p->steps.n; i++) {
		for (k = n; k && v[k - 1].dir == v[i].dir && v[k - 1].crc == v[i].crc &&
			    !is_same(&v[k - 1], &v[i]); k--)
			;
		if (!k || !is_same(&v[k - 1], &v[i]))
			v[n++] = v[i];
	}
	p->steps.n = n;
}

static errcode_t scan_inodes(struct pick *p)
{
	bfo_numbers inos = { 0 };
	errcode_t err = bfo_vec_push(&inos, EXT2_ROOT_INO);
	size_t i;

	for (i = 0; i < p->steps.n && !err; i++)
		err = bfo_vec_push(&inos, p->steps.v[i].ino);
	inos.n = bfo_sort_unique(inos.v, inos.n);
	if (!err)
		err = bfo_orphan_scan(p->r, p->tree);
	if (!err)
		err = bfo_inode_scan_some(p->r, p->tree, inos.v, inos.n);
	bfo_vec_free(&inos);
	return err;
}

static int is_directory(const struct pick *p, uint32_t ino)
{
	bfo_row row = bfo_tree_find(p->tree, ino);

	return row != BFO_NONE && S_ISDIR(p->tree->inodes.v[row].mode);
}

/* True if the tree is all that its files need. */
static int is_enough(const struct pick *p)
{
	const struct bfo_tree *t = p->tree;
	size_t i;

	if (t->ea_inode || t->unsure)
		return 0;
	for (i = 0; i < p->n; i++)
		if (is_directory(p, p->ways[i].ino))
			return 0;
	for (i = 0; i < t->inodes.n; i++)
		if (S_ISDIR(t->inodes.v[i].mode) && bfo_dir_has_hashes(t->inodes.v[i].flags))
			return 0;
	return 1;
}

/* Other names of a file are not known: its link count becomes that of those that are. */
static errcode_t add_name(struct bfo_tree *t, const struct step *s)
{
	bfo_row row = bfo_tree_find(t, s->ino);
	struct bfo_inode *rec = row == BFO_NONE ? NULL : &t->inodes.v[row];

	if (rec && S_ISDIR(rec->mode))
		bfo_dotdot_set(rec, s->dir);
	else if (rec && rec->links_read < UINT16_MAX)
		rec->links_read++;
	return bfo_tree_add_name(t, bfo_tree_find(t, s->dir), s->ino, s->type, s->name, s->len);
}

static errcode_t add_names(struct pick *p)
{
	struct bfo_tree *t = p->tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->inodes.n; i++)
		if (!S_ISDIR(t->inodes.v[i].mode))
			t->inodes.v[i].links_read = 0;
	for (i = 0; i < p->steps.n && !err; i++)
		err = add_name(t, &p->steps.v[i]);
	return err;
}

static int lead_somewhere(const struct pick *p)
{
	size_t i;

	for (i = 0; i < p->n && !p->ways[i].fault; i++)
		;
	return i == p->n;
}

static errcode_t gather(struct pick *p, int *picked)
{
	struct bfo_tree empty = *p->tree;
	errcode_t err;

	drop_twins(p);
	err = scan_inodes(p);
	*picked = !err && is_enough(p);
	if (!err && !*picked) {
		bfo_tree_free(p->tree);
		*p->tree = empty;
		return 0;
	}
	p->tree->is_picked = 1;
	if (!err)
		err = bfo_claim_scan(p->r, p->tree);
	if (!err)
		err = add_names(p);
	return err ? err : bfo_container_hide(p->r, p->tree);
}

errcode_t bfo_gather_picked(struct bfo_reader *r, struct bfo_tree *tree, const char *const *paths,
			    size_t n, int *picked)
{
	struct pick p = { .r = r, .tree = tree, .n = n };
	errcode_t err;

	*picked = 0;
	p.ways = malloc(n * sizeof(*p.ways) + 1);
	if (!p.ways)
		return bfo_fail(r->ctx, ENOMEM, "looking for %zu paths", n);
	err = bfo_resolve_names(r, paths, n, p.ways, add_step, &p);
	if (!err && lead_somewhere(&p))
		err = gather(&p, picked);
	free(p.ways);
	bfo_vec_free(&p.steps);
	return err;
}
