// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reads.c - e2bfo_batch_read()
 *
 * The job tells of a file's beginning, its data and its end; the caller gets pieces, of which the
 * last one is known by how many bytes are to come.
 */
#include <errno.h>

#include "api/filesystems.h"
#include "base/bfo_err.h"
#include "job/batch_read.h"

#define MEMORY (32U << 20)
#define NAME "what is to be read"

struct reading {
	e2bfo_fs *fs;
	int (*take)(void *priv, const struct e2bfo_piece *p);
	void *priv;
	const struct bfo_read_file *file;	/* the one that is told now */
	uint64_t done;			/* bytes of it */
	int has_enough;			/* the caller, when a file was refused */
};

static errcode_t tell(struct reading *r, const struct e2bfo_piece *p)
{
	if (!r->has_enough && !r->take(r->priv, p))
		return 0;
	r->has_enough = 1;
	return bfo_fail(&r->fs->c->ctx, BFO_ET_CANCELLED, "reading %s", r->fs->end.spec);
}

static errcode_t tell_data(struct reading *r, const void *data, size_t len)
{
	const struct bfo_read_file *f = r->file;
	struct e2bfo_piece piece = { .size = sizeof(piece), .index = f->index, .data = data,
				     .len = len, .offset = r->done, .bytes = f->size,
				     .unread = f->unread, .ino = f->shown == f->ino ? f->ino : 0,
				     .is_last = r->done + len == f->size };

	r->done += len;
	return tell(r, &piece);
}

static errcode_t begin(void *priv, const struct bfo_read_file *f)
{
	struct reading *r = priv;

	r->file = f;
	r->done = 0;
	return f->size ? 0 : tell_data(r, "", 0);
}

static errcode_t data(void *priv, const void *data, size_t len)
{
	return tell_data(priv, data, len);
}

static errcode_t end(void *priv, const struct bfo_read_file *f)
{
	(void) priv;
	(void) f;
	return 0;
}

static void refused(void *priv, uint32_t index, errcode_t err, const char *why)
{
	struct e2bfo_piece piece = { .size = sizeof(piece), .index = index, .is_last = 1,
				     .err = err, .what = why };
	struct reading *r = priv;

	if (tell(r, &piece))
		bfo_api_stop(r->fs->c);
}

static errcode_t read_batch(struct reading *r, const struct e2bfo_read *what)
{
	const struct bfo_read_sink sink = { .begin = begin, .data = data, .end = end,
					    .refused = refused, .priv = r };
	struct bfo_batch_read_options opt = {
		.volume = r->fs->end.spec, .open = r->fs->volume,
		.memory = what->memory ? what->memory : MEMORY,
		.paths = what->paths, .n_paths = what->n_paths,
		.inos = what->inos, .n_inos = what->n_inos,
		.from = what->from, .size = what->length ? what->length : UINT64_MAX,
		.in_disk_order = !(what->flags & E2BFO_READ_AS_ASKED),
	};
	struct bfo_batch_read job;
	errcode_t err;

	if (what->n_paths >= BFO_NONE || what->n_inos >= BFO_NONE - what->n_paths)
		return bfo_fail(&r->fs->c->ctx, BFO_ET_OVERFLOW, "looking at " NAME);
	err = bfo_batch_read(&job, &r->fs->c->ctx, &opt, &sink);
	bfo_batch_read_free(&job);
	return err || !r->has_enough ? err : bfo_fail(&r->fs->c->ctx, BFO_ET_CANCELLED,
						      "reading %s", r->fs->end.spec);
}

e2bfo_err e2bfo_batch_read(e2bfo_fs *fs, const struct e2bfo_read *what,
			   int (*take)(void *priv, const struct e2bfo_piece *p), void *priv)
{
	struct reading r = { .fs = fs, .take = take, .priv = priv };
	struct e2bfo_read known;
	errcode_t err;

	bfo_api_begin(fs->c);
	err = bfo_api_take(fs->c, &known, sizeof(known), what, NAME);
	if (!err)
		err = bfo_api_check_flags(fs->c, known.flags, E2BFO_READ_AS_ASKED, NAME);
	if (!err)
		err = read_batch(&r, &known);
	return bfo_api_end(fs->c, err);
}
