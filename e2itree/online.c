// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * online.c - -w: the container of a filesystem that is mounted
 *
 * A directory's tree is taken over without a look at its names if generation, i_version and ctime
 * are those of the catalogue, by the rule of itree(5), FRESHNESS.  Else its names are read, and
 * belong to one moment (gather/live.h), or it is left out until the next run.
 *
 * The header says of s_wtime that it is 0: the kernel writes the superblock when it likes, and the
 * time that stands there now may still be there when a directory has changed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/dirblock.h"
#include "gather/live.h"
#include "plan/names.h"
#include "online.h"
#include "problem.h"

errcode_t online_begin(struct job *j)
{
	errcode_t err;

	if (geteuid())
		return bfo_fail(&j->ctx, EPERM, "indexing %s while it is mounted: only root may",
				j->opt.device);
	err = bfo_mounted_find(&j->ctx, j->opt.device, &j->mounted);
	if (!err)
		err = bfo_index_file_begin(&j->file, &j->ctx, j->mounted.root, j->mounted.where);
	if (!err && syncfs(j->mounted.root))
		err = bfo_fail(&j->ctx, errno, "having the kernel write what it has of %s",
			       j->opt.device);
	return err;
}

void online_end(struct job *j)
{
	bfo_index_file_end(&j->file);
	bfo_mounted_free(&j->mounted);
}

errcode_t online_container(struct job *j)
{
	if (j->vol->fs->super->s_state & EXT2_ERROR_FS)
		return bfo_fail(&j->ctx, BFO_ET_UNHEALTHY, "looking at %s: the kernel has found "
				"errors in it; run e2fsck -f", j->opt.device);
	if (j->file.old < 0) {
		j->old = (struct bfo_container) { .r = &j->reader };
		return BFO_ET_NO_ITREE;
	}
	return bfo_container_open(&j->reader, j->file.old, &j->old);
}

/* ---- pass 2 ---- */

/* What is never read here, or NULL. */
static const char *odd_kind(const struct dir *d)
{
	if (d->flags & EXT4_ENCRYPT_FL)
		return "it is encrypted";
	if (d->flags & EXT4_CASEFOLD_FL)
		return "it folds cases";
	return d->ino == EXT2_ROOT_INO ? "/" ITREE_NAME " stands in it, and is replaced" : NULL;
}

char *online_path(const struct job *j, uint32_t ino)
{
	const struct bfo_live live = { .root = j->mounted.root };
	const struct dir *d = job_dir(j, ino);
	size_t root = strlen(j->mounted.where);
	int fd = d && !odd_kind(d) ? bfo_live_open(&live, ino, d->generation) : -1;
	char link[40], path[PATH_MAX], *out = NULL;
	ssize_t n;

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (n <= 0)
		return NULL;
	path[n] = 0;
	root = root > 1 ? root : 0;	/* "/" is before all */
	if ((size_t) n >= root && !memcmp(path, j->mounted.where, root))
		out = strdup(path[root] ? path + root : "/");
	return out;
}

/* Is tree T still right?  TRUSTED: the times and versions of the catalogue say so. */
static int is_unchanged(const struct dir *d, const struct tree *t, int trusted)
{
	return trusted && t && !t->damage && d->generation == t->dir.generation &&
	       d->version == t->dir.version && d->ctime == t->dir.ctime &&
	       d->ctime_nsec == t->dir.ctime_nsec;
}

static void leave_out(struct job *j, struct dir *d, const char *odd)
{
	struct about about = { .ino = d->ino, .text = odd };

	d->known = KNOWN_NOT;
	if (!odd)
		problem(j, PR_2_RECENT, &about);
	else if (j->opt.verbose || j->opt.json)
		problem(j, PR_2_LEFT_OUT, &about);
}

/* (Containers of -w, whose header has no time, have no tree that was young.) */
int online_is_young(const struct job *j, const struct itree_dir *t)
{
	int64_t noted = j->old.header.wtime, written = j->file.was.st_mtim.tv_sec;
	int64_t late = noted > written ? noted : written;

	return noted && late < t->ctime + 1 + !!t->ctime_nsec && j->now > t->ctime + 1;
}

struct reading {
	struct job *j;
	struct dir *d;
};

