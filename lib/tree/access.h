/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.h - fields of records and names that do not always mean the same
 *
 * tree.h says when they mean what.  Where debugging is on (base/debug.h), each of these functions
 * asserts that it is the time for it, of the tree and of what it is given: our own mistakes, never
 * what was read from a disk.
 */
#ifndef BFO_TREE_ACCESS_H
#define BFO_TREE_ACCESS_H

#include "base/debug.h"
#include "base/prefetch.h"
#include "tree/tree.h"

/* ---- what a name leads to ---- */

static inline int bfo_name_is_fixed(const struct bfo_name *n)
{
	return !!(bfo_name_type(n) & BFO_NAME_FIXED);
}

/* The inode number that N leads to: before names are resolved, or if it is fixed. */
static inline uint32_t bfo_name_number(const struct bfo_tree *t, const struct bfo_name *n)
{
	bfo_debug_assert(!t->resolved || bfo_name_is_fixed(n));
	return n->ino_;
}

/* From now on N, of a tree that is being made, leads to inode number INO. */
static inline void bfo_name_set_number(const struct bfo_tree *t, struct bfo_name *n, uint32_t ino)
{
	bfo_debug_assert(!t->resolved);
	n->ino_ = ino;
}

/*
 * The row that N stands for so far, of a tree that an intake is making.  In the end, before numbers
 * can be looked up, all names get theirs by bfo_name_set_number().
 */
static inline bfo_row bfo_name_draft(const struct bfo_tree *t, const struct bfo_name *n)
{
	bfo_debug_assert(!t->resolved && !t->rank.limit);
	return n->ino_;
}

/* From now on N, of a tree that an intake is making, stands for ROW; BFO_NONE: not yet for any. */
static inline void bfo_name_set_draft(const struct bfo_tree *t, struct bfo_name *n, bfo_row row)
{
	bfo_debug_assert(!t->resolved && !t->rank.limit);
	n->ino_ = row;
}

/* The row that N, not a fixed one, leads to in a resolved tree; BFO_NONE if it was killed. */
static inline bfo_row bfo_name_row(const struct bfo_tree *t, const struct bfo_name *n)
{
	bfo_debug_assert(t->resolved && !bfo_name_is_fixed(n));
	return n->ino_;
}

/* Name N gets its row; all names have one when `resolved` is set. */
static inline void bfo_name_resolve(const struct bfo_tree *t, struct bfo_name *n, bfo_row row)
{
	bfo_debug_assert(!t->resolved && row < t->inodes.n);
	n->ino_ = row;
}

/* Name N is not to be copied, or not to be kept. */
static inline void bfo_name_kill(struct bfo_name *n)
{
	n->ino_ = BFO_NONE;
}

/* Name N, of a resolved tree, leads to what the target has already: inode INO of TYPE. */
static inline void bfo_name_fix(struct bfo_name *n, uint32_t ino, uint32_t type)
{
	n->ino_ = ino;
	n->at = (n->at & ~0xff00ULL) | (uint64_t) (type | BFO_NAME_FIXED) << 8;
}

static inline int bfo_name_is_killed(const struct bfo_name *n)
{
	return n->ino_ == BFO_NONE;
}

/* True if name N, of a resolved tree, is not going to be on the target. */
static inline int bfo_name_is_dead(const struct bfo_tree *t, const struct bfo_name *n)
{
	return bfo_name_is_killed(n) || (!bfo_name_is_fixed(n) &&
	       t->inodes.v[bfo_name_row(t, n)].state & BFO_INODE_BAD);
}

/* The inode number that N, which was not killed, leads to in the target, once numbers are given. */
static inline uint32_t bfo_name_new_ino(const struct bfo_tree *t, const struct bfo_name *n)
{
	return bfo_name_is_fixed(n) ? bfo_name_number(t, n)
				    : t->inodes.v[bfo_name_row(t, n)].new_ino;
}

/*
 * Name N stands in logical block LBLK of its directory, NTH of the names there: what
 * bfo_names_list() wants to know.
 */
static inline void bfo_name_set_place(struct bfo_name *n, uint32_t lblk, uint32_t nth)
{
	n->hash = lblk;
	n->minor = nth;
}

#define BFO_NAMES_AHEAD 16U	/* a cache miss takes as long as so many names */

/*
 * Whoever walks the names of a slice that ends before END, and is at name I, asks in time for the
 * records they stand for (of resolved names), and for their bytes: each would be a cache miss.
 */
