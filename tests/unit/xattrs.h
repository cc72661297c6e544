/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xattrs.h - sets of extended attributes made by chance
 */
#ifndef UNIT_XATTRS_H
#define UNIT_XATTRS_H

#include "tree/xattr.h"
#include "unit.h"

/*
 * An access control list as ext4 stores it: rwx of the owner, r-x of user 5, of the group, and of
 * the mask; nothing of others.
 */
extern const uint8_t xattrs_acl[28];

/* A set and the names and values it points to. */
struct xattrs {
	bfo_xattrs set;
	BFO_VEC(void *) buffers;
};

void xattrs_free(struct xattrs *x);

/* Appends an attribute: a name of NAME_LEN bytes, plain (a-z) or any, a value of SIZE bytes. */
struct bfo_xattr *xattrs_add(struct xattrs *x, struct chance *c, uint8_t index, uint32_t name_len,
			     uint32_t size, int plain);

/*
 * Appends attributes as they come, of user, trusted and security, ACLs among them, until their
 * cost gets near BYTES; then sorts.  Sizes are as often small as large.
 */
void xattrs_fill(struct xattrs *x, struct chance *c, uint32_t bytes, int plain);

/* Sorted sets A and B are the same in all that can be read. */
void xattrs_want_same(const bfo_xattrs *a, const bfo_xattrs *b);

/* Shuffles a set. */
void xattrs_shuffle(bfo_xattrs *set, struct chance *c);

#endif
