// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock.c - how much time has passed
 */
#include <time.h>

#include "base/clock.h"

double bfo_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
