// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pass4.c - writing the container
 *
 * Every block once, where nothing is; then a transaction, after which the name leads there, and the
 * blocks there were are free.
 */
#include "base/bfo_err.h"
#include "commit/itrees_change.h"
#include "e2itree.h"

errcode_t pass4(struct job *j)
{
	errcode_t err;

	say_pass(j, 4, "Writing /" ITREE_NAME);
	j->writing = 1;
	err = bfo_job_commit(&j->work);
	j->fate = j->work.stats.fate;
	j->blocks = j->work.itrees.plan.header.blocks;
	j->written.requests = j->work.stats.write_requests;
	j->written.blocks = j->work.stats.write_blocks;
	if (!err)
		j->status |= EXIT_CHANGED;
	return err;
}

errcode_t pass4_refresh(struct job *j)
{
	bfo_container_catalogue dirs = { 0 };
	const struct dir *d;
	errcode_t err = 0;
	size_t i;

	say_pass(j, 4, "Writing /" ITREE_NAME);
	for (i = 0; i < j->trees.n && !err; i++) {
		struct itree_dir t = j->trees.v[i].dir;

		d = job_dir(j, t.ino);
		t.version = d->version;
		t.ctime = d->ctime;
		t.ctime_nsec = d->ctime_nsec;
		err = bfo_vec_push(&dirs, t);
	}
	j->old.header.min_entries = j->opt.min;
	j->writing = !err;
	if (!err)
		err = bfo_itrees_refresh(&j->old, dirs.v, NULL, j->now, j->opt.undo_file,
					 &j->written);
	j->fate = j->written.fate;
	bfo_vec_free(&dirs);
	if (!err)
		j->status |= EXIT_CHANGED;
	return err;
}
