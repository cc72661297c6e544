/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_image.h - raw inodes for the target
 *
 * An inode is copied as the bytes it is; changed are only the fields that speak of places:
 * block map, block count, attribute block, link count, checksum, and of directories the size.
 * So whatever else stands there (times with their extra bits, generation, version, project,
 * flags, attributes in the inode) arrives as it was.  Format: inodes.rst.
 *
 * Errors: BFO_ET_FILE_TOO_BIG, ENOMEM.
 */
#ifndef BFO_PLAN_INODE_IMAGE_H
#define BFO_PLAN_INODE_IMAGE_H

#include "plan/eaimage.h"
#include "plan/inline.h"
#include "plan/map.h"

/* Scratch space; a zeroed one is ready for use. */
struct bfo_inode_scratch {
	struct bfo_map map;
	struct bfo_eaimage ea;
	BFO_VEC(uint8_t) content;	/* see bfo_inode_image() */
	uint64_t charge;		/* blocks of values in inodes of their own */
};

/*
 * Brings the source's raw inode FROM, of FROM_SIZE bytes, to the size of the target's: the fields
 * that both have.  Attributes come along only if they are not repacked.
 */
void bfo_inode_recast(const struct bfo_plan *plan, const void *from, uint32_t from_size, void *to);

/*
 * Makes RAW (target inode size) the inode of record ROW.  RAW holds before: the source's inode,
 * recast; for a directory that keeps its attributes, or a quota file, the target's; for one made
 * here, anything.
 * Of a file or symbolic link that is to stand in its inode, scratch->content is the content.
 */
errcode_t bfo_inode_image(const struct bfo_plan *plan, bfo_row row, void *raw,
			  struct bfo_inode_scratch *scratch);
void bfo_inode_scratch_free(struct bfo_inode_scratch *scratch);

/* RAW, of the target's, loses NAMES of its names now, and has others; its checksum is not set. */
void bfo_inode_unlink(const struct bfo_plan *plan, void *raw, uint32_t names);

#endif
