// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - the plan as a whole: life, look-ups, paths
 */
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/text.h"
#include "plan/charge.h"
#include "plan/plan.h"

#define MAX_DEPTH 4096		/* components shown of a path */

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

/* A name, by the directory it stands in and its bytes. */
struct step {
	bfo_row dir;
	uint64_t text;
	uint32_t len;
};

/* The name that leads to REC, in the target or in the source; 0 if none does. */
static int step_up(const struct bfo_plan *plan, const struct bfo_inode *rec, int in_target,
		   struct step *s)
{
	const struct bfo_name *n;

	if (rec->name == BFO_NONE || rec->name >= plan->tree->names.n)
		return 0;
	n = &plan->tree->names.v[rec->name];
	*s = (struct step) { .dir = n->dir, .text = n->at >> 16, .len = bfo_name_len(n) };
	if (in_target && rec->state & BFO_INODE_LANDED && !plan->whole)
		s->dir = plan->landing;
	return 1;
}

/* True for what paths begin at: the root, of either side. */
static int is_root(const struct bfo_plan *plan, bfo_row row)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];

	return row == plan->root || rec->ino == EXT2_ROOT_INO || rec->state & BFO_INODE_MADE;
}

/* What does not come from the root begins as debugfs would write it: <12>. Returns its length. */
static size_t put_origin(const struct bfo_plan *plan, bfo_row row, char *out)
{
	return sprintf(out, "<%u>", plan->tree->inodes.v[row].ino);
}

/* Built from its end; cycles of damaged directories end at MAX_DEPTH or a full OUT. */
static size_t build_path(const struct bfo_plan *plan, struct step s, int in_target, char *out,
			 size_t size)
{
	const struct bfo_tree *t = plan->tree;
	size_t at = size, origin = 0;
	char number[16];
	int depth;

	for (depth = 0; depth < MAX_DEPTH && at > s.len; depth++) {
		at -= s.len;
		memcpy(out + at, t->text.v + s.text, s.len);
		out[--at] = '/';
		if (!step_up(plan, &t->inodes.v[s.dir], in_target, &s)) {
			origin = is_root(plan, s.dir) ? 0 : put_origin(plan, s.dir, number);
			break;
		}
	}
	if (origin > at)
		origin = 0;
	memcpy(out, number, origin);
	memmove(out + origin, out + at, size - at);
	return origin + size - at;
}

size_t bfo_plan_path(const struct bfo_plan *plan, bfo_row row, uint64_t text, uint32_t len,
		     char *out, size_t size)
{
	struct step s = { .dir = row, .text = text, .len = len };

	if (len != BFO_NO_NAME || step_up(plan, &plan->tree->inodes.v[row], 0, &s))
		return build_path(plan, s, 0, out, size);
	if (!is_root(plan, row))
		return put_origin(plan, row, out);
	out[0] = '/';
	return 1;
}

size_t bfo_plan_target_path(const struct bfo_plan *plan, const struct bfo_name *n, char *out,
			    size_t size)
{
	struct step s = { .dir = n->dir, .text = n->at >> 16, .len = bfo_name_len(n) };

	return build_path(plan, s, 1, out, size);
}

size_t bfo_plan_finding_path(const struct bfo_plan *plan, const struct bfo_finding *f, char *out,
			     size_t size)
{
	uint32_t len = f->dir ? f->len : BFO_NO_NAME;	/* not of a directory that was made */
	bfo_row row = bfo_tree_find(plan->tree, len == BFO_NO_NAME ? f->ino : f->dir);

	if (f->kind == BFO_UNREAD_TABLE)
		return sprintf(out, "<%u-%u>", f->ino, f->ino + f->blocks - 1);
	if (f->kind == BFO_UNREAD_QUOTA)
		return sprintf(out, "<%u>", f->ino);
	if (row == BFO_NONE) {
		out[0] = '?';
		return 1;
	}
	return bfo_plan_path(plan, row, f->text, len, out, size);
}

const char *bfo_plan_shown_path(const struct bfo_plan *plan, bfo_row row, char *out,
				size_t size)
{
	char raw[1024];
	size_t len = bfo_plan_path(plan, row, 0, BFO_NO_NAME, raw, sizeof(raw));

	return bfo_text_escape(raw, len, out, size);
}
