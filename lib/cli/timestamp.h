/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timestamp.h - times of files, in UTC, for people and scripts; the time of what is made
 */
#ifndef CLI_TIMESTAMP_H
#define CLI_TIMESTAMP_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

#define TIMESTAMP_BYTES 64

/* Times come in bunches: the day of the last one.  Zeroed at first. */
struct timestamp_day {
	int64_t number;
	char date[24];
};

/*
 * Writes SEC (since 1970) and NSEC into OUT, a string of less than TIMESTAMP_BYTES; its length.
 * For people as ls --full-time has it, "2026-01-31 23:59:59.123456789 +0000"; for scripts as RFC
 * 3339 does, "2026-01-31T23:59:59.123456789Z".
 */
size_t timestamp_people(struct timestamp_day *day, int64_t sec, uint32_t nsec, char *out);
size_t timestamp_scripts(struct timestamp_day *day, int64_t sec, uint32_t nsec, char *out);

/*
 * The time of what a program makes: that of the clock, or SOURCE_DATE_EPOCH, if that is set.
 * EINVAL if it is no number.
 */
errcode_t timestamp_now(struct bfo_context *ctx, int64_t *now);

/* True if SOURCE_DATE_EPOCH is set. */
int timestamp_is_pinned(void);

#endif
