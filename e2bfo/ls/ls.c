// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls.c - e2bfo ls: options, job (job/readdir.h), listing
 *
 * The filesystem is opened as a source, so never written (P1).  With --deleted there are no names:
 * ls_deleted.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "cli/process.h"
#include "gather/orphan_scan.h"
#include "tree/path.h"
#include "volume/open.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "ls.h"

/* ---- what is listed ---- */

static errcode_t take_directory(void *priv, const char *path, size_t len, int begins)
{
	struct ls *ls = priv;

	return begins ? ls_print_directory(&ls->print, path, len)
		      : ls_print_place(&ls->print, path, len);
}

static errcode_t take_alone(void *priv)
{
	struct ls *ls = priv;

	ls_print_alone(&ls->print);
	return 0;
}

static errcode_t take_entry(void *priv, const struct bfo_readdir_entry *e)
{
	struct ls *ls = priv;

	ls_print_entry(&ls->print, e);
	return 0;
}

static errcode_t take_damage(void *priv, const char *name, size_t len, const struct bfo_tree *t,
			     const struct bfo_finding *f)
{
	const struct damage d = damage_of(t, f);
	struct ls *ls = priv;

	ls_print_damage(&ls->print, name, len, &d);
	return 0;
}

static void take_pause(void *priv)
{
	(void) priv;
	fflush(stdout);
}

/* ---- listing ---- */

static errcode_t begin_volume(struct ls *ls, const struct bfo_readdir_options *list)
{
	errcode_t err;

	ls->opt.medium.may_move = 1;
	err = bfo_medium_open(&ls->opt.medium, &ls->ctx, ls->opt.volume, &ls->opt.common.journal,
			      &ls->volume);
	ls->print.volume = ls->volume;
	if (!err)
		err = bfo_reader_init(&ls->reader, &ls->ctx, ls->volume, BFO_GAP_OF_DEVICE);
	if (err)
		return err;
	ls->print.inode_size = ls->volume->inode_size;
	err = bfo_orphan_scan(&ls->reader, &ls->orphans);
	return err || ls->opt.deleted ? err : bfo_readdir_begin(&ls->list, &ls->reader, list,
								&ls->sink);
}

static errcode_t begin_tree(struct ls *ls, const struct bfo_readdir_options *list)
{
	const struct bfo_end_options how = { .spool = 1 };
	errcode_t err;

	if (ls->opt.deleted)
		return bfo_fail(&ls->ctx, BFO_ET_OPTION, "opening %s: --deleted is for volumes",
				ls->opt.volume);
	err = bfo_browse_check(&ls->tree, &ls->opt.medium);
	if (!err)
		err = bfo_browse_open(&ls->tree, &how);
	if (err)
		return err;
	ls->print.inode_size = ls->tree.source->inode_size;
	bfo_readdir_begin_tree(&ls->list, &ls->tree, list, &ls->sink);
	return 0;
}

static errcode_t begin(struct ls *ls)
{
	const struct ls_options *opt = &ls->opt;
	const struct bfo_readdir_options list = {
		.recursive = opt->recursive, .dots = opt->all, .alone = opt->alone,
		.xattrs = opt->common.json, .memory = opt->common.memory,
	};
	errcode_t err = bfo_browse_tell(&ls->tree, &ls->ctx, opt->volume, &ls->is_tree);

	ls->sink = (struct bfo_readdir_sink) {
		.directory = take_directory, .alone = take_alone, .entry = take_entry,
		.damage = take_damage, .pause = take_pause, .priv = ls,
	};
	if (!err && opt->common.json)
		err = ls_attrs_begin(&ls->attrs);
	if (err)
		return err;
	return ls->is_tree ? begin_tree(ls, &list) : begin_volume(ls, &list);
}

errcode_t ls_resolve(struct ls *ls, const char *const *paths, size_t n, struct bfo_resolved *ways)
{
	if (!ls->is_tree)
		return bfo_readdir_resolve(&ls->list, paths, n, ways);
	bfo_browse_resolve_all(&ls->tree, paths, n, ways);
	return 0;
}

/* The PATH that leads to WAY. */
static errcode_t list_path(struct ls *ls, const char *path, const struct bfo_resolved *way)
{
	errcode_t err = bfo_resolved_check(&ls->ctx, ls->opt.volume, path, way);

	if (!err)
		err = bfo_path_clean(path, &ls->path);
	return err ? err : bfo_readdir_list(&ls->list, ls->path.v, ls->path.n, way->ino,
					    way->parent);
}

