// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itrees.c - the container /.e2itree in a plan
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "gather/inode_check.h"
#include "plan/itrees.h"
#include "plan/names.h"
#include "tree/access.h"

#define MODE (S_IFREG | 0600)

void bfo_itrees_init(struct bfo_itrees *it, struct bfo_plan *plan)
{
	memset(it, 0, sizeof(*it));
	it->row = BFO_NONE;
	plan->itrees = it;
	bfo_itrees_describe(plan);
}

void bfo_itrees_header(struct itree_header *h, const struct bfo_target *t)
{
	h->block_size = t->block_size;
	h->hash_version = t->hash_version;
	memcpy(h->hash_seed, t->hash_seed, sizeof(h->hash_seed));
	memcpy(h->uuid, t->uuid, sizeof(h->uuid));
	h->seed = itree_seed_of(t->uuid);
}

void bfo_itrees_describe(struct bfo_plan *plan)
{
	bfo_itrees_header(&plan->itrees->header, plan->target);
}

void bfo_itrees_free(struct bfo_itrees *it)
{
	bfo_vec_free(&it->freed);
	bfo_vec_free(&it->trees);
}

/* A record for the container, with one segment. */
static errcode_t make_record(struct bfo_plan *plan, struct bfo_inode rec)
{
	struct bfo_tree *t = plan->tree;
	errcode_t err;

	rec.mode = MODE;
	rec.ea = rec.name = BFO_NONE;
	err = bfo_tree_add_seg(t, &rec, (struct bfo_seg) { .len = 1 });
	if (!err)
		err = bfo_vec_push(&t->inodes, rec);
	if (!err)
		plan->itrees->row = t->inodes.n - 1;
	return err;
}

/* The slice of directory record DIR, moved to the end of names[], where it can grow. */
static errcode_t move_slice(struct bfo_tree *t, bfo_row dir)
{
	struct bfo_slice s = bfo_dir_names(t, &t->inodes.v[dir]);
	uint32_t n = s.end - s.first;
	errcode_t err = bfo_vec_reserve(&t->names, n + 1);

	if (err)
		return err;
	memcpy(t->names.v + t->names.n, t->names.v + s.first, n * sizeof(*t->names.v));
	s = (struct bfo_slice) { .first = t->names.n, .end = t->names.n + n };
	bfo_dir_set_names(t, &t->inodes.v[dir], s);
	t->names.n += n;
	return 0;
}

/* The name that was added last finds its place in the slice that ends with it. */
static errcode_t sort_in(struct bfo_plan *plan, bfo_row dir)
{
	struct bfo_tree *t = plan->tree;
	struct bfo_slice s = bfo_dir_names(t, &t->inodes.v[dir]);
	size_t at = s.end;
	struct bfo_name name = t->names.v[at];
	int c = 1;

	for (; at > s.first; at--) {
		c = bfo_name_compare(t, &name, t, &t->names.v[at - 1]);
		if (c >= 0)
			break;
		t->names.v[at] = t->names.v[at - 1];
	}
	t->names.v[at] = name;
	bfo_dir_add_name(t, &t->inodes.v[dir], s.end);
	return c ? 0 : bfo_fail(plan->ctx, BFO_ET_CLASH, "making /" ITREE_NAME " on the target: "
				"what is copied has something of that name");
}

errcode_t bfo_itrees_name(struct bfo_plan *plan)
{
	static const char name[] = ITREE_NAME;
	struct bfo_tree *t = plan->tree;
	errcode_t err;

	if (!plan->itrees || plan->itrees->ino || plan->itrees->row != BFO_NONE)
		return 0;
	err = make_record(plan, (struct bfo_inode) { .state = BFO_INODE_MADE,
			  .flags = EXT2_IMMUTABLE_FL, .links_read = 1 });
	if (!err)
		err = move_slice(t, plan->root);
	if (!err)
		err = bfo_tree_add_name(t, plan->root, plan->itrees->row, EXT2_FT_REG_FILE, name,
					sizeof(name) - 1);
	if (err)
		return err;
	t->inodes.v[plan->itrees->row].name = t->names.n - 1;
	bfo_name_hash(plan->target, t->inodes.v[plan->root].flags, name,
		      &t->names.v[t->names.n - 1]);
	return sort_in(plan, plan->root);
}

errcode_t bfo_itrees_renew(struct bfo_plan *plan)
{
	struct bfo_itrees *it = plan->itrees;
	errcode_t err;

	if (!it || !it->ino || it->row != BFO_NONE)
		return 0;
	err = make_record(plan, (struct bfo_inode) { .links = it->links, .new_ino = it->ino,
			  .generation = it->generation, .state = BFO_INODE_EXISTS |
			  BFO_INODE_KEEP | BFO_INODE_PLACED });
	return err ? err : bfo_vec_push(&plan->order, it->row);
}

uint32_t bfo_itrees_number(const struct bfo_plan *plan)
{
	return plan->tree->inodes.v[plan->itrees->row].new_ino;
}

errcode_t bfo_itrees_arrange(struct bfo_itrees *it)
{
	struct itree_header *h = &it->header;
	uint64_t at;
	size_t i;

	h->trees = it->trees.n;
	h->catalogue = 1;
	h->catalogue_blocks = itree_catalogue_blocks(h->block_size, h->trees);
	at = h->catalogue + h->catalogue_blocks;
	for (i = 0; i < it->trees.n; i++) {
		if (at > UINT32_MAX)
			break;
		it->trees.v[i].dir.first = at;
		at += it->trees.v[i].dir.blocks + bfo_itrees_reserve(it->trees.v[i].dir.blocks);
	}
	if (at > UINT32_MAX)
		return BFO_ET_OVERFLOW;
	h->blocks = at;
	return 0;
}

void bfo_itrees_lay_out(struct bfo_plan *plan)
{
	const struct itree_header *h = &plan->itrees->header;
	struct bfo_tree *t = plan->tree;
	struct bfo_inode *rec = &t->inodes.v[plan->itrees->row];

	rec->size = (uint64_t) h->blocks * h->block_size;
	bfo_seg_of(t, rec, 0)->len = (rec->size + t->block_size - 1) / t->block_size;
}

void bfo_itrees_note(struct bfo_plan *plan, uint32_t ino, const void *raw)
{
	struct bfo_itrees *it = plan->itrees;
	struct itree_dir *d;
	size_t i;

	if (!it)
		return;
	i = bfo_vec_lower(&it->trees, dir.ino, ino);
	if (i == it->trees.n || it->trees.v[i].dir.ino != ino)
		return;
	d = &it->trees.v[i].dir;
	d->version = bfo_inode_version(raw, plan->target->inode_size);
	bfo_inode_ctime(raw, plan->target->inode_size, &d->ctime, &d->ctime_nsec);
}
