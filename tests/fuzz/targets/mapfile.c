// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapfile.c - mapfiles of ddrescue; what was read is contiguous, whatever was written there
 */
#include "../fuzz.h"
#include "device/mapfile.h"

static void check(const struct bfo_mapfile *map)
{
	size_t i;

	for (i = 1; i < map->areas.n; i++)
		if (map->areas.v[i].start != map->areas.v[i - 1].start + map->areas.v[i - 1].len)
			fuzz_fail("area %zu is not contiguous", i);
}

static void mark(struct bfo_mapfile *map, const uint8_t *data, size_t size)
{
	struct bfo_range v = { .start = size > 1 ? data[0] * 512 : 0, .len = 512 };
	bfo_ranges one = { .v = &v, .n = 1 };

	if (!bfo_mapfile_mark(map, &one, '?', '+'))
		check(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_mapfile map = { 0 };
	struct bfo_context ctx = { 0 };
	char phase;

	if (!bfo_mapfile_read(&ctx, fuzz_file(data, size), &map)) {
		check(&map);
		mark(&map, data, size);
		bfo_mapfile_has(&map, 0, 4096);
		bfo_mapfile_next(&map, &phase);
	}
	bfo_mapfile_free(&map);
	return 0;
}
