// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - what every program does first, and last
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/process.h"

#define MEMORY_MAX (1ULL << 30)

volatile sig_atomic_t cancel_requested;

static void on_signal(int sig)
{
	(void) sig;
	cancel_requested = 1;
}

void process_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

void process_fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int process_output_is_written(const char *program)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 1;
	fprintf(stderr, "%s: the report could not be written: %s\n", program, strerror(errno));
	return 0;
}

uint64_t process_default_memory(void)
{
	uint64_t ram = (uint64_t) sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4;

	return ram < MEMORY_MAX ? ram : MEMORY_MAX;
}
