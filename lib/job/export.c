// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export.c - a copy to what is no volume: an archive, a directory
 *
 *   gather ── names ── look: clashes ── order ── attributes ── stem ── items and data ── named
 *
 * An archive is made beside its name, as NAME.XXXXXX; a directory names what is complete by itself
 * (export/extract.h).  Of standard output nothing can be taken back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/stand_in.h"
#include "base/temporary.h"
#include "device/store.h"
#include "export/emit.h"
#include "export/extract.h"
#include "export/send.h"
#include "export/tar.h"
#include "job/compress.h"
#include "job/copy.h"
#include "job/quotas.h"
#include "job/send_state.h"
#include "plan/stand_ins.h"

static int is_stdout(const struct bfo_copy *c)
{
	return c->goal.kind != BFO_END_VOLUME && c->goal.kind != BFO_END_DIRECTORY &&
	       !strcmp(c->goal.path, "-");
}

/* ---- opening ---- */

/* Options that ask for what another kind of target has. */
static errcode_t check_options(const struct bfo_copy *c)
{
	const struct bfo_copy_options *opt = &c->opt;
	const int is_dir = c->goal.kind == BFO_END_DIRECTORY;
	const int is_volume = !bfo_copy_exports(c);
	const int is_stream = c->goal.kind == BFO_END_STREAM;
	const struct { int is_asked; const char *text; } rows[] = {
		{ !is_volume && opt->keep_inodes, "--keep-inodes is for targets that are volumes" },
		{ !is_volume && opt->itree, "--itree is for targets that are volumes" },
		{ !is_volume && opt->verify,
		  "--verify is for targets that are volumes: e2bfo verify compares" },
		{ !is_volume && opt->trust, "--trust is for targets that are volumes" },
		{ !is_volume && opt->not_atomic,
		  "--not-atomic is for targets that are volumes" },
		{ !is_volume && opt->undo_file, "-z is for targets that are volumes" },
		{ !is_volume && opt->order.n, "--order is for targets that are volumes" },
		{ is_dir && opt->force, "--force is not for directories, --overwrite is" },
		{ (is_dir || is_volume || is_stream) && opt->is_portable,
		  "--portable is for archives" },
		{ !is_stream && opt->compress, "--compress is for streams" },
		{ !is_stream && opt->token, "--resume is for streams" },
		{ !is_stream && opt->state, "--state is for streams" },
		{ opt->state && !bfo_send_state_fits(opt),
		  "--state is for all of a directory, as it is: no --from, no --to, and no "
		  "--hard-dereference" },
		{ opt->token && opt->n_manifests,
		  "--manifest-out has to see all data, and --resume leaves some out" },
		{ !is_dir && !is_volume && opt->over,
		  "--overwrite, --skip-existing and --if-newer are not for archives and streams" },
		{ !is_dir && !is_volume && opt->no_devices,
		  "--no-devices is for volumes and directories" },
		{ !is_dir && !is_volume && opt->no_suid,
		  "--no-suid is for volumes and directories" },
		{ !is_dir && opt->n_no_xattrs, "--no-xattrs is for directories" },
		{ !is_dir && opt->metadata_out, "--metadata-out is for directories" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_asked)
			return bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: %s", opt->target,
					rows[i].text);
	return 0;
}

/* Names that say another compression: what would be made is another thing. */
static int is_misleading(const char *path)
{
	static const char *const ends[] = { ".gz", ".tgz", ".xz", ".txz", ".bz2", ".lz4", ".zip" };
	size_t i, len = strlen(path);

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (len >= strlen(ends[i]) && !strcmp(path + len - strlen(ends[i]), ends[i]))
			return 1;
	return 0;
}

/* Whether what ST is of is the archive that is the source. */
static int is_archive_read(const struct bfo_copy *c, const struct stat *st)
{
	struct stat source;
	int gone;

	if (c->end.kind != BFO_END_ARCHIVE)
		return 0;
	gone = strcmp(c->end.path, "-") ? stat(c->end.path, &source) : fstat(c->opt.in, &source);
	return !gone && source.st_dev == st->st_dev && source.st_ino == st->st_ino;
}

/* PATH, to which is written, is not to be the source, nor what that lies on (P1). */
static errcode_t check_distinct(struct bfo_copy *c, const char *path)
{
	struct bfo_store store;
	uint64_t offset;
	struct stat st;
	errcode_t err;
	int is_same;

	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
		return 0;
	is_same = is_archive_read(c, &st);
	if (c->job.source) {
		err = bfo_store_locate(c->ctx, c->opt.target, path, NULL, 0, &offset, &store);
		if (err)
			return err;
		is_same = bfo_store_overlap(&store, &c->job.source->store) ||
			  bfo_volume_lies_on(c->job.source, &store);
	}
	return !is_same ? 0 : bfo_fail(c->ctx, BFO_ET_SAME_VOLUME, "comparing %s and %s",
				       c->opt.source, c->opt.target);
}

