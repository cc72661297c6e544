// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota_slot.c - one entry of a quota file, changed where it stands
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "plan/quota.h"

/* Bytes; see quota.h. */
enum { BLOCK = 1024, ROOT = 1, LEVELS = 4, HEAD = 16, SLOT = 72, INODES = 24, SPACE = 48 };

static uint64_t get(const char *at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	return ext2fs_le64_to_cpu(value);
}

static int is_used(const char *slot)
{
	static const char nothing[SLOT];

	return !!memcmp(slot, nothing, SLOT);
}

errcode_t bfo_quota_slot(const void *file, uint64_t size, uint32_t id, uint64_t *at)
{
	const char *bytes = file;
	uint64_t blk = ROOT, slot;
	int level;

	for (level = 0; level < LEVELS; level++) {
		if (blk * BLOCK + BLOCK > size)
			return BFO_ET_DAMAGED;
		blk = get(bytes + blk * BLOCK + 4 * (id >> 8 * (LEVELS - 1 - level) & 255), 4);
		if (!blk)
			return BFO_ET_NO_PATH;
	}
	if (blk * BLOCK + BLOCK > size)
		return BFO_ET_DAMAGED;
	for (slot = blk * BLOCK + HEAD; slot + SLOT <= (blk + 1) * BLOCK; slot += SLOT)
		if (get(bytes + slot, 4) == id && is_used(bytes + slot)) {
			*at = slot;
			return 0;
		}
	return BFO_ET_NO_PATH;
}

void bfo_quota_slot_usage(const void *slot, uint64_t *inodes, uint64_t *bytes)
{
	*inodes = get((const char *) slot + INODES, 8);
	*bytes = get((const char *) slot + SPACE, 8);
}

void bfo_quota_slot_add(void *slot, int64_t inodes, int64_t bytes)
{
	uint64_t value;

	value = ext2fs_cpu_to_le64(get((char *) slot + INODES, 8) + inodes);
	memcpy((char *) slot + INODES, &value, sizeof(value));
	value = ext2fs_cpu_to_le64(get((char *) slot + SPACE, 8) + bytes);
	memcpy((char *) slot + SPACE, &value, sizeof(value));
}
