// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_tree.c - put -r: a directory of the machine with all that is in it, as cp -a does
 *
 * Directories get their times behind their children, which change them.  Files with several names
 * are looked up by device and number.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "batch_run.h"

/* The first name that a file with several has got. */
struct known {
	dev_t dev;
	ino_t ino;
	char path[];
};

struct put_tree {
	struct batch_run *r;
	const char *path;		/* where it goes */
	int flags;			/* of mkdir */
	size_t from;			/* bytes of the directory's own name */
	bfo_chars to;			/* the path of the entry at hand */
	void *links;			/* struct known */
	bfo_chars names, values;	/* extended attributes of the entry at hand */
	BFO_VEC(struct e2bfo_xattr) xattrs;
};

static errcode_t failed(struct put_tree *t, const FTSENT *e, const char *doing)
{
	return bfo_fail(&t->r->ctx, errno, "%s %s", doing, e->fts_path);
}

/* ---- extended attributes ---- */

/* Reads names; or, with NAME, its value, behind what t->values holds. */
static ssize_t get(const char *path, const char *name, bfo_chars *to)
{
	ssize_t size = name ? lgetxattr(path, name, NULL, 0) : llistxattr(path, NULL, 0);

	if (size < 0)
		return errno == ENOTSUP ? 0 : -1;
	if (bfo_vec_reserve(to, size + 1)) {
		errno = ENOMEM;
		return -1;
	}
	size = name ? lgetxattr(path, name, to->v + to->n, size + 1)
		    : llistxattr(path, to->v + to->n, size + 1);
	if (size >= 0)
		to->n += size;
	return size;
}

/* t->xattrs become those of E; t->values may move until all are read. */
static errcode_t read_xattrs(struct put_tree *t, const FTSENT *e)
{
	const char *name, *end;
	size_t at = 0, i;
	errcode_t err = 0;
	ssize_t size;

	t->names.n = t->values.n = t->xattrs.n = 0;
	if (get(e->fts_accpath, NULL, &t->names) < 0)
		return failed(t, e, "reading attributes of");
	end = t->names.v + t->names.n;
	for (name = t->names.v; name < end && !err; name += strlen(name) + 1) {
		struct e2bfo_xattr x = { .name = name };

		size = get(e->fts_accpath, name, &t->values);
		if (size < 0)
			return failed(t, e, "reading attributes of");
		x.len = size;
		err = bfo_vec_push(&t->xattrs, x);
	}
	for (i = 0; i < t->xattrs.n; at += t->xattrs.v[i++].len)
		t->xattrs.v[i].value = t->values.v + at;
	return err;
}

static errcode_t attr_of(struct put_tree *t, const FTSENT *e, struct e2bfo_attr *a)
{
	const struct stat *st = e->fts_statp;
	errcode_t err = read_xattrs(t, e);

	*a = (struct e2bfo_attr) {
		.size = sizeof(*a),
		.set = E2BFO_SET_MODE | E2BFO_SET_UID | E2BFO_SET_GID | E2BFO_SET_ATIME |
		       E2BFO_SET_MTIME,
		.mode = st->st_mode & 07777, .uid = st->st_uid, .gid = st->st_gid,
		.atime = library_time(st->st_atim), .mtime = library_time(st->st_mtim),
		.xattrs = t->xattrs.v, .n_xattrs = t->xattrs.n,
	};
	return err;
}

/* ---- hard links ---- */

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino == y->ino ? 0 : x->ino < y->ino ? -1 : 1;
}

/* *KNOWN: the name that E's file has already; it has this one from now on, if there is none. */
static errcode_t find_link(struct put_tree *t, const FTSENT *e, const char **known)
{
	size_t len = strlen(t->to.v) + 1;
	struct known *k = malloc(sizeof(*k) + len), **found;

	*known = NULL;
	if (!k)
		return ENOMEM;
	k->dev = e->fts_statp->st_dev;
	k->ino = e->fts_statp->st_ino;
	memcpy(k->path, t->to.v, len);
	found = tsearch(k, &t->links, compare_known);
	if (!found || *found != k)
		free(k);
	if (!found)
		return ENOMEM;
	if (*found != k)
		*known = (*found)->path;
	return 0;
}

/* ---- entries ---- */

/* The path of E on the volume. */
static errcode_t set_path(struct put_tree *t, const FTSENT *e)
{
	size_t len = strlen(t->path), rest = e->fts_pathlen - t->from;
	const char *tail = e->fts_path + t->from;
	errcode_t err = bfo_vec_reserve(&t->to, len + rest + 2);

	while (len && t->path[len - 1] == '/')
		len--;
	while (rest && *tail == '/') {
		tail++;
		rest--;
	}
	t->to.n = 0;
	if (!err)
		snprintf(t->to.v, t->to.cap, "%.*s%s%.*s", (int) len, t->path,
			 rest || !len ? "/" : "", (int) rest, tail);
	return err;
}

