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
#include <limits.h>
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
#include "device/partition.h"
#include "device/spec.h"
#include "device/store.h"

#define LOOP_MAJOR 7
#define SECTOR 512
#define MAX_STEPS 8		/* partitions and loops on top of each other */

/*
 * What libblkid remembers may be of yesterday, if nobody tells it about changes: a loop device that
 * belongs to another file by now.  Tags other than these are not in the filesystem itself.
 */
static int has_tag(const char *path, const char *spec)
{
	const size_t len = strcspn(spec, "=");
	const char *name = !strncmp(spec, "UUID", len) ? "UUID" : "LABEL", *value = NULL;
	const char *wanted = spec + len + 1 + strspn(spec + len + 1, "\"'");
	blkid_probe probe;
	int same;

	if (strlen(name) != len || strncmp(spec, name, len))
		return 1;
	probe = blkid_new_probe_from_filename(path);
	if (!probe)
		return 1;			/* who opens it will say why */
	same = blkid_do_safeprobe(probe) == 0 &&
	       !blkid_probe_lookup_value(probe, name, &value, NULL) &&
	       !strncmp(value, wanted, strlen(value)) &&
	       !wanted[strlen(value) + strspn(wanted + strlen(value), "\"'")];
	blkid_free_probe(probe);
	return same;
}

/* The device of TAG among all that there are: what libblkid remembers of them is seconds old. */
static char *look_anew(const char *tag)
{
	blkid_cache cache = NULL;
	char *path = NULL;

	if (!blkid_get_cache(&cache, "/dev/null")) {
		path = blkid_get_devname(cache, tag, NULL);
		blkid_put_cache(cache);
	}
	return path;
}

/* Malloc'ed, or NULL if no device has TAG. */
static char *device_of(const char *tag)
{
	char *path = blkid_evaluate_spec(tag, NULL);

	if (path && has_tag(path, tag))
		return path;
	free(path);
	path = look_anew(tag);
	if (path && has_tag(path, tag))
		return path;
	free(path);
	return NULL;
}

errcode_t bfo_store_resolve(struct bfo_context *ctx, const char *text, char **path,
			    char **options)
{
	struct bfo_spec spec;
	errcode_t err = bfo_spec_parse(text, &spec);

	*path = *options = NULL;
	if (err)
		return err;
	if (spec.is_tag)
		*path = device_of(spec.path);
	if (spec.is_tag && !*path)
		err = bfo_fail(ctx, BFO_ET_NO_DEVICE, "looking for %s", text);
	else if (!strcmp(text, "-"))
		err = bfo_fail(ctx, ENOTBLK, "opening -: a filesystem is read and written in any "
			       "order, which standard input and output are not: name a device or a "
			       "file (file:- is a file of that name)");
	else if (!*spec.path)
		err = bfo_fail(ctx, ENOENT, "opening %s: it names nothing", text);
	if (!err && !spec.is_tag) {
		*path = spec.path;
		spec.path = NULL;
	}
	if (!err) {
		*options = spec.options;
		spec.options = NULL;
	}
	bfo_spec_free(&spec);
	return err;
}

void bfo_store_note_lack(int *err)
{
	if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
		*err = errno;
}

/* A file of DEV below /sys/dev/block/; NULL if there is none. */
static FILE *sysfs_open(dev_t dev, const char *leaf, int *err)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/%s", major(dev), minor(dev), leaf);
	f = fopen(name, "re");
	if (!f)
		bfo_store_note_lack(err);
	errno = 0;
	return f;
}

/* Reads one number from such a file; -1 if there is none. */
static int64_t sysfs_number(dev_t dev, const char *leaf, int *err)
{
	FILE *f = sysfs_open(dev, leaf, err);
	int64_t value = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%" SCNd64, &value) != 1) {
		bfo_store_note_lack(err);
		value = -1;
	}
	fclose(f);
	return value;
}

/* One step from a partition to its disk; 1 if taken. */
static int step_partition(struct bfo_store *s, int *err)
{
	unsigned int maj, min;
	int64_t start;
	FILE *f;
	int got;

	if (s->ino || sysfs_number(s->dev, "partition", err) < 0)
		return 0;
	start = sysfs_number(s->dev, "start", err);
	f = sysfs_open(s->dev, "../dev", err);
	if (!f)
		return 0;
	got = fscanf(f, "%u:%u", &maj, &min);
	if (got != 2)
		bfo_store_note_lack(err);
	fclose(f);
	if (start < 0 || got != 2)
		return 0;
	s->start += (uint64_t) start * SECTOR;
	s->dev = makedev(maj, min);
	return 1;
}

/*
 * The same for those who may not open it: everybody is told the file's name, and that may lead to
 * it.
 */
static int step_loop_by_name(struct bfo_store *s, int *err)
{
	int64_t offset = sysfs_number(s->dev, "loop/offset", err);
	FILE *f = sysfs_open(s->dev, "loop/backing_file", err);
	char path[PATH_MAX + 16];
	struct stat st;
	size_t len;

	if (!f)
		return 0;
	len = fread(path, 1, sizeof(path) - 1, f);
	fclose(f);
	path[len && path[len - 1] == '\n' ? len - 1 : len] = 0;
	if (offset < 0 || stat(path, &st) || (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode)))
		return 0;
	s->dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	s->ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
	s->start += offset;
	return 1;
}

