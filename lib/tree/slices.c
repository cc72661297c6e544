// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slices.c - names in an order, and each directory's slice of them
 *
 *   names[]:  / / / / | /a /a | | /b /b /b ...     an empty directory has an empty slice
 *
 * The three words of the key are sorted in linear time (base/sort.h); only what agrees in them is
 * compared as text.  Who sets the key decides how a directory is ordered.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "tree/access.h"
#include "tree/slices.h"

int bfo_name_order(const struct bfo_tree *a_tree, const struct bfo_name *a,
		   const struct bfo_tree *b_tree, const struct bfo_name *b)
{
	uint32_t al = bfo_name_len(a), bl = bfo_name_len(b);
	int c = memcmp(bfo_name_text(a_tree, a), bfo_name_text(b_tree, b), al < bl ? al : bl);

	return c ? c : (al > bl) - (al < bl);
}

/* Equal ones in the order in which they were read. */
static int by_text(const void *a, const void *b, void *tree)
{
	const struct bfo_name *x = a, *y = b;
	int c = bfo_name_order(tree, x, tree, y);

	return c ? c : (x->at > y->at) - (x->at < y->at);
}

size_t bfo_slices_tie_end(const struct bfo_tree *t, size_t i)
{
	const struct bfo_name *a = &t->names.v[i], *b = a + 1, *end = t->names.v + t->names.n;

	while (b < end && a->dir == b->dir && a->hash == b->hash && a->minor == b->minor)
		b++;
	return b - t->names.v;
}

/* Ties [I, END) to position *KEPT on, no name twice. */
static errcode_t settle_ties(struct bfo_tree *t, size_t i, size_t end, size_t *kept)
{
	size_t first = *kept;
	errcode_t err = 0;

	qsort_r(t->names.v + i, end - i, sizeof(*t->names.v), by_text, t);
	for (; i < end && !err; i++) {
		const struct bfo_name *n = &t->names.v[i];

		if (*kept > first && !bfo_name_order(t, &t->names.v[*kept - 1], t, n))
			err = bfo_tree_found_known(t, BFO_FOUND_NAME_DUPLICATE, n);
		else
			t->names.v[(*kept)++] = *n;
	}
	return err;
}

errcode_t bfo_slices_sort(struct bfo_tree *t)
{
	size_t i, end, kept = 0;
	errcode_t err = 0;

	bfo_sort(t->names.v, t->names.n, sizeof(*t->names.v), 3);
	for (i = 0; i < t->names.n && !err; i = end) {
		end = bfo_slices_tie_end(t, i);
		if (end > i + 1)
			err = settle_ties(t, i, end, &kept);
		else
			t->names.v[kept++] = t->names.v[i];
	}
	t->names.n = kept;
	bfo_slices_cut(t);
	return err;
}

void bfo_slices_cut(struct bfo_tree *t)
{
	size_t i;

	t->sliced = 1;
	for (i = 0; i < t->inodes.n; i++)
		if (S_ISDIR(t->inodes.v[i].mode))
			bfo_dir_set_names(t, &t->inodes.v[i], (struct bfo_slice) { 0 });
	for (i = 0; i < t->names.n; i++)
		bfo_dir_add_name(t, &t->inodes.v[t->names.v[i].dir], i);
}
