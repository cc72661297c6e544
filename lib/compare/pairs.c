// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pairs.c - from two sets of names to pairs of inodes
 *
 * Names are sorted by directory and their first eight bytes, which take the place of the hash,
 * in linear time; only what agrees in these is compared as text.  Then pairs are their own queue:
 * the children of a pair of directories are appended while it grows, level by level.
 *
 * Hard links: a record remembers the first pair it is in.  A further name is as it should be if it
 * brings the same two records together again; else the sharing differs.
 *
 * A name whose inode cannot be read keeps its place, so that the other side's name is not alone,
 * but makes no pair.
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "compare/compare.h"
#include "compare/pairs.h"
#include "compare/unread.h"
#include "tree/access.h"
#include "tree/path.h"
#include "tree/slices.h"

#define ROOT_INO 2
#define LOST_FOUND "lost+found"

/* ---- names in order ---- */

/* Bytes [at, at + 4) of a name as a number that sorts like them; names have no zero bytes. */
static uint32_t key_of(const char *text, uint32_t len, uint32_t at)
{
	uint32_t key = 0, i;

	for (i = at; i < at + 4; i++)
		key = key << 8 | (i < len ? (uint8_t) text[i] : 0);
	return key;
}

/* Drops names that lead nowhere, but not where nobody can read; gives the others their keys. */
static errcode_t set_keys(struct bfo_tree *t)
{
	size_t i, kept = 0;
	errcode_t err = 0;

	for (i = 0; i < t->names.n && !err; i++) {
		struct bfo_name n = t->names.v[i];
		uint32_t ino = bfo_name_number(t, &n);
		int is_unread = bfo_ranges_contain(&t->unread, ino);

		if (bfo_tree_find(t, ino) == BFO_NONE) {
			err = bfo_tree_found_known(t, is_unread ? BFO_UNREAD_INODE :
						   BFO_FOUND_NAME_INODE, &n);
			if (!is_unread)
				continue;
		}
		n.hash = key_of(bfo_name_text(t, &n), bfo_name_len(&n), 0);
		n.minor = key_of(bfo_name_text(t, &n), bfo_name_len(&n), 4);
		t->names.v[kept++] = n;
	}
	t->names.n = kept;
	return err;
}

errcode_t bfo_pairs_sort_names(struct bfo_tree *t)
{
	errcode_t err = set_keys(t);

	return err ? err : bfo_slices_sort(t);
}

/* ---- where it begins ---- */

/* The record that N leads to; BFO_NONE if it cannot be read. */
static bfo_row row_of(const struct bfo_tree *t, const struct bfo_name *n)
{
	return bfo_tree_find(t, bfo_name_number(t, n));
}

/* True if a name in DIR may lead somewhere that cannot be read. */
static int may_be_unread(const struct bfo_compare *c, int side, bfo_row dir)
{
	return c->tree[side]->unread.n || bfo_unread_has(c, side, dir, BFO_UNREAD_DIR);
}

/* Follows the path of SIDE to a record.  Here ".." is a name that no directory has. */
static errcode_t walk(struct bfo_compare *c, int side, bfo_row *row)
{
	const struct bfo_tree *t = c->tree[side];
	struct bfo_way w = { .tree = t, .rest = c->path[side], .row = bfo_tree_find(t, ROOT_INO),
			     .at = BFO_NONE };
	errcode_t err;

	if (w.row == BFO_NONE || t->inodes.v[w.row].state & BFO_INODE_BAD ||
	    !S_ISDIR(t->inodes.v[w.row].mode))
		return bfo_fail(c->ctx, BFO_ET_ROOT_DAMAGED, "comparing names");
	err = bfo_way_end(&w);
	*row = w.row;
	if (err == EINVAL)
		err = S_ISDIR(t->inodes.v[w.row].mode) ? BFO_ET_NO_PATH : BFO_ET_NOT_DIR;
	if (!err)
		return 0;
	return bfo_fail(c->ctx, err, "looking for %s in %s%s", c->path[side],
			c->source[side]->name,
			err == BFO_ET_NO_PATH && may_be_unread(c, side, w.row) ?
			": what leads there cannot be read" : "");
}

