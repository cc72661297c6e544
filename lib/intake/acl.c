// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * acl.c - POSIX access control lists, from what programs see into what ext4 stores
 *
 * The kernel takes entries in one order only, so a list is checked by walking through that order,
 * as posix_acl_valid() does:
 *
 *   owner ── users ── group ── groups ── [mask] ── others
 *
 * With users or groups there is a mask, too.
 */
#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/acl.h"

#define XATTR_VERSION 2U
#define DISK_VERSION 1U
#define HEADER_SIZE 4U
#define ENTRY_SIZE 8U
#define SHORT_SIZE 4U
#define PERMISSIONS 7U
#define NO_ID UINT32_MAX

enum { OWNER = 1, USER = 2, GROUP = 4, GROUPS = 8, MASK = 16, OTHERS = 32 };

struct order {
	int next;		/* the tag that may come, 0: none */
	int needs_mask;
};

/* True if an entry with TAG may follow; then O has gone on. */
static int may_follow(struct order *o, uint32_t tag)
{
	switch (tag) {
	case OWNER:
	case GROUP:
		if (o->next != (tag == OWNER ? OWNER : USER))
			return 0;
		o->next = tag == OWNER ? USER : GROUPS;
		return 1;
	case USER:
	case GROUPS:
		o->needs_mask = 1;
		return o->next == (int) tag;
	case MASK:
		if (o->next != GROUPS)
			return 0;
		o->next = OTHERS;
		return 1;
	case OTHERS:
		if (o->next != OTHERS && (o->next != GROUPS || o->needs_mask))
			return 0;
		o->next = 0;
		return 1;
	}
	return 0;
}

static int has_id(uint32_t tag)
{
	return tag == USER || tag == GROUPS;
}

static int is_valid(const char *value, size_t size)
{
	struct order o = { .next = OWNER };
	size_t at;

	for (at = HEADER_SIZE; at < size; at += ENTRY_SIZE) {
		uint32_t tag = get_le16(value, at);

		if (get_le16(value, at + 2) & ~PERMISSIONS || !may_follow(&o, tag) ||
		    (has_id(tag) && get_le32(value, at + 4) == NO_ID))
			return 0;
	}
	return !o.next;
}

errcode_t bfo_acl_from_xattr(const void *value, size_t size, bfo_chars *out)
{
	const char *from = value;
	errcode_t err;
	size_t at;

	if (size < HEADER_SIZE || (size - HEADER_SIZE) % ENTRY_SIZE ||
	    get_le32(value, 0) != XATTR_VERSION)
		return BFO_ET_DAMAGED;
	if (size == HEADER_SIZE)
		return 0;
	if (!is_valid(value, size))
		return BFO_ET_DAMAGED;
	err = bfo_vec_reserve(out, size);
	if (err)
		return err;
	put_le32(out->v, out->n, DISK_VERSION);
	out->n += HEADER_SIZE;
	for (at = HEADER_SIZE; at < size; at += ENTRY_SIZE) {
		size_t len = has_id(get_le16(from, at)) ? ENTRY_SIZE : SHORT_SIZE;

		memcpy(out->v + out->n, from + at, len);
		out->n += len;
	}
	return 0;
}
