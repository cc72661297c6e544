// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stand_ins.c - do names that stand for ciphertext tell all names apart?
 *
 * Short ones do.  Of long ones a hash stands in the name: who forges a filesystem may know two
 * names that have the same.  (Two of a real one meet where there are some 2^64 in a directory.)
 */
#include <stdlib.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/stand_in.h"
#include "plan/stand_ins.h"
#include "tree/access.h"
#include "tree/path.h"

struct hashed {
	uint64_t hash[2];
	uint32_t at;			/* in names[] */
};

typedef BFO_VEC(struct hashed) hashed_vec;

static int compare(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;
	int i = x->hash[0] == y->hash[0];

	return x->hash[i] < y->hash[i] ? -1 : x->hash[i] > y->hash[i];
}

/* The long names of directory DIR, hashed. */
static errcode_t hash_names(const struct bfo_tree *t, const struct bfo_inode *dir,
			    bfo_stand_in_hasher *hash, hashed_vec *list)
{
	struct bfo_slice s = bfo_dir_names(t, dir);
	errcode_t err = 0;

	list->n = 0;
	for (; s.first < s.end && !err; s.first++) {
		const struct bfo_name *n = &t->names.v[s.first];
		struct hashed one = { .at = s.first };

		if (bfo_name_len(n) <= BFO_STAND_IN_WHOLE || bfo_name_is_dead(t, n))
			continue;
		hash(bfo_name_text(t, n), bfo_name_len(n), one.hash);
		err = bfo_vec_push(list, one);
	}
	return err;
}

/* The number of the inode that name AT leads to. */
static uint32_t ino_of(const struct bfo_tree *t, uint32_t at)
{
	return t->inodes.v[bfo_name_row(t, &t->names.v[at])].ino;
}

static errcode_t check_dir(struct bfo_plan *plan, bfo_row row, bfo_stand_in_hasher *hash,
			   hashed_vec *list)
{
	const struct bfo_tree *t = plan->tree;
	errcode_t err = hash_names(t, &t->inodes.v[row], hash, list);
	char path[256];
	size_t i;

	if (err)
		return bfo_fail(plan->ctx, err, "comparing names of encrypted directories");
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare);
	for (i = 1; i < list->n; i++)
		if (!compare(&list->v[i - 1], &list->v[i]))
			return bfo_fail(plan->ctx, BFO_ET_STAND_IN, "planning: in %s, inodes %u "
					"and %u have encrypted names of one hash",
					bfo_tree_shown_path(t, row, path, sizeof(path)),
					ino_of(t, list->v[i - 1].at), ino_of(t, list->v[i].at));
	return 0;
}

errcode_t bfo_plan_check_stand_ins(struct bfo_plan *plan, bfo_stand_in_hasher *hash)
{
	hashed_vec list = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (S_ISDIR(rec->mode) && rec->flags & EXT4_ENCRYPT_FL)
			err = check_dir(plan, plan->order.v[i], hash, &list);
	}
	bfo_vec_free(&list);
	return err;
}
