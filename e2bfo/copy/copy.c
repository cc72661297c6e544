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
#include "gather/bitmap_check.h"
#include "gather/claim_scan.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "volume/open.h"
#include "volume/probe.h"
#include "volume/store.h"
#include "copy.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "copy_report.h"

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
	return err ? err : bfo_container_hide(&c->reader, &c->tree);
}

errcode_t copy_choose_way(struct copy *c)
{
	uint32_t bs = c->target->block_size;
	struct bfo_commit_fit fit;
	errcode_t err = bfo_commit_fits(&c->plan, c->target, &fit);

	if (err)
		return err;
	c->atomic = bfo_commit_is_fit(&fit) && !c->opt.not_atomic;
	if (c->atomic || !fit.has_journal || c->opt.not_atomic || c->opt.undo_file ||
	    !bfo_volume_holds_files(c->target))
		return 0;
	return bfo_fail(&c->ctx, BFO_ET_JOURNAL_SMALL, "planning: it would take %llu KiB of the "
			"journal of %s, which has %llu; copy in smaller parts, make the journal "
			"larger (tune2fs -J), or say --not-atomic, or -z FILE (e2bfo(8), "
			"INTERRUPTIONS)", (unsigned long long) fit.need * bs / 1024, c->opt.target,
			(unsigned long long) fit.room * bs / 1024);
}

/* A kernel may have used it since it was last checked. */
static errcode_t check_bitmaps(struct copy *c)
{
	struct bfo_reader reader;
	errcode_t err = bfo_reader_init(&reader, &c->ctx, c->target, BFO_GAP_OF_DEVICE);

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
	char what[sizeof(c->ctx.what)];

	memcpy(what, c->ctx.what, sizeof(what));
	return how ? bfo_fail(&c->ctx, err, "%.400s; %s", what, how) : err;
}

static errcode_t open_target(struct copy *c)
{
	int how = BFO_OPEN_TARGET | (c->opt.dry_run ? BFO_OPEN_LOOK : 0);
	errcode_t err = bfo_probe_target(&c->ctx, c->opt.target, c->path, c->path_options);

	if (!err)
		err = bfo_volume_open(&c->ctx, c->opt.target, how, NULL, &c->target);
	if (err == BFO_ET_BUSY)
		return format_tell_busy(c);
	if (err == BFO_ET_NOT_EXT)
		return tell_unformatted(c, err);
	if (!err)
		err = bfo_volume_distinct(&c->ctx, c->source, c->target);
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
	errcode_t err = read_time(c);

	if (!err && c->opt.undo_file && !access(c->opt.undo_file, F_OK))
		err = bfo_fail(&c->ctx, EEXIST, "making undo file %s", c->opt.undo_file);
	if (!err)
		err = copy_open_source(c);
	if (!err)
		err = mkfs_init(&c->mkfs, &c->ctx, c->source, c->opt.target, c->opt.mkfs_args,
				c->now);
	c->mkfs.same_count = c->opt.keep_inodes;
	if (!err && c->opt.same_uuid)
		mkfs_keep_uuid(&c->mkfs);
	if (!err)
		err = bfo_store_resolve(&c->ctx, c->opt.target, &c->path, &c->path_options);
	if (!err)
		err = c->opt.mkfs ? format_choose(c) : open_target(c);
	return err;
}

static errcode_t plan_target(struct copy *c)
{
	errcode_t err = copy_decide(c, c->target);

	if (!err)
		err = copy_place(c, c->target);
	if (err == BFO_ET_NO_SPACE && !c->record)
		return copy_tell_smallest(c, err);
	if (err || c->record)
		return err;
	err = copy_choose_way(c);
	if (!err && c->opt.dry_run)
		err = copy_note_smallest(c, c->target);
	return err;
}

/* A plan that is made again has to be the same. */
static errcode_t compare_plans(struct copy *c)
{
	if (!c->record)
		return 0;
	c->atomic = 1;
	return bfo_record_compare(c->record, &c->plan);
}