static errcode_t put_file(struct put_tree *t, const FTSENT *e, const struct e2bfo_attr *a)
{
	struct batch_local l;
	int fd = open(e->fts_accpath, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	errcode_t err = batch_local_take(t->r, fd, e->fts_path, &l);

	if (!err)
		err = batch_put_local(t->r, t->to.v, &l, a, UINT32_MAX,
				      E2BFO_REPLACE | E2BFO_EXACT);
	batch_local_close(&l);
	return err;
}

static errcode_t put_symlink(struct put_tree *t, const FTSENT *e, const struct e2bfo_attr *a)
{
	char target[4096];
	ssize_t len = readlink(e->fts_accpath, target, sizeof(target) - 1);

	if (len < 0)
		return failed(t, e, "reading");
	target[len] = 0;
	return e2bfo_batch_symlink(t->r->b, t->to.v, target, a, E2BFO_EXACT);
}

static errcode_t put_node(struct put_tree *t, const FTSENT *e, struct e2bfo_attr *a)
{
	a->mode = e->fts_statp->st_mode;
	return e2bfo_batch_mknod(t->r->b, t->to.v, a, major(e->fts_statp->st_rdev),
			       minor(e->fts_statp->st_rdev), E2BFO_EXACT);
}

/* What is no directory. */
static errcode_t put_leaf(struct put_tree *t, const FTSENT *e)
{
	const char *known = NULL;
	struct e2bfo_attr a;
	errcode_t err = 0;

	if (e->fts_statp->st_nlink > 1)
		err = find_link(t, e, &known);
	if (!err && known)
		return batch_done(t->r, e2bfo_batch_link(t->r->b, known, t->to.v, 0));
	if (!err)
		err = attr_of(t, e, &a);
	if (err)
		return err;
	if (e->fts_info == FTS_F)
		return put_file(t, e, &a);
	return batch_done(t->r, e->fts_info == FTS_DEFAULT ? put_node(t, e, &a)
							   : put_symlink(t, e, &a));
}

static errcode_t put_entry(struct put_tree *t, const FTSENT *e)
{
	struct e2bfo_attr a;
	errcode_t err = set_path(t, e);

	if (err)
		return err;
	switch (e->fts_info) {
	case FTS_D:
		return batch_done(t->r, e2bfo_batch_mkdir(t->r->b, t->to.v, NULL,
							t->flags | E2BFO_KEEP | E2BFO_EXACT));
	case FTS_DP:
		err = attr_of(t, e, &a);
		return err ? err : batch_done(t->r, e2bfo_batch_set(t->r->b, t->to.v, &a));
	case FTS_F:
	case FTS_SL:
	case FTS_SLNONE:
	case FTS_DEFAULT:
		return put_leaf(t, e);
	default:
		errno = e->fts_errno ? e->fts_errno : ELOOP;
		return failed(t, e, "reading");
	}
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static errcode_t walk(struct put_tree *t, FTS *fts)
{
	errcode_t err = 0;
	FTSENT *e;

	while (!err) {
		errno = 0;
		e = fts_read(fts);
		if (!e)
			return errno ? bfo_fail(&t->r->ctx, errno, "reading a directory") : 0;
		if (e->fts_level == 0 && e->fts_info != FTS_D && e->fts_info != FTS_DP) {
			errno = e->fts_errno ? e->fts_errno : ENOTDIR;
			return failed(t, e, "opening");
		}
		err = bfo_cancelled(&t->r->ctx)
		      ? bfo_fail(&t->r->ctx, BFO_ET_CANCELLED, "reading %s", e->fts_path)
		      : put_entry(t, e);
	}
	return err;
}

errcode_t batch_put_tree(struct batch_run *r, const char *dir, const char *path, int flags)
{
	struct put_tree t = { .r = r, .path = path, .from = strlen(dir), .flags = flags };
	const int how = FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR;
	char *copy = strdup(dir), *const roots[] = { copy, NULL };
	FTS *fts = copy ? fts_open(roots, how, by_name) : NULL;
	errcode_t err = fts ? walk(&t, fts) : bfo_fail(&r->ctx, errno, "opening %s", dir);

	if (fts)
		fts_close(fts);
	tdestroy(t.links, free);
	bfo_vec_free(&t.to);
	bfo_vec_free(&t.names);
	bfo_vec_free(&t.values);
	bfo_vec_free(&t.xattrs);
	free(copy);
	return err;
}
