// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statall - list a directory with the attributes of all files, in one of two ways
 *
 *	statall DIRECTORY unsorted|sorted
 *
 *	unsorted	stat(2) of each name as readdir(3) gives it, as tar does
 *	sorted		all names are read, sorted by inode number, and then stat'ed: what the
 *			preload library spd_readdir does, and cp, find and rsync by themselves
 *
 * One line for each name: inode number, mode, size, modification time, name; at the end, on
 * standard error, the share of steps from a name to the next on which the inode number grew.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct entry {
	uint64_t ino;
	char *name;
};

static uint64_t steps, ascending, last;

static void die(const char *what)
{
	fprintf(stderr, "statall: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void show(int dir, uint64_t ino, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		die(name);
	printf("%llu %o %lld %lld %s\n", (unsigned long long)ino, st.st_mode, (long long)st.st_size,
	       (long long)st.st_mtime, name);
	steps += last != 0;
	ascending += last && ino > last;
	last = ino;
}

static int by_inode(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

static struct entry *keep(struct entry *all, size_t n, const struct dirent *de)
{
	if (!(n & (n - 1)))
		all = realloc(all, (n ? 2 * n : 1) * sizeof(*all));
	if (!all)
		die("realloc");
	all[n].ino = de->d_ino;
	all[n].name = strdup(de->d_name);
	if (!all[n].name)
		die("strdup");
	return all;
}

int main(int argc, char **argv)
{
	struct entry *all = NULL;
	struct dirent *de;
	size_t n = 0, i;
	int sorted;
	DIR *d;

	if (argc != 3) {
		fprintf(stderr, "usage: statall DIRECTORY unsorted|sorted\n");
		return 2;
	}
	sorted = !strcmp(argv[2], "sorted");
	d = opendir(argv[1]);
	if (!d)
		die(argv[1]);
	while (errno = 0, (de = readdir(d)) != NULL) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (sorted)
			all = keep(all, n++, de);
		else
			show(dirfd(d), de->d_ino, de->d_name);
	}
	if (errno)
		die("readdir");
	if (n)
		qsort(all, n, sizeof(*all), by_inode);
	for (i = 0; i < n; i++)
		show(dirfd(d), all[i].ino, all[i].name);
	fprintf(stderr, "%.4f\n", steps ? (double)ascending / (double)steps : 1.0);
	return fflush(stdout) ? 1 : 0;
}
