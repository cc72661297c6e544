// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - from paths to inode numbers
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/resolve.h"
#include "tree/access.h"
#include "tree/path.h"
#include "tree/slices.h"

static void drop_dirs(struct bfo_resolver *r, size_t depth)
{
	while (r->dirs.n > depth)
		bfo_tree_free(&r->dirs.v[--r->dirs.n].tree);
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

/* Directory INO, the DEPTHth on the way, is the last of r->dirs. */
static errcode_t enter(struct bfo_resolver *r, size_t depth, const char *path, uint32_t ino)
{
	struct bfo_resolved_dir *dir;
	bfo_row index;
	errcode_t err;

	if (depth < r->dirs.n && r->dirs.v[depth].ino == ino) {
		drop_dirs(r, depth + 1);
		return 0;
	}
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
	at = bfo_tree_child(t, bfo_tree_find(t, *ino), name, len);
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