/* ---- pairing ---- */

static struct bfo_inode *record(struct bfo_compare *c, int side, bfo_row row)
{
	return &c->tree[side]->inodes.v[row];
}

static errcode_t add_pair(struct bfo_compare *c, struct bfo_compare_pair pair)
{
	uint32_t index = c->pairs.n, side;
	errcode_t err = bfo_vec_push(&c->pairs, pair);

	if (err)
		return err;
	for (side = 0; side < 2; side++)
		if (record(c, side, pair.row[side])->name == BFO_NONE)
			record(c, side, pair.row[side])->name = index;
	if (S_ISDIR(record(c, 0, pair.row[0])->mode))
		c->dirs++;
	else
		c->files += !pair.names_only;
	return 0;
}

/* True if a directory of SIDE has had a name before: then NAME is damage. */
static int is_second_name(struct bfo_compare *c, int side, bfo_row row,
			  const struct bfo_name *name, errcode_t *err)
{
	const struct bfo_inode *rec = record(c, side, row);

	if (!S_ISDIR(rec->mode) || rec->name == BFO_NONE)
		return 0;
	if (!*err)
		*err = bfo_tree_found_known(c->tree[side], BFO_FOUND_DIR_TWICE, name);
	return 1;
}

/* Hashes that no kernel can compute without the key; if only one side has them, flags differ. */
static void compare_hashes(struct bfo_compare *c, uint32_t dir, const struct bfo_name *const n[2])
{
	struct bfo_diff diff = { .kind = BFO_DIFF_HASH,
				 .pair = dir,
				 .ino = { bfo_name_number(c->tree[0], n[0]),
					  bfo_name_number(c->tree[1], n[1]) },
				 .name = { .data = bfo_name_text(c->tree[0], n[0]),
					   .len = bfo_name_len(n[0]) } };
	int side;

	for (side = 0; side < 2; side++) {
		if (!bfo_dir_has_hashes(bfo_pair_inode(c, dir, side)->flags))
			return;
		diff.value[side].data = bfo_name_hashes(c->tree[side], n[side]);
		diff.value[side].len = BFO_HASH_BYTES;
	}
	if (memcmp(diff.value[0].data, diff.value[1].data, BFO_HASH_BYTES))
		bfo_compare_found(c, &diff);
}

/* Name A and name B in pair DIR have the same bytes. */
static errcode_t meet(struct bfo_compare *c, uint32_t dir, const struct bfo_name *a,
		      const struct bfo_name *b)
{
	struct bfo_compare_pair pair = { .row = { row_of(c->tree[0], a), row_of(c->tree[1], b) },
				 .parent = dir, .name = a - c->tree[0]->names.v };
	uint32_t first[2];
	errcode_t err = 0;

	compare_hashes(c, dir, (const struct bfo_name *[2]) { a, b });
	if (pair.row[0] == BFO_NONE || pair.row[1] == BFO_NONE)
		return 0;		/* a finding */
	first[0] = record(c, 0, pair.row[0])->name;
	first[1] = record(c, 1, pair.row[1])->name;
	if (is_second_name(c, 0, pair.row[0], a, &err) |
	    is_second_name(c, 1, pair.row[1], b, &err))
		return err;
	if (first[0] != BFO_NONE && first[0] == first[1])
		return 0;
	pair.names_only = first[0] != BFO_NONE && first[1] != BFO_NONE;
	err = add_pair(c, pair);
	if (!err && first[0] != first[1])
		bfo_compare_found(c, &(struct bfo_diff) { .kind = BFO_DIFF_LINKS,
				  .pair = c->pairs.n - 1,
				  .ino = { bfo_name_number(c->tree[0], a),
					   bfo_name_number(c->tree[1], b) },
				  .first = { first[0], first[1] } });
	return err;
}

