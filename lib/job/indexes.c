// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * indexes.c - the container of indexes in a copy: not copied, but kept up to date or made
 */
#include <string.h>

#include "base/bfo_err.h"
#include "base/dirblock.h"
#include "base/sort.h"
#include "commit/record.h"
#include "job/indexes.h"
#include "job/job.h"
#include "tree/access.h"

/* names are sorted in 1/4 of --memory, the rest of them in a file */
#define NAMES_SHARE 4

/* A container of another filesystem, or with keys of another hash: it has no tree to be kept. */
static int is_foreign(const struct itree_header *h, const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;

	return memcmp(h->uuid, sb->s_uuid, sizeof(h->uuid)) ||
	       memcmp(h->hash_seed, sb->s_hash_seed, sizeof(h->hash_seed)) ||
	       h->hash_version != (uint32_t) bfo_volume_hash_version(vol);
}

/* Whether the container was made for the target as it was before the copy, or its record. */
static int was_fresh(const struct bfo_job *job, const struct bfo_volume *vol)
{
	enum bfo_freshness now = bfo_container_freshness(&job->itrees.old, vol);

	return now == BFO_ITREE_FRESH ||
	       (job->config.record && now == BFO_ITREE_LIKELY &&
		job->itrees.old.header.wtime == job->config.record->wtime);
}

/*
 * One that programs do not believe: where indexes are asked for, another file takes its place.  Of
 * one that others could write to no tree is kept then, as it would be believed from now on.
 */
static errcode_t look_at_old(struct bfo_job *job)
{
	struct bfo_job_container *it = &job->itrees;
	struct bfo_container_file file;
	errcode_t err = 0;

	if (!it->has_old || !job->config.make_indexes)
		return 0;
	err = bfo_container_look(&it->old, &file);
	if (err)
		return err;
	it->gives_way = !bfo_container_is_protected(&file);
	if (bfo_container_is_open(&file))
		it->trees.n = 0;
	return 0;
}

static errcode_t begin(struct bfo_job *job, struct bfo_volume *vol)
{
	struct bfo_job_container *it = &job->itrees;
	errcode_t err = bfo_reader_init(&it->reader, job->ctx, vol, job->config.read_gap);

	if (!err)
		err = bfo_container_find(&it->reader, &it->old);
	if (!err)
		err = bfo_container_dirs(&it->old, &it->trees);
	it->has_old = !err || err == BFO_ET_ITREE;
	it->is_fresh = !err && was_fresh(job, vol);
	if (err == BFO_ET_ITREE || (!err && is_foreign(&it->old.header, vol)))
		it->trees.n = 0;	/* --itree replaces it, nothing else touches it */
	if (err && err != BFO_ET_ITREE && err != BFO_ET_NO_ITREE)
		return err;
	bfo_what_clear(job->ctx);
	err = look_at_old(job);
	if (err || (!job->config.make_indexes && !it->trees.n))
		return err;
	bfo_itrees_init(&it->plan, &job->plan);
	it->plan.replaces = it->gives_way;
	return it->has_old && !it->gives_way ? bfo_itrees_replace(&it->plan, &it->old) : 0;
}

static const struct itree_dir *old_tree(const struct bfo_job_container *it, uint32_t ino)
{
	size_t i = bfo_vec_lower(&it->trees, ino, ino);

	return i < it->trees.n && it->trees.v[i].ino == ino ? &it->trees.v[i] : NULL;
}

/* Whether a directory without a tree is to have one, as e2itree would say. */
static int is_big(const struct bfo_job *job, const struct bfo_inode *dir)
{
	uint32_t min = job->itrees.has_old ? job->itrees.old.header.min_entries : 0, i, names = 0;
	uint32_t hashes = bfo_dir_has_hashes(dir->flags) ? BFO_HASH_BYTES : 0;
	const struct bfo_tree *t = &job->tree;
	struct bfo_slice s = bfo_dir_names(t, dir);
	uint64_t bytes = 0;

	for (i = s.first; i < s.end; i++) {
		if (bfo_name_is_dead(t, &t->names.v[i]))
			continue;
		bytes += bfo_dirent_bytes(bfo_name_len(&t->names.v[i])) + hashes;
		names++;
	}
	return min ? names >= min : bfo_itrees_is_big(job->free.block_size, bytes);
}

/* Whether directory DIR, which is written, gets a tree. */
static int is_indexed(const struct bfo_job *job, const struct bfo_inode *dir)
{
	if (dir->state & BFO_INODE_EXISTS && old_tree(&job->itrees, dir->new_ino))
		return 1;
	return job->config.make_indexes && is_big(job, dir);
}

