// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_remove.c - trees that are given up, of this run or of one that was killed
 *
 * Two walks, each with a stack of what is still to be done: names that were read, and the depth of
 * the directory that has them.  A directory is read once.
 *
 *   abort    all directories below one; where a name is hidden, the other walk
 *   remove   all that is below a name; each directory once more when it is empty
 *
 * What is immutable is made mutable first.  Links are not followed, mount points not entered.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <ext2fs/ext2_fs.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "export/extract_state.h"

struct job {
	size_t name;			/* in `names` */
	size_t depth;			/* levels of `dirs` above it */
	int is_entered;			/* a directory that is being emptied */
};

struct walk {
	struct bfo_dirs dirs;
	BFO_VEC(struct job) jobs;
	bfo_chars names;
};

static void begin(struct walk *w, int root)
{
	memset(w, 0, sizeof(*w));
	bfo_dirs_init(&w->dirs, root);
}

static void finish(struct walk *w)
{
	bfo_dirs_free(&w->dirs);
	bfo_vec_free(&w->jobs);
	bfo_vec_free(&w->names);
}

static errcode_t add_job(struct walk *w, const char *name)
{
	struct bfo_extract_text place;
	errcode_t err = bfo_extract_keep(&w->names, name, strlen(name), &place);

	return err ? err : bfo_vec_push(&w->jobs, (struct job) {
		.name = place.at, .depth = w->dirs.levels.n });
}

/* The last job is done. */
static void drop_job(struct walk *w)
{
	w->names.n = w->jobs.v[--w->jobs.n].name;
}

/* Goes to the directory that has the last job: its descriptor, *AT. */
static errcode_t go_to_job(struct walk *w, int *at)
{
	while (w->dirs.levels.n > w->jobs.v[w->jobs.n - 1].depth)
		bfo_dirs_leave(&w->dirs);
	return bfo_dirs_fd(&w->dirs, at);
}

/* Adds a job for each name in directory AT that IS_WANTED. */
static errcode_t read_names(struct walk *w, int at, int (*is_wanted)(const struct dirent *))
{
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	errcode_t err = 0;

	if (!dir) {
		err = errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    is_wanted(entry))
			err = add_job(w, entry->d_name);
	if (!err)
		err = errno;
	closedir(dir);
	return err;
}

/* ---- remove ---- */

static int is_any(const struct dirent *entry)
{
	(void) entry;
	return 1;
}

/* Takes from NAME in AT, a file or a directory, what keeps it from being removed; or fails. */
static void make_mutable(int at, const char *name)
{
	struct stat st;
	int fd, flags = 0, rest;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return;
	fd = bfo_dirs_open(at, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags) && flags & BFO_EXTRACT_LAST_FLAGS) {
		rest = flags & ~BFO_EXTRACT_LAST_FLAGS;
		ioctl(fd, FS_IOC_SETFLAGS, &rest);
	}
	close(fd);
}

/* The directory that was entered, AT, may have the mode of one that was complete. */
static void make_readable(int at)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	if (geteuid())
		chmod(path, 0700);
}

static errcode_t enter_job(struct walk *w, int at)
{
	struct job *job = &w->jobs.v[w->jobs.n - 1];
	const char *name = w->names.v + job->name;
	errcode_t err;

	make_mutable(at, name);
	job->is_entered = 1;
	err = bfo_dirs_enter(&w->dirs, name, strlen(name));
	if (!err)
		err = bfo_dirs_fd(&w->dirs, &at);
	if (err)
		return err;
	make_readable(at);
	return read_names(w, at, is_any);
}

static errcode_t remove_job(struct walk *w)
{
	struct job *job = &w->jobs.v[w->jobs.n - 1];
	const char *name = w->names.v + job->name;
	int flags = job->is_entered ? AT_REMOVEDIR : 0, at, ret;
	errcode_t err = go_to_job(w, &at);

	if (err)
		return err;
	ret = unlinkat(at, name, flags);
	if (ret && errno == EPERM) {
		make_mutable(at, name);
		ret = unlinkat(at, name, flags);
	}
	if (ret && errno == EISDIR)
		return enter_job(w, at);
	if (ret && errno != ENOENT)
		return errno;
	drop_job(w);
	return 0;
}

