// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings.c - the environment, once; counts, at the end
 *
 * Programs close their standard error before they end, so what is to be told goes to a copy of that
 * descriptor, which is made when the program begins.  A process that has read no directory tells
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings.h"

#define HIGH 100		/* no program expects its own descriptors from here on */

static struct readdir_settings settings = { READDIR_MEMORY_DEFAULT, 0, -1 };
static atomic_ulong counts[READDIR_WAYS];

static int is_set(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value;
}

static void read_environment(void)
{
	const char *memory = secure_getenv(READDIR_MEMORY);
	char *end;

	if (memory && *memory >= '0' && *memory <= '9') {
		settings.memory = strtoul(memory, &end, 10);
		if (*end || settings.memory < READDIR_MEMORY_LEAST)
			settings.memory = READDIR_MEMORY_LEAST;
	}
	settings.no_index = is_set(READDIR_NO_INDEX);
	if (is_set(READDIR_EXPLAIN))
		settings.explain = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH);
}

const struct readdir_settings *readdir_settings(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
	return &settings;
}

void readdir_count(enum readdir_way way)
{
	atomic_fetch_add_explicit(&counts[way], 1, memory_order_relaxed);
}

/* A child tells what it did itself. */
static void begin_child(void)
{
	int way;

	for (way = 0; way < READDIR_WAYS; way++)
		atomic_store(&counts[way], 0);
}

__attribute__((constructor)) static void begin(void)
{
	if (readdir_settings()->explain >= 0)
		pthread_atfork(NULL, NULL, begin_child);
}

__attribute__((destructor)) static void end(void)
{
	unsigned long all = 0;
	char text[256];
	int len, way;

	for (way = 0; way < READDIR_WAYS; way++)
		all += counts[way];
	if (settings.explain < 0 || !all)
		return;
	len = snprintf(text, sizeof(text), "e2itree-run: %s (%d): %lu by index, %lu sorted, %lu in "
		       "runs, %lu passed, %lu begun by a damaged index\n",
		       program_invocation_short_name, (int) getpid(), counts[READDIR_BY_INDEX],
		       counts[READDIR_SORTED], counts[READDIR_IN_RUNS], counts[READDIR_PASSED],
		       counts[READDIR_LEFT_INDEX]);
	if (len > 0 && write(settings.explain, text, (size_t) len < sizeof(text) ? (size_t) len :
			     sizeof(text) - 1) < 0)
		return;
}
