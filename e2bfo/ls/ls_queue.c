// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_queue.c - directories to be listed, level by level
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
#include "ls.h"

/* True if directory ST has an index, and has not changed since that was made. */
static int has_tree(const struct ls *ls, const struct bfo_stat *st)
{
	struct itree_dir dir;

	/* One block is read as quickly as a leaf. */
	if (!ls->container.header.blocks || ls->freshness == BFO_ITREE_UNKNOWN ||
	    bfo_inode_size(st->raw) <= ls->volume->block_size)
		return 0;
	return !bfo_container_dir(&ls->container, st->ino, &dir) &&
	       bfo_container_is_current(&dir, ls->volume, st->raw);
}

static errcode_t push(struct ls *ls, uint32_t parent, const char *name, size_t len,
		      const struct bfo_stat *st)
{
	struct ls_queue *q = &ls->queue;
	errcode_t err = bfo_vec_reserve(&q->text, len + 1);

	if (!err)
		err = bfo_vec_push(&q->dirs, (struct ls_dir) {
				   .name = q->text.n, .size = bfo_inode_size(st->raw),
				   .parent = parent, .ino = st->ino, .name_len = len,
				   .has_tree = has_tree(ls, st) });
	if (err)
		return bfo_fail(&ls->ctx, err, "listing directories");
	memcpy(q->text.v + q->text.n, name, len);
	q->text.n += len;
	q->seen[st->ino / 8] |= 1 << st->ino % 8;
	return 0;
}

errcode_t ls_queue_begin(struct ls *ls, const char *path, size_t len, const struct bfo_stat *st)
{
	ls_queue_free(ls);
	ls->queue.seen = calloc(ls->volume->fs->super->s_inodes_count / 8 + 1, 1);
	if (!ls->queue.seen)
		return bfo_fail(&ls->ctx, ENOMEM, "listing directories");
	return push(ls, 0, path, len, st);
}

errcode_t ls_queue_add(struct ls *ls, uint32_t parent, const char *name, size_t len,
		       const struct bfo_stat *st)
{
	if (ls->queue.seen[st->ino / 8] & 1 << st->ino % 8) {
		ls_print_damage(&ls->print, name, len, &(struct damage) {
				.kind = BFO_FOUND_DIR_TWICE, .ino = st->ino });
		return 0;
	}
	return push(ls, parent, name, len, st);
}

/* Bytes of the path of directory DIR. */
static size_t path_length(const struct ls_queue *q, uint32_t dir)
{
	size_t len = 0;

	for (; dir; dir = q->dirs.v[dir].parent)
		len += q->dirs.v[dir].name_len + 1;
	return len + (q->dirs.n > 1 ? q->dirs.v[1].name : q->text.n);
}

/* The path of directory DIR ends before AT; returns where it begins. */
static char *put_path(const struct ls_queue *q, uint32_t dir, char *at)
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

static errcode_t go_to(struct ls *ls, uint32_t dir,
		       errcode_t (*go)(struct ls_print *p, const char *path, size_t len))
{
	size_t len = path_length(&ls->queue, dir);
	char *buf = malloc(len + 1), *path;
	errcode_t err;

	if (!buf)
		return bfo_fail(&ls->ctx, ENOMEM, "listing directories");
	path = put_path(&ls->queue, dir, buf + len);
	err = go(&ls->print, path, buf + len - path);
	free(buf);
	return err;
}

errcode_t ls_queue_enter(struct ls *ls, uint32_t dir)
{
	errcode_t err = go_to(ls, dir, ls_print_directory);

	return err || !ls->opt.all ? err : ls_batch_dots(ls, dir);
}

errcode_t ls_queue_point(struct ls *ls, uint32_t dir)
{
	return go_to(ls, dir, ls_print_place);
}

void ls_queue_free(struct ls *ls)
{
	bfo_vec_free(&ls->queue.dirs);
	bfo_vec_free(&ls->queue.text);
	free(ls->queue.seen);
	ls->queue.seen = NULL;
}