/* One step from a loop device to the file or the device behind it; 1 if taken. */
static int step_loop(struct bfo_store *s, int *err)
{
	struct loop_info64 info;
	char name[64];
	int fd, failed;

	if (s->ino || major(s->dev) != LOOP_MAJOR)
		return 0;
	snprintf(name, sizeof(name), "/dev/loop%d", minor(s->dev) & 0xfffff);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return step_loop_by_name(s, err);
	if (fd < 0) {
		bfo_store_note_lack(err);
		return 0;
	}
	failed = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (failed)
		return 0;
	s->dev = info.lo_rdevice ? info.lo_rdevice : info.lo_device;
	s->ino = info.lo_rdevice ? 0 : info.lo_inode;
	s->start += info.lo_offset;
	return 1;
}

/* Down to the bottom; 0, or an errno. */
static int descend(struct bfo_store *s)
{
	int step, err = 0;

	for (step = 0; step < MAX_STEPS; step++)
		if (!step_partition(s, &err) && !step_loop(s, &err))
			break;
	return err;
}

errcode_t bfo_store_identify(struct bfo_context *ctx, const char *path, uint64_t offset,
			     struct bfo_store *store)
{
	struct stat st;
	uint64_t size;
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* it may be a fifo */
	if (fd < 0 || fstat(fd, &st))
		goto failed;
	size = st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(fd, BLKGETSIZE64, &size))
		goto failed;
	close(fd);
	if (S_ISDIR(st.st_mode))
		return bfo_fail(ctx, EISDIR, "opening %s", path);
	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode))
		return bfo_fail(ctx, ENOTBLK, "opening %s: neither a block device nor an image "
				"file", path);
	store->dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	store->ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
	store->start = offset;
	store->size = size > offset ? size - offset : 0;
	err = descend(store);
	return err ? bfo_fail(ctx, err, "looking for what %s is a part of", path) : 0;
failed:
	err = errno;
	if (fd >= 0)
		close(fd);
	return bfo_fail(ctx, err, "opening %s", path);
}

/* TEXT as a number that is a multiple of UNIT; -1 if it is none. */
static int read_number(const char *text, uint64_t unit, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text < '0' || *text > '9' || errno || *end || *value % unit ? -1 : 0;
}

/* What stands behind '?' in SPEC: where that begins, and *SIZE, if it says so. */
static errcode_t parse_options(struct bfo_context *ctx, const char *spec, const char *path,
			       const char *options, int writable, uint64_t *offset,
			       uint64_t *size)
{
	uint64_t number;

	if (!strncmp(options, "offset=", 7)) {
		if (!read_number(options + 7, SECTOR, offset))
			return 0;
		return bfo_fail(ctx, EINVAL, "reading the offset of %s: not a number of bytes that "
				"is a multiple of 512", spec);
	}
	if (strncmp(options, "partition=", 10))
		return bfo_fail(ctx, EINVAL, "reading the options of %s: only ?offset=BYTES and "
				"?partition=N are known (file: in front takes a name as it "
				"stands)", spec);
	if (read_number(options + 10, 1, &number) || !number || number > INT_MAX)
		return bfo_fail(ctx, EINVAL, "reading the partition of %s: not a number from 1 on",
				spec);
	return bfo_partition_find(ctx, path, number, writable, offset, size);
}

errcode_t bfo_store_locate(struct bfo_context *ctx, const char *spec, const char *path,
			   const char *options, int writable, uint64_t *offset,
			   struct bfo_store *store)
{
	uint64_t size = UINT64_MAX;
	errcode_t err = 0;

	*offset = 0;
	if (options)
		err = parse_options(ctx, spec, path, options, writable, offset, &size);
	if (!err)
		err = bfo_store_identify(ctx, path, *offset, store);
	if (!err && size < store->size)
		store->size = size;
	return err;
}

int bfo_store_overlap(const struct bfo_store *a, const struct bfo_store *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       a->start < b->start + b->size && b->start < a->start + a->size;
}

errcode_t bfo_store_of_device(dev_t dev, struct bfo_store *s)
{
	int err = 0;
	int64_t sectors = sysfs_number(dev, "size", &err);

	*s = (struct bfo_store) { .dev = dev };
	if (sectors > 0)
		s->size = (uint64_t) sectors * SECTOR;
	return err ? err : descend(s);
}

errcode_t bfo_store_is_part(dev_t dev, dev_t whole, int *is_part)
{
	struct bfo_store s = { .dev = dev };
	int step, err = 0;

	for (step = 0; step < MAX_STEPS && !s.ino && s.dev != whole; step++)
		if (!step_partition(&s, &err) && !step_loop(&s, &err))
			break;
	*is_part = !s.ino && s.dev == whole;
	return err;
}
