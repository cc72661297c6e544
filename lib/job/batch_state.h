/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_state.h - a batch, as its operations see it: paths, and what an operation has begun
 *
 * An operation finds its drafts, asks for all that could fail, and then changes what others see.
 * Directories that it makes on the way (BFO_BATCH_PARENTS) are unmade if it fails after all.
 */
#ifndef BFO_JOB_BATCH_STATE_H
#define BFO_JOB_BATCH_STATE_H

#include "edit/seal.h"
#include "job/batch_write.h"

#define BFO_BATCH_LINKS_MAX 65000U	/* as ext4 has it */

/* A directory that the operation at hand has made, and its parent before. */
struct bfo_batch_parent {
	struct bfo_draft *dir, *parent;
	void *raw;			/* the parent's */
	size_t name, len;		/* in `made_names` */
};

struct bfo_batch_packed;

struct bfo_batch {
	struct bfo_context *ctx;
	struct bfo_batch_options opt;
	struct bfo_volume *vol;		/* NULL: to be opened again, after a failure */
	struct bfo_edit edit;
	uint64_t done, waiting;		/* operations that are durable, that are not */
	uint64_t content;		/* bytes of these that came */
	int is_held;			/* it does not commit by itself */
	double since;			/* when the first of these came, by the context's timer */
	uint64_t fit;			/* so many of those that wait go into the journal */
	enum bfo_fate fate;
	BFO_VEC(struct bfo_batch_parent) made;
	bfo_chars made_names;
	BFO_VEC(struct bfo_batch_packed *) packed;	/* composite files (batch_packed.h) */
	uint8_t *plain;			/* directories that have none: a bit for each inode */
	/* The directory of the last path, and that part of it. */
	struct bfo_draft *last;
	bfo_chars last_path;
};

/* The end of a path: a name in a directory. */
struct bfo_batch_way {
	struct bfo_draft *dir;		/* NULL: the path is "/" */
	const char *name;
	uint32_t len;
	struct bfo_draft *draft;		/* what it leads to; or NULL */
};

/* Before an operation, and after it, which ended with ERR.  Between them nothing is committed. */
errcode_t bfo_batch_begin(struct bfo_batch *b);
errcode_t bfo_batch_end(struct bfo_batch *b, errcode_t err, const char *what, const char *path);

/* Follows PATH.  FLAGS: BFO_BATCH_PARENTS. */
errcode_t bfo_batch_walk(struct bfo_batch *b, const char *path, int flags,
			 struct bfo_batch_way *way);

/* The same; BFO_ET_NO_PATH if it leads nowhere. */
errcode_t bfo_batch_find(struct bfo_batch *b, const char *path, struct bfo_batch_way *way);

/* Directories that the operation has made go again. */
void bfo_batch_unmake(struct bfo_batch *b);

/* May DIR gain a name, lose one? */
errcode_t bfo_batch_may_gain(struct bfo_batch *b, const struct bfo_draft *dir);
errcode_t bfo_batch_may_lose(struct bfo_batch *b, const struct bfo_draft *dir);

/* May N change at all, its content, which only grows (APPEND)? */
errcode_t bfo_batch_may_change(struct bfo_batch *b, const struct bfo_draft *n);
errcode_t bfo_batch_may_write(struct bfo_batch *b, const struct bfo_draft *n, int append);
errcode_t bfo_batch_may_read(struct bfo_batch *b, const struct bfo_draft *n);

/*
 * A new inode, which is to have a name in DIR, with what ATTR (or NULL) says: MODE has its type,
 * and permissions in case.  FLAGS: BFO_BATCH_EXACT.
 */
errcode_t bfo_batch_new(struct bfo_batch *b, struct bfo_draft *dir, uint32_t mode,
			const struct bfo_batch_attr *attr, int flags, struct bfo_draft **draft);
errcode_t bfo_batch_apply_times(struct bfo_batch *b, struct bfo_draft *n,
				const struct bfo_batch_attr *attr);
errcode_t bfo_batch_apply(struct bfo_batch *b, struct bfo_draft *n,
			  const struct bfo_batch_attr *attr);

/*
 * WAY, which leads to nothing, leads to N from now on; a directory begins there.  N has links for
 * that already.  Its entry is in memory: this cannot fail.
 */
void bfo_batch_enter(struct bfo_batch *b, const struct bfo_batch_way *way, struct bfo_draft *n);

/* True if DIR can have one more directory in it. */
int bfo_batch_has_link(const struct bfo_batch *b, const struct bfo_draft *dir);
void bfo_batch_link_dir(struct bfo_draft *dir, int more);

/*
 * What is at WAY, which is no directory, makes room for something else, whose entry comes next:
 * the first can fail, the second cannot.
 */
errcode_t bfo_batch_can_displace(struct bfo_batch *b, const struct bfo_batch_way *way, int flags);
void bfo_batch_displace(struct bfo_batch *b, const struct bfo_batch_way *way);

#endif
