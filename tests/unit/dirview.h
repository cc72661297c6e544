/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirview.h - the blocks of a directory as a kernel sees them
 *
 * A reader of its own, written from the kernel's documentation and fs/ext4/namei.c; it shares no
 * code with the library.  What is wrong fails the test.
 */
#ifndef UNIT_DIRVIEW_H
#define UNIT_DIRVIEW_H

#include <ext2fs/ext2fs.h>

#include "gather/target.h"

struct dirview_entry {
	const char *name;
	uint32_t ino, rec_len, len, type;
};

struct dirview {
	const uint8_t *data;		/* BLOCKS of them */
	uint32_t blocks;
	int indexed;
	uint32_t ino, parent;
	const struct bfo_target *target;
	ext2_filsys fs;			/* judges checksums */
	/* The hash of a name; NULL: by the target's hash. */
	void (*hash)(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor);
	int has_hashes;			/* they stand behind the names, too */
	int dead;			/* there are names left out: marks may be set for nothing */
	int used;			/* changed meanwhile: leaves in any order, empty */

	/* what was found */
	uint32_t levels;		/* of the index, root included; 0 if none */
	uint32_t leaves;
	uint32_t least_used;		/* bytes of entries in the emptiest leaf but the last */
	uint32_t most_used;		/* and in the fullest leaf */
	uint32_t continued;		/* leaves that begin inside of a hash */
};

/* Judges everything that can be judged without knowing the names. */
void dirview_check(struct dirview *d);

/* All entries but "." and "..", in the order in which a kernel reads the leaves. */
typedef void (*dirview_take)(void *priv, const struct dirview_entry *e);
void dirview_each(struct dirview *d, dirview_take take, void *priv);

/* The inode that NAME leads to, found as a kernel looks names up; 0 if it finds none. */
uint32_t dirview_lookup(const struct dirview *d, const char *name, unsigned int len);

/* The inode that NAME leads to in block BLK, a leaf; 0: it is not there. */
uint32_t dirview_search(const struct dirview *d, uint32_t blk, const char *name, unsigned int len);

/* The hash of a name as DIR has it. */
void dirview_hash(const struct dirview *d, const char *name, unsigned int len, uint32_t *hash,
		  uint32_t *minor);

#endif
