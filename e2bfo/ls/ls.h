/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ls.h - what the parts of `e2bfo ls` share
 */
#ifndef E2BFO_LS_LS_H
#define E2BFO_LS_LS_H

#include "gather/resolve.h"
#include "job/readdir.h"
#include "ls_options.h"
#include "ls_print.h"

struct ls {
	struct ls_options opt;
	struct bfo_context ctx;
	struct bfo_volume *volume;	/* NULL: not open (yet), or none, but */
	struct bfo_browse tree;		/* an archive or a stream, */
	int is_tree;			/* if it is one */
	struct bfo_reader reader;
	struct bfo_tree orphans;	/* nothing but what was deleted while it was open */
	struct bfo_readdir list;
	struct bfo_readdir_sink sink;	/* of it */
	struct ls_attrs attrs;
	struct bfo_resolved *found;	/* where each PATH leads */
	bfo_chars path;		/* the one that is listed, in its shortest form */
	struct ls_print print;
	struct bar bar;
	void (*tell)(void *priv, const struct bfo_progress *p);	/* to it */
	errcode_t failed;	/* first ... */
	char what[512];		/* ... while doing this */
};

/* ---- ls.c ---- */

/* Tells what has failed; the first such thing decides how it ends. */
void ls_complain(struct ls *ls, errcode_t err);

/* Where N PATHS lead. */
errcode_t ls_resolve(struct ls *ls, const char *const *paths, size_t n, struct bfo_resolved *ways);

/* ---- ls_list.c ---- */

/* Lists the paths of a list, each alone.  Those that lead nowhere are told, and passed over. */
errcode_t ls_list_files(struct ls *ls);

/* ---- ls_deleted.c ---- */

/* Lists what the inode tables still tell of deleted inodes. */
errcode_t ls_deleted_list(struct ls *ls);

#endif
