// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * depth_first.c - depth first, every directory in the order in which a kernel will list it
 *
 * Policy `readdir`: a directory, then for each of its names the file, or the directory and all
 * below it.  A hard-linked inode stands where its first name is.  Inode numbers and the stem
 * follow this order, so whoever walks the target in readdir order meets ascending inodes and
 * ascending blocks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "plan/loss.h"
#include "plan/names.h"
#include "plan/plan.h"
#include "tree/access.h"
#include "tree/amend.h"

#define LINKS_MAX 65000		/* EXT4_LINK_MAX */

/* A directory being walked. */
struct frame {
	bfo_row dir;		/* index of the record */
	struct bfo_listing names;
	int is_lost;		/* not copied, nor is what is below it */
	size_t lost;		/* where its part of walk.lost begins */
};

struct walk {
	struct bfo_plan *plan;
	BFO_VEC(struct frame) stack;
	bfo_numbers lost;	/* of each directory: where names stand that it cannot hold */
};

static errcode_t push_dir(struct walk *w, bfo_row row, int is_lost)
{
	const struct bfo_inode *rec = &w->plan->tree->inodes.v[row];
	errcode_t err = bfo_vec_push(&w->stack, (struct frame) {
			.dir = row, .is_lost = is_lost, .lost = w->lost.n,
			.names = bfo_listing_begin(w->plan->tree, rec) });

	return err || is_lost ? err : bfo_loss_of_names(w->plan, rec, &w->lost);
}

static errcode_t place(struct bfo_plan *plan, bfo_row row)
{
	struct bfo_inode *rec = &plan->tree->inodes.v[row];
	errcode_t err;

	rec->state |= BFO_INODE_PLACED;
	if (!S_ISDIR(rec->mode))
		plan->files++;
	else if (!(rec->state & BFO_INODE_EXISTS))
		plan->dirs++;
	if (S_ISREG(rec->mode) && rec->size >= 1ULL << 31)
		plan->large_file = 1;
	plan->disarmed += bfo_amend_is_disarmed(plan->tree->amend, rec->mode);
	err = rec->state & BFO_INODE_KEEP ? 0 : bfo_loss_of_parts(plan, rec);
	return err ? err : bfo_vec_push(&plan->order, row);
}

/* The link count that record REC has in the target before anything is added. */
static uint32_t links_before(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	const struct bfo_merged *m = NULL;

	if (!S_ISDIR(rec->mode))
		return 0;
	if (rec->state & BFO_INODE_EXISTS)
		m = bfo_plan_merged(plan, rec->new_ino);
	return m ? m->links : 2;
}

uint32_t bfo_plan_links(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint32_t before = links_before(plan, rec), links = before + rec->links;

	return S_ISDIR(rec->mode) && (before == 1 || links > LINKS_MAX) ? 1 : links;
}

/* True if record REC cannot have one more name, or subdirectory. */
static int is_full(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint32_t before = links_before(plan, rec);

	if (plan->target->has_any_links || (S_ISDIR(rec->mode) && plan->target->has_dir_nlink))
		return 0;
	return (S_ISDIR(rec->mode) && before == 1) || before + rec->links >= LINKS_MAX;
}

/*
 * Directory record ROW is where N in directory DIR says, whatever other names it has in the source.
 */
static void note_place(struct walk *w, bfo_row dir, bfo_row row, const struct bfo_name *n)
{
	struct bfo_inode *rec = &w->plan->tree->inodes.v[row];

	if (dir != w->plan->landing)		/* another name of it was to land */
		rec->state &= ~BFO_INODE_LANDED;
	if (!(rec->state & BFO_INODE_LANDED))
		rec->name = n - w->plan->tree->names.v;
}

/* What cannot be on the target goes like what is damaged, but for the word. */
static errcode_t drop(struct walk *w, struct bfo_inode *rec, enum bfo_finding_kind kind)
{
	rec->state |= BFO_INODE_BAD | BFO_INODE_MET;
	return bfo_tree_found(w->plan->tree, kind, rec->ino, 0);
}

