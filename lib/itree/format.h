/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - the bytes of the container /.e2itree: trees that list directories by inode number
 *
 * The tree is that of "itree", an auxiliary directory index for ext4 (master's thesis, 2013): a B+
 * tree whose key is (inode number, hash of the name).  Here all trees of a filesystem are in one
 * ordinary file, and a catalogue in that file says which directories they list, and as of when.
 * itree(5) documents every byte; all numbers are little-endian.
 *
 *   block 0     header
 *   1 ...       catalogue, ascending by directory inode
 *   then        trees, each contiguous: its leaves in the order of keys, index nodes, root last
 *
 * Blocks of a tree are numbered from its own first block on, so that a tree can be moved within the
 * container, or to another one of the filesystem, without being written anew.
 *
 * Nothing here does I/O; everything read is checked (P8): what is wrong is BFO_ET_ITREE.
 */
#ifndef ITREE_FORMAT_H
#define ITREE_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

#define ITREE_NAME ".e2itree"		/* in the root directory */
#define ITREE_VERSION 1U
#define ITREE_MAX_LEVELS 8U		/* of index nodes above the leaves */
#define ITREE_MIN_BLOCK 1024U		/* bytes */
#define ITREE_MAX_BLOCK 65536U

/* (inode number, hash): ascending order is the order of a tree.  Bit 0 of the hash is not used. */
typedef uint64_t itree_key;

static inline itree_key itree_key_make(uint32_t ino, uint32_t hash)
{
	return (uint64_t) ino << 32 | (hash & ~1U);
}

static inline uint32_t itree_key_ino(itree_key key)
{
	return key >> 32;
}

static inline uint32_t itree_key_hash(itree_key key)
{
	return (uint32_t) key;
}

/* ---- header and catalogue ---- */

struct itree_header {
	uint32_t block_size;		/* bytes */
	uint8_t uuid[16];		/* of the filesystem */
	uint32_t seed;			/* of all checksums but the header's */
	uint64_t wtime, lastcheck;	/* s_wtime and s_lastcheck when it was made */
	uint32_t hash_version;		/* of keys: as for ext2fs_dirhash2(), with signedness */
	uint32_t hash_seed[4];
	uint32_t trees;
	uint32_t blocks;		/* of the container */
	uint32_t catalogue, catalogue_blocks;
	/* directories of so many names are indexed; 0: see itree(5) */
	uint32_t min_entries;
};

/* An entry of the catalogue: a directory, when it was read, its tree. */
struct itree_dir {
	uint32_t ino, generation;
	uint64_t version;		/* i_version */
	int64_t ctime;			/* seconds since 1970 */
	uint32_t ctime_nsec;
	uint32_t levels;		/* of index nodes; 0: the root is a leaf */
	uint64_t set_hash;		/* sum of itree_name_digest() over all its names */
	uint64_t entries;		/* names, without "." and ".." */
	uint32_t first, blocks;		/* of the container */
	uint32_t root;			/* counted from `first` */
	uint32_t leaves;		/* blocks that are leaves */
};

#define ITREE_DIR_BYTES 64U		/* of a packed one */

/* The seed that a new container on the filesystem with UUID gets. */
uint32_t itree_seed_of(const uint8_t uuid[16]);

/* Fills BLOCK (h->block_size bytes). */
void itree_header_pack(const struct itree_header *h, void *block);

/*
 * Reads BLOCK (BLOCK_SIZE bytes of it are there).  BFO_ET_NO_ITREE if that is no container's at
 * all, BFO_ET_ITREE if it is damaged, or its version or block size is another.
 */
errcode_t itree_header_unpack(const void *block, uint32_t block_size, struct itree_header *h);

/* Entries that a block of the catalogue holds, blocks that it takes. */
uint32_t itree_catalogue_room(uint32_t block_size);
uint32_t itree_catalogue_blocks(uint32_t block_size, uint32_t trees);

/* Fills BLOCK with block K of the catalogue: DIRS are all h->trees entries, ascending. */
void itree_catalogue_pack(const struct itree_header *h, const struct itree_dir *dirs, uint32_t k,
			  void *block);

/*
 * Reads block K of the catalogue into DIRS, itree_catalogue_room() of them at most; *N are there.
 * Each of them lies within the container; that they ascend also from block to block, and do not
 * overlap, is for the caller to check.
 */
errcode_t itree_catalogue_unpack(const struct itree_header *h, uint32_t k, const void *block,
				 struct itree_dir *dirs, uint32_t *n);

/* ---- what nodes and leaves have in common ---- */

/* The seed of the checksums of one tree. */
uint32_t itree_tree_seed(uint32_t seed, uint32_t ino, uint32_t generation);

/* Sets the checksum of BLOCK, block BLK of a tree (counted from its first). */
void itree_node_seal(void *block, uint32_t block_size, uint32_t seed, uint32_t blk);
void itree_leaf_seal(void *block, uint32_t block_size, uint32_t seed, uint32_t blk);

/* ---- index nodes ---- */

#define ITREE_NODE_HEAD 9U
#define ITREE_CHILD_BYTES 18U
#define ITREE_CHILD_CONT 1U	/* begins with keys equal to the last of the child before it */

struct itree_child {
	itree_key key;		/* of the first entry below it */
	uint64_t block;		/* counted from the tree's first */
	uint8_t fullness;	/* bytes (leaf) or entries (node) in use: 255 is all */
	uint8_t flags;
};

/* Children that a node can have. */
uint32_t itree_node_limit(uint32_t block_size);

/* Makes BLOCK an empty node; LEVEL is 0 if its children are leaves. */
void itree_node_init(void *block, uint32_t block_size, uint32_t level);

uint32_t itree_node_count(const void *block);
uint32_t itree_node_level(const void *block);
void itree_node_set_count(void *block, uint32_t count);
void itree_node_get(const void *block, uint32_t i, struct itree_child *child);
void itree_node_put(void *block, uint32_t i, const struct itree_child *child);

/*
 * Checks node BLK of a tree of BLOCKS blocks: checksum, limit, level, at least one child, order of
 * keys, children within the tree.
 */
errcode_t itree_node_check(const void *block, uint32_t block_size, uint32_t seed, uint32_t blk,
			   uint32_t level, uint32_t blocks);

/* ---- leaves ---- */

#define ITREE_LEAF_HEAD 8U
#define ITREE_ENTRY_HEAD 12U	/* hash, inode, rec_len, name_len, type */

struct itree_entry {
	itree_key key;
	const char *name;	/* name_len bytes, no NUL */
	uint8_t name_len;
	uint8_t type;		/* EXT2_FT_*; 0 where directories do not say it */
};

/* Bytes that a name of LEN takes in a leaf. */
static inline uint32_t itree_entry_bytes(uint32_t len)
{
	return ITREE_ENTRY_HEAD + (len + 3) / 4 * 4;
}

void itree_leaf_init(void *block, uint32_t block_size);

/* Bytes in use, head included: where the next entry would go. */
uint32_t itree_leaf_used(const void *block);
void itree_leaf_set_used(void *block, uint32_t used);

/* Writes entry E at byte AT, BYTES long with what it hides; returns the byte behind it. */
uint32_t itree_leaf_put(void *block, uint32_t at, const struct itree_entry *e, uint32_t bytes);

/* Reads the entry at byte AT of a leaf that was checked; returns the byte behind it. */
uint32_t itree_leaf_get(const void *block, uint32_t at, struct itree_entry *e);

/* Checks leaf BLK: checksum, lengths, order of keys, names that are no names. */
errcode_t itree_leaf_check(const void *block, uint32_t block_size, uint32_t seed, uint32_t blk);

/* USED of ROOM as a fullness. */
uint8_t itree_fullness(uint32_t used, uint32_t room);

/* ---- sets of names ---- */

/*
 * 63 bits that stand for a name that leads to inode INO.  Their sum over all names of a directory
 * (modulo 2^64) does not depend on the order.  (Half MD4, as for directory hashes, seeded by INO.)
 */
uint64_t itree_name_digest(uint32_t ino, const char *name, uint32_t len);

#endif
