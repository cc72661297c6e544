/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirbed.h - a directory in memory that is edited, and what has to be in it
 *
 *   dirbed_init()    N names, none of which is there; the target may be changed (b->m.target)
 *   dirbed_begin()   an empty directory of one block, or in an inode
 *   dirbed_insert(), _remove(), _point() ... dirbed_apply()
 *   dirbed_judge()   what is there is seen and found, and nothing else
 *
 * What the store lends to be read is a copy that is gone with the next call of the store.
 */
#ifndef UNIT_DIRBED_H
#define UNIT_DIRBED_H

#include "dirview.h"
#include "made.h"
#include "plan/dir_edit.h"

#define DIRBED_ROOM 4096U		/* bytes of system.data */

struct dirbed_name {
	char text[256];
	uint32_t len, ino;
	uint8_t type;
	int there, asked;		/* as it is; as it is going to be changed */
};

struct dirbed {
	struct made m;
	struct bfo_dir_store store;
	struct bfo_dir_edit d;
	struct bfo_dir_inline inl;
	uint8_t head[60], tail[DIRBED_ROOM];
	uint8_t **blocks, *lent[2];
	uint32_t n_blocks, parent;
	uint64_t peeks, gets, grows, calls, fail_at;	/* fail_at: that call fails with EIO */
	struct dirbed_name *names;
	uint32_t n, there;
	struct bfo_dir_change *changes;
	uint32_t n_changes;
	uint8_t *image, *seen;		/* for judges */
};

void dirbed_init(struct dirbed *b, struct chance *c, uint32_t n, uint32_t min, uint32_t max);
void dirbed_free(struct dirbed *b);

/* INLINE_ROOM: bytes that system.data may have; UINT32_MAX: not inline. */
void dirbed_begin(struct dirbed *b, uint32_t inline_room);

/* Asks for a change of name I. */
void dirbed_insert(struct dirbed *b, uint32_t i);
void dirbed_remove(struct dirbed *b, uint32_t i);
void dirbed_point(struct dirbed *b, uint32_t i, uint32_t ino, uint8_t type);
void dirbed_parent(struct dirbed *b, uint32_t ino);

/* Makes the changes that were asked for; those who succeed are what is expected from then on. */
errcode_t dirbed_apply(struct dirbed *b);

/* Looks up one name in EVERY as well, and asks a view of our own. */
void dirbed_judge(struct dirbed *b, uint32_t every);

/* A view of it, which is none of an inline one. */
struct dirview dirbed_view(struct dirbed *b);

#endif
