/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ls.h - what the parts of `e2bfo ls` share
 */
#ifndef E2BFO_LS_LS_H
#define E2BFO_LS_LS_H

#include "gather/container.h"
#include "gather/resolve.h"
#include "gather/stats.h"
#include "ls_options.h"
#include "ls_print.h"

/* A directory that is, was or will be listed. */
struct ls_dir {
	uint64_t name;		/* place in `text`; of the first: its whole path */
	uint64_t size;		/* bytes */
	uint32_t parent;	/* index; of the first: itself */
	uint32_t ino;
	uint16_t name_len;	/* of all but the first */
	int has_tree;		/* an index that can be believed */
};

/* Those below one PATH, in the order in which they are listed. */
struct ls_queue {
	BFO_VEC(struct ls_dir) dirs;
	bfo_chars text;
	uint8_t *seen;		/* inode numbers: a bit for each that is in `dirs` */
};

/* A name to be listed; the first three words are the sort key (base/sort.h). */
struct ls_name {
	uint32_t dir;		/* index in the queue */
	uint32_t ino;		/* a number that the volume has */
	uint32_t hash;		/* of several names of one inode in one directory; else 0 */
	uint32_t len;		/* bytes */
	uint64_t text;		/* place in `text`; behind it its hashes, if they stand with it */
};

struct ls_names {
	BFO_VEC(struct ls_name) v;
	bfo_chars text;
};

/* What was read of inodes: all but their data. */
struct ls_inodes {
	struct bfo_stats stats;
	struct bfo_ea_names names;	/* for JSON */
};

struct ls {
	struct ls_options opt;
	struct bfo_context ctx;
	struct bfo_volume *volume;
	struct bfo_reader reader;
	struct bfo_tree orphans;	/* nothing but what was deleted while it was open */
	struct bfo_container container;
	enum bfo_freshness freshness;
	struct ls_ways ways;
	struct ls_queue queue;
	struct ls_inodes inodes;
	struct ls_inodes dots;	/* -a: "." and "..", which are told while `inodes` are */
	struct ls_attrs attrs;
	struct bfo_resolved *found;	/* where each PATH leads */
	bfo_chars path;		/* the one that is listed, in its shortest form ... */
	uint32_t parent;	/* ... and the directory that it is in */
	struct ls_print print;
	struct bar bar;
	void (*tell)(void *priv, const struct bfo_progress *p);	/* to it */
	errcode_t failed;	/* first ... */
	char what[512];		/* ... while doing this */
};

/* ---- ls.c ---- */

/* Tells what has failed; the first such thing decides how it ends. */
void ls_complain(struct ls *ls, errcode_t err);

/*
 * Lists what ST, one of ls->inodes, says of PATH: it is no directory, or damaged, or whatever it is
 * with -d.
 */
void ls_list_alone(struct ls *ls, const bfo_chars *path, const struct bfo_stat *st);

/* ---- ls_list.c ---- */

/* Lists the paths of a list, each alone.  Those that lead nowhere are told, and passed over. */
errcode_t ls_list_files(struct ls *ls);

/* ---- ls_queue.c ---- */

/* Begins with the directory of ST, which has this PATH. */
errcode_t ls_queue_begin(struct ls *ls, const char *path, size_t len, const struct bfo_stat *st);

/*
 * Adds the directory of ST, called NAME in directory PARENT (an index).  One that is there already
 * is told to be damage instead.
 */
errcode_t ls_queue_add(struct ls *ls, uint32_t parent, const char *name, size_t len,
		       const struct bfo_stat *st);

/* Begins the output of directory DIR (an index); or only what is told next is about it. */
errcode_t ls_queue_enter(struct ls *ls, uint32_t dir);
errcode_t ls_queue_point(struct ls *ls, uint32_t dir);

void ls_queue_free(struct ls *ls);

/* ---- ls_batch.c ---- */

/* Reads N inodes into IN, to be told from now on. */
errcode_t ls_batch_read(struct ls *ls, struct ls_inodes *in, const uint32_t *inos, size_t n);
void ls_batch_free(struct ls_inodes *in);

/* Lists "." and ".." of directory DIR (an index of the queue), which was begun. */
errcode_t ls_batch_dots(struct ls *ls, uint32_t dir);

/* Appends a name, with a copy of its LEN bytes, and of the HASHES that stand with it, or NULL. */
errcode_t ls_names_add(struct ls_names *names, struct ls_name name, const char *text, uint32_t len,
		       const void *hashes);
void ls_names_free(struct ls_names *names);

/*
 * Lists names FIRST to END - 1, in their order.  Enters directories as they come, *ENTERED being
 * the last so far.
 */
errcode_t ls_batch_list(struct ls *ls, const struct ls_names *names, size_t first, size_t end,
			uint32_t *entered);

/* ---- ls_dir.c ---- */

/* Lists the directory that the queue begins with, and all that are added meanwhile. */
errcode_t ls_dir_list(struct ls *ls);

/* ---- ls_deleted.c ---- */

/* Lists what the inode tables still tell of deleted inodes. */
errcode_t ls_deleted_list(struct ls *ls);

#endif
