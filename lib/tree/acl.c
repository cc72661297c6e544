// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * acl.c - POSIX access control lists: as ext4 stores them, as programs see them, as text
 *
 * The kernel takes entries in one order only, so a list is checked by walking through that order,
 * as posix_acl_valid() does:
 *
 *   owner ── users ── group ── groups ── [mask] ── others
 *
 * With users or groups there is a mask, too.
 */
#include <assert.h>
#include <stdio.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "tree/acl.h"

#define SEEN_VERSION 2U
#define STORED_VERSION 1U
#define HEADER_SIZE 4U
#define ENTRY_SIZE 8U
#define SHORT_SIZE 4U
#define ENTRY_TEXT 48U			/* characters that an entry takes, at most */

const struct bfo_acl_kind bfo_acl_kinds[BFO_ACL_KINDS] = {
	{ BFO_ACL_OWNER, 0, "user" }, { BFO_ACL_USER, 1, "user" }, { BFO_ACL_GROUP, 0, "group" },
	{ BFO_ACL_GROUPS, 1, "group" }, { BFO_ACL_MASK, 0, "mask" }, { BFO_ACL_OTHERS, 0, "other" },
};

static int has_id(uint32_t tag)
{
	return tag == BFO_ACL_USER || tag == BFO_ACL_GROUPS;
}

/* ---- lists as programs see them ---- */

void bfo_acl_begin(char *list)
{
	put_le32(list, 0, SEEN_VERSION);
}

void bfo_acl_put(char *list, size_t i, const struct bfo_acl_entry *e)
{
	size_t at = BFO_ACL_SEEN_BYTES(i);

	put_le16(list, at, e->tag);
	put_le16(list, at + 2, e->may);
	put_le32(list, at + 4, e->id);
}

struct bfo_acl_entry bfo_acl_get(const char *list, size_t i)
{
	size_t at = BFO_ACL_SEEN_BYTES(i);

	return (struct bfo_acl_entry) { .tag = get_le16(list, at), .may = get_le16(list, at + 2),
					.id = get_le32(list, at + 4) };
}

static size_t entries(size_t size)
{
	return (size - HEADER_SIZE) / ENTRY_SIZE;
}

struct order {
	int next;		/* the tag that may come, 0: none */
	int needs_mask;
};

/* True if an entry with TAG may follow; then O has gone on. */
static int may_follow(struct order *o, uint32_t tag)
{
	switch (tag) {
	case BFO_ACL_OWNER:
	case BFO_ACL_GROUP:
		if (o->next != (tag == BFO_ACL_OWNER ? BFO_ACL_OWNER : BFO_ACL_USER))
			return 0;
		o->next = tag == BFO_ACL_OWNER ? BFO_ACL_USER : BFO_ACL_GROUPS;
		return 1;
	case BFO_ACL_USER:
	case BFO_ACL_GROUPS:
		o->needs_mask = 1;
		return o->next == (int) tag;
	case BFO_ACL_MASK:
		if (o->next != BFO_ACL_GROUPS)
			return 0;
		o->next = BFO_ACL_OTHERS;
		return 1;
	case BFO_ACL_OTHERS:
		if (o->next != BFO_ACL_OTHERS && (o->next != BFO_ACL_GROUPS || o->needs_mask))
			return 0;
		o->next = 0;
		return 1;
	}
	return 0;
}

static int is_valid(const char *list, size_t n)
{
	struct order o = { .next = BFO_ACL_OWNER };
	size_t i;

	for (i = 0; i < n; i++) {
		struct bfo_acl_entry e = bfo_acl_get(list, i);

		if (e.may & ~BFO_ACL_PERMISSIONS || !may_follow(&o, e.tag) ||
		    (has_id(e.tag) && e.id == BFO_ACL_NO_ID))
			return 0;
	}
	return !o.next;
}

errcode_t bfo_acl_from_xattr(const void *value, size_t size, bfo_chars *out)
{
	const char *from = value;
	errcode_t err;
	size_t i, len;

	if (size < HEADER_SIZE || (size - HEADER_SIZE) % ENTRY_SIZE ||
	    get_le32(value, 0) != SEEN_VERSION)
		return BFO_ET_DAMAGED;
	if (size == HEADER_SIZE)
		return 0;
	if (!is_valid(from, entries(size)))
		return BFO_ET_DAMAGED;
	assert(from < out->v || from >= out->v + out->n || out->cap - out->n >= size);
	err = bfo_vec_reserve(out, size);
	if (err)
		return err;
	put_le32(out->v, out->n, STORED_VERSION);
	out->n += HEADER_SIZE;
	for (i = 0; i < entries(size); i++) {
		len = has_id(bfo_acl_get(from, i).tag) ? ENTRY_SIZE : SHORT_SIZE;
		memcpy(out->v + out->n, from + BFO_ACL_SEEN_BYTES(i), len);
		out->n += len;
	}
	return 0;
}

/* The mask, if there is one, stands for the group. */
int bfo_acl_agrees(const char *list, size_t size, uint16_t mode)
{
	uint32_t owner = mode >> 6 & 7, group = mode >> 3 & 7, others = mode & 7, mask = group;
	int has_mask = 0;
	size_t i;

	for (i = 0; i < entries(size); i++) {
		struct bfo_acl_entry e = bfo_acl_get(list, i);

		if (e.tag == BFO_ACL_OWNER)
			owner = e.may;
		else if (e.tag == BFO_ACL_GROUP)
			group = e.may;
		else if (e.tag == BFO_ACL_OTHERS)
			others = e.may;
		else if (e.tag == BFO_ACL_MASK)
			mask = e.may;
		has_mask |= e.tag == BFO_ACL_MASK;
	}
	return (owner << 6 | (has_mask ? mask : group) << 3 | others) == (mode & 0777U);
}

