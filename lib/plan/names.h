/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - hashing and sorting names, for the source's tree and for the target's directories
 */
#ifndef BFO_PLAN_NAMES_H
#define BFO_PLAN_NAMES_H

#include "plan/plan.h"

/*
 * Sets the hashes of N, whose bytes stand at TEXT, in a directory with DIR_FLAGS, as a kernel
 * computes them on TARGET; or reads them there, behind the name, if such a directory has them.
 */
void bfo_name_hash(const struct bfo_target *target, uint32_t dir_flags, const char *text,
		   struct bfo_name *n);

/* The same of LEN bytes at TEXT; HASHES are those that stand with the name, or NULL. */
void bfo_text_hash(const struct bfo_target *target, uint32_t dir_flags, const char *text,
		   uint32_t len, const void *hashes, uint32_t *hash, uint32_t *minor);

/* Compares names by hash, minor hash and bytes: the order of a directory's slice. */
int bfo_name_compare(const struct bfo_tree *a_tree, const struct bfo_name *a,
		     const struct bfo_tree *b_tree, const struct bfo_name *b);

/*
 * Hashes names[] for TARGET and sorts it by (directory, hash, minor, bytes); gives every
 * directory record its slice.  Names with ino BFO_NONE are dropped, doubles are found.
 */
errcode_t bfo_names_sort(struct bfo_tree *tree, const struct bfo_target *target);

#endif
