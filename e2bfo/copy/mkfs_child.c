// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs_child.c - running mke2fs(8), and what it says
 *
 *   mke2fs ── stdout, stderr ── pipe ── text ──┬── lines that were not shown yet ── stderr
 *                                              `── a type that nobody knows: an error
 *
 * The same filesystem is made on scratch files and then on the target, so mke2fs says the same things
 * more than once.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "mkfs_child.h"

#define SAID_MAX (64U << 10)		/* bytes; what is more is read and dropped */

/* Memory is short: let the kernel end this process first.  What has been made in memory goes with it. */
static void be_expendable(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "we");

	if (!f)
		return;
	fputs("1000", f);
	fclose(f);
}

/* In the child: never returns.  In English, as the rest is, and as is_unknown_type() reads it. */
static void become(const struct mkfs *m, struct mkfs_args *a, int is_scratch, int out)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s:/usr/sbin:/sbin", getenv("PATH") ? getenv("PATH") : "");
	if (setenv("PATH", path, 1) || setenv("E2FSPROGS_FAKE_TIME", m->now, 1) ||
	    setenv("LC_ALL", "C", 1))
		_exit(127);		/* for want of memory */
	if (is_scratch)
		be_expendable();
	signal(SIGINT, SIG_IGN);	/* of a terminal: the parent decides, afterwards */
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	a->v[a->n] = NULL;
	execvp("mke2fs", a->v);
	fprintf(stderr, "%s\n", strerror(errno));
	_exit(127);
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
static int run(const struct mkfs *m, struct mkfs_args *a, int is_scratch, bfo_chars *said,
	       int *status)
{
	int ends[2], err;
	pid_t pid;

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC))
		return errno;
	pid = fork();
	if (!pid)
		become(m, a, is_scratch, ends[1]);
	err = pid < 0 ? errno : 0;
	close(ends[1]);
	if (!err)
		err = listen_to(ends[0], said);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, status, 0) != pid)
		if (errno != EINTR)
			return errno;
	return err;
}

/* ---- what it has said ---- */

static int was_told(const struct mkfs *m, const char *line, size_t len)
{
	size_t i, n;

	for (i = 0; i < m->told.n; i += n + 1) {
		n = strlen(m->told.v + i);
		if (n == len && !memcmp(m->told.v + i, line, len))
			return 1;
	}
	return 0;
}

/* LINE goes to standard error, with the target's name in place of PATH. */
static void show_line(const struct mkfs *m, const char *line, const char *path)
{
	const char *at;

	if (!strncmp(line, "mke2fs: ", 8))
		line += 8;
	at = strstr(line, path);
	if (at)
		message("mke2fs: %.*s%s%s", (int) (at - line), line, m->target, at + strlen(path));
	else
		message("mke2fs: %s", line);
}

/* Lines without their ends; those that say something, and did not say it before. */
static errcode_t show(struct mkfs *m, char *said, const char *path)
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
		show_line(m, line, path);
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

static errcode_t judge(struct mkfs *m, const char *said, int status, const char *what)
{
	char type[64];

	if (is_unknown_type(said) && mkfs_args_last(m->args, 't', type, sizeof(type)))
		return bfo_fail(m->ctx, EINVAL, "formatting %s: --mkfs='-t %s': mke2fs.conf(5) does "
				"not define this type (ext2, ext3, ext4)", what, type);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return bfo_fail(m->ctx, BFO_ET_MKFS, "formatting %s", what);
	if (bfo_cancelled(m->ctx))
		return bfo_fail(m->ctx, BFO_ET_CANCELLED, "formatting %s", what);
	return 0;
}

errcode_t mkfs_child_run(struct mkfs *m, struct mkfs_args *a, const struct mkfs_place *where)
{
	const char *what = where->is_scratch ? "a scratch file like the target" : m->target;
	bfo_chars said = { .n = 0 };
	int status = 0;
	errcode_t err = run(m, a, where->is_scratch, &said, &status);

	if (err)
		bfo_fail(m->ctx, err, "running mke2fs on %s", what);
	else
		err = judge(m, said.v ? said.v : "", status, what);
	if (said.n && !m->silent && err != EINVAL && show(m, said.v, where->path) && !err)
		err = ENOMEM;
	bfo_vec_free(&said);
	return err;
}
