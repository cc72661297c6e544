// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serial.c - a plan for what is no volume
 *
 *   names   /  a  a/x  a/y  b  c(= a/x)
 *   stem          |x x|y|   |b b b|
 */
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "base/stand_in.h"
#include "plan/runs.h"
#include "plan/serial.h"
#include "tree/access.h"
#include "tree/path.h"

#define SOON (BFO_NAMES_AHEAD / 2)	/* names; their records are here by then */

errcode_t bfo_plan_alone(struct bfo_plan *plan)
{
	struct bfo_inode *root = &plan->tree->inodes.v[plan->root];

	plan->pairs.n = 0;
	root->new_ino = EXT2_ROOT_INO;
	return bfo_vec_push(&plan->merged, (struct bfo_merged) {
			    .row = plan->root, .ino = EXT2_ROOT_INO, .gained = 1, .links = 2,
			    .old = BFO_NONE });
}

/* ---- the stem ---- */

static errcode_t too_big(const struct bfo_plan *plan, bfo_row row)
{
	char path[256];

	return bfo_fail(plan->ctx, BFO_ET_FILE_TOO_BIG, "planning %s",
			bfo_tree_shown_path(plan->tree, row, path, sizeof(path)));
}

/* Blocks of the stem that REC takes; counts them as data. */
static errcode_t item_blocks(struct bfo_plan *plan, const struct bfo_inode *rec, uint64_t *blocks)
{
	struct bfo_run_walk walk;
	struct bfo_run run;

	bfo_runs_begin(&walk, plan, rec);
	while (bfo_runs_next(&walk, &run)) {
		if (run.lblk + run.len > UINT32_MAX)
			return too_big(plan, rec - plan->tree->inodes.v);
		plan->extents++;
		if (!run.unwritten)
			plan->data_blocks += run.len;
	}
	*blocks = bfo_runs_taken(&walk);
	return 0;
}

errcode_t bfo_plan_serial(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	uint64_t at = 0, blocks;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->eas.n; i++)
		t->eas.v[i].no_block = 1;
	for (i = 0; i < plan->order.n && !err; i++, at += blocks) {
		struct bfo_inode *rec = bfo_plan_item(plan, i);

		rec->stem = at;
		blocks = 0;
		if (S_ISDIR(rec->mode)) {
			rec->state |= BFO_INODE_STUFF;
			rec->size = 0;
			continue;
		}
		rec->state &= ~BFO_INODE_STUFF;
		err = item_blocks(plan, rec, &blocks);
	}
	plan->stem_len = at;
	return err ? err : bfo_vec_push(&plan->stem, (struct bfo_stem_run) { .len = at });
}

/* ---- the order of the source ---- */

/* A file, and where the source has its first block. */
struct placed {
	uint32_t high, low;		/* of the block; with the row, the sort key */
	bfo_row row;
	uint32_t unused;
};

/* Where REC begins in the source; what is nowhere comes first. */
static uint64_t first_block(const struct bfo_tree *t, const struct bfo_inode *rec)
{
	uint32_t i;

	for (i = 0; !S_ISDIR(rec->mode) && i < bfo_seg_count(t, rec); i++)
		if (bfo_seg_is_moved(bfo_seg_of(t, rec, i)))
			return bfo_seg_of(t, rec, i)->blk;
	return 0;
}

errcode_t bfo_plan_by_place(struct bfo_plan *plan)
{
	BFO_VEC(struct placed) list = { 0 };
	errcode_t err = bfo_vec_reserve(&list, plan->order.n + 1);
	size_t i;

	for (i = 0; i < plan->order.n && !err; i++) {
		uint64_t blk = first_block(plan->tree, bfo_plan_item(plan, i));

		list.v[list.n++] = (struct placed) { .high = blk >> 32, .low = blk,
						     .row = plan->order.v[i] };
	}
	if (!err)
		bfo_sort(list.v, list.n, sizeof(*list.v), 3);
	for (i = 0; i < list.n && !err; i++)
		plan->order.v[i] = list.v[i].row;
	bfo_vec_free(&list);
	return err;
}

/* ---- the walk ---- */

