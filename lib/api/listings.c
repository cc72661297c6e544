// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listings.c - e2bfo_list(), e2bfo_stat()
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/filesystems.h"
#include "base/bfo_err.h"
#include "base/memory.h"
#include "gather/inode_check.h"
#include "gather/resolve.h"
#include "job/readdir.h"
#include "tree/path.h"

#define FLAGS_KNOWN (E2BFO_LIST_RECURSIVE | E2BFO_LIST_DOTS | E2BFO_LIST_ITSELF)

struct listing {
	e2bfo_fs *fs;
	int (*take)(void *priv, const struct e2bfo_entry *e);
	void *priv;
	struct bfo_reader reader;
	struct bfo_readdir job;
	struct bfo_readdir_sink sink;	/* of it */
	bfo_chars dir;			/* the path of the directory that is told now */
	bfo_chars path;			/* for a finding */
	bfo_chars clean;		/* what is listed, in its shortest form */
};

static errcode_t enough(struct listing *l)
{
	return bfo_fail(&l->fs->c->ctx, BFO_ET_CANCELLED, "telling what is in %s",
			l->fs->end.spec);
}

static struct e2bfo_time time_of(const struct bfo_attrs *a, enum bfo_time which)
{
	return (struct e2bfo_time) { .sec = a->sec[which], .nsec = a->nsec[which],
				     .is_known = which != BFO_CRTIME || a->has_crtime };
}

static void take_attrs(const struct bfo_volume *vol, const void *raw, struct e2bfo_entry *e)
{
	const struct ext2_inode *inode = raw;
	struct bfo_attrs a;

	bfo_attrs_read(raw, vol->inode_size, &a);
	e->bytes = a.size;
	e->blocks = bfo_inode_blocks(vol, raw);
	e->version = a.version;
	e->mtime = time_of(&a, BFO_MTIME);
	e->atime = time_of(&a, BFO_ATIME);
	e->ctime = time_of(&a, BFO_CTIME);
	e->crtime = time_of(&a, BFO_CRTIME);
	e->mode = a.mode;
	e->links = a.nlink;
	e->uid = a.uid;
	e->gid = a.gid;
	e->project = a.project;
	e->flags = ext2fs_le32_to_cpu(inode->i_flags);
	e->generation = a.generation;
	e->major = a.major;
	e->minor = a.minor;
	e->has_xattrs = !!bfo_inode_has_xattrs(vol, raw);
}

/* ---- for the job ---- */

static errcode_t take_directory(void *priv, const char *path, size_t len, int begins)
{
	struct listing *l = priv;

	(void) begins;
	l->dir.n = 0;
	if (bfo_vec_reserve(&l->dir, len))
		return bfo_fail(&l->fs->c->ctx, ENOMEM, "listing directories");
	memcpy(l->dir.v, path, len);
	l->dir.n = len;
	return 0;
}

static errcode_t take_alone(void *priv)
{
	struct listing *l = priv;

	l->dir.n = 0;
	return 0;
}

static errcode_t take_entry(void *priv, const struct bfo_readdir_entry *entry)
{
	struct listing *l = priv;
	struct e2bfo_entry e = { .size = sizeof(e), .dir = l->dir.v, .dir_len = l->dir.n,
				 .name = entry->name, .name_len = entry->len,
				 .target = entry->target,
				 .target_len = entry->target ? entry->st->target_len : 0,
				 .ino = entry->ino <= UINT32_MAX ? entry->ino : 0,
				 .index = l->job.index };

	take_attrs(l->fs->volume, entry->st->raw, &e);
	return l->take(l->priv, &e) ? enough(l) : 0;
}

/* The path of NAME in the directory; or of that. */
static errcode_t build_path(struct listing *l, const char *name, size_t len)
{
	size_t dir = l->dir.n;

	l->path.n = 0;
	if (bfo_vec_reserve(&l->path, dir + 1 + len))
		return bfo_fail(&l->fs->c->ctx, ENOMEM, "listing directories");
	memcpy(l->path.v, l->dir.v, dir);
	if (len && dir && l->dir.v[dir - 1] != '/')
		l->path.v[dir++] = '/';
	memcpy(l->path.v + dir, name, len);
	l->path.n = dir + len;
	return 0;
}

static errcode_t take_damage(void *priv, const char *name, size_t len, const struct bfo_tree *t,
			     const struct bfo_finding *f)
{
	const struct bfo_finding_row *row = &bfo_finding_table[f->kind];
	struct listing *l = priv;
	struct e2bfo_finding found = { .size = sizeof(found), .kind = row->word,
				       .text = row->text, .ino = bfo_tree_shown_ino(t, f->ino),
				       .block = f->blk, .count = 1 };
	errcode_t err = build_path(l, name, len);

	found.path = l->path.v;
	found.path_len = l->path.n;
	return err ? err : bfo_api_tell(l->fs->c, &found);
}

