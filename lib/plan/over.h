/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * over.h - names that the target has already: what becomes of them, and what is in the way
 *
 * The same rules for directories (export/extract.h) and for volumes (plan/meeting.c).
 */
#ifndef BFO_PLAN_OVER_H
#define BFO_PLAN_OVER_H

#include <time.h>

/* What becomes of a name that exists.  A directory never takes the place of anything else. */
enum bfo_over {
	BFO_OVER_CLASH,			/* it is a clash */
	BFO_OVER_REPLACE,		/* it is replaced */
	BFO_OVER_SKIP,			/* it stays */
	BFO_OVER_NEWER,			/* it is replaced if its mtime is less than the item's */
};

/*
 * True if what has the name stays, and the item is not copied; neither is a directory.  NEW and
 * OLD: mtime of the item, and of what exists; only BFO_OVER_NEWER looks at them.
 */
int bfo_over_stays(enum bfo_over over, const struct timespec *new, const struct timespec *old);

/* Why something is in the way. */
enum bfo_clash_kind {
	BFO_CLASH_EXISTS, BFO_CLASH_DIRECTORY, BFO_CLASH_NO_DIRECTORY, BFO_CLASH_MOUNT,
	BFO_CLASH_SEALED, BFO_CLASH_DENIED, BFO_CLASH_FOLDED, BFO_CLASH_SOURCE,
	BFO_CLASH_SEALED_ABOVE, BFO_CLASH_ENCRYPTED, BFO_CLASH_VERITY,
	BFO_CLASH_KINDS,		/* none */
};

struct bfo_clash_text {
	const char *word;		/* for programs */
	const char *text;		/* for people */
};

extern const struct bfo_clash_text bfo_clash_texts[BFO_CLASH_KINDS];

/* What a refusal adds where nothing was said about names that exist. */
#define BFO_OVER_ADVICE " (--skip-existing leaves files as they are, --overwrite replaces them)"

#endif
