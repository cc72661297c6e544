/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * e2bfo.h - file trees of ext2, ext3 and ext4 filesystems that are not mounted: libe2bfo(3)
 *
 *   e2bfo_new ──┬── e2bfo_copy, e2bfo_resume, e2bfo_abort    whole trees        e2bfo_copy(3)
 *               ├── e2bfo_verify                             two trees          e2bfo_verify(3)
 *               ├── e2bfo_batch_open ── e2bfo_batch_create   changes            e2bfo_batch(3)
 *               `── e2bfo_fs_open ──┬── e2bfo_list           names, attributes  e2bfo_list(3)
 *                                   `── e2bfo_batch_read     contents           e2bfo_batch_read(3)
 *
 * Structs begin with their size.  A caller sets it to sizeof, and zeroes what it does not know:
 * that means the default.  Of structs that a callback gets, the library sets it: a field that lies
 * behind it is none.  Strings and arrays are borrowed for the call, unless it says otherwise.
 */
#ifndef E2BFO_E2BFO_H
#define E2BFO_E2BFO_H

#include <stddef.h>
#include <stdint.h>
#include <e2bfo/errors.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* 0, an errno, E2BFO_ERR_... of <e2bfo/errors.h>, or EXT2_ET_... of libext2fs. */
typedef long e2bfo_err;

/* A context: one call at a time, from any thread.  Several know nothing of each other. */
typedef struct e2bfo e2bfo;

/* ---- contexts: libe2bfo(3) ---- */

e2bfo *e2bfo_new(void);			/* NULL: there is no memory */
void e2bfo_free(e2bfo *c);		/* after all that was opened with it; NULL is fine */
const char *e2bfo_version(void);	/* "0.1.0" */

/* What ERR is called: a text that stays. */
const char *e2bfo_message(e2bfo_err err);

/* What was being done when the last call failed: "MESSAGE while WHAT".  Until the next call. */
const char *e2bfo_what(const e2bfo *c);

/*
 * From another thread, a callback or a signal handler: the call under way, or else the next one,
 * ends with E2BFO_ERR_CANCELLED.
 */
void e2bfo_cancel(e2bfo *c);

/* Where temporary files go; NULL: /var/tmp.  Is copied. */
e2bfo_err e2bfo_set_temp_dir(e2bfo *c, const char *path);

/* What a call is at. */
enum e2bfo_stage {
	E2BFO_STAGE_BITMAPS = 1,	/* comparing a target's bitmaps with its inodes */
	E2BFO_STAGE_ARRIVAL = 2,	/* taking in data that come once; bytes */
	E2BFO_STAGE_INODES = 3,		/* reading inode tables; inodes */
	E2BFO_STAGE_NAMES = 4,		/* reading directories; blocks */
	E2BFO_STAGE_PLAN = 5,		/* deciding */
	E2BFO_STAGE_LOOK = 6,		/* looking for data that cannot be read; blocks */
	E2BFO_STAGE_DATA = 7,		/* moving data; bytes */
	E2BFO_STAGE_TABLES = 8,		/* writing inode tables; inodes */
	E2BFO_STAGE_REREAD = 9,		/* reading back what was written; bytes */
	E2BFO_STAGE_FINISH = 10,	/* the last transaction */
	E2BFO_STAGE_INDEX = 11,		/* building indexes; names */
	E2BFO_STAGE_COMPARE = 12,	/* comparing inodes; inodes */
	E2BFO_STAGE_COMPARE_DATA = 13,	/* comparing data; bytes of both */
	E2BFO_STAGE_DIGEST = 14,	/* reading all of a source; bytes */
	E2BFO_STAGE_LIST = 15		/* listing directories; directories */
};

struct e2bfo_progress {
	size_t size;
	uint32_t stage;			/* E2BFO_STAGE_..., */
	uint32_t part;			/* and of which stage it needs something at the moment */
	uint64_t done, total;		/* in units of the part; total 0: not known */
	uint64_t files;			/* begun so far, of stages that have files beside units */
};

