// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs_child.c - running mke2fs(8), and what it says
 *
 *   mke2fs ── stdout, stderr ── pipe ── text ──┬── lines that were not told yet ── m->tell
 *                                              `── a type that nobody knows: an error
 *
 * The same filesystem is made on scratch files and then on the target, so mke2fs says the same
 * things more than once.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "job/mkfs_child.h"
#include "job/mkfs_words.h"

#define SAID_MAX (64U << 10)		/* bytes; what is more is read and dropped */
#define FOLDERS "/usr/sbin:/sbin"	/* behind those of PATH */

/* ---- its environment ---- */

/* Owns what it has made: the first strings. */
struct environment {
	char *path, *now, *config;
	char **v;
};

static int is_replaced(const char *setting)
{
	return !strncmp(setting, "PATH=", 5) || !strncmp(setting, "LC_ALL=", 7) ||
	       !strncmp(setting, "E2FSPROGS_FAKE_TIME=", 20);
}

static const char *path_of(char *const *environment)
{
	for (; environment && *environment; environment++)
		if (!strncmp(*environment, "PATH=", 5))
			return *environment + 5;
	return "";
}

/* In English, as the rest is, and as is_unknown_type() reads it. */
static errcode_t environment_make(const struct bfo_mkfs *m, struct environment *e)
{
	char *const *at;
	size_t n = 0;

	*e = (struct environment) { .v = NULL };
	for (at = m->environment; at && *at; at++)
		n++;
	e->v = calloc(n + 5, sizeof(*e->v));
	if (!e->v || asprintf(&e->path, "PATH=%s:" FOLDERS, path_of(m->environment)) < 0 ||
	    asprintf(&e->now, "E2FSPROGS_FAKE_TIME=%s", m->now) < 0 ||
	    asprintf(&e->config, "MKE2FS_CONFIG=/proc/%d/fd/%d", getpid(), m->config_fd) < 0)
		return ENOMEM;
	e->v[0] = e->path;
	e->v[1] = e->now;
	e->v[2] = "LC_ALL=C";
	n = 3;
	if (m->config_fd)		/* the first of a name counts */
		e->v[n++] = e->config;
	for (at = m->environment; at && *at; at++)
		if (!is_replaced(*at))
			e->v[n++] = *at;
	return 0;
}

static void environment_free(struct environment *e)
{
	free(e->path);
	free(e->now);
	free(e->config);
	free(e->v);
}

/* Where mke2fs is, by e->path: malloc'ed; NULL: nowhere, or there is no memory. */
static char *find_program(const struct environment *e)
{
	const char *at = e->path + strlen("PATH="), *end;
	char *found = NULL;

	for (; *at; at = end + !!*end) {
		end = strchrnul(at, ':');
		if (asprintf(&found, "%.*s%smke2fs", (int) (end - at), at, end > at ? "/" : "") < 0)
			return NULL;
		if (!access(found, X_OK))
			return found;
		free(found);
		found = NULL;
	}
	return NULL;
}

/* ---- running it ---- */

/* Memory is short: let the kernel end PID first.  What it has made in memory goes with it. */
static void make_expendable(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int) pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1000", 4) != 4)
		errno = 0;		/* then it is like any other process */
	close(fd);
}

/*
 * Starts it, with OUT for all that it says.  It is in a process group of its own: of a terminal's
 * Ctrl-C the caller alone hears, and decides afterwards.
 */
static int start(struct bfo_mkfs_args *a, const struct environment *e, int out, pid_t *pid)
{
	char *program = find_program(e);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	int err = program ? posix_spawn_file_actions_init(&files) : ENOENT;

	if (err) {
		free(program);
		return err;
	}
	err = posix_spawnattr_init(&how);
	if (!err) {
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
		err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
						       0);
		if (!err)
			err = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
		if (!err)
			err = posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
		a->v[a->n] = NULL;
		if (!err)
			err = posix_spawn(pid, program, &files, &how, a->v, e->v);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	free(program);
	return err;
}

/* All that comes from FD, as a string; 0 or an error number. */
static int listen_to(int fd, bfo_chars *said)
{
	char buf[4096];
	ssize_t got;

	while ((got = read(fd, buf, sizeof(buf))) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0 || said->n + got > SAID_MAX)
			continue;
		if (bfo_vec_reserve(said, got + 1))
			return ENOMEM;
		memcpy(said->v + said->n, buf, got);
		said->n += got;
		said->v[said->n] = 0;
	}
	return got < 0 ? errno : 0;
}

/* Runs it to its end; STATUS is that of waitpid(2). */
static int run(const struct bfo_mkfs *m, struct bfo_mkfs_args *a, int is_scratch, bfo_chars *said,
	       int *status)
{
	struct environment e;
	int ends[2], err = environment_make(m, &e);
	pid_t pid = 0;

	if (!err && pipe2(ends, O_CLOEXEC))
		err = errno;
	if (err) {
		environment_free(&e);
		return err;
	}
	err = start(a, &e, ends[1], &pid);
	if (!err && is_scratch)
		make_expendable(pid);
	close(ends[1]);
	if (!err)
		err = listen_to(ends[0], said);
	close(ends[0]);
	environment_free(&e);
	while (pid > 0 && waitpid(pid, status, 0) != pid)
		if (errno != EINTR)
			return errno;
	return err;
}

/* ---- what it has said ---- */

static int was_told(const struct bfo_mkfs *m, const char *line, size_t len)
{
	size_t i, n;

	for (i = 0; i < m->told.n; i += n + 1) {
		n = strlen(m->told.v + i);
		if (n == len && !memcmp(m->told.v + i, line, len))
			return 1;
	}
	return 0;
}

/* LINE, with the target's name in place of PATH. */
static errcode_t tell_line(const struct bfo_mkfs *m, const char *line, const char *path)
{
	const char *at;
	char *text;
	int made;

	if (!strncmp(line, "mke2fs: ", 8))
		line += 8;
	at = strstr(line, path);
	if (at)
		made = asprintf(&text, "mke2fs: %.*s%s%s", (int) (at - line), line, m->target,
				at + strlen(path));
	else
		made = asprintf(&text, "mke2fs: %s", line);
	if (made < 0)
		return ENOMEM;
	m->tell(m->priv, text);
	free(text);
	return 0;
}

/* Lines without their ends; those that say something, and did not say it before. */
static errcode_t tell(struct bfo_mkfs *m, char *said, const char *path)
{
	char *line, *rest = said;
	errcode_t err = 0;
	size_t len;

	while (!err && (line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t\r");
		for (len = strlen(line); len && isspace((unsigned char) line[len - 1]); len--)
			line[len - 1] = 0;
		if (!len || was_told(m, line, len))
			continue;
		err = tell_line(m, line, path);
		if (!err)
			err = bfo_vec_reserve(&m->told, len + 1);
		if (err)
			break;
		memcpy(m->told.v + m->told.n, line, len + 1);
		m->told.n += len + 1;
	}
	return err ? bfo_fail(m->ctx, err, "formatting %s", m->target) : 0;
}

/* Without -F mke2fs would end here, but it would ask other things, too. */
static int is_unknown_type(const char *said)
{
	return strstr(said, "mke2fs.conf file does not define the ") != NULL;
}

static errcode_t judge(struct bfo_mkfs *m, const char *said, int status, const char *what)
{
	char type[64];

	if (is_unknown_type(said) && bfo_mkfs_words_last(m->words, 't', type, sizeof(type)))
		return bfo_fail(m->ctx, BFO_ET_OPTION,
				"formatting %s: --mkfs='-t %s': mke2fs.conf(5) does "
				"not define this type (ext2, ext3, ext4)",
				what, type);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return bfo_fail(m->ctx, BFO_ET_MKFS, "formatting %s", what);
	if (bfo_cancelled(m->ctx))
		return bfo_fail(m->ctx, BFO_ET_CANCELLED, "formatting %s", what);
	return 0;
}

errcode_t bfo_mkfs_child_run(struct bfo_mkfs *m, struct bfo_mkfs_args *a,
			     const struct bfo_mkfs_place *where)
{
	const char *what = where->is_scratch ? "a scratch file like the target" : m->target;
	bfo_chars said = { .n = 0 };
	int status = 0;
	errcode_t err = run(m, a, where->is_scratch, &said, &status);

	if (err)
		bfo_fail(m->ctx, err, "running mke2fs on %s", what);
	else
		err = judge(m, said.v ? said.v : "", status, what);
	if (said.n && !m->silent && m->tell && err != BFO_ET_OPTION &&
	    tell(m, said.v, where->path) &&
	    !err)
		err = ENOMEM;
	bfo_vec_free(&said);
	return err;
}
