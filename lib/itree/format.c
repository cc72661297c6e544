// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format.c - packing, unpacking and checking of what stands in a container
 *
 *   header                  catalogue block         its entries
 *   0x00  8  "e2itree\0"    0x00  4  checksum       0x00 4 inode        0x20 8 set hash
 *   0x08  4  version        0x04  2  entries        0x04 4 generation   0x28 8 entries
 *   0x0c  4  checksum       0x06 10  zero           0x08 8 i_version    0x30 4 first block
 *   0x10 16  UUID           0x10     entries        0x10 8 ctime        0x34 4 blocks
 *   0x20  4  block size                             0x18 4 ctime, ns    0x38 4 root
 *   0x24  4  seed           node                    0x1c 4 levels       0x3c 4 leaves
 *   0x28  8  s_wtime        0x00  2  count
 *   0x30  8  s_lastcheck    0x02  2  limit          child
 *   0x38  4  hash version   0x04  4  checksum       0x00 4 inode  0x04 4 hash  0x08 8 block
 *   0x3c  4  trees          0x08  1  level          0x10 1 fullness  0x11 1 flags
 *   0x40 16  hash seed      0x09     children
 *   0x50  4  blocks                                 entry
 *   0x54  4  catalogue      leaf                    0x00 4 hash
 *   0x58  4  its blocks     0x00  4  checksum       0x04 4 inode    0x0a 1 name_len
 *   0x5c  4  least names    0x04  2  bytes used     0x08 2 rec_len  0x0b 1 type
 *                           0x06  2  zero           0x0c   name; rec_len counts from 0x04 on
 *                           0x08     entries
 *
 * 65,536 used bytes do not fit into 16 bits; as such counts are multiples of 4, 65535 means that.
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "itree/format.h"

#define CATALOGUE_HEAD 16U
#define HEADER_SUM 0x0cU
#define USED_ALL 65535U
#define REC_HEAD 8U		/* of an ext4 directory entry */

static const char magic[8] = "e2itree";

/* Of BYTES of BLOCK, the checksum itself, at byte AT, taken as zero. */
static uint32_t sum_without(uint32_t crc, const void *block, size_t bytes, size_t at)
{
	static const uint8_t zero[4];

	crc = bfo_crc32c(crc, block, at);
	crc = bfo_crc32c(crc, zero, sizeof(zero));
	return bfo_crc32c(crc, (const char *) block + at + 4, bytes - at - 4);
}

static uint32_t sum_of(const void *block, uint32_t bytes, uint32_t seed, uint32_t number, size_t at)
{
	uint32_t le = ext2fs_cpu_to_le32(number);

	return sum_without(bfo_crc32c(seed, &le, sizeof(le)), block, bytes, at);
}

/* ---- header ---- */

/*
 * Of a header, whatever stands in place of the magic: one whose magic alone is damaged is known by
 * it.
 */
static uint32_t header_sum(const void *block, uint32_t block_size)
{
	uint32_t crc = bfo_crc32c(~0U, magic, sizeof(magic));

	return sum_without(crc, (const char *) block + sizeof(magic), block_size - sizeof(magic),
			   HEADER_SUM - sizeof(magic));
}

uint32_t itree_seed_of(const uint8_t uuid[16])
{
	return bfo_crc32c(~0U, uuid, 16);
}

void itree_header_pack(const struct itree_header *h, void *block)
{
	int i;

	memset(block, 0, h->block_size);
	memcpy(block, magic, sizeof(magic));
	put_le32(block, 0x08, ITREE_VERSION);
	memcpy((char *) block + 0x10, h->uuid, sizeof(h->uuid));
	put_le32(block, 0x20, h->block_size);
	put_le32(block, 0x24, h->seed);
	put_le64(block, 0x28, h->wtime);
	put_le64(block, 0x30, h->lastcheck);
	put_le32(block, 0x38, h->hash_version);
	put_le32(block, 0x3c, h->trees);
	for (i = 0; i < 4; i++)
		put_le32(block, 0x40 + 4 * i, h->hash_seed[i]);
	put_le32(block, 0x50, h->blocks);
	put_le32(block, 0x54, h->catalogue);
	put_le32(block, 0x58, h->catalogue_blocks);
	put_le32(block, 0x5c, h->min_entries);
	put_le32(block, HEADER_SUM, header_sum(block, h->block_size));
}

