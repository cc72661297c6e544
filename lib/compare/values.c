// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - the extended attributes of two inodes beside each other
 */
#include <stdio.h>
#include <string.h>

#include "compare/values.h"

/* What e_name_index stands for (attributes.rst). */
static const char *const prefixes[] = {
	[0] = "", [BFO_XATTR_USER] = "user.", [BFO_XATTR_ACL_ACCESS] = "system.posix_acl_access",
	[BFO_XATTR_ACL_DEFAULT] = "system.posix_acl_default", [BFO_XATTR_TRUSTED] = "trusted.",
	[BFO_XATTR_SECURITY] = "security.", [BFO_XATTR_SYSTEM] = "system.",
	[BFO_XATTR_RICHACL] = "system.richacl",
};

#define PREFIXES (sizeof(prefixes) / sizeof(*prefixes))

int bfo_values_next(const bfo_xattrs *a, const bfo_xattrs *b, size_t *i, size_t *j,
		    const struct bfo_xattr **x, const struct bfo_xattr **y)
{
	int c;

	if (*i == a->n && *j == b->n)
		return 0;
	if (*i == a->n || *j == b->n)
		c = *i == a->n ? 1 : -1;
	else
		c = bfo_xattr_compare(&a->v[*i], &b->v[*j]);
	*x = c <= 0 ? &a->v[(*i)++] : NULL;
	*y = c >= 0 ? &b->v[(*j)++] : NULL;
	return 1;
}

const struct bfo_xattr *bfo_values_inline_data(const bfo_xattrs *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (bfo_xattr_is_data(&set->v[i]))
			return &set->v[i];
	return NULL;
}

size_t bfo_value_name(const struct bfo_xattr *value, char out[BFO_VALUE_NAME_MAX])
{
	size_t len;

	if (value->name_index < PREFIXES && prefixes[value->name_index])
		len = snprintf(out, BFO_VALUE_NAME_MAX, "%s", prefixes[value->name_index]);
	else
		len = snprintf(out, BFO_VALUE_NAME_MAX, "%u:", value->name_index);
	memcpy(out + len, value->name, value->name_len);
	return len + value->name_len;
}
