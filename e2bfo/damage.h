/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damage.h - what is damaged or cannot be read, which all commands word alike
 */
#ifndef E2BFO_DAMAGE_H
#define E2BFO_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "tree/tree.h"
#include "cli/json.h"

#define DAMAGE_WHERE 128		/* bytes: enough for damage_where() */

struct damage {
	enum bfo_finding_kind kind;
	uint64_t ino;			/* of a member: bfo_tree_shown_ino() */
	uint32_t inodes;		/* if it is about several, how many */
	/* inode of the directory that has the name; 0: not to be told */
	uint32_t dir;
	uint64_t from, to;		/* bytes [from, to) of it; to 0: none in particular */
	uint64_t blk;			/* 0: none in particular */
	int moving;			/* it may well be that it was written while it was read */
};

/* What F, a finding about T, says. */
struct damage damage_of(const struct bfo_tree *t, const struct bfo_finding *f);

/* " in directory DIR, bytes FROM to TO, block BLK", as far as that is known.  Returns OUT. */
const char *damage_where(const struct damage *d, char *out, size_t size);

/*
 * "VOLUME: PATH: what is wrong (inode INO, bytes FROM to TO, block BLK)" to standard error.  PATH
 * has LEN bytes, as they stand on the disk.
 */
void damage_tell(const char *volume, const char *path, size_t len, const struct damage *d);

/* The same as members of an object, without kind and path. */
void damage_json(struct json *j, const struct damage *d);

#endif
