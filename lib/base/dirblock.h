/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirblock.h - blocks of directories, as they stand on the disk
 *
 *   names   entries, up to the end or to the checksum (12 bytes, an entry without a name)
 *   root    "." 12 | ".." up to the end, and in it: root information 8 | index
 *   node    an entry without a name of the whole block: 8 | index
 *   index   limit, count, block | hash, block | ... up to the limit | checksum 8
 *
 * Formats: kernel Documentation/filesystems/ext4/directory.rst.
 */
#ifndef BFO_BASE_DIRBLOCK_H
#define BFO_BASE_DIRBLOCK_H

#include "base/disk.h"

#define BFO_DIRENT_HEADER ((uint32_t) sizeof(struct bfo_disk_dirent))	/* before the name */
#define BFO_DIR_TAIL ((uint32_t) sizeof(struct ext2_dir_entry_tail))	/* the checksum of names */
#define BFO_DIR_DOTDOT 12U		/* where ".." stands in the first block */
#define BFO_DIR_DOTS 24U		/* bytes of "." and ".." */
#define BFO_DX_INFO BFO_DIR_DOTS	/* where the root's information stands, */
#define BFO_DX_ROOT (BFO_DX_INFO + (uint32_t) sizeof(struct ext2_dx_root_info))	/* its index, */
#define BFO_DX_NODE BFO_DIRENT_HEADER	/* and that of other nodes */
#define BFO_DX_ENTRY ((uint32_t) sizeof(struct ext2_dx_entry))

struct bfo_dirent {
	uint32_t ino, rec_len, name_len, type;
	const char *name;
};

/* Bytes of an entry whose name has LEN bytes, without hashes behind it. */
static inline uint32_t bfo_dirent_bytes(uint32_t len)
{
	return (BFO_DIRENT_HEADER + len + 3) & ~3U;
}

/*
 * The entry at byte AT, below SIZE, of a region of SIZE bytes.  Returns 0 if its length cannot be,
 * or its name, if it is in use, does not fit into that.  Nothing else of it is checked.
 */
int bfo_dirent_read(const void *region, uint32_t size, uint32_t at, struct bfo_dirent *e);

/* Writes an entry to AT, and LEN bytes of its name. */
void bfo_dirent_put(void *at, uint32_t ino, uint32_t rec_len, const char *name, uint32_t len,
		    uint32_t type);
void bfo_dirent_put_rec_len(void *at, uint32_t len);

/* "." and "..", whose entry takes DOTDOT_LEN bytes, to the beginning of a first block. */
void bfo_dirblock_put_dots(void *block, uint32_t ino, uint32_t parent, uint32_t dotdot_len,
			   int has_filetype);

static inline int bfo_dirent_is_dots(const struct bfo_dirent *e)
{
	return (e->name_len == 1 && e->name[0] == '.') ||
	       (e->name_len == 2 && e->name[0] == '.' && e->name[1] == '.');
}

/* Bytes for entries in a block of SIZE bytes. */
static inline uint32_t bfo_dirblock_room(uint32_t size, int has_csum)
{
	return size - (has_csum ? BFO_DIR_TAIL : 0);
}

/* The checksum of a block of names, of SIZE bytes; SEED is that of the directory's inode. */
int bfo_dirblock_is_sealed(const void *block, uint32_t size, uint32_t seed);
void bfo_dirblock_seal(void *block, uint32_t size, uint32_t seed);

/* Entries that an index at byte OFFSET of a block of SIZE bytes has room for. */
static inline uint32_t bfo_dx_limit(uint32_t size, uint32_t offset, int has_csum)
{
	uint32_t tail = has_csum ? sizeof(struct ext2_dx_tail) : 0;

	return (size - offset - tail) / BFO_DX_ENTRY;
}

/* An index that was read. */
struct bfo_dx {
	const uint8_t *block;
	uint32_t offset, limit, count;	/* COUNT is at least 1 */
};

/*
 * The index at byte OFFSET of a block of SIZE bytes.  Returns 0 if it is damaged.  Whether hashes
 * ascend, and where entries lead, is not looked at.
 */
int bfo_dx_read(const void *block, uint32_t size, uint32_t offset, int has_csum, uint32_t seed,
		struct bfo_dx *n);

/* True if BLOCK begins as a node that is not the root. */
int bfo_dx_is_node(const void *block, uint32_t size);

/* What BLOCK says as a root.  Returns 0 if it is none with up to LEVELS of nodes below it. */
int bfo_dx_root(const void *block, uint32_t levels, struct ext2_dx_root_info *info);

static inline uint32_t bfo_dx_hash(const struct bfo_dx *n, uint32_t i)
{
	return get_le32(n->block, n->offset + i * BFO_DX_ENTRY);
}

/* The logical block that entry I leads to.  (Upper bits of a block number are reserved.) */
static inline uint32_t bfo_dx_child(const struct bfo_dx *n, uint32_t i)
{
	return get_le32(n->block, n->offset + i * BFO_DX_ENTRY + 4) & 0x0fffffffU;
}

/* The last entry whose hash is not above HASH; the first one has no hash. */
uint32_t bfo_dx_find(const struct bfo_dx *n, uint32_t hash);

/* The checksum behind an index at byte OFFSET with COUNT of LIMIT entries. */
void bfo_dx_seal(void *block, uint32_t offset, uint32_t limit, uint32_t count, uint32_t seed);

#endif
