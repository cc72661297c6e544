/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.h - names of casefolded directories: which of them are one, and which are no text
 *
 * The names of several directories stand behind each other, so that one which lies in another has
 * its names at the end:
 *
 *   init ── mark A ── add* ── mark B ── add* ── judge B ── add* ── judge A ── free
 */
#ifndef BFO_TREE_FOLDED_H
#define BFO_TREE_FOLDED_H

#include "base/vec.h"

struct ext2fs_nls_table;

struct bfo_folded_name {
	uint32_t hash, minor;		/* what is the same has the same */
	uint32_t at;			/* in `text`, which ends it with a zero byte */
	uint32_t id;
};

/* A zeroed one can be freed. */
struct bfo_folded {
	const struct ext2fs_nls_table *table;
	uint16_t encoding;
	uint32_t seed[4];		/* of hashes, which nobody can choose names by */
	BFO_VEC(struct bfo_folded_name) names;
	bfo_chars text;
};

struct bfo_folded_mark {
	size_t names, text;
};

/* For names of ENCODING, as a superblock says it, which libext2fs knows.  An errno. */
errcode_t bfo_folded_init(struct bfo_folded *f, uint16_t encoding);

void bfo_folded_free(struct bfo_folded *f);

/* Where it ends. */
struct bfo_folded_mark bfo_folded_mark(const struct bfo_folded *f);

/* Adds NAME, in which there is no zero byte; ID is the caller's.  ENOMEM, BFO_ET_OVERFLOW. */
errcode_t bfo_folded_add(struct bfo_folded *f, const char *name, size_t len, uint32_t id);

/*
 * Forgets the names behind MARK.  Before, calls MET for each but the first of those that are one,
 * in the order in which they were added; an error of it is returned.
 */
errcode_t bfo_folded_judge(struct bfo_folded *f, struct bfo_folded_mark mark,
			   errcode_t (*met)(void *priv, const struct bfo_folded_name *n,
					    const char *text), void *priv);

/*
 * True if NAME is of ENCODING: a filesystem with encoding_flags=strict takes no others in such
 * directories.
 */
int bfo_folded_is_text(uint16_t encoding, const char *name, size_t len);

#endif
