/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readdir.h - names of directories with all attributes: a readdir that gives these along
 *
 *   inode ── names, by inode number ── batch: inodes ── sink
 *              ^                         │
 *              └─ recursive: directories ┘
 *
 *   readdir.c         what one inode is, and the container of indexes
 *   readdir_dirs.c    the names of directories, by an index or by reading them
 *   readdir_batch.c   a batch of names: their inodes
 *   readdir_queue.c   directories to be listed
 *   readdir_paths.c   what many paths are
 *   readdir_members.c what stands in place of composite files
 *   readdir_tree.c    all of that for what is no volume, and in memory
 *
 * What is read are the directories and the blocks of the inode table that they lead to.  Nothing is
 * printed.
 *
 * Errors: those of reading (gather/batch.h), BFO_ET_CANCELLED, ENOMEM; what the sink returned.
 * What is damaged is told to the sink, and is no error.
 */
#ifndef BFO_JOB_READDIR_H
#define BFO_JOB_READDIR_H

#include "gather/container.h"
#include "gather/dir_members.h"
#include "gather/ea_names.h"
#include "gather/resolve.h"
#include "gather/stats.h"
#include "job/browse.h"

/* A name, and what it leads to, which is sound. */
struct bfo_readdir_entry {
	const char *name;
	size_t len;
	const struct bfo_stat *st;
	uint64_t ino;			/* as users see it: bfo_tree_shown_ino() */
	const char *target;		/* where a symbolic link leads (st->target_len), or NULL */
	struct bfo_ea_names *xattrs;	/* that knows its attributes; NULL: they were not read */
};

/* Who is told.  A non-zero return ends the listing, and is returned. */
struct bfo_readdir_sink {
	/*
	 * What follows is in directory PATH, the names or what is damaged.  BEGINS: now its names
	 * are listed; else only what comes next is about it.
	 */
	errcode_t (*directory)(void *priv, const char *path, size_t len, int begins);
	/* What follows is in none: names are whole paths. */
	errcode_t (*alone)(void *priv);
	errcode_t (*entry)(void *priv, const struct bfo_readdir_entry *e);
	/* NAME in that directory (empty: the directory) is damaged: F, a finding of T. */
	errcode_t (*damage)(void *priv, const char *name, size_t len, const struct bfo_tree *t,
			    const struct bfo_finding *f);
	/* Some were told, and others have to be read first. */
	void (*pause)(void *priv);
	void *priv;
};

struct bfo_readdir_options {
	int recursive;			/* directories below, too, level by level */
	int dots;			/* "." and "..", too */
	int alone;			/* a directory itself, not what is in it */
	int xattrs;			/* names of extended attributes are read */
	uint64_t memory;		/* bytes, for directories that are read together */
};

/* How directories were read. */
struct bfo_readdir_ways {
	uint64_t by_tree, sorted;	/* directories */
	uint64_t broken;		/* of these: the tree that they were begun by is damaged */
	const char *index;		/* "none", "fresh", "likely", "stale", "damaged" */
};

/* A directory that is, was or will be listed. */
struct bfo_readdir_dir {
	uint64_t name;		/* place in `text`; of the first: its whole path */
	uint64_t size;		/* bytes */
	uint32_t parent;	/* index; of the first: itself */
	uint32_t ino;
	uint16_t name_len;	/* of all but the first */
	int has_tree;		/* an index that can be believed */
};

/* Those below one PATH, in the order in which they are listed. */
struct bfo_readdir_queue {
	BFO_VEC(struct bfo_readdir_dir) dirs;
	bfo_chars text;
	uint8_t *seen;		/* inode numbers: a bit for each that is in `dirs` */
};

/* A name to be listed; the first three words are the sort key (base/sort.h). */
struct bfo_readdir_name {
	uint32_t dir;		/* index in the queue */
	uint32_t ino;		/* a number that the volume has */
	uint32_t hash;		/* of several names of one inode in one directory; else 0 */
	uint32_t len;		/* bytes */
	uint64_t text;		/* place in `text`; behind it its hashes, if they stand with it */
};

struct bfo_readdir_names {
	BFO_VEC(struct bfo_readdir_name) v;
	bfo_chars text;
};

/* What was read of inodes: all but their data. */
struct bfo_readdir_inodes {
	struct bfo_stats stats;
	struct bfo_ea_names names;
};

/* A name of a member of a composite file.  The first three words are the sort key. */
struct bfo_readdir_member {
	bfo_row composite;
	uint32_t number;
	uint32_t name;		/* in names[] of the tree */
	uint32_t unused;
};

/* Members of composite files in some directories. */
struct bfo_readdir_members {
	uint32_t dir;		/* inode number of the only one; 0: there are several, or none */
	struct bfo_tree tree;
	struct bfo_source of_volume;
	struct bfo_unpacked unpacked;
	BFO_VEC(struct bfo_readdir_member) v;
	bfo_chars raw;		/* scratch: an inode */
};

struct bfo_readdir {
	struct bfo_context *ctx;
	struct bfo_reader *reader;
	const struct bfo_browse *tree;	/* in its place; or NULL */
	struct bfo_readdir_options opt;
	const struct bfo_readdir_sink *to;
	struct bfo_container container;
	enum bfo_freshness freshness;
	struct bfo_readdir_ways ways;
	struct bfo_readdir_queue queue;
	struct bfo_readdir_inodes inodes;
	struct bfo_readdir_inodes dots;	/* "." and "..", which are told while `inodes` are */
	struct bfo_readdir_members within;	/* of the directory that is told now */
	struct bfo_readdir_members sought;	/* to which paths have led */
	uint32_t parent;	/* inode number: what the first of the queue is in */
	uint32_t index;		/* of paths: which one is told */
};

