// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.c - a directory of a filesystem that is mounted: its names as they all were at one moment
 *
 * It is opened by its number, through a handle as NFS servers have them: there is no path to be
 * looked for, and nothing that is mounted over it hides it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "gather/inode_check.h"
#include "gather/live.h"
#include "tree/tree.h"

#define BUFFER_BYTES (256U << 10)
#define HANDLE_INO32_GEN 1		/* the kernel's FILEID_INO32_GEN */

/* Inode number and generation, as ext4's handles have them. */
struct number {
	uint32_t ino, generation;
};

int bfo_live_open(const struct bfo_live *l, uint32_t ino, uint32_t generation)
{
	struct number number = { .ino = ino, .generation = generation };
	char room[sizeof(struct file_handle) + sizeof(number)]
		__attribute__((aligned(__alignof__(struct file_handle)))) = { 0 };
	struct file_handle *handle = (void *) room;

	handle->handle_bytes = sizeof(number);
	handle->handle_type = HANDLE_INO32_GEN;
	memcpy(handle->f_handle, &number, sizeof(number));
	return open_by_handle_at(l->root, handle, O_RDONLY | O_DIRECTORY | O_NOATIME | O_CLOEXEC);
}

/* ---- the moment ---- */

/* The change time that the kernel says; 0 if there is none any more. */
static int ctime_of(int fd, const struct bfo_live_dir *d, struct timespec *t)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_ino != d->ino || !st.st_nlink)
		return 0;
	*t = st.st_ctim;
	return 1;
}

/* Whether a change from now on is seen by the change time: if that is a second old. */
static int is_settled(const struct timespec *t)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME_COARSE, &now))
		return 0;
	return now.tv_sec > t->tv_sec + 1 ||
	       (now.tv_sec == t->tv_sec + 1 && now.tv_nsec >= t->tv_nsec);
}

/* What the inode table says of D; state BFO_LIVE_MOVING if that is not of the moment of T. */
static errcode_t read_inode(const struct bfo_live *l, struct bfo_live_dir *d,
			    const struct timespec *t)
{
	struct bfo_volume *vol = l->vol;
	char *block = malloc(vol->block_size);
	const struct ext2_inode *raw;
	uint32_t byte, size = vol->inode_size;
	uint64_t blk = bfo_volume_inode_block(vol, d->ino, &byte);
	errcode_t err = block ? bfo_volume_read(l->ctx, vol, blk, 1, block) : ENOMEM;

	if (!err) {
		raw = (void *) (block + byte);
		d->flags = ext2fs_le32_to_cpu(raw->i_flags);
		d->version = bfo_inode_version(raw, size);
		bfo_inode_ctime(raw, size, &d->ctime, &d->ctime_nsec);
		if (d->ctime == t->tv_sec && d->ctime_nsec == (uint32_t) t->tv_nsec &&
		    d->generation == ext2fs_le32_to_cpu(raw->i_generation) &&
		    bfo_inode_csum_ok(vol, d->ino, raw))
			d->state = BFO_LIVE_READ;
	}
	free(block);
	return err;
}

/* ---- names ---- */

static int is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static errcode_t take_some(const struct bfo_live *l, const char *buf, long len,
			   bfo_live_name take, void *priv)
{
	int has_type = ext2fs_has_feature_filetype(l->vol->fs->super);
	const struct dirent64 *e;
	errcode_t err = 0;
	long at;

	for (at = 0; at < len && !err; at += e->d_reclen) {
		e = (const void *) (buf + at);
		if (is_dots(e->d_name))
			continue;
		err = take(priv, e->d_ino, has_type && e->d_type != DT_UNKNOWN
			   ? bfo_dirent_type(DTTOIF(e->d_type)) : 0, e->d_name);
	}
	return err;
}

/* *DAMAGED: the kernel cannot read it. */
static errcode_t read_names(const struct bfo_live *l, int fd, bfo_live_name take, void *priv,
			    int *damaged)
{
	char *buf = malloc(BUFFER_BYTES);
	errcode_t err = buf ? 0 : ENOMEM;
	long n = 1;

	while (!err && n > 0) {
		if (bfo_cancelled(l->ctx))
			err = bfo_fail(l->ctx, BFO_ET_CANCELLED, "reading directories");
		else
			n = getdents64(fd, buf, BUFFER_BYTES);
		if (!err && n > 0)
			err = take_some(l, buf, n, take, priv);
	}
	*damaged = n < 0 && (errno == EIO || errno == EUCLEAN || errno == EBADMSG);
	if (!err && n < 0 && !*damaged && errno != ENOENT)	/* ENOENT: removed meanwhile */
		err = errno;
	free(buf);
	return err;
}

static errcode_t read_open(const struct bfo_live *l, int fd, struct bfo_live_dir *d,
			   bfo_live_name take, void *priv)
{
	struct timespec before, after;
	int damaged = 0;
	errcode_t err;

	if (!ctime_of(fd, d, &before) || !is_settled(&before))
		return 0;
	err = read_names(l, fd, take, priv, &damaged);
	if (!err)
		err = read_inode(l, d, &before);
	if (damaged)
		d->state = BFO_LIVE_DAMAGED;
	else if (!ctime_of(fd, d, &after) || after.tv_sec != before.tv_sec ||
		 after.tv_nsec != before.tv_nsec)
		d->state = BFO_LIVE_MOVING;
	return err;
}

errcode_t bfo_live_read(const struct bfo_live *l, struct bfo_live_dir *d, bfo_live_name take,
			void *priv)
{
	int fd = bfo_live_open(l, d->ino, d->generation);
	errcode_t err;

	d->state = BFO_LIVE_MOVING;
	if (fd < 0 && (errno == ESTALE || errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 && (errno == EUCLEAN || errno == EBADMSG || errno == EIO)) {
		d->state = BFO_LIVE_DAMAGED;
		return 0;
	}
	if (fd < 0)
		return bfo_fail(l->ctx, errno, "opening the directory of inode %u by its number%s",
				d->ino, errno == EPERM ? ": that takes CAP_DAC_READ_SEARCH, which "
				"root of a container has not" : "");
	err = read_open(l, fd, d, take, priv);
	close(fd);
	return err && !*l->ctx->what ? bfo_fail(l->ctx, err, "reading the directory of inode %u",
						d->ino) : err;
}