errcode_t bfo_extract_remove(int at, const char *name)
{
	struct walk w;
	errcode_t err;

	begin(&w, at);
	err = add_job(&w, name);
	while (!err && w.jobs.n)
		err = remove_job(&w);
	finish(&w);
	return err;
}

/* ---- abort ---- */

static int is_hidden(const struct dirent *entry)
{
	return bfo_extract_is_hidden(entry->d_name);
}

static int is_hidden_or_dir(const struct dirent *entry)
{
	return entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN || is_hidden(entry);
}

/* What is no directory, is mounted, or not ours to read, can have nothing of ours in it. */
static int is_elsewhere(errcode_t err)
{
	return err == ENOTDIR || err == ELOOP || err == EXDEV || err == EACCES || err == ENOENT;
}

/* Adds a job for each name in directory AT that IS_WANTED, unless a copy is at work there. */
static errcode_t search_names(struct walk *w, int at, int (*is_wanted)(const struct dirent *))
{
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), is_locked;

	if (fd < 0)
		return errno;
	is_locked = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return is_locked ? EBUSY : read_names(w, at, is_wanted);
}

/* NAME in AT looks like a hidden one: if it is one, it goes, and *IS_DONE. */
static errcode_t remove_hidden(int at, const char *name, struct bfo_extract_left *left,
			       int *is_done)
{
	uint32_t seed;
	errcode_t err = bfo_extract_seed(at, &seed);

	*is_done = err || bfo_extract_is_hidden_in(seed, name);
	if (!*is_done)
		left->alike++;
	else if (!err)
		err = bfo_extract_remove(at, name);
	left->removed += *is_done && !err;
	return err;
}

/* IS_FLAT: nothing below directories that are ordinary ones is looked at. */
static errcode_t search_job(struct walk *w, int is_flat, struct bfo_extract_left *left)
{
	const char *name = w->names.v + w->jobs.v[w->jobs.n - 1].name;
	int at, is_done = 0;
	errcode_t err = go_to_job(w, &at);

	if (!err && bfo_extract_is_hidden(name))
		err = remove_hidden(at, name, left, &is_done);
	if (err || is_done || is_flat) {
		drop_job(w);
		return err;
	}
	err = bfo_dirs_enter(&w->dirs, name, strlen(name));
	drop_job(w);
	if (!err)
		err = bfo_dirs_fd(&w->dirs, &at);
	if (!err)
		err = search_names(w, at, is_hidden_or_dir);
	return is_elsewhere(err) ? 0 : err;
}

/* All below ROOT; or, if the directory itself was to be made, what is in the one above it alone. */
static errcode_t search(struct bfo_context *ctx, int root, int is_above,
			struct bfo_extract_left *left)
{
	struct walk w;
	errcode_t err;

	begin(&w, root);
	err = search_names(&w, root, is_above ? is_hidden : is_hidden_or_dir);
	while (!err && w.jobs.n)
		err = bfo_cancelled(ctx) ? BFO_ET_CANCELLED : search_job(&w, is_above, left);
	finish(&w);
	return err;
}

errcode_t bfo_extract_abort(struct bfo_context *ctx, const char *path,
			    struct bfo_extract_left *left)
{
	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), is_above = 0;
	char *name = NULL;
	errcode_t err = root < 0 ? errno : 0;

	*left = (struct bfo_extract_left) { .removed = 0 };
	if (err == ENOENT) {
		is_above = 1;
		err = bfo_extract_above(path, &root, &name);
	}
	if (err)
		return bfo_fail(ctx, err, "opening %s", path);
	err = search(ctx, root, is_above, left);
	close(root);
	free(name);
	return err ? bfo_fail(ctx, err, "removing what is unfinished below %s%s", path,
			      err == EBUSY ? ": a copy is at work there" : "") : 0;
}
