// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader: walks a mounted tree as tar does, and reads all files or tells where they are
 *
 *   reader [-o readdir|name|inode] [-d] [-b BYTES] [-p] DIR
 *
 * Each directory is listed whole, then each name is taken in the order of -o, a directory with all
 * that is below it before the next name.  Regular files are read from their beginning to their end
 * with read(2) of BYTES (default 128 KiB), once each; -d: with O_DIRECT.  -p: nothing is read, but
 * a line is printed per inode met for the first time: number, type (d, f or o), links, block
 * numbers FIRST-LAST of each extent as FIEMAP has them, path.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include "judge.h"

#define EXTENTS 256

struct name {
	uint64_t ino;
	char *text;
};

static int order, direct, printing;
static size_t bytes = 128 << 10;
static char *buffer;
static void *seen;			/* tree of inode numbers */

static int compare_inodes(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return (x > y) - (x < y);
}

static int was_seen(uint64_t ino)
{
	void *key = (void *)(uintptr_t)ino;

	if (tfind(key, &seen, compare_inodes))
		return 1;
	if (!tsearch(key, &seen, compare_inodes))
		err(2, "memory");
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static int by_inode(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->ino == y->ino ? by_name(a, b) : x->ino < y->ino ? -1 : 1;
}

static void read_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NOATIME | (direct ? O_DIRECT : 0));
	ssize_t got;

	if (fd < 0)
		err(2, "%s", name);
	while ((got = read(fd, buffer, bytes)) > 0)
		;
	if (got < 0)
		err(2, "%s", name);
	close(fd);
}

static void print_extents(int dir, const char *name, unsigned int block)
{
	struct fiemap *map = calloc(1, sizeof(*map) + EXTENTS * sizeof(*map->fm_extents));
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NOATIME), last = 0;
	const struct fiemap_extent *e = NULL;

	if (fd < 0 || !map)
		err(2, "%s", name);
	while (!last) {
		map->fm_start = e ? e->fe_logical + e->fe_length : 0;
		map->fm_length = FIEMAP_MAX_OFFSET - map->fm_start;
		map->fm_extent_count = EXTENTS;
		if (ioctl(fd, FS_IOC_FIEMAP, map))
			err(2, "%s: FIEMAP", name);
		last = !map->fm_mapped_extents;
		for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
			e = &map->fm_extents[i];
			last = e->fe_flags & FIEMAP_EXTENT_LAST;
			if (e->fe_flags & FIEMAP_EXTENT_DATA_INLINE)
				continue;
			printf(" %llu-%llu", (unsigned long long)e->fe_physical / block,
			       (unsigned long long)(e->fe_physical + e->fe_length) / block - 1);
		}
	}
	close(fd);
	free(map);
}

static void print_inode(int dir, const char *name, const char *path, const struct stat *st)
{
	char *text = malloc(4 * strlen(path) + 1);

	if (!text)
		err(2, "memory");
	printf("%llu %c %lu", (unsigned long long)st->st_ino,
	       S_ISDIR(st->st_mode) ? 'd' : S_ISREG(st->st_mode) ? 'f' : 'o',
	       (unsigned long)st->st_nlink);
	if (S_ISREG(st->st_mode))
		print_extents(dir, name, st->st_blksize);
	escape(text, path, strlen(path));
	printf(" %s\n", text);
	free(text);
}

static size_t list(int fd, struct name **names)
{
	DIR *dir = fdopendir(dup(fd));
	size_t n = 0, room = 0;
	struct dirent *e;

	if (!dir)
		err(2, "fdopendir");
	for (*names = NULL; (e = readdir(dir)); ) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (n == room) {
			room = room ? 2 * room : 64;
			*names = realloc(*names, room * sizeof(**names));
		}
		if (!*names || !((*names)[n].text = strdup(e->d_name)))
			err(2, "memory");
		(*names)[n++].ino = e->d_ino;
	}
	closedir(dir);
	if (order && n)
		qsort(*names, n, sizeof(**names), order == 1 ? by_name : by_inode);
	return n;
}

static void walk(int parent, const char *name, const char *path)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOATIME);
	struct name *names;
	struct stat st;
	size_t n, i;
	char *full;

	if (fd < 0)
		err(2, "%s", path);
	n = list(fd, &names);
	for (i = 0; i < n; i++) {
		if (fstatat(fd, names[i].text, &st, AT_SYMLINK_NOFOLLOW))
			err(2, "%s/%s", path, names[i].text);
		if (asprintf(&full, "%s/%s", path, names[i].text) < 0)
			err(2, "memory");
		if (!was_seen(st.st_ino)) {
			if (printing)
				print_inode(fd, names[i].text, full, &st);
			else if (S_ISREG(st.st_mode))
				read_file(fd, names[i].text);
			if (S_ISDIR(st.st_mode))
				walk(fd, names[i].text, full);
		}
		free(full);
		free(names[i].text);
	}
	free(names);
	close(fd);
}

int main(int argc, char **argv)
{
	static const char *const orders[] = { "readdir", "name", "inode" };
	int c;

	while ((c = getopt(argc, argv, "o:b:dp")) != -1)
		switch (c) {
		case 'o':
			for (order = 0; order < 3 && strcmp(optarg, orders[order]); order++)
				;
			break;
		case 'b':
			bytes = strtoul(optarg, NULL, 10);
			break;
		case 'd':
			direct = 1;
			break;
		case 'p':
			printing = 1;
			break;
		default:
			optind = argc;
		}
	if (optind + 1 != argc || order == 3 || !bytes)
		errx(2, "usage: reader [-o readdir|name|inode] [-d] [-b BYTES] [-p] DIR");
	if (posix_memalign((void **)&buffer, 4096, bytes))
		err(2, "memory");
	walk(AT_FDCWD, argv[optind], "");
	if (fflush(stdout) || ferror(stdout))
		err(2, "standard output");
	return 0;
}
