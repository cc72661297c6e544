// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirblock.c - blocks of directories, as they stand on the disk
 */
#include "base/crc32c.h"
#include "base/dirblock.h"

#define LARGEST 65536U		/* bytes of an entry; written as 65535, and read as 0, too */

int bfo_dirent_read(const void *region, uint32_t size, uint32_t at, struct bfo_dirent *e)
{
	const char *from = (const char *) region + at;
	struct bfo_disk_dirent head;

	if (size - at < BFO_DIRENT_HEADER)
		return 0;
	memcpy(&head, from, sizeof(head));
	e->ino = le32(head.ino);
	e->rec_len = le16(head.rec_len);
	if (e->rec_len == LARGEST - 1 || (e->rec_len == 0 && size == LARGEST))
		e->rec_len = LARGEST;
	e->name_len = head.name_len;
	e->type = head.type;
	e->name = from + BFO_DIRENT_HEADER;
	if (e->rec_len < BFO_DIRENT_HEADER || e->rec_len % 4 || e->rec_len > size - at)
		return 0;
	return !e->ino || BFO_DIRENT_HEADER + e->name_len <= e->rec_len;
}

static uint16_t disk_rec_len(uint32_t len)
{
	return to_le16(len == LARGEST ? LARGEST - 1 : len);
}

void bfo_dirent_put_rec_len(void *at, uint32_t len)
{
	uint16_t value = disk_rec_len(len);

	memcpy((char *) at + offsetof(struct bfo_disk_dirent, rec_len), &value, sizeof(value));
}

void bfo_dirent_put(void *at, uint32_t ino, uint32_t rec_len, const char *name, uint32_t len,
		    uint32_t type)
{
	struct bfo_disk_dirent head = { .ino = to_le32(ino), .rec_len = disk_rec_len(rec_len),
					.name_len = len, .type = type };

	memcpy(at, &head, sizeof(head));
	memcpy((char *) at + BFO_DIRENT_HEADER, name, len);
}

void bfo_dirblock_put_dots(void *block, uint32_t ino, uint32_t parent, uint32_t dotdot_len,
			   int has_filetype)
{
	uint32_t type = has_filetype ? EXT2_FT_DIR : 0;

	bfo_dirent_put(block, ino, BFO_DIR_DOTDOT, ".", 1, type);
	bfo_dirent_put((char *) block + BFO_DIR_DOTDOT, parent, dotdot_len, "..", 2, type);
}

static struct ext2_dir_entry_tail tail_of(const void *block, uint32_t size, uint32_t seed)
{
	return (struct ext2_dir_entry_tail) {
		.det_rec_len = to_le16(BFO_DIR_TAIL),
		.det_reserved_name_len = to_le16(EXT2_DIR_NAME_LEN_CSUM),
		.det_checksum = to_le32(bfo_crc32c(seed, block, size - BFO_DIR_TAIL)),
	};
}

int bfo_dirblock_is_sealed(const void *block, uint32_t size, uint32_t seed)
{
	struct ext2_dir_entry_tail tail = tail_of(block, size, seed);

	return !memcmp((const char *) block + size - BFO_DIR_TAIL, &tail, sizeof(tail));
}

void bfo_dirblock_seal(void *block, uint32_t size, uint32_t seed)
{
	struct ext2_dir_entry_tail tail = tail_of(block, size, seed);

	memcpy((char *) block + size - BFO_DIR_TAIL, &tail, sizeof(tail));
}

/* (What stands in its first four bytes counts, too.) */
static uint32_t index_checksum(const void *block, uint32_t bytes, uint32_t reserved, uint32_t seed)
{
	struct ext2_dx_tail tail = { .dt_reserved = reserved };

	return bfo_crc32c(bfo_crc32c(seed, block, bytes), &tail, sizeof(tail));
}

static int is_sealed(const struct bfo_dx *n, uint32_t seed)
{
	struct ext2_dx_tail tail;

	memcpy(&tail, n->block + n->offset + n->limit * BFO_DX_ENTRY, sizeof(tail));
	return le32(tail.dt_checksum) == index_checksum(n->block,
							n->offset + n->count * BFO_DX_ENTRY,
							tail.dt_reserved, seed);
}

int bfo_dx_read(const void *block, uint32_t size, uint32_t offset, int has_csum, uint32_t seed,
		struct bfo_dx *n)
{
	*n = (struct bfo_dx) { .block = block, .offset = offset, .limit = get_le16(block, offset),
			       .count = get_le16(block, offset + 2) };
	return n->limit == bfo_dx_limit(size, offset, has_csum) && n->count &&
	       n->count <= n->limit && (!has_csum || is_sealed(n, seed));
}

int bfo_dx_is_node(const void *block, uint32_t size)
{
	struct bfo_dirent e;

	return bfo_dirent_read(block, size, 0, &e) && !e.ino && e.rec_len == size;
}

int bfo_dx_root(const void *block, uint32_t levels, struct ext2_dx_root_info *info)
{
	memcpy(info, (const char *) block + BFO_DX_INFO, sizeof(*info));
	return !info->reserved_zero && info->info_length == sizeof(*info) &&
	       !(info->unused_flags & 1) && info->indirect_levels <= levels;
}

uint32_t bfo_dx_find(const struct bfo_dx *n, uint32_t hash)
{
	uint32_t lo = 1, hi = n->count, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (bfo_dx_hash(n, mid) > hash)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo - 1;
}

void bfo_dx_seal(void *block, uint32_t offset, uint32_t limit, uint32_t count, uint32_t seed)
{
	struct ext2_dx_tail tail = { 0 };

	tail.dt_checksum = to_le32(index_checksum(block, offset + count * BFO_DX_ENTRY, 0, seed));
	memcpy((char *) block + offset + limit * BFO_DX_ENTRY, &tail, sizeof(tail));
}
