/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_image.h - raw inodes for the target
 *
 * An inode is copied as the bytes it is; changed are only the fields that speak of places:
 * block map, block count, attribute block, link count, checksum, and of directories the size.
 * So whatever else stands there (times with their extra bits, generation, version, project,
 * flags, attributes in the inode) arrives as it was.  Format: inodes.rst.
 */
#ifndef BFO_PLAN_INODE_IMAGE_H
#define BFO_PLAN_INODE_IMAGE_H

#include "plan/map.h"

/*
 * Makes RAW (target inode size) the inode of record INODE.  RAW holds before: the source's inode;
 * for a directory that keeps its attributes the target's; for one made here, anything.
 * MAP is scratch space.
 */
errcode_t bfo_inode_image(const struct bfo_plan *plan, uint32_t inode, void *raw,
			  struct bfo_map *map);

#endif