static void take_pause(void *priv)
{
	(void) priv;
}

/* ---- the calls ---- */

static errcode_t begin(struct listing *l, uint32_t flags)
{
	const struct bfo_readdir_options opt = {
		.recursive = !!(flags & E2BFO_LIST_RECURSIVE), .dots = !!(flags & E2BFO_LIST_DOTS),
		.alone = !!(flags & E2BFO_LIST_ITSELF), .memory = bfo_default_memory(),
	};
	errcode_t err = bfo_reader_init(&l->reader, &l->fs->c->ctx, l->fs->volume,
					BFO_GAP_OF_DEVICE);

	l->sink = (struct bfo_readdir_sink) {
		.directory = take_directory, .alone = take_alone, .entry = take_entry,
		.damage = take_damage, .pause = take_pause, .priv = l,
	};
	return err ? err : bfo_readdir_begin(&l->job, &l->reader, &opt, &l->sink);
}

static e2bfo_err finish(struct listing *l, errcode_t err)
{
	if (!err)
		err = bfo_users_check_again(&l->fs->c->ctx, l->fs->volume);
	bfo_readdir_free(&l->job);
	bfo_reader_free(&l->reader);
	bfo_vec_free(&l->dir);
	bfo_vec_free(&l->path);
	bfo_vec_free(&l->clean);
	return bfo_api_end(l->fs->c, err);
}

static errcode_t list(struct listing *l, const char *path)
{
	struct bfo_context *ctx = &l->fs->c->ctx;
	struct bfo_resolved way;
	errcode_t err = bfo_readdir_resolve(&l->job, &path, 1, &way);

	if (!err)
		err = bfo_resolved_check(ctx, l->fs->end.spec, path, &way);
	if (!err)
		err = bfo_path_clean(path, &l->clean);
	return err ? err : bfo_readdir_list(&l->job, l->clean.v, l->clean.n, way.ino, way.parent);
}

e2bfo_err e2bfo_list(e2bfo_fs *fs, const char *path, uint32_t flags,
		     int (*take)(void *priv, const struct e2bfo_entry *e), void *priv)
{
	struct listing l = { .fs = fs, .take = take, .priv = priv };
	errcode_t err;

	bfo_api_begin(fs->c);
	err = bfo_api_check_flags(fs->c, flags, FLAGS_KNOWN, "the flags of a listing");
	if (!err)
		err = begin(&l, flags);
	if (!err)
		err = list(&l, path);
	return finish(&l, err);
}

static errcode_t tell_missing(struct listing *l, const char *path, size_t index,
			      const struct bfo_resolved *way)
{
	struct bfo_context *ctx = &l->fs->c->ctx;
	struct e2bfo_entry e = { .size = sizeof(e), .name = path, .name_len = strlen(path),
				 .index = index, .what = ctx->what };

	e.err = bfo_resolved_check(ctx, l->fs->end.spec, path, way);
	if (!e.err)
		return 0;
	if (l->take(l->priv, &e))
		return enough(l);
	bfo_what_clear(ctx);
	return 0;
}

static errcode_t stat_all(struct listing *l, const char *const *paths, size_t n)
{
	struct bfo_context *ctx = &l->fs->c->ctx;
	struct bfo_resolved *ways;
	errcode_t err;
	size_t i;

	if (n >= BFO_NONE)
		return bfo_fail(ctx, BFO_ET_OVERFLOW, "looking at paths");
	ways = malloc(n * sizeof(*ways) + 1);
	err = ways ? bfo_readdir_resolve(&l->job, paths, n, ways)
		   : bfo_fail(ctx, ENOMEM, "looking for paths");
	for (i = 0; i < n && !err; i++)
		err = tell_missing(l, paths[i], i, &ways[i]);
	if (!err)
		err = bfo_readdir_paths(&l->job, paths, ways, n);
	free(ways);
	return err;
}

e2bfo_err e2bfo_stat(e2bfo_fs *fs, const char *const *paths, size_t n,
		     int (*take)(void *priv, const struct e2bfo_entry *e), void *priv)
{
	struct listing l = { .fs = fs, .take = take, .priv = priv };
	errcode_t err;

	bfo_api_begin(fs->c);
	err = begin(&l, E2BFO_LIST_ITSELF);
	if (!err)
		err = stat_all(&l, paths, n);
	return finish(&l, err);
}
