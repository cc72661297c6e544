// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filesystem_mount.c - /proc/self/mountinfo
 *
 *   36 35 98:0 / /mnt/a\040b rw,noatime master:1 - ext4 /dev/sdb1 rw
 *         dev  root  mount point                        device
 *
 * The last answer is kept, and tried before the file is read again: who walks over a tree asks for
 * the same filesystem again and again.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <ext2fs/ext2_fs.h>

#include "filesystem_mount.h"

struct place {
	dev_t dev;
	char root[PATH_MAX], device[PATH_MAX];
};

void filesystem_mount_close(struct filesystem_mount *m)
{
	if (m->root >= 0)
		close(m->root);
	if (m->device >= 0)
		close(m->device);
	m->root = m->device = -1;
}

/* Anybody may mount over a mount point, or rename a device. */
static int open_place(struct filesystem_mount *m, const struct place *p)
{
	struct stat st;

	m->root = open(p->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (m->root < 0 || fstat(m->root, &st) || st.st_dev != p->dev ||
	    st.st_ino != EXT2_ROOT_INO) {
		filesystem_mount_close(m);
		return 0;
	}
	m->device = stat(p->device, &st) || !S_ISBLK(st.st_mode) || st.st_rdev != p->dev ? -1 :
		    open(p->device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (m->device >= 0 && (fstat(m->device, &st) || !S_ISBLK(st.st_mode) ||
			       st.st_rdev != p->dev)) {
		close(m->device);
		m->device = -1;
	}
	return 1;
}

/* Blanks and backslashes stand there as \ooo. */
static void unescape(char *to, const char *from)
{
	for (; *from; to++) {
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to = (from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0');
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

/* True if LINE is about a mount of all of p->dev. */
static int read_line(char *line, struct place *p)
{
	unsigned int major, minor;
	char *fields, *root, *point, *rest;

	if (sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2 || makedev(major, minor) != p->dev)
		return 0;
	rest = strstr(line, " - ");
	if (!rest)
		return 0;
	*rest = 0;
	strtok_r(line, " ", &fields);
	strtok_r(NULL, " ", &fields);
	strtok_r(NULL, " ", &fields);
	root = strtok_r(NULL, " ", &fields);
	point = strtok_r(NULL, " ", &fields);
	if (!root || strcmp(root, "/") || !point || strlen(point) >= PATH_MAX)
		return 0;
	unescape(p->root, point);
	strtok_r(rest + 3, " \n", &fields);
	rest = strtok_r(NULL, " \n", &fields);
	snprintf(p->device, sizeof(p->device), "/dev/block/%u:%u", major, minor);
	if (rest && *rest == '/' && strlen(rest) < PATH_MAX)
		unescape(p->device, rest);
	return 1;
}

static int look_up(struct filesystem_mount *m, struct place *p)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;
	int found = 0;

	while (f && !found && getline(&line, &room, f) > 0)
		found = read_line(line, p) && open_place(m, p);
	free(line);
	if (f)
		fclose(f);
	return found;
}

int filesystem_mount_find(struct filesystem_mount *m, dev_t dev)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct place last;
	struct place *p = malloc(sizeof(*p));
	int found, locked;

	if (!p)
		return 0;
	/* (Never waited for: a thread that is gone after fork(2) may have had it.) */
	locked = !pthread_mutex_trylock(&lock);
	*p = (struct place) { .dev = dev };
	if (locked && last.dev == dev)
		*p = last;
	found = (*p->root && open_place(m, p)) || look_up(m, p);
	if (found && locked)
		last = *p;
	if (locked)
		pthread_mutex_unlock(&lock);
	free(p);
	return found;
}
