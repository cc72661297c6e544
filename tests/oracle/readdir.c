// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir: does the order in which the kernel returns names agree with the order on disk?
 *
 *   readdir [-x PATH]... DIR
 *
 * For each directory below DIR a line: the fraction of steps from one name to the next, in
 * getdents64 order, that ascend in inode number; the same for the first data block of the
 * regular files; the number of names; the path. Left out are ".", "..", names given with -x
 * (paths relative to DIR, "/lost+found"), and hard-linked files, which stand where another
 * name of theirs is. Exit status 1 if any fraction is below 1, 2 on trouble.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include "judge.h"

#define BATCH	(256 * 1024)

struct dirent64_raw {
	uint64_t ino;
	int64_t off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

struct steps {
	uint64_t last;
	unsigned long steps, ascending;
	int started;
};

struct dir {			/* one directory of the walk, and what was seen in it */
	struct steps inodes, data;
	unsigned long names;
	char **subdir;
	size_t subdirs, room;
};

static char **exclude;
static size_t excludes;
static int worst;

static void step(struct steps *s, uint64_t value)
{
	if (s->started) {
		s->steps++;
		s->ascending += value > s->last;
	}
	s->started = 1;
	s->last = value;
}

static double fraction(const struct steps *s)
{
	return s->steps ? (double)s->ascending / s->steps : 1.0;
}

static int excluded(const char *path)
{
	for (size_t i = 0; i < excludes; i++)
		if (!strcmp(exclude[i], path))
			return 1;
	return 0;
}

static void remember(struct dir *d, const char *name)
{
	if (d->subdirs == d->room) {
		d->room = d->room ? 2 * d->room : 16;
		d->subdir = realloc(d->subdir, d->room * sizeof(*d->subdir));
	}
	if (!d->subdir || !(d->subdir[d->subdirs++] = strdup(name)))
		err(2, "memory");
}

/* The first physical byte of a file's data, 0 if it has none. */
static uint64_t first_byte(int dir, const char *name, const char *path)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} u;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NOATIME);

	if (fd < 0)
		err(2, "%s/%s", path, name);
	memset(&u, 0, sizeof(u));
	u.map.fm_length = FIEMAP_MAX_OFFSET;
	u.map.fm_extent_count = 1;
	if (ioctl(fd, FS_IOC_FIEMAP, &u.map))
		err(2, "%s/%s: FIEMAP", path, name);
	close(fd);
	if (!u.map.fm_mapped_extents ||
	    u.map.fm_extents[0].fe_flags & FIEMAP_EXTENT_DATA_INLINE)
		return 0;
	return u.map.fm_extents[0].fe_physical;
}

static void see_name(struct dir *d, int fd, const char *path, const struct dirent64_raw *e)
{
	struct stat st;
	uint64_t at;

	if (fstatat(fd, e->name, &st, AT_SYMLINK_NOFOLLOW))
		err(2, "%s/%s", path, e->name);
	if (st.st_ino != e->ino)
		errx(2, "%s/%s: inode %llu in readdir, %llu in stat", path, e->name,
		     (unsigned long long)e->ino, (unsigned long long)st.st_ino);
	if (S_ISDIR(st.st_mode))
		remember(d, e->name);
	else if (st.st_nlink > 1)
		return;
	d->names++;
	step(&d->inodes, e->ino);
	at = S_ISREG(st.st_mode) ? first_byte(fd, e->name, path) : 0;
	if (at)
		step(&d->data, at);
}

static char *join(const char *path, const char *name)
{
	char *joined;

	if (asprintf(&joined, "%s/%s", path, name) < 0)
		err(2, "memory");
	return joined;
}

static void see_names(struct dir *d, int fd, const char *path)
{
	char *batch = malloc(BATCH);
	long got;

	if (!batch)
		err(2, "memory");
	while ((got = syscall(SYS_getdents64, fd, batch, BATCH)) > 0) {
		for (long i = 0; i < got; ) {
			struct dirent64_raw *e = (void *)(batch + i);
			char *full = join(path, e->name);

			if (strcmp(e->name, ".") && strcmp(e->name, "..") && !excluded(full))
				see_name(d, fd, path, e);
			free(full);
			i += e->reclen;
		}
	}
	if (got < 0)
		err(2, "%s: getdents64", path);
	free(batch);
}

static void show(const struct dir *d, const char *path)
{
	char *text = malloc(4 * strlen(path) + 1);

	if (!text)
		err(2, "memory");
	escape(text, path, strlen(path));
	printf("%.4f %.4f %lu %s\n", fraction(&d->inodes), fraction(&d->data), d->names, text);
	free(text);
}

static void walk(int parent, const char *name, const char *path)
{
	struct dir d = { .names = 0 };
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOATIME);

	if (fd < 0)
		err(2, "%s", path);
	see_names(&d, fd, path);
	show(&d, *path ? path : "/");
	if (d.inodes.ascending < d.inodes.steps || d.data.ascending < d.data.steps)
		worst = 1;
	for (size_t i = 0; i < d.subdirs; i++) {
		char *full = join(path, d.subdir[i]);

		walk(fd, d.subdir[i], full);
		free(full);
		free(d.subdir[i]);
	}
	free(d.subdir);
	close(fd);
}

int main(int argc, char **argv)
{
	int c;

	exclude = calloc(argc, sizeof(*exclude));
	if (!exclude)
		err(2, "memory");
	while ((c = getopt(argc, argv, "x:")) == 'x')
		exclude[excludes++] = optarg;
	if (c != -1 || optind + 1 != argc)
		errx(2, "usage: readdir [-x PATH]... DIR");
	walk(AT_FDCWD, argv[optind], "");
	if (fflush(stdout) || ferror(stdout))
		err(2, "standard output");
	return worst;
}