/* Begins: looks for indexes.  READER and TO have to stay.  Free it in any case. */
errcode_t bfo_readdir_begin(struct bfo_readdir *l, struct bfo_reader *reader,
			    const struct bfo_readdir_options *opt,
			    const struct bfo_readdir_sink *to);

/* The same of TREE, which is open, and has to stay. */
void bfo_readdir_begin_tree(struct bfo_readdir *l, const struct bfo_browse *tree,
			    const struct bfo_readdir_options *opt,
			    const struct bfo_readdir_sink *to);

/*
 * Follows N PATHS as bfo_resolve() does.  One that leads to a member of a composite file has a
 * number that no inode of the volume has; it holds until paths are followed again.
 */
errcode_t bfo_readdir_resolve(struct bfo_readdir *l, const char *const *paths, size_t n,
			      struct bfo_resolved *ways);

/*
 * Lists inode INO, which has the path PATH, from the root on, in its shortest form, and is in the
 * directory PARENT.
 */
errcode_t bfo_readdir_list(struct bfo_readdir *l, const char *path, size_t len, uint32_t ino,
			   uint32_t parent);

/*
 * Tells what N PATHS, which lead to WAYS, are, in the order of inode numbers; what leads nowhere is
 * left out.
 */
errcode_t bfo_readdir_paths(struct bfo_readdir *l, const char *const *paths,
			    const struct bfo_resolved *ways, size_t n);

/* Also of one that was zeroed. */
void bfo_readdir_free(struct bfo_readdir *l);

/* ---- parts, for the files above: readdir_queue.c ---- */

/* Begins with the directory of ST, which has this PATH. */
errcode_t bfo_readdir_start(struct bfo_readdir *l, const char *path, size_t len,
			    const struct bfo_stat *st);

/*
 * Adds the directory of ST, called NAME in directory PARENT (an index).  One that is there already
 * is told to be damage instead.
 */
errcode_t bfo_readdir_add(struct bfo_readdir *l, uint32_t parent, const char *name, size_t len,
			  const struct bfo_stat *st);

/* Begins the output of directory DIR (an index); or only what is told next is about it. */
errcode_t bfo_readdir_enter(struct bfo_readdir *l, uint32_t dir);
errcode_t bfo_readdir_point(struct bfo_readdir *l, uint32_t dir);

void bfo_readdir_queue_free(struct bfo_readdir *l);

/* ---- readdir_batch.c ---- */

/* Reads N inodes into IN, to be told from now on. */
errcode_t bfo_readdir_read(struct bfo_readdir *l, struct bfo_readdir_inodes *in,
			   const uint32_t *inos, size_t n);
void bfo_readdir_inodes_free(struct bfo_readdir_inodes *in);

/* Tells that ST, one of IN, is called NAME; *SOUND (or NULL): it is. */
errcode_t bfo_readdir_tell(struct bfo_readdir *l, struct bfo_readdir_inodes *in,
			   const struct bfo_stat *st, const char *name, size_t len, int *sound);

/* Tells that NAME is damaged: KIND, inode INO. */
errcode_t bfo_readdir_tell_damage(struct bfo_readdir *l, const char *name, size_t len,
				  enum bfo_finding_kind kind, uint32_t ino);

/* Lists "." and ".." of directory DIR (an index of the queue), which was begun. */
errcode_t bfo_readdir_dots(struct bfo_readdir *l, uint32_t dir);

/* Appends a name, with a copy of its LEN bytes, and of the HASHES that stand with it, or NULL. */
errcode_t bfo_readdir_names_add(struct bfo_readdir_names *names, struct bfo_readdir_name name,
				const char *text, uint32_t len, const void *hashes);
void bfo_readdir_names_free(struct bfo_readdir_names *names);

/*
 * Lists names FIRST to END - 1, in their order.  Enters directories as they come, *ENTERED being
 * the last so far.
 */
errcode_t bfo_readdir_batch(struct bfo_readdir *l, const struct bfo_readdir_names *names,
			    size_t first, size_t end, uint32_t *entered);

/* ---- readdir_dirs.c ---- */

/* Lists the directory that the queue begins with, and all that are added meanwhile. */
errcode_t bfo_readdir_dirs(struct bfo_readdir *l);

/* ---- readdir_members.c ---- */

/*
 * ST, called NAME in directory DIR, an inode number: *TOLD, in its place or with what is wrong with
 * it, if it is a composite file.
 */
errcode_t bfo_readdir_tell_members(struct bfo_readdir *l, uint32_t dir, const struct bfo_stat *st,
				   const char *name, size_t len, int *told);

/* Is that the number of a member to which a path has led?  Tells what it is, by its PATH. */
int bfo_readdir_is_member(const struct bfo_readdir *l, uint32_t ino);
errcode_t bfo_readdir_tell_member(struct bfo_readdir *l, uint32_t ino, const char *path,
				  size_t len);

void bfo_readdir_members_free(struct bfo_readdir *l);

/* ---- readdir_tree.c ---- */

/* What bfo_stats_read() and bfo_readdir_dirs() do for volumes. */
errcode_t bfo_readdir_read_tree(struct bfo_readdir *l, struct bfo_stats *s, const uint32_t *inos,
				size_t n);
errcode_t bfo_readdir_dirs_tree(struct bfo_readdir *l);

#endif
