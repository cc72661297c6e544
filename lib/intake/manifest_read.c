// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_read.c - readers of lists of files with their digests
 */
#include <errno.h>

#include "intake/manifest_fields.h"

static errcode_t (*const readers[BFO_MANIFEST_FORMATS])(struct bfo_manifest_list *l) = {
	[BFO_MANIFEST_MTREE] = bfo_manifest_read_mtree,
	[BFO_MANIFEST_SHA256SUM] = bfo_manifest_read_sha256sum,
	[BFO_MANIFEST_HASHDEEP] = bfo_manifest_read_hashdeep,
	[BFO_MANIFEST_DFXML] = bfo_manifest_read_dfxml,
};

errcode_t bfo_manifest_read(struct bfo_context *ctx, enum bfo_manifest_format format, int fd,
			    const char *name, const struct bfo_manifest_reader *reader,
			    struct bfo_manifest_seen *seen)
{
	struct bfo_manifest_list l = { .reader = reader };
	errcode_t err;

	if (!readers[format])
		return bfo_fail(ctx, EINVAL, "reading %s", name);
	err = bfo_text_in_open(&l.in, ctx, fd, name);
	if (!err && format != BFO_MANIFEST_DFXML && bfo_hasher_is_built()) {
		err = bfo_hasher_open(&l.hasher, BFO_SUM_SHA256);
		if (err)
			bfo_text_in_failed(&l.in, err);
	}
	if (!err)
		err = readers[format](&l);
	l.seen.lines = l.in.line;
	if (seen)
		*seen = l.seen;
	bfo_hasher_close(&l.hasher);
	bfo_text_in_close(&l.in);
	bfo_vec_free(&l.name);
	bfo_vec_free(&l.path);
	bfo_vec_free(&l.target);
	return err;
}
