// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * changes.c - e2bfo_batch_...(): the engine's batches (job/batch_write.h) with the caller's structs
 */
#include <errno.h>
#include <stdlib.h>

#include "api/handle.h"
#include "base/bfo_err.h"
#include "job/batch_write.h"

#define OPEN_FLAGS (E2BFO_BATCH_NOT_ATOMIC | E2BFO_BATCH_FORCE | E2BFO_BATCH_AUTO)
#define SET_FLAGS ((E2BFO_SET_CRTIME << 1) - 1)

/* Flags of operations, and of what is set, go through as they are. */
_Static_assert((int) E2BFO_REPLACE == (int) BFO_BATCH_REPLACE, "flags");
_Static_assert((int) E2BFO_PARENTS == (int) BFO_BATCH_PARENTS, "flags");
_Static_assert((int) E2BFO_CREATE == (int) BFO_BATCH_CREATE, "flags");
_Static_assert((int) E2BFO_TREE == (int) BFO_BATCH_TREE, "flags");
_Static_assert((int) E2BFO_KEEP == (int) BFO_BATCH_KEEP, "flags");
_Static_assert((int) E2BFO_MISSING_OK == (int) BFO_BATCH_MISSING_OK, "flags");
_Static_assert((int) E2BFO_EXACT == (int) BFO_BATCH_EXACT, "flags");
_Static_assert((int) E2BFO_SET_MODE == (int) BFO_BATCH_MODE, "flags");
_Static_assert((int) E2BFO_SET_UID == (int) BFO_BATCH_UID, "flags");
_Static_assert((int) E2BFO_SET_GID == (int) BFO_BATCH_GID, "flags");
_Static_assert((int) E2BFO_SET_PROJECT == (int) BFO_BATCH_PROJECT, "flags");
_Static_assert((int) E2BFO_SET_FLAGS == (int) BFO_BATCH_FLAGS, "flags");
_Static_assert((int) E2BFO_SET_ATIME == (int) BFO_BATCH_ATIME, "flags");
_Static_assert((int) E2BFO_SET_MTIME == (int) BFO_BATCH_MTIME, "flags");
_Static_assert((int) E2BFO_SET_CRTIME == (int) BFO_BATCH_CRTIME, "flags");

struct e2bfo_batch {
	e2bfo *c;
	struct bfo_api_end end;
	struct e2bfo_batch_options opt;
	struct bfo_batch *job;
};

/* ---- the caller's structs ---- */

struct attr {
	struct bfo_batch_attr job;
	struct bfo_batch_xattr *xattrs;
	int is_given;
};

static struct timespec time_of(const struct e2bfo_time *t)
{
	return (struct timespec) { .tv_sec = t->sec, .tv_nsec = t->nsec };
}

static errcode_t take_xattrs(e2bfo *c, struct attr *a, const struct e2bfo_attr *known)
{
	size_t i;

	a->xattrs = calloc(known->n_xattrs + 1, sizeof(*a->xattrs));
	if (!a->xattrs)
		return bfo_fail(&c->ctx, ENOMEM, "looking at attributes");
	for (i = 0; i < known->n_xattrs; i++)
		a->xattrs[i] = (struct bfo_batch_xattr) { .name = known->xattrs[i].name,
							  .value = known->xattrs[i].value,
							  .len = known->xattrs[i].len };
	a->job.xattrs = a->xattrs;
	a->job.n_xattrs = known->n_xattrs;
	return 0;
}

static errcode_t take_attr(e2bfo *c, struct attr *a, const struct e2bfo_attr *given)
{
	struct e2bfo_attr known;
	errcode_t err = bfo_api_take(c, &known, sizeof(known), given, "attributes");

	*a = (struct attr) { .is_given = !!given };
	if (!err)
		err = bfo_api_check_flags(c, known.set, SET_FLAGS, "attributes");
	if (err)
		return err;
	a->job = (struct bfo_batch_attr) {
		.set = known.set, .mode = known.mode, .uid = known.uid, .gid = known.gid,
		.project = known.project, .flags = known.flags, .atime = time_of(&known.atime),
		.mtime = time_of(&known.mtime), .crtime = time_of(&known.crtime),
	};
	return known.n_xattrs ? take_xattrs(c, a, &known) : 0;
}

static const struct bfo_batch_attr *attr_of(const struct attr *a)
{
	return a->is_given ? &a->job : NULL;
}

struct content {
	struct bfo_batch_content job;
	struct e2bfo_content known;
	e2bfo *c;
};

static errcode_t fill(void *priv, uint64_t offset, void *to, size_t len)
{
	struct content *content = priv;

	int err = content->known.fill(content->known.priv, offset, to, len);

	return err ? bfo_fail(&content->c->ctx, err, "taking contents") : 0;
}