static errcode_t check_stdout(struct bfo_copy *c)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->opt.out);
	return check_distinct(c, path);
}

static errcode_t check_file(struct bfo_copy *c)
{
	const char *what = c->goal.kind == BFO_END_STREAM ? "stream" : "archive";
	struct stat st;

	if (is_stdout(c))
		return check_stdout(c);
	if (stat(c->goal.path, &st)) {
		c->fate = BFO_FATE_ABSENT;
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return bfo_fail(c->ctx, EINVAL, "making %s %s: it exists and is no file", what,
				c->opt.target);
	if (!c->opt.force)
		return bfo_fail(c->ctx, EEXIST, "making %s %s (--force replaces it)", what,
				c->opt.target);
	return check_distinct(c, c->goal.path);
}

/* The file or directory that is read; zeroes: a device, a pipe. */
static struct bfo_extract_options keep_source(const struct bfo_copy *c)
{
	struct bfo_extract_options how = { .source_ino = 0 };
	struct stat st;

	if (c->job.source) {
		how.source_dev = c->job.source->store.dev;
		how.source_ino = c->job.source->store.ino;
	} else if (strcmp(c->end.path, "-") && !stat(c->end.path, &st)) {
		how.source_dev = st.st_dev;
		how.source_ino = st.st_ino;
	}
	return how;
}

/* True if AT is the directory HOW has, or below it; other filesystems count only if CROSSING. */
static int is_below(int at, const struct bfo_extract_options *how, int crossing)
{
	struct stat st, above;
	int fd = openat(at, ".", O_PATH | O_CLOEXEC), next, is_found = 0;

	while (fd >= 0 && !fstat(fd, &st) && (crossing || st.st_dev == how->source_dev)) {
		is_found = st.st_dev == how->source_dev && st.st_ino == how->source_ino;
		next = is_found ? -1 : openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (next < 0 || fstat(next, &above) ||
		    (above.st_dev == st.st_dev && above.st_ino == st.st_ino))
			break;
		close(fd);
		fd = next;
	}
	if (fd >= 0)
		close(fd);
	return is_found;
}

/* A directory that is read is not to be written to (P1): not PATH, of WHAT. */
static errcode_t check_outside(struct bfo_copy *c, const struct bfo_extract_options *how,
			       const char *path, const char *what)
{
	char *name = NULL;
	int at, is_inside;

	if (c->end.kind != BFO_END_DIRECTORY)
		return 0;
	at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0 && bfo_extract_above(path, &at, &name))
		return 0;		/* opening it will tell */
	is_inside = is_below(at, how, c->opt.cross_mounts);
	close(at);
	free(name);
	return !is_inside ? 0 : bfo_fail(c->ctx, EINVAL, "comparing %s and %s: the %s lies in "
					 "the source", c->opt.source, path, what);
}

static errcode_t open_directory(struct bfo_copy *c)
{
	const struct bfo_copy_options *opt = &c->opt;
	struct bfo_extract_options how = keep_source(c);
	struct stat st;
	errcode_t err = check_outside(c, &how, c->goal.path, "target");

	if (err)
		return err;
	how.path = c->goal.path;
	how.over = opt->over;
	how.no_devices = opt->no_devices;
	how.no_suid = opt->no_suid;
	how.no_xattrs = opt->no_xattrs;
	how.n_no_xattrs = opt->n_no_xattrs;
	how.metadata_out = opt->metadata_out;
	if (stat(c->goal.path, &st))
		c->fate = BFO_FATE_ABSENT;
	return bfo_extract_open(c->ctx, &how, &c->outlet);
}

/* What can be sent once more, with the same bytes. */
static int can_resume(const struct bfo_copy *c)
{
	return c->job.source || (c->end.kind == BFO_END_ARCHIVE && strcmp(c->end.path, "-")) ||
	       (c->end.kind == BFO_END_DIRECTORY && c->opt.state);
}

/* How a stream is to be made can be made so. */
static errcode_t check_stream(struct bfo_copy *c)
{
	struct bfo_stream_token token;
	int level, is_auto;

	if (c->opt.compress && !bfo_compress_read(c->opt.compress, &level, &is_auto))
		return bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: --compress is auto, none, "
				"fast, or a level from 1 to 19, not %s", c->opt.target,
				c->opt.compress);
	return c->opt.token && !bfo_stream_get_token(c->opt.token, &token) ?
	       bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: what --resume says is no token that "
			"e2bfo receive has printed", c->opt.target) : 0;
}

