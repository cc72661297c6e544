// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_spill.c - the temporary file of base/extsort: it has no name, and what goes wrong with it is
 * said
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/extsort.h"
#include "unit.h"

#define LEAST BFO_EXTSORT_MEMORY

/* One that has nothing but what is sorted. */
static const char *folder(void)
{
	static char path[PATH_MAX];
	char *made = unit_path("sorted");

	want(snprintf(path, sizeof(path), "%s", made) < (int) sizeof(path));
	want(!mkdir(path, 0700) || errno == EEXIST);
	free(made);
	return path;
}

static unsigned int count_in(const char *where)
{
	DIR *d = opendir(where);
	unsigned int n = 0;

	want(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Adds 60000 random bytes a time until that fails, or there were MOST. */
static errcode_t add_until(struct bfo_extsort *s, uint32_t most)
{
	static uint8_t data[60000];
	struct chance c;
	errcode_t err = 0;
	uint32_t i;

	chance_init(&c, 5);
	for (i = 0; i < most && !err; i++) {
		chance_fill(&c, data, sizeof(data));
		err = bfo_extsort_add(s, &i, data, sizeof(data));
	}
	return err;
}

static void want_stuck(struct bfo_extsort *s, errcode_t err)
{
	struct bfo_sorted rec;
	uint32_t key = 0;
	int more = 1;

	want_err(bfo_extsort_add(s, &key, NULL, 0), err);
	want_err(bfo_extsort_finish(s), err);
	want_err(bfo_extsort_rewind(s), err);
	want_err(bfo_extsort_next(s, &rec, &more), err);
	want(!more);
}

/* No room: the file may not grow as far as it would.  _i: whether that is in a pass of merging. */
START_TEST(no_room_is_said)
{
	struct rlimit before, limit;
	unsigned int files = count_in("/proc/self/fd");
	struct bfo_extsort *s;

	want(!getrlimit(RLIMIT_FSIZE, &before));
	limit = before;
	limit.rlim_cur = _i ? 8100000 : 3000000;
	signal(SIGXFSZ, SIG_IGN);
	want(!setrlimit(RLIMIT_FSIZE, &limit));
	want_ok(bfo_extsort_open(&s, 1, LEAST, folder()));
	if (_i) {
		want_ok(add_until(s, 8000000 / 60000));
		want_err(bfo_extsort_finish(s), EFBIG);
	} else {
		want_err(add_until(s, 100), EFBIG);
	}
	want_stuck(s, EFBIG);
	bfo_extsort_close(s);
	want(!setrlimit(RLIMIT_FSIZE, &before));
	want_eq(count_in("/proc/self/fd"), files);
}
END_TEST

START_TEST(a_folder_that_is_none_is_said)
{
	unsigned int files = count_in("/proc/self/fd");
	char *path = unit_path("missing");
	struct bfo_extsort *s;

	want_ok(bfo_extsort_open(&s, 1, LEAST, path));
	want_err(add_until(s, 100), ENOENT);
	want_stuck(s, ENOENT);
	bfo_extsort_close(s);

	want_ok(bfo_extsort_open(&s, 1, LEAST, "/proc/self/exe"));
	want_err(add_until(s, 100), ENOTDIR);
	bfo_extsort_close(s);

	/* Nothing that fits into memory needs one. */
	want_ok(bfo_extsort_open(&s, 1, LEAST, path));
	want_ok(add_until(s, 3));
	want_ok(bfo_extsort_finish(s));
	bfo_extsort_close(s);
	want_eq(count_in("/proc/self/fd"), files);
	free(path);
}
END_TEST

/* The file without a name that lies in WHERE, opened once more. */
static int reopened(const char *where)
{
	char link[64], target[PATH_MAX];
	ssize_t n;
	int fd;

	for (fd = 0; fd < 256; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = 0;
		if (!strncmp(target, where, strlen(where)) && strstr(target, " (deleted)"))
			return open(link, O_RDWR);
	}
	return -1;
}

START_TEST(the_file_has_no_name)
{
	unsigned int before = count_in(folder()), files = count_in("/proc/self/fd");
	struct bfo_extsort *s;
	int fd;

	want_ok(bfo_extsort_open(&s, 1, LEAST, folder()));
	want_ok(add_until(s, 100));
	want_eq(count_in(folder()), before);
	fd = reopened(folder());
	want(fd >= 0);				/* and yet it is there */
	close(fd);
	bfo_extsort_close(s);
	want_eq(count_in("/proc/self/fd"), files);
}
END_TEST

static errcode_t read_on(struct bfo_extsort *s)
{
	struct bfo_sorted rec;
	errcode_t err;
	int more;

	while (!(err = bfo_extsort_next(s, &rec, &more)) && more)
		;
	return err;
}

/* _i: what happens to the file: a bit anywhere, zeros where a frame begins, the end cut off. */
START_TEST(damage_is_noticed)
{
	static const char zeros[8];
	struct bfo_extsort *s;
	uint8_t byte;
	int fd;

	want_ok(bfo_extsort_open(&s, 1, LEAST, folder()));
	want_ok(add_until(s, 60));		/* no pass of merging, which would write it anew */
	want_ok(bfo_extsort_finish(s));
	want_ok(read_on(s));
	fd = reopened(folder());
	want(fd >= 0);
	if (_i == 0) {
		want_eq(pread(fd, &byte, 1, 1500000), 1);
		byte ^= 16;
		want_eq(pwrite(fd, &byte, 1, 1500000), 1);
	} else if (_i == 1) {
		want_eq(pwrite(fd, zeros, 8, 0), 8);
	} else {
		want(!ftruncate(fd, lseek(fd, 0, SEEK_END) / 2));
	}
	close(fd);
	if (!bfo_extsort_rewind(s))
		want_err(read_on(s), BFO_ET_SPILL);
	want_stuck(s, BFO_ET_SPILL);
	bfo_extsort_close(s);
}
END_TEST

Suite *spill_suite(void)
{
	Suite *s = suite_create("spill");

	unit_case(s, "no_room_is_said", no_room_is_said, 2);
	unit_case(s, "a_folder_that_is_none_is_said", a_folder_that_is_none_is_said, 0);
	unit_case(s, "the_file_has_no_name", the_file_has_no_name, 0);
	unit_case(s, "damage_is_noticed", damage_is_noticed, 3);
	return s;
}
