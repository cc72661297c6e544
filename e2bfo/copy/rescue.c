// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rescue.c - e2bfo copy, of a source that cannot be read well
 *
 *   mapfile ── bad blocks ──┐
 *                           ├── gather ── order ── skip: look, leave out ── commit ── zero: report
 *   superblock or backup ───┘      `────────────────────── mapfile, as ddrescue's ────────────'
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "gather/lost.h"
#include "copy.h"
#include "e2bfo/e2bfo.h"

static int is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return a && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A mapfile may be hours of work: it is continued, not replaced. So is that of a copy to resume. */
static errcode_t begin_map(struct copy *c)
{
	const char *path = c->opt.write_mapfile;

	if (!path || access(path, F_OK) || is_same_file(c->opt.medium.mapfile, path))
		return 0;
	if (c->job.config.record)
		return c->opt.medium.mapfile ? 0 :
		       bfo_mapfile_read(&c->ctx, path, &c->opt.medium.map);
	return bfo_fail(&c->ctx, EEXIST, "writing a mapfile to %s; --mapfile %s as well "
			"continues it", path, path);
}

errcode_t rescue_open(struct copy *c)
{
	errcode_t err = begin_map(c);

	return err ? err : medium_open(&c->opt.medium, &c->ctx, c->opt.source,
				       &c->opt.common.journal, &c->job.source);
}

/* A copy that was resumed has not read what was copied before it was interrupted. */
void rescue_note_zeroes(struct copy *c)
{
	errcode_t err = 0;

	if (c->opt.medium.how.mode != BFO_MEDIA_ZERO)
		return;
	if (c->job.config.record)
		err = bfo_lost_look(&c->job.reader, &c->job.tree);
	if (!err)
		err = bfo_lost_report(&c->job.tree, &c->job.source->media.bad, BFO_UNREAD_DATA);
	if (!err)
		return;
	progress_wipe(&c->bar);
	com_err("e2bfo", err, "while finding out which data became zeroes (%s)%s", c->ctx.what,
		c->opt.dry_run ? "" : "; the copy is complete");
	c->untold = 1;
}

/* ` (/a/file, byte 4096)`, if it is known. */
static void name_owner(struct copy *c, uint64_t blk, char *out, size_t size)
{
	char path[300];
	uint64_t lblk;
	bfo_row row = bfo_lost_owner(&c->job.tree, blk, &lblk);

	*out = 0;
	if (row == BFO_NONE)
		return;
	if (bfo_job_has_plan(&c->job))
		bfo_plan_shown_path(&c->job.plan, row, path, sizeof(path));
	else
		snprintf(path, sizeof(path), "inode %u", c->job.tree.inodes.v[row].ino);
	snprintf(out, size, " (%s, bytes %" PRIu64 " to %" PRIu64 ")", path,
		 lblk * c->job.tree.block_size, (lblk + 1) * c->job.tree.block_size - 1);
}

void rescue_explain(struct copy *c, errcode_t err)
{
	char owner[360];
	const char *advice = "--on-read-error=zero or skip goes on";

	if (!err || !c->job.source || !c->job.source->media.failed || !bfo_media_is_error(err))
		return;
	if (c->opt.medium.how.mode != BFO_MEDIA_STOP)
		advice = c->opt.write_mapfile ? "this is new: start again with --mapfile" :
						"this is new: start again";
	name_owner(c, c->job.source->media.failed, owner, sizeof(owner));
	bfo_fail_add(&c->ctx, err, "%.200s; %s", owner, advice);
}

/* ---- the mapfile ---- */

static void print_map(FILE *f, const struct bfo_mapfile *map)
{
	char phase;
	const struct bfo_area *next = bfo_mapfile_next(map, &phase);
	size_t i;

	fprintf(f, "# Mapfile. Created by e2bfo version %s\n", PACKAGE_VERSION);
	fputs("# current_pos  current_status  current_pass\n", f);
	fprintf(f, "0x%08" PRIX64 "     %c               1\n", next ? next->start : 0, phase);
	fputs("#      pos        size  status\n", f);
	for (i = 0; i < map->areas.n; i++)
		fprintf(f, "0x%08" PRIX64 "  0x%08" PRIX64 "  %c\n", map->areas.v[i].start,
			map->areas.v[i].len, map->areas.v[i].status);
}

/* Writes to FD, a new file, and closes it; 0 or an error number. */
static int write_out(int fd, const struct bfo_mapfile *map)
{
	FILE *f = fdopen(fd, "w");
	int err;

	if (!f) {
		err = errno;
		close(fd);
		return err;
	}
	errno = 0;
	print_map(f, map);
	err = fflush(f) || ferror(f) || fsync(fd) ? errno ? errno : EIO : 0;
	if (fclose(f) && !err)
		err = errno;
	return err;
}

/* PATH is then either complete or as it was; 0 or an error number. */
static int replace(const char *path, const struct bfo_mapfile *map)
{
	mode_t mask = umask(0);
	char *made;
	int fd, err;

	umask(mask);
	if (asprintf(&made, "%s.XXXXXX", path) < 0)
		return ENOMEM;
	fd = mkstemp(made);
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	err = fd < 0 ? errno : write_out(fd, map);
	if (!err && rename(made, path))
		err = errno;
	if (err && fd >= 0)
		unlink(made);
	free(made);
	return err;
}

int rescue_write_map(struct copy *c)
{
	struct bfo_mapfile *map = &c->opt.medium.map;
	const struct bfo_volume *vol = c->job.source;
	errcode_t err = 0;

	if (!c->opt.write_mapfile || !vol)
		return 1;
	if (!map->areas.n)
		err = bfo_mapfile_begin(map, vol->offset + vol->store.size);
	if (!err)
		err = bfo_media_update_map(c->job.source, map);
	if (!err)
		err = replace(c->opt.write_mapfile, map);
	if (err)
		com_err("e2bfo", err, "while writing %s", c->opt.write_mapfile);
	return !err;
}
