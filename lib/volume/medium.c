// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * medium.c - opening a source that perhaps cannot be read everywhere
 */
#include "volume/medium.h"

errcode_t bfo_medium_open(struct bfo_medium *m, struct bfo_context *ctx, const char *spec,
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
						  use, &m->how, m->beside, NULL, out);
}

void bfo_medium_free(struct bfo_medium *m)
{
	bfo_mapfile_free(&m->map);
}

uint64_t bfo_medium_map_end(const struct bfo_volume *vol)
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
