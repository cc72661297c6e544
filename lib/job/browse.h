/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browse.h - an archive or a stream that somebody looks at, path by path, as others do at a volume
 *
 *   tell ── open ── [resolve]* ── free
 *
 * All of its tree is gathered, and names are in the order of their inode numbers.  These are of no
 * filesystem: they ascend as the members come.
 */
#ifndef BFO_JOB_BROWSE_H
#define BFO_JOB_BROWSE_H

#include "gather/resolve.h"
#include "intake/intake.h"
#include "job/end.h"
#include "volume/medium.h"

struct bfo_browse {
	struct bfo_context *ctx;
	struct bfo_end end;		/* what it is */
	struct bfo_source *source;	/* NULL: not open (yet) */
	struct bfo_tree tree;
};

/* What SPEC stands for (job/end.h).  *IS_ONE: an archive or a stream, so that it can be opened. */
errcode_t bfo_browse_tell(struct bfo_browse *b, struct bfo_context *ctx, const char *spec,
			  int *is_one);

/* Opens and gathers it, as HOW says.  Errors: those of the intake. */
errcode_t bfo_browse_open(struct bfo_browse *b, const struct bfo_end_options *how);

/* BFO_ET_OPTION, if MEDIUM asks for what only volumes have. */
errcode_t bfo_browse_check(const struct bfo_browse *b, const struct bfo_medium *medium);

/* Follows PATH from the root on (gather/resolve.h). */
void bfo_browse_resolve(const struct bfo_browse *b, const char *path, struct bfo_resolved *way);

/* The same of N PATHS. */
void bfo_browse_resolve_all(const struct bfo_browse *b, const char *const *paths, size_t n,
			    struct bfo_resolved *ways);

/* What it is made of. */
static inline const struct bfo_intake *bfo_browse_intake(const struct bfo_browse *b)
{
	return (const struct bfo_intake *) b->source;
}

/* Also of one that was zeroed. */
void bfo_browse_free(struct bfo_browse *b);

#endif
