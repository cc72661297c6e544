// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store.c - what a name stands for
 *
 * A device node may be a partition of a disk, a loop device over a file, or a partition of a
 * loop device over a file; each step down adds an offset.  Device mapper is not looked through:
 * the exclusive open of block devices guards those.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <blkid/blkid.h>

#include "base/bfo_err.h"
#include "volume/store.h"

#define LOOP_MAJOR 7
#define MAX_STEPS 8		/* partitions and loops on top of each other */

static int is_tag(const char *spec)
{
	size_t n = strspn(spec, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return n && spec[n] == '=';
}

errcode_t bfo_store_resolve(struct bfo_context *ctx, const char *spec, char **path,
			    char **options)
{
	char *copy = strdup(spec), *mark;

	*path = *options = NULL;
	if (!copy)
		return ENOMEM;
	mark = strchr(copy, '?');
	if (mark) {
		*mark++ = 0;
		*options = strdup(mark);
		if (!*options) {
			free(copy);
			return ENOMEM;
		}
	}
	*path = copy;
	if (!is_tag(copy))
		return 0;
	*path = blkid_evaluate_spec(copy, NULL);
	free(copy);
	if (*path)
		return 0;
	free(*options);
	*options = NULL;
	return bfo_fail(ctx, BFO_ET_NO_DEVICE, "looking for %s", spec);
}

/* Reads one number from a file below /sys/dev/block/; -1 if there is none. */
static int64_t sysfs_number(dev_t dev, const char *leaf)
{
	char name[128];
	int64_t value = -1;
	FILE *f;

	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/%s", major(dev), minor(dev), leaf);
	f = fopen(name, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%" SCNd64, &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* One step from a partition to its disk; 1 if taken. */
static int step_partition(struct bfo_store *s)
{
	char name[128];
	unsigned int maj, min;
	int64_t start;
	FILE *f;
	int got;

	if (s->ino || sysfs_number(s->dev, "partition") < 0)
		return 0;
	start = sysfs_number(s->dev, "start");
	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/../dev", major(s->dev),
		 minor(s->dev));
	f = fopen(name, "re");
	if (!f)
		return 0;
	got = fscanf(f, "%u:%u", &maj, &min);
	fclose(f);
	if (start < 0 || got != 2)
		return 0;
	s->start += (uint64_t) start * 512;
	s->dev = makedev(maj, min);
	return 1;
}

/* One step from a loop device to the file behind it; 1 if taken. */
static int step_loop(struct bfo_store *s)
{
	struct loop_info64 info;
	char name[64];
	int fd, err;

	if (s->ino || major(s->dev) != LOOP_MAJOR)
		return 0;
	snprintf(name, sizeof(name), "/dev/loop%d", minor(s->dev) & 0xfffff);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	err = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (err)
		return 0;
	s->dev = info.lo_device;
	s->ino = info.lo_inode;
	s->start += info.lo_offset;
	return 1;
}

errcode_t bfo_store_identify(struct bfo_context *ctx, const char *path, uint64_t offset,
			     struct bfo_store *store)
{
	struct stat st;
	uint64_t size;
	int fd, step, err;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* it may be a fifo */
	if (fd < 0 || fstat(fd, &st))
		goto failed;
	size = st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(fd, BLKGETSIZE64, &size))
		goto failed;
	close(fd);
	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode))
		return bfo_fail(ctx, ENOTBLK, "opening %s: neither a block device nor an image "
				"file", path);
	store->dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	store->ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
	store->start = offset;
	store->size = size > offset ? size - offset : 0;
	for (step = 0; step < MAX_STEPS; step++)
		if (!step_partition(store) && !step_loop(store))
			break;
	return 0;
failed:
	err = errno;
	if (fd >= 0)
		close(fd);
	return bfo_fail(ctx, err, "opening %s", path);
}

int bfo_store_overlap(const struct bfo_store *a, const struct bfo_store *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       a->start < b->start + b->size && b->start < a->start + a->size;
}
