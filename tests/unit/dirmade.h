/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirmade.h - a directory made by hand, and its blocks
 *
 *   dirmade_init()   N random names, shape of the target as wanted (d->m.target may be changed)
 *   dirmade_sort()   by the target's hash; or dirmade_rehash(): by hashes of the test's own
 *   dirmade_build()  blocks; d->view sees them
 *   dirmade_judge()  every name is there once and is found, nothing else is
 */
#ifndef UNIT_DIRMADE_H
#define UNIT_DIRMADE_H

#include "dirview.h"
#include "made.h"
#include "plan/dirimage.h"
#include "plan/names.h"

struct dirmade {
	struct made m;
	uint32_t names;
	uint32_t left_out;		/* names made dead by the test */
	uint32_t lookups;		/* dirmade_judge(): so many names are looked up at least */
	struct bfo_dirimage img;
	uint8_t *blocks;
	struct dirview view;
	uint8_t *seen;			/* per name */
};

/* N names of MIN to MAX bytes (at least 7, if there are many); name i leads to inode 1000 + i. */
void dirmade_init(struct dirmade *d, struct chance *c, uint32_t n, uint32_t min, uint32_t max);
void dirmade_free(struct dirmade *d);

/* The same with SIZE bytes in each of the N names but the last, which has LAST. */
void dirmade_init_exact(struct dirmade *d, struct chance *c, uint32_t n, uint32_t size,
			uint32_t last);

void dirmade_sort(struct dirmade *d);

typedef void (*dirmade_hash)(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor);
void dirmade_rehash(struct dirmade *d, dirmade_hash hash);

/* Stores hashes of the test's own behind all names, which dirmade_sort() then sorts by. */
void dirmade_store(struct dirmade *d, dirmade_hash hash);

/* Lays out and writes; the error of laying out is returned. */
errcode_t dirmade_build(struct dirmade *d, uint32_t fill);

void dirmade_judge(struct dirmade *d);

#endif