static errcode_t take_content(e2bfo *c, struct content *content, const struct e2bfo_content *given)
{
	struct e2bfo_content *known = &content->known;
	errcode_t err = bfo_api_take(c, known, sizeof(*known), given, "contents");

	content->c = c;
	content->job = (struct bfo_batch_content) { .data = known->data, .size = known->bytes,
						    .fill = fill, .priv = content };
	if (!err && !known->data && !known->fill) {
		content->job.data = "";
		if (known->bytes)
			err = bfo_fail(&c->ctx, EINVAL, "looking at contents: there are none");
	}
	return err;
}

/* ---- opening, closing ---- */

static errcode_t committed(void *priv, uint64_t first, uint64_t n)
{
	e2bfo_batch *b = priv;

	if (!b->opt.committed || !b->opt.committed(b->opt.priv, first, n))
		return 0;
	return bfo_fail(&b->c->ctx, BFO_ET_CANCELLED, "telling what is durable");
}

static errcode_t open_job(e2bfo_batch *b)
{
	const struct e2bfo_batch_options *opt = &b->opt;
	struct bfo_batch_options job = {
		.volume = b->end.spec, .undo_file = opt->undo_file,
		.now = opt->has_now ? opt->now : 0,
		.memory = opt->memory,
		.is_not_atomic = !!(opt->flags & E2BFO_BATCH_NOT_ATOMIC),
		.is_forced = !!(opt->flags & E2BFO_BATCH_FORCE),
		.marks = { .bytes = opt->mark_bytes, .files = opt->mark_files,
			   .journal_percent = opt->mark_journal, .seconds = opt->mark_seconds,
			   .is_auto = !!(opt->flags & E2BFO_BATCH_AUTO) },
		.committed = committed, .priv = b,
	};

	return bfo_batch_open(&b->c->ctx, &job, &b->job);
}

e2bfo_err e2bfo_batch_open(e2bfo *c, const struct e2bfo_end *volume,
			   const struct e2bfo_batch_options *opt, e2bfo_batch **out)
{
	static const char name[] = "the options of a batch";
	e2bfo_batch *b = calloc(1, sizeof(*b));
	errcode_t err;

	*out = NULL;
	bfo_api_begin(c);
	if (!b)
		return bfo_api_end(c, bfo_fail(&c->ctx, ENOMEM, "opening a batch"));
	b->c = c;
	err = bfo_api_take_target(c, &b->end, volume, 1U << E2BFO_ANY | 1U << E2BFO_VOLUME,
				  "a filesystem");
	if (!err)
		err = bfo_api_take(c, &b->opt, sizeof(b->opt), opt, name);
	if (!err)
		err = bfo_api_check_flags(c, b->opt.flags, OPEN_FLAGS, name);
	if (!err)
		err = open_job(b);
	if (err)
		e2bfo_batch_close(b);
	else
		*out = b;
	return bfo_api_end(c, err);
}

void e2bfo_batch_close(e2bfo_batch *b)
{
	if (!b)
		return;
	bfo_batch_close(b->job);
	bfo_api_free_end(&b->end);
	free(b);
}

/* ---- operations ---- */

static errcode_t begin(e2bfo_batch *b, uint32_t flags, uint32_t known)
{
	bfo_api_begin(b->c);
	return bfo_api_check_flags(b->c, flags, known, "an operation");
}

