/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapfile.h - the mapfile of GNU ddrescue: what of a device could be read
 *
 *   # comment                                  anywhere, up to the end of the line
 *   0x00120000     ?               1           where ddrescue was, doing what, in which pass
 *   #      pos        size  status
 *   0x00000000  0x00117000  +                  bytes; contiguous, ascending
 *   0x00117000  0x00000200  -
 *
 * Status: `+' read, `-' bad, `?' not tried, `*' not trimmed, `/' not scraped.  Positions count from
 * the beginning of the device or image file, whatever part of it holds the filesystem.
 */
#ifndef BFO_DEVICE_MAPFILE_H
#define BFO_DEVICE_MAPFILE_H

#include "base/context.h"
#include "base/range.h"

struct bfo_area {
	uint64_t start, len;	/* bytes */
	char status;
};

struct bfo_mapfile {
	BFO_VEC(struct bfo_area) areas;	/* ascending, disjoint, contiguous once read */
};

/*
 * Reads PATH.  What lies between two areas, or before the first, becomes an area that was not
 * tried.  Returns BFO_ET_MAPFILE, with the line in ctx->what, if it is something else.
 */
errcode_t bfo_mapfile_read(struct bfo_context *ctx, const char *path, struct bfo_mapfile *map);
void bfo_mapfile_free(struct bfo_mapfile *map);

/* Makes MAP one area of SIZE bytes that was not tried. */
errcode_t bfo_mapfile_begin(struct bfo_mapfile *map, uint64_t size);

/* True if all LEN bytes from START on were read. */
int bfo_mapfile_has(const struct bfo_mapfile *map, uint64_t start, uint64_t len);

/* Gives the bytes of RANGES (ascending, disjoint) STATUS, where MAP has areas of status FROM. */
errcode_t bfo_mapfile_mark(struct bfo_mapfile *map, const bfo_ranges *ranges, char from,
			   char status);

/* The area that ddrescue would try next, and in which *PHASE; NULL if it has finished. */
const struct bfo_area *bfo_mapfile_next(const struct bfo_mapfile *map, char *phase);

#endif
