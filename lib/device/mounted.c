// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mounted.c - a filesystem that is mounted for writing, and its root directory
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/bfo_err.h"
#include "device/mounted.h"
#include "device/mounts.h"
#include "device/store.h"

/* What mountinfo said of the device's mounts. */
struct seen {
	int any;		/* there are mounts: */
	int is_ext, whole;	/* of ext2, ext3 or ext4; of its root */
	int writable;		/* of that, for writing */
};

/* ---- what is meant ---- */

static errcode_t not_one(struct bfo_context *ctx, const char *name, const char *why)
{
	return bfo_fail(ctx, EINVAL, "looking for where %s is mounted: %s", name, why);
}

/* NAME is a directory: is something mounted there? */
static errcode_t take_mount_point(struct bfo_context *ctx, const char *name, struct bfo_mounted *m)
{
	struct statx st;

	if (statx(AT_FDCWD, name, 0, STATX_INO, &st))
		return bfo_fail(ctx, errno, "looking for where %s is mounted", name);
	m->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	if (st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT
	    ? !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT) : st.stx_ino != EXT2_ROOT_INO)
		return not_one(ctx, name, "it is no mount point");
	return 0;
}

static errcode_t identify(struct bfo_context *ctx, const char *name, struct bfo_mounted *m)
{
	char *path = NULL, *options = NULL;
	struct stat st;
	errcode_t err = 0;

	if (stat(name, &st) && errno == ENOENT) {
		err = bfo_store_resolve(ctx, name, &path, &options);
		if (!err && options)
			err = not_one(ctx, name, "a part of something cannot be named");
		else if (!err && stat(path, &st))
			err = bfo_fail(ctx, errno, "looking for where %s is mounted", name);
	}
	if (!err && S_ISBLK(st.st_mode))
		m->dev = st.st_rdev;
	else if (!err && S_ISDIR(st.st_mode))
		err = take_mount_point(ctx, path ? path : name, m);
	else if (!err)
		err = not_one(ctx, name, "it is neither a mount point nor a device");
	free(path);
	free(options);
	return err;
}

/* ---- where it is mounted ---- */

/* Takes back what the kernel does to spaces and backslashes: \040. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int c;

	for (; *text; text++)
		if (*text == '\\' && sscanf(text + 1, "%3o", &c) == 1 && strlen(text) > 3) {
			*to++ = c;
			text += 3;
		} else {
			*to++ = *text;
		}
	*to = 0;
}

/* Opens the mount point; it may be below another mount by now. */
static errcode_t open_root(struct bfo_mounted *m, const char *where)
{
	int fd = open(where, O_RDONLY | O_DIRECTORY | O_NOATIME | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || st.st_dev != m->dev || st.st_ino != EXT2_ROOT_INO) {
		close(fd);
		return 0;
	}
	m->root = fd;
	m->where = strdup(where);
	return m->where ? 0 : ENOMEM;
}

/* The path of the device: what mount(8) was told, or the kernel's name. */
static errcode_t name_device(struct bfo_mounted *m, const char *source)
{
	char path[64], line[256];
	struct stat st;
	FILE *f;

	if (*source == '/' && !stat(source, &st) && S_ISBLK(st.st_mode) && st.st_rdev == m->dev) {
		m->device = strdup(source);
		return m->device ? 0 : ENOMEM;
	}
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major(m->dev), minor(m->dev));
	f = fopen(path, "re");
	while (f && !m->device && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "DEVNAME=", 8) && asprintf(&m->device, "/dev/%s", line + 8) < 0)
			m->device = NULL;
	}
	if (f)
		fclose(f);
	return m->device ? 0 : BFO_ET_NO_DEVICE;
}

/* A line of mountinfo (mounts.c has one). */
static errcode_t take_line(struct bfo_mounted *m, struct seen *seen, char *line)
{
	char *word[6], *rest = line, *type, *source, *options;
	unsigned int maj, min;
	errcode_t err = 0;
	int i;

	for (i = 0; i < 6; i++)
		word[i] = strsep(&rest, " ");
	type = rest ? strstr(rest, "- ") : NULL;
	if (!type || sscanf(word[2], "%u:%u", &maj, &min) != 2 || makedev(maj, min) != m->dev)
		return 0;
	rest = type + 2;
	type = strsep(&rest, " ");
	source = strsep(&rest, " ");
	options = strsep(&rest, " \n");
	seen->any = 1;
	if (!options || strncmp(type, "ext", 3))
		return 0;
	seen->is_ext = 1;
	if (strcmp(word[3], "/"))
		return 0;
	seen->whole = 1;
	if (!bfo_mount_has_option(word[5], "rw") || !bfo_mount_has_option(options, "rw"))
		return 0;
	seen->writable = 1;
	unescape(word[4]);
	unescape(source);
	err = open_root(m, word[4]);
	return err || m->root < 0 ? err : name_device(m, source);
}

static errcode_t explain(struct bfo_context *ctx, const char *name, const struct seen *seen)
{
	if (!seen->any)
		return bfo_fail(ctx, BFO_ET_NO_DEVICE, "looking for where %s is mounted: nowhere "
				"that this process sees (its mount namespace); what is not mounted "
				"takes e2itree -p", name);
	if (!seen->is_ext)
		return bfo_fail(ctx, BFO_ET_NOT_EXT, "looking for where %s is mounted", name);
	if (!seen->whole)
		return bfo_fail(ctx, EXDEV, "looking for where %s is mounted: only directories "
				"below its root are; mount it somewhere as a whole", name);
	if (!seen->writable)
		return bfo_fail(ctx, EROFS, "looking for where %s is mounted", name);
	return bfo_fail(ctx, EXDEV, "looking for where %s is mounted: its root cannot be reached "
			"(something else is mounted there, or it may not be opened)", name);
}

errcode_t bfo_mounted_find(struct bfo_context *ctx, const char *name, struct bfo_mounted *m)
{
	struct seen seen = { 0 };
	char *line = NULL;
	size_t room = 0;
	errcode_t err;
	FILE *f;

	*m = (struct bfo_mounted) { .root = -1 };
	err = identify(ctx, name, m);
	if (err)
		return err;
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return bfo_fail(ctx, errno, "opening /proc/self/mountinfo");
	while (!err && m->root < 0 && getline(&line, &room, f) > 0)
		err = take_line(m, &seen, line);
	free(line);
	fclose(f);
	if (err)
		return bfo_fail(ctx, err, "looking for where %s is mounted", name);
	return m->root < 0 ? explain(ctx, name, &seen) : 0;
}

void bfo_mounted_free(struct bfo_mounted *m)
{
	if (m->where && m->root >= 0)
		close(m->root);
	m->root = -1;
	free(m->device);
	free(m->where);
	m->device = m->where = NULL;
}
