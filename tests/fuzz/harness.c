// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * harness.c - bytes, programs, judges
 *
 * What the programs print goes nowhere: stdout and stderr of the C library are files of their own,
 * while the engine and the sanitizers write to descriptor 2.  FUZZ_TALK=1 lets them speak.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "fuzz.h"

#define WORDS_MOST 32

extern char **environ;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *sink = getenv("FUZZ_TALK") ? NULL : fopen("/dev/null", "w");

	(void) argc;
	(void) argv;
	if (sink)
		stdout = stderr = sink;
	setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
	setenv("TZ", "UTC", 1);
	/*
	 * (Of large buffers little is touched here: to clear huge pages would take a third of the
	 * time.)
	 */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	return 0;
}

void fuzz_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vdprintf(STDERR_FILENO, fmt, ap);
	va_end(ap);
	dprintf(STDERR_FILENO, "\n");
	abort();
}

struct fuzz_input fuzz_input(const uint8_t *data, size_t size)
{
	static const uint8_t none[1];
	uint8_t head[FUZZ_HEAD] = { 0 };
	size_t have = size < FUZZ_HEAD ? size : FUZZ_HEAD;

	if (have)
		memcpy(head, data, have);
	return (struct fuzz_input) { .image = head[0], .other = head[1],
		.options = head[2] | head[3] << 8, .steps = size ? data + have : none,
		.n = (size - have) / FUZZ_STEP };
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t) size)
		fuzz_fail("memfd: %s", strerror(errno));
	return path;
}

int fuzz_program(const char *const *words, const char *const *table, uint16_t options,
		 uint64_t allowed)
{
	char *argv[WORDS_MOST] = { (char *) "program", (char *) words[0] };
	int argc = words[0] ? 2 : 1, i, status;

	for (i = 0; table && table[i]; i++)
		if (options >> i & 1)
			argv[argc++] = (char *) table[i];
	for (i = 1; words[0] && words[i]; i++)
		argv[argc++] = (char *) words[i];
	optind = 0;
	status = program_main(argc, argv);
	if (status < 0 || status > 63 || !(allowed >> status & 1))
		fuzz_fail("exit status %d of %s", status, argv[1]);
	return status;
}

int fuzz_sample(const uint8_t *data, size_t size, unsigned int every)
{
	const char *all = getenv("FUZZ_JUDGE");

	return (all && *all == '1') || bfo_crc32c(~0U, data, size) % every == 0;
}

/* Runs ARGV with its output in file descriptor OUT; its exit status, or 127. */
static int run(char *const *argv, int out)
{
	posix_spawn_file_actions_t files;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
	if (!posix_spawnp(&pid, argv[0], &files, NULL, argv, environ))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&files);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* (e2fsck never ends with some filesystems; then it has said nothing.) */
int fuzz_is_clean(const struct fuzz_volume *v, int say)
{
	char path[64], text[4096];
	char *argv[] = { (char *) "timeout", (char *) "20", (char *) "e2fsck", (char *) "-fn", path,
			 NULL };
	int out = memfd_create("e2fsck", MFD_CLOEXEC), status;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), v->fd);
	status = run(argv, out);
	if (status == 127)
		fuzz_fail("e2fsck cannot be run");
	if (say && status && status != 124) {
		len = pread(out, text, sizeof(text), 0);
		dprintf(STDERR_FILENO, "%.*s", (int) (len > 0 ? len : 0), text);
	}
	close(out);
	return !status || status == 124;
}
