/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extract_state.h - what the parts of an extraction share
 *
 *   extract.c         the outlet, and the directory that it leads to
 *   extract_paths.c   paths of items
 *   extract_hidden.c  names of what is not complete
 *   extract_items.c   where items go, in which order
 *   extract_file.c    a regular file, from its item to its last attribute
 *   extract_look.c    what is in the way, before anything is written
 *   extract_clash.c   ... listed
 *   extract_room.c    whether there is room
 *   extract_make.c    one name: made, in its place or hidden
 *   extract_attrs.c   what an item is beside its data and its name
 *   extract_xattrs.c  extended attributes
 *   extract_tops.c    what is hidden: made durable, and renamed
 *   extract_links.c   files with several names; attributes that come last of all
 *   extract_notes.c   what was made, and what could not be kept
 *   extract_remove.c  trees that are given up
 *
 * A "top" is a name that is new in a directory that exists.  It is hidden until all of it is
 * complete; what is below it has its own name from the beginning.
 *
 * Errors: those of extract.h.
 */
#ifndef BFO_EXPORT_EXTRACT_STATE_H
#define BFO_EXPORT_EXTRACT_STATE_H

#include <sys/stat.h>

#include "export/dirs.h"
#include "export/extract.h"
#include "export/metadata.h"
#include "export/writeback.h"
#include "plan/glob.h"

#define BFO_EXTRACT_PREFIX ".e2bfo-"
#define BFO_EXTRACT_HIDDEN 14U		/* bytes of such a name, with its end */

/* Added to what is said of a name that nothing had before. */
#define BFO_EXTRACT_FOLDED "; the filesystem takes it for another name, or somebody else made it"

enum bfo_extract_kind {
	BFO_NOTE_OWNER, BFO_NOTE_MODE, BFO_NOTE_SETID, BFO_NOTE_ACL, BFO_NOTE_XATTR,
	BFO_NOTE_CAPABILITY, BFO_NOTE_FLAGS, BFO_NOTE_IMMUTABLE, BFO_NOTE_PROJECT, BFO_NOTE_TIME,
	BFO_NOTE_UNWRITTEN, BFO_NOTE_DEVICE, BFO_NOTE_SPECIAL, BFO_NOTE_SYMLINK, BFO_NOTE_LINK,
	BFO_LEFT_DEVICE, BFO_LEFT_SETID, BFO_LEFT_CAPABILITY, BFO_LEFT_XATTR,
	BFO_NOTE_CTIME, BFO_NOTE_CRTIME, BFO_NOTE_GENERATION, BFO_NOTE_VERSION, BFO_NOTE_NUMBER,
	BFO_NOTE_KINDS,
};

/* Bytes of a text that grows. */
struct bfo_extract_text {
	size_t at, len;
};

/* Beside each level of `dirs`, and one for the root in front. */
struct bfo_extract_level {
	size_t path_len;
	int is_ours;			/* made by this run, or below such a one */
	int is_top;
	int keeps_project;		/* what is renamed into it must have its project */
};

struct bfo_extract_top {
	struct bfo_extract_text path;	/* in s->tops_text */
	size_t parent_len;		/* of it */
	uint64_t parent_dev, parent_ino;
	uint32_t seed;			/* of the parent */
	int replaces;			/* a file that has the name: */
	uint64_t old_ino;
	char hidden[BFO_EXTRACT_HIDDEN];	/* "": there is nothing by such a name */
};

/* A file with several names. */
struct bfo_extract_shared {
	bfo_row row;			/* BFO_NONE: an empty place of the hash */
	int is_missing;			/* it could not be made */
	struct bfo_extract_text first;	/* in s->kept_text */
	size_t top_len;			/* of it: that of its top */
	uint64_t serial;		/* of its top */
	uint64_t dev, ino;
};

/* Attributes that something gets when all names exist. */
struct bfo_extract_late {
	struct bfo_extract_text path;	/* in s->kept_text */
	uint64_t dev, ino;
	uint32_t flags;			/* to be added; 0: none */
	uint32_t project;
	int has_project;
};

struct bfo_extract_look;

struct bfo_extract {
	struct bfo_outlet outlet;	/* the first in it */
	struct bfo_extract_options opt;	/* the path, and what are no pointers */
	char *path;
	int root;			/* descriptor of the directory; -1: it is not there yet */
	int above;			/* of the one above, of a directory that is made; else -1 */
	char *name;			/* ... where it will be called so */
	char hidden[BFO_EXTRACT_HIDDEN];	/* ... and is called so; "": not yet, no longer */
	int sync;			/* descriptor for syncfs(2), or -1 */
	struct bfo_writeback writeback;
	struct bfo_globs no_xattrs;
	struct bfo_metadata *metadata;
	struct bfo_extract_look *look;

	struct bfo_dirs dirs;		/* where it is */
	BFO_VEC(struct bfo_extract_level) levels;
	bfo_chars at;			/* the path of that */
	struct bfo_dirs other;		/* for places elsewhere; begins at the root */

