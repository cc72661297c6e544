// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - directories that exist on both sides
 *
 * Both sides' names are in hash order, so one pass over the two slices finds what they share:
 * two directories become a pair for the next level, two files a clash, or a meeting that is decided
 * later (meeting.c), anything else is a clash.  The result is a new slice at the end of names[]
 * with the target's names (BFO_NAME_FIXED: they keep their inode numbers) and the new ones.
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "plan/itrees.h"
#include "plan/names.h"
#include "tree/access.h"
#include "tree/path.h"

#define SHOWN 1024U		/* bytes of a path in a message */

struct side {
	const struct bfo_tree *tree;
	const struct bfo_name *at, *end;
};

/* One of the target's names, copied with its text. */
static errcode_t add_old(struct bfo_plan *plan, bfo_row dir, const struct side *old)
{
	struct bfo_tree *t = plan->tree;
	const struct bfo_name *n = old->at;
	errcode_t err;

	err = bfo_tree_add_name(t, dir, bfo_name_number(old->tree, n),
				bfo_name_type(n) | BFO_NAME_FIXED, bfo_name_text(old->tree, n),
				bfo_name_len(n));
	if (err)
		return err;
	t->names.v[t->names.n - 1].hash = n->hash;
	t->names.v[t->names.n - 1].minor = n->minor;
	return 0;
}

static errcode_t add_clash(struct bfo_plan *plan, uint32_t name, enum bfo_clash_kind kind)
{
	return bfo_vec_push(&plan->clashes, (struct bfo_clash) { .name = name, .kind = kind });
}

/* The same name on both sides, of no directory; the target's is the next in the merged slice. */
static errcode_t meet_file(struct bfo_plan *plan, bfo_row row, const struct bfo_meeting *m)
{
	if (bfo_plan_is_container(plan, row) && plan->itrees->replaces)
		return bfo_vec_push(&plan->meetings, *m);
	if (plan->over == BFO_OVER_CLASH)
		return add_clash(plan, m->name, BFO_CLASH_EXISTS);
	if (plan->over != BFO_OVER_SKIP)
		return bfo_vec_push(&plan->meetings, *m);
	bfo_plan_stay(plan, m);
	return 0;
}

/* The same name on both sides: the target's stays; what happens to the source's? */
static errcode_t meet(struct bfo_plan *plan, size_t merged, const struct side *old,
		      const struct side *new)
{
	struct bfo_tree *t = plan->tree;
	bfo_row row = bfo_name_row(t, new->at);
	struct bfo_meeting m = { .name = new->at - t->names.v, .place = t->names.n,
				 .ino = bfo_name_number(old->tree, old->at),
				 .type = bfo_name_type(old->at), .merged = merged };
	int was_dir = bfo_name_type(old->at) == EXT2_FT_DIR;
	int is_dir = S_ISDIR(t->inodes.v[row].mode);

	if (!was_dir && !is_dir)
		return meet_file(plan, row, &m);
	if (!was_dir || !is_dir)
		return add_clash(plan, m.name, was_dir ? BFO_CLASH_DIRECTORY :
				 BFO_CLASH_NO_DIRECTORY);
	if (t->inodes.v[row].state & (BFO_INODE_EXISTS | BFO_INODE_PAIRED))
		return bfo_tree_found_known(t, BFO_FOUND_DIR_TWICE, new->at);
	t->inodes.v[row].state |= BFO_INODE_PAIRED;
	return bfo_vec_push(&plan->next_pairs, (struct bfo_pair) { .row = row, .ino = m.ino });
}

/* Both slices of merged directory MERGED into one at the end of names[]. */
static errcode_t merge_slices(struct bfo_plan *plan, size_t merged, struct side *old)
{
	struct bfo_merged *m = &plan->merged.v[merged];
	struct bfo_tree *t = plan->tree;
	struct bfo_inode *rec = &t->inodes.v[m->row];
	struct bfo_slice own = bfo_dir_names(t, rec), both = { .first = t->names.n };
	size_t i = own.first, end = own.end;
	struct side new = { .tree = t };
	errcode_t err = 0;
	int c;

	while (!err && (old->at < old->end || i < end)) {
		new.at = bfo_vec_at(&t->names, i);
		if (i < end && bfo_name_is_dead(t, new.at)) {
			i++;
			continue;
		}
		c = old->at == old->end ? 1
		    : i == end          ? -1
					: bfo_name_compare(old->tree, old->at, t, new.at);
		if (!c)
			err = meet(plan, merged, old, &new);
		if (!err && c <= 0)
			err = add_old(plan, m->row, old);
		if (!err && c > 0) {
			err = bfo_vec_reserve(&t->names, 1);
			if (err)
				break;
			t->names.v[t->names.n] = t->names.v[i];
			t->names.v[t->names.n++].dir = m->row;
			m->gained++;
		}
		if (c <= 0)
			old->at++;
		i += c >= 0;
	}
	both.end = t->names.n;
	bfo_dir_set_names(t, rec, both);
	return err;
}

