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
#include "tree/xattr.h"

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
