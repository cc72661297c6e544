// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * acl_xattr.c - POSIX access control lists, from what ext4 stores into what programs see
 *
 * Entries get longer: each has a number, which means nothing where ext4 has none.  Whether their
 * order can be is left to whoever takes the value.
 */
#include "base/bfo_err.h"
#include "base/disk.h"
#include "export/acl_xattr.h"

#define XATTR_VERSION 2U
#define DISK_VERSION 1U
#define HEADER_SIZE 4U
#define ENTRY_SIZE 8U
#define SHORT_SIZE 4U
#define OWNER 1U
#define USER 2U
#define OWNING_GROUP 4U
#define GROUPS 8U
#define MASK 16U
#define OTHER 32U
#define NO_ID UINT32_MAX

/* Bytes that the entry at AT takes, or 0 if it reaches beyond SIZE. */
static size_t entry_size(const void *value, size_t at, size_t size)
{
	uint32_t tag;
	size_t n;

	if (size - at < SHORT_SIZE)
		return 0;
	tag = get_le16(value, at);
	n = tag == USER || tag == GROUPS ? ENTRY_SIZE : SHORT_SIZE;
	return n > size - at ? 0 : n;
}

errcode_t bfo_acl_to_xattr(const void *value, size_t size, bfo_chars *out)
{
	size_t at, n, start = out->n;
	errcode_t err;

	if (size < HEADER_SIZE || get_le32(value, 0) != DISK_VERSION)
		return BFO_ET_DAMAGED;
	err = bfo_vec_reserve(out, HEADER_SIZE + (size - HEADER_SIZE) / SHORT_SIZE * ENTRY_SIZE);
	if (err)
		return err;
	put_le32(out->v, out->n, XATTR_VERSION);
	out->n += HEADER_SIZE;
	for (at = HEADER_SIZE; at < size; at += n) {
		n = entry_size(value, at, size);
		if (!n) {
			out->n = start;
			return BFO_ET_DAMAGED;
		}
		memcpy(out->v + out->n, (const char *) value + at, SHORT_SIZE);
		put_le32(out->v, out->n + SHORT_SIZE,
			 n == ENTRY_SIZE ? get_le32(value, at + SHORT_SIZE) : NO_ID);
		out->n += ENTRY_SIZE;
	}
	return 0;
}

/* The mask, if there is one, stands for the group. */
int bfo_acl_agrees(const void *list, size_t size, uint16_t mode)
{
	uint32_t owner = mode >> 6 & 7, group = mode >> 3 & 7, other = mode & 7, mask = group;
	int has_mask = 0;
	size_t at;

	for (at = HEADER_SIZE; at + ENTRY_SIZE <= size; at += ENTRY_SIZE) {
		uint32_t tag = get_le16(list, at), may = get_le16(list, at + 2);

		if (tag == OWNER)
			owner = may;
		else if (tag == OWNING_GROUP)
			group = may;
		else if (tag == OTHER)
			other = may;
		else if (tag == MASK)
			mask = may;
		has_mask |= tag == MASK;
	}
	return (owner << 6 | (has_mask ? mask : group) << 3 | other) == (mode & 0777U);
}
