// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_run.c - a command on another machine
 *
 * It has ended when its process has.  Somebody else may keep its standard error open, as a master
 * of ssh(1) does that stays: so what is there by then is all there is.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "cli/message.h"
#include "cli/process.h"
#include "remote_run.h"

#define PATIENCE 10		/* seconds */
#define LOOK_EVERY 100		/* milliseconds between two looks at a process */
#define READ_BYTES 65536

/* ---- the reader ---- */

static void on_text(void *priv, const char *text)
{
	struct remote_run *f = priv;
	int hushed, is_ours = !strncmp(text, "e2bfo: ", 7);

	pthread_mutex_lock(&f->lock);
	hushed = f->hushed;
	pthread_mutex_unlock(&f->lock);
	if (hushed > !is_ours)
		return;
	text += is_ours ? 7 : 0;
	flockfile(stderr);
	if (f->bar)
		progress_wipe(f->bar);
	message("%s: %s", f->host, text);
	funlockfile(stderr);
}

static void on_progress(void *priv, const struct bfo_progress *p)
{
	struct remote_run *f = priv;

	pthread_mutex_lock(&f->lock);
	f->progress = *p;
	f->has_progress = 1;
	pthread_mutex_unlock(&f->lock);
}

/* Closes input I if nothing more comes from there. */
static void take(struct remote_run *f, int i)
{
	const struct remote_take to = { on_text, on_progress, f };
	char bytes[READ_BYTES];
	ssize_t got = read(f->in[i], bytes, sizeof(bytes));
	errcode_t err = 0;

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got > 0)
		err = remote_answer_feed(&f->answers[i], bytes, got, &to, &f->report);
	else
		err = remote_answer_end(&f->answers[i], &to, &f->report);
	if (err)
		f->err = err;
	if (got > 0)
		return;
	close(f->in[i]);
	f->in[i] = -1;
}

/* What is there already: nobody is waited for any more. */
static void take_rest(struct remote_run *f, int i)
{
	const struct remote_take to = { on_text, on_progress, f };
	struct pollfd p = { .fd = f->in[i], .events = POLLIN };

	while (f->in[i] >= 0 && poll(&p, 1, 0) > 0)
		take(f, i);
	if (f->in[i] < 0)
		return;
	if (remote_answer_end(&f->answers[i], &to, &f->report))
		f->err = ENOMEM;
	close(f->in[i]);
	f->in[i] = -1;
}

/* *ASKED: when it was first seen that the copy is cancelled, or 0. */
static void lose_patience(struct remote_run *f, double *asked)
{
	if (!f->cancel || !*f->cancel)
		return;
	if (!*asked)
		*asked = bfo_clock();
	if (bfo_clock() - *asked < PATIENCE)
		return;
	pthread_mutex_lock(&f->lock);
	if (!f->is_gone)
		kill(f->pid, SIGTERM);
	pthread_mutex_unlock(&f->lock);
}

/* Until it is called. */
static void *read_answers(void *priv)
{
	struct remote_run *f = priv;
	struct pollfd p[3] = { { .fd = -1 } };
	double asked = 0;
	char word = 0;
	int i;

	while (!p[2].revents) {
		for (i = 0; i < 2; i++)
			p[i] = (struct pollfd) { .fd = f->in[i], .events = POLLIN };
		p[2] = (struct pollfd) { .fd = f->call[1], .events = POLLIN };
		i = poll(p, 3, 1000);
		lose_patience(f, &asked);
		if (i <= 0)
			continue;
		for (i = 0; i < 2; i++)
			if (p[i].revents)
				take(f, i);
		send(f->call[1], &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	for (i = 0; i < 2; i++)
		if (f->in[i] >= 0)
			take_rest(f, i);
	return NULL;
}

/* ---- the process ---- */

/* A pipe, of which OURS (0: to read, 1: to write) becomes *HERE, the other end *THERE. */
static int open_pipe(int ours, int *here, int *there)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return errno;
	*here = fds[ours];
	*there = fds[!ours];
	return 0;
}

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The standard files of the process, and what is at their other ends here. */
static int open_files(struct remote_run *f, enum remote_role role, int fds[3])
{
	int err = open_pipe(0, &f->in[1], &fds[STDERR_FILENO]);

	if (!err && role == REMOTE_RECEIVES)
		err = open_pipe(1, &f->data, &fds[STDIN_FILENO]);
	else if (!err)
		fds[STDIN_FILENO] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!err && fds[STDIN_FILENO] < 0)
		err = errno;
	if (!err && role == REMOTE_SENDS)
		err = open_pipe(0, &f->data, &fds[STDOUT_FILENO]);
	else if (!err)
		err = open_pipe(0, &f->in[0], &fds[STDOUT_FILENO]);
	if (!err && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, f->call))
		err = errno;
	return err;
}

