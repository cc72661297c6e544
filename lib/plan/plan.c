// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - the plan as a whole: life, look-ups, paths
 */
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/stand_in.h"
#include "plan/charge.h"
#include "plan/plan.h"
#include "tree/path.h"

void bfo_plan_init(struct bfo_plan *plan, struct bfo_context *ctx, struct bfo_tree *tree,
		   const struct bfo_target *target)
{
	memset(plan, 0, sizeof(*plan));
	plan->ctx = ctx;
	plan->tree = tree;
	plan->target = target;
	plan->dir_fill = 80;
}

void bfo_plan_free(struct bfo_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->merged.n; i++)
		bfo_vec_free(&plan->merged.v[i].freed);
	bfo_vec_free(&plan->merged);
	bfo_vec_free(&plan->pairs);
	bfo_vec_free(&plan->next_pairs);
	bfo_vec_free(&plan->clashes);
	bfo_vec_free(&plan->meetings);
	bfo_displaced_free(&plan->displaced);
	bfo_vec_free(&plan->links_outside);
	bfo_vec_free(&plan->order);
	bfo_vec_free(&plan->by_number);
	bfo_vec_free(&plan->stem);
	bfo_vec_free(&plan->kept);
	bfo_vec_free(&plan->trees);
	bfo_charges_free(plan);
}

uint64_t bfo_plan_block(const struct bfo_plan *plan, uint64_t at, uint64_t *len)
{
	const struct bfo_stem_run *run = &plan->stem.v[bfo_vec_lower(&plan->stem, at, at + 1) - 1];

	if (len)
		*len = run->at + run->len - at;
	return run->blk + (at - run->at);
}

uint64_t bfo_plan_tree_block(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
			     uint32_t k)
{
	return bfo_plan_block(plan, tree->stem + (uint64_t) k * plan->target->cluster_blocks, NULL);
}

uint64_t bfo_plan_need(const struct bfo_plan *plan)
{
	return plan->stem_len + plan->tree_len + bfo_ranges_total(&plan->kept);
}

struct bfo_merged *bfo_plan_merged(const struct bfo_plan *plan, uint32_t ino)
{
	size_t i = bfo_vec_lower(&plan->merged, ino, ino);

	return i < plan->merged.n && plan->merged.v[i].ino == ino ? &plan->merged.v[i] : NULL;
}

uint32_t bfo_plan_parent(const struct bfo_plan *plan, bfo_row row)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];

	if (row == plan->root)
		return row;
	if (rec->state & BFO_INODE_LANDED)
		return plan->landing;
	return plan->tree->names.v[rec->name].dir;
}

const struct bfo_map_tree *bfo_plan_tree(const struct bfo_plan *plan, bfo_row row)
{
	size_t i = bfo_vec_lower(&plan->trees, row, row);

	return i < plan->trees.n && plan->trees.v[i].row == row ? &plan->trees.v[i] : NULL;
}

/* A way up, on which one name at a time stands in for ciphertext. */
struct climb {
	const struct bfo_plan *plan;
	int has_stand_ins;
	char *stand_in;
};

/* TEXT, a name in DIR, as the target has it. */
static void set_stand_in(const struct climb *c, bfo_row dir, const char **text, size_t *len)
{
	if (!c->has_stand_ins || !(c->plan->tree->inodes.v[dir].flags & EXT4_ENCRYPT_FL))
		return;
	*len = bfo_stand_in(*text, *len, c->stand_in);
	*text = c->stand_in;
}

/* The name that leads to ROW in the target. */
static int above_in_target(const void *priv, uint32_t row, struct bfo_trail_step *s)
{
	const struct climb *c = priv;
	const struct bfo_plan *plan = c->plan;

	if (!bfo_tree_above(plan->tree, row, s))
		return 0;
	set_stand_in(c, s->above, &s->text, &s->len);
	if (plan->tree->inodes.v[row].state & BFO_INODE_LANDED && !plan->whole)
		s->above = plan->landing;
	return 1;
}

/* With names that stand in for ciphertext (base/stand_in.h), or without. */
static size_t path_of(const struct bfo_plan *plan, const struct bfo_name *n, int has_stand_ins,
		      char *out, size_t size)
{
	char stand_in[BFO_STAND_IN_MOST];
	struct climb c = { .plan = plan, .has_stand_ins = has_stand_ins, .stand_in = stand_in };
	struct bfo_trail trail = bfo_trail_begin(out, size);
	const char *text = bfo_name_text(plan->tree, n);
	size_t len = bfo_name_len(n);
	bfo_row top;

	set_stand_in(&c, n->dir, &text, &len);
	bfo_trail_put(&trail, text, len);
	top = bfo_trail_climb(&trail, n->dir, above_in_target, &c);
	bfo_trail_origin(&trail, plan->tree, top);
	return bfo_trail_end(&trail);
}

size_t bfo_plan_target_path(const struct bfo_plan *plan, const struct bfo_name *n, char *out,
			    size_t size)
{
	return path_of(plan, n, 0, out, size);
}

size_t bfo_plan_archive_path(const struct bfo_plan *plan, const struct bfo_name *n, char *out,
			     size_t size)
{
	return path_of(plan, n, 1, out, size);
}
