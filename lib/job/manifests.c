// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifests.c - lists of what is copied, with digests that are computed on the way
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "job/manifests.h"

static int is_stdout(const struct bfo_manifest_file *f)
{
	return !strcmp(f->path, "-");
}

static errcode_t add_file(struct bfo_manifests *m, const char *spec)
{
	struct bfo_manifest_file f = { .fd = -1 };
	struct stat st;

	if (bfo_manifest_tell(spec, &f.format, &f.path))
		return bfo_fail(m->ctx, BFO_ET_OPTION, "looking at %s: it is no FORMAT:FILE; "
				"formats are mtree, sha256sum, hashdeep, dfxml and bodyfile", spec);
	if (!is_stdout(&f) && !lstat(f.path, &st))
		return bfo_fail(m->ctx, EEXIST, "making manifest %s", f.path);
	return bfo_vec_push(&m->files, f);
}

errcode_t bfo_manifests_open(struct bfo_manifests *m, struct bfo_context *ctx,
			     const char *const *specs, size_t n, int out)
{
	errcode_t err = 0;
	size_t i;

	*m = (struct bfo_manifests) { .ctx = ctx, .out = out };
	for (i = 0; i < n && !err; i++)
		err = add_file(m, specs[i]);
	return err;
}

errcode_t bfo_manifests_begin(struct bfo_manifests *m, const struct bfo_plan *plan,
			      unsigned int algorithms)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < m->files.n && !err; i++) {
		struct bfo_manifest_file *f = &m->files.v[i];

		algorithms |= bfo_manifest_sums(f->format);
		f->fd = is_stdout(f) ? m->out : -1;
		if (!is_stdout(f))
			err = bfo_temporary_make(f->path, &f->made, &f->fd);
		if (err)
			bfo_fail(m->ctx, err, "making manifest %s", f->path);
	}
	if (err || !algorithms)
		return err;
	m->has_sums = 1;
	return bfo_file_sums_open(&m->sums, plan, algorithms);
}

struct bfo_file_sums *bfo_manifests_sums(struct bfo_manifests *m)
{
	return m->has_sums ? &m->sums : NULL;
}

const struct bfo_sums *bfo_manifests_sums_of(const struct bfo_manifests *m, bfo_row row)
{
	return m->has_sums ? bfo_file_sums_of(&m->sums, row) : NULL;
}

/* For the walk over what comes along. */
struct list {
	struct bfo_manifests *m;
	struct bfo_manifest *out;
	unsigned int algorithms;	/* of its format, whatever others want */
};

static errcode_t put(void *priv, const struct bfo_item *item)
{
	const struct list *l = priv;
	const struct bfo_sums *known = bfo_manifests_sums_of(l->m, item->row);
	struct bfo_sums sums;

	if (!known)
		return bfo_manifest_put(l->out, item, NULL);
	sums = *known;
	sums.which &= l->algorithms;
	return bfo_manifest_put(l->out, item, &sums);
}

static errcode_t write_file(struct bfo_manifests *m, struct bfo_manifest_file *f,
			    struct bfo_items *items, const struct bfo_manifest_about *about)
{
	struct list list = { .m = m, .algorithms = bfo_manifest_sums(f->format) };
	struct bfo_manifest_about said = *about;
	errcode_t err;

	if (f->format != BFO_MANIFEST_DFXML)	/* the same tree, the same list */
		said.source = NULL;
	err = bfo_manifest_open(m->ctx, f->format, f->fd,
				is_stdout(f) ? "standard output" : f->path, &said, &list.out);
	if (!err)
		err = bfo_items_walk(items, put, &list);
	if (!err)
		err = bfo_manifest_end(list.out);
	if (!err)
		f->left_out = bfo_manifest_left_out(list.out);
	bfo_manifest_close(list.out);
	return err;
}

/* F is complete: it gets its name. */
static errcode_t publish(struct bfo_manifests *m, struct bfo_manifest_file *f)
{
	errcode_t err = fsync(f->fd) ? errno : 0;

	if (close(f->fd) && !err)
		err = errno;
	f->fd = -1;
	if (err)
		return bfo_fail(m->ctx, err, "writing manifest %s", f->path);
	err = bfo_temporary_publish(m->ctx, f->made, f->path, 0);
	if (err)
		return err;
	free(f->made);
	f->made = NULL;
	return 0;
}

errcode_t bfo_manifests_write(struct bfo_manifests *m, struct bfo_items *items,
			      const struct bfo_manifest_about *about)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < m->files.n && !err; i++) {
		err = write_file(m, &m->files.v[i], items, about);
		if (!err && m->files.v[i].made)
			err = publish(m, &m->files.v[i]);
	}
	return err;
}

void bfo_manifests_close(struct bfo_manifests *m)
{
	size_t i;

	for (i = 0; i < m->files.n; i++) {
		struct bfo_manifest_file *f = &m->files.v[i];

		if (f->made) {
			unlink(f->made);
			free(f->made);
			close(f->fd);
		}
	}
	bfo_vec_free(&m->files);
	if (m->has_sums)
		bfo_file_sums_free(&m->sums);
}
