// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_diff.c - a difference between two trees, as it is told: times as dates
 */
#include "cli/timestamp.h"
#include "compare/diff_text.h"
#include "verify_diff.h"

static int is_time(enum bfo_diff_kind kind)
{
	return kind >= BFO_DIFF_MTIME && kind <= BFO_DIFF_CRTIME;
}

static size_t time_text(int for_scripts, const struct bfo_attrs *attrs, enum bfo_time which,
			char *out)
{
	struct timestamp_day day = { 0 };

	return for_scripts ? timestamp_scripts(&day, attrs->sec[which], attrs->nsec[which], out)
			   : timestamp_people(&day, attrs->sec[which], attrs->nsec[which], out);
}

/* What SIDE has.  BUF, of BFO_DIFF_VALUE_BYTES, is for what has to be put into words. */
static struct bfo_bytes value_of(const struct verify_report *r, const struct bfo_compare *c,
				 const struct bfo_diff *d, int side, char *buf)
{
	struct bfo_bytes value = bfo_diff_value(c, d, side, buf);

	if (is_time(d->kind) && value.data)
		value.len = time_text(r->opt->common.json, d->attrs[side],
				      d->kind - BFO_DIFF_MTIME, buf);
	return value;
}

void verify_diff_tell(struct verify_report *r, const struct bfo_compare *compare,
		      const struct bfo_diff *diff)
{
	char path[VERIFY_PATH_BYTES], buf[2][BFO_DIFF_VALUE_BYTES];
	struct verify_told told = { .kind = diff->kind, .offset = diff->offset,
				    .ino = { diff->ino[0], diff->ino[1] },
				    .has_values = bfo_diff_has_values(diff) };
	int side;

	told.path.data = path;
	told.path.len = bfo_diff_path(compare, diff, path, sizeof(path));
	if (diff->kind == BFO_DIFF_XATTR)
		told.name = diff->name;
	for (side = 0; side < 2 && told.has_values; side++)
		told.value[side] = value_of(r, compare, diff, side, buf[side]);
	verify_report_diff(r, &told);
}
