// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - what every program does first, and last
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <ext2fs/ext2_err.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "cli/process.h"

#define LARGE_BYTES (1 << 20)
#define PATIENCE 10	/* seconds from the first signal on, in which others say the same */

volatile sig_atomic_t cancel_requested, progress_requested;

static volatile sig_atomic_t cancel_asked;	/* when, in seconds */
static void (*volatile on_cancel)(void *priv);
static void *volatile on_cancel_priv;

static long seconds(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Whoever asks again much later ends a process that hangs, as it would have without a handler. */
static void on_signal(int sig)
{
	void (*told)(void *priv) = on_cancel;

	if (!cancel_requested) {
		cancel_asked = seconds();
		if (told)
			told(on_cancel_priv);
	} else if (seconds() - cancel_asked > PATIENCE) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	cancel_requested = 1;
}

static void on_question(int sig)
{
	(void) sig;
	progress_requested = 1;
}

void process_on_cancel(void (*f)(void *priv), void *priv)
{
	on_cancel = NULL;
	on_cancel_priv = priv;
	on_cancel = f;
}

void process_attach(struct bfo_context *ctx)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const char *folder = secure_getenv("TMPDIR");

	ctx->cancel = &cancel_requested;
	ctx->temp_dir = folder && *folder ? folder : NULL;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

int process_start(const char *const *words, const int fds[3], pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t all;
	int i, err = posix_spawn_file_actions_init(&files);

	if (err)
		return err;
	err = posix_spawnattr_init(&how);
	if (!err) {
		sigfillset(&all);
		posix_spawnattr_setsigdefault(&how, &all);
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
		for (i = 0; i < 3 && !err; i++)
			err = posix_spawn_file_actions_adddup2(&files, fds[i], i);
		if (!err)
			err = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
		if (!err)
			err = posix_spawnp(pid, words[0], &files, &how, (char *const *) words,
					   environ);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return err;
}

/*
 * A volume must never be opened as descriptor 0, 1 or 2, where messages go.  What is closed cannot
 * be written to: output that goes nowhere is no success.
 */
static void fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/*
 * What is large comes from the kernel and goes back to it.  Left alone, malloc(3) keeps what was
 * freed as soon as that was large once: for a million files 14 MiB, which P7 has no room for.
 */
#ifdef M_MMAP_THRESHOLD
static void keep_no_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}
#else
static void keep_no_memory(void)
{
}
#endif

void process_begin(const char *program)
{
	struct sigaction question = { .sa_handler = on_question, .sa_flags = SA_RESTART };

	message_begin(program);
	fill_standard_files();
	keep_no_memory();
	sigaction(SIGUSR1, &question, NULL);
	signal(SIGXFSZ, SIG_IGN);	/* a file that grows too long is an error like others */
	add_error_table(&et_ext2_error_table);
	add_error_table(&et_bfo_error_table);
}

int process_output_is_written(void)
{
	int err = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;

	if (err == EIO)			/* or it is no longer known why */
		message("the report could not be written");
	else if (err)
		message("the report could not be written: %s", strerror(err));
	return !err;
}
