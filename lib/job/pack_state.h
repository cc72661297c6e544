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

/* A file that may become a member, or is one. */
struct bfo_pack_file {
	struct bfo_draft *n;		/* NULL: it is member `member` of composite file `from` */
	size_t from, member;
	uint32_t number;		/* as a member, of a file that was one; 0: a new one */
	size_t name;			/* the first of its names */
	uint32_t names;
	uint32_t uid, gid, project;
	uint64_t bytes;
	uint64_t table;			/* bytes that it takes in the table, at most */
	uint32_t set, rank;		/* what is used together, in what order; set 0: none */
	uint32_t part;			/* of a set: what one composite file takes; 0: none */
	size_t home;			/* that composite file, from 1 on; 0: a new one */
};

/* Files that become one composite file. */
struct bfo_pack_group {
	size_t dir, first, n;
	size_t home;			/* one that there is, from 1 on; 0: a new one */
	uint32_t set, rank;		/* of the first file */
	int is_quiet;			/* its directory is changed by others, or not at all */
	uint64_t bytes;			/* of all, at most */
	char name[40];			/* of a new one */
};

/* A composite file that there is. */
struct bfo_pack_found {
	size_t dir, name;
	struct bfo_draft *n;
	uint8_t *table;
	struct bfo_composite c;
	bfo_segs segs;			/* as they are on the volume; or, inline, */
	char *whole;			/* all of its bytes */
	/* What an update does to it: */
	BFO_VEC(size_t) leaving;	/* members that become files */
	int is_left;			/* by all of its members */
	int has_part;			/* it is the home of a part of a set */
	uint64_t bytes;			/* of what comes to it, at most */
	size_t count;			/* of members in the part at hand */
};

/* Files that are used together (pack_order.c), by directory and name. */
struct bfo_pack_place {
	uint32_t dir;			/* inode number */
	uint32_t set, rank;
	size_t at;			/* of the name */
	uint8_t len;
};

struct bfo_pack_order {
	BFO_VEC(struct bfo_pack_place) places;
	bfo_chars text;
	uint32_t *sizes;		/* of sets: their files that may be members, or are */
	int takes_rest;			/* what is in no set is packed, too */
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
	struct bfo_pack_order order;
	bfo_chars text;
	bfo_chars path;			/* scratch */
	uint8_t *seen;			/* directories: a bit for each inode number */
	size_t dir;			/* that is looked at */
	uint64_t blocks, inodes;	/* that are wanted */
};

/* May both be in one composite file? */
static inline int bfo_pack_is_alike(const struct bfo_pack_file *a, const struct bfo_pack_file *b)
{
	return a->uid == b->uid && a->gid == b->gid && a->project == b->project;
}

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
errcode_t bfo_pack_is_composite(struct bfo_batch *b, struct bfo_draft *n, int *is_one);

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

/* X->n, a composite file, is read: its table.  Errors: those of pack.h. */
errcode_t bfo_pack_found_open(struct bfo_pack_job *j, struct bfo_pack_found *x);
void bfo_pack_found_close(struct bfo_pack_found *x);

/* The path of X; valid until the next call. */
const char *bfo_pack_found_path(struct bfo_pack_job *j, const struct bfo_pack_found *x);

/* Notes WHY composite file X is not what it has to be; returns ERR. */
errcode_t bfo_pack_found_refuse(struct bfo_pack_job *j, const struct bfo_pack_found *x,
				errcode_t err, const char *why);

/* Does M have more attributes than an inode has room for? */
int bfo_pack_wants_block(const struct bfo_pack_job *j, const struct bfo_composite_member *m);

/* Asks for the order, if there is one, before the volume is opened for writing. */
errcode_t bfo_pack_order_read(struct bfo_pack_job *j);
void bfo_pack_order_free(struct bfo_pack_order *o);

/* f->set and f->rank, of a file of directory j->dir. */
void bfo_pack_order_find(const struct bfo_pack_job *j, struct bfo_pack_file *f);

/* The draft of NAME, in j->dir, if that is a regular file of users; or NULL. */
errcode_t bfo_pack_regular(struct bfo_pack_job *j, const struct bfo_pack_name *name,
			   struct bfo_draft **n);

/*
 * May FILE, whose draft and names are set, be a member?  Then its other fields are set, and *WHY is
 * BFO_PACK_REASONS.
 */
errcode_t bfo_pack_may_be(struct bfo_pack_job *j, struct bfo_pack_file *file, uint64_t max_size,
			  enum bfo_pack_reason *why);

/*
 * The N names from FIRST on are all that DRAFT has in directory j->dir: it is added to j->files if
 * it may be a member.
 */
errcode_t bfo_pack_judge(struct bfo_pack_job *j, struct bfo_draft *draft, size_t first, size_t n);

/* Members of composite files from FIRST on, all of directory j->dir, come to j->files. */
errcode_t bfo_pack_add_members(struct bfo_pack_job *j, size_t first);

/* A bfo_pack_look: files of a directory become groups, if something is to be done with them. */
errcode_t bfo_pack_look_at_dir(struct bfo_pack_job *j, size_t from);

/* Composite file G is made, or becomes what G says, as a part of an operation of the batch. */
errcode_t bfo_pack_make_group(struct bfo_pack_job *j, const struct bfo_pack_group *g);

/* All directories were looked at: groups in the order in which they are to lie. */
errcode_t bfo_pack_order_groups(struct bfo_pack_job *j);

/*
 * Member I of X becomes a draft, *N, which has no name yet.  HELD: its content stays at DATA,
 * where all that of the composite file is; otherwise it is DATA's.
 */
errcode_t bfo_pack_draft(struct bfo_pack_job *j, const struct bfo_pack_found *x, size_t i,
			 const char *data, int held, struct bfo_draft **n);

/* unpack.c: X->leaving, members that become files again: counted, told, and made; X itself goes. */
errcode_t bfo_pack_count_leaving(struct bfo_pack_job *j, const struct bfo_pack_found *x);
errcode_t bfo_pack_tell_leaving(struct bfo_pack_job *j, const struct bfo_pack_found *x);
errcode_t bfo_pack_take_out(struct bfo_pack_job *j, const struct bfo_pack_found *x);
errcode_t bfo_pack_remove(struct bfo_pack_job *j, const struct bfo_pack_found *x);

/* Clusters of a file with BYTES in blocks. */
uint64_t bfo_pack_blocks(const struct bfo_pack_job *j, uint64_t bytes);

#endif
