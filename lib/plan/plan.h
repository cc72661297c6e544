/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - everything that is decided before anything is written
 *
 * The plan is pure: it computes from a gathered tree and a target's description, does no I/O,
 * and every refusal comes out of it (P2).  Its parts run in this order:
 *
 *   names     hash all names by the target's hash, sort them by directory and hash
 *   filter    drops names: --exclude, --files-from (plan/filter.h)
 *   landing   what is copied to where: --from, --to
 *   merge     level by level, which directories exist on both sides (the caller reads them)
 *   order     depth first; inode numbers and the stem follow it
 *   numbers   new inode numbers, ascending
 *   space     the stem: target extents for everything new; each item's slice of it
 *
 * The *stem* (BFO paper) is the list of target extents that take all new blocks, in order:
 *
 *   | dir | ea | data | data | dir | data ...            | extent blocks |
 *     `- item 0      `- item 1  ...  in the plan's order    of item 0, 1, ...
 *
 * Data that lie in blocks of the target already (BFO_SEG_KEPT) stay there, and are not in the stem.
 *
 * A plan changes its tree, and frees neither that nor the target, which are the caller's.
 *
 * Errors: ENOMEM and BFO_ET_OVERFLOW of all parts, and of
 *
 *   land      BFO_ET_NO_PATH, BFO_ET_NOT_DIR, EINVAL of a path; BFO_ET_OVERLAP, BFO_ET_CLASH of
 *             two; BFO_ET_ROOT_DAMAGED
 *   merge     BFO_ET_UNHEALTHY, BFO_ET_FEATURE of a directory of the target; retarget, too
 *   order     BFO_ET_CHANGED, BFO_ET_UNHEALTHY of the target; BFO_ET_CANCELLED
 *   numbers   BFO_ET_NO_INODES
 *   space     BFO_ET_NO_SPACE, BFO_ET_FILE_TOO_BIG, BFO_ET_DIR_TOO_BIG
 */
#ifndef BFO_PLAN_PLAN_H
#define BFO_PLAN_PLAN_H

#include "base/context.h"
#include "base/prefetch.h"
#include "base/range.h"
#include "gather/displaced.h"
#include "gather/target.h"
#include "plan/over.h"
#include "tree/access.h"

/* A target's directory that gains names, or the root when it takes over attributes. */
struct bfo_merged {
	bfo_row row;		/* the record that stands for it */
	uint32_t ino;		/* in the target */
	uint32_t gained;	/* names added */
	uint32_t links;		/* its link count before */
	uint32_t flags;		/* its i_flags */
	bfo_row old;		/* its record in the target's tree of that level */
	bfo_ranges freed;	/* its blocks before: data and block map */
	uint64_t old_ea;	/* attribute block it gives up, or 0 */
	int is_met;		/* the order has come to it, by one of the target's names */
};

/* A directory to be compared: the source's record, the target's inode. */
struct bfo_pair {
	bfo_row row;
	uint32_t ino;
};

/* A name of something that is in the way. */
struct bfo_clash {
	uint64_t name;		/* position in names[] */
	enum bfo_clash_kind kind;
};

/*
 * A name that both sides have, of no directory on either: the target's stands in the merged slice
 * until the source's is decided to take its place.
 */
struct bfo_meeting {
	uint32_t name;		/* the source's: position in names[] */
	uint32_t place;		/* the target's */
	uint32_t ino;		/* what that leads to, */
	uint32_t type;		/* ... and of which type it is */
	uint32_t merged;	/* the directory: position in merged[], before the order */
	int is_displaced;	/* the source's stands there now */
};

/* An item whose block map does not fit into its inode. */
struct bfo_map_tree {
	bfo_row row;
	uint32_t blocks;	/* of the tree or map, leaves first */
	uint32_t extents;
	uint64_t stem;		/* first of them */
};

/* A file that has further names outside of what is copied. */
struct bfo_outside {
	bfo_row row;
	uint32_t names, copied;	/* names in the source; of them in the target */
};

/* A run of target blocks: place in the stem, place on the target. */
struct bfo_stem_run {
	uint64_t at, blk, len;
};

typedef bfo_rows bfo_order;

struct bfo_charges;
struct bfo_itrees;

/* A file on the target that is as good as gone: whose quota it still is charged to. */
struct bfo_ghost {
	uint32_t owner[3];		/* user, group, project */
	uint64_t bytes;			/* 0: there is none */
};

/* Why a plan does not fit. */
struct bfo_shortage {
	uint64_t needed, free;
};

struct bfo_plan {
	struct bfo_context *ctx;
	struct bfo_tree *tree;
	const struct bfo_target *target;
	uint32_t dir_fill;		/* percent of an htree leaf that is filled */
	int64_t now;			/* the time of what is made here */