/* A kernel gives no names to a directory that is immutable. */
static errcode_t may_gain(const struct bfo_plan *plan, const struct bfo_merged *m)
{
	char path[SHOWN];

	if (!m->gained || !(m->flags & EXT2_IMMUTABLE_FL))
		return 0;
	return bfo_fail(plan->ctx, BFO_ET_IMMUTABLE, "merging %s with what is to be copied: "
			"directory with inode %u of the target; clear its flag i before",
			bfo_tree_shown_path(plan->tree, m->row, path, sizeof(path)), m->ino);
}

/* True for the target's root when it gets the attributes of the source's. */
static int is_taken_over(const struct bfo_plan *plan, bfo_row row)
{
	return plan->whole && !plan->keep_root && row == plan->root;
}

/* The blocks that record INDEX occupies: given back when the directory is rewritten. */
static errcode_t note_freed(const struct bfo_tree *old, bfo_row index, bfo_ranges *freed)
{
	const struct bfo_inode *o = &old->inodes.v[index];
	uint32_t n = bfo_seg_count(old, o);
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = bfo_vec_push(freed, (struct bfo_range) {
				   .start = bfo_seg_blk(bfo_seg_of(old, o, i)),
				   .len = bfo_seg_of(old, o, i)->len });
	for (i = 0; i < old->map_blocks.n && !err; i++)
		if (old->map_blocks.v[i].ino == o->ino)
			err = bfo_vec_push(freed, (struct bfo_range) {
					   .start = old->map_blocks.v[i].blk, .len = 1 });
	return err;
}

/* Notes in M what the target's directory is and has, before OLD's names are sorted. */
static errcode_t note_old(struct bfo_plan *plan, const struct bfo_tree *old, struct bfo_merged *m)
{
	const struct bfo_inode *o;

	m->old = bfo_tree_find(old, m->ino);
	if (m->old == BFO_NONE || old->findings.n || !S_ISDIR(old->inodes.v[m->old].mode))
		return bfo_fail(plan->ctx, BFO_ET_UNHEALTHY, "reading directory inode %u of the "
				"target; please run e2fsck -f on it first", m->ino);
	o = &old->inodes.v[m->old];
	if ((o->flags | plan->tree->inodes.v[m->row].flags) & (EXT4_ENCRYPT_FL | EXT4_CASEFOLD_FL))
		return bfo_fail(plan->ctx, BFO_ET_FEATURE, "merging inode %u of the target with "
				"what is to be copied: encrypted and casefolded directories are "
				"not merged", m->ino);
	m->links = o->links_read;
	m->flags = o->flags;
	m->freed.n = 0;
	m->old_ea = 0;
	if (is_taken_over(plan, m->row) && o->ea != BFO_NONE)
		m->old_ea = old->eas.v[o->ea].blk;
	return note_freed(old, m->old, &m->freed);
}

/* Ties the source's record to the target's directory. */
static errcode_t tie_pair(struct bfo_plan *plan, const struct bfo_tree *old, struct bfo_pair pair)
{
	struct bfo_inode *rec = &plan->tree->inodes.v[pair.row];
	struct bfo_merged m = { .row = pair.row, .ino = pair.ino };
	errcode_t err = note_old(plan, old, &m);

	if (!err)
		err = bfo_vec_reserve(&plan->merged, 1);
	if (err) {
		bfo_vec_free(&m.freed);
		return err;
	}
	rec->new_ino = pair.ino;
	rec->state |= BFO_INODE_EXISTS;
	if (!is_taken_over(plan, pair.row)) {
		rec->state |= BFO_INODE_KEEP;
		rec->generation = old->inodes.v[m.old].generation;
		rec->ea = BFO_NONE;
	}
	return bfo_vec_push(&plan->merged, m);
}

errcode_t bfo_plan_retarget(struct bfo_plan *plan, const struct bfo_target *target,
			    const struct bfo_tree *old)
{
	errcode_t err = 0;
	size_t i;

	plan->target = target;
	for (i = 0; i < plan->merged.n && !err; i++) {
		err = note_old(plan, old, &plan->merged.v[i]);
		if (!err && !is_taken_over(plan, plan->merged.v[i].row))
			plan->tree->inodes.v[plan->merged.v[i].row].generation =
				old->inodes.v[plan->merged.v[i].old].generation;
	}
	return err;
}

errcode_t bfo_plan_merge(struct bfo_plan *plan, struct bfo_tree *old)
{
	size_t first = plan->merged.n, i;
	errcode_t err = 0;

	plan->next_pairs.n = 0;
	for (i = 0; i < plan->pairs.n && !err; i++)
		err = tie_pair(plan, old, plan->pairs.v[i]);
	if (!err)
		err = bfo_names_sort(old, plan->target);
	for (i = first; i < plan->merged.n && !err; i++) {
		struct bfo_merged *m = &plan->merged.v[i];
		struct bfo_slice s = bfo_dir_names(old, &old->inodes.v[m->old]);
		struct side side = { .tree = old, .at = bfo_vec_at(&old->names, s.first),
				     .end = bfo_vec_at(&old->names, s.end) };

		err = merge_slices(plan, i, &side);
		if (!err)
			err = may_gain(plan, &plan->merged.v[i]);
	}
	plan->pairs.n = 0;
	for (i = 0; i < plan->next_pairs.n && !err; i++)
		err = bfo_vec_push(&plan->pairs, plan->next_pairs.v[i]);
	return err;
}
