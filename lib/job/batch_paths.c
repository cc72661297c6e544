// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_paths.c - paths of a batch's operations, and directories that are made on the way
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "edit/indexed.h"
#include "job/batch_packed.h"

#define NAME_BYTES 255U

/* A path as it has to be: from the root on, of names that can be. */
static errcode_t check(struct bfo_batch *b, const char *path)
{
	const char *at = path;
	size_t len;

	if (*path != '/')
		return bfo_fail(b->ctx, BFO_ET_BAD_PATH, "it does not begin with '/'");
	for (; *at; at += len) {
		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len > NAME_BYTES)
			return bfo_fail(b->ctx, BFO_ET_BAD_PATH, "a name in it has %zu bytes, and "
					"%u are the most", len, NAME_BYTES);
		if (len && len <= 2 && !strncmp(at, "..", len))
			return bfo_fail(b->ctx, BFO_ET_BAD_PATH, "'.' and '..' are not followed");
	}
	return 0;
}

/* ---- directories on the way ---- */

static errcode_t note_parent(struct bfo_batch *b, struct bfo_draft *parent, const char *name,
			     size_t len)
{
	uint32_t size = b->vol->inode_size;
	struct bfo_batch_parent made = { .parent = parent, .raw = malloc(size),
					 .name = b->made_names.n, .len = len };
	errcode_t err = made.raw ? bfo_vec_reserve(&b->made_names, len) : ENOMEM;

	if (!err)
		err = bfo_vec_push(&b->made, made);
	if (err) {
		free(made.raw);
		return err;
	}
	memcpy(made.raw, parent->raw, size);
	memcpy(b->made_names.v + b->made_names.n, name, len);
	b->made_names.n += len;
	return 0;
}

static errcode_t make_parent(struct bfo_batch *b, struct bfo_batch_way *way, int flags)
{
	errcode_t err = bfo_batch_may_gain(b, way->dir);
	struct bfo_draft *dir = NULL;

	if (!err && !bfo_batch_has_link(b, way->dir))
		err = BFO_ET_LINKS;
	if (!err)
		err = bfo_batch_new(b, way->dir, S_IFDIR | 0755, NULL, flags, &dir);
	if (err)
		return err;
	err = bfo_going_reserve(&b->edit, &(struct bfo_going) { .drafts = b->made.n + 1 });
	if (!err)
		err = bfo_directory_begin(&b->edit, dir, way->dir->ino);
	if (!err)
		err = note_parent(b, way->dir, way->name, way->len);
	if (err) {
		bfo_draft_drop(&b->edit, dir);
		return err;
	}
	b->made.v[b->made.n - 1].dir = dir;
	bfo_batch_enter(b, way, dir);
	way->draft = dir;
	return 0;
}

void bfo_batch_unmake(struct bfo_batch *b)
{
	while (b->made.n) {
		struct bfo_batch_parent *made = &b->made.v[--b->made.n];
		struct bfo_entry *entry = bfo_entries_find(made->parent->entries,
							   b->made_names.v + made->name,
							   made->len);

		bfo_directory_point(&b->edit, made->parent, entry, NULL);
		memcpy(made->parent->raw, made->raw, b->vol->inode_size);
		bfo_draft_go(&b->edit, made->dir);
		free(made->raw);
		b->last = NULL;
	}
	b->made_names.n = 0;
}

/* ---- following ---- */

/* What NAME in way->dir leads to: way->draft, or NULL. */
static errcode_t step(struct bfo_batch *b, struct bfo_batch_way *way)
{
	struct bfo_entry *entry;
	errcode_t err = bfo_directory_entry(&b->edit, way->dir, way->name, way->len, &entry);

	way->draft = NULL;
	if (!err && !entry->ino) {
		err = bfo_batch_look_packed(b, way->dir, way->name, way->len);
		entry = bfo_entries_find(way->dir->entries, way->name, way->len);
	}
	if (!err && entry->ino)
		err = bfo_draft_get(&b->edit, entry->ino, &way->draft);
	return err;
}

/* The directory that way->draft is becomes the one that is looked into. */
static errcode_t descend(struct bfo_batch *b, struct bfo_batch_way *way, int flags)
{
	errcode_t err = 0;

	if (!way->draft && flags & BFO_BATCH_PARENTS)
		err = make_parent(b, way, flags);
	if (err)
		return err;
	if (!way->draft)
		return BFO_ET_NO_PATH;
	if (!S_ISDIR(bfo_draft_mode(way->draft)))
		return BFO_ET_NOT_DIR;
	way->dir = way->draft;
	return 0;
}

/* Where the last name of PATH begins, behind a slash. */
static const char *last_name(const char *path, size_t len)
{
	const char *at = path + len;

	while (at > path && at[-1] != '/')
		at--;
	return at;
}

static void remember(struct bfo_batch *b, struct bfo_draft *dir, const char *path, size_t len)
{
	b->last = NULL;
	b->last_path.n = 0;
	if (bfo_vec_reserve(&b->last_path, len))
		return;
	memcpy(b->last_path.v, path, len);
	b->last_path.n = len;
	b->last = dir;
}

/* The directory that the first LEN bytes of PATH lead to. */
static errcode_t walk_dirs(struct bfo_batch *b, const char *path, size_t len, int flags,
			   struct bfo_batch_way *way)
{
	const char *at = path, *end = path + len;
	errcode_t err = bfo_draft_get(&b->edit, EXT2_ROOT_INO, &way->dir);

	while (!err && (at += strspn(at, "/")) < end) {
		way->name = at;
		way->len = strcspn(at, "/");
		at += way->len;
		err = step(b, way);
		if (!err)
			err = descend(b, way, flags);
	}
	if (!err)
		remember(b, way->dir, path, len);
	return err;
}

errcode_t bfo_batch_walk(struct bfo_batch *b, const char *path, int flags,
			 struct bfo_batch_way *way)
{
	size_t len = strlen(path), dirs;
	errcode_t err;

	memset(way, 0, sizeof(*way));
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (*path == '/' && len == 1) {
		err = bfo_draft_get(&b->edit, EXT2_ROOT_INO, &way->draft);
		return err ? err : bfo_indexes_look(&b->edit, way->draft);
	}
	dirs = last_name(path, len) - path;
	if (b->last && dirs && dirs == b->last_path.n && !memcmp(path, b->last_path.v, dirs)) {
		way->dir = b->last;
		err = len - dirs > NAME_BYTES ? check(b, path) : 0;
		if (path[dirs] == '.')
			err = check(b, path);
	} else {
		err = check(b, path);
		if (!err)
			err = walk_dirs(b, path, dirs, flags, way);
	}
	way->name = path + dirs;
	way->len = len - dirs;
	return err ? err : step(b, way);
}

errcode_t bfo_batch_find(struct bfo_batch *b, const char *path, struct bfo_batch_way *way)
{
	errcode_t err = bfo_batch_walk(b, path, 0, way);

	return err || way->draft ? err : BFO_ET_NO_PATH;
}
