/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - what many inodes say, fetched in bulk: stat(2) and readlink(2) for a whole batch
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_STATS_H
#define BFO_GATHER_STATS_H

#include "gather/batch.h"
#include "tree/tree.h"

struct bfo_stat {
	uint32_t ino;
	uint32_t bad;		/* an enum bfo_finding_kind; BFO_FOUND_KINDS: it is sound */
	const void *raw;	/* as it stands in the table; NULL: not in use, or not readable */
	int strange;		/* it is sound, but for flags that it cannot have */
	uint32_t target_len;	/* of symbolic links, unless encrypted; else 0 */
	uint64_t target;	/* place in `targets` */
};

/* Zeroed, it is an empty one.  What was read lasts until the next read. */
struct bfo_stats {
	BFO_VEC(struct bfo_stat) v;	/* ascending by ino */
	bfo_chars raws, targets;
};

/*
 * Reads the N inodes in INOS, ascending, each once, none past the last of the volume: their tables
 * in the order of the device, then the blocks of long symbolic links likewise.  Inodes that are not
 * in use, and the filesystem's own, are BFO_FOUND_NAME_INODE.
 */
errcode_t bfo_stats_read(struct bfo_stats *s, struct bfo_reader *r, const uint32_t *inos, size_t n);

/* That of inode INO, which was one of INOS. */
const struct bfo_stat *bfo_stats_find(const struct bfo_stats *s, uint32_t ino);

void bfo_stats_free(struct bfo_stats *s);

#endif