errcode_t itree_header_unpack(const void *block, uint32_t block_size, struct itree_header *h)
{
	int i;

	memset(h, 0, sizeof(*h));
	if (memcmp(block, magic, sizeof(magic)))
		return get_le32(block, HEADER_SUM) == header_sum(block, block_size) ? BFO_ET_ITREE
										 : BFO_ET_NO_ITREE;
	memcpy(h->uuid, (const char *) block + 0x10, sizeof(h->uuid));
	h->block_size = get_le32(block, 0x20);
	h->seed = get_le32(block, 0x24);
	h->wtime = get_le64(block, 0x28);
	h->lastcheck = get_le64(block, 0x30);
	h->hash_version = get_le32(block, 0x38);
	h->trees = get_le32(block, 0x3c);
	for (i = 0; i < 4; i++)
		h->hash_seed[i] = get_le32(block, 0x40 + 4 * i);
	h->blocks = get_le32(block, 0x50);
	h->catalogue = get_le32(block, 0x54);
	h->catalogue_blocks = get_le32(block, 0x58);
	h->min_entries = get_le32(block, 0x5c);
	if (get_le32(block, 0x08) != ITREE_VERSION || h->block_size != block_size ||
	    get_le32(block, HEADER_SUM) != header_sum(block, block_size))
		return BFO_ET_ITREE;
	if (!h->catalogue || h->catalogue >= h->blocks ||
	    h->catalogue_blocks > h->blocks - h->catalogue ||
	    h->catalogue_blocks != itree_catalogue_blocks(block_size, h->trees))
		return BFO_ET_ITREE;
	return 0;
}

/* ---- catalogue ---- */

uint32_t itree_catalogue_room(uint32_t block_size)
{
	return (block_size - CATALOGUE_HEAD) / ITREE_DIR_BYTES;
}

uint32_t itree_catalogue_blocks(uint32_t block_size, uint32_t trees)
{
	uint32_t room = itree_catalogue_room(block_size);

	return trees ? (trees - 1) / room + 1 : 1;
}

static void pack_dir(const struct itree_dir *d, void *block, size_t at)
{
	put_le32(block, at, d->ino);
	put_le32(block, at + 0x04, d->generation);
	put_le64(block, at + 0x08, d->version);
	put_le64(block, at + 0x10, d->ctime);
	put_le32(block, at + 0x18, d->ctime_nsec);
	put_le32(block, at + 0x1c, d->levels);
	put_le64(block, at + 0x20, d->set_hash);
	put_le64(block, at + 0x28, d->entries);
	put_le32(block, at + 0x30, d->first);
	put_le32(block, at + 0x34, d->blocks);
	put_le32(block, at + 0x38, d->root);
	put_le32(block, at + 0x3c, d->leaves);
}

static void unpack_dir(struct itree_dir *d, const void *block, size_t at)
{
	d->ino = get_le32(block, at);
	d->generation = get_le32(block, at + 0x04);
	d->version = get_le64(block, at + 0x08);
	d->ctime = get_le64(block, at + 0x10);
	d->ctime_nsec = get_le32(block, at + 0x18);
	d->levels = get_le32(block, at + 0x1c);
	d->set_hash = get_le64(block, at + 0x20);
	d->entries = get_le64(block, at + 0x28);
	d->first = get_le32(block, at + 0x30);
	d->blocks = get_le32(block, at + 0x34);
	d->root = get_le32(block, at + 0x38);
	d->leaves = get_le32(block, at + 0x3c);
}

