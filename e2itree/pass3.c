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
#include "plan/names.h"
#include "e2itree.h"
#include "online.h"
#include "problem.h"

/* ---- deciding ---- */

static int is_to_be_indexed(const struct job *j, const struct dir *d)
{
	if (d->damaged)
		return 0;
	return j->opt.min ? d->names >= j->opt.min
			  : bfo_itrees_is_big(j->vol->block_size, d->bytes);
}

/* Whether the tree says what the directory does, and is going to. */
static int is_right(const struct job *j, const struct dir *d, const struct tree *t)
{
	int gets_another_number = j->renews && !j->opt.online && d->ino == EXT2_ROOT_INO;

	return j->takes_over && !gets_another_number && t->dir.generation == d->generation &&
	       t->dir.entries == d->names && t->dir.set_hash == d->set_hash;
}

static enum fate decide(struct job *j, struct dir *d)
{
	struct tree *t = job_tree(j, d->ino);
	struct about about = { .ino = d->ino, .count = d->names };
	enum problem_code code;

	if (d->known == KNOWN_NOT)
		return t ? FATE_DROP : FATE_NONE;	/* it was told */
	if (!is_to_be_indexed(j, d)) {
		if (!t || d->damaged)
			return t ? FATE_DROP : FATE_NONE;
		return problem(j, PR_3_SMALL, &about) || t->damage || !is_right(j, d, t) ?
		       FATE_DROP : FATE_KEEP;
	}
	if (t && !t->damage && is_right(j, d, t) &&
	    (!j->opt.force || d->known == KNOWN_BY_TREE))
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
 * All trees are right, but programs that read by them would not believe it: e2fsck has been here,
 * or a directory has another version or ctime.  (A mount that changed no indexed directory is no
 * reason.)
 */
static int is_outdated(const struct job *j)
{
	size_t i;

	if (bfo_container_freshness(&j->old, j->vol) == BFO_ITREE_UNKNOWN)
		return 1;
	for (i = 0; i < j->trees.n; i++) {
		const struct itree_dir *t = &j->trees.v[i].dir;
		const struct dir *d = job_dir(j, t->ino);

		if (d && d->known != KNOWN_NOT &&
		    (d->version != t->version || d->ctime != t->ctime ||
		     d->ctime_nsec != t->ctime_nsec))
			return 1;
		if (j->opt.online && d && online_is_young(j, t))
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
	if (!*work && j->has_old > 0 && (!j->status || j->opt.online))
		*work = refreshes(j);
	return 0;
}

/* ---- the plan ---- */

errcode_t pass3_list(struct job *j, struct bfo_itrees *it)
{
	const struct tree *t;
	struct bfo_itree tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < j->dirs.n && !err; i++) {
		const struct dir *d = &j->dirs.v[i];

		if (d->fate != FATE_KEEP && d->fate != FATE_BUILD)
			continue;
		tree = (struct bfo_itree){ .dir = { .ino = d->ino }, .kept = d->fate == FATE_KEEP };
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

/* Steps of the job, see job/job.h: the trees that are wanted. */
static errcode_t begin(struct bfo_job *work, struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	struct bfo_itrees *it = &work->itrees.plan;
	struct job *j = work->config.priv;
	errcode_t err = 0;

	bfo_itrees_init(it, &work->plan);
	it->header.min_entries = j->opt.min;
	it->header.wtime = (uint64_t) sb->s_wtime_hi << 32 | bfo_record_wtime(j->now);
	it->header.lastcheck = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	it->replaces = j->renews;
	if (j->has_old && !j->renews)
		err = bfo_itrees_replace(it, &j->old);
	return err ? err : pass3_list(j, it);
}

static errcode_t choose(struct bfo_job *work)
{
	return bfo_itrees_renew(&work->plan);
}

/* A tree of the root has to list the container itself, if that is a new file. */
static errcode_t add_own_name(struct job *j)
{
	static const char name[] = ITREE_NAME;
	const struct bfo_target *target = &j->work.free;
	struct dir *root = job_dir(j, EXT2_ROOT_INO);
	uint32_t ino = bfo_itrees_number(&j->work.plan), hash, minor;
	int type = target->has_filetype ? EXT2_FT_REG_FILE : 0;

	if ((j->has_old && !j->renews) || !root)
		return 0;
	bfo_text_hash(target, root->flags, name, sizeof(name) - 1, NULL, &hash, &minor);
	return bfo_itree_name_add(j->names, root->ino, ino, hash, type, name, sizeof(name) - 1);
}

static errcode_t place(struct bfo_job *work, const struct bfo_volume *vol)
{
	struct job *j = work->config.priv;
	errcode_t err = add_own_name(j);

	(void) vol;
	work->itrees.source = (struct bfo_itree_source) { .names = j->names, .old = &j->old };
	if (!err && !j->is_sorted)
		err = bfo_extsort_finish(j->names);
	return err ? err : bfo_itrees_size(&work->plan, &work->itrees.source);
}

/* Nothing is copied: all there is to be done is to make the container. */
static errcode_t begin_job(struct job *j)
{
	static const struct bfo_job_indexes steps = { begin, choose, place };

	j->work.ctx = &j->ctx;
	j->work.target = j->vol;
	j->work.config = (struct bfo_job_config) { .target = j->opt.device, .to = "/",
		.now = j->now, .memory = j->opt.memory, .read_gap = BFO_GAP_OF_DEVICE,
		.make_indexes = 1, .is_quick = 1, .undo_file = j->opt.undo_file, .text = "",
		.indexes = &steps, .priv = j };
	return bfo_job_begin_empty(&j->work);
}

errcode_t tell_no_space(struct job *j, errcode_t err, uint64_t free_blocks)
{
	return bfo_fail(&j->ctx, err, "planning: the indexes take %u blocks of %u bytes, %llu are "
			"free; %sresize2fs makes room, -m with a larger number needs less",
			j->work.itrees.plan.header.blocks, j->vol->block_size,
			(unsigned long long) free_blocks,
			j->has_old ? "those there are have to stay until then (-r removes them "
			"first); " : "");
}

errcode_t pass3(struct job *j)
{
	errcode_t err = begin_job(j);

	if (!err)
		err = bfo_job_decide(&j->work, j->vol);
	if (err && bfo_job_has_plan(&j->work) && j->work.plan.clashes.n)
		return bfo_fail(&j->ctx, BFO_ET_IMMUTABLE, "replacing /" ITREE_NAME ": the root "
				"directory; clear its flag i before");
	if (!err)
		err = bfo_job_place(&j->work, j->vol);
	if (err == BFO_ET_NO_SPACE)
		return tell_no_space(j, err, bfo_ranges_total(&j->work.free.free_blocks));
	return err ? err
		   : bfo_job_choose_way(&j->work, "make the journal larger (tune2fs -J), or say "
						  "-z FILE");
}
