// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls.c - e2bfo ls: names with all attributes, directory by directory
 *
 *   PATH ── directories on the way ── its inode ── names, by inode number ── batch: inodes, print
 *                                                    ^                           │
 *                                                    └──── -R: directories <─────┘
 *
 * With --deleted there are no names: ls_deleted.c.
 *
 * A readdir that gives attributes along with the names, for a filesystem that is opened as a
 * source, so never written (P1).
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "cli/process.h"
#include "gather/orphan_scan.h"
#include "volume/open.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "ls.h"

/* ---- listing ---- */

/* Something that is no directory, or is damaged, or whatever it is with -d. */
static void list_alone(struct ls *ls, const bfo_chars *path, const struct bfo_stat *st)
{
	ls_print_alone(&ls->print);
	if (st->bad != BFO_FOUND_KINDS)
		ls_print_damage(&ls->print, path->v, path->n, &(struct damage) {
				.kind = st->bad, .ino = st->ino });
	else
		ls_print_entry(&ls->print, path->v, path->n, st,
			       st->target_len ? ls->inodes.stats.targets.v + st->target : NULL);
}

static errcode_t list_path(struct ls *ls, const char *path)
{
	const bfo_chars *clean = &ls->resolver.clean;
	const struct ext2_inode *raw;
	const struct bfo_stat *st;
	uint32_t ino;
	errcode_t err;

	err = bfo_resolve(&ls->resolver, path, &ino);
	if (!err)
		err = ls_batch_read(ls, &ls->inodes, &ino, 1);
	if (!err) {
		st = bfo_stats_find(&ls->inodes.stats, ino);
		raw = st->raw;
		if (st->bad != BFO_FOUND_KINDS || ls->opt.alone ||
		    !S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode))) {
			list_alone(ls, clean, st);
		} else {
			err = ls_queue_begin(ls, clean->v, clean->n, st);
			if (!err)
				err = ls_queue_point(ls, 0);
			if (!err)
				ls_print_strange(&ls->print, "", 0, st);
			if (!err)
				err = ls_dir_list(ls);
		}
	}
	return err;
}

/* What the container is good for; without one, or with a damaged one, there is none. */
static errcode_t find_container(struct ls *ls)
{
	static const char *const words[] = {
		[BFO_ITREE_FRESH] = "fresh", [BFO_ITREE_LIKELY] = "likely",
		[BFO_ITREE_UNKNOWN] = "stale",
	};
	errcode_t err;

	ls->ways.index = "none";
	if (ls->volume->users.moving)
		/* the times that an index is compared with may not be on the disk */
		return 0;
	err = bfo_container_find(&ls->reader, &ls->container);
	if (!err) {
		ls->freshness = bfo_container_freshness(&ls->container, ls->volume);
		ls->ways.index = words[ls->freshness];
		return 0;
	}
	memset(&ls->container.header, 0, sizeof(ls->container.header));
	if (err == ENOMEM || err == BFO_ET_CANCELLED)
		return err;
	if (err != BFO_ET_NO_ITREE)
		ls->ways.index = "damaged";
	bfo_what_clear(&ls->ctx);
	return 0;
}

static errcode_t begin(struct ls *ls)
{
	errcode_t err;

	ls->opt.medium.may_move = 1;
	err = bfo_medium_open(&ls->opt.medium, &ls->ctx, ls->opt.volume, &ls->opt.common.journal,
			  &ls->volume);

	ls->print.volume = ls->volume;
	ls->resolver = (struct bfo_resolver) { .reader = &ls->reader, .name = ls->opt.volume };
	if (!err)
		err = bfo_reader_init(&ls->reader, &ls->ctx, ls->volume, BFO_GAP_OF_DEVICE);
	if (!err && ls->opt.common.json)
		err = ls_attrs_begin(&ls->attrs);
	if (!err)
		err = bfo_orphan_scan(&ls->reader, &ls->orphans);
	return err || ls->opt.deleted ? err : find_container(ls);
}

/* Tells what has failed; the first such thing decides how it ends. */
static void complain(struct ls *ls, errcode_t err)
{
	fflush(stdout);
	com_err("e2bfo", err, "while %s", ls->ctx.what);
	if (ls->failed)
		return;
	ls->failed = err;
	memcpy(ls->what, ls->ctx.what, sizeof(ls->what));
}

/* One PATH that is not there does not keep the others from being listed. */
static void list_all(struct ls *ls)
{
	errcode_t err = begin(ls);
	size_t i;

	if (err)
		complain(ls, err);
	if (!err && ls->opt.deleted) {
		err = ls_deleted_list(ls);
		if (err)
			complain(ls, err);
	}
	for (i = 0; i < ls->opt.n_paths && !err && !ls->opt.deleted; i++) {
		err = list_path(ls, ls->opt.paths[i]);
		if (err)
			complain(ls, err);
		if (err == BFO_ET_NO_PATH || err == BFO_ET_NOT_DIR || err == EINVAL)
			err = 0;
	}
	if (err)
		return;
	err = bfo_users_check_again(&ls->ctx, ls->volume);
	if (err)
		complain(ls, err);
}

static void release(struct ls *ls)
{
	ls_queue_free(ls);
	ls_print_free(&ls->print);
	ls_batch_free(&ls->inodes);
	ls_batch_free(&ls->dots);
	bfo_tree_free(&ls->orphans);
	bfo_container_free(&ls->container);
	bfo_resolver_free(&ls->resolver);
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
	ls_print_end(&ls->print, &ls->ways, &ls->reader, ls->failed, ls->what, status);
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
	struct ls ls = { .ways = { .index = "none" } };
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
