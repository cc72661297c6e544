// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replace.c - files of a target that what is copied takes the names of
 *
 *   meetings ── inodes of both sides ── stays, clash, or the name changes hands ── order ──
 *                                                     what is given back (gather/displaced)
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/attrs.h"
#include "job/replace.h"
#include "tree/access.h"

/* A file of either side, sort key first. */
struct met {
	uint32_t ino;
	int is_seen;			/* it is in use */
	struct timespec mtime;
	enum bfo_clash_kind clash;	/* the target's: why it cannot be replaced, or KINDS */
};

typedef BFO_VEC(struct met) met_files;

struct replacing {
	struct bfo_job *job;
	struct bfo_volume *vol;
	uint32_t inode_size;		/* bytes, of the side that is read */
	met_files *reading;		/* that side's */
	met_files old, new;
};

/* A container of indexes gives way to another one, whatever becomes of files. */
static int is_container(const struct replacing *d, const struct bfo_meeting *m)
{
	const struct bfo_tree *t = &d->job->tree;

	return bfo_plan_is_container(&d->job->plan, bfo_name_row(t, &t->names.v[m->name]));
}

static uint32_t new_number(const struct replacing *d, const struct bfo_meeting *m)
{
	const struct bfo_tree *t = &d->job->tree;

	return t->inodes.v[bfo_name_row(t, &t->names.v[m->name])].ino;
}

/* The numbers of both sides, each once, ascending. */
static errcode_t list(struct replacing *d, int is_old, bfo_numbers *inos)
{
	const struct bfo_plan *plan = &d->job->plan;
	met_files *files = is_old ? &d->old : &d->new;
	errcode_t err = 0;
	size_t i;

	inos->n = 0;
	for (i = 0; i < plan->meetings.n && !err; i++)
		if (is_old || !is_container(d, &plan->meetings.v[i]))
			err = bfo_vec_push(inos, is_old ? plan->meetings.v[i].ino :
					   new_number(d, &plan->meetings.v[i]));
	inos->n = bfo_sort_unique(inos->v, inos->n);
	for (i = 0; i < inos->n && !err; i++)
		err = bfo_vec_push(files, (struct met) { .ino = inos->v[i],
							 .clash = BFO_CLASH_KINDS });
	d->reading = files;
	return err;
}

static struct met *find(met_files *files, uint32_t ino)
{
	return &files->v[bfo_vec_lower(files, ino, ino)];
}

static enum bfo_clash_kind clash_of(uint32_t flags)
{
	return flags & (EXT2_IMMUTABLE_FL | EXT2_APPEND_FL) ? BFO_CLASH_SEALED :
	       flags & EXT4_ENCRYPT_FL ? BFO_CLASH_ENCRYPTED :
	       flags & EXT4_VERITY_FL ? BFO_CLASH_VERITY : BFO_CLASH_KINDS;
}

/* For a walk over either side. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct replacing *d = priv;
	struct met *f = find(d->reading, ino);
	struct bfo_attrs attrs;

	bfo_attrs_read(raw, d->inode_size, &attrs);
	f->mtime = bfo_attrs_time(&attrs, BFO_MTIME);
	f->clash = clash_of(attrs.flags);
	f->is_seen = !S_ISDIR(attrs.mode) && !(attrs.flags & EXT4_EA_INODE_FL);
	return 0;
}

static errcode_t check_old(const struct replacing *d)
{
	size_t i;

	for (i = 0; i < d->old.n; i++)
		if (!d->old.v[i].is_seen || bfo_volume_is_system_inode(d->vol, d->old.v[i].ino))
			return bfo_fail(d->job->ctx, BFO_ET_UNHEALTHY, "looking at inode %u of "
					"%s, which is to be replaced: it is no file; please run "
					"e2fsck -f %s first", d->old.v[i].ino, d->vol->spec,
					d->vol->spec);
	return 0;
}

static errcode_t look(struct replacing *d, struct bfo_reader *reader)
{
	struct bfo_source *from = d->job->from;
	bfo_numbers inos = { 0 };
	errcode_t err = list(d, 1, &inos);

	d->inode_size = d->vol->inode_size;
	if (!err)
		err = bfo_inode_walk(reader, inos.v, inos.n, take_inode, NULL, d);
	if (!err)
		err = check_old(d);
	if (!err && d->job->plan.over == BFO_OVER_NEWER) {
		err = list(d, 0, &inos);
		d->inode_size = from->inode_size;
		if (!err)
			err = from->ops->inodes(from, inos.v, inos.n, take_inode, NULL, d);
	}
	bfo_vec_free(&inos);
	return err;
}

static int stays(struct replacing *d, const struct bfo_meeting *m, const struct met *old)
{
	const struct timespec *new = &old->mtime;

	if (is_container(d, m))
		return 0;
	if (d->job->plan.over == BFO_OVER_NEWER)
		new = &find(&d->new, new_number(d, m))->mtime;
	return bfo_over_stays(d->job->plan.over, new, &old->mtime);
}

static errcode_t decide(struct replacing *d, struct bfo_meeting *m)
{
	struct bfo_plan *plan = &d->job->plan;
	struct met *old = find(&d->old, m->ino);
	enum bfo_clash_kind clash = clash_of(plan->merged.v[m->merged].flags);

	if (stays(d, m, old)) {
		bfo_plan_stay(plan, m);
		return 0;
	}
	if (clash == BFO_CLASH_SEALED)
		clash = BFO_CLASH_SEALED_ABOVE;
	else	/* a container is sealed as it should be */
		clash = is_container(d, m) ? BFO_CLASH_KINDS : old->clash;
	if (clash != BFO_CLASH_KINDS)
		return bfo_vec_push(&plan->clashes, (struct bfo_clash) { .name = m->name,
									 .kind = clash });
	bfo_plan_displace(plan, m);
	return 0;
}

errcode_t bfo_job_replace(struct bfo_job *job, struct bfo_volume *vol)
{
	struct replacing d = { .job = job, .vol = vol };
	struct bfo_plan *plan = &job->plan;
	struct bfo_reader reader;
	errcode_t err;
	size_t i;

	if (!plan->meetings.n)
		return 0;
	err = bfo_reader_init(&reader, job->ctx, vol, job->config.read_gap);
	if (!err)
		err = look(&d, &reader);
	for (i = 0; i < plan->meetings.n && !err; i++)
		err = decide(&d, &plan->meetings.v[i]);
	bfo_reader_free(&reader);
	bfo_vec_free(&d.old);
	bfo_vec_free(&d.new);
	return err;
}

errcode_t bfo_job_displace(struct bfo_job *job, struct bfo_volume *vol)
{
	struct bfo_reader reader;
	errcode_t err = bfo_plan_settle(&job->plan);

	if (err || !job->plan.displaced.inodes.n)
		return err;
	err = bfo_reader_init(&reader, job->ctx, vol, job->config.read_gap);
	if (!err)
		err = bfo_displaced_gather(&reader, &job->plan.displaced);
	bfo_reader_free(&reader);
	return err;
}