/* What is damaged, could not be read, or could not be kept. */
struct e2bfo_finding {
	size_t size;
	uint32_t side;			/* e2bfo_verify: 0 of A, 1 of B */
	uint32_t is_loss;		/* the source is sound, the target cannot hold it */
	const char *kind;		/* a word: DAMAGE, LOSSES of e2bfo(8), e2bfo-copy(8) */
	const char *text;		/* what it is; */
	const char *done;		/* what was done about it, or NULL */
	const char *path;		/* whose; not ended by NUL */
	size_t path_len;
	uint64_t ino, block;		/* 0: none in particular */
	uint64_t count;			/* so many of the kind; PATH is the first */
};

/*
 * Callbacks are called on the thread that made the call.  They must not make a call with the same
 * context, but e2bfo_cancel(), and end it by returning non-zero: E2BFO_ERR_CANCELLED.
 */
void e2bfo_on_progress(e2bfo *c, int (*f)(void *priv, const struct e2bfo_progress *p), void *priv);
void e2bfo_on_finding(e2bfo *c, int (*f)(void *priv, const struct e2bfo_finding *f), void *priv);

/* What mke2fs(8) says, a line at a time. */
void e2bfo_on_line(e2bfo *c, void (*f)(void *priv, const char *line), void *priv);

/* ---- what a tree comes from, or goes to: libe2bfo(3) ---- */

enum e2bfo_kind {
	E2BFO_ANY = 0,			/* what SPEC says, as on the command line of e2bfo(8) */
	E2BFO_VOLUME = 1,		/* ext2, ext3, ext4: "disk.img?partition=2", "UUID=..." */
	E2BFO_DIRECTORY = 2,		/* SPEC is its path */
	E2BFO_ARCHIVE = 3,		/* SPEC is its path */
	E2BFO_LIST = 4,			/* e2bfo_verify, B: "mtree:FILE", e2bfo-manifest(5) */
	E2BFO_STREAM = 5		/* SPEC is its path: e2bfo-stream(5) */
};

enum {					/* flags of an end */
	E2BFO_END_FD = 1 << 0,		/* an archive, a stream: FD in place of SPEC; stays open */
	E2BFO_END_IGNORE_JOURNAL = 1 << 1,	/* a volume as it stands without its journal */
	E2BFO_END_CROSS_MOUNTS = 1 << 2,	/* a directory: what is mounted below it, too */
	E2BFO_END_SPOOL = 1 << 3,	/* an archive out of a pipe: by a temporary file */
	E2BFO_END_ZEROES = 1 << 4,	/* what cannot be read becomes zeroes, and a finding */
	E2BFO_END_SKIP = 1 << 5		/* files that cannot be read are left out likewise */
};

struct e2bfo_end {
	size_t size;
	uint32_t kind;			/* E2BFO_ANY ... */
	uint32_t flags;			/* E2BFO_END_... */
	const char *spec;
	int fd;
	uint32_t strip;			/* an archive: components that its paths lose */
	const char *path;		/* the part that is meant; NULL: all */
	const char *mapfile;		/* a volume: of ddrescue(1), or NULL */
	uint64_t superblock;		/* a volume: block of the backup to open it by, or 0 */
	const char *metadata;		/* a directory: e2bfo-metadata(5), or NULL */
};

/* ---- copies: e2bfo_copy(3) ---- */

#define E2BFO_SIZE_MIN UINT64_MAX	/* the smallest image that holds all */

enum {					/* flags of a copy */
	E2BFO_COPY_DRY_RUN = 1 << 0,	/* plan it, write nothing */
	E2BFO_COPY_MKFS = 1 << 1,	/* format the target first */
	E2BFO_COPY_FORCE = 1 << 2,	/* also what holds something */
	E2BFO_COPY_SAME_UUID = 1 << 3,	/* with the UUID of the source */
	E2BFO_COPY_KEEP_INODES = 1 << 4,	/* keep inode numbers */
	E2BFO_COPY_VERIFY = 1 << 5,	/* read back what was written */
	E2BFO_COPY_NOT_ATOMIC = 1 << 6,	/* go on where the journal is too small */
	E2BFO_COPY_ITREE = 1 << 7,	/* index big directories: e2itree(8) */
	E2BFO_COPY_TRUST = 1 << 8,	/* do not compare the target's bitmaps with its inodes */
	E2BFO_COPY_SKIP_EXISTING = 1 << 9,	/* what exists stays; */
	/* or files are replaced, in directories and on volumes; */
	E2BFO_COPY_OVERWRITE = 1 << 10,
	E2BFO_COPY_IF_NEWER = 1 << 11,	/* or is if it is older */
	E2BFO_COPY_REPRODUCIBLE = 1 << 12,	/* with MKFS: same tree, same bytes */
	E2BFO_COPY_DEREFERENCE = 1 << 13,	/* each name of a file becomes a file */
	E2BFO_COPY_NO_DEVICES = 1 << 14,	/* not into archives: these are left out, */
	E2BFO_COPY_NO_SUID = 1 << 15,	/* and those bits, and capabilities */
	E2BFO_COPY_PORTABLE = 1 << 16	/* archives: only what all readers know */
};

