// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure - run one command and say what it cost, writing to the device included
 *
 *	measure RESULT DEVICE COMMAND [ARGUMENT...]
 *
 * What it measures: the wall clock from before the command starts until the command has ended
 * *and* DEVICE has been synced with fsync(2), so that a tool which leaves its data in the page
 * cache gains nothing by it; user and system CPU of the command, of everything it waited for and
 * of that fsync; and the largest resident set among those processes.
 *
 * It is a program of its own because a process inherits the high-water mark of the address space
 * it was forked from: measured from an interpreter, the smallest tool would seem as large as that.
 *
 * RESULT receives one line: wall, user and system seconds, peak resident KiB, wait status.
 * The exit status is 0 if that line was written, whatever became of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t))
		die("clock_gettime");
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	execvp(argv[0], argv);
	die(argv[0]);
	return -1;
}

static void sync_device(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fsync(fd) || close(fd))
		die(path);
}

static void report(const char *path, double wall, int status)
{
	struct rusage own, children;
	FILE *f = fopen(path, "w");

	if (!f || getrusage(RUSAGE_SELF, &own) || getrusage(RUSAGE_CHILDREN, &children))
		die(path);
	fprintf(f, "%.6f %.6f %.6f %ld %d\n", wall,
		seconds(children.ru_utime) + seconds(own.ru_utime),
		seconds(children.ru_stime) + seconds(own.ru_stime),
		children.ru_maxrss, status);
	if (fclose(f))
		die(path);
}

int main(int argc, char **argv)
{
	double begin;
	int status;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr, "usage: measure RESULT DEVICE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	begin = now();
	pid = start(argv + 3);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
	sync_device(argv[2]);
	report(argv[1], now() - begin, status);
	return 0;
}
