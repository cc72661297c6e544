// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * numbers.c - inode numbers in the target
 *
 * As a rule the free ones, ascending in the plan's order.  With keep_inodes every record keeps the
 * number it has in the source, if that is free; what the plan made, and what cannot keep its
 * number, gets one that nobody wants to keep.  With source_numbers they ascend with the source's.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bfo_err.h"
#include "base/rank.h"
#include "base/sort.h"
#include "plan/plan.h"

/* A walk over the free numbers. */
struct supply {
	const bfo_ranges *free;
	const struct bfo_rank *taken;	/* numbers to be passed over, or NULL */
	uint64_t at;			/* in run RUN */
	size_t run;
};

static int is_taken(const struct supply *s, uint64_t ino)
{
	return s->taken && s->taken->bits[ino / 64] >> ino % 64 & 1;
}

/* The next free number; there is one, as they were counted before. */
static uint32_t next_number(struct supply *s)
{
	uint64_t ino;

	do {
		if (s->at == s->free->v[s->run].len) {
			s->run++;
			s->at = 0;
		}
		ino = s->free->v[s->run].start + s->at++;
	} while (is_taken(s, ino));
	return ino;
}

static int can_keep(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	return rec->ino && !bfo_tree_member(plan->tree, rec->ino) &&
	       bfo_ranges_contain(&plan->target->free_inodes, rec->ino);
}

/* Notes the numbers that are kept; others are a loss. */
static errcode_t keep_numbers(struct bfo_plan *plan, struct bfo_rank *taken)
{
	errcode_t err = bfo_rank_init(taken, plan->target->inodes + 1);
	size_t i;

	for (i = 0; i < plan->order.n && !err; i++) {
		struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (rec->state & BFO_INODE_EXISTS)
			continue;
		rec->new_ino = 0;
		if (can_keep(plan, rec)) {
			rec->new_ino = rec->ino;
			bfo_rank_add(taken, rec->ino);
		}
	}
	return err;
}

struct numbered {
	uint32_t ino;		/* sort key; index of the record */
	bfo_row row;
};

/*
 * The records in the order of their numbers: those in the target; or, from place FIRST of the order
 * on, in the source.
 */
static errcode_t sort_by_number(struct bfo_plan *plan, int in_source, size_t first)
{
	BFO_VEC(struct numbered) all = { 0 };
	errcode_t err;
	size_t i;

	plan->by_number.n = 0;
	err = bfo_vec_reserve(&plan->by_number, plan->order.n);
	for (i = 0; i < first && !err; i++)
		plan->by_number.v[plan->by_number.n++] = plan->order.v[i];
	for (i = first; i < plan->order.n && !err; i++)
		err = bfo_vec_push(&all, (struct numbered) { in_source ?
				   bfo_plan_item(plan, i)->ino : bfo_plan_item(plan, i)->new_ino,
				   plan->order.v[i] });
	bfo_sort(all.v, all.n, sizeof(*all.v), 1);
	for (i = 0; i < all.n && !err; i++)
		plan->by_number.v[plan->by_number.n++] = all.v[i].row;
	bfo_vec_free(&all);
	return err;
}

errcode_t bfo_plan_numbers(struct bfo_plan *plan)
{
	struct supply s = { .free = &plan->target->free_inodes };
	uint64_t have = bfo_ranges_total(s.free);
	struct bfo_rank taken = { 0 };
	errcode_t err = 0;
	size_t i;

	plan->new_inodes = plan->files + plan->dirs + plan->tree->values.n;
	if (plan->new_inodes > have) {
		plan->shortage = (struct bfo_shortage) { .needed = plan->new_inodes, .free = have };
		return bfo_fail(plan->ctx, BFO_ET_NO_INODES, "planning: %u needed, %llu free, "
				"%llu missing", plan->new_inodes, (unsigned long long) have,
				(unsigned long long) (plan->new_inodes - have));
	}
	if (plan->keep_inodes) {
		err = keep_numbers(plan, &taken);
		s.taken = &taken;
	}
	plan->by_number.n = 0;
	if (!err && plan->source_numbers && !plan->keep_inodes)
		err = sort_by_number(plan, 1, plan->source_first);
	for (i = 0; i < plan->order.n && !err; i++) {
		struct bfo_inode *rec = bfo_plan_numbered(plan, i);

		if (!(rec->state & BFO_INODE_EXISTS) && !(plan->keep_inodes && rec->new_ino))
			rec->new_ino = next_number(&s);
	}
	if (!err && (plan->keep_inodes || plan->source_numbers))
		err = sort_by_number(plan, 0, 0);
	bfo_rank_free(&taken);
	return err;
}

errcode_t bfo_plan_check_numbers(struct bfo_plan *plan)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->order.n && plan->keep_inodes && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (rec->ino && !(rec->state & BFO_INODE_EXISTS) && !can_keep(plan, rec))
			err = bfo_tree_found(plan->tree, BFO_LOST_NUMBER, rec->ino, 0);
	}
	return err;
}
