// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - from names in the order of disk blocks to directories in the order of readdir
 *
 * A stock kernel lists an indexed directory by (hash, minor hash) of the names (FACTS: also a
 * one-block linear one).  Sorting all names by (directory, hash, minor) therefore gives every
 * directory as one slice of names[], in the order in which it will be listed.  Names with equal
 * hashes are put in the order of their bytes, so that the result does not depend on where they
 * lay.  (Of such names a kernel lists the first, then the last to the second: bfo_listing_next().)
 */
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/prefetch.h"
#include "base/sort.h"
#include "plan/names.h"
#include "tree/access.h"
#include "tree/dir_index.h"
#include "tree/slices.h"

static void read_hashes(const char *stored, uint32_t *hash, uint32_t *minor)
{
	memcpy(hash, stored, 4);
	memcpy(minor, stored + 4, 4);
	*hash = ext2fs_le32_to_cpu(*hash);
	*minor = ext2fs_le32_to_cpu(*minor);
}

void bfo_text_hash(const struct bfo_target *target, uint32_t dir_flags, const char *text,
		   uint32_t len, const void *hashes, uint32_t *hash, uint32_t *minor)
{
	const struct bfo_hashing h = { .version = target->hash_version,
				       .seed = target->hash_seed, .dir_flags = dir_flags,
				       .encoding = target->encoding };

	if (hashes)
		read_hashes(hashes, hash, minor);
	else
		bfo_hashing_name(&h, text, len, hash, minor);
}

void bfo_name_hash(const struct bfo_target *target, uint32_t dir_flags, const char *text,
		   struct bfo_name *n)
{
	uint32_t len = bfo_name_len(n);

	bfo_text_hash(target, dir_flags, text, len,
		      bfo_dir_has_hashes(dir_flags) ? text + len : NULL, &n->hash, &n->minor);
}

/* Asks in time for the record of name I, which is not resolved yet (bfo_names_ask_record()). */
static void ask_record(const struct bfo_tree *t, size_t i)
{
	bfo_row row = i < t->names.n ? bfo_tree_find(t, bfo_name_number(t, &t->names.v[i]))
				     : BFO_NONE;

	if (row != BFO_NONE)
		bfo_prefetch(&t->inodes.v[row]);
}

/* From an inode number to its record, which must be there and not be the root. */
static errcode_t resolve_name(struct bfo_tree *t, struct bfo_name *n)
{
	uint32_t ino = bfo_name_number(t, n);
	bfo_row row = bfo_tree_find(t, ino);
	errcode_t err;

	if (row == BFO_NONE || ino == EXT2_ROOT_INO ||
	    t->inodes.v[row].flags & EXT4_EA_INODE_FL) {
		err = bfo_tree_found_known(t, row == BFO_NONE &&
					   bfo_ranges_contain(&t->unread, ino) ?
					   BFO_UNREAD_INODE : BFO_FOUND_NAME_INODE, n);
		bfo_name_kill(n);
		return err;
	}
	bfo_name_resolve(t, n, row);
	n->at = (n->at & ~0xff00ULL) |
		(uint64_t) bfo_dirent_type(t->inodes.v[row].mode) << 8;
	return 0;
}

int bfo_name_compare(const struct bfo_tree *a_tree, const struct bfo_name *a,
		     const struct bfo_tree *b_tree, const struct bfo_name *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	return bfo_name_order(a_tree, a, b_tree, b);
}

int bfo_names_by_bytes(const void *a, const void *b, void *tree)
{
	const struct bfo_tree *t = tree;

	return bfo_name_order(t, &t->names.v[*(const uint32_t *) a], t,
			      &t->names.v[*(const uint32_t *) b]);
}

static void drop_dead(struct bfo_tree *t)
{
	size_t i, kept = 0;

	for (i = 0; i < t->names.n; i++)
		if (!bfo_name_is_killed(&t->names.v[i]))
			t->names.v[kept++] = t->names.v[i];
	t->names.n = kept;
}

errcode_t bfo_names_sort(struct bfo_tree *t, const struct bfo_target *target)
{
	size_t i;

	for (i = 0; i < t->names.n; i++)
		bfo_name_hash(target, t->inodes.v[t->names.v[i].dir].flags,
			      bfo_name_text(t, &t->names.v[i]), &t->names.v[i]);
	return bfo_slices_sort(t);
}

errcode_t bfo_names_resolve(struct bfo_tree *t)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->names.n && !err; i++) {
		ask_record(t, i + BFO_NAMES_AHEAD);
		err = resolve_name(t, &t->names.v[i]);
	}
	drop_dead(t);
	t->resolved = 1;
	return err;
}

/* ext4: is_dx_dir().  Others are listed block by block. */
static int is_listed_by_hash(const struct bfo_tree *t, const struct bfo_inode *dir,
			     const struct bfo_target *volume)
{
	return volume->has_dir_index && (dir->flags & EXT2_INDEX_FL ||
	       dir->state & BFO_INODE_INLINE || dir->size == t->block_size);
}

BFO_SORT_BY(by_place, struct bfo_name, at)

void bfo_names_list(struct bfo_tree *t, const struct bfo_target *volume)
{
	const struct bfo_inode *dir;
	struct bfo_name *n;
	size_t i, j;

	for (i = 0; i < t->names.n; i++) {
		n = &t->names.v[i];
		dir = &t->inodes.v[n->dir];
		if (is_listed_by_hash(t, dir, volume))
			bfo_name_hash(volume, dir->flags, bfo_name_text(t, n), n);
	}
	bfo_sort(t->names.v, t->names.n, sizeof(*t->names.v), 3);
	for (i = 0; i < t->names.n; i = j) {
		j = bfo_slices_tie_end(t, i);
		if (j > i + 1)
			qsort(t->names.v + i, j - i, sizeof(*t->names.v), by_place);
	}
	bfo_slices_cut(t);
}

static int same_hash(const struct bfo_name *a, const struct bfo_name *b)
{
	return a->hash == b->hash && a->minor == b->minor;
}

uint32_t bfo_listing_next(const struct bfo_tree *t, struct bfo_listing *l)
{
	uint32_t at = l->next++;

	if (at >= l->tie_end) {
		l->tie_first = at;
		l->tie_end = at + 1;
		while (l->tie_end < l->end && same_hash(&t->names.v[at], &t->names.v[l->tie_end]))
			l->tie_end++;
		return at;
	}
	return l->tie_end - (at - l->tie_first);
}

errcode_t bfo_plan_names(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	errcode_t err = bfo_names_resolve(t);
	size_t i;

	if (!err)
		err = bfo_names_sort(t, plan->target);
	for (i = 0; i < t->names.n && !err; i++) {
		struct bfo_inode *rec = &t->inodes.v[bfo_name_row(t, &t->names.v[i])];

		bfo_names_ask_record(t, i, t->names.n);
		if (rec->name == BFO_NONE)
			rec->name = i;
		if (!S_ISDIR(rec->mode))
			bfo_name_count_add(rec, 1);
	}
	return err;
}
