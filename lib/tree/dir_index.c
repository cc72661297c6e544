// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_index.c - the index of a directory, read
 */
#include "base/crc32c.h"
#include "base/disk.h"
#include "tree/dir_index.h"

/*
 * The kernel keeps the last even hash for its end-of-directory mark and maps a name with that
 * hash to the one before it (fs/ext4/hash.c); ext2fs_dirhash2() does not.
 */
#define HASH_EOF 0xfffffffeU

#define HEADER ((uint32_t) sizeof(struct bfo_disk_dirent))	/* of a directory entry */
#define DOTS_BYTES 24U			/* "." and ".." */
#define ROOT_ENTRIES (DOTS_BYTES + (uint32_t) sizeof(struct ext2_dx_root_info))
#define ENTRY ((uint32_t) sizeof(struct ext2_dx_entry))
#define TAIL ((uint32_t) sizeof(struct ext2_dx_tail))
#define BLOCK_MASK 0x0fffffffU		/* as the kernel has it: the rest is reserved */

void bfo_hashing_name(const struct bfo_hashing *h, const char *name, uint32_t len, uint32_t *hash,
		      uint32_t *minor)
{
	int folded = h->dir_flags & EXT4_CASEFOLD_FL && h->encoding;

	if (ext2fs_dirhash2(h->version, name, len,
			    folded ? ext2fs_load_nls_table(h->encoding) : NULL,
			    folded ? EXT4_CASEFOLD_FL : 0, h->seed, hash, minor))
		*hash = *minor = 0;
	if (*hash == HASH_EOF)
		*hash = HASH_EOF - 2;
}

static uint32_t entry_hash(const struct bfo_dir_index_node *n, uint32_t i)
{
	return get_le32(n->entries, i * ENTRY);
}

/* What the head of the root says. */
static int read_root(struct bfo_dir_index *h, const void *block)
{
	struct ext2_dx_root_info info;

	memcpy(&info, (const char *) block + DOTS_BYTES, sizeof(info));
	h->version = info.hash_version;
	h->levels = info.indirect_levels;
	return !info.reserved_zero && info.info_length == sizeof(info) &&
	       !(info.unused_flags & 1) && h->version <= EXT2_HASH_TEA &&
	       h->levels <= (h->has_large_dir ? 2 : 1);
}

/* An empty entry reaches to the end of the block. */
static int is_node(const struct bfo_dir_index *h, const void *block)
{
	struct bfo_disk_dirent head;
	uint32_t rec_len;

	memcpy(&head, block, sizeof(head));
	rec_len = le16(head.rec_len);
	if (rec_len == 65535 || (!rec_len && h->block_size == 65536))
		rec_len = 65536;
	return !head.ino && rec_len == h->block_size;
}

/* The checksum behind the room for LIMIT entries from byte AT on, of which COUNT are in use. */
static int csum_ok(const struct bfo_dir_index *h, const uint8_t *block, uint32_t at,
		   uint32_t limit, uint32_t count)
{
	struct ext2_dx_tail tail;
	uint32_t crc = bfo_crc32c(h->seed, block, at + count * ENTRY), stored;

	memcpy(&tail, block + at + limit * ENTRY, sizeof(tail));
	stored = le32(tail.dt_checksum);
	tail.dt_checksum = 0;
	return bfo_crc32c(crc, &tail, sizeof(tail)) == stored;
}

int bfo_dir_index_read(struct bfo_dir_index *h, const void *block, int is_root,
		       struct bfo_dir_index_node *n)
{
	uint32_t at = is_root ? ROOT_ENTRIES : HEADER, limit, count;
	uint32_t room = (h->block_size - at - (h->has_csum ? TAIL : 0)) / ENTRY;

	if (is_root ? !read_root(h, block) : !is_node(h, block))
		return 0;
	limit = get_le16(block, at);
	count = get_le16(block, at + 2);
	if (limit != room || !count || count > limit)
		return 0;
	n->entries = (const uint8_t *) block + at;
	n->count = count;
	return !h->has_csum || csum_ok(h, block, at, limit, count);
}

uint32_t bfo_dir_index_find(const struct bfo_dir_index_node *n, uint32_t hash)
{
	uint32_t lo = 1, hi = n->count, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (entry_hash(n, mid) > hash)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo - 1;
}

int bfo_dir_index_goes_on(const struct bfo_dir_index_node *n, uint32_t i, uint32_t hash)
{
	return i < n->count && (entry_hash(n, i) & ~1U) == hash;
}

uint32_t bfo_dir_index_block(const struct bfo_dir_index_node *n, uint32_t i)
{
	return get_le32(n->entries, i * ENTRY + 4) & BLOCK_MASK;
}
