// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preloaded: do opendir(3) and its kin, whoever provides them, list what the kernel lists?
 *
 *   preloaded HOW DIR...
 *
 *   names     the same names as getdents64(2), each once, with the same numbers and types; "." and
 *             ".." first, the others in ascending order of inode numbers
 *   runs      the same, in whatever order
 *   kernel    the same, in the order of getdents64(2)
 *   seek      telldir, seekdir, d_off, rewinddir: from any position the same names follow
 *   threads   ten threads, each with a DIR of its own, and all of them with one
 *   cancel    a thread that is to end does so between names, and others go on where it was
 *   fork      parent and child go on, each for itself; so do children of a process whose other
 *             threads are looking theirs up just then
 *   dirfd     the descriptor is the directory's, whatever was read, and none is left open
 *   closed    by index: the program closes a descriptor that it does not know, and has its own
 *             there
 *   change    names that come, go and are replaced meanwhile; those that stay come once
 *   scan      scandir, scandirat, fdopendir, readdir, readdir_r, and those with 64 in their names
 *
 * It ends with the first thing that is not as it should be, else says how many names there were.
 * Who waits for a lock for minutes has met one that nobody gives back.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define THREADS 10
#define MINUTES 5

struct name {
	uint64_t ino;
	int64_t pos;		/* d_off */
	unsigned char type;
	char *text;
};

struct list {
	struct name *v;
	size_t n, room;
};

static const char *dir_name;

static void add(struct list *l, uint64_t ino, int64_t pos, unsigned char type, const char *text)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->v = realloc(l->v, l->room * sizeof(*l->v));
		if (!l->v)
			err(1, "memory");
	}
	l->v[l->n++] = (struct name) { ino, pos, type, strdup(text) };
}

static void drop(struct list *l)
{
	while (l->n)
		free(l->v[--l->n].text);
	free(l->v);
	*l = (struct list) { NULL, 0, 0 };
}

static void read_raw(struct list *l)
{
	int fd = open(dir_name, O_RDONLY | O_DIRECTORY);
	static __thread char buffer[65536];
	struct dirent64 *d;
	long n, at;

	if (fd < 0)
		err(1, "%s", dir_name);
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (at = 0; at < n; at += d->d_reclen) {
			d = (struct dirent64 *) (buffer + at);
			add(l, d->d_ino, d->d_off, d->d_type, d->d_name);
		}
	if (n < 0)
		err(1, "getdents64 %s", dir_name);
	close(fd);
}

static DIR *open_dir(void)
{
	DIR *d = opendir(dir_name);

	if (!d)
		err(1, "opendir %s", dir_name);
	return d;
}

/* Up to MOST names. */
static void read_some(DIR *d, struct list *l, size_t most)
{
	struct dirent *e = NULL;

	for (errno = 0; most && (e = readdir(d)); most--)
		add(l, e->d_ino, e->d_off, e->d_type, e->d_name);
	if (most && !e && errno)
		err(1, "readdir %s", dir_name);
}

static void read_dir(struct list *l)
{
	DIR *d = open_dir();

	errno = 77;
	read_some(d, l, SIZE_MAX);
	if (closedir(d))
		err(1, "closedir %s", dir_name);
}

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->ino > y->ino) - (x->ino < y->ino);
}

static void compare(struct list *raw, struct list *got, const char *what)
{
	size_t i;

	for (i = 0; i < raw->n && i < got->n; i++)
		if (by_text(&raw->v[i], &got->v[i]) || raw->v[i].type != got->v[i].type)
			errx(1, "%s %s: getdents64 has %s (%ju, %d), readdir %s (%ju, %d)", what,
			     dir_name, raw->v[i].text, (uintmax_t) raw->v[i].ino, raw->v[i].type,
			     got->v[i].text, (uintmax_t) got->v[i].ino, got->v[i].type);
	if (raw->n != got->n)
		errx(1, "%s %s: %zu names instead of %zu", what, dir_name, got->n, raw->n);
}

static void compare_sets(struct list *raw, struct list *got, const char *what)
{
	qsort(raw->v, raw->n, sizeof(*raw->v), by_text);
	qsort(got->v, got->n, sizeof(*got->v), by_text);
	compare(raw, got, what);
}

static void check_order(const struct list *l)
{
	size_t i;

	if (l->n < 2 || strcmp(l->v[0].text, ".") || strcmp(l->v[1].text, ".."))
		errx(1, "%s: does not begin with \".\" and \"..\"", dir_name);
	for (i = 3; i < l->n; i++)
		if (l->v[i].ino < l->v[i - 1].ino)
			errx(1, "%s: inode %ju behind %ju", dir_name, (uintmax_t) l->v[i].ino,
			     (uintmax_t) l->v[i - 1].ino);
}

