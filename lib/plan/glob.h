/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glob.h - many shell patterns against many paths at once
 *
 * A path is fed from its beginning, "/", "home", "/", "ann" ..., and a state of one bit per place
 * in the patterns says how far each of them got.  A state can be copied: all names of a directory
 * go on from that of the directory, so no path is ever built, and each byte of a name is looked
 * at once, whatever the depth.
 *
 *   pattern             matches
 *   ?  [a-z]  [!a-z]    one byte that is no slash, as fnmatch(3)
 *   *                   any bytes but slashes, also none
 *   **                  any bytes, also none
 *   \c                  c
 *   leading /           the pattern begins at the root; otherwise behind any slash
 *   trailing /          only directories
 *
 * All of a pattern has to match, up to the end of the path.  Leading dots are bytes like others.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_PLAN_GLOB_H
#define BFO_PLAN_GLOB_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

struct bfo_globs {
	size_t words;		/* of a state, 64 bits each */
	uint64_t *masks;	/* 256 masks of bits that take a byte; behind them: */
	uint64_t *star, *deep;	/* bits at a star; those of them at a double one */
	uint64_t *begin;	/* bits where a pattern begins: at the root */
	uint64_t *again;	/* ... behind any slash */
	uint64_t *end;		/* bits behind a pattern's end */
	uint64_t *end_dir;	/* ... of one that wants a directory */
	uint64_t *met;		/* of those, where bfo_globs_note() was */
	size_t n, *ends;	/* patterns, and where each ends */
};

/* Takes 32 bytes per byte of the patterns, and some.  Release with bfo_globs_free(). */
errcode_t bfo_globs_compile(struct bfo_globs *g, const char *const *patterns, size_t n);
void bfo_globs_free(struct bfo_globs *g);

/* STATE (g->words words): nothing was fed yet. */
void bfo_globs_begin(const struct bfo_globs *g, uint64_t *state);

/* Feeds LEN more bytes of the path. */
void bfo_globs_feed(const struct bfo_globs *g, uint64_t *state, const char *text, size_t len);

/* True if what was fed is matched by some pattern. */
int bfo_globs_match(const struct bfo_globs *g, const uint64_t *state, int is_dir);

/* Notes all patterns that match what was fed; later, whether pattern I was noted. */
void bfo_globs_note(struct bfo_globs *g, const uint64_t *state, int is_dir);
int bfo_globs_noted(const struct bfo_globs *g, size_t i);

#endif
