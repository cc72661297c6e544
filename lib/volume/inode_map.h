/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_map.h - where the blocks of one of the filesystem's own files lie
 *
 * For the few files that are needed before the inode tables are read: the journal, the orphan
 * file.  Such files have no holes.
 */
#ifndef BFO_VOLUME_INODE_MAP_H
#define BFO_VOLUME_INODE_MAP_H

#include "base/vec.h"
#include "volume/volume.h"

struct bfo_map_run {
	uint64_t blk;		/* where it lies */
	uint32_t at, len;	/* blocks of the file [at, at + len) */
};

typedef BFO_VEC(struct bfo_map_run) bfo_map_runs;

/*
 * Appends to RUNS where all blocks of the regular file in inode INO lie, ascending by `at`, and
 * sets *LENGTH to their number (whole blocks of its size).  Returns BFO_ET_DAMAGED for anything
 * but a file without holes in use, of 1 to MAX blocks inside the filesystem.
 */
errcode_t bfo_inode_map(struct bfo_context *ctx, const struct bfo_volume *vol, uint32_t ino,
			uint32_t max, bfo_map_runs *runs, uint32_t *length);

/* The block where block AT of the file lies, which must be one of RUNS'. */
uint64_t bfo_map_find(const bfo_map_runs *runs, uint32_t at);

/* The same; *LEN: how many blocks of the file from there on are contiguous. */
uint64_t bfo_map_run(const bfo_map_runs *runs, uint32_t at, uint32_t *len);

#endif