errcode_t bfo_serial_begin(struct bfo_serial *s, struct bfo_plan *plan)
{
	size_t n = plan->tree->inodes.n;
	errcode_t err;

	*s = (struct bfo_serial) { .plan = plan };
	err = bfo_vec_reserve(&s->first, n);
	if (err)
		return err;
	memset(s->first.v, 0xff, n * sizeof(*s->first.v));	/* BFO_NONE */
	s->first.n = n;
	return 0;
}

/* The names of F, by their bytes: F lists their places in s->sorted. */
static errcode_t sort_names(struct bfo_serial *s, struct bfo_serial_frame *f)
{
	uint32_t first = s->sorted.n, i, n = f->names.end - f->names.next;
	errcode_t err = bfo_vec_reserve(&s->sorted, n + 1);	/* never a null array */

	if (err)
		return err;
	for (i = f->names.next; i < f->names.end; i++)
		s->sorted.v[s->sorted.n++] = i;
	qsort_r(s->sorted.v + first, n, sizeof(*s->sorted.v), bfo_names_by_bytes, s->plan->tree);
	f->names.next = first;
	f->names.end = first + n;
	return 0;
}

static errcode_t enter(struct bfo_serial *s, bfo_row dir)
{
	const struct bfo_tree *t = s->plan->tree;
	struct bfo_serial_frame f = { .dir = dir, .path_len = s->path_len,
				      .names = bfo_listing_begin(t, &t->inodes.v[dir]) };
	errcode_t err = s->by_bytes ? sort_names(s, &f) : 0;

	return err ? err : bfo_vec_push(&s->stack, f);
}

/* The position of the next name of F. */
static uint32_t next_name(const struct bfo_serial *s, struct bfo_serial_frame *f)
{
	const struct bfo_tree *t = s->plan->tree;

	if (s->by_bytes)
		return s->sorted.v[f->names.next++];
	/* (each lies where the source has it) */
	bfo_names_ask_record(t, f->names.next, f->names.end);
	bfo_names_ask_text(t, f->names.next, f->names.end);
	return bfo_listing_next(t, &f->names);
}

/* The path becomes that of the LEN bytes of name TEXT below its first AT bytes. */
static errcode_t set_path(struct bfo_serial *s, size_t at, const char *text, uint32_t len)
{
	errcode_t err;

	s->path.n = at;
	err = bfo_vec_reserve(&s->path, len + 2);
	if (err)
		return err;
	if (at && len)
		s->path.v[s->path.n++] = '/';
	memcpy(s->path.v + s->path.n, text, len);
	s->path_len = s->path.n += len;
	s->path.v[s->path_len] = 0;
	return 0;
}

/* The path becomes that of name N in the directory of F. */
static errcode_t set_name(struct bfo_serial *s, const struct bfo_serial_frame *f,
			  const struct bfo_name *n)
{
	const struct bfo_tree *t = s->plan->tree;
	const char *text = bfo_name_text(t, n);
	char stand_in[BFO_STAND_IN_MOST];
	size_t len = bfo_name_len(n);

	if (s->has_stand_ins && t->inodes.v[f->dir].flags & EXT4_ENCRYPT_FL) {
		len = bfo_stand_in(text, len, stand_in);
		text = stand_in;
	}
	return set_path(s, f->path_len, text, len);
}

/* Name AT of the directory on top, or 0 if it is not on the target. */
static int is_wanted(const struct bfo_serial *s, uint32_t at)
{
	const struct bfo_tree *t = s->plan->tree;
	const struct bfo_name *n = &t->names.v[at];

	return !bfo_name_is_fixed(n) && !bfo_name_is_dead(t, n) &&
	       t->inodes.v[bfo_name_row(t, n)].state & BFO_INODE_PLACED;
}

/* The step for ROW by name AT. */
static errcode_t step_to(struct bfo_serial *s, bfo_row row, uint32_t at,
			 struct bfo_serial_step *step)
{
	*step = (struct bfo_serial_step) { .row = row, .name = at };
	step->kind = s->first.v[row] == BFO_NONE ? BFO_SERIAL_ITEM : BFO_SERIAL_LINK;
	if (step->kind == BFO_SERIAL_LINK)
		return 0;
	s->first.v[row] = at;
	return S_ISDIR(s->plan->tree->inodes.v[row].mode) ? enter(s, row) : 0;
}

