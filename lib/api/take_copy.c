// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * take_copy.c - what a caller wants of a copy, as the job has it
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/take_copy.h"
#include "base/memory.h"
#include "gather/batch.h"

#define FLAGS_KNOWN ((E2BFO_COPY_PORTABLE << 1) - 1)
#define NAME "the options of a copy"

static errcode_t take_excludes(e2bfo *c, struct bfo_api_copy *a)
{
	size_t i, n = bfo_api_count(a->opt.exclude);

	a->exclude = calloc(n + 1, sizeof(*a->exclude));
	if (!a->exclude)
		return bfo_fail(&c->ctx, ENOMEM, "looking at " NAME);
	for (i = 0; i < n; i++)
		a->exclude[i].text = a->opt.exclude[i];
	a->job.exclude = a->exclude;
	a->job.n_exclude = n;
	return 0;
}

/* The words once more in one text, for messages. */
static errcode_t take_mkfs_args(e2bfo *c, struct bfo_api_copy *a)
{
	size_t i, len = 1, n = bfo_api_count(a->opt.mkfs_args);
	char *p;

	for (i = 0; i < n; i++)
		len += strlen(a->opt.mkfs_args[i]) + 1;
	a->mkfs_args = p = malloc(len);
	if (!p)
		return bfo_fail(&c->ctx, ENOMEM, "looking at " NAME);
	for (i = 0; i < n; i++)
		p = stpcpy(stpcpy(p, i ? " " : ""), a->opt.mkfs_args[i]);
	*p = 0;
	if (n) {
		a->job.mkfs_args = a->mkfs_args;
		a->job.mkfs_words = (char *const *) a->opt.mkfs_args;
	}
	return 0;
}

static errcode_t take_losses(e2bfo *c, struct bfo_api_copy *a)
{
	const char *bad = a->opt.allow_loss ? bfo_losses_read(a->opt.allow_loss, &a->job.losses)
					    : NULL;

	return !bad ? 0 : bfo_fail(&c->ctx, EINVAL, "looking at " NAME ": '%.*s' is no kind of "
				   "loss", (int) strcspn(bad, ","), bad);
}

/* What cannot be, or has no meaning without something else. */
static errcode_t check(e2bfo *c, const struct e2bfo_copy_options *opt)
{
	const uint32_t over = E2BFO_COPY_SKIP_EXISTING | E2BFO_COPY_OVERWRITE |
			      E2BFO_COPY_IF_NEWER;
	const uint32_t formats = E2BFO_COPY_SAME_UUID | E2BFO_COPY_REPRODUCIBLE;
	const int makes = !!(opt->flags & E2BFO_COPY_MKFS);
	const char *what = NULL;

	if (opt->flags & over && opt->flags & over & ((opt->flags & over) - 1))
		what = "what exists can stay, or go, not both";
	else if (!makes && (opt->flags & formats || opt->image_size || opt->inodes))
		what = "a size, inodes, a UUID and REPRODUCIBLE go with MKFS";
	else if ((opt->flags & formats) == formats)
		what = "SAME_UUID and REPRODUCIBLE exclude each other";
	else if (opt->undo_file && makes)
		what = "an undo file does not undo MKFS";
	else if (opt->bwlimit && opt->bwlimit < BFO_PACE_LEAST)
		what = "a limit below 128 KiB a second leaves nothing";
	return !what ? 0 : bfo_fail(&c->ctx, EINVAL, "looking at " NAME ": %s", what);
}

static enum bfo_over over_of(uint32_t flags)
{
	if (flags & E2BFO_COPY_SKIP_EXISTING)
		return BFO_OVER_SKIP;
	if (flags & E2BFO_COPY_OVERWRITE)
		return BFO_OVER_REPLACE;
	return flags & E2BFO_COPY_IF_NEWER ? BFO_OVER_NEWER : BFO_OVER_CLASH;
}

static void tell_line(void *priv, const char *line)
{
	e2bfo *c = priv;

	if (c->line)
		c->line(c->line_priv, line);
}