/* A file of --state belongs to one stream, that of a directory. */
static errcode_t check_state(struct bfo_copy *c)
{
	const struct bfo_extract_options how = keep_source(c);
	const char *state = c->opt.state;

	if (!state)
		return 0;
	if (c->end.kind != BFO_END_DIRECTORY)
		return bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: --state is for directories; "
				"other sources go on without it", c->opt.source);
	if (c->opt.state_fd)
		return 0;
	if (!c->opt.token && !access(state, F_OK))
		return bfo_fail(c->ctx, EEXIST, "making %s: it belongs to another stream, with "
				"which --resume goes on", state);
	return check_outside(c, &how, state, "file of --state");
}

/* What SOURCE turned out to be can be sent so. */
static errcode_t check_sent(struct bfo_copy *c)
{
	if (c->goal.kind != BFO_END_STREAM)
		return 0;
	if (c->opt.token && !can_resume(c))
		return bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: only a volume, an archive in "
				"a file, or a directory with --state, can be sent from the middle "
				"on", c->opt.source);
	if (c->end.kind == BFO_END_STREAM)
		return bfo_fail(c->ctx, BFO_ET_OPTION, "opening %s: it is a stream already, "
				"as e2bfo receive and cp(1) take it", c->opt.source);
	return check_state(c);
}

errcode_t bfo_export_check(struct bfo_copy *c)
{
	errcode_t err = check_options(c);

	if (err || c->goal.kind == BFO_END_VOLUME || c->goal.kind == BFO_END_DIRECTORY)
		return err;
	if (c->goal.kind == BFO_END_ARCHIVE && is_misleading(c->goal.path))
		return bfo_fail(c->ctx, BFO_ET_OPTION, "making archive %s: only .tar and .tar.zst "
				"are made; tar:- goes to any program", c->opt.target);
	if (is_stdout(c) && isatty(c->opt.out))
		return bfo_fail(c->ctx, BFO_ET_OPTION, "writing to standard output: it is a "
				"terminal");
	return c->goal.kind == BFO_END_STREAM ? check_stream(c) : 0;
}

errcode_t bfo_export_open(struct bfo_copy *c)
{
	errcode_t err = check_sent(c);

	if (err)
		return err;
	return c->goal.kind == BFO_END_DIRECTORY ? open_directory(c) : check_file(c);
}

/* ---- planning ---- */

/* For the job: the order is settled.  What is in the way? */
static errcode_t look(void *priv, struct bfo_job *job)
{
	struct bfo_copy *c = priv;
	errcode_t err = bfo_items_open(&c->items, &job->plan, job->from);
	size_t n;

	if (!err && job->config.is_archive)
		err = bfo_plan_check_stand_ins(&job->plan, bfo_stand_in_hash);
	if (!err && c->outlet)
		err = bfo_emit_look(&job->plan, &c->items, c->outlet);
	if (err || !c->outlet)
		return err;
	if (!bfo_extract_clashes(c->outlet, &n))
		return bfo_fail(c->ctx, ENOMEM, "planning");
	return !n ? 0 : bfo_fail(c->ctx, BFO_ET_CLASH, "planning: in %s, in the way of what is to "
				 "be copied: %zu%s", c->opt.target, n,
				 c->opt.over ? "" : BFO_OVER_ADVICE);
}

static errcode_t weigh(void *priv, const struct bfo_item *item)
{
	return bfo_extract_weigh(priv, item);
}

/* A directory has room for all of it, or that cannot be known. */
static errcode_t check_room(struct bfo_copy *c)
{
	errcode_t err = c->outlet ? bfo_items_walk(&c->items, weigh, c->outlet) : 0;

	return err || !c->outlet ? err : bfo_extract_room(c->outlet, &c->job.plan.shortage);
}

errcode_t bfo_export_plan(struct bfo_copy *c)
{
	errcode_t err;

	c->job.config.order = look;
	c->job.config.is_archive = c->goal.kind != BFO_END_DIRECTORY && !c->opt.is_portable;
	c->job.config.is_directory = c->goal.kind == BFO_END_DIRECTORY;
	err = bfo_job_gather(&c->job);
	if (!err)
		err = bfo_job_decide(&c->job, NULL);
	if (!err)
		err = bfo_job_place(&c->job, NULL);
	if (!err)
		err = bfo_items_complete(&c->items);
	if (!err)
		err = check_room(c);
	if (err || !c->opt.dry_run)
		return err;
	bfo_rescue_note_zeroes(c);
	return c->job.from->ops->settle(c->job.from);
}