/* A name that only SIDE has, as far as the other's directory can be read. */
static errcode_t alone(struct bfo_compare *c, uint32_t dir, int side, const struct bfo_name *n)
{
	struct bfo_diff diff = { .kind = side ? BFO_DIFF_EXTRA : BFO_DIFF_MISSING, .pair = dir,
				 .name = { .data = bfo_name_text(c->tree[side], n),
					   .len = bfo_name_len(n) } };

	if (c->ignore & BFO_DIFF_BIT(diff.kind))
		return 0;
	if (bfo_unread_has(c, !side, c->pairs.v[dir].row[!side], BFO_UNREAD_DIR))
		return bfo_tree_found_known(c->tree[side], BFO_UNREAD_OTHER, n);
	diff.ino[side] = bfo_tree_shown_ino(c->tree[side], bfo_name_number(c->tree[side], n));
	bfo_compare_found(c, &diff);
	return 0;
}

static int is_lost_found(const struct bfo_tree *t, const struct bfo_name *n)
{
	bfo_row row = row_of(t, n);

	return t->inodes.v[n->dir].ino == ROOT_INO &&
	       bfo_name_len(n) == strlen(LOST_FOUND) &&
	       !memcmp(bfo_name_text(t, n), LOST_FOUND, strlen(LOST_FOUND)) &&
	       (row == BFO_NONE || S_ISDIR(t->inodes.v[row].mode));
}

/* The name at *AT, or the one behind it if that is lost+found; NULL at END. */
static const struct bfo_name *next_name(const struct bfo_tree *t, uint32_t *at, uint32_t end)
{
	if (*at < end && is_lost_found(t, &t->names.v[*at]))
		++*at;
	return *at < end ? &t->names.v[*at] : NULL;
}

/* Lays the names of two directories side by side. */
static errcode_t pair_children(struct bfo_compare *c, uint32_t dir)
{
	const struct bfo_inode *da = bfo_pair_inode(c, dir, 0), *db = bfo_pair_inode(c, dir, 1);
	struct bfo_slice sa = bfo_dir_names(c->tree[0], da), sb = bfo_dir_names(c->tree[1], db);
	uint32_t i = sa.first, j = sb.first;
	const struct bfo_name *a, *b;
	errcode_t err = 0;
	int order;

	while (!err) {
		a = next_name(c->tree[0], &i, sa.end);
		b = next_name(c->tree[1], &j, sb.end);
		if (!a && !b)
			break;
		order = !a ? 1 : !b ? -1 : bfo_name_order(c->tree[0], a, c->tree[1], b);
		if (!order)
			err = meet(c, dir, a, b);
		else
			err = alone(c, dir, order > 0, order > 0 ? b : a);
		i += order <= 0;
		j += order >= 0;
	}
	return err;
}

errcode_t bfo_compare_names(struct bfo_compare *c)
{
	struct bfo_compare_pair top = { .parent = BFO_NONE };
	errcode_t err = 0;
	uint32_t i;
	int side;

	bfo_progress_report(c->ctx, BFO_STAGE_PLAN, 0, 0, 0);
	for (side = 0; side < 2 && !err; side++) {
		err = bfo_pairs_sort_names(c->tree[side]);
		if (!err)
			err = bfo_unread_list(c, side);
		if (!err)
			err = walk(c, side, &top.row[side]);
	}
	if (!err)
		err = add_pair(c, top);
	for (i = 0; i < c->pairs.n && !err; i++) {
		if (bfo_pair_is_sound(c, i) && S_ISDIR(bfo_pair_inode(c, i, 0)->mode) &&
		    S_ISDIR(bfo_pair_inode(c, i, 1)->mode))
			err = pair_children(c, i);
		if (!err && bfo_cancelled(c->ctx))
			err = bfo_fail(c->ctx, BFO_ET_CANCELLED, "comparing names");
	}
	return err;
}