static inline void bfo_names_ask_record(const struct bfo_tree *t, size_t i, size_t end)
{
	i += BFO_NAMES_AHEAD;
	if (i < end && t->names.v[i].ino_ < t->inodes.n)
		bfo_prefetch(&t->inodes.v[t->names.v[i].ino_]);
}

static inline void bfo_names_ask_text(const struct bfo_tree *t, size_t i, size_t end)
{
	i += BFO_NAMES_AHEAD;
	if (i < end)
		bfo_prefetch(bfo_name_text(t, &t->names.v[i]));
}

/* ---- what a record has ---- */

/* Positions in names[]. */
struct bfo_slice {
	uint32_t first, end;
};

/* The names of directory DIR, in a sliced tree. */
static inline struct bfo_slice bfo_dir_names(const struct bfo_tree *t, const struct bfo_inode *dir)
{
	bfo_debug_assert(t->sliced && S_ISDIR(dir->mode));
	return (struct bfo_slice) { .first = dir->child_, .end = dir->child_ + dir->nchild_ };
}

/* How many these are. */
static inline uint32_t bfo_dir_count(const struct bfo_tree *t, const struct bfo_inode *dir)
{
	bfo_debug_assert(t->sliced && S_ISDIR(dir->mode));
	return dir->nchild_;
}

static inline void bfo_dir_set_names(const struct bfo_tree *t, struct bfo_inode *dir,
				     struct bfo_slice names)
{
	bfo_debug_assert(t->sliced && S_ISDIR(dir->mode) && names.first <= names.end);
	dir->child_ = names.first;
	dir->nchild_ = names.end - names.first;
}

/* The name at position AT comes to those of DIR, which it follows. */
static inline void bfo_dir_add_name(const struct bfo_tree *t, struct bfo_inode *dir, uint32_t at)
{
	bfo_debug_assert(t->sliced && S_ISDIR(dir->mode));
	if (!dir->nchild_++)
		dir->child_ = at;
	bfo_debug_assert(at == dir->child_ + dir->nchild_ - 1);
}

/* Where ".." of directory DIR leads in the source; 0 if that is not known. */
static inline uint32_t bfo_dotdot(const struct bfo_inode *dir)
{
	bfo_debug_assert(S_ISDIR(dir->mode));
	return dir->dotdot_;
}

static inline void bfo_dotdot_set(struct bfo_inode *dir, uint32_t ino)
{
	bfo_debug_assert(S_ISDIR(dir->mode));
	dir->dotdot_ = ino;
}

/* How many names REC, no directory, has; 0 until the plan has counted. */
static inline uint32_t bfo_name_count(const struct bfo_inode *rec)
{
	bfo_debug_assert(!S_ISDIR(rec->mode));
	return rec->names_;
}

static inline void bfo_name_count_add(struct bfo_inode *rec, int more)
{
	bfo_debug_assert(!S_ISDIR(rec->mode));
	rec->names_ += more;
}

/* How many segments REC has: a file, or what is not yet sliced. */
static inline uint32_t bfo_seg_count(const struct bfo_tree *t, const struct bfo_inode *rec)
{
	bfo_debug_assert(!t->sliced || !S_ISDIR(rec->mode));
	return rec->nseg_;
}

/* Its segments become COUNT of segs[], or of what will be that, from FIRST on. */
static inline void bfo_segs_set(const struct bfo_tree *t, struct bfo_inode *rec, uint32_t first,
				uint32_t count)
{
	bfo_debug_assert(!t->sliced || !S_ISDIR(rec->mode));
	rec->seg_ = first;
	rec->nseg_ = count;
}

/* Its segment I, before which the others stand; with I 0 NULL, perhaps, if there is none. */
static inline struct bfo_seg *bfo_seg_of(const struct bfo_tree *t, const struct bfo_inode *rec,
					 uint32_t i)
{
	bfo_debug_assert((!t->sliced || !S_ISDIR(rec->mode)) && (i < rec->nseg_ || !i));
	return bfo_vec_at(&t->segs, rec->seg_ + i);
}

/* The first segment of file REC that has logical blocks from FIRST on; their number: none has. */
static inline uint32_t bfo_seg_first(const struct bfo_tree *t, const struct bfo_inode *rec,
				     uint64_t first)
{
	uint32_t low = 0, high = bfo_seg_count(t, rec);

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct bfo_seg *seg = bfo_seg_of(t, rec, mid);

		if ((uint64_t) seg->lblk + seg->len > first)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

#endif
