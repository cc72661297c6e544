// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * medium.c - opening a volume that perhaps cannot be read everywhere
 *
 * What is missing from the start is told once; which files lie there, where it is found that they do.
 */
#include "cli/message.h"
#include "medium.h"

errcode_t medium_open(struct medium *m, struct bfo_context *ctx, const char *spec,
		      const struct bfo_journal_use *use, struct bfo_volume **out)
{
	errcode_t err = 0;

	m->how.accept_short = 1;
	if (m->mapfile) {
		bfo_mapfile_free(&m->map);
		err = bfo_mapfile_read(ctx, m->mapfile, &m->map);
		m->how.map = &m->map;
	}
	return err ? err : bfo_volume_open_source(ctx, spec, m->may_move ? BFO_OPEN_MOVING : 0,
						  use, &m->how, NULL, out);
}

void medium_free(struct medium *m)
{
	bfo_mapfile_free(&m->map);
}

/* Where the mapfile of VOL ends, if that is before its filesystem does; else UINT64_MAX. */
static uint64_t map_end(const struct bfo_volume *vol)
{
	const struct bfo_mapfile *map = vol ? vol->media.opt.map : NULL;
	const struct bfo_area *last;
	uint64_t end;

	if (!map)
		return UINT64_MAX;
	last = map->areas.n ? &map->areas.v[map->areas.n - 1] : NULL;
	end = last ? last->start + last->len : 0;
	return end < vol->offset + bfo_volume_store(vol).size ? end : UINT64_MAX;
}

void medium_warn(const char *name, const struct bfo_volume *vol)
{
	if (map_end(vol) != UINT64_MAX)
		message("warning: the mapfile ends at byte %llu, before the filesystem of %s does, at "
			"byte %llu of the whole device or file, from whose beginning its positions "
			"count: what lies behind counts as not read",
			(unsigned long long) map_end(vol), name,
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
	if (!vol || (!bfo_media_missing(vol) && map_end(vol) == UINT64_MAX))
		return;
	json_open(j, key, '{');
	json_number(j, "bytes", vol->store.size);
	json_number(j, "missing_bytes", bfo_media_missing(vol));
	if (map_end(vol) != UINT64_MAX)
		json_number(j, "mapfile_bytes", map_end(vol));
	json_close(j, '}');
}