static errcode_t take_name(void *priv, uint32_t ino, uint32_t type, const char *name)
{
	struct reading *r = priv;
	struct dir *d = r->d;
	uint32_t len = strlen(name), hash, minor;

	bfo_text_hash(&r->j->work.free, d->flags, name, len, NULL, &hash, &minor);
	d->names++;
	d->bytes += bfo_dirent_bytes(len);
	d->set_hash += itree_name_digest(ino, name, len);
	return bfo_itree_name_add(r->j->names, d->ino, ino, hash, type, name, len);
}

static errcode_t read_dir(struct job *j, struct dir *d)
{
	const struct bfo_live live = { .ctx = &j->ctx, .vol = j->vol, .root = j->mounted.root };
	struct bfo_live_dir now = { .ino = d->ino, .generation = d->generation };
	struct reading r = { .j = j, .d = d };
	struct about about = { .ino = d->ino };
	errcode_t err = bfo_live_read(&live, &now, take_name, &r);

	if (err)
		return err;
	if (now.state == BFO_LIVE_DAMAGED) {
		d->damaged = 1;
		problem(j, PR_2_DIR_DAMAGED, &about);
	} else if (now.state == BFO_LIVE_MOVING || now.flags != d->flags) {
		leave_out(j, d, NULL);
	}
	d->version = now.version;
	d->ctime = now.ctime;
	d->ctime_nsec = now.ctime_nsec;
	return 0;
}

static errcode_t look_at(struct job *j, struct dir *d, int trusted)
{
	const struct tree *t = job_tree(j, d->ino);
	const char *odd = odd_kind(d);

	if (is_unchanged(d, t, trusted) && (odd || !j->opt.force)) {
		d->known = KNOWN_BY_TREE;
		d->names = t->dir.entries;
		d->set_hash = t->dir.set_hash;
		d->bytes = t->bytes;
		return 0;
	}
	if (!odd)
		return read_dir(j, d);
	leave_out(j, d, odd);
	return 0;
}

errcode_t online_pass2(struct job *j)
{
	int trusted = j->has_old > 0 && j->takes_over &&
		      bfo_container_freshness(&j->old, j->vol) != BFO_ITREE_UNKNOWN;
	errcode_t err = bfo_extsort_open(&j->names, 3, j->opt.memory, j->ctx.temp_dir);
	size_t i;

	say_pass(j, 2, "Reading directories");
	if (err)
		return bfo_fail(&j->ctx, err, "making room for names");
	for (i = 0; i < j->dirs.n && !err; i++) {
		bfo_progress_report(&j->ctx, BFO_STAGE_NAMES, i, j->dirs.n, 0);
		err = look_at(j, &j->dirs.v[i], trusted);
	}
	return err;
}

/* ---- passes 3 and 4 ---- */

static errcode_t plan(struct job *j, struct bfo_itrees *it, const struct bfo_itree_source *from)
{
	const struct ext2_super_block *sb = j->vol->fs->super;
	uint64_t free_blocks = 0;
	errcode_t err;

	bfo_itrees_header(&it->header, &j->work.free);
	it->header.min_entries = j->opt.min;
	it->header.lastcheck = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	err = pass3_list(j, it);
	if (!err)
		err = bfo_extsort_finish(j->names);
	if (!err)
		err = bfo_itrees_measure(&j->ctx, it, from);
	if (!err)
		err = bfo_index_file_make(&j->file, it->header.blocks, it->header.block_size,
					  &free_blocks);
	return err == BFO_ET_NO_SPACE ? tell_no_space(j, err, free_blocks) : err;
}

errcode_t online_rebuild(struct job *j)
{
	struct bfo_itrees *it = &j->work.itrees.plan;
	const struct bfo_itree_source from = { .names = j->names, .old = &j->old };
	const struct bfo_itree_sink to = { .put = bfo_index_file_put, .priv = &j->file };
	errcode_t err = plan(j, it, &from);
	int done = 0;

	if (err)
		return err;
	say_pass(j, 4, "Writing /" ITREE_NAME);
	err = bfo_itrees_build(&j->ctx, it, &from, &to);
	if (!err)
		err = bfo_index_file_publish(&j->file, &done);
	if (done)
		j->status |= EXIT_CHANGED;
	j->blocks = it->header.blocks;
	j->written.requests = j->file.requests;
	j->written.blocks = it->header.blocks;
	return err;
}
