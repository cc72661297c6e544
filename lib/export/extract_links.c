// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_links.c - files with several names; attributes that come last of all
 *
 * Where the first name of a file is depends on its top: it has a hidden name until that is renamed.
 * Tops get their names in the order in which they are made, so a serial number says which have.
 *
 * Immutable files take no further name, and can get none in place of a hidden one.  Directories
 * whose projects are inherited take nothing that has another.  So some attributes are set when all
 * names exist.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"

#define SHARED_FIRST 256U

/* ---- the hash ---- */

static struct bfo_extract_shared *place_of(struct bfo_extract_shared *v, size_t size, bfo_row row)
{
	size_t i = row * 2654435761U % size;

	while (v[i].row != BFO_NONE && v[i].row != row)
		i = (i + 1) % size;
	return &v[i];
}

static errcode_t grow(struct bfo_extract *s)
{
	size_t size = s->shared_size ? s->shared_size * 2 : SHARED_FIRST, i;
	struct bfo_extract_shared *v = malloc(size * sizeof(*v));

	if (!v)
		return ENOMEM;
	for (i = 0; i < size; i++)
		v[i].row = BFO_NONE;
	for (i = 0; i < s->shared_size; i++)
		if (s->shared[i].row != BFO_NONE)
			*place_of(v, size, s->shared[i].row) = s->shared[i];
	free(s->shared);
	s->shared = v;
	s->shared_size = size;
	return 0;
}

struct bfo_extract_shared *bfo_extract_shared_find(const struct bfo_extract *s, bfo_row row)
{
	struct bfo_extract_shared *f;

	if (!s->shared_n || row == BFO_NONE)
		return NULL;
	f = place_of(s->shared, s->shared_size, row);
	return f->row == row ? f : NULL;
}

/* ---- first names ---- */

/* The length of the path of the top that S is in, or is just making; 0: it is the root. */
static size_t top_of(const struct bfo_extract *s, const struct bfo_item *item)
{
	size_t i = s->levels.n - 1;

	if (!s->levels.v[i].is_ours)
		return item->path_len;
	while (!s->levels.v[i].is_top)
		i--;
	return s->levels.v[i].path_len;
}

errcode_t bfo_extract_shared_add(struct bfo_extract *s, const struct bfo_item *item, int at,
				 const char *name)
{
	struct bfo_extract_shared f = { .row = item->row, .is_missing = !name,
					.top_len = top_of(s, item),
					.serial = s->tops_before + s->tops.n - !!s->tops.n };
	struct stat st = { 0 };
	errcode_t err = 0;

	if (item->row == BFO_NONE || bfo_extract_shared_find(s, item->row))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "making", item->path, item->path_len);
	if (name && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
		err = errno;
	f.dev = st.st_dev;
	f.ino = st.st_ino;
	if (!err)
		err = bfo_extract_keep(&s->kept_text, item->path, item->path_len, &f.first);
	if (!err && s->shared_n * 2 >= s->shared_size)
		err = grow(s);
	if (err)
		return bfo_extract_fail(s, err, "making", item->path, item->path_len);
	*place_of(s->shared, s->shared_size, f.row) = f;
	s->shared_n++;
	return 0;
}

/* s->walk: PATH, whose first TOP_LEN bytes end in a name that is HIDDEN now. */
static errcode_t path_now(struct bfo_extract *s, const char *path, size_t len, size_t top_len,
			  const char *hidden)
{
	size_t base = bfo_extract_base(path, top_len), n = hidden ? strlen(hidden) : 0;
	errcode_t err;

	s->walk.n = 0;
	err = bfo_vec_reserve(&s->walk, len + BFO_EXTRACT_HIDDEN + 1);
	if (err)
		return err;
	if (!hidden) {
		memcpy(s->walk.v, path, len);
		s->walk.n = len;
	} else {
		memcpy(s->walk.v, path, base);
		memcpy(s->walk.v + base, hidden, n);
		memcpy(s->walk.v + base + n, path + top_len, len - top_len);
		s->walk.n = base + n + len - top_len;
	}
	s->walk.v[s->walk.n] = 0;
	return 0;
}

errcode_t bfo_extract_shared_place(struct bfo_extract *s, const struct bfo_extract_shared *f,
				   struct bfo_extract_source *from)
{
	const char *hidden = NULL;
	errcode_t err;
	size_t base;

	if (f->top_len && f->serial >= s->tops_before)
		hidden = s->tops.v[f->serial - s->tops_before].hidden;
	err = path_now(s, s->kept_text.v + f->first.at, f->first.len, f->top_len, hidden);
	if (err)
		return err;
	base = bfo_extract_base(s->walk.v, s->walk.n);
	from->name = s->walk.v + base;
	return bfo_dirs_go(&s->other, s->walk.v, base ? base - 1 : 0, &from->at);
}

/* ---- what comes last ---- */

errcode_t bfo_extract_late_add(struct bfo_extract *s, const struct bfo_extract_subject *to,
			       uint32_t flags, int has_project, uint32_t project)
{
	struct bfo_extract_late late = { .flags = flags, .has_project = has_project,
					 .project = project };
	struct stat st;
	errcode_t err;

	if (fstat(to->fd, &st))
		return errno;
	late.dev = st.st_dev;
	late.ino = st.st_ino;
	err = bfo_extract_keep(&s->kept_text, to->path, to->path_len, &late.path);
	return err ? err : bfo_vec_push(&s->late, late);
}

/* Opens what L is about: *FD; -1 if we may not. */
static errcode_t open_late(struct bfo_extract *s, const struct bfo_extract_late *l, int *fd)
{
	const char *path = s->kept_text.v + l->path.at;
	size_t base = bfo_extract_base(path, l->path.len);
	struct stat st;
	errcode_t err;
	int at;

	*fd = -1;
	err = bfo_dirs_go(&s->other, path, base ? base - 1 : 0, &at);
	if (err)
		return err;
	if (fstatat(at, l->path.len ? path + base : "", &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return errno;
	if (st.st_dev != l->dev || st.st_ino != l->ino)
		return BFO_ET_CHANGED;
	*fd = openat(at, l->path.len ? path + base : ".", O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
		     O_NOCTTY | O_CLOEXEC);
	if (*fd < 0)
		return errno == EACCES || errno == EPERM ? 0 : errno;
	if (!fstat(*fd, &st) && st.st_dev == l->dev && st.st_ino == l->ino)
		return 0;
	close(*fd);
	return BFO_ET_CHANGED;
}

static errcode_t apply(struct bfo_extract *s, const struct bfo_extract_late *l)
{
	const char *path = s->kept_text.v + l->path.at;
	errcode_t err;
	int fd;

	err = open_late(s, l, &fd);
	if (err)
		return bfo_extract_fail(s, err, "setting attributes of", path, l->path.len);
	if (l->has_project && (fd < 0 || bfo_extract_project_set(fd, l->project)))
		err = bfo_extract_note(s, BFO_NOTE_PROJECT, path, l->path.len);
	if (!err && l->flags && (fd < 0 || bfo_extract_flags_add(fd, l->flags)))
		err = bfo_extract_note(s, BFO_NOTE_IMMUTABLE, path, l->path.len);
	if (fd >= 0)
		close(fd);
	return err;
}

errcode_t bfo_extract_late_apply(struct bfo_extract *s)
{
	errcode_t err = 0;
	size_t i;

	if (s->late.n) {
		bfo_dirs_free(&s->other);
		bfo_dirs_init(&s->other, s->root);
	}
	for (i = 0; i < s->late.n && !err; i++)
		err = apply(s, &s->late.v[i]);
	return err;
}