void itree_catalogue_pack(const struct itree_header *h, const struct itree_dir *dirs, uint32_t k,
			  void *block)
{
	uint32_t room = itree_catalogue_room(h->block_size), first = k * room, n = 0;

	memset(block, 0, h->block_size);
	for (; n < room && first + n < h->trees; n++)
		pack_dir(&dirs[first + n], block, CATALOGUE_HEAD + (size_t) n * ITREE_DIR_BYTES);
	put_le16(block, 4, n);
	put_le32(block, 0, sum_of(block, h->block_size, h->seed, k, 0));
}

/* A tree that lies within the container, behind the catalogue. */
static int is_possible(const struct itree_header *h, const struct itree_dir *d)
{
	return d->ino && d->blocks && d->first >= h->catalogue + h->catalogue_blocks &&
	       d->first < h->blocks && d->blocks <= h->blocks - d->first && d->root < d->blocks &&
	       d->levels <= ITREE_MAX_LEVELS && d->leaves && d->leaves <= d->blocks;
}

errcode_t itree_catalogue_unpack(const struct itree_header *h, uint32_t k, const void *block,
				 struct itree_dir *dirs, uint32_t *n)
{
	uint32_t room = itree_catalogue_room(h->block_size), want, i;

	*n = 0;
	if (k >= h->catalogue_blocks ||
	    get_le32(block, 0) != sum_of(block, h->block_size, h->seed, k, 0))
		return BFO_ET_ITREE;
	want = h->trees - k * room < room ? h->trees - k * room : room;
	if (get_le16(block, 4) != want)
		return BFO_ET_ITREE;
	for (i = 0; i < want; i++) {
		unpack_dir(&dirs[i], block, CATALOGUE_HEAD + (size_t) i * ITREE_DIR_BYTES);
		if (!is_possible(h, &dirs[i]) || (i && dirs[i - 1].ino >= dirs[i].ino))
			return BFO_ET_ITREE;
	}
	*n = want;
	return 0;
}

/* ---- nodes ---- */

uint32_t itree_tree_seed(uint32_t seed, uint32_t ino, uint32_t generation)
{
	return bfo_crc32c_inode_seed(seed, ino, generation);
}

void itree_node_seal(void *block, uint32_t block_size, uint32_t seed, uint32_t blk)
{
	put_le32(block, 4, sum_of(block, block_size, seed, blk, 4));
}

uint32_t itree_node_limit(uint32_t block_size)
{
	return (block_size - ITREE_NODE_HEAD) / ITREE_CHILD_BYTES;
}

void itree_node_init(void *block, uint32_t block_size, uint32_t level)
{
	memset(block, 0, block_size);
	put_le16(block, 2, itree_node_limit(block_size));
	((uint8_t *) block)[8] = level;
}

uint32_t itree_node_count(const void *block)
{
	return get_le16(block, 0);
}

uint32_t itree_node_level(const void *block)
{
	return ((const uint8_t *) block)[8];
}

void itree_node_set_count(void *block, uint32_t count)
{
	put_le16(block, 0, count);
}

void itree_node_get(const void *block, uint32_t i, struct itree_child *child)
{
	size_t at = ITREE_NODE_HEAD + (size_t) i * ITREE_CHILD_BYTES;

	child->key = (uint64_t) get_le32(block, at) << 32 | get_le32(block, at + 4);
	child->block = get_le64(block, at + 8);
	child->fullness = ((const uint8_t *) block)[at + 16];
	child->flags = ((const uint8_t *) block)[at + 17];
}

void itree_node_put(void *block, uint32_t i, const struct itree_child *child)
{
	size_t at = ITREE_NODE_HEAD + (size_t) i * ITREE_CHILD_BYTES;

	put_le32(block, at, itree_key_ino(child->key));
	put_le32(block, at + 4, itree_key_hash(child->key));
	put_le64(block, at + 8, child->block);
	((uint8_t *) block)[at + 16] = child->fullness;
	((uint8_t *) block)[at + 17] = child->flags;
}

