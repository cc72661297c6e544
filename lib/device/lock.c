// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock.c - one at a time on an image file
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/bfo_err.h"
#include "device/lock.h"

/* The file behind loop device DEV, or behind the one that it is a partition of; 0 if none. */
static int read_backing_file(dev_t dev, char *path)
{
	static const char *const places[] = { "loop", "../loop" };
	char name[128];
	size_t i;
	FILE *f;
	int got = 0;

	for (i = 0; i < 2 && !got; i++) {
		snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/%s/backing_file", major(dev),
			 minor(dev), places[i]);
		f = fopen(name, "re");
		if (!f)
			continue;
		got = fgets(path, PATH_MAX, f) && strcspn(path, "\n");
		path[strcspn(path, "\n")] = 0;
		fclose(f);
	}
	return got;
}

errcode_t bfo_lock_store(struct bfo_context *ctx, const char *name, const char *path,
			 const struct bfo_store *store, int write, int *fd)
{
	struct flock lock = { .l_type = write ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET,
			      .l_start = store->start, .l_len = store->size };
	char backing[PATH_MAX];
	struct stat st;

	*fd = -1;
	if (!store->ino || stat(path, &st))
		return 0;
	if (S_ISBLK(st.st_mode) && !read_backing_file(st.st_rdev, backing))
		return 0;
	*fd = open(S_ISBLK(st.st_mode) ? backing : path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (*fd < 0 || fstat(*fd, &st) || st.st_ino != store->ino)
		return 0;		/* a file that has gone since: then it is nobody's else */
	if (!fcntl(*fd, F_OFD_SETLK, &lock) || (errno != EAGAIN && errno != EACCES))
		return 0;
	close(*fd);
	*fd = -1;
	return bfo_fail(ctx, BFO_ET_BUSY, "opening %s: another e2bfo works on it", name);
}

void bfo_lock_release(int fd)
{
	struct flock all = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	if (fd < 0)
		return;
	fcntl(fd, F_OFD_SETLK, &all);
	close(fd);
}
