// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy.c - e2bfo copy
 *
 *   source ── inode scan ── name scan ──┐
 *                                      plan ── commit
 *   target, or a scratch file ── free ──┘
 *
 * With --mkfs the plan is made on a sparse scratch file that is formatted as the target is going
 * to be; the target is formatted only when the plan fits, and the plan is moved over to it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "commit/commit.h"
#include "gather/claim_scan.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/repack.h"
#include "volume/gate.h"
#include "volume/store.h"
#include "volume/probe.h"
#include "e2bfo.h"
#include "lists.h"
#include "mkfs.h"
#include "options.h"
#include "quotas.h"
#include "report.h"

#define MIB (1ULL << 20)
#define SMALLEST_TRY (2 * MIB)

struct copy {
	struct copy_options opt;
	struct lists lists;
	struct bfo_context ctx;
	struct bar bar;
	double begun;
	int64_t now;			/* time of what is made */

	struct bfo_volume *source, *target;
	struct bfo_reader reader;
	struct bfo_tree tree;
	struct bfo_target free;		/* the target's shape and free space */
	struct bfo_plan plan;
	int planned;

	char *path, *path_options;	/* of the target */
	struct mkfs mkfs;
	uint64_t size;			/* of the target, bytes */
	uint64_t smallest;
	char *made;			/* a new image file, until it gets its name */
	int formatting;			/* what the target held may be gone */
	int formatted;			/* it is gone */
	int committing, written;
	struct bfo_commit_stats stats;
};

/* SOURCE_DATE_EPOCH pins the time of what the copy itself makes. */
static errcode_t read_time(struct copy *c)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	char *end;

	c->now = time(NULL);
	if (!epoch || !*epoch)
		return 0;
	errno = 0;
	c->now = strtoll(epoch, &end, 10);
	return *end || errno ? bfo_fail(&c->ctx, EINVAL, "reading SOURCE_DATE_EPOCH=%s", epoch) : 0;
}

static errcode_t gather(struct copy *c)
{
	errcode_t err = bfo_reader_init(&c->reader, &c->ctx, c->source, c->opt.read_gap);

	c->tree.keep_map_blocks = 1;
	if (!err)
		err = bfo_inode_scan(&c->reader, &c->tree);
	if (!err)
		err = bfo_claim_scan(&c->reader, &c->tree);
	if (!err)
		err = bfo_name_scan(&c->reader, &c->tree);
	return err;
}

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

/* Everything that has to be decided, on VOL: the target itself or a scratch file like it. */
static errcode_t decide(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err = bfo_target_gather(&c->ctx, vol, &c->free);

	bfo_progress_report(&c->ctx, BFO_STAGE_PLAN, 0, 0, 0);
	if (err)
		return err;
	bfo_plan_init(&c->plan, &c->ctx, &c->tree, &c->free);
	c->planned = 1;
	c->plan.dir_fill = c->opt.dir_fill;
	c->plan.now = c->now;
	c->plan.keep_inodes = c->opt.keep_inodes;
	err = bfo_plan_names(&c->plan);
	if (!err)
		err = bfo_plan_filter(&c->plan, &c->lists.filter);
	if (!err)
		err = bfo_plan_land(&c->plan, c->opt.from, c->opt.n_from, c->opt.to);
	if (!err)
		err = merge(c, vol);
	if (!err)
		err = bfo_plan_order(&c->plan);
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

static errcode_t place(struct copy *c)
{
	errcode_t err = bfo_plan_numbers(&c->plan);

	return err ? err : bfo_plan_space(&c->plan);
}

/* Moves the plan to VOL, which was formatted like the one before. */
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
	return err ? err : place(c);
}

/* Does the plan fit a target of SIZE bytes? Only errors of another kind are returned. */
static errcode_t try_size(struct copy *c, uint64_t size, int *fits)
{
	struct bfo_volume *vol = NULL;
	errcode_t err = mkfs_scratch(&c->mkfs, size, &vol);

	*fits = 0;
	if (err == BFO_ET_MKFS || err == BFO_ET_TOO_SMALL)
		return 0;		/* for a filesystem at all, or for its journal */
	if (!err)
		err = move_plan(c, vol);
	*fits = !err;
	bfo_volume_close(vol);
	return err == BFO_ET_NO_SPACE || err == BFO_ET_NO_INODES ? 0 : err;
}

