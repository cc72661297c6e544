// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index_file.c - the file /.e2itree of a filesystem that is mounted: found, made anew, put in place
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "export/index_file.h"
#include "itree/format.h"

#define PREFIX ITREE_NAME "."
#define NAME_BYTES (sizeof(PREFIX) + BFO_TEMPORARY_LETTERS)
#define TRIES 100
#define SLACK 64U		/* blocks that are left free: of maps, of the root directory */

static errcode_t fail(const struct bfo_index_file *f, errcode_t err, const char *doing)
{
	return bfo_fail(f->ctx, err, "%s /" ITREE_NAME " below %s", doing, f->where);
}

/* ---- flags ---- */

static int is_immutable(int fd)
{
	int flags = 0;

	return ioctl(fd, FS_IOC_GETFLAGS, &flags) || flags & FS_IMMUTABLE_FL;
}

static int set_immutable(int fd, int on)
{
	int flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		return -1;
	flags = on ? flags | FS_IMMUTABLE_FL : flags & ~(FS_IMMUTABLE_FL | FS_APPEND_FL);
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

int bfo_index_file_is_immutable(const struct bfo_index_file *f)
{
	return f->old < 0 || is_immutable(f->old);
}

/* ---- what is there ---- */

/* What nobody but root can have made, or can open. */
static int is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && !st->st_uid && !(st->st_mode & 022);
}

/* Does NAME lead to the file that ST is of? */
static int leads_to(const struct bfo_index_file *f, const char *name, const struct stat *st)
{
	struct stat now;

	return !fstatat(f->root, name, &now, AT_SYMLINK_NOFOLLOW) && now.st_dev == st->st_dev &&
	       now.st_ino == st->st_ino;
}

/*
 * Opens NAME and locks it: *FD, or -1 if there is nothing of that name.  ST: what it is.  Whoever
 * had it may have renamed or removed it meanwhile.
 */
static errcode_t take_name(const struct bfo_index_file *f, const char *name, int *fd,
			   struct stat *st)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_NOATIME | O_CLOEXEC, try;

	for (try = 0; try < TRIES; try++) {
		*fd = -1;
		if (fstatat(f->root, name, st, AT_SYMLINK_NOFOLLOW))
			return errno == ENOENT ? 0 : errno;
		if (!is_ours(st))
			return BFO_ET_EXISTS;
		*fd = openat(f->root, name, flags);
		if (*fd < 0 && errno != ENOENT)
			return errno;
		if (*fd < 0)
			continue;
		if (fstat(*fd, st))
			return errno;
		if (!is_ours(st))
			return BFO_ET_EXISTS;
		if (flock(*fd, LOCK_EX | LOCK_NB))
			return errno == EWOULDBLOCK ? BFO_ET_BUSY : errno;
		if (leads_to(f, name, st))
			return 0;
		close(*fd);
	}
	return BFO_ET_BUSY;
}

static errcode_t explain(const struct bfo_index_file *f, errcode_t err, const char *name)
{
	if (err == BFO_ET_BUSY)
		return bfo_fail(f->ctx, err, "looking at /%s below %s: another e2itree is at work "
				"on it", name, f->where);
	if (err == BFO_ET_EXISTS)
		return bfo_fail(f->ctx, err, "looking at /%s below %s: it is no file that only "
				"root can write to; " BFO_INDEX_FILE_AWAY, name, f->where);
	return bfo_fail(f->ctx, err, "looking at /%s below %s", name, f->where);
}

/* ---- what was left ---- */

static int is_temporary_name(const char *name)
{
	size_t len = strlen(PREFIX);

	return !strncmp(name, PREFIX, len) && strlen(name) == len + BFO_TEMPORARY_LETTERS &&
	       strspn(name + len, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		      "0123456789") == BFO_TEMPORARY_LETTERS;
}

/* Does it begin as a container does?  Ours are complete before they have a name. */
static int is_container(int fd)
{
	char magic[8];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "e2itree", 8);
}

/* Removes NAME, unless somebody is at work on it, or it is something else. */
static errcode_t remove_left(const struct bfo_index_file *f, const char *name)
{
	struct stat st;
	int fd = -1;
	errcode_t err = take_name(f, name, &fd, &st);

	if (!err && fd >= 0 && is_container(fd) &&
	    ((is_immutable(fd) && set_immutable(fd, 0)) || unlinkat(f->root, name, 0)))
		err = errno;
	if (fd >= 0)
		close(fd);
	if (err == BFO_ET_EXISTS)
		return 0;		/* some other file */
	return err ? explain(f, err, name) : 0;
}

