// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock.c - how much time has passed
 */
#include <time.h>

#include "base/clock.h"

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

double bfo_clock(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double bfo_thread_clock(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static double real_now(void *priv)
{
	(void) priv;
	return bfo_clock();
}

static void real_wait(void *priv, double seconds)
{
	struct timespec t = { .tv_sec = seconds };

	(void) priv;
	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	nanosleep(&t, NULL);
}

const struct bfo_timer bfo_real_time = { .now = real_now, .wait = real_wait };
