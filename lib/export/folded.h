/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.h - names of casefolded directories: which of them are one
 *
 * The names of several directories stand behind each other, so that one which lies in another has
 * its names at the end:
 *
 *   mark A ── add* ── mark B ── add* ── judge B ── add* ── judge A
 */
#ifndef BFO_EXPORT_FOLDED_H
#define BFO_EXPORT_FOLDED_H

#include "base/vec.h"

struct bfo_folded_name {
	uint32_t hash, minor;		/* what is the same has the same */
	uint32_t at, len;		/* in `text` */
};

/* A zeroed one is empty. */
struct bfo_folded {
	BFO_VEC(struct bfo_folded_name) names;
	bfo_chars text;
};

struct bfo_folded_mark {
	size_t names, text;
};

void bfo_folded_free(struct bfo_folded *f);

/* Where it ends. */
struct bfo_folded_mark bfo_folded_mark(const struct bfo_folded *f);

/* Adds NAME.  ENOMEM, BFO_ET_OVERFLOW. */
errcode_t bfo_folded_add(struct bfo_folded *f, const char *name, size_t len);

/*
 * Forgets the names behind MARK.  Before, calls MET for each but one of those that are one; an
 * error of it is returned.
 */
errcode_t bfo_folded_judge(struct bfo_folded *f, struct bfo_folded_mark mark,
			   errcode_t (*met)(void *priv, const char *name, size_t len), void *priv);

#endif
