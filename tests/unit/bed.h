/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bed.h - a batch reader on a volume of known content, and a sink that checks what it gets
 *
 * The volume is a real file in which every block holds its own number, in every word.  Sinks with
 * a place own room in which nodes lie in any order, with guard blocks between them.  The merge
 * buffer is poisoned, so that it tells whether a run went through it.
 */
#ifndef UNIT_BED_H
#define UNIT_BED_H

#include "gather/cache.h"
#include "unit.h"

struct bed {
	struct bfo_context ctx;
	struct bfo_volume *vol;
	struct bfo_reader r;
	struct bfo_source source;	/* what that reads */
	struct bfo_sink sink;
	bfo_order_list nodes;
	char *path;			/* the file */
	char *room;
	uint64_t offset, room_blocks;
	size_t next;			/* node to be delivered now ... */
	uint32_t at;			/* ... from this block of it on */
	uint32_t takes, fail_at;	/* which take fails */
};

/*
 * A volume of BLOCKS blocks of BS bytes, OFFSET bytes into a file; IO NULL: read through
 * vol->device.fd where that is possible.  The file is one for all beds of a test.
 */
void bed_open(struct bed *b, uint32_t bs, uint64_t blocks, uint64_t offset, io_manager io);
void bed_close(struct bed *b);

/* Begins anew with a reader of GAP bytes, without nodes; PLACED: the sink has a place. */
void bed_again(struct bed *b, uint32_t gap, int placed);

/* Appends a node, whose place is GUARD blocks behind that of the node added before. */
void bed_add(struct bed *b, uint64_t blk, uint32_t len, uint32_t guard);

/* Runs the reader; every take is checked. */
errcode_t bed_run(struct bed *b);

/* The same by CACHE; BY_REGIONS: see gather/cache.h. */
errcode_t bed_read(struct bed *b, struct bfo_cache *cache, int by_regions);

/* All nodes were delivered, are where they belong also now, and nothing is beside them. */
void bed_want_all(const struct bed *b);

/* Whether the first block of some merged run passed through the merge buffer. */
int bed_used_merge(const struct bed *b);

#endif
