// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_open.c - a copy begins: its ends are opened, as far as they are there yet
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "device/probe.h"
#include "gather/bitmap_check.h"
#include "intake/stream_tree.h"
#include "job/copy.h"
#include "job/mkfs_words.h"
#include "job/outputs.h"
#include "job/owners.h"
#include "job/send_state.h"

/* A kernel may have used it since it was last checked. */
static errcode_t check_bitmaps(struct bfo_copy *c)
{
	struct bfo_reader reader;
	errcode_t err = bfo_reader_init(&reader, c->ctx, c->job.target, BFO_GAP_OF_DEVICE);

	if (!err)
		err = bfo_bitmap_check(&reader);
	bfo_reader_free(&reader);
	return err;
}

/* No archive, and no stream, either of which somebody keeps. */
static int is_no_backup(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int is_none = fd >= 0 && !bfo_end_begins_as(fd);

	if (fd >= 0)
		close(fd);
	return is_none;
}

/*
 * How to go on with a target that has no filesystem, if nothing is in the way of formatting it; or
 * NULL.
 */
static const char *way_to_format(struct bfo_copy *c)
{
	struct bfo_context ctx = { 0 };
	struct bfo_store store;
	struct bfo_probe p;
	uint64_t offset;

	if (bfo_store_locate(&ctx, c->opt.target, c->path, c->path_options, 1, &offset, &store))
		return NULL;
	if (!store.size)
		return "it is empty: --mkfs --size SIZE --force makes an image file in its place";
	return bfo_probe_read(&ctx, c->path, offset, store.size, &p) || p.several || *p.text ||
	       (!offset && !is_no_backup(c->path)) ? NULL : "--mkfs formats it";
}

static errcode_t tell_unformatted(struct bfo_copy *c, errcode_t err)
{
	const char *how = way_to_format(c);

	return how ? bfo_fail_add(c->ctx, err, "; %s", how) : err;
}

/* There is nothing by a plain name: what else than a volume it may have been meant as. */
static errcode_t tell_missing(struct bfo_copy *c, errcode_t err)
{
	if (strcmp(c->path, c->opt.target) || !strncmp(c->path, "/dev/", 5))
		return err;
	return bfo_fail_add(c->ctx, err, "; %s/ would be a directory, which is made, %s.tar an "
			    "archive; --mkfs --size makes an image file", c->path, c->path);
}

static errcode_t open_target(struct bfo_copy *c)
{
	int how = BFO_OPEN_TARGET | (c->opt.dry_run ? BFO_OPEN_LOOK : 0);
	errcode_t err = bfo_probe_target(c->ctx, c->opt.target, c->path, c->path_options);

	if (err == ENOENT)
		return tell_missing(c, err);
	if (!err)
		err = bfo_volume_open_beside(c->ctx, c->opt.target, how, c->job.source,
					     &c->job.target);
	if (err == BFO_ET_BUSY)
		return bfo_format_tell_busy(c);
	if (err == BFO_ET_NOT_EXT)
		return tell_unformatted(c, err);
	if (!err && c->job.source)
		err = bfo_volume_distinct(c->ctx, c->job.source, c->job.target);
	return err || c->opt.trust ? err : check_bitmaps(c);
}

/* Options that ask for what only a volume has. */
static errcode_t check_end(const struct bfo_copy *c)
{
	const struct bfo_copy_options *opt = &c->opt;
	const char *what = NULL;

	if (opt->medium.mapfile || opt->write_mapfile)
		what = "a mapfile";
	else if (opt->medium.how.mode == BFO_MEDIA_SKIP && c->end.kind != BFO_END_STREAM)
		what = "--on-read-error=skip";
	else if (opt->medium.how.superblock)
		what = "a backup superblock";
	else if (opt->same_uuid)
		what = "--same-uuid";
	else if (opt->keep_inodes)
		what = "--keep-inodes";
	else if (opt->evidence)
		what = "--evidence";
	else if (opt->hash_source)
		what = "--hash-source";
	return !what ? 0 :
	       bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: %s is for sources that are ext2, ext3 "
			"or ext4 volumes", opt->source, what);
}

uint32_t bfo_copy_block_size(const struct bfo_copy *c)
{
	char asked[32];
	uint64_t bytes;

	if (c->job.target)
		return c->job.target->block_size;
	return bfo_mkfs_words_last(c->opt.mkfs_words, 'b', asked, sizeof(asked)) &&
	       bfo_text_size(asked, &bytes) && bytes >= 1024 && bytes <= 65536 &&
	       !(bytes & (bytes - 1)) ? bytes : 0;
}

/* A directory's blocks are no larger than those of which zeroes become holes. */
static uint32_t place_size(const struct bfo_copy *c)
{
	uint32_t size = c->opt.is_reproducible ? bfo_copy_block_size(c) : 0;

	return size < 4096 ? size : 0;
}

int bfo_copy_is_stream(const struct bfo_copy *c)
{
	return c->end.kind == BFO_END_STREAM;
}

const struct ext2_super_block *bfo_copy_like(const struct bfo_copy *c)
{
	if (c->job.source)
		return c->job.source->fs->super;
	return bfo_copy_is_stream(c) && bfo_stream_facts(c->end.source)->has_super
		       ? &bfo_stream_facts(c->end.source)->super : NULL;
}

int bfo_copy_arrives(const struct bfo_copy *c)
{
	return c->job.from && c->job.from->access == BFO_READ_ARRIVING;
}