	bfo_row root;			/* record that lands on the target's root */
	bfo_row landing;		/* record that takes the names copied; unless `whole` */
	BFO_VEC(struct bfo_merged) merged;	/* ascending by ino, once the order is settled */
	BFO_VEC(struct bfo_pair) pairs;		/* directories still to be compared */
	BFO_VEC(struct bfo_pair) next_pairs;
	BFO_VEC(struct bfo_clash) clashes;
	BFO_VEC(struct bfo_meeting) meetings;
	struct bfo_displaced displaced;	/* what loses names to what is copied */

	int keep_inodes;		/* numbers are those of the source, where these are free */
	int source_numbers;		/* numbers ascend as the source's do ... */
	size_t source_first;		/* ... from this place in the order on */
	bfo_order by_number;		/* with one of these: the order of the new numbers */
	bfo_order order;	/* records in target order; of those that exist in the */
					/* target, only directories that gain names */
	BFO_VEC(struct bfo_stem_run) stem;
	/* Free blocks of the target that hold kept segments: they stay, and become used. */
	bfo_ranges kept;
	BFO_VEC(struct bfo_map_tree) trees;	/* ascending by record */
	uint64_t stem_len;		/* blocks of all items */
	uint64_t tree_len;		/* blocks of all trees, behind the items */
	uint64_t dir_len, ea_len;	/* of the items: directories, attribute blocks */
	struct bfo_ghost ghost;		/* set by the caller */
	struct bfo_charges *charges;	/* quota files of the target, or NULL (plan/charge.h) */
	struct bfo_itrees *itrees;	/* its container of indexes, or NULL (plan/itrees.h) */

	/* totals, for people */
	uint64_t files, dirs, extents;	/* dirs: new ones */
	uint64_t data_blocks;		/* read and written: unwritten ones are not among them, */
	uint64_t kept_blocks;		/* nor those that stay where they lie */
	uint32_t new_inodes;
	/* with BFO_ET_NO_SPACE blocks, with BFO_ET_NO_INODES inodes */
	struct bfo_shortage shortage;
	int whole;			/* the source's root goes to the target's root, */
	int keep_root;			/* which keeps its own attributes; the caller's */
	/* what becomes of what is no directory and exists on both sides; the caller's */
	enum bfo_over over;
	uint64_t skipped;		/* names that stay, for that, or by an outlet */
	uint64_t replaced;		/* names that lead to what is copied */
	int no_devices;			/* block and character devices stay; the caller's */
	uint64_t devices_left;		/* that were not, for that */
	uint64_t disarmed;		/* files whose set-id bits are left out (tree/amend.h) */
	int filtered;			/* ... but for names that were dropped before the order */
	BFO_VEC(struct bfo_outside) links_outside;	/* in the plan's order */
	int large_file;			/* some file has 2 GiB or more */
};

#define BFO_RECORDS_AHEAD 16	/* more misses than a core has under way at once */
#define BFO_SEGS_AHEAD (BFO_RECORDS_AHEAD / 2)

/*
 * The record that stands I-th in ORDER.  Records lie in the source's order and are walked in the
 * target's, so each is a cache miss of its own unless it is asked for in time.
 */
static inline struct bfo_inode *bfo_plan_at(const struct bfo_plan *plan, const bfo_order *order,
					    size_t i)
{
	if (i + BFO_RECORDS_AHEAD < order->n)
		bfo_prefetch(&plan->tree->inodes.v[order->v[i + BFO_RECORDS_AHEAD]]);
	return &plan->tree->inodes.v[order->v[i]];
}

/*
 * The record of item I.  Who walks over items wants their segments, mostly: these lie in the order
 * of the source, too, and are asked for when the record that says where is there.
 */
static inline struct bfo_inode *bfo_plan_item(const struct bfo_plan *plan, size_t i)
{
	const struct bfo_inode *soon;

	if (i + BFO_SEGS_AHEAD < plan->order.n) {
		soon = &plan->tree->inodes.v[plan->order.v[i + BFO_SEGS_AHEAD]];
		if (!S_ISDIR(soon->mode))
			bfo_prefetch(bfo_seg_of(plan->tree, soon, 0));
	}
	return bfo_plan_at(plan, &plan->order, i);
}

/* The record that comes I-th in the order of the numbers in the target. */
static inline struct bfo_inode *bfo_plan_numbered(const struct bfo_plan *plan, size_t i)
{
	return bfo_plan_at(plan, plan->by_number.n ? &plan->by_number : &plan->order, i);
}

/* True for a file of the target whose content is made anew: a quota file, or the container. */
static inline int bfo_inode_is_renewed(const struct bfo_inode *rec)
{
	return rec->state & BFO_INODE_EXISTS && !S_ISDIR(rec->mode);
}

