// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_line.c - the attributes of an inode as a line for people
 *
 * Lines are put together here instead of by printf(3), which would take most of the time.
 */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "ls_line.h"

/* VALUE, at least WIDTH wide, then CLOSE. */
static void add_number(struct ls_line *l, uint64_t value, int width, char close)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = '0' + value % 10;
	while (value /= 10);
	for (; width > n; width--)
		l->text[l->n++] = ' ';
	while (n)
		l->text[l->n++] = digits[--n];
	l->text[l->n++] = close;
}

static char type_letter(uint16_t mode)
{
	static const char letters[16] = {
		[S_IFREG >> 12] = '-', [S_IFDIR >> 12] = 'd', [S_IFLNK >> 12] = 'l',
		[S_IFCHR >> 12] = 'c', [S_IFBLK >> 12] = 'b', [S_IFIFO >> 12] = 'p',
		[S_IFSOCK >> 12] = 's',
	};

	return letters[mode >> 12] ? letters[mode >> 12] : '?';
}

static void add_mode(struct ls_line *l, uint16_t mode)
{
	static const uint16_t special[3] = { S_ISUID, S_ISGID, S_ISVTX };
	char *out = l->text + l->n, *x;
	int i;

	*out++ = type_letter(mode);
	for (i = 0; i < 9; i++)
		*out++ = mode & (0400 >> i) ? "rwxrwxrwx"[i] : '-';
	for (i = 0; i < 3; i++) {
		x = l->text + l->n + 3 + 3 * i;
		if (mode & special[i])
			*x = *x == 'x' ? "sst"[i] : "SST"[i];
	}
	*out = ' ';
	l->n += 11;
}

/* As ls -h: 1023, 1.0K, 9.9K, 10K, rounded up; as wide as numbers are. */
static void add_size(struct ls_line *l, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = bytes;
	char text[24];
	int u = -1;

	for (; value >= 1024 || (u >= 0 && ceil(value) >= 1024); u++)
		value /= 1024;
	if (u < 0)
		snprintf(text, sizeof(text), "%llu", (unsigned long long) bytes);
	else
		snprintf(text, sizeof(text), value <= 9.9 ? "%.1f%c" : "%.0f%c",
			 value <= 9.9 ? ceil(value * 10) / 10 : ceil(value), units[u]);
	l->n += sprintf(l->text + l->n, "%11s ", text);
}

static void add_time(struct ls_line *l, struct timestamp_day *day, int64_t sec, uint32_t nsec)
{
	l->n += timestamp_people(day, sec, nsec, l->text + l->n);
	l->text[l->n++] = ' ';
}

void ls_line_make(struct ls_line *l, const struct bfo_attrs *a, uint64_t ino, int human,
		  struct timestamp_day *day)
{
	l->n = 0;
	add_number(l, ino, 8, ' ');
	add_mode(l, a->mode);
	add_number(l, a->nlink, 3, ' ');
	add_number(l, a->uid, 5, ' ');
	add_number(l, a->gid, 5, ' ');
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode)) {
		add_number(l, a->major, 4, ',');
		add_number(l, a->minor, 6, ' ');
	} else if (human) {
		add_size(l, a->size);
	} else {
		add_number(l, a->size, 11, ' ');
	}
	add_time(l, day, a->sec[BFO_MTIME], a->nsec[BFO_MTIME]);
}