	/* the item that came last, if it is a regular file with data of its own */
	int fd;				/* or -1 */
	struct bfo_attrs attrs;
	bfo_chars file_path;
	bfo_chars packed;		/* its extended attributes */
	BFO_VEC(struct bfo_part) unwritten;
	uint64_t written_end;
	uint32_t file_names;
	int file_is_top;

	BFO_VEC(struct bfo_extract_top) tops;	/* not yet renamed; the last may be incomplete */
	bfo_chars tops_text;
	uint64_t tops_before;		/* that were renamed: the serial of the first */
	uint64_t tops_bytes;		/* data of them */
	int has_named;			/* something new is to be seen */

	struct bfo_extract_shared *shared;	/* an open hash */
	size_t shared_n, shared_size;
	BFO_VEC(struct bfo_extract_late) late;
	bfo_chars kept_text;

	uint32_t block_bytes;		/* of the filesystem; 0: its room is not counted */
	uint64_t planned_blocks;
	struct bfo_extract_counts planned, made;
	uint64_t counts[BFO_NOTE_KINDS];
	char *firsts[BFO_NOTE_KINDS];
	struct bfo_extract_note notes[BFO_NOTE_KINDS];

	bfo_xattrs set;			/* scratch */
	bfo_chars value;		/* scratch */
	bfo_chars walk;			/* scratch: a path */
	uint64_t *match;		/* scratch: a state of no_xattrs */
};

/* ---- extract_paths.c ---- */

/* Notes what ERR happened to PATH, below the directory, while doing WHAT.  Returns ERR. */
errcode_t bfo_extract_fail(struct bfo_extract *s, errcode_t err, const char *what,
			   const char *path, size_t len);

/* Appends LEN bytes at BYTES, and a zero that does not count, to TEXT: *PLACE. */
errcode_t bfo_extract_keep(bfo_chars *text, const char *bytes, size_t len,
			   struct bfo_extract_text *place);

/* Where the last name of PATH begins. */
size_t bfo_extract_base(const char *path, size_t len);

/* BFO_ET_DAMAGED: ITEM's path, or that of its first name, is none. */
errcode_t bfo_extract_check(struct bfo_extract *s, const struct bfo_item *item);

/* True if NAME can be one. */
int bfo_extract_is_name(const char *name, size_t len);

/* ---- extract_hidden.c ---- */

/* What hidden names in directory AT follow from, as long as it is there.  An errno. */
int bfo_extract_seed(int at, uint32_t *seed);

/* Draws a name for a directory with that SEED.  An errno. */
int bfo_extract_hidden_draw(uint32_t seed, char hidden[BFO_EXTRACT_HIDDEN]);

/* True if NAME looks like one of a hidden thing; if it was drawn for a directory with that SEED. */
int bfo_extract_is_hidden(const char *name);
int bfo_extract_is_hidden_in(uint32_t seed, const char *name);

/* ---- extract_items.c ---- */

errcode_t bfo_extract_item(struct bfo_extract *s, const struct bfo_item *item);
errcode_t bfo_extract_leave(struct bfo_extract *s, const struct bfo_item *item);

/* ---- extract_file.c ---- */

/* ITEM is open, as s->fd. */
errcode_t bfo_extract_file_begin(struct bfo_extract *s, const struct bfo_item *item, int is_top);
errcode_t bfo_extract_file_data(struct bfo_extract *s, uint64_t offset, const void *data,
				size_t len);
errcode_t bfo_extract_file_done(struct bfo_extract *s);

/* ---- extract_clash.c ---- */

struct bfo_extract_clash_row {
	struct bfo_extract_text path;
	enum bfo_clash_kind kind;
};

/* A zeroed one is empty. */
struct bfo_extract_clash_list {
	BFO_VEC(struct bfo_extract_clash_row) rows;
	bfo_chars text;
	struct bfo_extract_clash *list;
};

void bfo_extract_clashes_free(struct bfo_extract_clash_list *l);
errcode_t bfo_extract_clash_add(struct bfo_extract_clash_list *l, enum bfo_clash_kind kind,
				const char *path, size_t len);
/* All of them: *N.  They stay until this is called again.  NULL: ENOMEM. */
const struct bfo_extract_clash *bfo_extract_clash_list(struct bfo_extract_clash_list *l, size_t *n);

/* True if what ST is of can get no other name, nor be removed. */
int bfo_extract_is_sealed(const struct statx *st);
/* Why no name can be made in directory AT: *ST is what it is like. */
enum bfo_clash_kind bfo_extract_judge_dir(int at, struct statx *st);
/* Why file OLD, in DIR, cannot be replaced. */
enum bfo_clash_kind bfo_extract_judge_file(const struct statx *dir,
						   const struct statx *old);

/* ---- extract_look.c ---- */

/* What there was to be seen, beside clashes. */
struct bfo_extract_seen {
	uint64_t directories;		/* that exist, without the root */
	uint64_t replaced;		/* names of files that will be */
	uint64_t freed, freed_bytes;	/* of these files, those that have no other name */
};

/* So far. */
struct bfo_extract_seen bfo_extract_seen(const struct bfo_extract *s);

