/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_map.h - where the data of a member with holes belong, as GNU tar's sparse format 1.0 has it
 *
 *   COUNT '\n' [ OFFSET '\n' LENGTH '\n' ]* zeros up to a block of 512 bytes | data
 *
 * The map is part of what the header says is the size of the member.  Memory: 16 bytes a part; a
 * map of more than BFO_PAX_MAP_MOST bytes is damage.
 */
#ifndef BFO_INTAKE_PAX_MAP_H
#define BFO_INTAKE_PAX_MAP_H

#include "base/range.h"
#include "intake/pax_bytes.h"

#define BFO_PAX_MAP_MOST (512U << 20)

/*
 * Reads a map from B: MAP gets parts, ascending and apart, that end within SIZE bytes, and have
 * what is left of STORED bytes behind the map.  BFO_ET_DAMAGED and the reason at *WHY; ENOMEM,
 * errors of B.
 */
errcode_t bfo_pax_map_read(struct bfo_pax_bytes *b, uint64_t size, uint64_t stored,
			   bfo_ranges *map, const char **why);

#endif
