/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_write.h - many changes of a volume that holds files, all of them or none
 *
 *   open ──┬── create, update, append, remove ... ──┬── commit ──┬── close
 *          │    `──────────────<───────────────────'             │
 *          `───────────────────────<────────────────────────────'
 *
 * Batchwrite() of the BFO paper (MSST 2019).  Contents go into free blocks as they come; metadata
 * changes in memory, where later operations see it.  The commit is one transaction of the volume's
 * own journal (P5): after a power cut there is all of it, or nothing.  What a commit frees is not
 * used before that commit is in place.
 *
 * Paths begin with "/", have no "." nor "..", and follow no links.  An operation that fails leaves
 * the batch as it was.  Times that nobody sets are those of the commit; until then
 * bfo_batch_stat() has that of the first operation.
 *
 * Nothing is printed.  One thread at a time; callbacks must not call with the same batch.
 *
 * Errors of operations:
 *   BFO_ET_NO_PATH       something on the path is not there, or the file is not
 *   BFO_ET_NOT_DIR       something on the path is no directory
 *   BFO_ET_EXISTS        the name is there already
 *   BFO_ET_IS_DIR        a file was wanted
 *   BFO_ET_NOT_EMPTY     the directory has names
 *   BFO_ET_NOT_FILE      no regular file
 *   BFO_ET_BAD_PATH      a path, name or value that cannot be
 *   BFO_ET_IMMUTABLE, BFO_ET_APPEND_ONLY, BFO_ET_ENCRYPTED, BFO_ET_VERITY, BFO_ET_CASEFOLD
 *                        the file's, or the directory's, flags forbid it
 *   BFO_ET_OWN_FILE      it belongs to the filesystem itself
 *   BFO_ET_NO_SPACE, BFO_ET_NO_INODES, BFO_ET_DIR_TOO_BIG, BFO_ET_FILE_TOO_BIG, BFO_ET_LINKS,
 *   BFO_ET_XATTR_ROOM
 *   BFO_ET_JOURNAL_SMALL of a commit: ctx->what says how many operations fit
 *   BFO_ET_NOT_JOURNALED of opening, without is_not_atomic
 *   BFO_ET_RECOVERY      of opening a volume that was not unmounted cleanly
 *   ENOMEM; those of reading and writing; what a callback returned
 *
 * Bytes of a block that stay, beside those that an update or append brings, are read together with
 * others, later: if that fails, so do the operation at hand, and the commit.
 */
#ifndef BFO_JOB_BATCH_WRITE_H
#define BFO_JOB_BATCH_WRITE_H

#include <time.h>

#include "base/context.h"

struct bfo_batch;

/*
 * When a batch commits by itself, between operations: at whichever comes first; all 0: never.  With
 * is_auto the first three are those that pay (set ones count), the journal never overflows, and
 * bfo_batch_idle() commits whatever waits.
 */
struct bfo_batch_marks {
	uint64_t bytes;			/* of contents */
	uint64_t files;			/* operations */
	unsigned journal_percent;	/* of the journal that the commit would take */
	double seconds;			/* since the first operation that waits */
	int is_auto;
};

struct bfo_batch_options {
	const char *volume;		/* as volume/open.h has it; its journal has to be empty */
	const char *undo_file;		/* for e2undo(8); or NULL */
	int64_t now;			/* seconds since 1970; 0: the clock */
	uint64_t memory;		/* bytes of contents that wait to be written; 0: 8 MiB */
	int is_not_atomic;		/* a volume without a journal will do */
	int is_forced;			/* not refused although bitmaps do not fit inodes */
	int is_look;			/* nothing will be committed: it is not claimed */
	struct bfo_batch_marks marks;
	/* Operations FIRST .. FIRST + N - 1, counted from 0, are durable.  NULL is fine. */
	errcode_t (*committed)(void *priv, uint64_t first, uint64_t n);
	void *priv;
};

/* NAME as users see it, "user.x"; access control lists in the form of getxattr(2). */
struct bfo_batch_xattr {
	const char *name;
	const void *value;		/* NULL: the attribute goes */
	size_t len;
};

enum {
	BFO_BATCH_MODE = 1,		/* permissions; the type stays what it is */
	BFO_BATCH_UID = 2,
	BFO_BATCH_GID = 4,
	BFO_BATCH_PROJECT = 8,
	BFO_BATCH_FLAGS = 16,		/* those of chattr(1) that users may change */
	BFO_BATCH_ATIME = 32,
	BFO_BATCH_MTIME = 64,
	BFO_BATCH_CRTIME = 128,
};

/*
 * What is not set stays; of what is new it is 0644, 0755 or 0777 (directories; links), 0:0, and the
 * time of the commit.
 *
 * What is new takes over from its directory what a kernel would: a default access control list,
 * which also takes from the mode, as for open(2) with that mode and no umask; the group, where the
 * directory is set-group-id; flags of chattr(1); the project.  What ATTR sets comes after that, but
 * for the mode.
 */
struct bfo_batch_attr {
	uint32_t set;			/* of these */
	uint32_t mode, uid, gid, project, flags;
	struct timespec atime, mtime, crtime;
	const struct bfo_batch_xattr *xattrs;
	size_t n_xattrs;
};

