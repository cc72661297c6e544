/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * medium.h - a volume that is read, and perhaps cannot be read everywhere: for all commands
 */
#ifndef E2BFO_MEDIUM_H
#define E2BFO_MEDIUM_H

#include "cli/json.h"
#include "volume/open.h"

/* What the command line says of it; zeroed, the first block that cannot be read is an error. */
struct medium {
	struct bfo_media_options how;	/* --on-read-error, -b, -B */
	const char *mapfile;		/* --mapfile, or NULL */
	struct bfo_mapfile map;		/* what that says, once it was read */
	int may_move;			/* it may be mounted read-write: nothing is taken from it */
};

/*
 * Opens SPEC as a source, with its mapfile, also one that is shorter than its filesystem.  M has to
 * stay until the volume is closed.
 */
errcode_t medium_open(struct medium *m, struct bfo_context *ctx, const char *spec,
		      const struct bfo_journal_use *use, struct bfo_volume **out);
void medium_free(struct medium *m);

/*
 * To standard error: what of VOL, called NAME, is missing from the start, and that its mapfile ends
 * before it does.  NULL is fine.
 */
void medium_warn(const char *name, const struct bfo_volume *vol);

/* The same as an object called KEY, if there is anything to be told. */
void medium_json(struct json *j, const char *key, const struct bfo_volume *vol);

#endif
