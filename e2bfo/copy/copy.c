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
#include <time.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "gather/bitmap_check.h"
#include "volume/open.h"
#include "volume/probe.h"
#include "volume/store.h"
#include "copy.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "copy_report.h"

/* A kernel may have used it since it was last checked. */
static errcode_t check_bitmaps(struct copy *c)
{
	struct bfo_reader reader;
	errcode_t err = bfo_reader_init(&reader, &c->ctx, c->job.target, BFO_GAP_OF_DEVICE);

	if (!err)
		err = bfo_bitmap_check(&reader);
	bfo_reader_free(&reader);
	return err;
}

/* How to go on with a target that has no filesystem, if nothing is in the way of formatting it; or NULL. */
static const char *way_to_format(struct copy *c)
{
	struct bfo_context ctx = { 0 };
	struct bfo_store store;
	struct bfo_probe p;
	uint64_t offset;

	if (bfo_store_locate(&ctx, c->opt.target, c->path, c->path_options, 1, &offset, &store))
		return NULL;
	if (!store.size)
		return "it is empty: --mkfs --size SIZE --force makes an image file in its place";
	return bfo_probe_read(&ctx, c->path, offset, store.size, &p) || p.several || *p.text ? NULL :
	       "--mkfs formats it";
}

static errcode_t tell_unformatted(struct copy *c, errcode_t err)
{
	const char *how = way_to_format(c);

	return how ? bfo_fail_add(&c->ctx, err, "; %s", how) : err;
}

static errcode_t open_target(struct copy *c)
{
	int how = BFO_OPEN_TARGET | (c->opt.dry_run ? BFO_OPEN_LOOK : 0);
	errcode_t err = bfo_probe_target(&c->ctx, c->opt.target, c->path, c->path_options);

	if (!err)
		err = bfo_volume_open(&c->ctx, c->opt.target, how, NULL, &c->job.target);
	if (err == BFO_ET_BUSY)
		return format_tell_busy(c);
	if (err == BFO_ET_NOT_EXT)
		return tell_unformatted(c, err);
	if (!err)
		err = bfo_volume_distinct(&c->ctx, c->job.source, c->job.target);
	return err || c->opt.trust ? err : check_bitmaps(c);
}

errcode_t copy_open_source(struct copy *c)
{
	errcode_t err = lists_read(&c->lists, &c->ctx, &c->opt);

	if (!err)
		err = order_open(c);
	return err ? err : rescue_open(c);
}

/* All that can be refused before the source is read through. */
static errcode_t open_both(struct copy *c)
{
	errcode_t err = timestamp_now(&c->ctx, &c->job.config.now);

	if (!err && c->opt.undo_file && !access(c->opt.undo_file, F_OK))
		err = bfo_fail(&c->ctx, EEXIST, "making undo file %s", c->opt.undo_file);
	if (!err)
		err = copy_open_source(c);
	if (!err)
		err = mkfs_init(&c->mkfs, &c->ctx, c->job.source, c->opt.target, c->opt.mkfs_args,
				c->job.config.now);
	c->mkfs.same_count = c->opt.keep_inodes;
	if (!err && c->opt.same_uuid)
		mkfs_keep_uuid(&c->mkfs);
	if (!err)
		err = bfo_store_resolve(&c->ctx, c->opt.target, &c->path, &c->path_options);
	if (!err)
		err = c->opt.mkfs ? format_choose(c) : open_target(c);
	return err;
}

errcode_t copy_decide(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err = bfo_job_decide(&c->job, vol);

	if (err && c->job.phase == BFO_JOB_PLANNING)
		lists_explain(&c->lists, &c->ctx, err);
	return err;
}

errcode_t copy_choose_way(struct copy *c)
{
	return bfo_job_choose_way(&c->job, "copy in smaller parts, make the journal larger "
				  "(tune2fs -J), or say --not-atomic, or -z FILE "
				  "(e2bfo-resume(8))");
}

static errcode_t plan_target(struct copy *c)
{
	errcode_t err = copy_decide(c, c->job.target);

	if (!err)
		err = bfo_job_place(&c->job, c->job.target);
	if (err == BFO_ET_NO_SPACE && !c->job.config.record)
		return copy_tell_smallest(c, err);
	if (err || c->job.config.record)
		return err;
	err = copy_choose_way(c);
	if (!err && c->opt.dry_run)
		err = copy_note_smallest(c, c->job.target);
	return err;
}

/* A plan that is made again has to be the same. */
static errcode_t compare_plans(struct copy *c)
{
	if (!c->job.config.record)
		return 0;
	c->job.is_atomic = 1;
	return bfo_record_compare(c->job.config.record, &c->job.plan);
}

/* Bytes of the source that the page cache may be expected to keep while it is copied. */
static uint64_t cache_for(const struct bfo_volume *source)
{
	return process_spare_memory() / source->store.caches;
}

static errcode_t commit(struct copy *c)
{
	errcode_t err;

	c->writing = c->committing = 1;
	c->job.source->direct.use = c->job.target->direct.use = c->opt.direct;
	if (c->job.config.record && !c->opt.verify)
		c->resumed = c->job.config.record->done * c->job.target->block_size;
	err = bfo_job_commit(&c->job);
	if (!c->made)
		c->fate = c->job.stats.fate;
	return err;
}

static errcode_t choose_order(void *priv, struct bfo_job *job)
{
	(void) job;
	return order_choose(priv);
}