/* SIZE bytes at DATA, which are copied; or, where that is NULL, those that fill() puts to TO. */
struct bfo_batch_content {
	const void *data;
	uint64_t size;
	/* LEN bytes from OFFSET on, ascending; a non-zero return ends the operation */
	errcode_t (*fill)(void *priv, uint64_t offset, void *to, size_t len);
	void *priv;
};

enum {
	BFO_BATCH_REPLACE = 1,		/* a file that is there */
	BFO_BATCH_PARENTS = 2,		/* directories on the way are made */
	BFO_BATCH_CREATE = 4,		/* append, update: the file is made if it is not there */
	BFO_BATCH_TREE = 8,		/* remove: with all that is below */
	BFO_BATCH_KEEP = 16,		/* mkdir: a directory that is there is no error */
	BFO_BATCH_MISSING_OK = 32,	/* remove: neither is nothing */
	BFO_BATCH_EXACT = 64,		/* what is new takes nothing over from its directory */
};

/* What a path leads to, as the batch has it. */
struct bfo_batch_stat {
	uint32_t ino, mode, uid, gid, links, flags;
	uint64_t size;
	struct timespec mtime;
};

/* Opens the volume for writing.  What OPT points to has to stay.  *B is NULL after an error. */
errcode_t bfo_batch_open(struct bfo_context *ctx, const struct bfo_batch_options *opt,
			 struct bfo_batch **b);

/*
 * Operations.  ATTR may be NULL.  With BFO_BATCH_REPLACE a regular file that is there gets new
 * content and keeps its number, names, owner and attributes, but for what ATTR sets.  Anything else
 * but a directory is replaced by a new file.
 */
errcode_t bfo_batch_create(struct bfo_batch *b, const char *path,
			   const struct bfo_batch_attr *attr,
			   const struct bfo_batch_content *content, int flags);

/* CONTENT goes to byte OFFSET on; the file grows if it ends before.  Bytes between are zero. */
errcode_t bfo_batch_update(struct bfo_batch *b, const char *path, uint64_t offset,
			   const struct bfo_batch_content *content, int flags);
errcode_t bfo_batch_append(struct bfo_batch *b, const char *path,
			   const struct bfo_batch_content *content, int flags);
errcode_t bfo_batch_truncate(struct bfo_batch *b, const char *path, uint64_t size);
errcode_t bfo_batch_mkdir(struct bfo_batch *b, const char *path,
			  const struct bfo_batch_attr *attr, int flags);
errcode_t bfo_batch_symlink(struct bfo_batch *b, const char *path, const char *target,
			    const struct bfo_batch_attr *attr, int flags);

/* TO becomes another name of what FROM leads to, which is no directory. */
errcode_t bfo_batch_link(struct bfo_batch *b, const char *from, const char *to, int flags);

/* attr->mode has the type: a fifo, a socket, a device. */
errcode_t bfo_batch_mknod(struct bfo_batch *b, const char *path,
			  const struct bfo_batch_attr *attr, uint32_t major, uint32_t minor,
			  int flags);
errcode_t bfo_batch_set(struct bfo_batch *b, const char *path, const struct bfo_batch_attr *attr);

/* As rename(2); what is at TO is an error without BFO_BATCH_REPLACE. */
errcode_t bfo_batch_rename(struct bfo_batch *b, const char *from, const char *to, int flags);

/* A name, and the file with its last one; an empty directory; with BFO_BATCH_TREE any. */
errcode_t bfo_batch_remove(struct bfo_batch *b, const char *path, int flags);

/* What PATH leads to after the operations so far. */
errcode_t bfo_batch_stat(struct bfo_batch *b, const char *path, struct bfo_batch_stat *st);

/*
 * Its content after the operations so far: up to LEN bytes from OFFSET on to BUF, *GOT of them; of
 * a symbolic link its target.
 */
errcode_t bfo_batch_pread(struct bfo_batch *b, const char *path, uint64_t offset, void *buf,
			  size_t len, size_t *got);

/*
 * While ON, what follows belongs together: marks wait, until they are looked at when it is OFF
 * again.  Errors then: those of committing.
 */
errcode_t bfo_batch_hold(struct bfo_batch *b, int on);

/* No operation is to be had at the moment: the marks are looked at. */
errcode_t bfo_batch_idle(struct bfo_batch *b);

/*
 * All operations since the last commit, *N (NULL is fine): all or nothing.  After an error the
 * batch is empty and the filesystem as before; bfo_batch_fate() says where it is not.
 */
errcode_t bfo_batch_commit(struct bfo_batch *b, uint64_t *n);

/* Operations that wait for a commit. */
uint64_t bfo_batch_waiting(const struct bfo_batch *b);

/* What has become of the volume by the last commit: a word of an enum bfo_fate, for scripts. */
const char *bfo_batch_fate(const struct bfo_batch *b);

/* Ends, and drops what was not committed.  NULL is fine. */
void bfo_batch_close(struct bfo_batch *b);

#endif