static size_t look(const char *how)
{
	struct list raw = { NULL, 0, 0 }, got = { NULL, 0, 0 };
	size_t n;

	read_raw(&raw);
	read_dir(&got);
	if (!strcmp(how, "names"))
		check_order(&got);
	if (!strcmp(how, "kernel"))
		compare(&raw, &got, how);
	else
		compare_sets(&raw, &got, how);
	n = raw.n;
	drop(&raw);
	drop(&got);
	return n;
}

/* ---- positions ---- */

static void follows(DIR *d, const struct list *l, size_t i)
{
	struct dirent *e = readdir(d);

	if (i == l->n ? !!e : !e || strcmp(e->d_name, l->v[i].text))
		errx(1, "%s: from position %zu of %zu comes %s, not %s", dir_name, i, l->n,
		     e ? e->d_name : "nothing", i == l->n ? "nothing" : l->v[i].text);
	if (e && e->d_off != telldir(d))
		errx(1, "%s: d_off is not what telldir says", dir_name);
}

static size_t seek(void)
{
	struct list l = { NULL, 0, 0 };
	DIR *d = open_dir(), *other = open_dir();
	uint32_t draw = 1;
	size_t i, k, n;
	long first = telldir(d);

	read_some(d, &l, SIZE_MAX);
	follows(d, &l, l.n);
	for (k = 0; k < 400; k++) {
		draw = draw * 1103515245 + 12345;
		i = k < l.n && k < 100 ? k : (draw >> 8) % (l.n + 1);
		/* (The descriptor's own position is nobody's business.) */
		lseek(dirfd(d), (draw >> 8) % 3, SEEK_SET);
		seekdir(d, i ? l.v[i - 1].pos : first);
		if (telldir(d) != (i ? l.v[i - 1].pos : first))
			errx(1, "%s: seekdir goes elsewhere", dir_name);
		for (n = 0; n < 3 && i + n <= l.n; n++)
			follows(d, &l, i + n);
	}
	/* In a stream that has read nothing yet. */
	seekdir(other, l.v[l.n / 2].pos);
	follows(other, &l, l.n / 2 + 1);
	rewinddir(d);
	if (telldir(d) != first)
		errx(1, "%s: rewinddir does not go to the beginning", dir_name);
	for (i = 0; i <= l.n; i++)
		follows(d, &l, i);
	closedir(d);
	closedir(other);
	n = l.n;
	drop(&l);
	return n;
}

/* ---- threads ---- */

static DIR *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *own_thread(void *priv)
{
	(void) priv;
	return (void *) look("runs");
}

static void *shared_thread(void *priv)
{
	struct dirent *e;

	for (;;) {
		pthread_mutex_lock(&lock);
		e = readdir(shared);
		if (e)
			add(priv, e->d_ino, e->d_off, e->d_type, e->d_name);
		pthread_mutex_unlock(&lock);
		if (!e)
			return NULL;
	}
}

static void join_all(void *(*f)(void *priv), void *priv)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, f, priv))
			errx(1, "pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static size_t threads(void)
{
	struct list raw = { NULL, 0, 0 }, got = { NULL, 0, 0 };
	size_t n;

	read_raw(&raw);
	join_all(own_thread, NULL);
	shared = open_dir();
	join_all(shared_thread, &got);
	closedir(shared);
	compare_sets(&raw, &got, "shared");
	n = raw.n;
	drop(&raw);
	drop(&got);
	return n;
}

/* ---- cancelling ---- */

#define UNTIL_END 100		/* names, after the request */

static void *cancelled_thread(void *priv)
{
	pthread_cancel(pthread_self());
	/* what these functions call would be points where a thread ends */
	read_some(shared, priv, UNTIL_END);
	pthread_testcancel();
	return NULL;
}

static size_t cancelled(void)
{
	struct list raw = { NULL, 0, 0 }, got = { NULL, 0, 0 };
	pthread_t thread;
	void *result;
	size_t n;

	read_raw(&raw);
	shared = open_dir();
	if (pthread_create(&thread, NULL, cancelled_thread, &got))
		errx(1, "pthread_create");
	pthread_join(thread, &result);
	if (result != PTHREAD_CANCELED || got.n != (raw.n < UNTIL_END ? raw.n : UNTIL_END))
		errx(1, "%s: it ended after %zu names", dir_name, got.n);
	read_some(shared, &got, SIZE_MAX);
	closedir(shared);
	compare_sets(&raw, &got, "cancelled");
	n = raw.n;
	drop(&raw);
	drop(&got);
	return n;
}

/* ---- fork ---- */

#define FORKS 20
#define MANY 256

static int enough;

/* (What is looked up is no ext4: the C library's own lock of a DIR is not the matter here.) */
static DIR *open_other(void)
{
	DIR *d = opendir("/proc");

	if (!d)
		err(1, "/proc");
	return d;
}

static void *asking_thread(void *priv)
{
	DIR *d = open_other();

	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
		telldir(d);
	closedir(d);
	return priv;
}

static void reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s: a child did not end as it should", dir_name);
}

