// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timestamp.c - times of files, in UTC
 *
 * Put together by hand: a listing has millions of them, and strftime(3) would take most of its
 * time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/timestamp.h"

#define DAY 86400

static char *two_digits(char *out, unsigned int value, char close)
{
	*out++ = '0' + value / 10;
	*out++ = '0' + value % 10;
	*out++ = close;
	return out;
}

static char *put_date(struct timestamp_day *day, int64_t number, char *out)
{
	time_t midnight = number * DAY;
	struct tm tm;
	size_t len;

	if (number != day->number || !*day->date) {
		gmtime_r(&midnight, &tm);
		strftime(day->date, sizeof(day->date), "%Y-%m-%d", &tm);
		day->number = number;
	}
	len = strlen(day->date);
	memcpy(out, day->date, len);
	return out + len;
}

static size_t put(struct timestamp_day *day, int64_t sec, uint32_t nsec, char between,
		  const char *zone, char *out)
{
	int64_t number = sec >= 0 ? sec / DAY : (sec + 1) / DAY - 1;
	unsigned int rest = sec - number * DAY;
	char *p = put_date(day, number, out);
	int i;

	*p++ = between;
	p = two_digits(p, rest / 3600, ':');
	p = two_digits(p, rest / 60 % 60, ':');
	p = two_digits(p, rest % 60, '.');
	for (i = 8; i >= 0; i--, nsec /= 10)
		p[i] = '0' + nsec % 10;
	strcpy(p + 9, zone);
	return p + 9 + strlen(zone) - out;
}

size_t timestamp_people(struct timestamp_day *day, int64_t sec, uint32_t nsec, char *out)
{
	return put(day, sec, nsec, ' ', " +0000", out);
}

size_t timestamp_scripts(struct timestamp_day *day, int64_t sec, uint32_t nsec, char *out)
{
	return put(day, sec, nsec, 'T', "Z", out);
}

int timestamp_is_pinned(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");

	return epoch && *epoch;
}

errcode_t timestamp_now(struct bfo_context *ctx, int64_t *now)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	char *end;

	*now = time(NULL);
	if (!timestamp_is_pinned())
		return 0;
	errno = 0;
	*now = strtoll(epoch, &end, 10);
	return *end || errno ? bfo_fail(ctx, EINVAL, "reading SOURCE_DATE_EPOCH=%s", epoch) : 0;
}
