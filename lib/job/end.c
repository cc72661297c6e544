// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * end.c - what a tree comes from
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "device/spec.h"
#include "intake/dir.h"
#include "job/end.h"

static errcode_t no_memory(struct bfo_context *ctx, const char *spec)
{
	return bfo_fail(ctx, ENOMEM, "looking at %s", spec);
}

/* SPEC without the word in front that says what it is, if that is WORD; else NULL. */
static const char *after(const char *spec, const char *word)
{
	size_t len = strlen(word);

	return strncmp(spec, word, len) ? NULL : spec + len;
}

static errcode_t take(struct bfo_context *ctx, const char *spec, const char *path,
		      enum bfo_end_kind kind, struct bfo_end *end)
{
	end->kind = kind;
	end->path = strdup(path);
	return end->path ? 0 : no_memory(ctx, spec);
}

errcode_t bfo_end_tell(struct bfo_context *ctx, const char *spec, struct bfo_end *end)
{
	const char *rest = after(spec, "dir:");
	struct bfo_spec parts;
	struct stat st;
	errcode_t err = 0;

	*end = (struct bfo_end) { .kind = BFO_END_VOLUME };
	if (rest)
		return take(ctx, spec, rest, BFO_END_DIRECTORY, end);
	if (after(spec, "ext:"))
		return 0;
	if (bfo_spec_parse(spec, &parts))
		return no_memory(ctx, spec);
	if (!parts.is_tag && !parts.options && !stat(parts.path, &st) && S_ISDIR(st.st_mode))
		err = take(ctx, spec, parts.path, BFO_END_DIRECTORY, end);
	bfo_spec_free(&parts);
	return err;
}

void bfo_end_free(struct bfo_end *end)
{
	free(end->path);
	*end = (struct bfo_end) { .path = NULL };
}

errcode_t bfo_end_open(struct bfo_context *ctx, struct bfo_end *end,
		       const struct bfo_end_options *how, struct bfo_source **source)
{
	struct bfo_dir_options opt = { .path = end->path, .cross_mounts = how->cross_mounts,
				       .zeroes = how->zeroes };
	struct stat st;
	errcode_t err;

	if (how->left_out && !stat(how->left_out, &st) && S_ISREG(st.st_mode)) {
		opt.skip_dev = st.st_dev;
		opt.skip_ino = st.st_ino;
	}
	err = bfo_dir_open(ctx, &opt, source);

	end->source = err ? NULL : *source;
	return err;
}

struct bfo_dir_notes bfo_end_notes(const struct bfo_end *end)
{
	if (end->kind != BFO_END_DIRECTORY || !end->source)
		return (struct bfo_dir_notes) { .mounts = 0 };
	return bfo_dir_notes(end->source);
}
