// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_filter.c - a command makes new content of a file
 *
 *   file ── temporary file ──> stdin of the command, stdout ──> temporary file ── file
 *
 * Files, not pipes: the command may read and write as it likes, and nothing of what it writes goes
 * anywhere before it has ended well.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "cli/process.h"
#include "batch_run.h"

#define COPY_BYTES (1U << 20)		/* at once */

static errcode_t make_file(struct batch_run *r, int *fd)
{
	int err = bfo_temporary_unnamed(bfo_temporary_folder(&r->ctx), fd);

	return err ? bfo_fail(&r->ctx, err, "making a temporary file") : 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t put;

	for (; len; data += put, len -= put) {
		put = write(fd, data, len);
		if (put < 0 && errno != EINTR)
			return errno;
		put = put < 0 ? 0 : put;
	}
	return 0;
}

/* What PATH holds goes to the file FD, of which the first byte is next. */
static errcode_t take_out(struct batch_run *r, const char *path, int fd)
{
	char *buffer = malloc(COPY_BYTES);
	uint64_t offset = 0;
	size_t got = 1;
	errcode_t err = buffer ? 0 : ENOMEM;

	while (!err && got) {
		err = batch_told(r, e2bfo_batch_pread(r->b, path, offset, buffer, COPY_BYTES,
						      &got));
		if (err)
			break;
		err = write_all(fd, buffer, got);
		if (err)
			bfo_fail(&r->ctx, err, "writing a temporary file");
		offset += got;
	}
	free(buffer);
	if (!err && lseek(fd, 0, SEEK_SET))
		err = bfo_fail(&r->ctx, errno, "reading a temporary file");
	return err;
}

static errcode_t run(struct batch_run *r, const char *const *command, int in, int out)
{
	const int fds[3] = { in, out, STDERR_FILENO };
	int status, err;
	pid_t pid;

	err = process_start(command, fds, &pid);
	if (err)
		return bfo_fail(&r->ctx, err, "running %s", command[0]);
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return bfo_fail(&r->ctx, errno, "waiting for %s", command[0]);
	if (bfo_cancelled(&r->ctx))
		return bfo_fail(&r->ctx, BFO_ET_CANCELLED, "running %s", command[0]);
	if (WIFSIGNALED(status))
		return bfo_fail(&r->ctx, BFO_ET_COMMAND, "running %s: killed by signal %d",
				command[0], WTERMSIG(status));
	return WEXITSTATUS(status) ? bfo_fail(&r->ctx, BFO_ET_COMMAND, "running %s: exit status %d",
					      command[0], WEXITSTATUS(status)) : 0;
}

/* The words of LIST, and NULL behind them. */
static const char **words_of(const struct script_list *list)
{
	const char **words = calloc(list->n + 1, sizeof(*words));

	if (words)
		memcpy(words, list->v, list->n * sizeof(*words));
	return words;
}

/* The file keeps what it is: its content is another one. */
static errcode_t put_back(struct batch_run *r, const char *path, int *out)
{
	struct e2bfo_content content;
	struct batch_local l;
	errcode_t err = batch_local_take(r, *out, "what the command wrote", &l);

	*out = -1;
	content = batch_local_content(&l);
	if (!err)
		err = batch_done(r, e2bfo_batch_create(r->b, path, NULL, &content,
						     E2BFO_REPLACE));
	r->put += !err;
	r->bytes += err ? 0 : content.bytes;
	batch_local_close(&l);
	return err;
}

errcode_t batch_filter(struct batch_run *r, const char *path, const struct script_list *command)
{
	const char **words = words_of(command);
	int in = -1, out = -1;
	struct e2bfo_batch_stat st = { .size = sizeof(st) };
	errcode_t err = words ? batch_told(r, e2bfo_batch_stat(r->b, path, &st)) : ENOMEM;

	if (!err && !S_ISREG(st.mode))
		err = bfo_fail(&r->ctx, BFO_ET_NOT_FILE, "reading %s", path);
	if (!err)
		err = make_file(r, &in);
	if (!err)
		err = make_file(r, &out);
	if (!err)
		err = take_out(r, path, in);
	if (!err)
		err = run(r, words, in, out);
	if (!err)
		err = put_back(r, path, &out);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(words);
	return err;
}