struct e2bfo_copy_options {
	size_t size;
	uint32_t flags;			/* E2BFO_COPY_... */
	uint32_t has_now;		/* NOW holds, and is when all has happened, at the latest */
	int64_t now;			/* seconds since 1970; else the clock's */
	uint64_t memory;		/* bytes of buffers; 0: a quarter of RAM, at most 1 GiB */
	uint64_t bwlimit;		/* bytes a second that are read; 0: no limit */
	const char *const *exclude;	/* patterns, the last is NULL */
	const char *const *files;	/* the only paths that are copied, the last is NULL */
	const char *allow_loss;		/* kinds, commas between them; or "all" */
	uint64_t image_size;		/* with MKFS: bytes of a new image, or E2BFO_SIZE_MIN */
	uint64_t spare;			/* with E2BFO_SIZE_MIN: bytes that are free afterwards */
	uint64_t inodes;		/* with MKFS: so many; 0: as many as will do */
	const char *const *mkfs_args;	/* words for mke2fs(8), the last is NULL */
	char *const *environment;	/* its environment, which has its PATH; NULL: none */
	const char *owners;		/* "owner=0 group=0 users=1000:0:1": who gets what */
	const char *seed;		/* with REPRODUCIBLE: UUIDs follow from it, too */
	const char *const *manifests;	/* FORMAT:FILE, e2bfo-manifest(5), the last is NULL */
	const char *const *no_xattrs;	/* patterns, the last is NULL */
	const char *metadata;		/* a directory: file for what it cannot take */
	const char *undo_file;		/* a volume: for e2undo(8) */
	const char *compress;		/* a stream: "auto", "none", a level of zstd(1) */
	const char *token;		/* a stream: where it goes on, as its receiver said */
	const char *state;		/* a directory's stream: the file of --state, or NULL */
};

struct e2bfo_copy_report {
	size_t size;
	uint32_t is_complete;
	uint32_t is_resumable;		/* e2bfo_resume() goes on with it */
	const char *state;		/* else a word: "target_state" of e2bfo-copy(8), */
	const char *state_text;		/* and what that means: "TARGET ..." */
	uint64_t files, dirs, bytes;	/* copied, or to be */
	uint64_t findings;
	uint64_t skipped;		/* names that exist, and stay as they are */
	uint64_t smallest;		/* DRY_RUN: bytes of the smallest target; 0: not known */
	char token[80];			/* failed, of a stream: its sender's `token`; else empty */
	uint64_t replaced;		/* names whose files gave way */
};

/* REPORT is filled also after a failure; it and OPT may be NULL. */
e2bfo_err e2bfo_copy(e2bfo *c, const struct e2bfo_end *from, const struct e2bfo_end *to,
		     const struct e2bfo_copy_options *opt, struct e2bfo_copy_report *report);

struct e2bfo_resume_options {
	size_t size;
	uint32_t flags;			/* E2BFO_COPY_DRY_RUN */
	int in;				/* where "stream:-" is read from; 0: standard input */
	uint64_t memory;		/* bytes of buffers; 0: a quarter of RAM, at most 1 GiB */
	const char *source;		/* where it is now; NULL: where it was, or by its UUID */
	const char *undo_file;
};

/* Goes on with a copy into TARGET.  E2BFO_ERR_NO_RECORD: there is none. */
e2bfo_err e2bfo_resume(e2bfo *c, const char *target, const struct e2bfo_resume_options *opt,
		       struct e2bfo_copy_report *report);

/* Gives it up: TARGET is as it was before. */
e2bfo_err e2bfo_abort(e2bfo *c, const char *target, const char *undo_file);

/* ---- comparisons: e2bfo_verify(3) ---- */

