// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outside.c - hard links that lead out of what is copied
 *
 * When only part of a source is copied, a file may have names that are not in it.  The copy is
 * then an inode of its own, with the names that are: what was asked for, and yet worth knowing.
 */
#include "plan/plan.h"
#include "tree/access.h"

errcode_t bfo_plan_links_outside(struct bfo_plan *plan)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (!S_ISDIR(rec->mode) && bfo_name_count(rec) > rec->links)
			err = bfo_vec_push(&plan->links_outside, (struct bfo_outside) {
					   .row = plan->order.v[i], .names = bfo_name_count(rec),
					   .copied = rec->links });
	}
	return err;
}