errcode_t itree_node_check(const void *block, uint32_t block_size, uint32_t seed, uint32_t blk,
			   uint32_t level, uint32_t blocks)
{
	uint32_t limit = itree_node_limit(block_size), count = itree_node_count(block), i;
	struct itree_child child;
	itree_key before = 0;

	if (get_le32(block, 4) != sum_of(block, block_size, seed, blk, 4) ||
	    get_le16(block, 2) != limit || itree_node_level(block) != level || !count ||
	    count > limit)
		return BFO_ET_ITREE;
	for (i = 0; i < count; i++) {
		itree_node_get(block, i, &child);
		if (child.block >= blocks || child.block == blk || child.key & 1 ||
		    child.flags & ~ITREE_CHILD_CONT || child.key < before ||
		    (i && child.key == before && !(child.flags & ITREE_CHILD_CONT)))
			return BFO_ET_ITREE;
		before = child.key;
	}
	return 0;
}

/* ---- leaves ---- */

void itree_leaf_seal(void *block, uint32_t block_size, uint32_t seed, uint32_t blk)
{
	put_le32(block, 0, sum_of(block, block_size, seed, blk, 0));
}

void itree_leaf_init(void *block, uint32_t block_size)
{
	memset(block, 0, block_size);
	itree_leaf_set_used(block, ITREE_LEAF_HEAD);
}

uint32_t itree_leaf_used(const void *block)
{
	uint32_t used = get_le16(block, 4);

	return used == USED_ALL ? ITREE_MAX_BLOCK : used;
}

void itree_leaf_set_used(void *block, uint32_t used)
{
	put_le16(block, 4, used == ITREE_MAX_BLOCK ? USED_ALL : used);
}

uint32_t itree_leaf_put(void *block, uint32_t at, const struct itree_entry *e, uint32_t bytes)
{
	uint8_t *p = (uint8_t *) block + at;

	put_le32(block, at, itree_key_hash(e->key));
	put_le32(block, at + 4, itree_key_ino(e->key));
	put_le16(block, at + 8, bytes - 4);
	p[10] = e->name_len;
	p[11] = e->type;
	memset(p + ITREE_ENTRY_HEAD, 0, itree_entry_bytes(e->name_len) - ITREE_ENTRY_HEAD);
	memcpy(p + ITREE_ENTRY_HEAD, e->name, e->name_len);
	return at + bytes;
}

uint32_t itree_leaf_get(const void *block, uint32_t at, struct itree_entry *e)
{
	const uint8_t *p = (const uint8_t *) block + at;

	e->key = (uint64_t) get_le32(block, at + 4) << 32 | get_le32(block, at);
	e->name_len = p[10];
	e->type = p[11];
	e->name = (const char *) p + ITREE_ENTRY_HEAD;
	return at + 4 + get_le16(block, at + 8);
}

errcode_t itree_leaf_check(const void *block, uint32_t block_size, uint32_t seed, uint32_t blk)
{
	uint32_t used = itree_leaf_used(block), at, len;
	itree_key before = 0;
	struct itree_entry e;

	if (get_le32(block, 0) != sum_of(block, block_size, seed, blk, 0) || used > block_size ||
	    used < ITREE_LEAF_HEAD || used % 4)
		return BFO_ET_ITREE;
	for (at = ITREE_LEAF_HEAD; at < used; at += 4 + len) {
		if (used - at < ITREE_ENTRY_HEAD)
			return BFO_ET_ITREE;
		len = get_le16(block, at + 8);
		itree_leaf_get(block, at, &e);
		if (len % 4 || len < REC_HEAD || len > used - at - 4 || !e.name_len ||
		    itree_entry_bytes(e.name_len) > len + 4 || !itree_key_ino(e.key) ||
		    e.key & 1 || e.key < before)
			return BFO_ET_ITREE;
		before = e.key;
	}
	return 0;
}

uint8_t itree_fullness(uint32_t used, uint32_t room)
{
	return used >= room ? 255 : (uint64_t) used * 255 / room;
}