/* ---- lists as ext4 stores them ---- */

/* The entry at *AT, which goes behind it; 0: it reaches beyond SIZE. */
static int stored_next(const void *value, size_t size, size_t *at, struct bfo_acl_entry *e)
{
	size_t n;

	if (size - *at < SHORT_SIZE)
		return 0;
	e->tag = get_le16(value, *at);
	e->may = get_le16(value, *at + 2);
	n = has_id(e->tag) ? ENTRY_SIZE : SHORT_SIZE;
	if (n > size - *at)
		return 0;
	e->id = n == ENTRY_SIZE ? get_le32(value, *at + SHORT_SIZE) : BFO_ACL_NO_ID;
	*at += n;
	return 1;
}

static int is_stored(const void *value, size_t size)
{
	return size >= HEADER_SIZE && get_le32(value, 0) == STORED_VERSION;
}

errcode_t bfo_acl_to_xattr(const void *value, size_t size, bfo_chars *out)
{
	size_t at = HEADER_SIZE, i;
	struct bfo_acl_entry e;
	errcode_t err;

	if (!is_stored(value, size))
		return BFO_ET_DAMAGED;
	err = bfo_vec_reserve(out, BFO_ACL_SEEN_BYTES((size - HEADER_SIZE) / SHORT_SIZE));
	if (err)
		return err;
	bfo_acl_begin(out->v + out->n);
	for (i = 0; at < size; i++) {
		if (!stored_next(value, size, &at, &e))
			return BFO_ET_DAMAGED;
		bfo_acl_put(out->v + out->n, i, &e);
	}
	out->n += BFO_ACL_SEEN_BYTES(i);
	return 0;
}

static errcode_t add_text(const struct bfo_acl_entry *e, int is_first, bfo_chars *out)
{
	char number[2][12] = { "", "" };
	errcode_t err;
	size_t i;

	for (i = 0; i < BFO_ACL_KINDS && bfo_acl_kinds[i].tag != e->tag; i++)
		;
	if (i == BFO_ACL_KINDS || e->may > BFO_ACL_PERMISSIONS)
		return BFO_ET_DAMAGED;
	if (bfo_acl_kinds[i].has_id) {
		snprintf(number[0], sizeof(number[0]), "%u", e->id);
		snprintf(number[1], sizeof(number[1]), ":%u", e->id);
	}
	err = bfo_vec_reserve(out, ENTRY_TEXT);
	if (err)
		return err;
	out->n += snprintf(out->v + out->n, ENTRY_TEXT, "%s%s:%s:%c%c%c%s", is_first ? "" : ",",
			   bfo_acl_kinds[i].word, number[0], e->may & 4 ? 'r' : '-',
			   e->may & 2 ? 'w' : '-', e->may & 1 ? 'x' : '-', number[1]);
	return 0;
}

errcode_t bfo_acl_text(const void *value, size_t size, bfo_chars *out)
{
	size_t at = HEADER_SIZE, start = out->n;
	struct bfo_acl_entry e;
	errcode_t err = 0;

	if (!is_stored(value, size))
		return BFO_ET_DAMAGED;
	while (!err && at < size)
		err = stored_next(value, size, &at, &e) ? add_text(&e, out->n == start, out)
							: BFO_ET_DAMAGED;
	if (err)
		out->n = start;
	return err;
}

/* ---- lists as ext4 stores them, and modes ---- */

#define CLASSES 3			/* owner, group, others: bits 6, 3, 0 of a mode */

/* Where the permissions stand that belong to each class; 0: nowhere. */
static void find_classes(const char *list, size_t size, size_t at[CLASSES])
{
	size_t next = HEADER_SIZE, here = next;
	struct bfo_acl_entry e;

	memset(at, 0, CLASSES * sizeof(*at));
	for (; next < size && stored_next(list, size, &next, &e); here = next)
		if (e.tag == BFO_ACL_OWNER)
			at[0] = here + 2;
		else if (e.tag == BFO_ACL_MASK || e.tag == BFO_ACL_GROUP)
			at[1] = here + 2;	/* (a mask comes later) */
		else if (e.tag == BFO_ACL_OTHERS)
			at[2] = here + 2;
}

static uint32_t bits_of(uint32_t mode, int class)
{
	return mode >> 3 * (CLASSES - 1 - class) & BFO_ACL_PERMISSIONS;
}

static uint32_t with_bits(uint32_t mode, int class, uint32_t bits)
{
	int shift = 3 * (CLASSES - 1 - class);

	return (mode & ~((uint32_t) BFO_ACL_PERMISSIONS << shift)) | bits << shift;
}

uint32_t bfo_acl_shown(const char *list, size_t size, uint32_t mode)
{
	size_t at[CLASSES];
	int i;

	find_classes(list, size, at);
	for (i = 0; i < CLASSES; i++)
		if (at[i])
			mode = with_bits(mode, i, get_le16(list, at[i]) & BFO_ACL_PERMISSIONS);
	return mode;
}

void bfo_acl_follow(char *list, size_t size, uint32_t mode)
{
	size_t at[CLASSES];
	int i;

	find_classes(list, size, at);
	for (i = 0; i < CLASSES; i++)
		if (at[i])
			put_le16(list, at[i], bits_of(mode, i));
}

void bfo_acl_created(char *list, size_t size, uint32_t *mode)
{
	*mode = (bfo_acl_shown(list, size, *mode) | ~0777U) & *mode;
	bfo_acl_follow(list, size, *mode);
}

int bfo_acl_is_mode(size_t size)
{
	return size <= HEADER_SIZE + CLASSES * SHORT_SIZE;
}
