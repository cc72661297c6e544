/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpacked.h - a source whose composite files are the files that they hold
 *
 * It stands before a volume.  What that has gathered it completes by the members of composite files
 * (gather/composites.h), in whose place they are: whoever comes behind sees files, with inodes,
 * attributes and contents.  A volume without composite files is read as without it.
 *
 * Contents are read in the order of the device, for many members at once, and are looked at: one
 * that is not what its checksum says is a finding.
 */
#ifndef BFO_GATHER_UNPACKED_H
#define BFO_GATHER_UNPACKED_H

#include "gather/composites.h"
#include "gather/source.h"

/* A member whose content has been handed out up to byte AT. */
struct bfo_member_sum {
	uint32_t at, crc;
};

/* A part of what members' nodes want, in bytes of one of these. */
struct bfo_member_part {
	uint32_t node;			/* of the round */
	uint32_t at, len;
};

/* A node of the round. */
struct bfo_member_node {
	const struct bfo_node *node;
	uint32_t member, from, len;	/* bytes of its content: which, how many */
	uint32_t has_lost;
	char *to;			/* where they go */
};

struct bfo_unpacked {
	struct bfo_source source;
	struct bfo_source *of;
	struct bfo_tree *tree;		/* once it is gathered */
	struct bfo_composites all;
	BFO_VEC(struct bfo_member_sum) sums;	/* one for each member */
	bfo_ranges bad;			/* source.lost_places */
	/* scratch: */
	bfo_chars raw;			/* an inode */
	BFO_VEC(struct bfo_member_node) round;
	BFO_VEC(struct bfo_member_part) lost;
	bfo_order_list nodes;		/* of the volume, for a round */
	bfo_chars buffer;
};

/* u->source becomes one of OF, which is closed with it. */
void bfo_unpacked_begin(struct bfo_unpacked *u, struct bfo_source *of);

/*
 * What gathering does, of TREE, which is of OF already (gather/picked.h), and has to stay.  ENOMEM,
 * and those of reading.
 */
errcode_t bfo_unpacked_see(struct bfo_unpacked *u, struct bfo_tree *tree);

#endif