/* ---- putting out ---- */

/* All but the blocks of the stem before FROM. */
static errcode_t emit(struct bfo_copy *c, uint64_t from)
{
	errcode_t err = bfo_manifests_begin(&c->manifests, &c->job.plan, 0);

	if (err)
		return err;
	c->writing = c->committing = 1;
	err = bfo_emit(&c->job.plan, &c->items, c->outlet, bfo_manifests_sums(&c->manifests),
		       c->opt.memory, from);
	c->job.stats.read_requests = bfo_source_requests(c->job.from);
	c->job.stats.read_blocks = bfo_source_blocks(c->job.from);
	return err ? err : bfo_copy_write_manifests(c);
}

static int is_packed(const char *name)
{
	size_t len = strlen(name);

	return len >= 4 && !strcmp(name + len - 4, ".zst");
}

static errcode_t write_archive(struct bfo_copy *c, int fd)
{
	struct bfo_tar_options how = { .fd = fd, .name = c->opt.target,
				       .is_packed = is_packed(c->goal.path),
				       .is_portable = c->opt.is_portable };
	errcode_t err = bfo_tar_open(c->ctx, &how, &c->outlet);

	if (err)
		return err;
	err = emit(c, 0);
	c->tar = bfo_tar_notes(c->outlet);
	c->tar.first = c->first_lost = c->tar.first ? strdup(c->tar.first) : NULL;
	bfo_tar_close(c->outlet);
	c->outlet = NULL;
	return err;
}

static int is_pipe(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !S_ISREG(st.st_mode);
}

#define HOLD (64U << 20)		/* bytes of a tree's frames */

/* A regular file has the same bytes each time: no pipe decides on the level. */
static errcode_t write_stream(struct bfo_copy *c, int fd)
{
	struct bfo_send_options how = { .fd = fd, .name = c->opt.target, .level = 1,
					.is_auto = is_pipe(fd), .bwlimit = c->opt.bwlimit,
					.hold = HOLD,
					.can_resume = can_resume(c), .like = bfo_copy_like(c) };
	struct bfo_quota_file quota[BFO_QUOTA_FILES] = { 0 };
	struct bfo_stream_token token;
	uint64_t from = 0;
	errcode_t err;

	err = c->opt.state && !c->opt.token ? bfo_send_state_write(c, &how) : 0;
	if (err)
		return err;
	if (c->opt.compress)
		bfo_compress_read(c->opt.compress, &how.level, &how.is_auto);
	if (c->opt.token && bfo_stream_get_token(c->opt.token, &token))
		how.resume = &token;
	err = c->job.source ? bfo_job_quotas_limits(&c->job, quota) : 0;
	if (quota[0].ino || quota[1].ino || quota[2].ino)
		how.quota = quota;
	if (!err)
		err = bfo_send_open(c->ctx, &how, &c->outlet);
	if (!err) {
		err = bfo_send_count(c->outlet, &c->items, &from);
		if (!err)
			err = emit(c, from);
		c->sent = bfo_send_notes(c->outlet);
		bfo_send_close(c->outlet);
		c->outlet = NULL;
	}
	bfo_quota_files_free(quota);
	return err;
}

static errcode_t write_file(struct bfo_copy *c, int fd)
{
	return c->goal.kind == BFO_END_STREAM ? write_stream(c, fd) : write_archive(c, fd);
}

static errcode_t make_file(struct bfo_copy *c)
{
	int fd = -1;
	errcode_t err;

	if (is_stdout(c)) {
		c->fate = BFO_FATE_SENT;
		return write_file(c, c->opt.out);
	}
	c->path = strdup(c->goal.path);
	err = c->path ? bfo_temporary_make(c->path, &c->made, &fd) : ENOMEM;
	if (err)
		return bfo_fail(c->ctx, err, "making %s", c->opt.target);
	err = write_file(c, fd);
	if (close(fd) && !err)
		err = bfo_fail(c->ctx, errno, "writing %s", c->made);
	return err;
}

errcode_t bfo_export_commit(struct bfo_copy *c)
{
	errcode_t err;

	if (c->goal.kind != BFO_END_DIRECTORY)
		return make_file(c);
	err = emit(c, 0);
	if (err && bfo_extract_give_up(c->outlet))
		c->fate = BFO_FATE_UNFINISHED;
	else if (bfo_extract_has_named(c->outlet))
		c->fate = BFO_FATE_NAMES;
	return err;
}

void bfo_export_close(struct bfo_copy *c)
{
	if (c->outlet)
		bfo_extract_close(c->outlet);
	bfo_items_free(&c->items);
	bfo_end_free(&c->goal);
	free(c->first_lost);
}