/* What cannot be known, or read, before data are where they stay. */
static errcode_t check_arrival(const struct bfo_copy *c)
{
	const struct bfo_copy_options *opt = &c->opt;
	const char *what = NULL;

	if (opt->dry_run)
		what = "a dry run";
	else if (opt->size == BFO_SIZE_MIN)
		what = "--size min";
	else if (opt->counts_used)
		what = "--inodes used";
	else if (opt->is_reproducible)
		what = "--reproducible";
	else if (opt->dereference)
		what = "--hard-dereference";
	else if (opt->order.n)
		what = "--order";
	else if (opt->n_manifests)
		what = "--manifest-out";
	return !what ? 0 :
	       bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: %s has to know all of it first: "
			"--spool puts it into a temporary file", opt->source, what);
}

/* The file that is written: where a directory is read that has it, it is none of that tree. */
static const char *written_file(const struct bfo_copy *c, char text[32])
{
	const char *path = c->goal.path ? c->goal.path : c->opt.target;

	if (!path || strcmp(path, "-"))
		return path;
	snprintf(text, 32, "/proc/self/fd/%d", c->opt.out);
	return text;
}

/* The source, whatever it is. */
static errcode_t open_end(struct bfo_copy *c)
{
	char out[32];
	struct bfo_end_options how = { .cross_mounts = c->opt.cross_mounts,
				       .left_out = written_file(c, out),
				       .strip = c->opt.strip, .in = c->opt.in,
				       .spool = c->opt.spool || bfo_copy_exports(c),
				       .arrives = !c->job.config.record,
				       .now = c->opt.has_epoch ? c->opt.now : 0,
				       .dereference = c->opt.dereference,
				       .metadata_in = c->opt.metadata_in,
				       .kept = c->opt.token ? c->opt.state : NULL,
				       .job = c->text.v,
				       .on_read_error = c->opt.medium.how.mode,
				       .block_size = place_size(c) };
	errcode_t err = bfo_end_tell(c->ctx, c->opt.source, &c->end);

	if (!err)
		err = bfo_end_check(c->ctx, c->opt.source, 1U << c->end.kind, &how);
	if (err || c->end.kind == BFO_END_VOLUME)
		return err ? err : bfo_rescue_open(c);
	err = check_end(c);
	if (!err)
		err = bfo_end_open(c->ctx, &c->end, &how, &c->job.from);
	return err || !bfo_copy_arrives(c) ? err : check_arrival(c);
}

/* Puts what amends the tree before the source, if anything does. */
static errcode_t open_amended(struct bfo_copy *c)
{
	errcode_t err = bfo_owners_read(c->opt.owners, &c->amend);

	if (err)
		return bfo_fail(c->ctx, err, "reading who is to own files: %s", c->opt.owners);
	c->amend.is_reproducible = c->opt.is_reproducible;
	c->amend.no_suid = c->opt.no_suid && !bfo_copy_exports(c);
	c->amend.latest = c->opt.has_epoch ? c->opt.now : INT64_MAX;
	if (!bfo_amend_is_needed(&c->amend))
		return 0;
	bfo_amended_begin(&c->amended, c->job.from, &c->amend);
	c->job.from = &c->amended.source;
	return 0;
}

errcode_t bfo_copy_open_source(struct bfo_copy *c)
{
	errcode_t err = bfo_lists_read(&c->lists, c->ctx, &c->opt);

	if (c->opt.bwlimit && c->goal.kind != BFO_END_STREAM) {
		bfo_pace_init(&c->pace, c->opt.bwlimit, bfo_timer_of(c->ctx),
			      c->ctx->cancel);
		c->ctx->pace = &c->pace;
	}
	if (!err)
		err = bfo_manifests_open(&c->manifests, c->ctx, c->opt.manifests,
					 c->opt.n_manifests, c->opt.out);
	if (!err)
		err = bfo_order_open(c);
	if (!err)
		err = open_end(c);
	if (err)
		return err;
	c->job.ctx = c->ctx;
	c->job.config.read_gap = c->opt.read_gap;
	c->job.config.unpacks = c->opt.unpack || !c->opt.target || bfo_copy_exports(c);
	if (c->opt.hash_source)
		err = bfo_whole_digest(c->ctx, c->job.source, &c->whole);
	if (!err && c->opt.evidence)
		err = bfo_evidence_begin(c->ctx, &c->evidence, c->job.source, &c->opt.journal);
	if (!err)
		err = bfo_job_take_source(&c->job);
	return err ? err : open_amended(c);
}

errcode_t bfo_copy_open(struct bfo_copy *c, struct bfo_context *ctx,
			const struct bfo_copy_options *opt)
{
	errcode_t err = bfo_outputs_check(ctx, opt);

	*c = (struct bfo_copy) { .ctx = ctx, .opt = *opt };
	if (!err && opt->undo_file && !access(opt->undo_file, F_OK))
		err = bfo_fail(ctx, EEXIST, "making undo file %s", opt->undo_file);
	if (!err)
		err = bfo_options_save(opt, &c->text);
	if (!err && !opt->mkfs)
		err = bfo_end_tell_target(ctx, opt->target, &c->goal);
	if (!err)
		err = bfo_export_check(c);
	if (!err && c->opt.state && c->opt.token)
		err = bfo_send_state_take(c);
	if (!err)
		err = bfo_copy_open_source(c);
	if (err || bfo_copy_exports(c))
		return err ? err : bfo_export_open(c);
	if (!err)
		err = bfo_mkfs_init(&c->mkfs, ctx, bfo_copy_like(c), opt);
	if (!err)
		err = bfo_store_resolve(ctx, opt->target, &c->path, &c->path_options);
	if (!err)
		err = opt->mkfs ? bfo_format_choose(c) : open_target(c);
	return err;
}
