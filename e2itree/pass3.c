// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pass3.c - deciding which trees are kept, built and dropped; sorting; the plan
 *
 * Nothing is written here: what does not fit is refused (P2).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/quota_read.h"
#include "plan/charge.h"
#include "plan/names.h"
#include "e2itree.h"
#include "problem.h"

/* ---- deciding ---- */

static int is_to_be_indexed(const struct job *j, const struct dir *d)
{
	if (d->damaged)
		return 0;
	return j->opt.min ? d->names >= j->opt.min : bfo_itrees_is_big(j->vol->block_size, d->bytes);
}

/* Whether the tree says what the directory does. */
static int is_right(const struct job *j, const struct dir *d, const struct tree *t)
{
	return j->takes_over && t->dir.generation == d->generation && t->dir.entries == d->names &&
	       t->dir.set_hash == d->set_hash;
}

static enum fate decide(struct job *j, struct dir *d)
{
	struct tree *t = job_tree(j, d->ino);
	struct about about = { .ino = d->ino, .count = d->names };
	enum problem_code code;

	if (!is_to_be_indexed(j, d)) {
		if (!t || d->damaged)
			return t ? FATE_DROP : FATE_NONE;
		return problem(j, PR_3_SMALL, &about) || t->damage || !is_right(j, d, t) ?
		       FATE_DROP : FATE_KEEP;
	}
	if (t && !t->damage && is_right(j, d, t) && !j->opt.force)
		return FATE_KEEP;
	if (t && t->damage) {
		about.text = t->damage;
		about.blk = t->blk;
		code = PR_1_TREE_DAMAGED;
	} else {
		code = !t ? PR_3_NO_TREE : is_right(j, d, t) ? PR_3_FORCED : PR_3_STALE;
	}
	if (problem(j, code, &about))
		return FATE_BUILD;
	if (code == PR_3_FORCED)
		return FATE_KEEP;
	return t ? FATE_DROP : FATE_NONE;	/* what is wrong does not go on */
}

/* Trees of what is no directory any more. */
static void drop_orphaned(struct job *j)
{
	struct about about = { 0 };
	size_t i;

	for (i = 0; i < j->trees.n; i++) {
		if (job_dir(j, j->trees.v[i].dir.ino))
			continue;
		about.ino = j->trees.v[i].dir.ino;
		problem(j, PR_3_GONE, &about);
		j->dropped++;
	}
}

/*
 * All trees are right, but programs that read by them would not believe it: e2fsck has been here, or a
 * directory has another version or ctime.  (A mount that changed no indexed directory is no reason.)
 */
static int is_outdated(const struct job *j)
{
	size_t i;

	if (bfo_container_freshness(&j->old, j->vol) == BFO_ITREE_UNKNOWN)
		return 1;
	for (i = 0; i < j->trees.n; i++) {
		const struct itree_dir *t = &j->trees.v[i].dir;
		const struct dir *d = job_dir(j, t->ino);

		if (d && (d->version != t->version || d->ctime != t->ctime ||
			  d->ctime_nsec != t->ctime_nsec))
			return 1;
	}
	return 0;
}

/* All trees are right: is there something else that the container should say? */
static int refreshes(struct job *j)
{
	struct about about = { .count = j->opt.min };

	if (j->other_uuid)
		return 1;
	if (is_outdated(j))
		return problem(j, PR_3_TIMES, &about);
	return j->old.header.min_entries != j->opt.min && problem(j, PR_3_LEAST, &about);
}

errcode_t pass3_decide(struct job *j, int *work)
{
	size_t i;

	say_pass(j, 3, "Sorting names and building trees");
	drop_orphaned(j);
	for (i = 0; i < j->dirs.n && !bfo_cancelled(&j->ctx); i++) {
		struct dir *d = &j->dirs.v[i];

		d->fate = decide(j, d);
		j->kept += d->fate == FATE_KEEP;
		j->built += d->fate == FATE_BUILD;
		j->dropped += d->fate == FATE_DROP;
		if (d->fate == FATE_KEEP || d->fate == FATE_BUILD)
			j->all_names += d->names;
	}
	if (bfo_cancelled(&j->ctx))
		return bfo_fail(&j->ctx, BFO_ET_CANCELLED, "asking what is to be done");
	*work = j->wanted > (uint64_t) j->other_uuid ? 2 : 0;
	if (!*work && j->has_old > 0 && !j->status)
		*work = refreshes(j);
	return 0;
}

/* ---- the plan ---- */

/* The root directory, into which the container's name goes. */
static errcode_t merge_root(struct job *j)
{
	static const uint32_t root[] = { EXT2_ROOT_INO };
	struct bfo_tree old = { .keep_map_blocks = 1 };
	errcode_t err = bfo_inode_scan_some(&j->reader, &old, root, 1);

	if (!err)
		err = bfo_name_scan(&j->reader, &old);
	if (!err && !j->target.has_filetype)
		err = bfo_name_types(&j->reader, &old);
	if (!err)
		err = bfo_plan_merge(&j->plan, &old);
	bfo_tree_free(&old);
	return err;
}