static errcode_t remove_all_left(const struct bfo_index_file *f)
{
	int fd = openat(f->root, ".", O_RDONLY | O_DIRECTORY | O_NOATIME | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	errcode_t err = 0;

	if (!dir) {
		err = fail(f, errno, "looking for what was left beside");
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (e = readdir(dir)))
		if (is_temporary_name(e->d_name))
			err = remove_left(f, e->d_name);
	closedir(dir);
	return err;
}

errcode_t bfo_index_file_begin(struct bfo_index_file *f, struct bfo_context *ctx, int root,
			       const char *where)
{
	errcode_t err;

	*f = (struct bfo_index_file) { .ctx = ctx, .where = where, .root = root, .old = -1,
				       .fd = -1 };
	err = take_name(f, ITREE_NAME, &f->old, &f->was);
	return err ? explain(f, err, ITREE_NAME) : remove_all_left(f);
}

void bfo_index_file_end(struct bfo_index_file *f)
{
	if (!f->ctx)
		return;			/* it was never begun */
	if (f->fd >= 0)
		close(f->fd);
	if (f->old >= 0)
		close(f->old);
	f->fd = f->old = -1;
}

/* ---- the new one ---- */

errcode_t bfo_index_file_make(struct bfo_index_file *f, uint64_t blocks, uint32_t block_size,
			      uint64_t *free_blocks)
{
	struct statvfs fs;

	f->block_size = block_size;
	if (fstatvfs(f->root, &fs))
		return fail(f, errno, "looking for room for");
	*free_blocks = (uint64_t) fs.f_bavail * fs.f_frsize / block_size;
	if (*free_blocks < blocks + SLACK)
		return BFO_ET_NO_SPACE;
	f->fd = openat(f->root, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0 || fchmod(f->fd, 0600) || fchown(f->fd, 0, 0) ||
	    flock(f->fd, LOCK_EX | LOCK_NB))
		return fail(f, errno, "making");
	if (fallocate(f->fd, 0, 0, (off_t) blocks * block_size) && errno != EOPNOTSUPP)
		return errno == ENOSPC ? BFO_ET_NO_SPACE : fail(f, errno, "making room for");
	return 0;
}

errcode_t bfo_index_file_put(void *priv, uint32_t blk, uint32_t n, const void *blocks)
{
	struct bfo_index_file *f = priv;
	size_t size = (size_t) n * f->block_size, done = 0;
	off_t at = (off_t) blk * f->block_size;
	ssize_t wrote = 0;

	for (; done < size && wrote >= 0; done += wrote > 0 ? wrote : 0) {
		wrote = pwrite(f->fd, (const char *) blocks + done, size - done, at + done);
		f->requests++;
	}
	return wrote < 0 ? fail(f, errno, "writing") : 0;
}

/* ---- in its place ---- */

/* Gives the new file NAME in the root directory. */
static int give_name(const struct bfo_index_file *f, const char *name)
{
	return linkat(f->fd, "", f->root, name, AT_EMPTY_PATH);
}

/* Gives the new file a name of its own, which is free: NAME. */
static errcode_t name_temporarily(const struct bfo_index_file *f, char *name)
{
	int try, err;

	for (try = 0; try < TRIES; try++) {
		strcpy(name, PREFIX "XXXXXX");
		err = bfo_temporary_draw(name + strlen(PREFIX));
		if (err)
			return err;
		if (!give_name(f, name))
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* The old file gives way, and is as it was if it does not. */
static errcode_t rename_over(const struct bfo_index_file *f)
{
	int protected = is_immutable(f->old), failed = 0;
	char name[NAME_BYTES];
	errcode_t err = name_temporarily(f, name);

	if (err)
		return fail(f, err, "naming what is to become");
	if ((protected && set_immutable(f->old, 0)) ||
	    renameat(f->root, name, f->root, ITREE_NAME))
		failed = errno;
	if (!failed)
		return 0;
	unlinkat(f->root, name, 0);
	if (protected)
		set_immutable(f->old, 1);
	return fail(f, failed, "replacing");
}

errcode_t bfo_index_file_publish(struct bfo_index_file *f, int *done)
{
	errcode_t err = 0;

	*done = 0;
	if (fsync(f->fd))
		return fail(f, errno, "writing");
	if (bfo_cancelled(f->ctx))
		return fail(f, BFO_ET_CANCELLED, "replacing");
	if (f->old >= 0 && !leads_to(f, ITREE_NAME, &f->was))
		return explain(f, BFO_ET_BUSY, ITREE_NAME);
	if (f->old >= 0)
		err = rename_over(f);
	else if (give_name(f, ITREE_NAME))
		err = errno == EEXIST ? explain(f, BFO_ET_BUSY, ITREE_NAME)
				      : fail(f, errno, "naming");
	if (err)
		return err;
	*done = 1;
	if (set_immutable(f->fd, 1))
		err = fail(f, errno, "making immutable");
	if ((fsync(f->fd) || fsync(f->root)) && !err)
		err = fail(f, errno, "settling");
	return err;
}
