// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manyops - does one thing to many files, through the kernel, as a program does that is in no hurry
 *
 *	manyops make DIRECTORY DIRS FILES SIZE PREFIX
 *	manyops OPERATION DIRECTORY LIST SIZE [each|N]
 *
 *	make		DIRS directories d0, d1 ..., and FILES files in turn, PREFIX0, PREFIX1 ...
 *	create		a new file of SIZE bytes
 *	update		SIZE bytes from its first on
 *	append		SIZE bytes behind its last
 *	stat, read	what it is, what it has
 *	remove		it goes
 *	created, updated, appended, removed	judge that: see below
 *
 * LIST has paths below DIRECTORY, a line each, and they are taken in its order.  At the end the
 * filesystem is synced; N: also after each N operations, by syncfs(2); "each": also each file that
 * was written, or the directory of one that was removed, by fsync(2).  What read and stat see ends
 * in a sum on standard output.
 *
 * What is written are bytes 'a' by make, 'b' by all others.  Judges look at each file: its size,
 * its first byte and its last one.  What is wrong ends with status 1, after a word on standard
 * error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
	int dir;
	size_t size;
	int each;
	unsigned long every, done;	/* operations */
	char *data;			/* SIZE bytes */
	uint64_t sum;
};

static void die(const char *what)
{
	fprintf(stderr, "manyops: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void wrong(const char *path, const char *what)
{
	fprintf(stderr, "manyops: %s: %s\n", path, what);
	exit(1);
}

static void put(const struct work *w, const char *path, int flags)
{
	int fd = openat(w->dir, path, O_WRONLY | flags, 0644);

	if (fd < 0 || write(fd, w->data, w->size) != (ssize_t) w->size)
		die(path);
	if ((w->each && fsync(fd)) || close(fd))
		die(path);
}

static void create(struct work *w, const char *path)
{
	put(w, path, O_CREAT | O_EXCL);
}

static void update(struct work *w, const char *path)
{
	put(w, path, 0);
}

static void append(struct work *w, const char *path)
{
	put(w, path, O_APPEND);
}

static void look(struct work *w, const char *path)
{
	struct stat st;

	if (fstatat(w->dir, path, &st, AT_SYMLINK_NOFOLLOW))
		die(path);
	w->sum += st.st_ino ^ st.st_size ^ st.st_mtim.tv_sec;
}

static void take(struct work *w, const char *path)
{
	static char buffer[128 << 10];
	int fd = openat(w->dir, path, O_RDONLY | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		die(path);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		w->sum += n + buffer[0] + buffer[n - 1];
	if (n < 0 || close(fd))
		die(path);
}

static void drop(struct work *w, const char *path)
{
	char above[4096];
	int fd;

	if (unlinkat(w->dir, path, 0))
		die(path);
	if (!w->each)
		return;
	snprintf(above, sizeof(above), "%s", path);
	*strrchr(above, '/') = 0;
	fd = openat(w->dir, above, O_RDONLY | O_DIRECTORY);
	if (fd < 0 || fsync(fd) || close(fd))
		die(above);
}

/* PATH has SIZE bytes, the first of which is FIRST, the last LAST. */
static void expect(const struct work *w, const char *path, off_t size, char first, char last)
{
	int fd = openat(w->dir, path, O_RDONLY | O_NOFOLLOW);
	struct stat st;
	char seen[2];

	if (fd < 0 || fstat(fd, &st))
		die(path);
	if (st.st_size != size)
		wrong(path, "another size");
	if (pread(fd, seen, 1, 0) != 1 || pread(fd, seen + 1, 1, size - 1) != 1)
		die(path);
	if (seen[0] != first || seen[1] != last)
		wrong(path, "other bytes");
	close(fd);
}

static void created(struct work *w, const char *path)
{
	expect(w, path, w->size, 'b', 'b');
}

static void appended(struct work *w, const char *path)
{
	struct stat st;

	if (fstatat(w->dir, path, &st, 0))
		die(path);
	if (st.st_size <= (off_t) w->size)
		wrong(path, "another size");
	expect(w, path, st.st_size, 'a', 'b');
}

static void removed(struct work *w, const char *path)
{
	if (!faccessat(w->dir, path, F_OK, 0) || errno != ENOENT)
		wrong(path, "still there");
}

static const struct {
	const char *name;
	void (*run)(struct work *w, const char *path);
} operations[] = {
	{ "create", create }, { "update", update }, { "append", append }, { "stat", look },
	{ "read", take }, { "remove", drop }, { "created", created }, { "updated", created },
	{ "appended", appended }, { "removed", removed },
};

static void make(struct work *w, unsigned long dirs, unsigned long files, const char *prefix)
{
	unsigned long i;
	char path[4096];

	for (i = 0; i < dirs; i++) {
		snprintf(path, sizeof(path), "d%lu", i);
		if (mkdirat(w->dir, path, 0755))
			die(path);
	}
	for (i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "d%lu/%s%lu", i % dirs, prefix, i);
		create(w, path);
	}
}

static void run_list(struct work *w, const char *operation, const char *name)
{
	size_t room = 0, i = 0, all = sizeof(operations) / sizeof(operations[0]);
	FILE *list = fopen(name, "r");
	char *path = NULL;

	while (i < all && strcmp(operations[i].name, operation))
		i++;
	if (i == all)
		wrong(operation, "no such operation");
	if (!list)
		die(name);
	while (getline(&path, &room, list) > 0) {
		path[strcspn(path, "\n")] = 0;
		operations[i].run(w, path + strspn(path, "/"));
		if (w->every && ++w->done % w->every == 0 && syncfs(w->dir))
			die("syncing");
	}
	if (ferror(list) || fclose(list))
		die(name);
	free(path);
}

int main(int argc, char **argv)
{
	struct work w = { .each = argc == 6 && !strcmp(argv[5], "each") };
	int makes = argc == 7 && !strcmp(argv[1], "make");

	if (argc == 6 && !w.each)
		w.every = strtoul(argv[5], NULL, 10);
	if (!makes && argc != 5 && !w.each && !w.every) {
		fprintf(stderr, "usage: manyops make DIRECTORY DIRS FILES SIZE PREFIX\n"
				"       manyops OPERATION DIRECTORY LIST SIZE [each|N]\n");
		return 2;
	}
	w.size = strtoul(argv[makes ? 5 : 4], NULL, 10);
	w.data = malloc(w.size + 1);
	w.dir = open(argv[2], O_RDONLY | O_DIRECTORY);
	if (w.dir < 0 || !w.data)
		die(argv[2]);
	memset(w.data, makes ? 'a' : 'b', w.size);
	if (makes)
		make(&w, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), argv[6]);
	else
		run_list(&w, argv[1], argv[3]);
	if (syncfs(w.dir))
		die("syncing");
	printf("%llu\n", (unsigned long long) w.sum);
	return 0;
}
