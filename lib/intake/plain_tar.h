/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_tar.h - data of a tar file, read where they lie
 *
 * Members of a tar begin at whole blocks of 512 bytes.  So a file's data are a segment whose place
 * is a block of the archive.  The data of a sparse member lie behind each other, and if one of its
 * pieces does not begin or end at a whole block, those behind it do not lie so, either.  Nor does
 * what a file has behind its end.  Such a member gets places from BFO_PLACE_ODD on, which are put
 * together when they are read.  So does all, if the intake's blocks are larger, as they have to be
 * for files of more than 2 TiB.
 */
#ifndef BFO_INTAKE_PLAIN_TAR_H
#define BFO_INTAKE_PLAIN_TAR_H

#include "intake/intake.h"
#include "intake/placer.h"

#define BFO_TAR_BLOCK 512U
#define BFO_PLACE_ODD (1ULL << 61)

/* Bytes of a member. */
struct bfo_tar_extent {
	uint64_t at, len;		/* in the member; LEN > 0 */
	uint64_t byte;			/* of the archive */
};

typedef BFO_VEC(struct bfo_tar_extent) bfo_tar_extents;

/* LEN bytes that lie at AT in the archive, and are at BYTE, counted in odd places. */
struct bfo_odd_part {
	uint64_t byte, at, len;
};

/* A zeroed one with FD and SIZE has nothing yet. */
struct bfo_plain_tar {
	int fd;
	uint64_t size;			/* of the archive, in bytes */
	BFO_VEC(uint64_t) ends;		/* of data, ascending: bytes at which no block ends */
	BFO_VEC(struct bfo_odd_part) odd;
	struct bfo_placer placer;	/* of odd places */
	bfo_chars room;			/* for what lies between */
};

/*
 * The last inode of IN has EXTENTS, ascending and apart, whose bytes ascend in the archive, too,
 * all of them within it: it gets segments.
 */
errcode_t bfo_plain_tar_place(struct bfo_plain_tar *p, struct bfo_intake *in,
			      const bfo_tar_extents *extents);

/* Reads N nodes, sorted, none in memory, as bfo_source_ops has it. */
errcode_t bfo_plain_tar_read(struct bfo_plain_tar *p, struct bfo_intake *in,
			     const struct bfo_node *nodes, size_t n, const struct bfo_sink *sink);

void bfo_plain_tar_free(struct bfo_plain_tar *p);

#endif
