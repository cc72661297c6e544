/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forest.h - a random source tree, and the order in which a kernel will list its copy
 */
#ifndef UNIT_FOREST_H
#define UNIT_FOREST_H

#include "made.h"

struct forest_link {		/* a name, as the test remembers it */
	uint32_t dir, ino;
	uint32_t hash, minor;
	unsigned int len;
	char name[64];
};

struct forest {
	struct made m;
	uint32_t dirs, files;
	BFO_VEC(struct forest_link) links;
	BFO_VEC(uint32_t) expect;	/* inode numbers */
	uint8_t *seen;			/* per inode number */
};

/*
 * DIRS directories under the root and FILES files, some with several names, some with data of up
 * to BLOCKS blocks, some sharing attribute blocks.  Inode numbers have no relation to places.
 */
void forest_init(struct forest *f, struct chance *c, uint32_t dirs, uint32_t files,
		 uint32_t blocks);
void forest_free(struct forest *f);

/* Fills f->expect: depth first, each inode where its first name is; the root first. */
void forest_expect(struct forest *f);

#endif
