// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * medium_report.c - what is told of a source that cannot be read everywhere
 *
 * What is missing from the start is told once; which files lie there, where it is found that they
 * do.
 */
#include "cli/message.h"
#include "medium_report.h"

void medium_warn(const char *name, const struct bfo_volume *vol)
{
	if (bfo_medium_map_end(vol) != UINT64_MAX)
		message("warning: the mapfile ends at byte %llu, before the filesystem of %s does, "
			"at byte %llu of the whole device or file, from whose beginning its positions "
			"count: what lies behind counts as not read",
			(unsigned long long) bfo_medium_map_end(vol), name,
			(unsigned long long) (vol->offset + bfo_volume_store(vol).size));
	if (vol && vol->users.moving)
		message_moving(name);
	if (vol && bfo_media_missing(vol))
		message("warning: %s ends before its filesystem does: it has %llu bytes, %llu are "
			"missing", name, (unsigned long long) vol->store.size,
			(unsigned long long) bfo_media_missing(vol));
}

void medium_json(struct json *j, const char *key, const struct bfo_volume *vol)
{
	if (!vol || (!bfo_media_missing(vol) && bfo_medium_map_end(vol) == UINT64_MAX))
		return;
	json_open(j, key, '{');
	json_number(j, "bytes", vol->store.size);
	json_number(j, "missing_bytes", bfo_media_missing(vol));
	if (bfo_medium_map_end(vol) != UINT64_MAX)
		json_number(j, "mapfile_bytes", bfo_medium_map_end(vol));
	json_close(j, '}');
}

void medium_tell_requests(const char *name, const struct bfo_reader *r)
{
	message("read from %s: %llu requests, %llu blocks", name, (unsigned long long) r->reads,
		(unsigned long long) r->blocks);
}
