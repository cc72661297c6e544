// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inorder - do one thing to each file of a directory, in the order of readdir(3) or of inodes
 *
 *	inorder OPERATION ORDER DIRECTORY [TARGET]
 *
 *	list		its attributes, as ls -l asks for them
 *	mail		these, and its first 4 KB, as a program asks that looks at mail
 *	tar		all of it goes to standard output, as a member of a tar archive (which
 *			gets no end mark)
 *	copy		a file of the same name and content in TARGET, which is made
 *	delete		it goes
 *
 *	names		each name as readdir(3) gives it, as GNU tar does
 *	sorted		all names are read and sorted by inode number first: what the preload
 *			library spd_readdir does, and cp, find and rm by themselves
 *	N		the same with runs of N names
 *
 * "." and ".." are left out.  A line for each file, but with tar: inode number, mode, size,
 * modification time, name.  At the end, on standard error: the share of steps from a name to the
 * next on which the inode number grew, and the number of names.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 4096, READ_BYTES = 128 << 10, RECORD = 512, NAME_ROOM = 100 };

struct entry {
	uint64_t ino;
	char *name;
};

struct walk {
	DIR *dir;
	int from, to;
	void (*operation)(struct walk *w, const char *name, const struct stat *st);
	int silent;
	size_t most;			/* names in a run */
	struct entry *run;
	size_t n, room;
	uint64_t names, ascending, last;
	char data[READ_BYTES];
};

static void die(const char *what)
{
	fprintf(stderr, "inorder: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int opened(const struct walk *w, const char *name)
{
	int fd = openat(w->from, name, O_RDONLY | O_NOFOLLOW);

	if (fd < 0)
		die(name);
	return fd;
}

static size_t read_some(struct walk *w, int fd, const char *name, size_t size)
{
	ssize_t n = read(fd, w->data, size);

	if (n < 0)
		die(name);
	return (size_t)n;
}

static void do_list(struct walk *w, const char *name, const struct stat *st)
{
	(void)w, (void)name, (void)st;
}

static void do_mail(struct walk *w, const char *name, const struct stat *st)
{
	int fd = opened(w, name);

	(void)st;
	read_some(w, fd, name, HEAD);
	close(fd);
}

static void put_head(const char *name, const struct stat *st)
{
	char head[RECORD] = { 0 };
	unsigned int sum = 0;
	size_t i;

	if (strlen(name) >= NAME_ROOM) {
		errno = ENAMETOOLONG;
		die(name);
	}
	strcpy(head, name);
	sprintf(head + 100, "%07o", st->st_mode & 07777);
	sprintf(head + 108, "%07o", st->st_uid & 07777777);
	sprintf(head + 116, "%07o", st->st_gid & 07777777);
	sprintf(head + 124, "%011llo", (unsigned long long)st->st_size & 077777777777ULL);
	sprintf(head + 136, "%011llo", (unsigned long long)st->st_mtime & 077777777777ULL);
	memcpy(head + 148, "        0", 9);
	memcpy(head + 257, "ustar\00000", 8);
	for (i = 0; i < RECORD; i++)
		sum += (unsigned char)head[i];
	sprintf(head + 148, "%06o", sum);
	fwrite(head, RECORD, 1, stdout);
}

static void do_tar(struct walk *w, const char *name, const struct stat *st)
{
	static const char zeros[RECORD];
	int fd = opened(w, name);
	uint64_t size = 0;
	size_t n;

	put_head(name, st);
	while ((n = read_some(w, fd, name, READ_BYTES)) > 0) {
		fwrite(w->data, n, 1, stdout);
		size += n;
	}
	fwrite(zeros, -size % RECORD, 1, stdout);
	close(fd);
}

static void do_copy(struct walk *w, const char *name, const struct stat *st)
{
	int in = opened(w, name);
	int out = openat(w->to, name, O_WRONLY | O_CREAT | O_EXCL, st->st_mode & 07777);
	size_t n;

	if (out < 0)
		die(name);
	while ((n = read_some(w, in, name, READ_BYTES)) > 0)
		if (write(out, w->data, n) != (ssize_t)n)
			die(name);
	if (close(out))
		die(name);
	close(in);
}

static void do_delete(struct walk *w, const char *name, const struct stat *st)
{
	(void)st;
	if (unlinkat(w->from, name, 0))
		die(name);
}

static void visit(struct walk *w, uint64_t ino, const char *name)
{
	struct stat st;

	if (fstatat(w->from, name, &st, AT_SYMLINK_NOFOLLOW))
		die(name);
	w->operation(w, name, &st);
	if (!w->silent)
		printf("%llu %o %lld %lld %s\n", (unsigned long long)ino, st.st_mode,
		       (long long)st.st_size, (long long)st.st_mtime, name);
	w->ascending += w->names && ino > w->last;
	w->last = ino;
	w->names++;
}

static int by_inode(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

static void end_run(struct walk *w)
{
	size_t i;

	if (w->n)
		qsort(w->run, w->n, sizeof(*w->run), by_inode);
	for (i = 0; i < w->n; i++) {
		visit(w, w->run[i].ino, w->run[i].name);
		free(w->run[i].name);
	}
	w->n = 0;
}

static void keep(struct walk *w, const struct dirent *de)
{
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 1024;
		w->run = realloc(w->run, w->room * sizeof(*w->run));
		if (!w->run)
			die("realloc");
	}
	w->run[w->n].ino = de->d_ino;
	w->run[w->n].name = strdup(de->d_name);
	if (!w->run[w->n++].name)
		die("strdup");
	if (w->n == w->most)
		end_run(w);
}

static void walk(struct walk *w)
{
	struct dirent *de;

	while (errno = 0, (de = readdir(w->dir)) != NULL) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (w->most)
			keep(w, de);
		else
			visit(w, de->d_ino, de->d_name);
	}
	if (errno)
		die("readdir");
	end_run(w);
}

static int choose(struct walk *w, const char *operation)
{
	static const struct {
		const char *name;
		void (*operation)(struct walk *w, const char *name, const struct stat *st);
	} all[] = {
		{ "list", do_list }, { "mail", do_mail }, { "tar", do_tar },
		{ "copy", do_copy }, { "delete", do_delete },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(operation, all[i].name))
			w->operation = all[i].operation;
	w->silent = w->operation == do_tar;
	return w->operation != NULL;
}

static int open_target(const char *path)
{
	int fd;

	if (mkdir(path, 0755) && errno != EEXIST)
		die(path);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		die(path);
	return fd;
}

int main(int argc, char **argv)
{
	static struct walk w;

	if (argc < 4 || !choose(&w, argv[1]) || argc != 4 + (w.operation == do_copy)) {
		fprintf(stderr, "usage: inorder list|mail|tar|delete names|sorted|N DIRECTORY\n"
			"       inorder copy names|sorted|N DIRECTORY TARGET\n");
		return 2;
	}
	w.most = !strcmp(argv[2], "sorted") ? SIZE_MAX : strtoul(argv[2], NULL, 10);
	w.dir = opendir(argv[3]);
	if (!w.dir)
		die(argv[3]);
	w.from = dirfd(w.dir);
	w.to = w.operation == do_copy ? open_target(argv[4]) : -1;
	walk(&w);
	if (fflush(stdout))
		die("writing");
	fprintf(stderr, "%.4f %llu\n",
		w.names > 1 ? (double)w.ascending / (double)(w.names - 1) : 1.0,
		(unsigned long long)w.names);
	return 0;
}
