// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - from paths to inode numbers
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/sort.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/resolve.h"
#include "tree/access.h"
#include "tree/path.h"
#include "tree/slices.h"

static void drop_dirs(struct bfo_resolver *r, size_t depth)
{
	while (r->dirs.n > depth) {
		bfo_tree_free(&r->dirs.v[--r->dirs.n].tree);
		bfo_vec_free(&r->dirs.v[r->dirs.n].names);
	}
}

void bfo_resolver_free(struct bfo_resolver *r)
{
	drop_dirs(r, 0);
	bfo_vec_free(&r->dirs);
	bfo_vec_free(&r->clean);
}

/* Inode INO, of which INDEX is the record in T, if it has one, is no directory. */
static errcode_t not_directory(const struct bfo_resolver *r, const char *path,
			       const struct bfo_tree *t, uint32_t ino, bfo_row index)
{
	struct bfo_context *ctx = r->reader->ctx;

	if (bfo_ranges_contain(&t->unread, ino))
		return bfo_fail(ctx, BFO_ET_NO_PATH,
				"looking for %s on %s: inode %u on the way cannot be read", path,
				r->name, ino);
	return bfo_fail(ctx, BFO_ET_NOT_DIR, "looking for %s on %s%s", path, r->name,
			index != BFO_NONE && S_ISLNK(t->inodes.v[index].mode)
				? ": symbolic links are not followed" : "");
}

/* Directory INO, the DEPTHth on the way, is in its place in r->dirs. */
static errcode_t enter(struct bfo_resolver *r, size_t depth, const char *path, uint32_t ino)
{
	struct bfo_resolved_dir *dir;
	bfo_row index;
	errcode_t err;

	if (depth < r->dirs.n && r->dirs.v[depth].ino == ino)
		return 0;
	drop_dirs(r, depth);
	err = bfo_vec_push(&r->dirs, (struct bfo_resolved_dir) { .ino = ino });
	if (err)
		return bfo_fail(r->reader->ctx, err, "looking for %s", path);
	dir = &r->dirs.v[depth];
	err = bfo_inode_scan_some(r->reader, &dir->tree, &ino, 1);
	index = err ? BFO_NONE : bfo_tree_find(&dir->tree, ino);
	if (!err && (index == BFO_NONE || !S_ISDIR(dir->tree.inodes.v[index].mode)))
		err = not_directory(r, path, &dir->tree, ino, index);
	if (!err)
		err = bfo_name_scan(r->reader, &dir->tree);
	if (err)
		drop_dirs(r, depth);
	else
		bfo_slices_cut(&dir->tree);
	return err;
}

static uint32_t hash_of(const char *name, size_t len)
{
	return bfo_crc32c(~0U, name, len);
}

static errcode_t sort_names(struct bfo_resolved_dir *dir)
{
	const struct bfo_tree *t = &dir->tree;
	struct bfo_slice s = bfo_dir_names(t, &t->inodes.v[bfo_tree_find(t, dir->ino)]);
	errcode_t err = bfo_vec_reserve(&dir->names, s.end - s.first);
	uint32_t i;

	for (i = s.first; i < s.end && !err; i++) {
		const struct bfo_name *n = &t->names.v[i];

		dir->names.v[dir->names.n++] = (struct bfo_resolved_name) {
			hash_of(bfo_name_text(t, n), bfo_name_len(n)), i };
	}
	bfo_sort(dir->names.v, dir->names.n, sizeof(*dir->names.v), 1);
	return err;
}

static uint32_t find_sorted(const struct bfo_resolved_dir *dir, const char *name, size_t len)
{
	const struct bfo_tree *t = &dir->tree;
	uint32_t hash = hash_of(name, len);
	size_t i;

	for (i = bfo_vec_lower(&dir->names, hash, hash);
	     i < dir->names.n && dir->names.v[i].hash == hash; i++) {
		const struct bfo_name *n = &t->names.v[dir->names.v[i].at];

		if (bfo_name_len(n) == len && !memcmp(bfo_name_text(t, n), name, len))
			return dir->names.v[i].at;
	}
	return BFO_NONE;
}

/* The name in names[] of DIR, *AT, or BFO_NONE.  Who looks for one name does not sort all. */
static errcode_t find(struct bfo_resolved_dir *dir, const char *name, size_t len, uint32_t *at)
{
	errcode_t err = 0;

	if (dir->times++ == 1)
		err = sort_names(dir);
	if (dir->times > 1)
		*at = err ? BFO_NONE : find_sorted(dir, name, len);
	else
		*at = bfo_tree_child(&dir->tree, bfo_tree_find(&dir->tree, dir->ino), name, len);
	return err;
}

/* From directory *INO, the DEPTHth on the way, to what NAME in it leads to. */
static errcode_t step(struct bfo_resolver *r, size_t depth, const char *path, const char *name,
		      size_t len, uint32_t *ino)
{
	errcode_t err = enter(r, depth, path, *ino);
	struct bfo_tree *t;
	uint32_t at;

	if (err)
		return err;
	t = &r->dirs.v[depth].tree;
	err = find(&r->dirs.v[depth], name, len, &at);
	if (err)
		return bfo_fail(r->reader->ctx, err, "looking for %s", path);
	if (at == BFO_NONE)
		return bfo_fail(r->reader->ctx, BFO_ET_NO_PATH, "looking for %s on %s%s", path,
				r->name, t->findings.n ? ": a directory on the way is damaged, "
							 "or cannot be read" : "");
	*ino = bfo_name_number(t, &t->names.v[at]);
	return 0;
}

static errcode_t add_component(struct bfo_resolver *r, const char *name, size_t len)
{
	errcode_t err = bfo_vec_reserve(&r->clean, len + 1);

	if (err)
		return bfo_fail(r->reader->ctx, err, "looking for a path");
	r->clean.v[r->clean.n++] = '/';
	memcpy(r->clean.v + r->clean.n, name, len);
	r->clean.n += len;
	return 0;
}

errcode_t bfo_resolve(struct bfo_resolver *r, const char *path, uint32_t *ino)
{
	const char *rest = path, *name;
	size_t len, depth = 0;
	errcode_t err = 0;

	r->parent = *ino = EXT2_ROOT_INO;
	r->clean.n = 0;
	while (!err && (len = bfo_path_next(&rest, &name))) {
		if (bfo_path_is_up(name, len))
			return bfo_fail(r->reader->ctx, EINVAL,
					"looking for %s on %s: '..' is not followed", path,
					r->name);
		err = add_component(r, name, len);
		r->parent = *ino;
		if (!err)
			err = step(r, depth++, path, name, len, ino);
	}
	return err || r->clean.n ? err : bfo_vec_push(&r->clean, '/');
}
