// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_check.c - all of a stream is read, without a target
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "intake/stream_in.h"
#include "job/stream_check.h"

/* What can be read anywhere, without going to a temporary file. */
static int is_file(const char *path, int in)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return bfo_stream_in_is_file(in);
	return !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
}

/* (What a device has behind it was there before.) */
static uint64_t count_behind(const struct bfo_stream_check *c, const char *path, int in)
{
	const uint64_t bytes = bfo_stream_damage(c->browse.source)->bytes;
	struct stat st;
	int gone = strcmp(path, "-") ? stat(path, &st) : fstat(in, &st);

	return gone || !S_ISREG(st.st_mode) || (uint64_t) st.st_size < bytes ? 0 :
	       st.st_size - bytes;
}

static void count_files(struct bfo_stream_check *c)
{
	const struct bfo_tree *t = &c->browse.tree;
	uint32_t last = 0;
	bfo_row row;
	size_t i;

	for (i = 0; i < t->inodes.n; i++)
		c->files += S_ISREG(t->inodes.v[i].mode);
	for (i = 0; i < t->findings.n; i++) {
		if (!bfo_stream_check_is_hole(c, &t->findings.v[i], &row) ||
		    t->findings.v[i].ino == last)
			continue;
		last = t->findings.v[i].ino;
		c->damaged++;
	}
}

errcode_t bfo_stream_check(struct bfo_stream_check *c, struct bfo_context *ctx, const char *path,
			   int in, int salvage)
{
	const int looks = salvage || is_file(path, in);
	const struct bfo_end_options how = { .in = in, .spool = looks,
					     .on_read_error = looks ? BFO_MEDIA_ZERO
								    : BFO_MEDIA_STOP };
	struct bfo_source *source;
	errcode_t err;

	*c = (struct bfo_stream_check) { .browse = { .ctx = ctx, .end.kind = BFO_END_STREAM } };
	c->browse.end.path = strdup(path);
	if (!c->browse.end.path)
		return bfo_fail(ctx, ENOMEM, "reading %s", path);
	err = bfo_browse_open(&c->browse, &how);
	if (err)
		return err;
	source = c->browse.source;
	c->frames = (bfo_stream_facts(source)->data + BFO_STREAM_CHUNK - 1) / BFO_STREAM_CHUNK;
	c->lost = looks ? bfo_stream_damage(source)->lost : bfo_stream_preamble(source)->first;
	c->behind = looks ? count_behind(c, path, in) : 0;
	count_files(c);
	return source->ops->settle(source);
}

void bfo_stream_check_free(struct bfo_stream_check *c)
{
	bfo_browse_free(&c->browse);
}

int bfo_stream_check_is_hole(const struct bfo_stream_check *c, const struct bfo_finding *f,
			     bfo_row *row)
{
	*row = f->kind == BFO_UNREAD_DATA ? bfo_tree_find(&c->browse.tree, f->ino) : BFO_NONE;
	return *row != BFO_NONE;
}

int bfo_stream_check_is_whole(const struct bfo_stream_check *c)
{
	return !c->lost && !bfo_stream_damage(c->browse.source)->n;
}