static void close_files(struct remote_run *f)
{
	int i;

	close_if_open(&f->data);
	for (i = 0; i < 2; i++) {
		close_if_open(&f->in[i]);
		close_if_open(&f->call[i]);
		remote_answer_free(&f->answers[i]);
	}
}

int remote_run(struct remote_run *f, enum remote_role role, const char *const *words)
{
	int i, fds[3] = { -1, -1, -1 }, err;

	remote_report_free(&f->report);
	*f = (struct remote_run) { .host = f->host, .bar = f->bar, .cancel = f->cancel, .data = -1,
				   .in = { -1, -1 }, .call = { -1, -1 } };
	err = open_files(f, role, fds);
	pthread_mutex_init(&f->lock, NULL);
	if (!err)
		err = process_start(words, fds, &f->pid);
	for (i = 0; i < 3; i++)
		close_if_open(&fds[i]);
	if (!err) {
		err = bfo_thread_start(&f->reader, read_answers, f);
		if (err) {		/* it sees that nobody is there */
			close_files(f);
			waitpid(f->pid, NULL, 0);
		}
	}
	if (!err)
		return 0;
	close_files(f);
	pthread_mutex_destroy(&f->lock);
	return err;
}

static void hush(struct remote_run *f, int whom)
{
	pthread_mutex_lock(&f->lock);
	f->hushed = whom;
	pthread_mutex_unlock(&f->lock);
}

void remote_hush_e2bfo(struct remote_run *f)
{
	hush(f, 1);
}

void remote_hush(struct remote_run *f)
{
	hush(f, 2);
}

void remote_hang_up(struct remote_run *f)
{
	close_if_open(&f->data);
}

/* ---- its end ---- */

static void show_progress(struct remote_run *f, struct bfo_context *ctx)
{
	struct bfo_progress p;
	int has_progress;

	pthread_mutex_lock(&f->lock);
	p = f->progress;
	has_progress = f->has_progress;
	f->has_progress = 0;
	pthread_mutex_unlock(&f->lock);
	if (has_progress && ctx->progress)
		ctx->progress(ctx->priv, &p);
}

/* Until it ends, something was answered, a signal came, or some time has passed. */
static void wait_for_news(struct remote_run *f, int process)
{
	struct pollfd p[2] = { { .fd = f->call[0], .events = POLLIN },
			       { .fd = process, .events = POLLIN } };
	char words[256];

	if (poll(p, 2, LOOK_EVERY) > 0 && p[0].revents &&
	    recv(f->call[0], words, sizeof(words), 0) < 0)
		return;
}

static int has_ended(struct remote_run *f)
{
	int status = 0;
	pid_t pid;

	pthread_mutex_lock(&f->lock);
	pid = waitpid(f->pid, &status, WNOHANG);
	f->is_gone = pid && (pid > 0 || errno != EINTR);
	pthread_mutex_unlock(&f->lock);
	if (!f->is_gone)
		return 0;
	f->status = pid < 0 ? 255 : WIFEXITED(status) ? WEXITSTATUS(status)
						      : 256 + WTERMSIG(status);
	return 1;
}

errcode_t remote_wait(struct remote_run *f, struct bfo_context *ctx)
{
	int process = syscall(SYS_pidfd_open, f->pid, 0);	/* -1: of an old kernel */
	char word = 0;

	while (!has_ended(f)) {
		wait_for_news(f, process);
		show_progress(f, ctx);
	}
	if (process >= 0)
		close(process);
	send(f->call[0], &word, 1, MSG_NOSIGNAL);
	pthread_join(f->reader, NULL);
	close_files(f);
	pthread_mutex_destroy(&f->lock);
	return f->err;
}
