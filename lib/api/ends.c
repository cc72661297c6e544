// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ends.c - what a tree comes from, or goes to, as jobs have it
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "job/end.h"

#define FLAGS_KNOWN (E2BFO_END_FD | E2BFO_END_IGNORE_JOURNAL | E2BFO_END_CROSS_MOUNTS | \
		     E2BFO_END_SPOOL | E2BFO_END_ZEROES | E2BFO_END_SKIP)

/* The words of job/end.h for kinds of ends. */
static const char *const words[] = {
	[E2BFO_ANY] = "", [E2BFO_VOLUME] = "ext:", [E2BFO_DIRECTORY] = "dir:",
	[E2BFO_ARCHIVE] = "tar:", [E2BFO_LIST] = "", [E2BFO_STREAM] = "stream:",
};

static enum bfo_media_mode mode_of(uint32_t flags)
{
	if (flags & E2BFO_END_SKIP)
		return BFO_MEDIA_SKIP;
	return flags & E2BFO_END_ZEROES ? BFO_MEDIA_ZERO : BFO_MEDIA_STOP;
}

static errcode_t check(e2bfo *c, const struct e2bfo_end *end, unsigned int kinds, const char *name)
{
	int has_fd = !!(end->flags & E2BFO_END_FD);

	if (end->kind > E2BFO_STREAM || !(kinds & 1U << end->kind))
		return bfo_fail(&c->ctx, EINVAL, "looking at %s: it cannot be of kind %u", name,
				end->kind);
	if (has_fd && end->kind != E2BFO_ARCHIVE && end->kind != E2BFO_STREAM)
		return bfo_fail(&c->ctx, EINVAL, "looking at %s: only an archive or a stream can "
				"be a descriptor", name);
	if (has_fd ? end->fd < 0 : !end->spec || !*end->spec)
		return bfo_fail(&c->ctx, EINVAL, "looking at %s: nothing says where it is", name);
	return bfo_api_check_flags(c, end->flags, FLAGS_KNOWN, name);
}

/* As job/end.h tells what a name stands for. */
typedef errcode_t (*end_teller)(struct bfo_context *ctx, const char *spec, struct bfo_end *end);

/* True if SPEC means an end of KIND as it stands: then messages have it so. */
static int is_plain(e2bfo *c, const char *spec, uint32_t kind, end_teller tell)
{
	static const enum bfo_end_kind kinds[] = {
		[E2BFO_VOLUME] = BFO_END_VOLUME, [E2BFO_DIRECTORY] = BFO_END_DIRECTORY,
		[E2BFO_ARCHIVE] = BFO_END_ARCHIVE, [E2BFO_STREAM] = BFO_END_STREAM,
	};
	struct bfo_end end;
	int plain;

	if (kind == E2BFO_ANY || kind == E2BFO_LIST)
		return 1;
	plain = !tell(&c->ctx, spec, &end) && end.kind == kinds[kind] &&
		(!end.path || !strcmp(end.path, spec));
	bfo_end_free(&end);
	bfo_what_clear(&c->ctx);
	return plain;
}

static errcode_t take(e2bfo *c, struct bfo_api_end *e, const struct e2bfo_end *given,
		      unsigned int kinds, const char *name, end_teller tell)
{
	const char *spec, *word = "";
	errcode_t err;

	*e = (struct bfo_api_end) { .path = "/" };
	err = bfo_api_take(c, &e->end, sizeof(e->end), given, name);
	if (!err)
		err = check(c, &e->end, kinds, name);
	if (err)
		return err;
	spec = e->end.flags & E2BFO_END_FD ? "-" : e->end.spec;
	if (e->end.path && *e->end.path)
		e->path = e->end.path;
	e->medium.how.mode = mode_of(e->end.flags);
	e->medium.how.superblock = e->end.superblock;
	e->medium.mapfile = e->end.mapfile;
	e->journal.ignore = !!(e->end.flags & E2BFO_END_IGNORE_JOURNAL);
	if (!is_plain(c, spec, e->end.kind, tell))
		word = words[e->end.kind];
	if (asprintf(&e->spec, "%s%s", word, spec) >= 0)
		return 0;
	e->spec = NULL;
	return bfo_fail(&c->ctx, ENOMEM, "looking at %s", name);
}

errcode_t bfo_api_take_source(e2bfo *c, struct bfo_api_end *e, const struct e2bfo_end *given,
			      unsigned int kinds, const char *name)
{
	return take(c, e, given, kinds, name, bfo_end_tell);
}

errcode_t bfo_api_take_target(e2bfo *c, struct bfo_api_end *e, const struct e2bfo_end *given,
			      unsigned int kinds, const char *name)
{
	const struct e2bfo_end *end = &e->end;
	errcode_t err = take(c, e, given, kinds, name, bfo_end_tell_target);

	if (!err && (end->flags & ~E2BFO_END_FD || end->strip || end->mapfile || end->superblock ||
		     end->metadata))
		err = bfo_fail(&c->ctx, EINVAL, "looking at %s: it is written, and some of what is "
			       "said of it is about reading", name);
	return err;
}

void bfo_api_free_end(struct bfo_api_end *e)
{
	free(e->spec);
	e->spec = NULL;
}
