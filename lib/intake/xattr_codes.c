// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xattr_codes.c - names of extended attributes that are encoded like URLs
 *
 *   user.a%2520b 1   user.a%20b 1     twins: the second one is what is meant
 *   user.a%2520b 1                    alone: user.a%20b is meant
 */
#include <string.h>

#include "intake/xattr_codes.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void bfo_xattr_codes_decode(const char *name, char *out)
{
	while (*name) {
		int high = *name == '%' ? digit(name[1]) : -1;
		int low = high < 0 ? -1 : digit(name[2]);
		int is_code = low >= 0 && (high | low);

		*out++ = is_code ? high << 4 | low : *name;
		name += is_code ? 3 : 1;
	}
	*out = 0;
}

static size_t find(const struct bfo_member_xattr *x, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (x[i].name && !strcmp(x[i].name, name))
			break;
	return i;
}

/* True if X[I], decoded as NAME, has a twin, which is marked: it is not to be decoded. */
static int has_twin(const struct bfo_member_xattr *x, size_t n, size_t i, const char *name,
		    char *is_decoded)
{
	size_t twin = find(x, n, name);

	if (twin == n || twin == i || x[twin].size != x[i].size ||
	    memcmp(x[twin].value, x[i].value, x[i].size))
		return 0;
	is_decoded[twin] = 1;
	return 1;
}

size_t bfo_xattr_codes_resolve(struct bfo_member_xattr *x, size_t n, char *room)
{
	char *is_decoded = room, *name = room + n;
	size_t i, left = 0;

	memset(is_decoded, 0, n);
	for (i = 0; i < n; i++) {
		if (!strchr(x[i].name, '%'))
			continue;
		bfo_xattr_codes_decode(x[i].name, name);
		if (has_twin(x, n, i, name, is_decoded))
			x[i].name = NULL;
	}
	for (i = 0; i < n; i++) {
		if (!x[i].name)
			continue;
		x[left] = x[i];
		if (!is_decoded[i] && strchr(x[i].name, '%')) {
			bfo_xattr_codes_decode(x[i].name, name);
			x[left].name = name;
			name += strlen(name) + 1;
		}
		left++;
	}
	return left;
}
