// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readall - read the files of a list one by one, through the kernel: open(2), read(2), close(2)
 *
 *	readall [-n] DIRECTORY LIST
 *
 * What drain is measured against.  LIST has paths below DIRECTORY, each ended by NUL, and they are
 * read in its order, each file from its beginning to its end, 128 KiB at a time as cp and tar do.
 * -n: bytes are counted, but not looked at.
 *
 * One line: number of files, bytes, and a sum over their contents (content.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content.h"

enum { READ_BYTES = 128 << 10 };

static void die(const char *what)
{
	fprintf(stderr, "readall: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void read_file(struct content *c, int dir, const char *path, char *buffer)
{
	int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	content_begin(c, st.st_ino);
	while ((n = read(fd, buffer, READ_BYTES)) > 0)
		content_add(c, buffer, (size_t)n);
	if (n < 0 || close(fd))
		die(path);
	content_end(c);
}

static void read_list(struct content *c, int dir, FILE *list)
{
	char *buffer = malloc(READ_BYTES), *path = NULL, *p;
	size_t room = 0;

	if (!buffer)
		die("malloc");
	while (getdelim(&path, &room, 0, list) >= 0) {
		p = path + strspn(path, "/");
		read_file(c, dir, p, buffer);
	}
	if (ferror(list))
		die("reading the list");
	free(path);
	free(buffer);
}

int main(int argc, char **argv)
{
	struct content c = { 0 };
	FILE *list;
	int option, dir;

	while ((option = getopt(argc, argv, "n")) == 'n')
		c.blind = 1;
	if (option != -1 || argc - optind != 2) {
		fprintf(stderr, "usage: readall [-n] DIRECTORY LIST\n");
		return 2;
	}
	dir = open(argv[optind], O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		die(argv[optind]);
	list = fopen(argv[optind + 1], "r");
	if (!list)
		die(argv[optind + 1]);
	read_list(&c, dir, list);
	fclose(list);
	content_print(&c);
	return fflush(stdout) ? 1 : 0;
}
