// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * acl_text.c - POSIX access control lists as text
 *
 *   bytes   as ext4 stores it, little endian (fs/ext4/acl.h)
 *   4       version: 1
 *   4, 8    each entry: tag (2), permissions (2); of named users and groups the number (4)
 *
 * Whether a kernel would take a list that reads well is not asked here: whoever sets it is told.
 */
#include <stdio.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "export/acl_text.h"

#define VERSION 1U
#define HEADER_SIZE 4U
#define SHORT_SIZE 4U
#define ENTRY_SIZE 8U
#define PERMISSIONS 7U
#define ENTRY_TEXT 48U			/* characters that an entry takes, at most */

static const struct {
	uint16_t tag;
	uint16_t has_id;
	const char *word;
} tags[] = {
	{ 0x01, 0, "user" }, { 0x02, 1, "user" }, { 0x04, 0, "group" }, { 0x08, 1, "group" },
	{ 0x10, 0, "mask" }, { 0x20, 0, "other" },
};

#define TAGS (sizeof(tags) / sizeof(*tags))

/* Appends the entry at *AT of VALUE, and goes behind it. */
static errcode_t add_entry(const char *value, size_t size, size_t *at, bfo_chars *out)
{
	uint32_t tag = get_le16(value, *at), may = get_le16(value, *at + 2), id = 0;
	char number[2][12] = { "", "" };
	errcode_t err;
	size_t i, bytes;

	for (i = 0; i < TAGS && tags[i].tag != tag; i++)
		;
	if (i == TAGS || may > PERMISSIONS)
		return BFO_ET_DAMAGED;
	bytes = tags[i].has_id ? ENTRY_SIZE : SHORT_SIZE;
	if (bytes > size - *at)
		return BFO_ET_DAMAGED;
	if (tags[i].has_id) {
		id = get_le32(value, *at + SHORT_SIZE);
		snprintf(number[0], sizeof(number[0]), "%u", id);
		snprintf(number[1], sizeof(number[1]), ":%u", id);
	}
	err = bfo_vec_reserve(out, ENTRY_TEXT);
	if (err)
		return err;
	out->n += snprintf(out->v + out->n, ENTRY_TEXT, "%s%s:%s:%c%c%c%s",
			   *at == HEADER_SIZE ? "" : ",", tags[i].word, number[0],
			   may & 4 ? 'r' : '-', may & 2 ? 'w' : '-', may & 1 ? 'x' : '-',
			   number[1]);
	*at += bytes;
	return 0;
}

errcode_t bfo_acl_text(const void *value, size_t size, bfo_chars *out)
{
	errcode_t err = 0;
	size_t at = HEADER_SIZE;

	if (size < HEADER_SIZE || get_le32(value, 0) != VERSION)
		return BFO_ET_DAMAGED;
	while (!err && size - at >= SHORT_SIZE)
		err = add_entry(value, size, &at, out);
	return err ? err : at < size ? BFO_ET_DAMAGED : 0;
}
