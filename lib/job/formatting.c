// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * formatting.c - --mkfs: the target, before and after mke2fs(8) has been at it
 *
 *   device, image, partition ── nobody's? ── plan, on scratch files ── mke2fs ── plan moved ──┐
 *   --size: NAME             ── nobody's? ─┘                             `── NAME.XXXXXX      │
 *                                                                             copied, NAME ───'
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "commit/look.h"
#include "volume/users.h"
#include "volume/open.h"
#include "device/store.h"
#include "job/copy.h"
#include "job/unfinished.h"

static errcode_t same_volume(struct bfo_copy *c)
{
	return bfo_fail(c->ctx, BFO_ET_SAME_VOLUME, "comparing %s and %s", c->opt.source,
			c->opt.target);
}

errcode_t bfo_format_tell_busy(struct bfo_copy *c)
{
	struct bfo_what what = bfo_what_keep(c->ctx);
	struct bfo_store store;
	uint64_t offset;

	if (bfo_store_locate(c->ctx, c->opt.target, c->path, c->path_options, 0, &offset, &store))
		return BFO_ET_BUSY;
	if (c->job.source && bfo_store_overlap(&store, &c->job.source->store))
		return same_volume(c);
	if (c->job.source && !c->job.source->users.alone && store.dev == c->job.source->store.dev &&
	    store.ino == c->job.source->store.ino)
		return bfo_fail(c->ctx, BFO_ET_BUSY, "opening %s: somebody else has a part of the "
				"disk; name the partitions' own devices (losetup -P and partprobe "
				"make them)", c->opt.target);
	bfo_what_restore(c->ctx, &what);
	return BFO_ET_BUSY;
}

/* ---- who has it? ---- */

/* By anybody, this process included, which may read another part of the device? */
static errcode_t check_users(struct bfo_copy *c, const struct bfo_store *store)
{
	errcode_t err;

	bfo_users_init(&c->users, c->opt.target, c->path, 1);
	c->users.beside = c->job.source ? &c->job.source->users : NULL;
	err = bfo_users_refuse(c->ctx, &c->users, store);
	return err == BFO_ET_BUSY ? bfo_format_tell_busy(c) : err;
}

/* mke2fs would say so, too, but late, and in a way that leaves open what it has done. */
static errcode_t check_writable(struct bfo_copy *c)
{
	int fd = open(c->path, O_RDWR | O_CLOEXEC | O_NONBLOCK), read_only = 0;
	errcode_t err = fd < 0 ? errno : 0;

	if (!err && !ioctl(fd, BLKROGET, &read_only) && read_only)
		err = EROFS;		/* such a device lets itself be opened */
	if (fd >= 0)
		close(fd);
	return err ? bfo_fail(c->ctx, err, "opening %s to format it", c->opt.target) : 0;
}

/* What is there may be a copy that was interrupted: then there is something better than --force. */
static errcode_t check_empty(struct bfo_copy *c)
{
	errcode_t err = bfo_mkfs_check_empty(c->ctx, c->opt.target, &c->place), found;
	struct bfo_context ctx = { 0 };
	struct bfo_left left;

	if (err != EEXIST)
		return err;
	found = bfo_left_look(&ctx, c->opt.target, &left);
	bfo_left_free(&left);
	if (found)
		return err;
	return bfo_fail(c->ctx, err, "formatting %s: it holds a copy that was interrupted: 'e2bfo "
			"resume %s' goes on with it, 'e2bfo abort %s' gives it up (--force formats "
			"it all the same)", c->opt.target, c->opt.target, c->opt.target);
}

/* libblkid knows no archives and no streams; they may be all that somebody has. */
static errcode_t check_backup(struct bfo_copy *c)
{
	int fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *what = fd >= 0 && !c->place.offset ? bfo_end_begins_as(fd) : NULL;

	if (fd >= 0)
		close(fd);
	return !what ? 0 : bfo_fail(c->ctx, EEXIST, "formatting %s: it begins as %s does (--force "
				    "formats it all the same)", c->opt.target, what);
}

/* Refuses to format what is mounted, is the source, or holds something. */
static errcode_t check_victim(struct bfo_copy *c, const struct bfo_store *store)
{
	errcode_t err = 0;

	if (c->job.source && (bfo_store_overlap(store, &c->job.source->store) ||
			      bfo_volume_lies_on(c->job.source, store)))
		err = same_volume(c);
	if (!err)
		err = check_users(c, store);
	if (!err)
		err = check_writable(c);
	if (!err && !c->opt.force)
		err = check_empty(c);
	if (!err && !c->opt.force)
		err = check_backup(c);
	if (!err && !store->size)
		err = bfo_fail(c->ctx, BFO_ET_TOO_SMALL, "formatting %s: it is empty (--size SIZE "
			       "makes an image file of that size, with --force also in its place)",
			       c->opt.target);
	if (!err)
		err = bfo_users_lock(c->ctx, &c->users, store);
	return err;
}