static void ask_all(DIR *const *many)
{
	int i;

	alarm(MINUTES * 60);		/* a child inherits none */
	for (i = 0; i < MANY; i++)
		telldir(many[i]);
	_exit(look("runs") ? 0 : 1);
}

/* Locks that other threads have just now are theirs: a child has none of these threads. */
static void fork_among_threads(void)
{
	pthread_t threads[THREADS];
	DIR *many[MANY];
	pid_t pid;
	int i;

	for (i = 0; i < MANY; i++)
		many[i] = open_other();
	enough = 0;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, asking_thread, NULL))
			errx(1, "pthread_create");
	for (i = 0; i < FORKS; i++) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid)
			ask_all(many);
		reap(pid);
	}
	__atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < MANY; i++)
		closedir(many[i]);
}

static size_t forked(void)
{
	struct list raw = { NULL, 0, 0 }, got = { NULL, 0, 0 };
	DIR *d = open_dir();
	pid_t pid;

	read_raw(&raw);
	read_some(d, &got, raw.n / 3);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	read_some(d, &got, SIZE_MAX);
	closedir(d);
	compare_sets(&raw, &got, pid ? "parent" : "child");
	if (!pid)
		exit(0);
	reap(pid);
	fork_among_threads();
	return raw.n;
}

/* ---- descriptors ---- */

#define MOST_DESCRIPTORS 1024

/* How many are open; 1 more for each that a program which is run would get, from 3 on. */
static int descriptors(void)
{
	int fd, flags, n = 0;

	for (fd = 0; fd < MOST_DESCRIPTORS; fd++) {
		flags = fcntl(fd, F_GETFD);
		n += flags >= 0 ? fd < 3 || flags & FD_CLOEXEC ? 1 : 2 : 0;
	}
	return n;
}

/* Names are looked up by the descriptor while the stream is read, as tar and rm do. */
static size_t by_descriptor(void)
{
	int before = descriptors();
	struct stat st, dir;
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	if (stat(dir_name, &dir))
		err(1, "%s", dir_name);
	d = open_dir();
	for (; (e = readdir(d)); n++) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			err(1, "%s/%s", dir_name, e->d_name);
		if (st.st_ino != e->d_ino && strcmp(e->d_name, ".."))
			errx(1, "%s/%s: inode %ju", dir_name, e->d_name, (uintmax_t) st.st_ino);
		if (n % 100 == 0 && (fstat(dirfd(d), &st) || st.st_ino != dir.st_ino))
			errx(1, "%s: dirfd is no more the directory's", dir_name);
		if (n == 5 && descriptors() > before + 2)
			errx(1, "%s: %d descriptors, %d before", dir_name, descriptors(), before);
	}
	closedir(d);
	if (descriptors() != before)
		errx(1, "%s: %d descriptors are left, %d before", dir_name, descriptors(), before);
	return n;
}

/* The descriptor of the container of indexes. */
static int container(void)
{
	static const char name[] = "/.e2itree";
	char link[40], path[4096];
	ssize_t n;
	int fd;

	for (fd = 0; fd < MOST_DESCRIPTORS; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path));
		if (n >= (ssize_t) strlen(name) &&
		    !memcmp(path + n - strlen(name), name, strlen(name)))
			return fd;
	}
	errx(1, "%s: no container of indexes is open", dir_name);
}

static size_t closed(void)
{
	struct list raw = { NULL, 0, 0 }, got = { NULL, 0, 0 };
	int null = open("/dev/null", O_RDONLY), theirs;
	struct stat st, own;
	DIR *d = open_dir();
	size_t n;

	read_raw(&raw);
	read_some(d, &got, 5);
	theirs = container();
	if (dup2(null, theirs) < 0)
		err(1, "dup2");
	read_some(d, &got, SIZE_MAX);
	closedir(d);
	compare_sets(&raw, &got, "closed");
	if (fstat(theirs, &st) || fstat(null, &own) || st.st_rdev != own.st_rdev)
		errx(1, "%s: the program's own descriptor was closed", dir_name);
	close(theirs);
	close(null);
	n = raw.n;
	drop(&raw);
	drop(&got);
	return n;
}