struct e2bfo_value {
	const void *data;		/* NULL: there is none */
	size_t len;
};

struct e2bfo_diff {
	size_t size;
	const char *kind;		/* "missing", "mode", "data" ...: e2bfo-verify(8) */
	const char *path;		/* not ended by NUL */
	size_t path_len;
	struct e2bfo_value name;	/* of an extended attribute */
	uint32_t ino[2];		/* in A and B; 0: none (of a member), or not known */
	struct e2bfo_value value[2];	/* as text, or as it stands; of a list: what that says */
	uint64_t offset;		/* data, holes: the first byte that differs */
};

struct e2bfo_verify_options {
	size_t size;
	const char *ignore;		/* kinds that may differ, commas between them */
	uint64_t memory;		/* bytes of buffers; 0: a quarter of RAM, at most 1 GiB */
	int (*diff)(void *priv, const struct e2bfo_diff *d);	/* or NULL */
	void *priv;
};

struct e2bfo_verify_report {
	size_t size;
	uint64_t differences;
	uint64_t files, dirs, bytes;	/* compared */
	uint64_t missed;		/* not compared, as one side cannot be read */
	uint64_t findings;
};

/* 0 also if they differ: REPORT says so.  It and OPT may be NULL. */
e2bfo_err e2bfo_verify(e2bfo *c, const struct e2bfo_end *a, const struct e2bfo_end *b,
		       const struct e2bfo_verify_options *opt, struct e2bfo_verify_report *report);

/* ---- files of a filesystem that is not mounted: e2bfo_list(3), e2bfo_batch_read(3) ---- */

/* One that is open for reading; nothing is written to it.  Close it before its context is freed. */
typedef struct e2bfo_fs e2bfo_fs;

/* *FS is NULL after an error. */
e2bfo_err e2bfo_fs_open(e2bfo *c, const struct e2bfo_end *volume, e2bfo_fs **fs);
void e2bfo_fs_close(e2bfo_fs *fs);	/* NULL is fine */

struct e2bfo_time {
	int64_t sec;			/* since 1970 */
	uint32_t nsec;
	uint32_t is_known;
};

/*
 * A name with all attributes of what it leads to; valid while it is told.  INO 0: a member of a
 * composite file, which has no inode.
 */
struct e2bfo_entry {
	size_t size;
	const char *dir;		/* the path of its directory; not ended by NUL */
	size_t dir_len;			/* 0: NAME is the whole path */
	const char *name;		/* not ended by NUL */
	size_t name_len;
	const char *target;		/* of a symbolic link, not ended by NUL; else NULL */
	size_t target_len;
	uint64_t bytes, blocks;		/* size; what is allocated, in units of 512 bytes */
	uint64_t version;
	struct e2bfo_time mtime, atime, ctime, crtime;
	uint32_t ino, mode, links, uid, gid, project;
	uint32_t flags;			/* as chattr(1) has them */
	uint32_t generation;
	uint32_t major, minor;		/* devices */
	uint32_t has_xattrs;
	uint32_t reserved;
	size_t index;			/* e2bfo_stat: of PATHS */
	e2bfo_err err;			/* e2bfo_stat: why it leads nowhere; then all else is 0 */
	const char *what;		/* the same: "MESSAGE while WHAT" */
};

enum {					/* flags of a listing */
	E2BFO_LIST_RECURSIVE = 1 << 0,	/* directories below, too, level by level */
	E2BFO_LIST_DOTS = 1 << 1,	/* "." and "..", too */
	E2BFO_LIST_ITSELF = 1 << 2	/* a directory itself, not what is in it */
};

/*
 * Lists the directory PATH, in the order of inode numbers; or what PATH is.  A non-zero return of
 * TAKE ends it.  What is damaged is told as a finding.
 */
e2bfo_err e2bfo_list(e2bfo_fs *fs, const char *path, uint32_t flags,
		     int (*take)(void *priv, const struct e2bfo_entry *e), void *priv);

/* The same of N PATHS, as e2bfo_list with E2BFO_LIST_ITSELF; they are looked up all together. */
e2bfo_err e2bfo_stat(e2bfo_fs *fs, const char *const *paths, size_t n,
		     int (*take)(void *priv, const struct e2bfo_entry *e), void *priv);

