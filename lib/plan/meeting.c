// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meeting.c - files of the target whose names are to lead to what is copied
 *
 * In the directory nothing but the number and the type of one entry changes.  It is written anew,
 * as one that gains a name is.
 *
 * What turns out later not to be copied, as the target cannot hold it or as it cannot be read,
 * takes nothing's place.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "plan/itrees.h"
#include "plan/plan.h"
#include "tree/access.h"

void bfo_plan_displace(struct bfo_plan *plan, struct bfo_meeting *m)
{
	struct bfo_name *names = plan->tree->names.v;
	struct bfo_merged *dir = &plan->merged.v[m->merged];

	names[m->place] = names[m->name];
	names[m->place].dir = dir->row;
	dir->gained++;
	plan->replaced += !bfo_plan_is_container(plan, bfo_name_row(plan->tree, &names[m->name]));
	m->is_displaced = 1;
}

void bfo_plan_stay(struct bfo_plan *plan, const struct bfo_meeting *m)
{
	bfo_name_kill(&plan->tree->names.v[m->name]);
	plan->filtered = 1;
	plan->skipped++;
}

BFO_SORT_BY(by_ino, struct bfo_displaced_inode, ino)

/* Each inode once, with the number of its names. */
static void join(struct bfo_displaced *d)
{
	size_t i, n = 0;

	if (d->inodes.n)
		qsort(d->inodes.v, d->inodes.n, sizeof(*d->inodes.v), by_ino);
	for (i = 0; i < d->inodes.n; i++)
		if (n && d->inodes.v[n - 1].ino == d->inodes.v[i].ino)
			d->inodes.v[n - 1].names++;
		else
			d->inodes.v[n++] = d->inodes.v[i];
	d->inodes.n = n;
}

errcode_t bfo_plan_settle(struct bfo_plan *plan)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->meetings.n && !err; i++) {
		const struct bfo_meeting *m = &plan->meetings.v[i];
		struct bfo_name *n = &plan->tree->names.v[m->place];

		if (!m->is_displaced)
			continue;
		if (!bfo_name_is_killed(n)) {
			err = bfo_vec_push(&plan->displaced.inodes, (struct bfo_displaced_inode) {
					   .ino = m->ino, .names = 1 });
			continue;
		}
		bfo_name_fix(n, m->ino, m->type);
		plan->replaced--;
	}
	join(&plan->displaced);
	plan->meetings.n = 0;
	return err;
}