/* ---- changes ---- */

static void touch(const char *prefix, size_t i)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s%zu", dir_name, prefix, i);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	if (fd < 0)
		err(1, "%s", path);
	close(fd);
}

static void replace(size_t from, size_t to)
{
	char a[4096], b[4096];

	snprintf(a, sizeof(a), "%s/new-%zu", dir_name, from);
	snprintf(b, sizeof(b), "%s/replaced-%zu", dir_name, to);
	if (rename(a, b))
		err(1, "%s", a);
}

static void drop_name(const char *prefix, size_t i)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s%zu", dir_name, prefix, i);
	if (unlink(path))
		err(1, "%s", path);
}

#define ROUNDS 100

static void once(const struct list *got, const char *prefix, size_t count)
{
	char *seen = calloc(count, 1), *end;
	size_t len = strlen(prefix), i, k;

	for (i = 0; i < got->n; i++) {
		if (strncmp(got->v[i].text, prefix, len))
			continue;
		k = strtoul(got->v[i].text + len, &end, 10);
		if (*end || k >= count || seen[k])
			errx(1, "%s: %s comes twice, or was never there", dir_name, got->v[i].text);
		seen[k] = 1;
	}
	for (k = 0; k < count; k++)
		if (!seen[k])
			errx(1, "%s: %s%zu does not come", dir_name, prefix, k);
	free(seen);
}

static size_t change(void)
{
	struct list got = { NULL, 0, 0 };
	DIR *d = open_dir();
	size_t i, part;

	for (i = 0; i < ROUNDS; i++) {
		touch("replaced-", i);
		touch("removed-", i);
	}
	for (i = 0; i < 30 * ROUNDS; i++)
		touch("stays-", i);
	part = 33;
	for (i = 0; i < ROUNDS; i++) {
		read_some(d, &got, part);
		touch("new-", i);
		replace(i, ROUNDS - 1 - i);
		drop_name("removed-", i);
		touch("added-", i);
	}
	read_some(d, &got, SIZE_MAX);
	once(&got, "stays-", 30 * ROUNDS);
	once(&got, "replaced-", ROUNDS);
	drop(&got);
	rewinddir(d);
	read_some(d, &got, SIZE_MAX);
	once(&got, "added-", ROUNDS);
	for (i = 0; i < got.n; i++)
		if (!strncmp(got.v[i].text, "removed-", 8))
			errx(1, "%s: %s comes after rewinddir", dir_name, got.v[i].text);
	closedir(d);
	return got.n;
}

/* ---- other ways in ---- */

static int no_dots(const struct dirent *d)
{
	errno = EPERM;
	return d->d_name[0] != '.';
}

typedef int scan_type(const char *, struct dirent ***, int (*)(const struct dirent *),
		      int (*)(const struct dirent **, const struct dirent **));
typedef int scanat_type(int, const char *, struct dirent ***, int (*)(const struct dirent *),
			int (*)(const struct dirent **, const struct dirent **));
typedef int read_type(DIR *, struct dirent *, struct dirent **);
typedef struct dirent *next_type(DIR *);

/* (Each function by its own name: with large files the header has only one of them.) */
static void *function(const char *name)
{
	void *f = dlsym(RTLD_DEFAULT, name);

	if (!f)
		errx(1, "there is no %s", name);
	return f;
}

static void take_scanned(struct list *got, struct dirent **v, int n, const char *what)
{
	int i;

	if (n < 0)
		err(1, "%s %s", what, dir_name);
	for (i = 0; i < n; i++) {
		add(got, v[i]->d_ino, v[i]->d_off, v[i]->d_type, v[i]->d_name);
		free(v[i]);
	}
	free(v);
}