e2bfo_err e2bfo_batch_create(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr,
			     const struct e2bfo_content *content, uint32_t flags)
{
	struct content from;
	struct attr a = { .xattrs = NULL };
	errcode_t err = begin(b, flags, E2BFO_REPLACE | E2BFO_PARENTS | E2BFO_EXACT);

	if (!err)
		err = take_attr(b->c, &a, attr);
	if (!err)
		err = take_content(b->c, &from, content);
	if (!err)
		err = bfo_batch_create(b->job, path, attr_of(&a), &from.job, flags);
	free(a.xattrs);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_update(e2bfo_batch *b, const char *path, uint64_t offset,
			     const struct e2bfo_content *content, uint32_t flags)
{
	struct content from;
	errcode_t err = begin(b, flags, E2BFO_CREATE | E2BFO_PARENTS | E2BFO_EXACT);

	if (!err)
		err = take_content(b->c, &from, content);
	if (!err)
		err = bfo_batch_update(b->job, path, offset, &from.job, flags);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_append(e2bfo_batch *b, const char *path,
			     const struct e2bfo_content *content, uint32_t flags)
{
	struct content from;
	errcode_t err = begin(b, flags, E2BFO_CREATE | E2BFO_PARENTS | E2BFO_EXACT);

	if (!err)
		err = take_content(b->c, &from, content);
	if (!err)
		err = bfo_batch_append(b->job, path, &from.job, flags);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_truncate(e2bfo_batch *b, const char *path, uint64_t bytes)
{
	bfo_api_begin(b->c);
	return bfo_api_end(b->c, bfo_batch_truncate(b->job, path, bytes));
}

e2bfo_err e2bfo_batch_mkdir(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr,
			    uint32_t flags)
{
	struct attr a = { .xattrs = NULL };
	errcode_t err = begin(b, flags, E2BFO_PARENTS | E2BFO_EXACT | E2BFO_KEEP);

	if (!err)
		err = take_attr(b->c, &a, attr);
	if (!err)
		err = bfo_batch_mkdir(b->job, path, attr_of(&a), flags);
	free(a.xattrs);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_symlink(e2bfo_batch *b, const char *path, const char *target,
			      const struct e2bfo_attr *attr, uint32_t flags)
{
	struct attr a = { .xattrs = NULL };
	errcode_t err = begin(b, flags, E2BFO_REPLACE | E2BFO_PARENTS | E2BFO_EXACT);

	if (!err)
		err = take_attr(b->c, &a, attr);
	if (!err)
		err = bfo_batch_symlink(b->job, path, target, attr_of(&a), flags);
	free(a.xattrs);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_link(e2bfo_batch *b, const char *from, const char *to, uint32_t flags)
{
	errcode_t err = begin(b, flags, E2BFO_REPLACE | E2BFO_PARENTS | E2BFO_EXACT);

	if (!err)
		err = bfo_batch_link(b->job, from, to, flags);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_mknod(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr,
			    uint32_t major, uint32_t minor, uint32_t flags)
{
	struct attr a = { .xattrs = NULL };
	errcode_t err = begin(b, flags, E2BFO_REPLACE | E2BFO_PARENTS | E2BFO_EXACT);

	if (!err)
		err = take_attr(b->c, &a, attr);
	if (!err)
		err = bfo_batch_mknod(b->job, path, attr_of(&a), major, minor, flags);
	free(a.xattrs);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_set(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr)
{
	struct attr a = { .xattrs = NULL };
	errcode_t err;

	bfo_api_begin(b->c);
	err = take_attr(b->c, &a, attr);
	if (!err)
		err = bfo_batch_set(b->job, path, &a.job);
	free(a.xattrs);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_rename(e2bfo_batch *b, const char *from, const char *to, uint32_t flags)
{
	errcode_t err = begin(b, flags, E2BFO_REPLACE | E2BFO_PARENTS);

	if (!err)
		err = bfo_batch_rename(b->job, from, to, flags);
	return bfo_api_end(b->c, err);
}

e2bfo_err e2bfo_batch_remove(e2bfo_batch *b, const char *path, uint32_t flags)
{
	errcode_t err = begin(b, flags, E2BFO_TREE | E2BFO_MISSING_OK);

	if (!err)
		err = bfo_batch_remove(b->job, path, flags);
	return bfo_api_end(b->c, err);
}

/* ---- what is there, and what waits ---- */

e2bfo_err e2bfo_batch_stat(e2bfo_batch *b, const char *path, struct e2bfo_batch_stat *st)
{
	struct e2bfo_batch_stat found = { .bytes = 0 };
	struct bfo_batch_stat job;
	errcode_t err;

	bfo_api_begin(b->c);
	err = bfo_batch_stat(b->job, path, &job);
	if (err)
		return bfo_api_end(b->c, err);
	found.bytes = job.size;
	found.ino = job.ino;
	found.mode = job.mode;
	found.uid = job.uid;
	found.gid = job.gid;
	found.links = job.links;
	found.flags = job.flags;
	found.mtime = (struct e2bfo_time) { .sec = job.mtime.tv_sec, .nsec = job.mtime.tv_nsec,
					    .is_known = 1 };
	bfo_api_give(st, &found, sizeof(found));
	return bfo_api_end(b->c, 0);
}

e2bfo_err e2bfo_batch_pread(e2bfo_batch *b, const char *path, uint64_t offset, void *buf,
			    size_t len, size_t *got)
{
	bfo_api_begin(b->c);
	return bfo_api_end(b->c, bfo_batch_pread(b->job, path, offset, buf, len, got));
}

e2bfo_err e2bfo_batch_hold(e2bfo_batch *b, int on)
{
	bfo_api_begin(b->c);
	return bfo_api_end(b->c, bfo_batch_hold(b->job, on));
}

e2bfo_err e2bfo_batch_idle(e2bfo_batch *b)
{
	bfo_api_begin(b->c);
	return bfo_api_end(b->c, bfo_batch_idle(b->job));
}

e2bfo_err e2bfo_batch_commit(e2bfo_batch *b, uint64_t *n)
{
	bfo_api_begin(b->c);
	return bfo_api_end(b->c, bfo_batch_commit(b->job, n));
}

uint64_t e2bfo_batch_waiting(const e2bfo_batch *b)
{
	return bfo_batch_waiting(b->job);
}

const char *e2bfo_batch_state(const e2bfo_batch *b)
{
	return bfo_batch_fate(b->job);
}
