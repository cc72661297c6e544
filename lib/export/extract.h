/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extract.h - a tree onto a mounted filesystem, below one directory
 *
 * Nothing is made outside of that directory, whatever the tree says and whoever changes names
 * meanwhile: links are not followed, mount points not entered.  What has a name is complete: new
 * names are made as .e2bfo-XXXXXX beside their place, made durable, many of them at once, and
 * renamed.  So are files that go into directories that exist; these keep their attributes.
 *
 *   open ── look* ── [clashes] ── weigh* ── room ── item, data, done, leave ... ── end ── notes ──
 *   close
 */
#ifndef BFO_EXPORT_EXTRACT_H
#define BFO_EXPORT_EXTRACT_H

#include "base/context.h"
#include "export/item_counts.h"
#include "plan/over.h"

struct bfo_shortage;

/* Copied when opened. */
struct bfo_extract_options {
	const char *path;		/* the directory; made if it is missing */
	enum bfo_over over;
	int no_devices;			/* block and character devices are left out */
	int no_suid;			/* set-id bits but those of directories, and capabilities */
	const char *const *no_xattrs;	/* patterns of names (plan/glob.h) that are left out */
	size_t n_no_xattrs;
	const char *metadata_out;	/* file for e2bfo-metadata(5), or NULL */
	/* what nothing takes the place of, nor is made in; zeroes: there is no such thing */
	uint64_t source_dev, source_ino;
};

/* What could not be kept, or was not wanted: of how many items, and the path of the first. */
struct bfo_extract_note {
	const char *word;		/* for programs */
	const char *text;		/* for people */
	int is_common;			/* no mounted filesystem takes it: concerns every item */
	int is_asked;			/* an option wanted it to be left out */
	uint64_t count;			/* not 0 */
	const char *first;
};

/*
 * Writes nothing yet.  Returns ENOMEM, ENOENT (the directory above it is missing, too), EROFS, or
 * other errno's of opening it.  The outlet is for bfo_extract_close().
 *
 * Its functions return errno's and these: BFO_ET_DAMAGED, a path that is none, or items out of
 * order; EXDEV, a mount point, or BFO_ET_CLASH, a name that exists, or two names that the
 * filesystem takes for one (for `look` none of these is an error); BFO_ET_CHANGED, somebody else
 * moves directories.
 */
errcode_t bfo_extract_open(struct bfo_context *ctx, const struct bfo_extract_options *opt,
			   struct bfo_outlet **outlet);

/* What is in the way of items. */
struct bfo_extract_clash {
	const char *path;		/* below the directory; "/": that itself */
	const char *word;		/* why, for programs */
	const char *text;		/* for people */
};

/*
 * After the last `look`, all that is in the way: *N of them; with any `item` must not be called.
 * They stay until this is called again, or the outlet is closed.  NULL: ENOMEM.
 */
const struct bfo_extract_clash *bfo_extract_clashes(const struct bfo_outlet *outlet, size_t *n);

/* Items by what they are. */
struct bfo_extract_counts {
	struct bfo_item_counts items;	/* new ones */
	uint64_t replaced;		/* names, of all these, that a file had */
	uint64_t merged;		/* directories that exist */
};

/*
 * After the last `look`, if nothing is in the way: ITEM, of which all is known, is to be made.  The
 * same of each, in any order.
 */
errcode_t bfo_extract_weigh(struct bfo_outlet *outlet, const struct bfo_item *item);

/*
 * Afterwards: whether there is room for them, as far as that can be known.  BFO_ET_NO_SPACE,
 * BFO_ET_NO_INODES: *SHORTAGE, of blocks or of inodes.
 */
errcode_t bfo_extract_room(struct bfo_outlet *outlet, struct bfo_shortage *shortage);

/* What was made, or, IS_PLANNED, is to be. */
struct bfo_extract_counts bfo_extract_counts(const struct bfo_outlet *outlet, int is_planned);

/* Rows of the same kinds for what other targets were not to get; returns how many. */
#define BFO_EXTRACT_LEFT 3
size_t bfo_extract_left_out(uint64_t devices, uint64_t set_ids, uint64_t capabilities,
			    struct bfo_extract_note notes[BFO_EXTRACT_LEFT]);

/* A row a kind, until the outlet is called again; *N of them. */
const struct bfo_extract_note *bfo_extract_notes(const struct bfo_outlet *outlet, size_t *n);

/* True if something that was made has its name: after a failure, too. */
int bfo_extract_has_named(const struct bfo_outlet *outlet);

/*
 * After a failure, or without `end`: what has no name of its own yet is removed.  Returns how much
 * of that could not be.
 */
uint64_t bfo_extract_give_up(struct bfo_outlet *outlet);

/* Gives up what has not come to its end, and frees all.  NULL is fine. */
void bfo_extract_close(struct bfo_outlet *outlet);

/*
 * The directory above PATH, which is missing: *AT, and the name there, *NAME, malloc'ed; -1 and
 * NULL after an error.
 */
errcode_t bfo_extract_above(const char *path, int *at, char **name);

/* What was found of killed runs. */
struct bfo_extract_left {
	uint64_t removed;		/* names, with all below them */
	uint64_t alike;			/* that look so, and were not made there: they stay */
};

/*
 * Removes what killed runs left in the directory PATH and below it; if that is missing, in the one
 * above.  Mount points are not entered.  EBUSY: a run is at work there, or in a directory below;
 * one in a directory above it is not noticed.
 */
errcode_t bfo_extract_abort(struct bfo_context *ctx, const char *path,
			    struct bfo_extract_left *left);

#endif