void ls_complain(struct ls *ls, errcode_t err)
{
	fflush(stdout);
	com_err("e2bfo", err, "while %s", ls->ctx.what);
	if (ls->failed)
		return;
	ls->failed = err;
	memcpy(ls->what, ls->ctx.what, sizeof(ls->what));
}

/* One PATH that is not there does not keep the others from being listed. */
static errcode_t list_paths(struct ls *ls)
{
	size_t n = ls->opt.n_paths, i;
	errcode_t err;

	ls->found = malloc(n * sizeof(*ls->found) + 1);
	if (!ls->found)
		return bfo_fail(&ls->ctx, ENOMEM, "listing");
	err = ls_resolve(ls, ls->opt.paths, n, ls->found);
	for (i = 0; i < n && !err; i++) {
		err = list_path(ls, ls->opt.paths[i], &ls->found[i]);
		if (err != BFO_ET_NO_PATH && err != BFO_ET_NOT_DIR && err != EINVAL)
			continue;
		ls_complain(ls, err);
		err = 0;
	}
	return err;
}

static void list_all(struct ls *ls)
{
	errcode_t err = begin(ls);

	if (!err && ls->opt.deleted)
		err = ls_deleted_list(ls);
	else if (!err)
		err = list_paths(ls);
	if (!err && ls->opt.files_from)
		err = ls_list_files(ls);
	if (!err)
		err = ls->is_tree ? ls->tree.source->ops->settle(ls->tree.source)
				  : bfo_users_check_again(&ls->ctx, ls->volume);
	if (err)
		ls_complain(ls, err);
}

static void release(struct ls *ls)
{
	bfo_readdir_free(&ls->list);
	bfo_vec_free(&ls->path);
	free(ls->found);
	ls_print_free(&ls->print);
	bfo_tree_free(&ls->orphans);
	bfo_browse_free(&ls->tree);
	bfo_reader_free(&ls->reader);
	bfo_volume_close(ls->volume);
	ls_options_free(&ls->opt);
}

static int finish(struct ls *ls)
{
	static const struct bfo_tree none;
	int status = EXIT_KEPT;

	if (ls->failed)
		status = exit_status_of(ls->failed);
	else if (ls->print.damage)
		status = EXIT_FINDINGS;
	ls_print_end(&ls->print, &ls->list.ways, &ls->reader, ls->failed, ls->what, status);
	if (!ls->opt.common.quiet && !ls->opt.common.json)	/* --deleted lists orphans */
		journals_note(ls->opt.volume, ls->volume, ls->opt.deleted ? &none : &ls->orphans);
	if (!ls->opt.common.quiet) {
		journals_warn(ls->opt.volume, ls->volume);
		medium_warn(ls->opt.volume, ls->volume);
	}
	return status;
}

/* Whatever is read for it, what goes on is listing. */
static void on_progress(void *priv, const struct bfo_progress *p)
{
	struct ls *ls = priv;
	struct bfo_progress listing = { .stage = BFO_STAGE_LIST, .part = BFO_STAGE_LIST,
					.done = ls->print.directories,
					.files = ls->print.entries };

	(void) p;
	ls->tell(&ls->bar, &listing);
}

static void attach_progress(struct ls *ls)
{
	argument_pace(&ls->opt.common, &ls->ctx);
	progress_attach(&ls->bar, &ls->ctx, &ls->opt.common.progress, ls->opt.common.quiet);
	ls->tell = ls->ctx.progress;
	ls->ctx.progress = on_progress;
	ls->ctx.priv = ls;
}

int ls_main(int argc, char **argv)
{
	struct ls ls = { .list.ways.index = "none" };
	int status = ls_options_read(&ls.opt, argc, argv);

	if (status >= 0) {
		ls_options_free(&ls.opt);
		return status;
	}
	process_attach(&ls.ctx);
	attach_progress(&ls);
	ls.print.opt = &ls.opt;
	ls.print.orphans = &ls.orphans;
	ls.print.attrs = &ls.attrs;
	ls_print_begin(&ls.print);
	list_all(&ls);
	progress_wipe(&ls.bar);
	status = finish(&ls);
	release(&ls);
	return status;
}
