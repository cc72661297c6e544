// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pass5.c - the trees as they stand, against the directories, name by name
 *
 * Both are in the order of (inode, hash), so one pass over each finds what one has and the other
 * has not.  Names with equal keys are in any order in a tree that was changed in place: they are
 * counted, and the sums of the directory (pass 2) and of the tree tell whether they are the same.
 */
#include "base/bfo_err.h"
#include "commit/itrees_write.h"
#include "itree/check.h"
#include "e2itree.h"
#include "problem.h"

struct compare {
	struct job *j;
	struct bfo_sorted next;		/* of the directories */
	int more;
	uint32_t dir;			/* the tree that is read */
	uint64_t missing, extra;	/* names */
};

static errcode_t next_name(struct compare *c)
{
	return bfo_extsort_next(c->j->names, &c->next, &c->more);
}

static itree_key key_of(const struct bfo_sorted *s)
{
	return itree_key_make(s->key[1], s->key[2]);
}

/* Names of the directory before KEY are not in the tree. */
static errcode_t skip_to(struct compare *c, itree_key key)
{
	errcode_t err = 0;

	while (!err && c->more && c->next.key[0] == c->dir && key_of(&c->next) < key) {
		c->missing++;
		err = next_name(c);
	}
	return err;
}

static errcode_t take_entry(void *priv, const struct itree_entry *e)
{
	struct compare *c = priv;
	errcode_t err = skip_to(c, e->key);

	if (!err)
		err = job_count_name(c->j);
	if (err)
		return err;
	if (c->more && c->next.key[0] == c->dir && key_of(&c->next) == e->key)
		return next_name(c);
	c->extra++;
	return 0;
}

/* Names of directories before DIR have no tree, or were told of. */
static errcode_t skip_dirs(struct compare *c, uint64_t dir)
{
	errcode_t err = 0;

	while (!err && c->more && c->next.key[0] < dir)
		err = next_name(c);
	return err;
}

static errcode_t compare_tree(struct compare *c, const struct bfo_container *box,
			      const struct itree_dir *dir)
{
	struct about about = { .ino = dir->ino };
	struct bfo_container_tree store;
	struct itree_checked found = { 0 };
	struct itree t = { 0 };
	errcode_t err = skip_dirs(c, dir->ino);

	c->dir = dir->ino;
	c->missing = c->extra = 0;
	if (!err)
		err = bfo_container_tree_open(&store, box, dir);
	if (err)
		return err;
	err = itree_open(&t, &store.store, box->header.seed, dir);
	if (!err)
		err = itree_check(&t, take_entry, c, &found);
	itree_close(&t);
	bfo_container_tree_free(&store);
	if (err == BFO_ET_ITREE) {
		about.blk = found.blk;
		about.text = itree_damage_text(found.what);
		if (c->j->status & EXIT_CHANGED)
			problem(c->j, PR_5_UNREADABLE, &about);
		return 0;	/* else pass 3 has told */
	}
	if (!err)
		err = skip_to(c, UINT64_MAX);
	about.count = c->missing;
	if (!err && c->missing)
		problem(c->j, PR_5_MISSING, &about);
	about.count = c->extra;
	if (!err && c->extra)
		problem(c->j, PR_5_EXTRA, &about);
	return err;
}

/* Where trees were changed in place, the others stand as pass 1 has read them. */
static int is_to_be_read(const struct job *j, uint32_t ino)
{
	const struct dir *d = job_dir(j, ino);

	return d && (!j->changed || d->fate == FATE_BUILD);	/* else pass 3 has told */
}

static errcode_t compare_all(struct compare *c, const struct bfo_container *box)
{
	bfo_container_catalogue dirs = { 0 };
	errcode_t err = bfo_container_dirs(box, &dirs);
	size_t i;

	for (c->j->total = i = 0; i < dirs.n; i++)
		if (is_to_be_read(c->j, dirs.v[i].ino))
			c->j->total += dirs.v[i].entries;
	for (i = 0; i < dirs.n && !err; i++)
		if (is_to_be_read(c->j, dirs.v[i].ino))
			err = compare_tree(c, box, &dirs.v[i]);
	bfo_vec_free(&dirs);
	return err;
}

errcode_t pass5(struct job *j)
{
	struct compare c = { .j = j };
	struct bfo_container box = { 0 };
	errcode_t err;

	say_pass(j, 5, "Comparing trees with directories");
	err = bfo_extsort_rewind(j->names);
	if (!err)
		err = next_name(&c);
	if (!err)
		err = bfo_container_find(&j->reader, &box);
	if (!err)
		err = compare_all(&c, &box);
	bfo_container_free(&box);
	if ((err == BFO_ET_NO_ITREE && !box.ino) || err == BFO_ET_ITREE) {
		bfo_what_clear(&j->ctx);	/* there is none; or pass 1 has told */
		return 0;
	}
	return err;
}
