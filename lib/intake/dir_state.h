/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_state.h - what the parts of a directory's intake share
 *
 *   dir.c        open, gather, places, close
 *   dir_walk.c   directories and their names, level by level
 *   dir_stat.c   one inode: attributes, flags, extended attributes
 *   dir_map.c    a file's data, holes and preallocation
 *   dir_metadata.c  what a file of metadata says of all that
 *   dir_kept.c   a tree that an earlier run has kept
 *   dir_fds.c    descriptors of directories; opening what lies in them
 *   dir_read.c   contents
 *
 * Errors: those of dir.h.
 */
#ifndef BFO_INTAKE_DIR_STATE_H
#define BFO_INTAKE_DIR_STATE_H

#include <sys/stat.h>

#include "intake/dir.h"
#include "intake/intake.h"

/* What a device's filesystem does not know is not asked of it again. */
enum {
	BFO_DIR_NO_FLAGS = 1,
	BFO_DIR_NO_PROJECT = 2,
	BFO_DIR_NO_GENERATION = 4,
	BFO_DIR_NO_MAP = 8,		/* FIEMAP */
	BFO_DIR_NO_XATTR = 16,
	BFO_DIR_NO_NOWAIT = 32,		/* reading only what is in the page cache */
};

struct bfo_dir_device {
	uint32_t major, minor;
	uint32_t lacks;			/* a set of these */
	int is_xfs;
};

/* Beside each record of the tree. */
struct bfo_dir_inode {
	uint64_t ino;			/* where it lies */
	uint64_t start;			/* its first place; while it is gathered, where it begins */
	uint64_t stamp;			/* see bfo_dir_stamp() */
	uint64_t name;			/* place in the tree's text << 8 | length */
	bfo_row parent;
	unsigned int device : 29;	/* index into devices */
	unsigned int is_placed : 1;	/* while it is gathered: FIEMAP told `start` */
	unsigned int is_changed : 1;	/* a finding says so */
	unsigned int is_touched : 1;	/* O_NOATIME is not allowed */
};

struct bfo_dir_slot {
	bfo_row row;			/* BFO_NONE: empty */
	int fd;
};

/* A piece of a file that is allocated and not written: bytes. */
struct bfo_dir_unwritten {
	uint64_t begin, end;
};

struct bfo_dir {
	struct bfo_intake in;		/* its source is the first in it */
	struct bfo_dir_options opt;
	char *path, *metadata_path;	/* what `opt` points to */
	int root;			/* its descriptor */
	int metadata;			/* that of opt.metadata, or -1 */
	uint64_t mount;			/* that the root lies on */
	struct bfo_source *kept;	/* the stream that opt.kept is, or NULL */
	char *kept_path, *job;
	BFO_VEC(struct bfo_dir_inode) inodes;
	BFO_VEC(struct bfo_dir_device) devices;
	uint32_t *links;		/* rows + 1 of inodes with several names: an open hash */
	size_t links_size, links_n;
	bfo_rows places;		/* files with data, by place */
	struct bfo_dir_notes notes;
	uint32_t told;			/* a set of enum bfo_unknown: some file told it, or line */
	struct bfo_dir_slot *slots;	/* descriptors of directories */
	uint32_t slots_n;
	bfo_rows chain;			/* scratch */
	bfo_xattrs set;			/* scratch: attributes of one inode, */
	bfo_chars values;		/* and their values */
	BFO_VEC(struct bfo_dir_unwritten) unwritten;	/* scratch: of one file */
	char *buffer;			/* scratch: BFO_DIR_BUFFER bytes */
};

#define BFO_DIR_BUFFER (256U << 10)
#define BFO_DIR_NAME_BYTES 256U		/* a name and its zero */

