// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_text.c - a difference between two trees, in words
 */
#include <stdio.h>
#include <string.h>

#include "compare/diff_text.h"

int bfo_diff_has_values(const struct bfo_diff *d)
{
	return d->kind != BFO_DIFF_MISSING && d->kind != BFO_DIFF_EXTRA &&
	       d->kind != BFO_DIFF_DATA && d->kind != BFO_DIFF_HOLES;
}

size_t bfo_diff_path(const struct bfo_compare *c, const struct bfo_diff *d, char *out, size_t size)
{
	int is_named = d->kind == BFO_DIFF_MISSING || d->kind == BFO_DIFF_EXTRA ||
		       d->kind == BFO_DIFF_HASH;

	return bfo_compare_path(c, d->pair, is_named ? &d->name : NULL, out, size);
}

/* One attribute of an inode. */
static void attr_text(enum bfo_diff_kind kind, const struct bfo_attrs *attrs, char *out,
		      size_t size)
{
	unsigned long long number = 0;
	enum bfo_time time;

	switch (kind) {
	case BFO_DIFF_TYPE:
		snprintf(out, size, "%s", bfo_attrs_type_word(attrs->mode));
		return;
	case BFO_DIFF_MODE:
		snprintf(out, size, "%04o", attrs->mode & 07777);
		return;
	case BFO_DIFF_FLAGS:
		snprintf(out, size, "0x%x", attrs->flags);
		return;
	case BFO_DIFF_DEVICE:
		snprintf(out, size, "%u:%u", attrs->major, attrs->minor);
		return;
	case BFO_DIFF_UID:		number = attrs->uid; break;
	case BFO_DIFF_GID:		number = attrs->gid; break;
	case BFO_DIFF_SIZE:		number = attrs->size; break;
	case BFO_DIFF_NLINK:		number = attrs->nlink; break;
	case BFO_DIFF_GENERATION:	number = attrs->generation; break;
	case BFO_DIFF_VERSION:		number = attrs->version; break;
	case BFO_DIFF_PROJECT:		number = attrs->project; break;
	default:
		time = (enum bfo_time) (kind - BFO_DIFF_MTIME);
		snprintf(out, size, "%lld.%09u", (long long) attrs->sec[time], attrs->nsec[time]);
		return;
	}
	snprintf(out, size, "%llu", number);
}

/* Hash and minor hash of a name. */
static size_t hash_text(const uint8_t *h, char *out, size_t size)
{
	return snprintf(out, size, "%02x%02x%02x%02x.%02x%02x%02x%02x", h[3], h[2], h[1], h[0],
			h[7], h[6], h[5], h[4]);
}

struct bfo_bytes bfo_diff_value(const struct bfo_compare *c, const struct bfo_diff *d, int side,
				char *buf)
{
	size_t len;

	if (d->kind == BFO_DIFF_CRTIME && !d->attrs[side]->has_crtime)
		return (struct bfo_bytes) { .data = NULL };
	if (d->kind == BFO_DIFF_SYMLINK || d->kind == BFO_DIFF_XATTR)
		return d->value[side];
	if (d->kind == BFO_DIFF_HASH) {
		len = hash_text(d->value[side].data, buf, BFO_DIFF_VALUE_BYTES);
	} else if (d->kind == BFO_DIFF_LINKS && d->first[side] == BFO_NONE) {
		len = snprintf(buf, BFO_DIFF_VALUE_BYTES, "with no name before");
	} else if (d->kind == BFO_DIFF_LINKS) {
		len = snprintf(buf, BFO_DIFF_VALUE_BYTES, "with ");
		len += bfo_compare_path(c, d->first[side], NULL, buf + len, BFO_DIFF_PATH_BYTES);
	} else {
		attr_text(d->kind, d->attrs[side], buf, BFO_DIFF_VALUE_BYTES);
		len = strlen(buf);
	}
	return (struct bfo_bytes) { .data = buf, .len = len };
}
