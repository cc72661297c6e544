// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_state.c - what a directory was when its stream began, kept for the stream that goes on
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/temporary.h"
#include "intake/dir.h"
#include "job/send_state.h"
#include "plan/serial.h"

/* What decides on the tree that is sent, a line each. */
static errcode_t put_job(const struct bfo_copy_options *opt, bfo_chars *text)
{
	const struct bfo_copy_options shape = {
		.exclude = opt->exclude, .n_exclude = opt->n_exclude,
		.files_from = opt->files_from, .from0 = opt->from0,
		.allow_empty = opt->allow_empty, .owners = opt->owners,
		.cross_mounts = opt->cross_mounts, .metadata_in = opt->metadata_in,
	};
	size_t i, begin = text->n;
	errcode_t err = bfo_options_save(&shape, text);

	for (i = 0; i < opt->n_paths && !err; i++) {
		size_t len = strlen(opt->paths[i]) + 1;

		err = bfo_vec_reserve(text, len);
		if (!err)
			memcpy(text->v + text->n, opt->paths[i], len);
		text->n += err ? 0 : len;
	}
	for (i = begin; i < text->n && !err; i++)
		text->v[i] = text->v[i] ? text->v[i] : '\n';
	return err;
}

static errcode_t put_place(const struct bfo_source *source, bfo_row row, bfo_chars *bytes)
{
	const struct bfo_stream_kept k = bfo_dir_place(source, row);
	errcode_t err = bfo_vec_reserve(bytes, BFO_STREAM_KEPT_BYTES);

	if (err)
		return err;
	bfo_stream_put_kept(&k, (uint8_t *) bytes->v + bytes->n);
	bytes->n += BFO_STREAM_KEPT_BYTES;
	return 0;
}

/* Where the directory is, and all that is sent, in that order. */
static errcode_t put_places(struct bfo_copy *c, bfo_chars *bytes)
{
	const struct bfo_source *source = c->amended.of ? c->amended.of : c->job.from;
	struct bfo_serial_step step = { .kind = BFO_SERIAL_LEAVE };
	struct bfo_serial walk;
	errcode_t err = bfo_serial_begin(&walk, &c->job.plan);

	if (!err)
		err = put_place(source, 0, bytes);
	while (!err && step.kind != BFO_SERIAL_END) {
		err = bfo_serial_next(&walk, &step);
		if (!err && step.kind == BFO_SERIAL_ITEM)
			err = put_place(source, step.row, bytes);
	}
	bfo_serial_free(&walk);
	return err;
}

static errcode_t put_kept(struct bfo_copy *c, bfo_chars *bytes)
{
	errcode_t err = bfo_vec_reserve(bytes, BFO_STREAM_KEPT_HEAD);

	if (err)
		return err;
	bytes->n = BFO_STREAM_KEPT_HEAD;
	err = put_job(&c->opt, bytes);
	if (err)
		return err;
	put_le32(bytes->v, 0, bytes->n - BFO_STREAM_KEPT_HEAD);
	return put_places(c, bytes);
}

static errcode_t write_file(struct bfo_copy *c, const struct bfo_send_options *how)
{
	struct bfo_outlet *outlet;
	bfo_chars bytes = { 0 };
	uint64_t from;
	errcode_t err = bfo_send_open(c->ctx, how, &outlet);

	if (!err)
		err = bfo_send_count(outlet, &c->items, &from);
	if (!err) {
		err = put_kept(c, &bytes);
		if (err)
			bfo_fail(c->ctx, err, "writing %s", how->name);
	}
	if (!err)
		err = bfo_send_kept(outlet, bytes.v, bytes.n);
	bfo_send_close(outlet);
	bfo_vec_free(&bytes);
	return err;
}

/* It has no name: what an earlier attempt has put there is of no use. */
static errcode_t write_unnamed(struct bfo_copy *c, struct bfo_send_options *how)
{
	how->fd = c->opt.state_fd;
	if (ftruncate(how->fd, 0) || lseek(how->fd, 0, SEEK_SET))
		return bfo_fail(c->ctx, errno, "writing %s", how->name);
	return write_file(c, how);
}

static errcode_t write_named(struct bfo_copy *c, struct bfo_send_options *how)
{
	const char *path = how->name;
	char *made;
	errcode_t err = bfo_temporary_make(path, &made, &how->fd);

	if (err)
		return bfo_fail(c->ctx, err, "making %s", path);
	err = fchmod(how->fd, 0600) ? bfo_fail(c->ctx, errno, "making %s", path)
				    : write_file(c, how);
	if (close(how->fd) && !err)
		err = bfo_fail(c->ctx, errno, "writing %s", path);
	if (!err)
		err = bfo_temporary_publish(c->ctx, made, path, 0);
	if (err)
		unlink(made);
	free(made);
	return err;
}

int bfo_send_state_fits(const struct bfo_copy_options *opt)
{
	return opt->n_from == 1 && !strcmp(opt->from[0], "/") && !strcmp(opt->to, "/") &&
	       !opt->dereference;
}

errcode_t bfo_send_state_write(struct bfo_copy *c, const struct bfo_send_options *how)
{
	struct bfo_send_options mine = { .name = c->opt.state, .level = 1,
					 .can_resume = how->can_resume, .like = how->like };

	return c->opt.state_fd ? write_unnamed(c, &mine) : write_named(c, &mine);
}

errcode_t bfo_send_state_take(struct bfo_copy *c)
{
	errcode_t err;

	c->text.n = 0;
	err = put_job(&c->opt, &c->text);
	if (!err)
		err = bfo_vec_push(&c->text, (char) 0);
	if (err)
		return bfo_fail(c->ctx, err, "opening %s", c->opt.state);
	c->opt.n_exclude = c->opt.n_paths = 0;
	c->opt.files_from = c->opt.owners = c->opt.metadata_in = NULL;
	c->opt.cross_mounts = 0;
	return 0;
}
