// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lookup: does the kernel find in a directory what it lists there, and nothing else?
 *
 *   lookup DIR ABSENT
 *
 * Every name that readdir returns must be there once, be found by a lookup, and be the inode
 * and type that readdir said; ABSENT names made from the present ones must not be found.
 * readdir enters no name into the dentry cache, so every lookup walks the index on disk.
 * Prints the number of names; exit status 1 on the first contradiction.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct name {
	ino_t ino;
	mode_t type;
	char *text;
};

struct names {
	struct name *name;
	size_t count, room;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void names_read(struct names *n, DIR *dir)
{
	struct dirent *d;

	while (errno = 0, (d = readdir(dir))) {
		if (n->count == n->room) {
			n->room = n->room ? 2 * n->room : 1024;
			n->name = realloc(n->name, n->room * sizeof(*n->name));
			if (!n->name)
				err(2, "memory");
		}
		n->name[n->count].ino = d->d_ino;
		n->name[n->count].type = DTTOIF(d->d_type);
		n->name[n->count].text = strdup(d->d_name);
		if (!n->name[n->count++].text)
			err(2, "memory");
	}
	if (errno)
		err(1, "readdir");
}

static void find_present(int fd, const struct name *n)
{
	struct stat st;

	if (fstatat(fd, n->text, &st, AT_SYMLINK_NOFOLLOW))
		err(1, "%s: listed but not found", n->text);
	if (st.st_ino != n->ino && strcmp(n->text, ".."))
		errx(1, "%s: listed as inode %llu, found as %llu", n->text,
		     (unsigned long long)n->ino, (unsigned long long)st.st_ino);
	if (n->type && (st.st_mode & S_IFMT) != n->type)	/* none without filetype */
		errx(1, "%s: listed with type %o, found with mode %o", n->text, n->type,
		     st.st_mode);
}

/* Change one character, so that the absent names spread over the hashes as the others do. */
static void find_absent(int fd, const struct names *n, size_t i)
{
	struct name absent = { .text = strdup(n->name[i % n->count].text) };
	struct stat st;

	if (!absent.text)
		err(2, "memory");
	absent.text[strlen(absent.text) / 2] = '!' + i % 90;
	if (!strchr(absent.text, '/') &&
	    !bsearch(&absent, n->name, n->count, sizeof(*n->name), compare)) {
		if (!fstatat(fd, absent.text, &st, AT_SYMLINK_NOFOLLOW))
			errx(1, "%s: found but not listed", absent.text);
		if (errno != ENOENT)
			err(1, "%s: absent", absent.text);
	}
	free(absent.text);
}

int main(int argc, char **argv)
{
	struct names n = { NULL, 0, 0 };
	DIR *dir;

	if (argc != 3)
		errx(2, "usage: lookup DIR ABSENT");
	dir = opendir(argv[1]);
	if (!dir)
		err(2, "%s", argv[1]);
	names_read(&n, dir);
	qsort(n.name, n.count, sizeof(*n.name), compare);
	for (size_t i = 0; i < n.count; i++) {
		if (i && !compare(n.name + i - 1, n.name + i))
			errx(1, "%s: listed twice", n.name[i].text);
		find_present(dirfd(dir), n.name + i);
	}
	for (size_t i = 0; i < (size_t)atol(argv[2]); i++)
		find_absent(dirfd(dir), &n, i);
	printf("%zu\n", n.count);
	return 0;
}