/* How the job is to be done, by the options. */
static void configure(struct copy *c)
{
	struct bfo_job_config *config = &c->job.config;
	const struct copy_options *opt = &c->opt;

	c->job.ctx = &c->ctx;
	config->target = opt->target;
	config->from = opt->from;
	config->n_from = opt->n_from;
	config->to = opt->to;
	config->filter = &c->lists.filter;
	config->memory = opt->common.memory;
	config->cache = cache_for(c->job.source);
	config->read_gap = opt->read_gap;
	config->losses = opt->losses;
	config->dir_fill = opt->dir_fill;
	config->keep_inodes = opt->keep_inodes;
	config->is_fresh = opt->mkfs;
	config->make_indexes = opt->itree;
	config->not_atomic = opt->not_atomic;
	config->verify = opt->verify;
	config->undo_file = opt->undo_file;
	config->text = c->text.v;
	config->text_bytes = c->text.n;
	config->order = choose_order;
	config->priv = c;
}

errcode_t copy_run(struct copy *c)
{
	errcode_t err;

	configure(c);
	err = bfo_job_gather(&c->job);
	if (!err)
		err = c->opt.mkfs ? copy_plan_mkfs(c) : plan_target(c);
	if (!err)
		err = compare_plans(c);
	if (!err)
		err = boot_look(c);
	if (!err && c->opt.dry_run && !c->job.config.record)
		rescue_note_zeroes(c);		/* those that are known */
	if (!err && c->opt.dry_run)
		err = bfo_users_check_again(&c->ctx, c->job.source);
	if (err || c->opt.dry_run)
		return err;
	if (c->opt.mkfs)
		err = format_target(c);
	if (!err)
		err = commit(c);
	if (!err)
		err = format_publish(c);
	if (!err)
		rescue_note_zeroes(c);
	c->written = !err;
	if (err)
		format_withdraw(c);
	return err;
}

static int exit_status(const struct copy *c, errcode_t err)
{
	if (err == BFO_ET_CANCELLED)
		return EXIT_CANCELLED;
	if (err)
		return EXIT_FAILED;
	return c->job.tree.findings.n || c->untold ? EXIT_FINDINGS : EXIT_KEPT;
}

/* Said also with --quiet: who mounts by UUID gets either of them. */
static void warn_same_uuid(const struct copy *c)
{
	message("warning: %s and %s now have the same UUID (%s); while both are attached, mount "
		"neither by UUID: detach one first", c->opt.source, c->opt.target, c->mkfs.uuid);
}

int copy_finish(struct copy *c, errcode_t err)
{
	struct report r = { .command = c->command, .opt = &c->opt, .err = err, .source = c->job.source,
			    .tree = &c->job.tree, .target = c->job.target, .smallest = c->smallest,
			    .order = &c->order, .boot = &c->boot, .lists = &c->lists,
			    .resumed = c->resumed, .indexed = c->job.itrees.built,
			    .seconds = bfo_clock() - c->begun };

	progress_wipe(&c->bar);
	rescue_explain(c, err);
	if (!rescue_write_map(c))
		c->untold = 1;
	r.what = *c->ctx.what ? c->ctx.what : "copying";
	r.status = exit_status(c, err);
	if (err == BFO_ET_CLASH && bfo_job_has_plan(&c->job))
		report_clashes(&c->job.plan, c->opt.common.verbose);
	lists_tell(&c->lists, c->opt.common.verbose);
	r.fate = c->fate;
	r.formatted = c->formatted && !c->made;
	r.tell_fate = c->writing || err == BFO_ET_CANCELLED;
	r.plan = bfo_job_has_plan(&c->job) ? &c->job.plan : NULL;
	r.placed = c->job.phase == BFO_JOB_PLACED;
	r.stats = c->committing ? &c->job.stats : NULL;
	r.written = c->written;
	r.named = c->job.config.record && c->written ? c->made : NULL;
	if (err && c->made && !c->withdrawn) {
		r.kept = c->made;
		r.kept_fate = c->job.stats.fate;
	}
	report_print(&r);
	journals_warn(c->opt.source, c->job.source);
	medium_warn(c->opt.source, c->job.source);
	if (c->opt.same_uuid && (c->made ? c->written : c->formatted))
		warn_same_uuid(c);
	if (!err)
		boot_warn(&c->boot, &c->job.plan, &c->opt, c->job.source, c->job.target);
	return r.status;
}

void copy_release(struct copy *c)
{
	order_free(&c->order);
	boot_free(&c->boot);
	bfo_job_close(&c->job);
	format_release(c);
	free(c->path);
	free(c->path_options);
	bfo_vec_free(&c->text);
	lists_free(&c->lists);
	options_free(&c->opt);
}

/* The working directory and the command line, each string with its NUL: for the record. */
static int note_command(struct copy *c, int argc, char **argv)
{
	char *where = getcwd(NULL, 0);
	errcode_t err = where ? 0 : errno;
	const char *word = where;
	int i;

	for (i = 0; i <= argc && !err; word = i < argc ? argv[i] : NULL, i++) {
		err = bfo_vec_reserve(&c->text, strlen(word) + 1);
		if (err)
			break;
		strcpy(c->text.v + c->text.n, word);
		c->text.n += strlen(word) + 1;
	}
	free(where);
	return err ? EXIT_FAILED : -1;
}

int copy_main(int argc, char **argv)
{
	struct copy c = { .command = "copy", .begun = bfo_clock() };
	int status = note_command(&c, argc, argv);
	errcode_t err;

	if (status < 0)
		status = options_read(&c.opt, argc, argv);
	if (status < 0)
		status = argument_check(c.command, &c.opt.common);
	if (status < 0) {
		c.ctx.cancel = &cancel_requested;
		process_catch_signals();
		argument_pace(&c.opt.common, &c.ctx);
		progress_attach(&c.bar, &c.ctx, &c.opt.common.progress, c.opt.common.quiet);
		err = open_both(&c);
		if (!err)
			err = copy_run(&c);
		status = copy_finish(&c, err);
	}
	copy_release(&c);
	return status;
}
