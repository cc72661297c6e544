/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_index.h - the index of a directory, read: hashes of names, and nodes that lead to leaves
 *
 *   root    ".", "..", a head of 8 bytes, entries		first block of the directory
 *   node    an empty directory entry, entries			up to two levels of them
 *   leaf    a block of names					is not of the index
 *
 * An entry is the lowest hash of what its block holds, and the number of the block; the hash of the
 * first entry of a node is what leads to the node.  Bit 0 of a hash says that the block goes on
 * with names of the hash that the one before it ended with.  Formats: kernel
 * Documentation/filesystems/ext4/directory.rst.
 *
 * Nothing here does I/O, and what is read is not trusted.
 */
#ifndef BFO_TREE_DIR_INDEX_H
#define BFO_TREE_DIR_INDEX_H

#include <ext2fs/ext2fs.h>

#include "base/dirblock.h"

/* How names are hashed. */
struct bfo_hashing {
	int version;			/* as for ext2fs_dirhash2(), with signedness */
	const uint32_t *seed;		/* four words, as the superblock has them */
	uint32_t dir_flags;		/* of the directory's inode */
	uint16_t encoding;		/* of casefolded directories; 0 without casefold */
};

/* The hashes of NAME, as a kernel computes them; 0 if that cannot be done. */
void bfo_hashing_name(const struct bfo_hashing *h, const char *name, uint32_t len, uint32_t *hash,
		      uint32_t *minor);

/* A directory whose index is read. */
struct bfo_dir_index {
	uint32_t block_size;		/* bytes */
	int has_csum;			/* metadata_csum */
	int has_large_dir;
	uint32_t seed;			/* of checksums in this directory */
	/* what the root says, once it was read */
	int version;			/* as it stands there: without signedness */
	uint32_t levels;		/* of nodes below the root */
};

/*
 * Finds the index in BLOCK (base/dirblock.h, which searches it, too); IS_ROOT: it is block 0, whose
 * head goes to H.  0 if it is no such block, or damaged.
 */
int bfo_dir_index_read(struct bfo_dir_index *h, const void *block, int is_root, struct bfo_dx *n);

/* True if entry I exists, and names of HASH that did not fit before it go on there. */
int bfo_dir_index_goes_on(const struct bfo_dx *n, uint32_t i, uint32_t hash);

#endif