/* Bisects for the smallest size in MiB (or 1/512 of it) that fits; needs a finished plan. */
static errcode_t bisect(struct copy *c)
{
	uint64_t low = 0, high, mid, step, need;
	int fits = 0;
	errcode_t err = 0;

	need = (c->plan.stem_len + c->plan.tree_len) * c->source->block_size;
	c->mkfs.inodes = c->plan.new_inodes;
	c->mkfs.generous = 0;
	c->mkfs.silent = 1;
	high = need + need / 16 + SMALLEST_TRY;
	while (!err) {
		high = (high + MIB - 1) / MIB * MIB;
		err = try_size(c, high, &fits);
		if (err || fits)
			break;
		if (high > 4 * (need + 64 * SMALLEST_TRY))
			err = bfo_fail(&c->ctx, BFO_ET_MKFS, "looking for the smallest size, in "
				       "scratch files in TMPDIR: even %llu bytes did not do",
				       (unsigned long long) high);
		low = high;
		high += high / 2;
	}
	if (low < need / MIB * MIB)
		low = need / MIB * MIB;
	step = high / 512 / MIB * MIB + MIB;
	while (!err && high > low + step) {
		mid = (low + (high - low) / 2 + MIB - 1) / MIB * MIB;
		err = try_size(c, mid, &fits);
		if (fits)
			high = mid;
		else
			low = mid;
	}
	if (!err && !fits)
		err = try_size(c, high, &fits);		/* the plan is to stand on what fits */
	c->smallest = high;
	c->mkfs.silent = 0;
	return err;
}

/* The same, one stage of work for who watches. */
static errcode_t find_smallest(struct copy *c)
{
	void (*progress)(void *, const struct bfo_progress *) = c->ctx.progress;
	errcode_t err;

	bfo_progress_report(&c->ctx, BFO_STAGE_PLAN, 0, 0, 0);
	c->ctx.progress = NULL;
	err = bisect(c);
	c->ctx.progress = progress;
	return err;
}

/* What a target made for this copy alone would need; leaves the plan on VOL. */
static errcode_t note_smallest(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err;
	size_t i;

	for (i = 0; i < c->plan.merged.n; i++)
		if (c->plan.merged.v[i].ino != EXT2_ROOT_INO &&
		    c->plan.merged.v[i].ino != EXT2_GOOD_OLD_FIRST_INO)
			return 0;	/* it goes into directories that only VOL has */
	err = find_smallest(c);
	return err ? err : move_plan(c, vol);
}

/* A size that is certainly enough to plan on, when none is given. */
static uint64_t roomy_size(const struct copy *c)
{
	return c->source->blocks * c->source->block_size * 5 / 4 + 64 * MIB;
}

/* Once more with as many inodes as are needed, instead of as many per byte as the source has. */
static errcode_t place_tight(struct copy *c, struct bfo_volume **scratch)
{
	errcode_t err;

	bfo_volume_close(*scratch);
	*scratch = NULL;
	c->mkfs.inodes = c->plan.new_inodes;
	c->mkfs.generous = 0;
	err = mkfs_scratch(&c->mkfs, c->size, scratch);
	return err ? err : move_plan(c, *scratch);
}

/* It does not fit: what would? */
static errcode_t tell_smallest(struct copy *c, errcode_t err)
{
	char what[sizeof(c->ctx.what)];

	memcpy(what, c->ctx.what, sizeof(what));
	if (find_smallest(c))
		return bfo_fail(&c->ctx, err, "%s", what);
	return bfo_fail(&c->ctx, err, "%.300s; the smallest new target that fits has %llu bytes",
			what, (unsigned long long) c->smallest);
}

/* The plan, on scratch files. */
static errcode_t plan_mkfs(struct copy *c)
{
	struct bfo_volume *scratch = NULL;
	errcode_t err;

	c->mkfs.inodes = c->tree.inodes.n;
	c->mkfs.generous = 1;
	err = mkfs_scratch(&c->mkfs, c->size ? c->size : roomy_size(c), &scratch);
	if (!err)
		err = decide(c, scratch);
	if (!err)
		err = place(c);
	if (c->size && (err == BFO_ET_NO_SPACE || err == BFO_ET_NO_INODES))
		err = place_tight(c, &scratch);
	if (err == BFO_ET_NO_SPACE && c->opt.dry_run)
		err = tell_smallest(c, err);
	if (!err && c->opt.size == SIZE_MIN)
		err = find_smallest(c);
	else if (!err && c->opt.dry_run)
		err = note_smallest(c, scratch);
	if (c->opt.size == SIZE_MIN)
		c->size = c->smallest;
	bfo_volume_close(scratch);
	return err;
}