enum {					/* flags of a batch */
	E2BFO_READ_AS_ASKED = 1 << 0	/* in the order of PATHS, not of the device */
};

struct e2bfo_read {
	size_t size;
	const char *const *paths;	/* from the root on */
	size_t n_paths;
	const uint32_t *inos;		/* inode numbers */
	size_t n_inos;
	uint64_t from, length;		/* of each LENGTH bytes from FROM on; LENGTH 0: all */
	uint64_t memory;		/* bytes of contents at a time; 0: 32 MiB */
	uint32_t flags;			/* E2BFO_READ_... */
	uint32_t reserved;
};

/* Some of a file.  The pieces of a file come one behind the other, ascending; valid while told. */
struct e2bfo_piece {
	size_t size;
	size_t index;			/* of PATHS; behind these, of INOS */
	const void *data;		/* of it, bytes from OFFSET on; holes are zeroes */
	size_t len;
	uint64_t offset;		/* from the first byte that was asked for */
	uint64_t bytes;			/* so many come in all */
	uint64_t unread;		/* so far, zeroes in place of what cannot be read */
	uint32_t ino;			/* 0: a member of a composite file, which has none */
	uint32_t is_last;
	e2bfo_err err;			/* why it does not come, in its only piece; else 0 */
	const char *what;		/* the same: "MESSAGE while WHAT" */
};

/*
 * Contents in the order in which they lie on the device, each block once.  A file that cannot be
 * handed over is a piece with ERR, and the others come.  A non-zero return of TAKE ends it.
 */
e2bfo_err e2bfo_batch_read(e2bfo_fs *fs, const struct e2bfo_read *what,
			   int (*take)(void *priv, const struct e2bfo_piece *p), void *priv);

/* ---- changes of a filesystem that is not mounted: e2bfo_batch(3) ---- */

/* Operations that wait, and the volume that they are for.  Close it before its context is freed. */
typedef struct e2bfo_batch e2bfo_batch;

enum {					/* flags of a batch that is opened */
	E2BFO_BATCH_NOT_ATOMIC = 1 << 0,	/* also a volume without a journal */
	E2BFO_BATCH_FORCE = 1 << 1,	/* also one whose bitmaps do not fit its inodes */
	E2BFO_BATCH_AUTO = 1 << 2	/* it commits by itself, when that pays */
};

struct e2bfo_batch_options {
	size_t size;
	uint32_t flags;			/* E2BFO_BATCH_... */
	uint32_t has_now;		/* NOW holds */
	int64_t now;			/* seconds since 1970; else the clock's */
	uint64_t memory;		/* bytes of contents that wait to be written; 0: 8 MiB */
	const char *undo_file;		/* for e2undo(8), or NULL; stays as long as the batch */
	/* It commits by itself once so much waits, whichever comes first; all 0: never. */
	uint64_t mark_bytes, mark_files;
	double mark_seconds;
	uint32_t mark_journal;		/* percent of the journal that it would take */
	uint32_t reserved;
	/* Operations FIRST ... FIRST + N - 1, counted from 0, are durable; or NULL. */
	int (*committed)(void *priv, uint64_t first, uint64_t n);
	void *priv;
};

/* "user.x" and so on; access control lists as getxattr(2) has them.  VALUE NULL: it goes. */
struct e2bfo_xattr {
	const char *name;
	const void *value;
	size_t len;
};

enum {					/* attributes that are set */
	E2BFO_SET_MODE = 1 << 0,	/* permissions; the type stays */
	E2BFO_SET_UID = 1 << 1,
	E2BFO_SET_GID = 1 << 2,
	E2BFO_SET_PROJECT = 1 << 3,
	E2BFO_SET_FLAGS = 1 << 4,	/* those of chattr(1) that users may change */
	E2BFO_SET_ATIME = 1 << 5,
	E2BFO_SET_MTIME = 1 << 6,
	E2BFO_SET_CRTIME = 1 << 7
};

/* What is not set stays; what is new has 0644, 0755 or 0777 (directories, links), 0:0, now. */
struct e2bfo_attr {
	size_t size;
	uint32_t set;			/* E2BFO_SET_... */
	uint32_t mode, uid, gid, project, flags;
	struct e2bfo_time atime, mtime, crtime;
	const struct e2bfo_xattr *xattrs;
	size_t n_xattrs;
};