void bfo_plan_init(struct bfo_plan *plan, struct bfo_context *ctx, struct bfo_tree *tree,
		   const struct bfo_target *target);
void bfo_plan_free(struct bfo_plan *plan);

/* Sets rec->name for every record; hashes and sorts the names, and drops doubles. */
errcode_t bfo_plan_names(struct bfo_plan *plan);

/*
 * FROM: paths in the source (`/` alone, or some below it; N 0: nothing is copied); TO: a directory
 * in the target.  Afterwards plan->pairs holds the first directories to be compared.
 */
errcode_t bfo_plan_land(struct bfo_plan *plan, const char *const *from, size_t n, const char *to);

/*
 * Merges every pair with the target's directory of that number, which must be in OLD with its
 * names, unsorted; plan->pairs is replaced by the pairs one level further down.  Call until none is
 * left.
 */
errcode_t bfo_plan_merge(struct bfo_plan *plan, struct bfo_tree *old);

/*
 * Meeting M is decided: the source's name takes the place of the target's, or is not copied.  Once
 * all levels are merged, before the order.
 */
void bfo_plan_displace(struct bfo_plan *plan, struct bfo_meeting *m);
void bfo_plan_stay(struct bfo_plan *plan, const struct bfo_meeting *m);

/*
 * Once it is known what is copied: names of what is not give the target's their places back.  The
 * others are what plan->displaced loses: its inodes get ino and names, ascending; the rest is the
 * caller's (gather/displaced.h).
 */
errcode_t bfo_plan_settle(struct bfo_plan *plan);

/*
 * Moves a plan to another target of the same kind (features, hash seed, inode numbers of the
 * directories merged), whose merged directories are in OLD: a freshly made one in place of the
 * scratch file on which was planned.  Numbers and space have to be planned again.
 */
errcode_t bfo_plan_retarget(struct bfo_plan *plan, const struct bfo_target *target,
			    const struct bfo_tree *old);

/* The order of everything that is copied. */
errcode_t bfo_plan_order(struct bfo_plan *plan);

/* Takes files that have become BFO_INODE_BAD since out of that order again. */
void bfo_plan_leave_out(struct bfo_plan *plan);

/*
 * Who shares which attribute block, and what values in inodes of their own are needed, which join
 * the order; after bfo_repack_scan(), if that is needed.
 */
errcode_t bfo_plan_share(struct bfo_plan *plan);

/* Reports what cannot keep its inode number, if that was asked for (keep_inodes). */
errcode_t bfo_plan_check_numbers(struct bfo_plan *plan);

/* Inode numbers; then space.  May be repeated, for another target. */
errcode_t bfo_plan_numbers(struct bfo_plan *plan);
errcode_t bfo_plan_space(struct bfo_plan *plan);

/*
 * Reports what only the finished plan can tell: link counts, inodes without names; drops what was
 * found outside of what is copied.
 */
errcode_t bfo_plan_audit(struct bfo_plan *plan);

/*
 * Fills plan->links_outside; part of bfo_plan_audit(), and of use when part of a source is copied.
 */
errcode_t bfo_plan_links_outside(struct bfo_plan *plan);

/*
 * Where stem block AT lies on the target; *LEN (may be NULL) says how many blocks from there on
 * are contiguous.
 */
uint64_t bfo_plan_block(const struct bfo_plan *plan, uint64_t at, uint64_t *len);

/* Blocks of the target that are free, and that the plan takes. */
uint64_t bfo_plan_need(const struct bfo_plan *plan);

/* Where block K of TREE lies on the target: each has a cluster of its own. */
uint64_t bfo_plan_tree_block(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
			     uint32_t k);

/* The merged directory that is inode INO of the target, or NULL; once the order is settled. */
struct bfo_merged *bfo_plan_merged(const struct bfo_plan *plan, uint32_t ino);

/* The record of the directory that holds directory record ROW in the target. */
bfo_row bfo_plan_parent(const struct bfo_plan *plan, bfo_row row);

/*
 * The link count of REC in the target: directories count 1 once they have more subdirectories
 * than a link count holds (dir_nlink).
 */
uint32_t bfo_plan_links(const struct bfo_plan *plan, const struct bfo_inode *rec);

/* The extent tree of record ROW, or NULL if its extents fit into the inode. */
const struct bfo_map_tree *bfo_plan_tree(const struct bfo_plan *plan, bfo_row row);

/* The path that name N of names[] has, or would have, in the target. */
size_t bfo_plan_target_path(const struct bfo_plan *plan, const struct bfo_name *n, char *out,
			    size_t size);

/* The same in an archive, where others stand in for names that are ciphertext (base/stand_in.h). */
size_t bfo_plan_archive_path(const struct bfo_plan *plan, const struct bfo_name *n, char *out,
			     size_t size);

#endif
