// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout.c - e2bfo layout: how files lie on a volume, and what reading them costs
 *
 *   IMAGE ── inode scan ── name scan ── names as listed ── measures ──┬── text or JSON
 *         '─ block bitmap ── free space ──────────────────────────────┴── picture
 *
 * Volumes are opened as sources: none can be written (P1).
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "cli/process.h"
#include "device/store.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "layout.h"

const char *const layout_order_words[BFO_WALK_ORDERS] = { "readdir", "name", "inode" };

static errcode_t measure(struct layout_side *s, uint32_t read_bytes)
{
	errcode_t err;
	size_t i;

	s->measured = (struct bfo_layout) { .t = &s->tree, .tables = &s->tables,
					    .read_bytes = read_bytes };
	err = bfo_layout_measure(&s->measured, s->roots.v, s->roots.n);
	for (i = 0; i < s->free.n; i++)
		bfo_histogram_add(&s->free_runs, s->free.v[i].len);
	return err ? bfo_fail(s->ctx, err, "measuring %s", s->name) : 0;
}

/* The picture must not be drawn over what is measured. */
static errcode_t open_picture(struct layout *l)
{
	const char *path = l->opt.svg;
	struct bfo_store store;
	struct stat st;
	errcode_t err;
	int i;

	for (i = 0; i < l->opt.n_volumes && !stat(path, &st); i++) {
		if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode) && !S_ISFIFO(st.st_mode))
			return bfo_fail(&l->ctx, BFO_ET_OPTION, "writing %s: a picture becomes a "
					"file", path);
		if (!S_ISREG(st.st_mode))
			continue;
		err = bfo_store_identify(&l->ctx, path, 0, &store);
		if (!err && bfo_volume_lies_on(l->side[i].volume, &store))
			err = bfo_fail(&l->ctx, BFO_ET_OPTION, "writing %s: that is %s", path,
				       l->side[i].name);
		if (err)
			return err;
	}
	l->svg = fopen(path, "we");
	return l->svg ? 0 : bfo_fail(&l->ctx, errno, "writing %s", path);
}

static errcode_t draw(struct layout *l)
{
	errcode_t err = open_picture(l);

	if (err)
		return err;
	err = layout_draw(l);
	if (ferror(l->svg) && !err)
		err = EIO;
	if (fclose(l->svg) && !err)
		err = errno;
	return err ? bfo_fail(&l->ctx, err, "writing %s", l->opt.svg) : 0;
}

static void begin(struct layout *l, int i)
{
	l->opt.medium[i].may_move = 1;
	l->side[i] = (struct layout_side) { .name = l->opt.volume[i], .ctx = &l->ctx,
					    .medium = &l->opt.medium[i] };
}

/* What moves is gathered again if something of it seems to be damaged. */
static errcode_t gather(struct layout *l, int i)
{
	struct layout_side *s = &l->side[i];
	int tries = 0;
	errcode_t err;

	begin(l, i);
	err = layout_gather(s, &l->opt);
	while ((err || s->tree.findings.n || s->free_error) && !bfo_cancelled(&l->ctx) &&
	       bfo_users_again(s->volume, &tries)) {
		layout_release(s);
		begin(l, i);
		err = layout_gather(s, &l->opt);
	}
	return err;
}

static errcode_t look(struct layout *l)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < l->opt.n_volumes && !err; i++) {
		err = gather(l, i);
		if (!err)
			err = measure(&l->side[i], l->opt.read_bytes);
		if (!err)
			err = bfo_users_check_again(&l->ctx, l->side[i].volume);
	}
	if (!err && l->opt.svg)
		err = draw(l);
	return err;
}

static int finish(struct layout *l, errcode_t err)
{
	struct bfo_what what = bfo_what_keep(&l->ctx);
	int status = EXIT_KEPT, i;

	if (err)
		status = exit_status_of(err);
	else
		layout_print_damage(l);
	for (i = 0; i < l->opt.n_volumes && !status; i++)
		if ((l->side[i].damage || l->side[i].free_error) &&
		    !l->side[i].volume->users.moving)
			status = EXIT_FINDINGS;
	if (err)
		com_err("e2bfo", err, "while %s", what.text);
	if (l->opt.common.json)
		err = layout_json(l, err, what.text, status);
	else if (!err)
		err = layout_print(l);
	else
		err = 0;
	if (err) {
		com_err("e2bfo", err, "while reporting");
		status = EXIT_FAILED;
	}
	for (i = 0; i < l->opt.n_volumes && !l->opt.common.quiet; i++) {
		journals_warn(l->opt.volume[i], l->side[i].volume);
		medium_warn(l->opt.volume[i], l->side[i].volume);
	}
	return status;
}

int layout_main(int argc, char **argv)
{
	struct layout l = { .svg = NULL };
	struct bar bar = { 0 };
	int status = layout_options_read(&l.opt, argc, argv), i;
	errcode_t err;

	if (status >= 0) {
		layout_options_free(&l.opt);
		return status;
	}
	process_attach(&l.ctx);
	argument_pace(&l.opt.common, &l.ctx);
	progress_attach(&bar, &l.ctx, &l.opt.common.progress, l.opt.common.quiet);
	for (i = 0; i < l.opt.n_volumes; i++)
		begin(&l, i);
	err = look(&l);
	progress_wipe(&bar);
	status = finish(&l, err);
	for (i = 0; i < l.opt.n_volumes; i++)
		layout_release(&l.side[i]);
	layout_options_free(&l.opt);
	return status;
}
