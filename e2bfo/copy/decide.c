// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * decide.c - everything that has to be decided, on one target
 *
 *   names ── filters ── landing ── merging ── order, --order ── attributes ── losses ── numbers ── space
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/repack.h"
#include "copy.h"
#include "quotas.h"

/* Reads the target's directories of numbers INOS, with their names and blocks. */
static errcode_t gather_old(struct copy *c, struct bfo_volume *vol, uint32_t *inos, size_t n,
			    struct bfo_tree *old)
{
	struct bfo_reader reader;
	errcode_t err = bfo_reader_init(&reader, &c->ctx, vol, c->opt.read_gap);

	old->keep_map_blocks = 1;
	if (!err)
		err = bfo_inode_scan_some(&reader, old, inos, n);
	if (!err)
		err = bfo_name_scan(&reader, old);
	if (!err && !ext2fs_has_feature_filetype(vol->fs->super))
		err = bfo_name_types(&reader, old);
	bfo_reader_free(&reader);
	return err;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* A name that exists: of --to itself, or of something that is copied. */
static errcode_t clash(struct copy *c)
{
	const struct bfo_tree *t = &c->tree;
	uint32_t inode = t->names.v[c->plan.clashes.v[0]].ino;

	if (t->inodes.v[inode].state & BFO_INODE_MADE)
		return bfo_fail(&c->ctx, BFO_ET_NOT_DIR, "looking for %s on %s", c->opt.to,
				c->opt.target);
	return bfo_fail(&c->ctx, BFO_ET_CLASH, "planning: on %s, in the way of what is to be "
			"copied: %zu", c->opt.target, c->plan.clashes.n);
}

/* Level by level: the target's directories that exist on both sides. */
static errcode_t merge(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err = 0;
	uint32_t *inos;
	size_t i;

	while (c->plan.pairs.n && !err) {
		struct bfo_tree old = { 0 };

		inos = malloc(c->plan.pairs.n * sizeof(*inos));
		if (!inos)
			return bfo_fail(&c->ctx, ENOMEM, "reading the target's directories");
		for (i = 0; i < c->plan.pairs.n; i++)
			inos[i] = c->plan.pairs.v[i].ino;
		qsort(inos, i, sizeof(*inos), by_number);
		err = gather_old(c, vol, inos, i, &old);
		if (!err)
			err = bfo_plan_merge(&c->plan, &old);
		bfo_tree_free(&old);
		free(inos);
	}
	return err || !c->plan.clashes.n ? err : clash(c);
}

/* What the target cannot hold is lost only by those who said so. */
static errcode_t check_losses(struct copy *c)
{
	const bfo_findings *found = &c->tree.findings;
	char words[256] = "";
	uint64_t seen = 0;
	size_t i, used = 0;

	for (i = 0; i < found->n; i++) {
		uint64_t bit = 1ULL << found->v[i].kind;

		if (!bfo_finding_table[found->v[i].kind].is_loss || (seen | c->opt.losses) & bit)
			continue;
		seen |= bit;
		used += snprintf(words + used, sizeof(words) - used, "%s%s", used ? "," : "",
				 bfo_finding_table[found->v[i].kind].word);
	}
	return seen ? bfo_fail(&c->ctx, BFO_ET_LOSS, "planning; --allow-loss=%s would accept that",
			       words) : 0;
}

static errcode_t decide(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err = bfo_target_gather(&c->ctx, vol, &c->free);

	if (err)
		return err;
	bfo_plan_init(&c->plan, &c->ctx, &c->tree, &c->free);
	c->planned = 1;
	c->plan.dir_fill = c->opt.dir_fill;
	c->plan.now = c->now;
	c->plan.keep_inodes = c->opt.keep_inodes;
	if (c->record) {
		memcpy(c->plan.ghost.owner, c->record->owner, sizeof(c->plan.ghost.owner));
		c->plan.ghost.bytes = c->record->charged;
	}
	err = bfo_plan_names(&c->plan);
	if (!err)
		err = bfo_plan_filter(&c->plan, &c->lists.filter);
	if (err)
		lists_explain(&c->lists, &c->ctx, err);
	if (!err)
		err = itrees_begin(c, vol);
	if (!err)
		err = bfo_plan_land(&c->plan, c->opt.from, c->opt.n_from, c->opt.to);
	if (!err && c->opt.itree)
		err = bfo_itrees_name(&c->plan);
	if (!err)
		err = merge(c, vol);
	if (!err)
		err = bfo_plan_order(&c->plan);
	if (!err)
		err = rescue_skip(c);
	if (!err)
		err = order_choose(c);
	if (!err)
		err = itrees_choose(c);
	if (!err)
		err = bfo_plan_audit(&c->plan);
	if (!err && bfo_repack_needed(c->source, &c->tree, &c->free))
		err = bfo_repack_scan(&c->reader, &c->tree, &c->free);
	if (!err)
		err = bfo_plan_share(&c->plan);
	if (!err)
		err = bfo_plan_check_numbers(&c->plan);
	if (!err)
		err = quotas_plan(&c->plan, &c->reader, vol, c->opt.mkfs);
	return err ? err : check_losses(c);
}

errcode_t copy_decide(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err;

	bfo_progress_enter(&c->ctx, BFO_STAGE_PLAN);
	err = decide(c, vol);
	bfo_progress_leave(&c->ctx);
	return err;
}

errcode_t copy_place(struct copy *c, const struct bfo_volume *vol)
{
	errcode_t err = bfo_plan_numbers(&c->plan);

	if (!err)
		err = itrees_place(c, vol);
	if (!err)
		err = bfo_plan_space(&c->plan);
	c->placed = !err;
	return err;
}

static errcode_t move_plan(struct copy *c, struct bfo_volume *vol)
{
	struct bfo_tree old = { 0 };
	errcode_t err;
	uint32_t *inos;
	size_t i;

	bfo_target_free(&c->free);
	err = bfo_target_gather(&c->ctx, vol, &c->free);
	inos = malloc(c->plan.merged.n * sizeof(*inos) + 1);
	if (!err && !inos)
		err = bfo_fail(&c->ctx, ENOMEM, "reading the target's directories");
	for (i = 0; !err && i < c->plan.merged.n; i++)
		inos[i] = c->plan.merged.v[i].ino;
	if (!err)
		err = gather_old(c, vol, inos, i, &old);
	if (!err)
		err = bfo_plan_retarget(&c->plan, &c->free, &old);
	if (!err)
		err = quotas_move(&c->plan, vol);
	bfo_tree_free(&old);
	free(inos);
	return err ? err : copy_place(c, vol);
}

errcode_t copy_move_plan(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err;

	bfo_progress_enter(&c->ctx, BFO_STAGE_PLAN);
	err = move_plan(c, vol);
	bfo_progress_leave(&c->ctx);
	return err;
}