static errcode_t plan_quotas(struct job *j)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES];
	errcode_t err = bfo_quota_files_read(&j->ctx, j->vol, files);

	if (!err)
		err = bfo_charges_load(&j->plan, files);
	bfo_quota_files_free(files);
	return err ? err : bfo_charges_size(&j->plan);
}

/* Which trees the container is going to have. */
static errcode_t list_wanted(struct job *j)
{
	struct bfo_itrees *it = &j->itrees;
	const struct tree *t;
	struct bfo_itree tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < j->dirs.n && !err; i++) {
		const struct dir *d = &j->dirs.v[i];

		if (d->fate != FATE_KEEP && d->fate != FATE_BUILD)
			continue;
		tree = (struct bfo_itree) { .dir = { .ino = d->ino }, .kept = d->fate == FATE_KEEP };
		t = job_tree(j, d->ino);
		if (tree.kept) {
			tree.dir = t->dir;
			tree.before = t->dir.first;
			it->header.seed = j->old.header.seed;
		}
		tree.dir.generation = d->generation;
		tree.dir.version = d->version;
		tree.dir.ctime = d->ctime;
		tree.dir.ctime_nsec = d->ctime_nsec;
		err = bfo_vec_push(&it->trees, tree);
	}
	return err;
}

static errcode_t begin_plan(struct job *j)
{
	const struct ext2_super_block *sb = j->vol->fs->super;
	errcode_t err;

	j->planned.block_size = j->vol->block_size;
	memcpy(j->planned.uuid, sb->s_uuid, sizeof(j->planned.uuid));
	err = bfo_rank_init(&j->planned.rank, 1);
	if (!err)
		bfo_rank_seal(&j->planned.rank);
	bfo_plan_init(&j->plan, &j->ctx, &j->planned, &j->target);
	j->is_planned = 1;
	j->plan.now = j->now;
	bfo_itrees_init(&j->itrees, &j->plan);
	j->itrees.header.min_entries = j->opt.min;
	j->itrees.header.wtime = (uint64_t) sb->s_wtime_hi << 32 | bfo_record_wtime(j->now);
	j->itrees.header.lastcheck = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	if (!err && j->has_old)
		err = bfo_itrees_replace(&j->itrees, &j->old);
	return err ? err : list_wanted(j);
}

/* A tree of the root has to list the container itself, if that is new. */
static errcode_t add_own_name(struct job *j)
{
	static const char name[] = ITREE_NAME;
	struct dir *root = job_dir(j, EXT2_ROOT_INO);
	uint32_t ino = bfo_itrees_number(&j->plan), hash, minor;
	int type = j->target.has_filetype ? EXT2_FT_REG_FILE : 0;

	if (j->has_old || !root)
		return 0;
	bfo_text_hash(&j->target, root->flags, name, sizeof(name) - 1, NULL, &hash, &minor);
	return bfo_itree_name_add(j->names, root->ino, ino, hash, type, name, sizeof(name) - 1);
}

static errcode_t plan_all(struct job *j)
{
	errcode_t err = begin_plan(j);

	if (!err)
		err = bfo_plan_land(&j->plan, NULL, 0, "/");
	if (!err)
		err = bfo_itrees_name(&j->plan);
	if (!err)
		err = merge_root(j);
	if (!err && j->plan.clashes.n)
		err = bfo_fail(&j->ctx, BFO_ET_CLASH, "making /" ITREE_NAME);
	if (!err)
		err = bfo_plan_order(&j->plan);
	if (!err)
		err = bfo_itrees_renew(&j->plan);
	if (!err)
		err = plan_quotas(j);
	if (!err)
		err = bfo_plan_numbers(&j->plan);
	return err ? err : add_own_name(j);
}

/* All at once, by the journal, unless there is none. */
static errcode_t choose_way(struct job *j)
{
	uint32_t bs = j->vol->block_size;
	struct bfo_commit_fit fit;
	errcode_t err = bfo_commit_fits(&j->plan, j->vol, &fit);

	if (err)
		return err;
	j->atomic = bfo_commit_is_fit(&fit);
	if (j->atomic || !fit.has_journal || j->opt.undo_file)
		return 0;
	return bfo_fail(&j->ctx, BFO_ET_JOURNAL_SMALL, "planning: it would take %llu KiB of the "
			"journal of %s, which has %llu; make the journal larger (tune2fs -J), or "
			"say -z FILE", (unsigned long long) fit.need * bs / 1024, j->opt.device,
			(unsigned long long) fit.room * bs / 1024);
}

errcode_t pass3(struct job *j)
{
	struct bfo_itree_source from = { .names = j->names, .old = &j->old };
	errcode_t err = plan_all(j);

	if (!err)
		err = bfo_extsort_finish(j->names);
	if (!err)
		err = bfo_itrees_size(&j->plan, &from);
	if (!err)
		err = bfo_plan_space(&j->plan);
	if (err == BFO_ET_NO_SPACE)
		bfo_fail(&j->ctx, err, "planning: the indexes take %u blocks of %u bytes, %llu are "
			 "free; %sresize2fs makes room, -m with a larger number needs less",
			 j->itrees.header.blocks, j->vol->block_size,
			 (unsigned long long) bfo_ranges_total(&j->target.free_blocks),
			 j->has_old ? "those there are have to stay until then (-r removes them "
			 "first); " : "");
	return err ? err : choose_way(j);
}
