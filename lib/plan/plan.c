// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - the plan as a whole: life, look-ups, paths
 */
#include <string.h>

#include "base/text.h"
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
	plan->most_linked = BFO_NONE;
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
	bfo_vec_free(&plan->order);
	bfo_vec_free(&plan->stem);
	bfo_vec_free(&plan->trees);
}

uint64_t bfo_plan_block(const struct bfo_plan *plan, uint64_t at, uint64_t *len)
{
	size_t lo = 0, hi = plan->stem.n, mid;
	const struct bfo_stem_run *run;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (plan->stem.v[mid].at <= at)
			lo = mid;
		else
			hi = mid;
	}
	run = &plan->stem.v[lo];
	if (len)
		*len = run->at + run->len - at;
	return run->blk + (at - run->at);
}

uint64_t bfo_plan_tree_block(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
			     uint32_t k)
{
	return bfo_plan_block(plan, tree->stem + (uint64_t) k * plan->target->cluster_blocks, NULL);
}

struct bfo_merged *bfo_plan_merged(const struct bfo_plan *plan, uint32_t ino)
{
	size_t lo = 0, hi = plan->merged.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (plan->merged.v[mid].ino == ino)
			return &plan->merged.v[mid];
		if (plan->merged.v[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

uint32_t bfo_plan_parent(const struct bfo_plan *plan, uint32_t inode)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[inode];

	if (inode == plan->root)
		return inode;
	if (rec->state & BFO_INODE_LANDED)
		return plan->landing;
	return plan->tree->names.v[rec->name].dir;
}

const struct bfo_map_tree *bfo_plan_tree(const struct bfo_plan *plan, uint32_t inode)
{
	size_t lo = 0, hi = plan->trees.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (plan->trees.v[mid].inode == inode)
			return &plan->trees.v[mid];
		if (plan->trees.v[mid].inode < inode)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* The directory and name that lead to REC; 0 if none do. */
static int parent_of(const struct bfo_plan *plan, const struct bfo_inode *rec, uint32_t *dir,
		     uint64_t *text, uint32_t *len)
{
	const struct bfo_name *n;

	if (rec->name == BFO_NONE || rec->name >= plan->tree->names.n)
		return 0;
	n = &plan->tree->names.v[rec->name];
	*dir = n->dir;
	*text = n->at >> 16;
	*len = bfo_name_len(n);
	return 1;
}

/* Built from its end; cycles of damaged directories end at MAX_DEPTH or a full OUT. */
size_t bfo_plan_path(const struct bfo_plan *plan, uint32_t inode, uint64_t text, uint32_t len,
		     char *out, size_t size)
{
	const struct bfo_tree *t = plan->tree;
	size_t at = size;
	int depth;

	if (len == BFO_NO_NAME && !parent_of(plan, &t->inodes.v[inode], &inode, &text, &len)) {
		out[0] = inode == plan->root || t->inodes.v[inode].ino == 2 ? '/' : '?';
		return 1;
	}
	for (depth = 0; depth < MAX_DEPTH && at > len; depth++) {
		at -= len;
		memcpy(out + at, t->text.v + text, len);
		out[--at] = '/';
		if (!parent_of(plan, &t->inodes.v[inode], &inode, &text, &len))
			break;
	}
	memmove(out, out + at, size - at);
	return size - at;
}

size_t bfo_plan_finding_path(const struct bfo_plan *plan, const struct bfo_finding *f, char *out,
			     size_t size)
{
	uint32_t inode = bfo_tree_find(plan->tree, f->len == BFO_NO_NAME ? f->ino : f->dir);

	if (inode == BFO_NONE) {
		out[0] = '?';
		return 1;
	}
	return bfo_plan_path(plan, inode, f->text, f->len, out, size);
}

const char *bfo_plan_shown_path(const struct bfo_plan *plan, uint32_t inode, char *out,
				size_t size)
{
	char raw[1024];
	size_t len = bfo_plan_path(plan, inode, 0, BFO_NO_NAME, raw, sizeof(raw));

	return bfo_text_escape(raw, len, out, size);
}