/* Bytes of the source that the page cache may be expected to keep while it is copied. */
static uint64_t cache_for(const struct bfo_volume *source)
{
	return process_spare_memory() / source->store.caches;
}

static errcode_t commit(struct copy *c)
{
	struct bfo_commit_options how = { .memory = c->opt.common.memory,
		.cache = cache_for(c->source), .verify = c->opt.verify,
		.atomic = c->atomic, .undo_file = c->opt.undo_file, .text = c->text.v,
		.text_bytes = c->text.n, .record = c->record, .itrees = &c->itrees.source };
	errcode_t err;

	c->writing = c->committing = 1;
	c->source->direct.use = c->target->direct.use = c->opt.direct;
	if (c->record && !c->opt.verify)
		c->resumed = c->record->done * c->target->block_size;
	err = bfo_commit(&c->plan, &c->reader, c->target, &how, &c->stats);
	if (!c->made)
		c->fate = c->stats.fate;
	return err;
}

errcode_t copy_run(struct copy *c)
{
	errcode_t err = gather(c);

	if (!err)
		err = c->opt.mkfs ? copy_plan_mkfs(c) : plan_target(c);
	if (!err)
		err = compare_plans(c);
	if (!err)
		err = boot_look(c);
	if (!err && c->opt.dry_run && !c->record)
		rescue_note_zeroes(c);		/* those that are known */
	if (!err && c->opt.dry_run)
		err = bfo_users_check_again(&c->ctx, c->source);
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
	return c->tree.findings.n || c->untold ? EXIT_FINDINGS : EXIT_KEPT;
}

/* Said also with --quiet: who mounts by UUID gets either of them. */
static void warn_same_uuid(const struct copy *c)
{
	message("warning: %s and %s now have the same UUID (%s); while both are attached, mount "
		"neither by UUID: detach one first", c->opt.source, c->opt.target, c->mkfs.uuid);
}

int copy_finish(struct copy *c, errcode_t err)
{
	struct report r = { .command = c->command, .opt = &c->opt, .err = err, .source = c->source,
			    .tree = &c->tree, .target = c->target, .smallest = c->smallest,
			    .order = &c->order, .boot = &c->boot, .lists = &c->lists,
			    .resumed = c->resumed, .indexed = c->itrees.built,
			    .seconds = bfo_clock() - c->begun };

	progress_wipe(&c->bar);
	rescue_explain(c, err);
	if (!rescue_write_map(c))
		c->untold = 1;
	r.what = *c->ctx.what ? c->ctx.what : "copying";
	r.status = exit_status(c, err);
	if (err == BFO_ET_CLASH && c->planned)
		report_clashes(&c->plan, c->opt.common.verbose);
	lists_tell(&c->lists, c->opt.common.verbose);
	r.fate = c->fate;
	r.formatted = c->formatted && !c->made;
	r.tell_fate = c->writing || err == BFO_ET_CANCELLED;
	r.plan = c->planned ? &c->plan : NULL;
	r.placed = c->placed;
	r.stats = c->committing ? &c->stats : NULL;
	r.written = c->written;
	r.named = c->record && c->written ? c->made : NULL;
	if (err && c->made && !c->withdrawn) {
		r.kept = c->made;
		r.kept_fate = c->stats.fate;
	}
	report_print(&r);
	journals_warn(c->opt.source, c->source);
	medium_warn(c->opt.source, c->source);
	if (c->opt.same_uuid && (c->made ? c->written : c->formatted))
		warn_same_uuid(c);
	if (!err)
		boot_warn(&c->boot, &c->plan, &c->opt, c->source, c->target);
	return r.status;
}

void copy_release(struct copy *c)
{
	order_free(&c->order);
	boot_free(&c->boot);
	if (c->planned)
		bfo_plan_free(&c->plan);
	itrees_free(&c->itrees);
	bfo_target_free(&c->free);
	bfo_tree_free(&c->tree);
	bfo_reader_free(&c->reader);
	bfo_volume_close(c->target);
	bfo_volume_close(c->source);
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