static void take_flags(struct bfo_copy_options *job, uint32_t flags)
{
	job->dry_run = !!(flags & E2BFO_COPY_DRY_RUN);
	job->mkfs = !!(flags & E2BFO_COPY_MKFS);
	job->force = !!(flags & E2BFO_COPY_FORCE);
	job->same_uuid = !!(flags & E2BFO_COPY_SAME_UUID);
	job->keep_inodes = !!(flags & E2BFO_COPY_KEEP_INODES);
	job->verify = !!(flags & E2BFO_COPY_VERIFY);
	job->not_atomic = !!(flags & E2BFO_COPY_NOT_ATOMIC);
	job->itree = !!(flags & E2BFO_COPY_ITREE);
	job->trust = !!(flags & E2BFO_COPY_TRUST);
	job->over = over_of(flags);
	job->is_reproducible = !!(flags & E2BFO_COPY_REPRODUCIBLE);
	job->dereference = !!(flags & E2BFO_COPY_DEREFERENCE);
	job->no_devices = !!(flags & E2BFO_COPY_NO_DEVICES);
	job->no_suid = !!(flags & E2BFO_COPY_NO_SUID);
	job->is_portable = !!(flags & E2BFO_COPY_PORTABLE);
}

static void take_options(struct bfo_copy_options *job, const struct e2bfo_copy_options *opt)
{
	take_flags(job, opt->flags);
	job->has_epoch = !!opt->has_now;
	job->now = opt->has_now ? opt->now : time(NULL);
	job->memory = opt->memory ? opt->memory : bfo_default_memory();
	job->bwlimit = opt->bwlimit;
	job->read_gap = BFO_GAP_OF_DEVICE;
	job->paths = opt->files;
	job->n_paths = bfo_api_count(opt->files);
	job->size = opt->image_size;
	job->spare.n = opt->spare;
	job->inodes = opt->inodes;
	job->environment = opt->environment;
	job->owners = opt->owners;
	job->seed = opt->seed;
	job->manifests = opt->manifests;
	job->n_manifests = bfo_api_count(opt->manifests);
	job->no_xattrs = opt->no_xattrs;
	job->n_no_xattrs = bfo_api_count(opt->no_xattrs);
	job->metadata_out = opt->metadata;
	job->undo_file = opt->undo_file;
	job->compress = opt->compress;
	job->token = opt->token;
	job->state = opt->state;
}

static void take_ends(struct bfo_api_copy *a)
{
	const struct e2bfo_end *from = &a->from.end, *to = &a->to.end;

	a->job.source = a->from.spec;
	a->job.from = &a->from.path;
	a->job.n_from = 1;
	a->job.medium = a->from.medium;
	a->job.journal = a->from.journal;
	a->job.cross_mounts = !!(from->flags & E2BFO_END_CROSS_MOUNTS);
	a->job.metadata_in = from->metadata;
	a->job.strip = from->strip;
	a->job.spool = !!(from->flags & E2BFO_END_SPOOL);
	a->job.in = from->flags & E2BFO_END_FD ? from->fd : 0;
	a->job.target = !(to->flags & E2BFO_END_FD) ? a->to.spec :
			to->kind == E2BFO_STREAM ? "stream:-" : "tar:-";
	a->job.to = a->to.path;
	a->job.out = to->flags & E2BFO_END_FD ? to->fd : 1;
}

errcode_t bfo_api_take_copy(e2bfo *c, struct bfo_api_copy *a, const struct e2bfo_end *from,
			    const struct e2bfo_end *to, const struct e2bfo_copy_options *opt)
{
	const unsigned int kinds = 1U << E2BFO_ANY | 1U << E2BFO_VOLUME | 1U << E2BFO_DIRECTORY |
				   1U << E2BFO_ARCHIVE | 1U << E2BFO_STREAM;
	errcode_t err;

	*a = (struct bfo_api_copy) { .job = { .tell = tell_line, .priv = c } };
	err = bfo_api_take_source(c, &a->from, from, kinds, "the source of a copy");
	if (!err)
		err = bfo_api_take_target(c, &a->to, to, kinds, "the target of a copy");
	if (!err)
		err = bfo_api_take(c, &a->opt, sizeof(a->opt), opt, NAME);
	if (!err)
		err = bfo_api_check_flags(c, a->opt.flags, FLAGS_KNOWN, NAME);
	if (!err)
		err = check(c, &a->opt);
	if (err)
		return err;
	take_ends(a);
	take_options(&a->job, &a->opt);
	err = take_losses(c, a);
	if (!err)
		err = take_excludes(c, a);
	return err ? err : take_mkfs_args(c, a);
}

void bfo_api_free_copy(struct bfo_api_copy *a)
{
	bfo_api_free_end(&a->from);
	bfo_api_free_end(&a->to);
	free(a->exclude);
	free(a->mkfs_args);
}
