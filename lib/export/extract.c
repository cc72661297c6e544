// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract.c - a tree onto a mounted filesystem: the outlet, and the directory that it leads to
 *
 * The directory is opened once; then it may be renamed as anybody likes.  One that is missing is
 * made in the one above it, as all that is new: hidden, until all of it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"

/* ---- the outlet ---- */

static errcode_t extract_look(void *priv, const struct bfo_item *item, enum bfo_look *what)
{
	return bfo_extract_look_item(priv, item, what);
}

static errcode_t extract_item(void *priv, const struct bfo_item *item)
{
	return bfo_extract_item(priv, item);
}

static errcode_t extract_data(void *priv, uint64_t offset, const void *data, size_t len)
{
	return bfo_extract_file_data(priv, offset, data, len);
}

static errcode_t extract_done(void *priv)
{
	return bfo_extract_file_done(priv);
}

static errcode_t extract_leave(void *priv, const struct bfo_item *item)
{
	return bfo_extract_leave(priv, item);
}

static errcode_t extract_end(void *priv)
{
	struct bfo_extract *s = priv;
	errcode_t err;

	if (s->levels.n != 1 || s->fd >= 0)
		return bfo_fail(s->outlet.ctx, BFO_ET_DAMAGED, "ending below %s", s->path);
	err = bfo_extract_tops_flush(s);
	if (!err && s->hidden[0])
		err = bfo_extract_root_end(s);
	if (!err)
		err = bfo_extract_late_apply(s);
	if (!err)
		err = bfo_extract_sync(s);
	if (!err && s->metadata)
		err = bfo_metadata_end(s->outlet.ctx, s->metadata);
	return err;
}

/* ---- open and close ---- */

/* The directory is missing: S->above is the one above it, S->name its name there.  *WHY: if not. */
static errcode_t open_above(struct bfo_extract *s, const char **why)
{
	errcode_t err = bfo_extract_above(s->path, &s->above, &s->name);
	enum bfo_clash_kind kind;
	struct statx about;
	struct stat st;

	if (err) {
		*why = err == ENOENT ? "the directory above it is missing, too" : NULL;
		return err;
	}
	if (!fstatat(s->above, s->name, &st, AT_SYMLINK_NOFOLLOW)) {
		*why = "it is a link that leads nowhere";
		return ENOENT;
	}
	kind = bfo_extract_judge_dir(s->above, &about);
	*why = kind == BFO_CLASH_SEALED ? "the directory above it is immutable or append-only"
					: "the directory above it may not be changed";
	return kind == BFO_CLASH_KINDS ? 0 : kind == BFO_CLASH_SEALED ? EPERM : EACCES;
}

static errcode_t open_root(struct bfo_extract *s, const char **why)
{
	struct statvfs fs;
	errcode_t err = 0;
	int at;

	s->root = open(s->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		err = errno == ENOENT ? open_above(s, why) : errno;
	if (err)
		return err;
	*why = NULL;
	at = s->root < 0 ? s->above : s->root;
	if (fstatvfs(at, &fs))
		return errno;
	if (fs.f_flag & ST_RDONLY)
		return EROFS;
	s->sync = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->sync >= 0)		/* for bfo_extract_abort(), where there are locks */
		flock(s->sync, LOCK_SH | LOCK_NB);
	return bfo_extract_room_begin(s);
}

errcode_t bfo_extract_open(struct bfo_context *ctx, const struct bfo_extract_options *opt,
			   struct bfo_outlet **outlet)
{
	struct bfo_extract *s = calloc(1, sizeof(*s));
	const char *why = NULL;
	errcode_t err;

	*outlet = NULL;
	if (!s)
		return bfo_fail(ctx, ENOMEM, "opening %s", opt->path);
	s->outlet = (struct bfo_outlet) {
		.look = extract_look, .item = extract_item, .data = extract_data,
		.done = extract_done, .leave = extract_leave, .end = extract_end,
		.priv = s, .ctx = ctx };
	s->opt = *opt;
	s->root = s->above = s->sync = s->fd = -1;
	s->path = strdup(opt->path);
	err = s->path ? bfo_globs_compile(&s->no_xattrs, opt->no_xattrs, opt->n_no_xattrs) : ENOMEM;
	if (!err) {
		s->match = calloc(s->no_xattrs.words + 1, sizeof(*s->match));
		err = s->match ? open_root(s, &why) : ENOMEM;
	}
	if (err)
		bfo_fail(ctx, err, "opening %s%s%s", opt->path, why ? ": " : "", why ? why : "");
	else if (opt->metadata_out)
		err = bfo_metadata_open(ctx, opt->metadata_out, &s->metadata);
	if (err)
		bfo_extract_close(&s->outlet);
	else
		*outlet = &s->outlet;
	return err;
}

static void free_all(struct bfo_extract *s)
{
	size_t i;

	bfo_writeback_end(&s->writeback);
	bfo_globs_free(&s->no_xattrs);
	bfo_metadata_close(s->metadata);
	bfo_extract_look_free(s->look);
	bfo_vec_free(&s->levels);
	bfo_vec_free(&s->at);
	bfo_vec_free(&s->file_path);
	bfo_vec_free(&s->packed);
	bfo_vec_free(&s->unwritten);
	bfo_vec_free(&s->tops);
	bfo_vec_free(&s->tops_text);
	bfo_vec_free(&s->late);
	bfo_vec_free(&s->kept_text);
	bfo_vec_free(&s->set);
	bfo_vec_free(&s->value);
	bfo_vec_free(&s->walk);
	for (i = 0; i < BFO_NOTE_KINDS; i++)
		free(s->firsts[i]);
	free(s->shared);
	free(s->match);
	free(s->path);
	free(s->name);
	free(s);
}

int bfo_extract_has_named(const struct bfo_outlet *outlet)
{
	const struct bfo_extract *s = outlet->priv;

	return s->has_named;
}

uint64_t bfo_extract_give_up(struct bfo_outlet *outlet)
{
	struct bfo_extract *s = outlet->priv;

	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	bfo_dirs_free(&s->dirs);
	s->levels.n = 0;
	return bfo_extract_tops_remove(s);
}

void bfo_extract_close(struct bfo_outlet *outlet)
{
	struct bfo_extract *s = outlet ? outlet->priv : NULL;
	int fds[3], i;

	if (!s)
		return;
	bfo_extract_give_up(outlet);
	bfo_dirs_free(&s->other);
	fds[0] = s->root;
	fds[1] = s->above;
	fds[2] = s->sync;
	for (i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free_all(s);
}
