// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xml_time.c - times as XML Schema has them
 */
#include <limits.h>
#include <time.h>

#include "intake/xml_time.h"

#define YEAR_MOST (INT_MAX - 1900)

/* Takes up to MOST digits; returns how many. */
static int take_digits(const char **at, const char *end, int most, int64_t *value)
{
	int n = 0;

	for (*value = 0; *at < end && **at >= '0' && **at <= '9' && n < most; n++)
		*value = *value * 10 + *(*at)++ - '0';
	return n;
}

/* Takes C and two digits up to MOST, if *VALUE. */
static int take_part(const char **at, const char *end, char c, int most, int *value)
{
	int64_t v;

	if (*at == end || *(*at)++ != c || take_digits(at, end, 2, &v) != 2 || v > most)
		return 0;
	*value = v;
	return 1;
}

/* "Z", "+HH:MM", "-HH:MM", or nothing: seconds that are too many. */
static int take_zone(const char **at, const char *end, int *seconds)
{
	int hours, minutes, sign;

	*seconds = 0;
	if (*at == end)
		return 1;
	if (**at == 'Z')
		return ++*at == end;
	sign = **at == '-' ? -1 : 1;
	if (!take_part(at, end, sign < 0 ? '-' : '+', 14, &hours) ||
	    !take_part(at, end, ':', 59, &minutes))
		return 0;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return *at == end;
}

/* A fraction of as many digits as there are. */
static int take_fraction(const char **at, const char *end, uint32_t *nsec, int *has_fraction)
{
	int64_t value, more;
	int n;

	*nsec = 0;
	*has_fraction = *at < end && **at == '.';
	if (!*has_fraction)
		return 1;
	++*at;
	n = take_digits(at, end, 9, &value);
	if (!n)
		return 0;
	while (take_digits(at, end, 1, &more))
		;
	for (; n < 9; n++)
		value *= 10;
	*nsec = value;
	return 1;
}

int bfo_xml_time(const char *at, size_t len, int64_t *sec, uint32_t *nsec, int *has_fraction)
{
	const char *end = at + len;
	struct tm tm = { 0 };
	int is_negative = len && *at == '-', zone;
	int64_t year;

	at += is_negative;
	if (take_digits(&at, end, 10, &year) < 4 || year > YEAR_MOST ||
	    !take_part(&at, end, '-', 12, &tm.tm_mon) ||
	    !take_part(&at, end, '-', 31, &tm.tm_mday) ||
	    !take_part(&at, end, 'T', 24, &tm.tm_hour) ||
	    !take_part(&at, end, ':', 59, &tm.tm_min) ||
	    !take_part(&at, end, ':', 60, &tm.tm_sec) ||
	    !take_fraction(&at, end, nsec, has_fraction) || !take_zone(&at, end, &zone) ||
	    !tm.tm_mon || !tm.tm_mday)
		return 0;
	tm.tm_year = (is_negative ? -year : year) - 1900;
	tm.tm_mon--;
	*sec = timegm(&tm) - zone;
	return 1;
}
