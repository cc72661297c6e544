// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rescue.c - a copy of a source that cannot be read well
 *
 *   mapfile ── bad blocks ──┐
 *                           ├── gather ── order ── skip: look, leave out ── commit ── zero: report
 *   superblock or backup ───┘      `────────────────────── mapfile, as ddrescue's ────────────'
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "gather/lost.h"
#include "job/copy.h"
#include "tree/path.h"

static int is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return a && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A mapfile may be hours of work: it is continued, not replaced. So is that of a copy to resume. */
static errcode_t begin_map(struct bfo_copy *c)
{
	const char *path = c->opt.write_mapfile;

	if (!path || access(path, F_OK) || is_same_file(c->opt.medium.mapfile, path))
		return 0;
	if (c->job.config.record)
		return c->opt.medium.mapfile ? 0 :
		       bfo_mapfile_read(c->ctx, path, &c->opt.medium.map);
	return bfo_fail(c->ctx, EEXIST, "writing a mapfile to %s; --mapfile %s as well "
			"continues it", path, path);
}

errcode_t bfo_rescue_open(struct bfo_copy *c)
{
	errcode_t err = begin_map(c);

	return err ? err : bfo_medium_open(&c->opt.medium, c->ctx, c->opt.source,
				       &c->opt.journal, &c->job.source);
}

/*
 * A copy that was resumed has not read what was copied before it was interrupted.  (A source that
 * is no volume has noted what it could not read.)
 */
void bfo_rescue_note_zeroes(struct bfo_copy *c)
{
	errcode_t err = 0;

	if (c->opt.medium.how.mode != BFO_MEDIA_ZERO || !c->job.source)
		return;
	if (c->job.config.record)
		err = bfo_lost_look(c->job.from, &c->job.tree);
	if (!err)
		err = bfo_lost_report(&c->job.tree, c->job.from, BFO_UNREAD_DATA);
	c->untold = err;
	c->untold_what = bfo_what_keep(c->ctx);
}

/* ` (/a/file, byte 4096)`, if it is known. */
static void name_owner(struct bfo_copy *c, uint64_t blk, char *out, size_t size)
{
	char path[300];
	uint64_t lblk;
	bfo_row row = bfo_lost_owner(&c->job.tree, blk, &lblk);

	*out = 0;
	if (row == BFO_NONE)
		return;
	if (bfo_job_has_plan(&c->job))
		bfo_tree_shown_path(&c->job.tree, row, path, sizeof(path));
	else
		snprintf(path, sizeof(path), "inode %u", c->job.tree.inodes.v[row].ino);
	snprintf(out, size, " (%s, bytes %" PRIu64 " to %" PRIu64 ")", path,
		 lblk * c->job.tree.block_size, (lblk + 1) * c->job.tree.block_size - 1);
}

/* Of a stream in a file whose tree is whole, the rest can be had. */
static void explain_stream(struct bfo_copy *c, errcode_t err)
{
	if ((err == BFO_ET_STREAM_DAMAGED || err == BFO_ET_STREAM_CUT) &&
	    c->end.kind == BFO_END_STREAM && bfo_job_has_plan(&c->job) &&
	    !bfo_copy_comes_once(c))
		bfo_fail_add(c->ctx, err, "; --on-read-error=zero or skip goes on");
}

void bfo_copy_explain(struct bfo_copy *c, errcode_t err)
{
	char owner[360];
	const char *advice = "--on-read-error=zero or skip goes on";

	explain_stream(c, err);
	if (!err || !c->job.source || !c->job.source->media.failed || !bfo_media_is_error(err))
		return;
	if (c->opt.medium.how.mode != BFO_MEDIA_STOP)
		advice = c->opt.write_mapfile ? "this is new: start again with --mapfile" :
						"this is new: start again";
	name_owner(c, c->job.source->media.failed, owner, sizeof(owner));
	bfo_fail_add(c->ctx, err, "%.200s; %s", owner, advice);
}

/* ---- the mapfile ---- */

static errcode_t add_line(bfo_chars *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static errcode_t add_line(bfo_chars *out, const char *fmt, ...)
{
	char line[128];
	va_list ap;
	int len;
	errcode_t err;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	err = bfo_vec_reserve(out, len);
	if (err)
		return err;
	memcpy(out->v + out->n, line, len);
	out->n += len;
	return 0;
}

/* The text of MAP, as ddrescue(1) writes it. */
static errcode_t format_map(bfo_chars *out, const struct bfo_mapfile *map)
{
	char phase;
	const struct bfo_area *next = bfo_mapfile_next(map, &phase);
	errcode_t err;
	size_t i;

	err = add_line(out, "# Mapfile. Created by e2bfo version %s\n"
		       "# current_pos  current_status  current_pass\n", PACKAGE_VERSION);
	if (!err)
		err = add_line(out, "0x%08" PRIX64 "     %c               1\n"
			       "#      pos        size  status\n", next ? next->start : 0, phase);
	for (i = 0; i < map->areas.n && !err; i++)
		err = add_line(out, "0x%08" PRIX64 "  0x%08" PRIX64 "  %c\n", map->areas.v[i].start,
			       map->areas.v[i].len, map->areas.v[i].status);
	return err;
}

/* 0 or an error number. */
static int write_all(int fd, const char *text, size_t len)
{
	ssize_t done;

	for (; len; text += done, len -= done) {
		done = write(fd, text, len);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done < 0)
			return errno;
	}
	return fsync(fd) ? errno : 0;
}

/* PATH is then either complete or as it was; 0 or an error number. */
static int replace(const char *path, const bfo_chars *text)
{
	char *made;
	int fd, err = bfo_temporary_make(path, &made, &fd);

	if (err)
		return err;
	err = write_all(fd, text->v, text->n);
	if (close(fd) && !err)
		err = errno;
	if (!err && rename(made, path))
		err = errno;
	if (err)
		unlink(made);
	free(made);
	return err;
}

errcode_t bfo_copy_write_map(struct bfo_copy *c)
{
	struct bfo_mapfile *map = &c->opt.medium.map;
	const struct bfo_volume *vol = c->job.source;
	bfo_chars text = { .n = 0 };
	errcode_t err = 0;

	if (!c->opt.write_mapfile || !vol)
		return 0;
	if (!map->areas.n)
		err = bfo_mapfile_begin(map, vol->offset + vol->store.size);
	if (!err)
		err = bfo_media_update_map(c->job.source, map);
	if (!err)
		err = format_map(&text, map);
	if (!err)
		err = replace(c->opt.write_mapfile, &text);
	bfo_vec_free(&text);
	return err;
}