static errcode_t same_volume(struct copy *c)
{
	return bfo_fail(&c->ctx, BFO_ET_SAME_VOLUME, "comparing %s and %s", c->opt.source,
			c->opt.target);
}

/* Refuses to format what is mounted, is the source, or holds something. */
static errcode_t check_victim(struct copy *c)
{
	struct bfo_store store;
	errcode_t err = bfo_store_identify(&c->ctx, c->path, 0, &store);

	if (!err && bfo_store_overlap(&store, &c->source->store))
		err = same_volume(c);
	if (!err)
		err = bfo_gate_unmounted(&c->ctx, c->path);
	if (!err && !c->opt.force)
		err = mkfs_check_empty(&c->ctx, c->path);
	return err;
}

/* What --mkfs is going to format: a device, an image file, or one to be made. */
static errcode_t choose_mkfs_target(struct copy *c)
{
	struct stat st;
	int exists = !stat(c->path, &st);
	errcode_t err = 0;

	if (c->opt.size && exists && !S_ISREG(st.st_mode))
		return bfo_fail(&c->ctx, EINVAL, "making image file %s: --size is for image files",
				c->opt.target);
	if (!c->opt.size && !exists)
		return bfo_fail(&c->ctx, errno, "opening %s (--size makes a new image file)",
				c->opt.target);
	if (c->opt.size && exists && !c->opt.force)
		return bfo_fail(&c->ctx, EEXIST, "making image file %s (--force replaces it)",
				c->opt.target);
	if (exists || !c->opt.size)
		err = check_victim(c);
	if (!err && !c->opt.size)
		err = mkfs_size_of(&c->ctx, c->path, &c->size);
	else if (!err && c->opt.size != SIZE_MIN)
		c->size = c->opt.size;
	return err;
}

/* From here on the target changes; an image file gets its name when it is complete. */
static errcode_t format(struct copy *c)
{
	const char *path = c->path;
	errcode_t err = 0;

	if (c->opt.size) {
		err = mkfs_create(&c->ctx, c->path, c->size, &c->made);
		path = c->made;
	}
	c->formatting = !err;
	if (!err)
		err = mkfs_run(&c->mkfs, path, 0);
	c->formatted = c->formatting && (!err || err == BFO_ET_CANCELLED);
	if (!err)
		err = mkfs_open(&c->mkfs, c->opt.size ? path : c->opt.target, 0, &c->target);
	if (!err)
		err = bfo_volume_distinct(&c->ctx, c->source, c->target);
	return err ? err : move_plan(c, c->target);
}

/* The target is in use: by ourselves, as the source? */
static errcode_t tell_busy(struct copy *c)
{
	struct bfo_store store;
	uint64_t offset;

	if (bfo_store_locate(&c->ctx, c->opt.target, c->path, c->path_options, 0, &offset, &store))
		return BFO_ET_BUSY;
	if (bfo_store_overlap(&store, &c->source->store))
		return same_volume(c);
	if (store.dev == c->source->store.dev && store.ino == c->source->store.ino)
		return bfo_fail(&c->ctx, BFO_ET_BUSY, "opening %s: the source is on the same disk; "
				"name the partitions' own devices (losetup -P and partprobe make "
				"them)", c->opt.target);
	return bfo_fail(&c->ctx, BFO_ET_BUSY, "opening %s: something else holds it", c->opt.target);
}

static errcode_t open_target(struct copy *c)
{
	int how = BFO_OPEN_TARGET | (c->opt.force ? BFO_OPEN_FORCE : 0) |
		  (c->opt.dry_run ? BFO_OPEN_LOOK : 0);
	errcode_t err = bfo_probe_target(&c->ctx, c->opt.target, c->path, c->path_options);

	if (!err)
		err = bfo_volume_open(&c->ctx, c->opt.target, how, NULL, &c->target);
	if (err == BFO_ET_BUSY)
		return tell_busy(c);
	return err ? err : bfo_volume_distinct(&c->ctx, c->source, c->target);
}

