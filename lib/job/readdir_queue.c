// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir_queue.c - directories to be listed, level by level
 *
 * A directory is listed once, whatever names lead to it: so damaged trees, in which a directory is
 * below itself, come to an end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/attrs.h"
#include "gather/inode_check.h"
#include "job/readdir.h"

/* True if directory ST has an index, and has not changed since that was made. */
static int has_tree(const struct bfo_readdir *l, const struct bfo_stat *st)
{
	struct itree_dir dir;

	/* One block is read as quickly as a leaf. */
	if (!l->container.header.blocks || l->freshness == BFO_ITREE_UNKNOWN ||
	    bfo_inode_size(st->raw) <= l->reader->vol->block_size)
		return 0;
	return !bfo_container_dir(&l->container, st->ino, &dir) &&
	       bfo_container_is_current(&dir, l->reader->vol, st->raw);
}

static errcode_t push(struct bfo_readdir *l, uint32_t parent, const char *name, size_t len,
		      const struct bfo_stat *st)
{
	struct bfo_readdir_queue *q = &l->queue;
	errcode_t err = bfo_vec_reserve(&q->text, len + 1);

	if (!err)
		err = bfo_vec_push(&q->dirs, (struct bfo_readdir_dir) {
				   .name = q->text.n, .size = bfo_inode_size(st->raw),
				   .parent = parent, .ino = st->ino, .name_len = len,
				   .has_tree = has_tree(l, st) });
	if (err)
		return bfo_fail(l->ctx, err, "listing directories");
	memcpy(q->text.v + q->text.n, name, len);
	q->text.n += len;
	q->seen[st->ino / 8] |= 1 << st->ino % 8;
	return 0;
}

errcode_t bfo_readdir_start(struct bfo_readdir *l, const char *path, size_t len,
			    const struct bfo_stat *st)
{
	uint64_t most = l->tree ? l->tree->tree.inodes.v[l->tree->tree.inodes.n - 1].ino
				: l->reader->vol->fs->super->s_inodes_count;

	bfo_readdir_queue_free(l);
	l->queue.seen = calloc(most / 8 + 1, 1);
	if (!l->queue.seen)
		return bfo_fail(l->ctx, ENOMEM, "listing directories");
	return push(l, 0, path, len, st);
}

errcode_t bfo_readdir_add(struct bfo_readdir *l, uint32_t parent, const char *name, size_t len,
			  const struct bfo_stat *st)
{
	if (l->queue.seen[st->ino / 8] & 1 << st->ino % 8)
		return bfo_readdir_tell_damage(l, name, len, BFO_FOUND_DIR_TWICE, st->ino);
	return push(l, parent, name, len, st);
}

/* Bytes of the path of directory DIR. */
static size_t path_length(const struct bfo_readdir_queue *q, uint32_t dir)
{
	size_t len = 0;

	for (; dir; dir = q->dirs.v[dir].parent)
		len += q->dirs.v[dir].name_len + 1;
	return len + (q->dirs.n > 1 ? q->dirs.v[1].name : q->text.n);
}

/* The path of directory DIR ends before AT; returns where it begins. */
static char *put_path(const struct bfo_readdir_queue *q, uint32_t dir, char *at)
{
	size_t root = q->dirs.n > 1 ? q->dirs.v[1].name : q->text.n;

	for (; dir; dir = q->dirs.v[dir].parent) {
		at -= q->dirs.v[dir].name_len;
		memcpy(at, q->text.v + q->dirs.v[dir].name, q->dirs.v[dir].name_len);
		if (q->dirs.v[dir].parent || root > 1)
			*--at = '/';
	}
	at -= root;
	memcpy(at, q->text.v, root);
	return at;
}

static errcode_t go_to(struct bfo_readdir *l, uint32_t dir, int begins)
{
	size_t len = path_length(&l->queue, dir);
	char *buf = malloc(len + 1), *path;
	errcode_t err;

	if (!buf)
		return bfo_fail(l->ctx, ENOMEM, "listing directories");
	path = put_path(&l->queue, dir, buf + len);
	err = l->to->directory(l->to->priv, path, buf + len - path, begins);
	free(buf);
	return err;
}

errcode_t bfo_readdir_enter(struct bfo_readdir *l, uint32_t dir)
{
	errcode_t err = go_to(l, dir, 1);

	return err || !l->opt.dots ? err : bfo_readdir_dots(l, dir);
}

errcode_t bfo_readdir_point(struct bfo_readdir *l, uint32_t dir)
{
	return go_to(l, dir, 0);
}

void bfo_readdir_queue_free(struct bfo_readdir *l)
{
	bfo_vec_free(&l->queue.dirs);
	bfo_vec_free(&l->queue.text);
	free(l->queue.seen);
	l->queue.seen = NULL;
}
