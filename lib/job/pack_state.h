/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack_state.h - directories that are packed or unpacked, as the parts of that see them
 *
 * Drafts stay where they are until the commit, and there is one: so pointers to them hold.
 */
#ifndef BFO_JOB_PACK_STATE_H
#define BFO_JOB_PACK_STATE_H

#include "job/batch_state.h"
#include "job/pack.h"
#include "pack/composite.h"

struct bfo_pack_dir {
	struct bfo_draft *n;
	size_t path, len;		/* in `text`, with a zero byte behind it */
	uint32_t number;		/* of the composite file that was named last */
};

struct bfo_pack_name {
	size_t at;			/* in `text` */
	uint32_t ino;
	uint8_t len, type;
};

/* A file that may become a member. */
struct bfo_pack_file {
	struct bfo_draft *n;
	size_t name;			/* the first of its names */
	uint32_t names;
	uint32_t uid, gid, project;
	uint64_t table;			/* bytes that it takes in the table, at most */
};

/* Files that become one composite file. */
struct bfo_pack_group {
	size_t dir, first, n;
	uint64_t bytes;			/* of all, at most */
	char name[40];
};

/* A composite file that is unpacked. */
struct bfo_pack_found {
	size_t dir, name;
	struct bfo_draft *n;
};

struct bfo_pack_job {
	struct bfo_context *ctx;
	const struct bfo_pack_options *opt;
	const struct bfo_pack_sink *sink;
	struct bfo_pack_result *result;
	struct bfo_batch *b;
	BFO_VEC(struct bfo_pack_dir) dirs;
	BFO_VEC(struct bfo_pack_name) names;
	BFO_VEC(struct bfo_pack_file) files;
	BFO_VEC(struct bfo_pack_group) groups;
	BFO_VEC(struct bfo_pack_found) found;
	bfo_chars text;
	bfo_chars path;			/* scratch */
	uint8_t *seen;			/* directories: a bit for each inode number */
	size_t dir;			/* that is looked at */
	uint64_t blocks, inodes;	/* that are wanted */
};

/* What is done with the names [from, names.n) of directory j->dir, by inode number and name. */
typedef errcode_t (*bfo_pack_look)(struct bfo_pack_job *j, size_t from);

/*
 * Opens the volume, and hands all directories that the options name to LOOK.  Then there is room
 * for all that is wanted.
 */
errcode_t bfo_pack_survey(struct bfo_pack_job *j, bfo_pack_look look);

/* Ends: ERR, or what committing comes to. */
errcode_t bfo_pack_end(struct bfo_pack_job *j, errcode_t err);

/* *IS_ONE: N is a composite file, as far as its flag and its first bytes say. */
errcode_t bfo_pack_is_composite(struct bfo_pack_job *j, struct bfo_draft *n, int *is_one);

/* NAME in directory DIR; valid until the next call. */
const char *bfo_pack_path(struct bfo_pack_job *j, size_t dir, const char *name, size_t len);

/* A file of DIR is not packed. */
errcode_t bfo_pack_leave(struct bfo_pack_job *j, size_t dir, const char *name, size_t len,
			 enum bfo_pack_reason why);

/* The entry of NAME, which leads to INO on the volume, is there. */
errcode_t bfo_pack_know(struct bfo_pack_job *j, struct bfo_draft *dir,
			const struct bfo_pack_name *name);

/* NAME leads to N (NULL: nowhere) from now on; its entry is there. */
void bfo_pack_point(struct bfo_pack_job *j, struct bfo_draft *dir, const char *name, uint32_t len,
		    const struct bfo_draft *n);

/* Clusters of a file with BYTES in blocks. */
uint64_t bfo_pack_blocks(const struct bfo_pack_job *j, uint64_t bytes);

#endif