static void scan_by(const char *name, struct list *raw)
{
	struct list got = { NULL, 0, 0 };
	struct dirent **v = NULL;
	int at = strstr(name, "at") ? open(dir_name, O_RDONLY | O_DIRECTORY) : -1, n;

	errno = 77;
	n = at >= 0 ? ((scanat_type *) function(name))(at, ".", &v, NULL, NULL) :
	    ((scan_type *) function(name))(dir_name, &v, NULL, NULL);
	if (errno != 77)
		errx(1, "%s: errno has changed", name);
	take_scanned(&got, v, n, name);
	check_order(&got);
	compare_sets(raw, &got, name);
	drop(&got);
	n = at >= 0 ? ((scanat_type *) function(name))(at, ".", &v, no_dots, alphasort) :
	    ((scan_type *) function(name))(dir_name, &v, no_dots, alphasort);
	take_scanned(&got, v, n, name);
	drop(&got);
	if (at >= 0)
		close(at);
}

static int none(const struct dirent *d)
{
	(void) d;
	return 0;
}

static void scan_nothing(const char *name)
{
	struct dirent **v;
	int n = ((scan_type *) function(name))(dir_name, &v, none, alphasort);

	if (n)
		errx(1, "%s %s: %d names, none was wanted", name, dir_name, n);
	free(v);
	errno = 0;
	if (((scan_type *) function(name))("/dev/null", &v, NULL, NULL) != -1 || errno != ENOTDIR)
		errx(1, "%s of no directory: %s", name, strerror(errno));
}

/* readdir() itself, and the one for large files. */
static void next_by(const char *name, struct list *raw)
{
	DIR *d = fdopendir(open(dir_name, O_RDONLY | O_DIRECTORY));
	struct list got = { NULL, 0, 0 };
	struct dirent *e;

	if (!d)
		err(1, "fdopendir %s", dir_name);
	errno = 77;
	while ((e = ((next_type *) function(name))(d)))
		add(&got, e->d_ino, e->d_off, e->d_type, e->d_name);
	if (errno != 77)
		errx(1, "%s: errno has changed at the end", name);
	closedir(d);
	check_order(&got);
	compare_sets(raw, &got, name);
	drop(&got);
}

static void read_by(const char *name, struct list *raw)
{
	DIR *d = fdopendir(open(dir_name, O_RDONLY | O_DIRECTORY));
	struct list got = { NULL, 0, 0 };
	struct dirent e, *at;

	if (!d)
		err(1, "fdopendir %s", dir_name);
	while (!((read_type *) function(name))(d, &e, &at) && at)
		add(&got, e.d_ino, e.d_off, e.d_type, e.d_name);
	closedir(d);
	check_order(&got);
	compare_sets(raw, &got, name);
	drop(&got);
}

/* One that was read in part goes on from there, in the order in which it was begun. */
static void read_rest(const struct list *raw)
{
	int fd = open(dir_name, O_RDONLY | O_DIRECTORY);
	struct list got = { NULL, 0, 0 };
	char buffer[64];
	DIR *d;

	if (syscall(SYS_getdents64, fd, buffer, sizeof(buffer)) <= 0)
		err(1, "getdents64 %s", dir_name);
	d = fdopendir(fd);
	read_some(d, &got, SIZE_MAX);
	closedir(d);
	if (got.n >= raw->n)
		errx(1, "%s: fdopendir begins anew", dir_name);
	drop(&got);
}

static size_t scan(void)
{
	struct list raw = { NULL, 0, 0 };
	struct dirent **v;
	size_t n;

	read_raw(&raw);
	scan_by("scandir", &raw);
	scan_by("scandir64", &raw);
	scan_by("scandirat", &raw);
	scan_by("scandirat64", &raw);
	scan_nothing("scandir");
	scan_nothing("scandir64");
	next_by("readdir", &raw);
	next_by("readdir64", &raw);
	read_by("readdir_r", &raw);
	read_by("readdir64_r", &raw);
	read_rest(&raw);
	if (scandir("/no/such/directory", &v, NULL, NULL) != -1 || errno != ENOENT)
		errx(1, "scandir of nothing: %s", strerror(errno));
	if (fdopendir(-1) || errno != EBADF)
		errx(1, "fdopendir of nothing: %s", strerror(errno));
	n = raw.n;
	drop(&raw);
	return n;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	size_t n = 0;
	int i;

	alarm(MINUTES * 60);
	for (i = 2; i < argc; i++) {
		dir_name = argv[i];
		n += !strcmp(how, "seek") ? seek() : !strcmp(how, "threads") ? threads() :
		     !strcmp(how, "fork") ? forked() : !strcmp(how, "change") ? change() :
		     !strcmp(how, "cancel") ? cancelled() :
		     !strcmp(how, "dirfd") ? by_descriptor() :
		     !strcmp(how, "closed") ? closed() :
		     !strcmp(how, "scan") ? scan() : look(how);
	}
	printf("%zu names\n", n);
	return argc < 3;
}
