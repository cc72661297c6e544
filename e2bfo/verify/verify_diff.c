// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_diff.c - a difference between two trees, in words
 */
#include <stdio.h>
#include <string.h>

#include "cli/timestamp.h"
#include "verify_diff.h"

#define VALUE_BYTES (VERIFY_PATH_BYTES + 64)	/* a path, or a short text */

static void time_text(int for_scripts, const struct bfo_attrs *attrs,
		      enum bfo_time which, char *out)
{
	struct timestamp_day day = { 0 };

	if (for_scripts)
		timestamp_scripts(&day, attrs->sec[which], attrs->nsec[which], out);
	else
		timestamp_people(&day, attrs->sec[which], attrs->nsec[which], out);
}

/* One attribute of an inode. */
static void attr_text(int for_scripts, enum bfo_diff_kind kind,
		      const struct bfo_attrs *attrs, char *out, size_t size)
{
	unsigned long long number = 0;

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
		time_text(for_scripts, attrs, kind - BFO_DIFF_MTIME, out);
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

/* What SIDE has.  BUF, of VALUE_BYTES, is for what has to be put into words. */
static struct bfo_bytes value_of(const struct verify_report *r, const struct bfo_compare *c,
				 const struct bfo_diff *d, int side, char *buf)
{
	size_t len;

	if (d->kind == BFO_DIFF_CRTIME && !d->attrs[side]->has_crtime)
		return (struct bfo_bytes) { .data = NULL };
	if (d->kind == BFO_DIFF_SYMLINK || d->kind == BFO_DIFF_XATTR)
		return d->value[side];
	if (d->kind == BFO_DIFF_HASH) {
		len = hash_text(d->value[side].data, buf, VALUE_BYTES);
	} else if (d->kind == BFO_DIFF_LINKS && d->first[side] == BFO_NONE) {
		len = snprintf(buf, VALUE_BYTES, "with no name before");
	} else if (d->kind == BFO_DIFF_LINKS) {
		len = snprintf(buf, VALUE_BYTES, "with ");
		len += bfo_compare_path(c, d->first[side], NULL, buf + len, VERIFY_PATH_BYTES);
	} else {
		attr_text(r->opt->common.json, d->kind, d->attrs[side], buf, VALUE_BYTES);
		len = strlen(buf);
	}
	return (struct bfo_bytes) { .data = buf, .len = len };
}

/* True for those that have a value on both sides; the others are an offset, or only a name. */
static int has_values(const struct bfo_diff *d)
{
	return d->kind != BFO_DIFF_MISSING && d->kind != BFO_DIFF_EXTRA &&
	       d->kind != BFO_DIFF_DATA && d->kind != BFO_DIFF_HOLES;
}

void verify_diff_tell(struct verify_report *r, const struct bfo_compare *compare,
		      const struct bfo_diff *diff)
{
	int is_named = diff->kind == BFO_DIFF_MISSING || diff->kind == BFO_DIFF_EXTRA ||
		       diff->kind == BFO_DIFF_HASH;
	char path[VERIFY_PATH_BYTES], buf[2][VALUE_BYTES];
	struct verify_told told = { .kind = diff->kind, .offset = diff->offset,
				    .ino = { diff->ino[0], diff->ino[1] },
				    .has_values = has_values(diff) };
	int side;

	told.path.data = path;
	told.path.len = bfo_compare_path(compare, diff->pair, is_named ? &diff->name : NULL, path,
					 sizeof(path));
	if (diff->kind == BFO_DIFF_XATTR)
		told.name = diff->name;
	for (side = 0; side < 2 && told.has_values; side++)
		told.value[side] = value_of(r, compare, diff, side, buf[side]);
	verify_report_diff(r, &told);
}
