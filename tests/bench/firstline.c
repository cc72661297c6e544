// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firstline - run one command and say when its first line came, and what that and all of it cost
 *
 *	firstline RESULT COMMAND [ARGUMENT...]
 *
 * The command writes into a pipe of one page. As soon as anything is in there its clock of CPU time
 * is read (all threads, to the nanosecond); until the page is taken away it can run on only
 * as far as one page of output. The rest is read, its lines counted, and thrown away.
 *
 * A program of its own for the reason that measure is one.
 *
 * RESULT receives one line: wall and CPU seconds until the first output; wall, user and system
 * seconds of all; peak resident KiB; lines; wait status. The exit status is 0 if that line was
 * written, whatever became of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void die(const char *what)
{
	fprintf(stderr, "firstline: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		die("clock_gettime");
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Starts the command; what it writes comes out of *OUTPUT. */
static pid_t start(char **argv, int *output)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[1], F_SETPIPE_SZ, PAGE) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (dup2(ends[1], STDOUT_FILENO) < 0)
			die("dup2");
		execvp(argv[0], argv);
		die(argv[0]);
	}
	close(ends[1]);
	*output = ends[0];
	return pid;
}

static void wait_for_output(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, -1) < 0)
		if (errno != EINTR)
			die("poll");
}

static uint64_t count_lines(int fd)
{
	char buf[PAGE];
	uint64_t lines = 0;
	ssize_t n, i;

	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR)
			die("read");
		for (i = 0; i < n; i++)
			lines += buf[i] == '\n';
	}
	return lines;
}

int main(int argc, char **argv)
{
	double begin, first_wall, first_cpu;
	struct rusage used;
	clockid_t clock;
	uint64_t lines;
	int status, output;
	pid_t pid;
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: firstline RESULT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	begin = seconds_of(CLOCK_MONOTONIC);
	pid = start(argv + 2, &output);
	errno = clock_getcpuclockid(pid, &clock);
	if (errno)
		die("clock_getcpuclockid");
	wait_for_output(output);
	first_cpu = seconds_of(clock);
	first_wall = seconds_of(CLOCK_MONOTONIC) - begin;
	lines = count_lines(output);
	while (wait4(pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			die("wait4");
	f = fopen(argv[1], "w");
	if (!f)
		die(argv[1]);
	fprintf(f, "%.6f %.6f %.6f %.6f %.6f %ld %llu %d\n", first_wall, first_cpu,
		seconds_of(CLOCK_MONOTONIC) - begin, seconds(used.ru_utime), seconds(used.ru_stime),
		used.ru_maxrss, (unsigned long long)lines, status);
	if (fclose(f))
		die(argv[1]);
	return 0;
}