static errcode_t leave(struct bfo_serial *s, struct bfo_serial_step *step)
{
	const struct bfo_serial_frame *f = &s->stack.v[--s->stack.n];

	if (s->by_bytes)
		s->sorted.n -= bfo_dir_count(s->plan->tree, &s->plan->tree->inodes.v[f->dir]);
	*step = (struct bfo_serial_step) { .kind = BFO_SERIAL_LEAVE, .row = f->dir,
					   .name = BFO_NONE };
	s->path_len = f->path_len;
	s->path.v[s->path_len] = 0;
	return 0;
}

errcode_t bfo_serial_next(struct bfo_serial *s, struct bfo_serial_step *step)
{
	const struct bfo_tree *t = s->plan->tree;
	struct bfo_serial_frame *f;
	errcode_t err = 0;
	uint32_t at;

	if (!s->begun) {
		s->begun = 1;
		err = set_path(s, 0, "", 0);
		return err ? err : step_to(s, s->plan->root, BFO_NONE, step);
	}
	while (s->stack.n) {
		f = &s->stack.v[s->stack.n - 1];
		if (f->names.next == f->names.end)
			return leave(s, step);
		at = next_name(s, f);
		if (!is_wanted(s, at))
			continue;
		err = set_name(s, f, &t->names.v[at]);
		return err ? err : step_to(s, bfo_name_row(t, &t->names.v[at]), at, step);
	}
	*step = (struct bfo_serial_step) { .kind = BFO_SERIAL_END, .row = BFO_NONE,
					   .name = BFO_NONE };
	return 0;
}

bfo_row bfo_serial_soon(const struct bfo_serial *s)
{
	const struct bfo_serial_frame *f = s->stack.n ? &s->stack.v[s->stack.n - 1] : NULL;
	const struct bfo_tree *t = s->plan->tree;
	const struct bfo_name *n;

	if (!f || f->names.end - f->names.next <= SOON)
		return BFO_NONE;
	n = &t->names.v[s->by_bytes ? s->sorted.v[f->names.next + SOON] : f->names.next + SOON];
	return bfo_name_is_fixed(n) ? BFO_NONE : bfo_name_row(t, n);
}

void bfo_serial_pass(struct bfo_serial *s)
{
	s->stack.n--;
}

void bfo_serial_free(struct bfo_serial *s)
{
	bfo_vec_free(&s->stack);
	bfo_vec_free(&s->sorted);
	bfo_vec_free(&s->path);
	bfo_vec_free(&s->first);
}

/* ---- once more ---- */

/* What step STEP, of a walk over what is left, adds to the plan. */
static errcode_t take(struct bfo_plan *plan, const struct bfo_serial_step *step)
{
	struct bfo_inode *rec = &plan->tree->inodes.v[step->row];

	if (step->kind == BFO_SERIAL_LEAVE)
		return 0;
	if (!S_ISDIR(rec->mode))
		rec->links = step->kind == BFO_SERIAL_ITEM ? 1 : rec->links + 1;
	if (step->kind == BFO_SERIAL_LINK)
		return 0;
	if (S_ISDIR(rec->mode))
		plan->dirs++;
	else
		plan->files++;
	return bfo_vec_push(&plan->order, step->row);
}

errcode_t bfo_serial_settle(struct bfo_plan *plan)
{
	struct bfo_serial_step step;
	struct bfo_serial s;
	errcode_t err = bfo_serial_begin(&s, plan);
	size_t i;

	plan->order.n = plan->files = plan->dirs = 0;
	while (!err) {
		err = bfo_serial_next(&s, &step);
		if (err || step.kind == BFO_SERIAL_END)
			break;
		err = take(plan, &step);
	}
	for (i = 0; i < plan->tree->inodes.n && !err; i++) {
		struct bfo_inode *rec = &plan->tree->inodes.v[i];

		if (rec->state & BFO_INODE_PLACED && i != plan->root &&
		    s.first.v[i] == BFO_NONE)
			rec->state = (rec->state & ~BFO_INODE_PLACED) | BFO_INODE_MET;
	}
	bfo_serial_free(&s);
	return err;
}
