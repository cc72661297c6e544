// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpose.c - the functions of <dirent.h> that programs find here instead of in the C library
 *
 * A DIR stays the C library's own, opened by its opendir() and never moved, so that whatever takes
 * one and is not here works on with it: dirfd() above all.  (fts, nftw and glob of the C library
 * call none of these functions, neither to open nor to read.)  Beside each that is on ext2, ext3 or
 * ext4 there is a stream, found by the DIR's address.
 *
 * On all machines that this is built for, struct dirent is struct dirent64, and the C library has
 * one version of each symbol, so programs that ask for a version find these, too.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

_Static_assert(sizeof(long) == 8 && sizeof(struct dirent) == sizeof(struct dirent64) &&
	       sizeof(off_t) == 8, "positions of 64 bits");

#define EXPORT __attribute__((visibility("default")))

/* The function that is there without us; its address is looked up once. */
#define REAL(type, name, ...) \
	static type (*real_##name(void))(__VA_ARGS__) \
	{ \
		static void *found; \
		void *f = __atomic_load_n(&found, __ATOMIC_RELAXED); \
		if (!f) { \
			f = dlsym(RTLD_NEXT, #name); \
			__atomic_store_n(&found, f, __ATOMIC_RELAXED); \
		} \
		return (type (*)(__VA_ARGS__)) f; \
	} \
	static type (*real_##name(void))(__VA_ARGS__)

REAL(DIR *, opendir, const char *);
REAL(DIR *, fdopendir, int);
REAL(struct dirent *, readdir, DIR *);
REAL(int, readdir_r, DIR *, struct dirent *, struct dirent **);
REAL(long, telldir, DIR *);
REAL(void, seekdir, DIR *, long);
REAL(void, rewinddir, DIR *);
REAL(int, closedir, DIR *);

/* ---- opening and closing ---- */

EXPORT DIR *opendir(const char *name)
{
	DIR *dir = real_opendir()(name);

	if (dir)
		stream_begin(dir, 0);
	return dir;
}

EXPORT DIR *fdopendir(int fd)
{
	int err = errno, is_read = lseek(fd, 0, SEEK_CUR) > 0;
	DIR *dir;

	errno = err;
	dir = real_fdopendir()(fd);
	if (dir)
		stream_begin(dir, is_read);
	return dir;
}

EXPORT int closedir(DIR *dir)
{
	stream_end(dir);
	return real_closedir()(dir);
}

/* ---- reading ---- */

EXPORT struct dirent *readdir(DIR *dir)
{
	struct stream *s = stream_of(dir);
	struct dirent *d = NULL;
	int err = 0, passed = 1;

	if (s && stream_lock(s)) {
		passed = listing_is_passed(&s->listing);
		if (!passed)
			d = listing_next(&s->listing, &err);
		stream_unlock(s);
	}
	if (passed)
		return real_readdir()(dir);
	if (err)
		errno = err;
	return d;
}

EXPORT struct dirent64 *readdir64(DIR *dir)
{
	return (struct dirent64 *) readdir(dir);
}

/* Several threads may ask the same stream: each gets its copy while it is locked. */
static int read_copy(DIR *dir, struct dirent *entry, struct dirent **result)
{
	struct stream *s = stream_of(dir);
	int err = 0, passed = 1;
	struct dirent *d;

	if (s && stream_lock(s)) {
		passed = listing_is_passed(&s->listing);
		if (!passed) {
			d = listing_next(&s->listing, &err);
			*result = d ? memcpy(entry, d, d->d_reclen) : NULL;
		}
		stream_unlock(s);
	}
	return passed ? real_readdir_r()(dir, entry, result) : err;
}

EXPORT int readdir_r(DIR *dir, struct dirent *entry, struct dirent **result)
{
	return read_copy(dir, entry, result);
}

EXPORT int readdir64_r(DIR *dir, struct dirent64 *entry, struct dirent64 **result)
{
	return read_copy(dir, (struct dirent *) entry, (struct dirent **) result);
}

/* ---- positions ---- */

EXPORT long telldir(DIR *dir)
{
	struct stream *s = stream_of(dir);
	int passed = 1;
	long pos = 0;

	if (s && stream_lock(s)) {
		passed = s->listing.state == LISTING_PASSED;
		pos = listing_tell(&s->listing);
		stream_unlock(s);
	}
	if (passed)
		return real_telldir()(dir);
	if (pos < 0)
		errno = EOVERFLOW;
	return pos;
}

EXPORT void seekdir(DIR *dir, long pos)
{
	struct stream *s = stream_of(dir);
	int passed = 1;

	if (s && stream_lock(s)) {
		passed = listing_is_passed(&s->listing);
		if (!passed)
			listing_seek(&s->listing, pos);
		stream_unlock(s);
	}
	if (passed)
		real_seekdir()(dir, pos);
}

EXPORT void rewinddir(DIR *dir)
{
	struct stream *s = stream_of(dir);

	if (s && stream_lock(s)) {
		listing_rewind(&s->listing);
		stream_unlock(s);
	}
	real_rewinddir()(dir);
}

/* ---- all at once ---- */

struct chosen {
	struct dirent **v;
	size_t n, room;
};

static int add(struct chosen *c, const struct dirent *d)
{
	size_t more = c->room ? c->room * 2 : 16;
	struct dirent **grown, *copy;

	if (c->n == c->room) {
		grown = realloc(c->v, more * sizeof(*grown));
		if (!grown)
			return ENOMEM;
		c->v = grown;
		c->room = more;
	}
	copy = malloc(d->d_reclen);
	if (!copy)
		return ENOMEM;
	c->v[c->n++] = memcpy(copy, d, d->d_reclen);
	return 0;
}

static void drop(struct chosen *c)
{
	while (c->n)
		free(c->v[--c->n]);
	free(c->v);
}

/* As the C library does: errors that SELECT leaves in errno are none of ours. */
static int choose(DIR *dir, struct chosen *c, int (*select)(const struct dirent *))
{
	struct dirent *d;
	int err = 0, use;

	while (!err) {
		errno = 0;
		d = readdir(dir);
		if (!d)
			return errno;
		use = !select || select(d);
		if (use)
			err = add(c, d);
	}
	return err;
}

static int scan(DIR *dir, struct dirent ***list, int (*select)(const struct dirent *),
		int (*order)(const struct dirent **, const struct dirent **))
{
	struct chosen c = { NULL, 0, 0 };
	int saved = errno, err;

	if (!dir)
		return -1;
	err = choose(dir, &c, select);
	if (!err && c.n > INT32_MAX)
		err = EOVERFLOW;
	closedir(dir);
	if (err) {
		drop(&c);
		errno = err;
		return -1;
	}
	if (order && c.n > 1)
		qsort(c.v, c.n, sizeof(*c.v), (int (*)(const void *, const void *)) order);
	*list = c.v;
	errno = saved;
	return c.n;
}

/* (If SELECT wants no name, the list is NULL.) */
EXPORT int scandir(const char *name, struct dirent ***list, int (*select)(const struct dirent *),
		   int (*order)(const struct dirent **, const struct dirent **))
{
	return scan(opendir(name), list, select, order);
}

EXPORT int scandirat(int at, const char *name, struct dirent ***list,
		     int (*select)(const struct dirent *),
		     int (*order)(const struct dirent **, const struct dirent **))
{
	int fd = openat(at, name, O_RDONLY | O_NDELAY | O_DIRECTORY | O_CLOEXEC), err;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir) {
		err = errno;
		close(fd);
		errno = err;
	}
	return scan(dir, list, select, order);
}

EXPORT int scandir64(const char *name, struct dirent64 ***list,
		     int (*select)(const struct dirent64 *),
		     int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	return scandir(name, (struct dirent ***) list, (int (*)(const struct dirent *)) select,
		       (int (*)(const struct dirent **, const struct dirent **)) order);
}

EXPORT int scandirat64(int at, const char *name, struct dirent64 ***list,
		       int (*select)(const struct dirent64 *),
		       int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	return scandirat(at, name, (struct dirent ***) list,
			 (int (*)(const struct dirent *)) select,
			 (int (*)(const struct dirent **, const struct dirent **)) order);
}