errcode_t bfo_extract_look_item(struct bfo_extract *s, const struct bfo_item *item,
				enum bfo_look *what);
void bfo_extract_look_free(struct bfo_extract_look *l);

/* ---- extract_make.c ---- */

/* Where the first name of a hard link is. */
struct bfo_extract_source {
	int at;
	const char *name;
};

/*
 * Makes ITEM under NAME in directory AT; FROM: a hard link, else NULL.  *FD: of a regular file, for
 * writing; else -1.  An errno.
 */
int bfo_extract_make(int at, const char *name, const struct bfo_item *item,
		     const struct bfo_extract_source *from, int *fd);

/* The same under a hidden name that is drawn for AT, whose seed SEED is: HIDDEN. */
int bfo_extract_make_hidden(int at, uint32_t seed, char hidden[BFO_EXTRACT_HIDDEN],
			    const struct bfo_item *item, const struct bfo_extract_source *from,
			    int *fd);

/* ---- extract_attrs.c ---- */

/* What gets attributes. */
struct bfo_extract_subject {
	int fd;				/* open, or only to look at (O_PATH) */
	const char *path;		/* below the root, for notes */
	size_t path_len;
	int is_open;
	int inherits;			/* may have got some from its directory */
	int is_late;			/* immutable and append-only have to wait */
	int is_project_late;
};

errcode_t bfo_extract_attrs(struct bfo_extract *s, const struct bfo_extract_subject *to,
			    const struct bfo_attrs *attrs, const bfo_xattrs *xattrs);

/* Of a directory that is empty as yet: what what is made in it would inherit, or cannot change. */
void bfo_extract_attrs_begin(int at, const struct bfo_attrs *attrs);

/* Adds FLAGS to those of FD; 0 or an errno. */
int bfo_extract_flags_add(int fd, uint32_t flags);

/* Makes PROJECT that of FD; 0 or an errno. */
int bfo_extract_project_set(int fd, uint32_t project);

#define BFO_EXTRACT_LAST_FLAGS (EXT2_IMMUTABLE_FL | EXT2_APPEND_FL)

/* ---- extract_xattrs.c ---- */

/* A default list of the directory is one of all that was made there, and goes. */
void bfo_extract_xattrs_drop(const struct bfo_extract_subject *to, uint16_t mode);

/* Sets all of SET but capabilities, or these alone. */
errcode_t bfo_extract_xattrs(struct bfo_extract *s, const struct bfo_extract_subject *to,
			     const struct bfo_attrs *attrs, const bfo_xattrs *set,
			     int capabilities);

/* ---- extract_tops.c ---- */

/* A top called PATH is made now, in a directory that bfo_dirs has entered last. */
errcode_t bfo_extract_top_begin(struct bfo_extract *s, const char *path, size_t len,
				const struct statx *old);
/* It is complete. */
errcode_t bfo_extract_top_end(struct bfo_extract *s);
/* It was never made. */
void bfo_extract_top_forget(struct bfo_extract *s);
errcode_t bfo_extract_tops_flush(struct bfo_extract *s);
/* Removes what has no name of its own; returns how much of that is still there. */
uint64_t bfo_extract_tops_remove(struct bfo_extract *s);
errcode_t bfo_extract_sync(struct bfo_extract *s);
/* The directory itself, where it is new, gets its name. */
errcode_t bfo_extract_root_end(struct bfo_extract *s);

/* ---- extract_links.c ---- */

/* ITEM, in directory AT as NAME, is the first of several names; NAME NULL: it is missing. */
errcode_t bfo_extract_shared_add(struct bfo_extract *s, const struct bfo_item *item, int at,
				 const char *name);
/* The entry of ITEM's file, or NULL. */
struct bfo_extract_shared *bfo_extract_shared_find(const struct bfo_extract *s, bfo_row row);
/* Where its first name is now; FROM stays until s->other moves. */
errcode_t bfo_extract_shared_place(struct bfo_extract *s, const struct bfo_extract_shared *f,
				   struct bfo_extract_source *from);

errcode_t bfo_extract_late_add(struct bfo_extract *s, const struct bfo_extract_subject *to,
			       uint32_t flags, int has_project, uint32_t project);
/* All names exist. */
errcode_t bfo_extract_late_apply(struct bfo_extract *s);

/* ---- extract_room.c ---- */

/* Once the directory is open.  An errno. */
errcode_t bfo_extract_room_begin(struct bfo_extract *s);

/* ---- extract_notes.c ---- */

/* Adds ITEM to COUNTS; how many inodes COUNTS are. */

/* KIND concerns the item called PATH.  ENOMEM. */
errcode_t bfo_extract_note(struct bfo_extract *s, enum bfo_extract_kind kind, const char *path,
			   size_t len);
/* What no mounted filesystem takes. */
errcode_t bfo_extract_note_common(struct bfo_extract *s, const struct bfo_item *item);

/* ---- extract_remove.c ---- */

/* Removes NAME in directory AT, and all below it.  An errno; ENOENT is none. */
errcode_t bfo_extract_remove(int at, const char *name);

#endif