/* What is there already, and may have to go. */
static errcode_t choose_old(struct bfo_copy *c)
{
	struct bfo_store store;
	errcode_t err = bfo_store_locate(c->ctx, c->opt.target, c->path, c->path_options, 1,
					 &c->place.offset, &store);

	c->place.size = store.size;
	if (!err)
		err = check_victim(c, &store);
	return err ? err : bfo_mkfs_note_sectors(&c->mkfs, c->path);
}

/* A copy to this name was interrupted: days of work, perhaps. */
static errcode_t check_unfinished(struct bfo_copy *c)
{
	struct bfo_unfinished u;
	errcode_t err = bfo_unfinished_find(c->ctx, c->opt.target, &u);

	if (!err && u.made)
		err = bfo_fail(c->ctx, EEXIST, "making image file %s: %s has %s: 'e2bfo resume "
			       "%s' goes on with it, 'e2bfo abort %s' removes it (--force begins "
			       "anew)",
			       c->opt.target, u.made, u.is_whole ? "all of a copy" :
			       "a copy that was interrupted", c->opt.target, c->opt.target);
	bfo_unfinished_free(&u);
	return err;
}

errcode_t bfo_format_choose(struct bfo_copy *c)
{
	struct stat st;
	int exists = !stat(c->path, &st);
	errcode_t err = 0;

	if (c->opt.size && !exists)
		c->fate = BFO_FATE_ABSENT;
	c->place.path = c->path;
	c->place.is_part = c->mkfs.is_part = c->path_options != NULL;
	if (c->opt.size && exists && !S_ISREG(st.st_mode))
		return bfo_fail(c->ctx, BFO_ET_OPTION, "making image file %s: --size is for "
				"image files", c->opt.target);
	if (!c->opt.size && !exists)
		return bfo_fail(c->ctx, errno, "opening %s (--size makes a new image file)",
				c->opt.target);
	if (c->opt.size && exists && !c->opt.force)
		return bfo_fail(c->ctx, EEXIST, "making image file %s (--force replaces it)",
				c->opt.target);
	if (c->opt.size && !c->opt.force)
		err = check_unfinished(c);
	if (!err && exists)
		err = choose_old(c);
	c->size = !c->opt.size ? c->place.size : c->opt.size != BFO_SIZE_MIN ? c->opt.size : 0;
	return err;
}

/* ---- from here on it changes ---- */

/* What mke2fs has made, and the plan, if there is one yet, on it. */
static errcode_t take_over(struct bfo_copy *c)
{
	char *spec = NULL;
	errcode_t err;

	if (c->made && asprintf(&spec, "file:%s", c->made) < 0)
		return bfo_fail(c->ctx, ENOMEM, "opening %s", c->made);
	err = bfo_mkfs_open(&c->mkfs, spec ? spec : c->opt.target, spec ? 0 : BFO_OPEN_LOCKED,
			&c->job.target);
	free(spec);
	if (!err && c->job.source)
		err = bfo_volume_distinct(c->ctx, c->job.source, c->job.target);
	if (err || !bfo_job_has_plan(&c->job))
		return err;
	err = bfo_job_move(&c->job, c->job.target);
	return err ? err : bfo_copy_choose_way(c);
}

/*
 * mke2fs does not notice all that it could not write: what can be read and planned with is
 * formatted.
 */
errcode_t bfo_format_target(struct bfo_copy *c)
{
	errcode_t err = 0;

	if (c->opt.size) {
		err = bfo_mkfs_create(c->ctx, c->path, c->size, &c->made);
		c->place = (struct bfo_mkfs_place) { .path = c->made, .size = c->size };
	}
	if (!err && !c->made)
		err = bfo_users_lend(c->ctx, &c->users);
	if (err)
		return err;
	c->writing = 1;
	if (!c->made)
		c->fate = BFO_FATE_PARTLY;
	err = bfo_mkfs_run(&c->mkfs, &c->place);
	if (!err)
		err = take_over(c);
	c->formatted = !err || err == BFO_ET_CANCELLED;
	if (c->formatted && !c->made)
		c->fate = BFO_FATE_BEFORE;
	return err;
}

errcode_t bfo_format_publish(struct bfo_copy *c)
{
	return c->made ? bfo_temporary_publish(c->ctx, c->made, c->path, c->opt.force) : 0;
}

static int is_worth_keeping(enum bfo_fate fate)
{
	return fate == BFO_FATE_RECORDED || fate == BFO_FATE_WAITING || fate == BFO_FATE_DONE;
}

void bfo_format_withdraw(struct bfo_copy *c)
{
	if (!c->made || is_worth_keeping(c->job.stats.fate))
		return;
	c->withdrawn = 1;
	unlink(c->made);
}

void bfo_format_release(struct bfo_copy *c)
{
	bfo_users_end(&c->users);
	bfo_mkfs_free(&c->mkfs);
	free(c->made);
}