static errcode_t choose(struct bfo_job *job)
{
	size_t i;

	if (!job->plan.itrees)
		return 0;
	for (i = 0; i < job->plan.order.n && !job->config.make_indexes; i++) {
		const struct bfo_inode *rec = bfo_plan_item(&job->plan, i);

		if (S_ISDIR(rec->mode) && is_indexed(job, rec))
			break;
	}
	if (i == job->plan.order.n && !job->config.make_indexes) {
		/* no directory that has a tree gains names */
		job->plan.itrees = NULL;
		return 0;
	}
	return bfo_itrees_renew(&job->plan);
}

/* The names of a directory as they are going to be on the target. */
static errcode_t add_names(struct bfo_job *job, const struct bfo_inode *dir)
{
	const struct bfo_tree *t = &job->tree;
	struct bfo_slice s = bfo_dir_names(t, dir);
	errcode_t err = 0;
	uint32_t i, type;

	for (i = s.first; i < s.end && !err; i++) {
		const struct bfo_name *n = &t->names.v[i];

		if (bfo_name_is_dead(t, n))
			continue;
		type = job->free.has_filetype ? bfo_name_type(n) & ~BFO_NAME_FIXED : 0;
		err = bfo_itree_name_add(job->itrees.names, dir->new_ino, bfo_name_new_ino(t, n),
					 n->hash, type, bfo_name_text(t, n), bfo_name_len(n));
	}
	return err ? bfo_fail(job->ctx, err,
			      "sorting names (a temporary file in $TMPDIR takes what "
			      "memory cannot)")
		   : 0;
}

static errcode_t collect(struct bfo_job *job)
{
	struct bfo_itrees *it = &job->itrees.plan;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < job->plan.order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(&job->plan, i);

		if (!S_ISDIR(rec->mode) || !is_indexed(job, rec))
			continue;
		err = bfo_vec_push(&it->trees, (struct bfo_itree) { .dir = { .ino = rec->new_ino,
				   .generation = rec->generation } });
		if (!err)
			err = add_names(job, rec);
	}
	job->itrees.built = it->trees.n;
	return err;
}

BFO_SORT_BY(by_ino, struct bfo_itree, dir.ino)

/* Trees of the target's that are not built anew; the list is sorted afterwards. */
static errcode_t keep_others(struct bfo_job *job)
{
	struct bfo_itrees *it = &job->itrees.plan;
	errcode_t err = 0;
	size_t i, j = 0, built = it->trees.n;

	if (built)
		qsort(it->trees.v, built, sizeof(*it->trees.v), by_ino);
	for (i = 0; i < job->itrees.trees.n && !err; i++) {
		const struct itree_dir *d = &job->itrees.trees.v[i];

		while (j < built && it->trees.v[j].dir.ino < d->ino)
			j++;
		if (j < built && it->trees.v[j].dir.ino == d->ino)
			continue;
		it->header.seed = job->itrees.old.header.seed;
		err = bfo_vec_push(&it->trees, (struct bfo_itree) { .dir = *d, .before = d->first,
				   .kept = 1 });
	}
	if (it->trees.n)
		qsort(it->trees.v, it->trees.n, sizeof(*it->trees.v), by_ino);
	return err;
}

/*
 * Trees that are taken over are as right as they were: if others have written to the target since
 * they were built, its container has to go on saying so.
 */
static void set_times(struct bfo_job *job, const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	struct itree_header *h = &job->itrees.plan.header;

	h->wtime = (uint64_t) sb->s_wtime_hi << 32 | bfo_record_wtime(job->config.now);
	h->lastcheck = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	if (job->itrees.has_old)
		h->min_entries = job->itrees.old.header.min_entries;
	if (!job->itrees.trees.n || job->itrees.is_fresh)
		return;
	h->wtime = job->itrees.old.header.wtime;
	h->lastcheck = job->itrees.old.header.lastcheck;
}

static errcode_t place(struct bfo_job *job, const struct bfo_volume *vol)
{
	struct bfo_job_container *it = &job->itrees;
	errcode_t err;

	if (!job->plan.itrees)
		return 0;
	it->plan.trees.n = 0;
	bfo_itrees_describe(&job->plan);
	bfo_extsort_close(it->names);
	it->names = NULL;
	err = bfo_extsort_open(&it->names, 3, job->config.memory / NAMES_SHARE,
			       job->ctx->temp_dir);
	if (!err)
		err = collect(job);
	if (!err)
		err = keep_others(job);
	set_times(job, vol);
	if (!err)
		err = bfo_extsort_finish(it->names);
	it->source = (struct bfo_itree_source) { .names = it->names, .old = &it->old };
	if (!err)
		err = bfo_itrees_size(&job->plan, &it->source);
	return err && !*job->ctx->what ? bfo_fail(job->ctx, err, "sorting names") : err;
}

void bfo_job_container_free(struct bfo_job_container *it)
{
	bfo_itrees_free(&it->plan);
	bfo_container_free(&it->old);
	bfo_reader_free(&it->reader);
	bfo_vec_free(&it->trees);
	bfo_extsort_close(it->names);
}

const struct bfo_job_indexes bfo_job_copy_indexes = {
	.begin = begin, .choose = choose, .place = place,
};