/* BYTES bytes at DATA, which are copied; or, where that is NULL, those that FILL puts to TO. */
struct e2bfo_content {
	size_t size;
	const void *data;
	uint64_t bytes;
	/* LEN bytes from OFFSET on, ascending; or an errno, E2BFO_ERR_...: the operation fails */
	int (*fill)(void *priv, uint64_t offset, void *to, size_t len);
	void *priv;
};

enum {					/* flags of operations */
	E2BFO_REPLACE = 1 << 0,		/* a file that is there */
	E2BFO_PARENTS = 1 << 1,		/* directories on the way are made */
	E2BFO_CREATE = 1 << 2,		/* update, append: the file is made if it is not there */
	E2BFO_TREE = 1 << 3,		/* remove: with all that is below */
	E2BFO_KEEP = 1 << 4,		/* mkdir: a directory that is there is no error */
	E2BFO_MISSING_OK = 1 << 5,	/* remove: neither is nothing */
	E2BFO_EXACT = 1 << 6		/* what is new takes nothing over from its directory */
};

/* What a path leads to, as the batch has it. */
struct e2bfo_batch_stat {
	size_t size;
	uint64_t bytes;
	uint32_t ino, mode, uid, gid, links, flags;
	struct e2bfo_time mtime;
};

/* *B is NULL after an error. */
e2bfo_err e2bfo_batch_open(e2bfo *c, const struct e2bfo_end *volume,
			   const struct e2bfo_batch_options *opt, e2bfo_batch **b);

/*
 * Operations: one that fails leaves the batch as it was.  Paths begin at the root, and follow no
 * links.  Later ones see what earlier ones did.  ATTR may be NULL.
 */
e2bfo_err e2bfo_batch_create(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr,
			     const struct e2bfo_content *content, uint32_t flags);
e2bfo_err e2bfo_batch_update(e2bfo_batch *b, const char *path, uint64_t offset,
			     const struct e2bfo_content *content, uint32_t flags);
e2bfo_err e2bfo_batch_append(e2bfo_batch *b, const char *path,
			     const struct e2bfo_content *content, uint32_t flags);
e2bfo_err e2bfo_batch_truncate(e2bfo_batch *b, const char *path, uint64_t bytes);
e2bfo_err e2bfo_batch_mkdir(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr,
			    uint32_t flags);
e2bfo_err e2bfo_batch_symlink(e2bfo_batch *b, const char *path, const char *target,
			      const struct e2bfo_attr *attr, uint32_t flags);
e2bfo_err e2bfo_batch_link(e2bfo_batch *b, const char *from, const char *to, uint32_t flags);
e2bfo_err e2bfo_batch_mknod(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr,
			    uint32_t major, uint32_t minor, uint32_t flags);
e2bfo_err e2bfo_batch_set(e2bfo_batch *b, const char *path, const struct e2bfo_attr *attr);
e2bfo_err e2bfo_batch_rename(e2bfo_batch *b, const char *from, const char *to, uint32_t flags);
e2bfo_err e2bfo_batch_remove(e2bfo_batch *b, const char *path, uint32_t flags);

/* What PATH leads to, and up to LEN bytes of it from OFFSET on, *GOT of them. */
e2bfo_err e2bfo_batch_stat(e2bfo_batch *b, const char *path, struct e2bfo_batch_stat *st);
e2bfo_err e2bfo_batch_pread(e2bfo_batch *b, const char *path, uint64_t offset, void *buf,
			    size_t len, size_t *got);

/* While ON it does not commit by itself: what follows belongs together.  OFF: is it time to? */
e2bfo_err e2bfo_batch_hold(e2bfo_batch *b, int on);

/* There is nothing to add at the moment: is it time to commit? */
e2bfo_err e2bfo_batch_idle(e2bfo_batch *b);

/* All that waits, *N operations (or NULL): all or nothing; nothing waits afterwards. */
e2bfo_err e2bfo_batch_commit(e2bfo_batch *b, uint64_t *n);

uint64_t e2bfo_batch_waiting(const e2bfo_batch *b);	/* operations */

/* What the last commit has made of the volume: "target_state" of e2bfo-copy(8). */
const char *e2bfo_batch_state(const e2bfo_batch *b);

/* Drops what was not committed.  NULL is fine. */
void e2bfo_batch_close(e2bfo_batch *b);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