/* One of the names of file REC is known not to come along. */
static void lose_link(struct bfo_inode *rec)
{
	if (rec->links_read && bfo_name_count(rec) <= UINT16_MAX)
		rec->links_read--;		/* else it goes on meaning so many, or more */
	bfo_name_count_add(rec, -1);
}

/* Name N does not come along, nor does what is below it. */
static errcode_t drop_name(struct walk *w, struct bfo_name *n, enum bfo_finding_kind kind)
{
	struct bfo_tree *t = w->plan->tree;
	bfo_row row = bfo_name_row(t, n);
	struct bfo_inode *rec = &t->inodes.v[row];
	errcode_t err = bfo_tree_found_known(t, kind, n);

	bfo_name_kill(n);
	rec->state |= BFO_INODE_MET;
	if (!S_ISDIR(rec->mode)) {
		lose_link(rec);
		return err;
	}
	rec->state |= BFO_INODE_BAD;
	return err ? err : push_dir(w, row, 1);
}

/* What counts N is full.  Of what the plan makes to land in, nothing would be left. */
static errcode_t drop_excess(struct walk *w, struct bfo_name *n)
{
	struct bfo_tree *t = w->plan->tree;

	if (t->inodes.v[bfo_name_row(t, n)].state & BFO_INODE_MADE)
		return bfo_fail(w->plan->ctx, EMLINK, "making %.*s on the target",
				(int) bfo_name_len(n), bfo_name_text(t, n));
	return drop_name(w, n, BFO_LOST_LINKS);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* True if the directory at hand cannot hold N. */
static int is_refused(const struct walk *w, const struct bfo_name *n)
{
	size_t first = w->stack.v[w->stack.n - 1].lost;

	return w->lost.n > first && bsearch(&(uint32_t) { n - w->plan->tree->names.v },
					    &w->lost.v[first], w->lost.n - first,
					    sizeof(*w->lost.v), by_number);
}

/* It would be walked, and written, twice; or for ever, if it lies in itself. */
static errcode_t has_two_names(const struct bfo_plan *plan, const struct bfo_merged *m)
{
	return bfo_fail(plan->ctx, BFO_ET_UNHEALTHY,
			"reading the target's directories: inode %u has "
			"two names; please run e2fsck -f on it first",
			m->ino);
}

/* A directory that the target has already: walked if it gains names, below or in it. */
static errcode_t visit_old(struct walk *w, bfo_row dir, const struct bfo_name *n)
{
	struct bfo_merged *m = NULL;
	errcode_t err = 0;

	if (bfo_name_type(n) == (EXT2_FT_DIR | BFO_NAME_FIXED))
		m = bfo_plan_merged(w->plan, bfo_name_number(w->plan->tree, n));
	if (!m)
		return 0;
	if (m->is_met)
		return has_two_names(w->plan, m);
	m->is_met = 1;
	note_place(w, dir, m->row, n);
	if (m->gained)
		err = place(w->plan, m->row);
	return err ? err : push_dir(w, m->row, 0);
}

/* A name below what does not come along: the links of its file become fewer. */
static errcode_t visit_lost(struct walk *w, const struct bfo_name *n)
{
	bfo_row row = bfo_name_row(w->plan->tree, n);
	struct bfo_inode *rec;
	int was_met;

	if (row == BFO_NONE)
		return 0;
	rec = &w->plan->tree->inodes.v[row];
	was_met = rec->state & (BFO_INODE_MET | BFO_INODE_PLACED | BFO_INODE_EXISTS);
	rec->state |= BFO_INODE_MET;
	if (S_ISDIR(rec->mode))
		return was_met ? 0 : push_dir(w, row, 1);
	lose_link(rec);
	return 0;
}

/* True if ".." of directory REC does not lead to the directory DIR that holds its name. */
static int has_strange_parent(const struct bfo_tree *t, const struct bfo_inode *rec, bfo_row dir)
{
	return !(rec->state & BFO_INODE_LANDED) && bfo_dotdot(rec) &&
	       bfo_dotdot(rec) != t->inodes.v[dir].ino;
}

/* A device that is not wanted is told of once, whatever names it has. */
static void leave_device(struct bfo_plan *plan, struct bfo_inode *rec)
{
	if (!plan->no_devices || rec->state & BFO_INODE_BAD ||
	    !(S_ISCHR(rec->mode) || S_ISBLK(rec->mode)))
		return;
	rec->state |= BFO_INODE_BAD;
	plan->devices_left++;
}

static errcode_t visit(struct walk *w, bfo_row dir, struct bfo_name *n)
{
	struct bfo_tree *t = w->plan->tree;
	enum bfo_finding_kind kind;
	struct bfo_inode *rec, *holder;
	errcode_t err = 0;
	bfo_row row;

	if (bfo_name_is_fixed(n))
		return visit_old(w, dir, n);
	row = bfo_name_row(t, n);
	if (row == BFO_NONE)
		return 0;
	rec = &t->inodes.v[row];
	leave_device(w->plan, rec);
	kind = bfo_loss_of_all(w->plan, rec);
	if (kind != BFO_FOUND_KINDS && !(rec->state & BFO_INODE_BAD))
		err = drop(w, rec, kind);
	if (err)
		return err;
	if (rec->state & BFO_INODE_BAD) {
		rec->state |= BFO_INODE_MET;
		bfo_name_kill(n);
		return 0;
	}
	if (S_ISDIR(rec->mode) && rec->state & (BFO_INODE_PLACED | BFO_INODE_EXISTS)) {
		err = bfo_tree_found_known(t, BFO_FOUND_DIR_TWICE, n);
		bfo_name_kill(n);
		return err;
	}
	if (is_refused(w, n))
		return drop_name(w, n, BFO_LOST_NAME);
	holder = S_ISDIR(rec->mode) ? &t->inodes.v[dir] : rec;
	if (is_full(w->plan, holder))
		return drop_excess(w, n);
	if (S_ISDIR(rec->mode) && has_strange_parent(t, rec, dir))
		err = bfo_tree_found(t, BFO_FOUND_DOTS, rec->ino, 0);
	if (!(rec->state & (BFO_INODE_PLACED | BFO_INODE_LANDED)))
		rec->name = n - t->names.v;	/* one that is copied */
	if (!err && !(rec->state & BFO_INODE_PLACED))
		err = place(w->plan, row);
	holder->links++;
	if (err || !S_ISDIR(rec->mode))
		return err;
	note_place(w, dir, row, n);
	return push_dir(w, row, 0);
}

static errcode_t walk_all(struct walk *w)
{
	struct bfo_tree *t = w->plan->tree;
	errcode_t err = 0;

	while (w->stack.n && !err) {
		struct frame *f = &w->stack.v[w->stack.n - 1];
		struct bfo_name *n;

		if (f->names.next == f->names.end) {
			w->lost.n = f->lost;
			w->stack.n--;
			if (bfo_cancelled(w->plan->ctx))
				err = bfo_fail(w->plan->ctx, BFO_ET_CANCELLED, "planning");
			continue;
		}
		bfo_names_ask_record(t, f->names.next, f->names.end);
		n = &t->names.v[bfo_listing_next(t, &f->names)];
		err = f->is_lost ? visit_lost(w, n) : visit(w, f->dir, n);
	}
	return err;
}

BFO_SORT_BY(by_ino, struct bfo_merged, ino)

errcode_t bfo_plan_order(struct bfo_plan *plan)
{
	struct walk w = { .plan = plan };
	struct bfo_merged *m;
	errcode_t err = 0;

	if (plan->merged.n)
		qsort(plan->merged.v, plan->merged.n, sizeof(*plan->merged.v), by_ino);
	m = bfo_plan_merged(plan, plan->tree->inodes.v[plan->root].new_ino);
	plan->tree->inodes.v[plan->root].name = BFO_NONE;
	if (!m)
		return bfo_fail(plan->ctx, BFO_ET_CHANGED, "merging the root directories");
	m->is_met = 1;
	if (m->gained || plan->whole)
		err = place(plan, plan->root);
	if (!err)
		err = push_dir(&w, plan->root, 0);
	if (!err)
		err = walk_all(&w);
	bfo_vec_free(&w.stack);
	bfo_vec_free(&w.lost);
	return err;
}

void bfo_plan_leave_out(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	size_t i, kept = 0, early = 0;

	for (i = 0; i < t->names.n; i++) {
		struct bfo_name *n = &t->names.v[i];

		if (bfo_name_is_dead(t, n))
			bfo_name_kill(n);
	}
	for (i = 0; i < plan->order.n; i++) {
		struct bfo_inode *rec = &t->inodes.v[plan->order.v[i]];

		if (rec->state & BFO_INODE_BAD) {
			rec->state = (rec->state & ~BFO_INODE_PLACED) | BFO_INODE_MET;
			plan->files--;
			early += i < plan->source_first;
			continue;
		}
		plan->order.v[kept++] = plan->order.v[i];
	}
	plan->order.n = kept;
	plan->source_first -= early;
}

/* True if a finding is about something that was asked for. */
static int concerns(const struct bfo_tree *t, const struct bfo_finding *f)
{
	bfo_row row = bfo_tree_find(t, f->len == BFO_NO_NAME ? f->ino : f->dir);

	if (f->len != BFO_NO_NAME && !f->dir)
		return 1;			/* in a directory that the plan made */
	return row != BFO_NONE && t->inodes.v[row].state &
	       (BFO_INODE_PLACED | BFO_INODE_EXISTS | BFO_INODE_MET);
}

static void drop_foreign(struct bfo_tree *t)
{
	size_t i, kept = 0;

	for (i = 0; i < t->findings.n; i++)
		if (concerns(t, &t->findings.v[i]))
			t->findings.v[kept++] = t->findings.v[i];
	t->findings.n = kept;
}

/* What no name leads to may never have been an inode. */
static void drop_nameless(struct bfo_tree *t)
{
	size_t i, kept = 0;
	bfo_row row;

	for (i = 0; i < t->findings.n; i++) {
		const struct bfo_finding *f = &t->findings.v[i];

		row = f->len == BFO_NO_NAME ? bfo_tree_find(t, f->ino) : BFO_NONE;
		if (row == BFO_NONE || t->inodes.v[row].state & (BFO_INODE_PLACED |
		    BFO_INODE_EXISTS | BFO_INODE_MET) || t->inodes.v[row].name != BFO_NONE)
			t->findings.v[kept++] = *f;
	}
	t->findings.n = kept;
}

/* Attribute values have no names; and what is encrypted may lie in what could not be copied. */
static int has_other_reason(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	return rec->flags & EXT4_EA_INODE_FL || bfo_loss_of_all(plan, rec) != BFO_FOUND_KINDS;
}

/* REC has as many names, N, as its link count says. */
static int is_counted(const struct bfo_inode *rec, uint32_t n)
{
	return rec->links_read == (n < UINT16_MAX ? n : UINT16_MAX);
}

/* Of what is copied in part: all names in the source are known, but not all of them are copied. */
static errcode_t audit_part(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (rec->ino && !(rec->state & (BFO_INODE_EXISTS | BFO_INODE_MADE)) &&
		    !S_ISDIR(rec->mode) && !is_counted(rec, bfo_name_count(rec)))
			err = bfo_tree_found(t, BFO_FOUND_LINK_COUNT, rec->ino, 0);
	}
	return err;
}

/* Only a whole copy has met all names, so only then do missing ones mean anything. */
errcode_t bfo_plan_audit(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	errcode_t err = 0;
	size_t i;

	if (!plan->whole || plan->filtered) {
		drop_foreign(t);
		err = audit_part(plan);
		return err ? err : bfo_plan_links_outside(plan);
	}
	if (t->unsure)
		drop_nameless(t);
	for (i = 0; i < t->inodes.n && !err; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		if (rec->state & (BFO_INODE_BAD | BFO_INODE_EXISTS) || has_other_reason(plan, rec))
			continue;
		if (!(rec->state & (BFO_INODE_PLACED | BFO_INODE_MET)))
			err = t->unsure ? 0 : bfo_tree_found(t, BFO_FOUND_UNREACHED, rec->ino, 0);
		else if (rec->state & BFO_INODE_PLACED && !S_ISDIR(rec->mode) &&
			 !is_counted(rec, rec->links))
			err = bfo_tree_found(t, BFO_FOUND_LINK_COUNT, rec->ino, 0);
	}
	return err;
}