/* All that can be refused before the source is read through. */
static errcode_t open_both(struct copy *c)
{
	errcode_t err = read_time(c);

	if (!err)
		err = lists_read(&c->lists, &c->ctx, &c->opt);
	if (!err)
		err = bfo_volume_open(&c->ctx, c->opt.source, BFO_OPEN_SOURCE, NULL, &c->source);
	if (!err)
		err = mkfs_init(&c->mkfs, &c->ctx, c->source, c->opt.mkfs_args, c->now);
	c->mkfs.same_count = c->opt.keep_inodes;
	if (!err && c->opt.same_uuid)
		mkfs_keep_uuid(&c->mkfs);
	if (!err)
		err = bfo_store_resolve(&c->ctx, c->opt.target, &c->path, &c->path_options);
	if (!err)
		err = c->opt.mkfs ? choose_mkfs_target(c) : open_target(c);
	return err;
}

static errcode_t plan_target(struct copy *c)
{
	errcode_t err = decide(c, c->target);

	if (!err)
		err = place(c);
	if (!err && c->opt.dry_run)
		err = note_smallest(c, c->target);
	return err;
}

static errcode_t copy(struct copy *c)
{
	struct bfo_commit_options how = { .memory = c->opt.memory };
	errcode_t err = open_both(c);

	if (!err)
		err = gather(c);
	if (!err)
		err = c->opt.mkfs ? plan_mkfs(c) : plan_target(c);
	if (err || c->opt.dry_run)
		return err;
	if (c->opt.mkfs)
		err = format(c);
	c->committing = !err;
	if (!err)
		err = bfo_commit(&c->plan, &c->reader, c->target, &how, &c->stats);
	if (!err && c->made)
		err = mkfs_publish(&c->ctx, c->made, c->path, c->opt.force);
	c->written = !err;
	if (err && c->made)
		unlink(c->made);	/* nothing half-made stays behind */
	return err;
}

static int exit_status(const struct copy *c, errcode_t err)
{
	if (err == BFO_ET_CANCELLED)
		return EXIT_CANCELLED;
	if (err)
		return EXIT_FAILED;
	return c->tree.findings.n ? EXIT_FINDINGS : EXIT_KEPT;
}

/* Said also with --quiet: who mounts by UUID gets either of them. */
static void warn_same_uuid(const struct copy *c)
{
	fprintf(stderr, "e2bfo: warning: %s and %s now have the same UUID (%s); while both are "
		"attached, mount neither by UUID: detach one first\n", c->opt.source, c->opt.target,
		c->mkfs.uuid);
}

static int finish(struct copy *c, errcode_t err)
{
	struct report r = { .opt = &c->opt, .err = err,
			    .what = *c->ctx.what ? c->ctx.what : "copying",
			    .status = exit_status(c, err), .source = c->source,
			    .target = c->target, .smallest = c->smallest,
			    .seconds = progress_clock() - c->begun };

	progress_wipe(&c->bar);
	if (err == BFO_ET_CLASH && c->planned)
		report_clashes(&c->plan);
	if (c->made)
		r.fate = access(c->path, F_OK) ? "was not made" : "is as it was before";
	else if (c->formatted)
		r.fate = "has been formatted and is empty";
	else if (c->formatting)
		r.fate = "may be partly formatted";
	else if (err == BFO_ET_CANCELLED || (c->committing && !c->stats.unclean))
		r.fate = "is as it was before";
	r.plan = c->planned ? &c->plan : NULL;
	r.stats = c->written ? &c->stats : NULL;
	report_print(&r);
	if (c->opt.same_uuid && (c->made ? c->written : c->formatted))
		warn_same_uuid(c);
	return r.status;
}

static void release(struct copy *c)
{
	if (c->planned)
		bfo_plan_free(&c->plan);
	bfo_target_free(&c->free);
	bfo_tree_free(&c->tree);
	bfo_reader_free(&c->reader);
	bfo_volume_close(c->target);
	bfo_volume_close(c->source);
	free(c->made);
	free(c->path);
	free(c->path_options);
	lists_free(&c->lists);
	options_free(&c->opt);
}

int copy_main(int argc, char **argv)
{
	struct copy c = { .begun = progress_clock() };
	int status = options_read(&c.opt, argc, argv);

	if (status < 0) {
		c.ctx.cancel = &cancel_requested;
		catch_signals();
		progress_attach(&c.bar, &c.ctx, c.opt.quiet ? PROGRESS_NONE : c.opt.progress);
		status = finish(&c, copy(&c));
	}
	release(&c);
	return status;
}
