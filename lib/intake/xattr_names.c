// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xattr_names.c - names of extended attributes as users see them, into what ext4 stores
 *
 * Of "system." ext4 knows three names, each with an index of its own; BFO_XATTR_SYSTEM itself is
 * for inline data.  What others have there (system.nfs4_acl, system.cifs_acl), or under a prefix
 * of their own (btrfs., os2.), has no place.
 */
#include <string.h>

#include "intake/xattr_names.h"

#define REST_MAX 255U		/* e_name_len is a byte */

static const struct {
	uint8_t index;
	int is_whole;		/* nothing follows; else something must */
} known[] = {
	{ BFO_XATTR_SECURITY, 0 },
	{ BFO_XATTR_USER, 0 },
	{ BFO_XATTR_TRUSTED, 0 },
	{ BFO_XATTR_ACL_ACCESS, 1 },
	{ BFO_XATTR_ACL_DEFAULT, 1 },
	{ BFO_XATTR_RICHACL, 1 },
};

int bfo_xattr_split_name(const char *name, uint8_t *index, const char **rest)
{
	size_t i, len, left;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *prefix = bfo_xattr_prefix(known[i].index);

		len = strlen(prefix);
		if (strncmp(name, prefix, len))
			continue;
		left = strlen(name + len);
		if (known[i].is_whole ? left : !left || left > REST_MAX)
			continue;
		*index = known[i].index;
		*rest = name + len;
		return 1;
	}
	return 0;
}

/* True if NAME begins with the prefix of INDEX, or is it, if nothing follows that: *LEN bytes. */
static int has_prefix(const char *name, size_t name_len, uint8_t index, size_t *len)
{
	const char *prefix = bfo_xattr_prefix(index);
	int is_whole = index == BFO_XATTR_ACL_ACCESS || index == BFO_XATTR_ACL_DEFAULT ||
		       index == BFO_XATTR_RICHACL;

	*len = strlen(prefix);
	return name_len >= *len && !memcmp(name, prefix, *len) && (!is_whole || name_len == *len);
}

/* "INDEX:", of one without a prefix, in front of NAME: its length; 0: there is none. */
static size_t read_index(const char *name, size_t len, uint8_t *index)
{
	unsigned int value = 0;
	size_t i;

	for (i = 0; i < len && i < 3 && name[i] >= '0' && name[i] <= '9'; i++)
		value = value * 10 + name[i] - '0';
	if (!i || i == len || name[i] != ':' || value > UINT8_MAX || bfo_xattr_prefix(value))
		return 0;
	*index = value;
	return i + 1;
}

int bfo_xattr_read_name(const char *name, size_t len, struct bfo_xattr *x)
{
	/* "system." is the beginning of others */
	static const uint8_t order[] = { BFO_XATTR_USER, BFO_XATTR_TRUSTED, BFO_XATTR_SECURITY,
					 BFO_XATTR_ACL_ACCESS, BFO_XATTR_ACL_DEFAULT,
					 BFO_XATTR_RICHACL, BFO_XATTR_SYSTEM };
	size_t i, gone = 0;

	x->name_index = 0;
	for (i = 0; i < sizeof(order) && !x->name_index; i++)
		if (has_prefix(name, len, order[i], &gone))
			x->name_index = order[i];
	if (!x->name_index)
		gone = read_index(name, len, &x->name_index);
	if (len - gone > REST_MAX || (!x->name_index && len == gone))
		return 0;
	x->name = name + gone;
	x->name_len = len - gone;
	return 1;
}