/* How one inode was met. */
struct bfo_dir_found {
	struct statx st;
	int fd;				/* open for reading; else only to look at (O_PATH) */
	int error;			/* why it cannot be read; 0: it can, or needs not */
	int is_touched;
	uint32_t device;
	uint32_t xflags;		/* FS_XFLAG_..., where FS_IOC_FSGETXATTR told them */
	int is_featured;		/* has what only the volume itself could tell */
};

#define BFO_DIR_STATX (STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID)

/* ---- dir_fds.c ---- */

/*
 * Opens NAME in directory AT: *FD; FLAGS besides what keeps us from following, waiting and
 * touching.  *TOUCHED becomes 1 if reading it may change its access time.  An errno.
 */
errcode_t bfo_dir_open_at(struct bfo_dir *d, int at, const char *name, int flags, int *fd,
			  int *touched);

/*
 * The descriptor of directory ROW, which stays d's, until the next one is asked for.
 * BFO_ET_CHANGED: it is no longer the same; an errno.
 */
errcode_t bfo_dir_fd(struct bfo_dir *d, bfo_row row, int *fd);

/* True if ST is of ROW: of its type, where it was. */
int bfo_dir_is_same(const struct bfo_dir *d, bfo_row row, const struct statx *st);

/* FD is a descriptor of ROW, and becomes d's. */
void bfo_dir_fd_keep(struct bfo_dir *d, bfo_row row, int fd);

errcode_t bfo_dir_fds_init(struct bfo_dir *d);
void bfo_dir_fds_free(struct bfo_dir *d);

/* The name of ROW, which is not the root, with a zero behind it. */
void bfo_dir_name(const struct bfo_dir *d, bfo_row row, char out[BFO_DIR_NAME_BYTES]);

/*
 * Notes that ERR has happened to NAME (NULL: itself) in directory ROW, with the path, while doing
 * WHAT.  Returns ERR.
 */
errcode_t bfo_dir_fail(struct bfo_dir *d, errcode_t err, const char *what, bfo_row row,
		       const char *name);

/* ---- dir_walk.c ---- */

/* Gathers all names and inodes below the root, and the root. */
errcode_t bfo_dir_walk(struct bfo_dir *d);

/* Notes once that ROW has changed. */
errcode_t bfo_dir_changed(struct bfo_dir *d, bfo_row row);

/* ---- dir_stat.c ---- */

/* Number of a device in d->devices: *INDEX. */
errcode_t bfo_dir_device(struct bfo_dir *d, const struct statx *st, int fd, uint32_t *index);

/*
 * Appends what was found, in directory PARENT under NAME, to the tree, with its attributes and
 * content: *ROW.  (The name comes afterwards.)
 */
errcode_t bfo_dir_inode(struct bfo_dir *d, struct bfo_dir_found *f, int parent, const char *name,
			bfo_row *row);

/* One number for what changes with an inode: its times. */
uint64_t bfo_dir_stamp(const struct statx *st);

/* ---- dir_map.c ---- */

/* Segments of the file that was appended last. */
errcode_t bfo_dir_map(struct bfo_dir *d, const struct bfo_dir_found *f, bfo_row row);

/* ---- dir_metadata.c ---- */

/* Applies what d->metadata says to all that the walk has found. */
errcode_t bfo_dir_metadata(struct bfo_dir *d);

/* ---- dir_kept.c ---- */

/* Opens d->opt.kept. */
errcode_t bfo_dir_kept_open(struct bfo_dir *d);

/* In place of the walk: TREE, as it was kept, and where its files were. */
errcode_t bfo_dir_kept_gather(struct bfo_dir *d, struct bfo_tree *tree);

/* What TREE has in memory: the intake that made it. */
struct bfo_intake *bfo_dir_intake(struct bfo_dir *d);

/* ---- dir_read.c ---- */

/* Looks whether files are in the page cache, at some of them: the source's is_at_hand. */
void bfo_dir_look(struct bfo_dir *d);

errcode_t bfo_dir_read(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
		       const struct bfo_sink *sink);

#endif
